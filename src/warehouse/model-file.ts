/**
 * A model: one file under `sql/models`, a header and one select. Its folder and name say what it becomes:
 * `dimensions/campaigns` is the view `campaigns`, all others are relations of the schema `marts`.
 *
 *     -- grain: one KST day and channel.
 *     -- materialized: incremental   (a table; without it the model is a view)
 *     -- partition: week             (rows are replaced by the week; by the day without it)
 *     -- depends_on: events          (the streams whose changes make its days dirty)
 *     -- lookback: 27 days           (a day looks back that far)
 *     -- dirties: all later days     (a change of a day matters on all later ones, as what is known of a person does)
 *     -- unique_key: person          (a row of an earlier day with that key stays the only one)
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dependsOn, dirties, keyOf, lookback, type Dependence } from './dependence.js';
import { fieldsOf, selectIn } from './sql-header.js';
import { statement, statementsIn } from './statements.js';

/** How a model that is a table is brought forward. */
export interface Incremental extends Dependence {
  /** The column of which each value has one row, that of its earliest day. */
  readonly uniqueKey: string | undefined;
}

export interface Model {
  /** `campaigns`, or `marts.channel_days`. */
  readonly relation: string;
  readonly grain: string;
  /** The select, without its semicolon. */
  readonly select: string;
  /** Undefined for a view. */
  readonly incremental: Incremental | undefined;
  /** Of this model, of the models that it reads, and of the schema. */
  readonly fingerprint: string;
}

/** A model that is a table. */
export interface IncrementalModel extends Model {
  readonly incremental: Incremental;
}

export function isIncremental(model: Model): model is IncrementalModel {
  return model.incremental !== undefined;
}

/** The column whose values are the days, or the Mondays, by which rows are replaced. */
export function columnOf({ partition }: Incremental): 'date' | 'week' {
  return partition === 'week' ? 'week' : 'date';
}

const view = z.strictObject({ grain: z.string() });

const table = z.strictObject({
  grain: z.string(),
  materialized: z.literal('incremental'),
  partition: z.enum(['day', 'week']).default('day'),
  depends_on: dependsOn,
  lookback,
  dirties,
  unique_key: z.string().optional(),
});

let all: readonly Model[] | undefined;

/** All models, each after those that it reads. The files of the package are read once. */
export function models(): readonly Model[] {
  all ??= readModels();
  return all;
}

function readModels(): Model[] {
  const names = ['dimensions', 'daily', 'marts'].flatMap((folder) => statementsIn(`models/${folder}`));
  const texts = new Map(names.map((name) => [relationOf(name), statement(name)]));
  // The schema too: a column may have been added to what a model reads.
  const schema = statementsIn('schema').map((name) => statement(name));
  const made = new Map<string, Model>();
  const reads = new Map<string, readonly string[]>();
  const make = (relation: string, text: string): string => {
    const known = made.get(relation);
    if (known !== undefined) return known.fingerprint;
    const parts = [...texts].filter(([other]) => other !== relation && mentions(text, other));
    const model = parse(relation, text, [...parts.map(([other, theirs]) => make(other, theirs)), ...schema]);
    made.set(relation, model);
    reads.set(
      relation,
      parts.map(([other]) => other),
    );
    return model.fingerprint;
  };
  for (const [relation, text] of texts) make(relation, text);
  return ordered([...made.values()], reads);
}

/** Each after those that it reads; of several that can follow, one of the same dirty days, which are then listed once. */
function ordered(all: readonly Model[], reads: ReadonlyMap<string, readonly string[]>): Model[] {
  const done = new Map<string, Model>();
  let days = '';
  for (;;) {
    const ready = all.filter(
      ({ relation }) => !done.has(relation) && reads.get(relation)?.every((other) => done.has(other)),
    );
    const next = ready.find((model) => isIncremental(model) && keyOf(model.incremental) === days) ?? ready[0];
    if (next === undefined) return [...done.values()];
    done.set(next.relation, next);
    if (isIncremental(next)) days = keyOf(next.incremental);
  }
}

function parse(relation: string, text: string, madeOf: readonly string[]): Model {
  const { grain, ...header } = z.union([table, view]).parse(fieldsOf(text));
  const fingerprint = createHash('sha256').update([text, ...madeOf].join('\0'));
  return {
    relation,
    grain,
    select: selectIn(text),
    incremental: 'depends_on' in header ? incrementalOf(header) : undefined,
    fingerprint: fingerprint.digest('hex'),
  };
}

function incrementalOf(header: Omit<z.infer<typeof table>, 'grain'>): Incremental {
  const { partition, depends_on: streams, lookback, dirties: allLater, unique_key: uniqueKey } = header;
  return { partition, streams, lookback, allLater, uniqueKey };
}

/** `models/dimensions/campaigns` is `campaigns`, `models/daily/daily_events` is `marts.daily_events`. */
function relationOf(name: string): string {
  const [, folder = '', file = ''] = name.split('/');
  return folder === 'dimensions' ? file : `marts.${file}`;
}

/** Whether a select reads that relation. */
export function mentions(text: string, relation: string): boolean {
  return new RegExp(`\\b(from|join) ${relation.replace('.', '\\.')}\\b(?!\\.)`).test(text);
}

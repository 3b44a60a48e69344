/** Models: recreates views whose definition has changed, and refreshes tables for dirty days. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ExperimentSettings } from '../config/schema.js';
import { PLACEHOLDERS, Redaction } from '../documents/personal.js';
import { dayOf } from '../ground/calendar.js';
import { ID_COLUMNS } from '../ground/fields.js';
import { DawnloadError, messageOf } from '../ground/errors.js';
import { describeAll, ownTables } from './describe.js';
import { dependsOn, DirtyDays, lookback, sparesArchived } from './dirty-days.js';
import { fieldsOf, quoted, selectIn, type Session, statement, statementsIn } from './session.js';
import type { Warehouse } from './warehouse.js';

// The headers of `sql/models`, which CONTRIBUTING.md describes.

const view = z
  .strictObject({
    grain: z.string(),
    also_in: z.literal('main').optional(),
    lake: z.literal('none').optional(),
  })
  .transform(({ also_in, lake }) => ({
    incremental: undefined,
    isInMain: also_in === 'main',
    isInLake: lake !== 'none',
  }));

const table = z
  .strictObject({
    grain: z.string(),
    materialized: z.literal('incremental'),
    partition: z.enum(['day', 'week']).default('day'),
    depends_on: dependsOn,
    lookback,
    dirties: z.literal('all later days').optional(),
    unique_key: z.string().optional(),
  })
  .transform(({ partition, depends_on: streams, dirties, unique_key: uniqueKey, ...header }) => ({
    isInMain: false,
    isInLake: true,
    incremental: {
      partition,
      streams,
      lookback: header.lookback,
      allLater: dirties !== undefined,
      uniqueKey,
    },
  }));

type Incremental = z.output<typeof table>['incremental'];

export interface Model {
  readonly relation: string;
  readonly select: string;
  readonly incremental: Incremental | undefined;
  /** False for views of single messages, texts, ids and records, because the lake would copy all of them each night. */
  readonly isInLake: boolean;
  /** A hash of this model, of the models that it reads, and of the schema files. */
  readonly fingerprint: string;
}

interface IncrementalModel extends Model {
  readonly incremental: Incremental;
}

export function isIncremental(model: Model): model is IncrementalModel {
  return model.incremental !== undefined;
}

/** The column by which rows are replaced: `date`, or `week` (its Monday). */
function columnOf({ partition }: Pick<Incremental, 'partition'>): 'date' | 'week' {
  return partition === 'week' ? 'week' : 'date';
}

let all: readonly Model[] | undefined;

export function models(): readonly Model[] {
  all ??= readModels();
  return all;
}

function readModels(): Model[] {
  const names = ['dimensions', 'daily', 'marts'].flatMap((folder) => statementsIn(`models/${folder}`));
  const texts = new Map(names.map((name) => [relationOf(name), statement(name)]));
  // Includes the schema files, because a migration may add a column to a table that the model reads.
  const schema = statementsIn('schema').map((name) => statement(name));
  const waiting = new Map(
    [...texts].map(([relation, text]) => {
      const reads = [...texts.keys()].filter((other) => other !== relation && mentions(text, other));
      return [relation, { relation, text, reads, ...z.union([table, view]).parse(fieldsOf(text)) }];
    }),
  );
  const done = new Map<string, Model>();
  let days: string | undefined;
  for (;;) {
    const ready = [...waiting.values()].filter(({ reads }) => reads.every((other) => done.has(other)));
    // Models with the same dirty days are grouped, so that the days are found only once.
    const next = ready.find(({ incremental }) => incremental && daysKey(incremental) === days) ?? ready[0];
    if (next === undefined) {
      if (waiting.size > 0)
        throw new Error(`These models read each other in a circle: ${[...waiting.keys()].join(', ')}.`);
      return [...done.values()];
    }
    const { relation, text, reads, incremental, isInMain, isInLake } = next;
    const fingerprint = hashOf([text, ...reads.map((other) => done.get(other)?.fingerprint), ...schema]);
    done.set(relation, { relation, select: selectIn(text), incremental, isInLake, fingerprint });
    if (isInMain) {
      const name = relation.replace('marts.', '');
      done.set(name, { relation: name, select: `from ${relation}`, incremental, isInLake, fingerprint });
    }
    waiting.delete(relation);
    if (incremental !== undefined) days = daysKey(incremental);
  }
}

/** `models/dimensions/campaigns` is the relation `campaigns`, `models/daily/daily_events` is `marts.daily_events`. */
function relationOf(name: string): string {
  const [, folder = '', file = ''] = name.split('/');
  return folder === 'dimensions' ? file : `marts.${file}`;
}

/** Caches which relations each text reads, because every model and check is compared with every model. */
const read = new Map<string, ReadonlySet<string>>();

export function mentions(text: string, relation: string): boolean {
  const names =
    read.get(text) ?? new Set([...text.matchAll(/\b(?:from|join) ([\w.]+)/g)].map(([, name = '']) => name));
  read.set(text, names);
  return names.has(relation);
}

/** A key that is equal for models that depend on the same days in the same way. */
function daysKey(incremental: Incremental): string {
  return JSON.stringify({ ...incremental, uniqueKey: '' });
}

export function hashOf(texts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}

/** Refreshes all models. Resolves with the main goals of A/B tests chosen in this run, which never change afterwards. */
export async function refreshModels(warehouse: Warehouse): Promise<Record<string, string>> {
  const { session, options } = warehouse;
  const { effects } = options;
  const goals = await warehouse.refining(() =>
    session.transaction(async () => {
      await noteSettings(warehouse);
      await noteExcluded(warehouse);
      await refreshAll(session);
      await describeAll(
        session,
        models().map(({ fingerprint }) => fingerprint),
      );
      const goal = z.object({ resource_id: z.string(), goal: z.string() });
      return session.rows('ops/choose_main_goals', goal, { today: dayOf(effects.now()) });
    }),
  );
  effects.reach('model/done');
  return Object.fromEntries(goals.map(({ resource_id, goal }) => [resource_id, goal]));
}

/** Defaults for A/B tests, also for fields missing in the setting `default`. */
const DEFAULTS = { smallest_effect: 0.2, alpha: 0.05, power: 0.8 } as const;

/** Writes the settings that models depend on. If clicks or ids change, all days are refreshed. */
async function noteSettings({ session, options }: Warehouse): Promise<void> {
  const { experiments = {}, mainGoals = {}, notClicks = [], placeholderIds = [], privacy, effects } = options;
  const general = { ...DEFAULTS, ...experiments['default'] };
  const rows = Object.entries({ ...experiments, default: general }).map(([campaign_id, own]) => ({
    campaign_id,
    ...general,
    ...own,
    split: byFirstDay(own.split ?? general.split),
  }));
  const goals = Object.entries(experiments).flatMap(([id, { goal }]) =>
    goal === undefined ? [] : [[id, goal]],
  );
  await session.run('ops/experiments', { experiments: JSON.stringify(rows) });
  await session.run('ops/keep_main_goals', {
    main_goals: JSON.stringify({ ...Object.fromEntries(goals), ...mainGoals }),
    today: dayOf(effects.now()),
  });
  const redaction = new Redaction(privacy.key);
  const digests = (privacy.columns ?? [])
    .filter(({ rule }) => rule === 'hash')
    .flatMap(({ name }) => placeholderIds.map((id) => redaction.idDigest(name, id)));
  const ids = [...PLACEHOLDERS, ...placeholderIds.map((id) => id.toLowerCase()), ...digests];
  await session.run('ops/clicks_and_ids', {
    not_clicks: [...new Set(notClicks)].sort(),
    placeholder_ids: [...new Set(ids)].sort(),
  });
}

/** Records excluded people if the file has their ids. If the list changes, the days of their events become dirty. */
async function noteExcluded({ session, options: { excluded = [], privacy } }: Warehouse): Promise<void> {
  const redaction = new Redaction(privacy.key);
  const isHashed = (privacy.columns ?? []).some(({ name, rule }) => name === 'user_id' && rule === 'hash');
  const asStored = (id: string): string | null =>
    isHashed ? redaction.idDigest('user_id', id) : redaction.field(id, privacy.recipients);
  const own = (await ownTables(session)).filter(({ columns }) =>
    columns.some(({ name }) => name === 'user_id'),
  );
  const user_ids = excluded.flatMap((id) =>
    [asStored(id), asStored(id.normalize('NFC'))].filter((one) => one !== null),
  );
  await session.run('ops/exclude', {
    user_ids,
    own_ids: ['null::varchar as user_id', ...own.map(({ name }) => `user_id from own.${quoted(name)}`)]
      .map((one) => `select ${one}`)
      .join(' union all '),
  });
  const idsBut = (isNamed: (nth: number) => boolean): string =>
    ID_COLUMNS.map((kind, nth) => (isNamed(nth) ? kind : 'null')).join(', ');
  for (const [nth, kind] of ID_COLUMNS.entries())
    if (nth > 0)
      await session.run('ops/exclude_weaker', {
        kind,
        alone: idsBut((one) => one === nth),
        stronger: idsBut((one) => one < nth),
      });
  await session.run('ops/note_excluded', { user_ids, listed: excluded.length });
}

/** A split without days applies from the first day. */
function byFirstDay(split: ExperimentSettings['split'] = {}): unknown {
  const [first] = Object.values<unknown>(split);
  return typeof first === 'number' ? { '0001-01-01': split } : first === undefined ? null : split;
}

const notedModel = z.object({
  relation: z.string(),
  kind: z.enum(['view', 'table']),
  fingerprint: z.string(),
});

/** Refreshes all models to the contents of the tables. Call inside a transaction. */
export async function refreshAll(session: Session): Promise<void> {
  const noted = await session.rows('refresh/known', notedModel);
  const earlier = new Map(noted.map((model) => [model.relation, model]));
  const wanted = models();
  const changed = wanted.filter(
    ({ relation, fingerprint }) => earlier.get(relation)?.fingerprint !== fingerprint,
  );
  const gone = [...earlier.keys()].filter((name) => !wanted.some(({ relation }) => relation === name));
  const kept = await keepAside(session, changed);
  // Relations that read others are dropped before those.
  const relations = changed.map(({ relation }) => relation);
  for (const relation of [...gone, ...relations.toReversed()]) {
    const kind = earlier.get(relation)?.kind;
    if (kind !== undefined) await session.run('refresh/drop', { relation, kind });
  }
  if (gone.length + changed.length > 0) {
    const fingerprints = changed.map(({ fingerprint }) => fingerprint);
    const former_relations = [...gone, ...relations];
    const kinds = changed.map(kindOf);
    await session.run('refresh/note', { former_relations, relations, kinds, fingerprints });
  }
  const dirty = await DirtyDays.open(session);
  for (const model of wanted) {
    try {
      const full = changed.includes(model);
      if (full)
        await session.run(`refresh/${kindOf(model)}`, { relation: model.relation, select: model.select });
      if (isIncremental(model)) await bringForward(session, dirty, kept.has(model.relation), model, full);
    } catch (cause) {
      if (cause instanceof DawnloadError) throw cause;
      // The original message comes first, because a full disk is recognized by how the message begins.
      throw new Error(`${messageOf(cause)} (in the model ${model.relation})`, { cause });
    }
  }
}

function kindOf(model: Model): 'view' | 'table' {
  return isIncremental(model) ? 'table' : 'view';
}

/** @param isKept true if rows of the old table were set aside */
async function bringForward(
  session: Session,
  dirty: DirtyDays,
  isKept: boolean,
  model: IncrementalModel,
  full: boolean,
): Promise<void> {
  const { relation, select, incremental } = model;
  const { partition, uniqueKey: unique_key } = incremental;
  const refresh = { ...incremental, full, keepsRows: !full || isKept };
  if (!(await dirty.find(refresh)) && !isKept) return;
  const rows = { relation, partition, column: columnOf(incremental), full: String(full) };
  if (!full) await session.run('refresh/clear', rows);
  // Put the kept rows back first, because new rows with the same key are then skipped.
  if (isKept) {
    const names = asideOf(model);
    const { columns } = await session.row('refresh/kept_columns', z.object({ columns: z.string() }), names);
    await session.run('refresh/put_back', { ...names, columns });
  }
  await dirty.forEachBatch(() =>
    unique_key === undefined
      ? session.run('refresh/fill', { relation, select })
      : session.run('refresh/fill_unique', { relation, select, unique_key }),
  );
  await session.run('refresh/note_days', rows);
}

/**
 * Sets aside tables with rows of removed days (`ops.removed_days`), which a full refresh cannot recompute. Skips models that now replace
 * rows by another unit of time. Returns the relations of the tables. Call before the tables are dropped.
 */
async function keepAside(session: Session, changed: readonly Model[]): Promise<ReadonlySet<string>> {
  if (changed.length === 0) return new Set();
  const keepable = z.object({ relation: z.string(), column: z.string() });
  const tables = await session.rows('refresh/keepable', keepable);
  const aside = changed.filter(isIncremental).filter(({ relation, incremental }) => {
    const column = columnOf(incremental);
    return (
      sparesArchived(incremental) && tables.some((one) => one.relation === relation && one.column === column)
    );
  });
  await session.runForEach('refresh/set_aside', aside.map(asideOf));
  return new Set(aside.map(({ relation }) => relation));
}

function asideOf({ relation, incremental }: IncrementalModel) {
  const [schema = '', table = ''] = relation.split('.');
  const { partition } = incremental;
  return { relation, schema, aside: `${table}_before`, partition, column: columnOf(incremental) };
}

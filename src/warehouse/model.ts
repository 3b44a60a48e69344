/** The modelling stage: views are made again when their definition has changed; tables are refreshed for the dirty days. */
import { z } from 'zod';
import { DawnloadError, messageOf } from '../ground/errors.js';
import { fieldsOf, selectIn, type Session, statement, statementsIn, count } from './session.js';
import { describeAll } from './describe.js';
import { chooseMainGoals, noteSettings } from './experiments.js';
import { MESSAGE_ROWS } from './messages.js';
import type { Warehouse } from './warehouse.js';
import { createHash } from 'node:crypto';
import { STREAMS, type Stream } from '../ground/streams.js';

export interface Dependence {
  /** The streams whose changes make days dirty. */
  readonly streams: readonly Stream[];
  /**
   * Number of earlier days that a day's rows are computed from; a changed day therefore matters for that many later
   * days.
   */
  readonly lookback: number;
  /** True if a changed day matters for every later day that holds events, beyond `lookback`. */
  readonly allLater: boolean;
  /** The unit by which rows are replaced. */
  readonly partition: 'day' | 'week';
}

/** Parses the header `depends_on`, such as `events, statistics`. */
export const dependsOn = z
  .string()
  .transform((list) => list.split(', '))
  .pipe(z.array(z.enum(STREAMS)).min(1));

/** Parses the header `lookback`, such as `27 days`. */
export const lookback = z
  .string()
  .regex(/^\d+ days$/)
  .transform((text) => Number.parseInt(text, 10))
  .default(0);

/** Parses the header `dirties`: `all later days`, or undefined. */
const dirties = z
  .literal('all later days')
  .optional()
  .transform((text) => text !== undefined);

/**
 * True if a model keeps its rows for days whose events were removed, because it is computed from events. A model that depends
 * on every stream (coverage, for example) is recomputed on such days too.
 */
function sparesArchived({ streams }: Dependence): boolean {
  return streams.includes('events') && streams.length < STREAMS.length;
}

/** A key that is equal for models that depend on the same days in the same way. */
export function dependenceKey({ streams, lookback, allLater, partition }: Dependence): string {
  return JSON.stringify([streams, lookback, allLater, partition]);
}

const knownModel = z.object({
  relation: z.string(),
  kind: z.enum(['view', 'table']),
  fingerprint: z.string(),
});

/**
 * Refreshes the models of `sql/models` to the contents of the tables and the settings, and the words of all columns.
 * Resolves with the main goals that were chosen, which never change afterwards.
 */
export async function refreshModels(warehouse: Warehouse): Promise<Record<string, string>> {
  const { session, options } = warehouse;
  const { effects } = options;
  const chosen = await warehouse.refining(() =>
    session.transaction(async () => {
      await noteSettings(session, options, effects.now());
      await refreshAll(session);
      await describeAll(session);
      return chooseMainGoals(session, effects.now());
    }),
  );
  effects.reach('model/done');
  return chosen;
}

/** Refreshes all models to the contents of the tables. Call inside a transaction. */
export async function refreshAll(session: Session): Promise<void> {
  const noted = await session.rows('refresh/known', knownModel);
  const known = new Map(noted.map((model) => [model.relation, model]));
  const wanted = models();
  const changed = wanted.filter(
    ({ relation, fingerprint }) => known.get(relation)?.fingerprint !== fingerprint,
  );
  const gone = [...known.keys()].filter((name) => !wanted.some(({ relation }) => relation === name));
  const kept = await keepAside(session, changed);
  // Relations that read other relations are dropped first.
  const relations = changed.map(({ relation }) => relation);
  for (const relation of [...gone, ...relations.toReversed()]) {
    const kind = known.get(relation)?.kind;
    if (kind !== undefined) await session.run('refresh/drop', { relation, kind });
  }
  if (gone.length + changed.length > 0) {
    const fingerprints = changed.map(({ fingerprint }) => fingerprint);
    const former_relations = [...gone, ...relations];
    await session.set({
      given: { former_relations, relations, kinds: changed.map(kindOf), fingerprints },
    });
    await session.run('refresh/note');
  }
  const dirty = await DirtyDays.open(session);
  for (const model of wanted) {
    try {
      const full = changed.includes(model);
      if (full)
        await session.run(`refresh/${kindOf(model)}`, { relation: model.relation, select: model.select });
      if (isIncremental(model)) await bringForward(session, dirty, kept, model, full);
    } catch (cause) {
      if (cause instanceof DawnloadError) throw cause;
      // The cause comes first in the message: a full disk is recognised by its beginning.
      throw new Error(`${messageOf(cause)} (in the model ${model.relation})`, { cause });
    }
  }
}

function kindOf(model: Model): 'view' | 'table' {
  return isIncremental(model) ? 'table' : 'view';
}

async function bringForward(
  session: Session,
  dirty: DirtyDays,
  kept: ReadonlySet<string>,
  model: IncrementalModel,
  full: boolean,
): Promise<void> {
  const { relation, select, incremental } = model;
  const { partition, uniqueKey } = incremental;
  const isKept = kept.has(relation);
  const refresh: Refresh = { ...incremental, full, keepsRows: !full || isKept };
  if ((await dirty.find(refresh)) === 0 && !isKept) return;
  const rows = { relation, partition, column: columnOf(incremental), full: String(full) };
  if (!full) await session.run('refresh/clear', rows);
  // Kept rows are put back first: a kept row stays the only one with its key.
  if (isKept) await putBack(session, model);
  await dirty.forEachBatch(refresh, () =>
    uniqueKey === undefined
      ? session.run('refresh/fill', { relation, select })
      : session.run('refresh/fill_unique', { relation, select, unique_key: uniqueKey }),
  );
  await session.run('refresh/note_days', rows);
}

// A model is one file under `sql/models`: a header and one select. Its folder and name determine the relation:
// `dimensions/campaigns` is the view `campaigns`; all other models are relations of the schema `marts`.
// -- grain: one KST day and channel.
// -- also_in: main              (a mart that people start with: a view of the same name there, which `show tables` lists)
// -- materialized: incremental   (a table; without this header, the model is a view)
// -- partition: week             (rows are replaced by week; without this header, by day)
// -- depends_on: events          (the streams whose changes make its days dirty)
// -- lookback: 27 days           (the rows of a day are computed from that many earlier days)
// -- dirties: all later days     (a changed day matters for all later days, as knowledge about a person does)
// -- unique_key: person          (a key has one row: that of its earliest day)

/** How a model that is a table is refreshed. */
interface Incremental extends Dependence {
  /** A column with unique values; the row of the earliest day is kept for each value. */
  readonly uniqueKey: string | undefined;
}

export interface Model {
  /** The name of the relation: `campaigns`, or `marts.channel_days`. */
  readonly relation: string;
  /** The select, without its semicolon. */
  readonly select: string;
  /** Undefined for a view. */
  readonly incremental: Incremental | undefined;
  /** A hash of this model, of the models that it reads, and of the schema files. */
  readonly fingerprint: string;
}

/** A model that is a table. */
interface IncrementalModel extends Model {
  readonly incremental: Incremental;
}

export function isIncremental(model: Model): model is IncrementalModel {
  return model.incremental !== undefined;
}

/** The column by which rows are replaced: `date`, or `week`, which holds Mondays. */
export function columnOf({ partition }: Incremental): 'date' | 'week' {
  return partition === 'week' ? 'week' : 'date';
}

const view = z
  .strictObject({ grain: z.string(), also_in: z.literal('main').optional() })
  .transform(({ also_in }) => ({ incremental: undefined, isInMain: also_in === 'main' }));

const table = z
  .strictObject({
    grain: z.string(),
    materialized: z.literal('incremental'),
    partition: z.enum(['day', 'week']).default('day'),
    depends_on: dependsOn,
    lookback,
    dirties,
    unique_key: z.string().optional(),
  })
  .transform(({ partition, depends_on: streams, dirties: allLater, unique_key: uniqueKey, ...header }) => ({
    isInMain: false,
    incremental: { partition, streams, lookback: header.lookback, allLater, uniqueKey },
  }));

let all: readonly Model[] | undefined;

/** Returns all models, each after the models that it reads. The files of the package are read once. */
export function models(): readonly Model[] {
  all ??= readModels();
  return all;
}

function readModels(): Model[] {
  const names = ['dimensions', 'daily', 'marts'].flatMap((folder) => statementsIn(`models/${folder}`));
  const texts = new Map(names.map((name) => [relationOf(name), statement(name)]));
  // Includes the schema: a migration may have added a column to a table that the model reads.
  const schema = statementsIn('schema').map((name) => statement(name));
  const waiting = new Map(
    [...texts].map(([relation, text]) => {
      const reads = [...texts.keys()].filter((other) => other !== relation && mentions(text, other));
      return [relation, { relation, text, reads, ...z.union([table, view]).parse(fieldsOf(text)) }];
    }),
  );
  const made = new Map<string, Model>();
  let days: string | undefined;
  for (;;) {
    const ready = [...waiting.values()].filter(({ reads }) => reads.every((other) => made.has(other)));
    // Models with the same dirty days are placed together, so that the days are listed once.
    const next =
      ready.find(({ incremental }) => incremental && dependenceKey(incremental) === days) ?? ready[0];
    if (next === undefined) return [...made.values()];
    const { relation, text, reads, incremental, isInMain } = next;
    const madeOf = [text, ...reads.map((other) => made.get(other)?.fingerprint), ...schema];
    const fingerprint = createHash('sha256').update(madeOf.join('\0')).digest('hex');
    made.set(relation, { relation, select: selectIn(text), incremental, fingerprint });
    if (isInMain) {
      const name = relation.replace('marts.', '');
      made.set(name, { relation: name, select: `from ${relation}`, incremental, fingerprint });
    }
    waiting.delete(relation);
    if (incremental !== undefined) days = dependenceKey(incremental);
  }
}

/**
 * Returns the relation of a model file: `models/dimensions/campaigns` is `campaigns`, `models/daily/daily_events` is
 * `marts.daily_events`.
 */
function relationOf(name: string): string {
  const [, folder = '', file = ''] = name.split('/');
  return folder === 'dimensions' ? file : `marts.${file}`;
}

/** True if the select reads the relation. */
export function mentions(text: string, relation: string): boolean {
  return new RegExp(`\\b(from|join) ${relation.replace('.', '\\.')}\\b(?!\\.)`).test(text);
}

export interface Refresh extends Dependence {
  /** True to compute every day that any row is about; false to compute the dirty days. */
  readonly full: boolean;
  /** True if the previous rows are kept for days whose events were removed. */
  readonly keepsRows: boolean;
}

/** The days that loads have changed (sql/incremental.sql). */
const changes = z.object({
  touched: z.array(z.object({ stream: z.string(), day: z.number() })),
  /** Days of opt-outs that a loaded snapshot reports. */
  opt_outs_told: z.array(z.number()),
  covered: z.array(z.object({ day: z.number(), records: count })),
  removed: z.array(z.number()),
  /** Archived days with records that may count on nearby days. */
  strays: z.array(z.number()),
});
export type Changes = z.infer<typeof changes>;

/** Maximum distance, in days, between the day of an export and the day on which one of its records counts. */
const STRAY_DAYS = 31;

/** The limits of one batch, about a month, so that it fits into memory. */
const MOST = { days: 31, records: 1_000_000 };

/**
 * Returns the days that changes make dirty: the changed days, the days that look back at them, and with `allLater`
 * every later day that holds events. A range of days is never enumerated: a single row of the year 9999 would make it
 * endless.
 *
 * @param stored of a full refresh every day that any row is about; with `allLater` the days that hold events
 */
export function dirtyDays(refresh: Refresh, changes: Changes, stored: readonly number[]): number[] {
  const found = refresh.full ? stored : changedBy(refresh, changes, stored);
  const spared = new Set(sparedDays(refresh, changes));
  const dirty = found.filter((day) => !spared.has(day));
  return unique(refresh.partition === 'week' ? dirty.flatMap((day) => from(mondayOf(day), 7)) : dirty);
}

function changedBy(
  { streams, lookback, allLater }: Refresh,
  changes: Changes,
  events: readonly number[],
): number[] {
  const changed = changes.touched
    .filter(({ stream }) => streams.some((one) => one === stream))
    .map(({ day }) => day);
  if (streams.includes('opt_outs')) changed.push(...changes.opt_outs_told);
  const days = unique(changed);
  const [first = Infinity] = days;
  const last = Math.max(days.at(-1) ?? -Infinity, ...changes.covered.map(({ day }) => day));
  const later = allLater && streams.includes('events') ? events.filter((day) => day > first) : [];
  // A day without events is missing from `later`, but it looks back at earlier days too.
  const lookingBack = [...days, ...later].flatMap((day) =>
    from(day + 1, lookback).filter((after) => after <= last),
  );
  return [...days, ...later, ...lookingBack];
}

/**
 * Returns the days that stay as they were computed, since their events have left the file: the removed days, the days
 * that look back at a removed day, and in a full refresh the nearby days on which records of a removed day may
 * count. Except for the removed days, a day is computed again if its own events changed.
 */
export function sparedDays(refresh: Refresh, { touched, removed, strays }: Changes): number[] {
  if (!sparesArchived(refresh)) return [];
  const { lookback, full, keepsRows } = refresh;
  const changed = new Set(touched.filter(({ stream }) => stream === 'events').map(({ day }) => day));
  const lookingBack = keepsRows ? removed.flatMap((day) => from(day + 1, lookback)) : [];
  const besides =
    keepsRows && full ? strays.flatMap((day) => from(day - STRAY_DAYS, 2 * STRAY_DAYS + 1)) : [];
  return unique([...removed, ...[...lookingBack, ...besides].filter((day) => !changed.has(day))]);
}

/** Divides the days, in order, into batches of limited days and records; the days of one partition stay together. */
export function dayBatches(
  days: readonly number[],
  partition: 'day' | 'week',
  { covered }: Changes,
): number[][] {
  const records = new Map(covered.map(({ day, records }) => [day, records]));
  const recordsOf = (some: readonly number[]): number =>
    some.reduce((sum, day) => sum + (records.get(day) ?? 0), 0);
  const partitions = new Map<number, number[]>();
  for (const day of days) {
    const key = partition === 'week' ? mondayOf(day) : day;
    partitions.set(key, [...(partitions.get(key) ?? []), day]);
  }
  const batches: number[][] = [];
  let open: number[] | undefined;
  for (const some of partitions.values()) {
    const fits =
      open !== undefined &&
      open.length + some.length <= MOST.days &&
      recordsOf(open) + recordsOf(some) <= MOST.records;
    if (open !== undefined && fits) open.push(...some);
    else batches.push((open = [...some]));
  }
  return batches;
}

/** The distinct days, sorted. */
function unique(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}

function from(day: number, howMany: number): number[] {
  return Array.from({ length: howMany }, (_, step) => day + step);
}

/** The Monday of a day's week; day 0, 1970-01-01, is a Thursday. */
function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

// Models and checks are refreshed for the dirty days: the days that loads changed, and the days that look back at them.
// The cost of a run therefore depends on its days, not on the age of the warehouse.

const dayHeld = z.object({ day: z.number() });

/**
 * The dirty days of one refresh, in the temporary table `dirty_days`, and its batches. The temporary tables are reused
 * by following refreshes of the same days, since each statement costs some milliseconds for however few days.
 */
export class DirtyDays {
  #events: number[] | undefined;
  #every: number[] | undefined;
  #days: readonly number[] = [];
  /** The days that each temporary table holds, as a key. */
  readonly #made = new Map<string, string>();

  private constructor(
    readonly session: Session,
    readonly changes: Changes,
  ) {}

  /** Creates empty temporary relations: statements are bound to them before the first batch exists. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/no_batch');
    await session.run('incremental/for_checks', { tables: MESSAGE_ROWS });
    return new DirtyDays(session, await session.row('incremental/changes', changes));
  }

  /** Fills `dirty_days` and `spared_days` with the days of the refresh; returns the number of dirty days. */
  async find(refresh: Refresh): Promise<number> {
    const { removed, touched } = this.changes;
    const isTouched = touched.some(({ stream }) => refresh.streams.some((one) => one === stream));
    if (!refresh.full && !isTouched) return 0;
    this.#days = dirtyDays(refresh, this.changes, await this.#stored(refresh));
    await this.#make('dirty_days', this.#days);
    if (removed.length > 0) await this.#make('spared_days', sparedDays(refresh, this.changes));
    return this.#days.length;
  }

  /** Runs the work for each batch of the days that `find` found, with `batch_days` and `lookback_days` filled. */
  async forEachBatch({ partition, lookback }: Refresh, work: () => Promise<void>): Promise<void> {
    for (const batch of dayBatches(this.#days, partition, this.changes)) {
      await this.#make('batch_days', batch, lookback);
      await work();
    }
  }

  /** The days that `dirtyDays` needs besides the changes; they are many, so they are asked for only then. */
  async #stored({ full, allLater, streams }: Refresh): Promise<readonly number[]> {
    if (full) return (this.#every ??= await this.#ask('every_day'));
    return allLater && streams.includes('events') ? (this.#events ??= await this.#eventDays()) : [];
  }

  async #eventDays(): Promise<number[]> {
    const { touched, opt_outs_told } = this.changes;
    const first_dirty_day = Math.min(...touched.map(({ day }) => day), ...opt_outs_told);
    return this.#ask('event_days', { first_dirty_day });
  }

  async #ask(name: string, given = {}): Promise<number[]> {
    return (await this.session.rowsWith(`incremental/${name}`, dayHeld, given)).map(({ day }) => day);
  }

  /** @param lookback given for a batch only: the number of days that its days look back */
  async #make(relation: string, days: readonly number[], lookback?: number): Promise<void> {
    const key = [lookback, ...days].join(' ');
    if (this.#made.get(relation) === key) return;
    await this.session.runWith('incremental/days', { days: days.map(String) }, { relation });
    if (lookback !== undefined) await this.session.run('incremental/batch', { lookback: String(lookback) });
    this.#made.set(relation, key);
  }
}

// Rows that a full refresh cannot compute again: rows of days whose events have left the file (`ops.removed_days`).
// They are set aside before the model is made again, and put back afterwards.

const keepable = z.object({ relation: z.string(), column: z.string() });

/**
 * Sets aside the tables of models with rows of removed days, if rows are still replaced by the same unit of time. Returns
 * their relations. Call before they are dropped.
 */
async function keepAside(session: Session, changed: readonly Model[]): Promise<ReadonlySet<string>> {
  const aside = new Set<string>();
  if (changed.length === 0) return aside;
  const tables = await session.rows('refresh/keepable', keepable);
  for (const model of changed.filter(isIncremental)) {
    const column = columnOf(model.incremental);
    const isThere = tables.some((table) => table.relation === model.relation && table.column === column);
    if (!isThere || !sparesArchived(model.incremental)) continue;
    await session.run('refresh/set_aside', namesOf(model));
    aside.add(model.relation);
  }
  return aside;
}

/** Puts back the rows that cannot be computed again, with the columns that both versions of the model have. */
async function putBack(session: Session, model: IncrementalModel): Promise<void> {
  const names = namesOf(model);
  const shape = z.object({ columns: z.string() });
  const { columns } = await session.row('refresh/kept_columns', shape, names);
  await session.run('refresh/put_back', { ...names, columns });
}

function namesOf({ relation, incremental }: IncrementalModel): Record<string, string> {
  const [schema = '', table = ''] = relation.split('.');
  const { partition } = incremental;
  return { relation, schema, aside: `${table}_before`, partition, column: columnOf(incremental) };
}

/** The modelling stage: views are made again when their definition changed, tables are brought forward by dirty days. */
import { z } from 'zod';
import { DawnloadError, messageOf } from '../errors.js';
import { fieldsOf, selectIn } from './sql-header.js';
import { MESSAGE_ROWS } from './messages.js';
import { type Session, statement, statementsIn, count } from './session.js';
import { createHash } from 'node:crypto';
import { STREAMS, type Stream } from '../storage/pull.js';

export interface Dependence {
  /** The streams whose changes make days dirty. */
  readonly streams: readonly Stream[];
  /** How many days a day looks back at, and so how many days later a changed day still matters. */
  readonly lookback: number;
  /** A changed day matters on every later day that holds events, however few of them it looks back at. */
  readonly allLater: boolean;
  /** Rows are replaced by the day, or by the week. */
  readonly partition: 'day' | 'week';
}

/** `events, statistics`. */
export const dependsOn = z
  .string()
  .transform((list) => list.split(', '))
  .pipe(z.array(z.enum(STREAMS)).min(1));

/** `27 days`. */
export const lookback = z
  .string()
  .regex(/^\d+ days$/)
  .transform((text) => Number.parseInt(text, 10))
  .default(0);

/** `all later days`, or no such header. */
const dirties = z
  .literal('all later days')
  .optional()
  .transform((text) => text !== undefined);

/**
 * Whether days whose events are archived are left as they are: where something is computed of events. What looks at all
 * streams takes each as it is.
 */
function sparesArchived({ streams }: Dependence): boolean {
  return streams.includes('events') && streams.length < STREAMS.length;
}

/** A key that is the same for whatever depends on the same days in the same way. */
export function keyOf({ streams, lookback, allLater, partition }: Dependence): string {
  return JSON.stringify([streams, lookback, allLater, partition]);
}

const knownModel = z.object({
  relation: z.string(),
  kind: z.enum(['view', 'table', 'seed']),
  fingerprint: z.string(),
});

/** Brings all models to what the tables hold now. Inside a transaction. */
export async function refreshModels(session: Session): Promise<void> {
  const noted = await session.rows('refresh/known', knownModel);
  const known = new Map(noted.filter(({ kind }) => kind !== 'seed').map((model) => [model.relation, model]));
  const wanted = models();
  const changed = wanted.filter(
    ({ relation, fingerprint }) => known.get(relation)?.fingerprint !== fingerprint,
  );
  const gone = [...known.keys()].filter((name) => !wanted.some(({ relation }) => relation === name));
  const kept = await KeptRows.setAside(session, changed);
  // Relations that read others are dropped first.
  for (const relation of [...gone, ...changed.map((model) => model.relation).reverse()]) {
    const kind = known.get(relation)?.kind;
    if (kind !== undefined) await session.run('refresh/drop', { relation, kind });
  }
  await note(session, gone, changed);
  const dirty = await DirtyDays.open(session);
  for (const model of wanted) {
    try {
      const full = changed.includes(model);
      if (full)
        await session.run(`refresh/${kindOf(model)}`, { relation: model.relation, select: model.select });
      if (isIncremental(model)) await bringForward(session, { dirty, kept }, model, full);
    } catch (cause) {
      if (cause instanceof DawnloadError) throw cause;
      // The cause is first in the message: a full disk is recognised by it.
      throw new Error(`${messageOf(cause)} (in the model ${model.relation})`, { cause });
    }
  }
}

async function note(session: Session, gone: readonly string[], changed: readonly Model[]): Promise<void> {
  if (gone.length + changed.length === 0) return;
  const relations = changed.map(({ relation }) => relation);
  await session.set({
    given: {
      former_relations: [...gone, ...relations],
      relations,
      kinds: changed.map(kindOf),
      fingerprints: changed.map(({ fingerprint }) => fingerprint),
    },
  });
  await session.run('refresh/note');
}

function kindOf(model: Model): 'view' | 'table' {
  return isIncremental(model) ? 'table' : 'view';
}

async function bringForward(
  session: Session,
  { dirty, kept }: { dirty: DirtyDays; kept: KeptRows },
  model: IncrementalModel,
  full: boolean,
): Promise<void> {
  const { relation, select, incremental } = model;
  const { partition, uniqueKey } = incremental;
  const keepsRows = !full || kept.has(model);
  const refresh: Refresh = { ...incremental, full, keepsRows };
  if ((await dirty.find(refresh)) === 0 && !kept.has(model)) return;
  const rows = { relation, partition, column: columnOf(incremental), full: String(full) };
  if (!full) await session.run('refresh/clear', rows);
  // First, since a row that stays is the only one with its key.
  await kept.putBack(model);
  await dirty.forEachBatch(refresh, () =>
    uniqueKey === undefined
      ? session.run('refresh/fill', { relation, select })
      : session.run('refresh/fill_unique', { relation, select, unique_key: uniqueKey }),
  );
  await session.run('refresh/note_days', rows);
}

// A model: one file under `sql/models`, a header and one select. Its folder and name say what it becomes:
// `dimensions/campaigns` is the view `campaigns`, all others are relations of the schema `marts`.
// -- grain: one KST day and channel.
// -- materialized: incremental   (a table; without it the model is a view)
// -- partition: week             (rows are replaced by the week; by the day without it)
// -- depends_on: events          (the streams whose changes make its days dirty)
// -- lookback: 27 days           (a day looks back that far)
// -- dirties: all later days     (a change of a day matters on all later ones, as what is known of a person does)
// -- unique_key: person          (a row of an earlier day with that key stays the only one)

/** How a model that is a table is brought forward. */
interface Incremental extends Dependence {
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
  /** A hash of this model, of the models that it reads, and of the schema. */
  readonly fingerprint: string;
}

/** A model that is a table. */
interface IncrementalModel extends Model {
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

export interface Refresh extends Dependence {
  /** Every day that any row is about, not the dirty ones alone. */
  readonly full: boolean;
  /** Whether the rows of before are there, to stay on days whose events are archived. */
  readonly keepsRows: boolean;
}

/** The days that loads have changed (sql/incremental.sql). */
export interface Changes {
  readonly touched: readonly { readonly stream: string; readonly day: number }[];
  /** The days of opt-outs that a loaded snapshot tells of. */
  readonly opt_outs_told: readonly number[];
  readonly covered: readonly { readonly day: number; readonly records: number }[];
  readonly archived: readonly number[];
  /** Archived days whose records may count on days near them. */
  readonly strays: readonly number[];
}

/** Lists that are long or slow to make, where a refresh needs them. */
interface DaysHeld {
  /** The days that hold events, from the first changed one. */
  readonly events: readonly number[];
  /** Every day that any row is about. */
  readonly every: readonly number[];
}

/** How far from the day of its export a record may count. */
const STRAY_DAYS = 31;

/** The limits of one batch, so that it fits into memory: about a month. */
const MOST = { days: 31, records: 1_000_000 };

/**
 * The days that changes make dirty: those that changed, those that look back at them, and with `allLater` every later one
 * that holds events. No range of days is walked from its first to its last: a single row of the year 9999 would make it
 * endless.
 */
export function dirtyDays(refresh: Refresh, changes: Changes, held: DaysHeld): number[] {
  const found = refresh.full ? held.every : changedBy(refresh, changes, held.events);
  const spared = new Set(sparedDays(refresh, changes));
  const dirty = found.filter((day) => !spared.has(day));
  return unique(refresh.partition === 'week' ? dirty.flatMap(weekOf) : dirty);
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
  // A day without events is not among the later ones, and looks back at them all the same.
  const lookingBack = [...days, ...later].flatMap((day) =>
    from(day + 1, lookback).filter((after) => after <= last),
  );
  return [...days, ...later, ...lookingBack];
}

/**
 * The days that stay as they were computed: the events are not there to compute them again. So do days that look back at
 * such a day, and in a full refresh days on which its records may have counted too: unless their own events changed.
 */
export function sparedDays(refresh: Refresh, { touched, archived, strays }: Changes): number[] {
  if (!sparesArchived(refresh)) return [];
  const { lookback, full, keepsRows } = refresh;
  const changed = new Set(touched.filter(({ stream }) => stream === 'events').map(({ day }) => day));
  const lookingBack = keepsRows ? archived.flatMap((day) => from(day + 1, lookback)) : [];
  const besides =
    keepsRows && full ? strays.flatMap((day) => from(day - STRAY_DAYS, 2 * STRAY_DAYS + 1)) : [];
  return unique([...archived, ...[...lookingBack, ...besides].filter((day) => !changed.has(day))]);
}

/** The days in batches of so many days or records, in their order; days of one partition stay together. */
export function batchesOf(
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

/** In order, each once. */
function unique(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}

function from(day: number, howMany: number): number[] {
  return Array.from({ length: howMany }, (_, step) => day + step);
}

function weekOf(day: number): number[] {
  return from(mondayOf(day), 7);
}

/** The Monday of a day's week; 1970 began on a Thursday. */
function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

// Models and checks are brought forward by the dirty days: those that loads changed, and those that look back at them. So a
// run costs what its days cost, however old the warehouse is.

const changes: z.ZodType<Changes> = z.object({
  touched: z.array(z.object({ stream: z.string(), day: z.number() })),
  opt_outs_told: z.array(z.number()),
  covered: z.array(z.object({ day: z.number(), records: count })),
  archived: z.array(z.number()),
  strays: z.array(z.number()),
});

const dayHeld = z.object({ day: z.number() });

/**
 * The dirty days of one refresh, in the temporary table `dirty_days`, and its batches. What the temporary tables hold is kept for
 * refreshes of the same days that follow: each statement costs some milliseconds, for however few days.
 */
export class DirtyDays {
  readonly #session: Session;
  readonly #changes: Changes;
  #events: number[] | undefined;
  #every: number[] | undefined;
  #days: readonly number[] = [];
  /** The days in the temporary tables. */
  readonly #made = new Map<string, string>();

  private constructor(session: Session, held: Changes) {
    this.#session = session;
    this.#changes = held;
  }

  /** Makes the temporary relations that statements are bound to before there is a batch. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/message_rows', { tables: MESSAGE_ROWS });
    await session.run('incremental/no_batch');
    return new DirtyDays(session, await session.row('incremental/changes', changes));
  }

  /** Returns how many dirty days there are; `dirty_days` and `spared_days` hold the days of the refresh. */
  async find(refresh: Refresh): Promise<number> {
    const { archived, touched } = this.#changes;
    const isTouched = touched.some(({ stream }) => refresh.streams.some((one) => one === stream));
    if (!refresh.full && !isTouched) return 0;
    this.#days = dirtyDays(refresh, this.#changes, await this.#held(refresh));
    await this.#make('dirty_days', this.#days);
    if (archived.length > 0) await this.#make('spared_days', sparedDays(refresh, this.#changes));
    return this.#days.length;
  }

  /** Does the work for each batch of the days that were found, with `batch_days` and `lookback_days` filled. */
  async forEachBatch({ partition, lookback }: Refresh, work: () => Promise<void>): Promise<void> {
    for (const batch of batchesOf(this.#days, partition, this.#changes)) {
      await this.#make('batch_days', batch, lookback);
      await work();
    }
  }

  async #held({ full, allLater, streams }: Refresh): Promise<DaysHeld> {
    if (full) this.#every ??= await this.#ask('every_day');
    else if (allLater && streams.includes('events')) this.#events ??= await this.#eventDays();
    return { events: this.#events ?? [], every: this.#every ?? [] };
  }

  async #eventDays(): Promise<number[]> {
    const { touched, opt_outs_told } = this.#changes;
    const first_dirty_day = Math.min(...touched.map(({ day }) => day), ...opt_outs_told);
    return this.#ask('event_days', { first_dirty_day });
  }

  async #ask(name: string, given = {}): Promise<number[]> {
    return (await this.#session.rowsWith(`incremental/${name}`, dayHeld, given)).map(({ day }) => day);
  }

  /** @param lookback of a batch: how far its days look back */
  async #make(relation: string, days: readonly number[], lookback?: number): Promise<void> {
    const key = [lookback, ...days].join(' ');
    if (this.#made.get(relation) === key) return;
    await this.#session.runWith('incremental/days', { days: days.map(String) }, { relation });
    if (lookback !== undefined) await this.#session.run('incremental/batch', { lookback: String(lookback) });
    this.#made.set(relation, key);
  }
}

// Rows that a full refresh cannot compute again: those of days whose events left the file (ops.archived_days). They are set
// aside before the model is made again, and put back into it.

const keepable = z.object({ relation: z.string(), column: z.string() });

class KeptRows {
  readonly #session: Session;
  readonly #aside = new Set<string>();

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Sets the tables of models aside that hold rows of days that are archived, by the same unit of time. Before they are dropped. */
  static async setAside(session: Session, changed: readonly Model[]): Promise<KeptRows> {
    const kept = new KeptRows(session);
    if (changed.length === 0) return kept;
    const tables = await session.rows('refresh/keepable', keepable);
    for (const model of changed.filter(isIncremental)) {
      const column = columnOf(model.incremental);
      const isThere = tables.some((table) => table.relation === model.relation && table.column === column);
      if (!isThere || !sparesArchived(model.incremental)) continue;
      await session.run('refresh/set_aside', namesOf(model));
      kept.#aside.add(model.relation);
    }
    return kept;
  }

  has({ relation }: Model): boolean {
    return this.#aside.has(relation);
  }

  /** Puts the rows back that are not to be computed again, as far as both versions have the same columns. */
  async putBack(model: IncrementalModel): Promise<void> {
    if (!this.#aside.delete(model.relation)) return;
    const names = namesOf(model);
    const { columns } = await this.#session.row(
      'refresh/kept_columns',
      z.object({ columns: z.string() }),
      names,
    );
    await this.#session.run('refresh/put_back', { ...names, columns });
  }
}

function namesOf({ relation, incremental }: IncrementalModel): Record<string, string> {
  const [schema = '', table = ''] = relation.split('.');
  const { partition } = incremental;
  return { relation, schema, aside: `${table}_before`, partition, column: columnOf(incremental) };
}

/** The private working file of the warehouse: opens, migrates, queries and closes it. */
import { escaped, openInstance } from '../disk/duckdb.js';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { PastRun } from '../journal/journal.js';
import type { Day, DayRange } from '../ground/calendar.js';
import { CorruptDatabaseError, DawnloadError, StorageError } from '../ground/errors.js';
import { PATTERNS } from '../documents/functions.js';
import { wellFormedJson } from '../ground/text.js';
import { keepMacros, migrate, openSession, writing, type WarehouseOptions } from './opening.js';
import { limitsOf, withMemoryLimit } from './memory-limit.js';
import { headShape, type Head, type Page } from '../landing/landing-zone.js';
import { specificationOf } from '../ground/fields.js';
import { countRows, Loader, type CountedRows, type LoadParts } from './load.js';
import { orRepaired, whole } from './pages.js';
import { keepToPrivacy, ruledKeys, rulesOf } from './privacy.js';
import { coveredDay, messagesIn, type MessageTotals } from './reader.js';
import { count, Session } from './session.js';
import type { StreamName } from '../ground/streams.js';

const loadedDay = z.object({ day: z.string(), pull: z.string(), loadedAt: z.date() });
export type LoadedDay = z.infer<typeof loadedDay>;

/** A day for which the new file has fewer rows than the published one, in a stream or in a model's table. */
const loss = z.object({
  stream: z.string(),
  /** The model's table; null for the rows of a stream. */
  table: z.string().nullable(),
  date: z.string(),
  before: count,
  after: count.nullable(),
  is_newer: z.boolean(),
});
export type Loss = z.infer<typeof loss>;

const removedDay = z.object({ day: z.string(), rows: count });
type RemovedDay = z.infer<typeof removedDay>;

/**
 * Everything that `Warehouse.note` writes into tables of `ops`, in this order. Each row is a separate JSON text, because one text with all
 * rows needs ten times the memory. Rows replace the table, with two exceptions: earlier runs stay, and removals (`retention`) are added.
 */
const NOTES = {
  exports: (session: Session, exports: string[]) => session.run('ops/exports', { exports }),
  budget: (session: Session, [budget = '']: string[]) => session.run('ops/budget', { budget }),
  prices: (session: Session, prices: string[]) => session.run('ops/message_prices', { prices }),
  pushes: (session: Session, pushes: string[]) => session.run('push/pushes', { pushes }),
  days: (session: Session, days: string[]) => session.run('ops/days', { days }),
  erasures: (session: Session, erasures: string[]) => session.run('erasure/note', { erasures }),
  runs: (session: Session, runs: string[]) => session.run('ops/runs', { runs }),
  retention: (session: Session, [retention = '']: string[]) => session.run('retention/note', { retention }),
  /** The journal's head, stored in the file. */
  head: (session: Session, [head = '']: string[]) => session.run('ops/note_journal', { head }),
} as const;

const finishedRun = z.object({ run_id: z.string(), exit_code: z.number().nullable() });

const lackShape = z.object({
  repeated: count,
  without_id: count,
  erased: count,
  missing: count,
  counted: count,
  senders: count,
  empty: count,
  is_provable: z.boolean(),
  records: count,
  uncounted: count,
});
export type Lack = z.infer<typeof lackShape>;

const dated = z.object({ date: z.string() });
const datesOf = (rows: readonly z.infer<typeof dated>[]): Day[] => rows.map(({ date }) => date);

export class Warehouse {
  readonly loader: Loader;
  #closed = false;
  /** True if the closed file is much larger than its data, so that it should be rewritten. */
  isLoose = false;

  private constructor(
    readonly session: Session,
    readonly options: WarehouseOptions,
  ) {
    this.loader = new Loader(loadingOf(session, options), options.streams ?? []);
  }

  /**
   * Opens the working file, creates it if it does not exist, and migrates its schema.
   *
   * @throws ConfigError when it was written under another privacy setting
   * @throws CorruptDatabaseError when it is not a database, or damaged
   * @throws StorageError when its folder cannot be written; TryLaterError when another program has it open
   */
  static async open(options: WarehouseOptions): Promise<Warehouse> {
    const { path, effects, signal, timed = (_, work) => work() } = options;
    let session: Session | undefined;
    const open = async (): Promise<Warehouse> => {
      session = await openSession(options);
      await session.run('session/1_settings');
      const opened = session;
      await timed('migrate', async () => {
        await migrate(opened, effects);
        await keepMacros(opened);
      });
      await keepToPrivacy(session, options.privacy);
      await prepare(session, options);
      return new Warehouse(session, options);
    };
    try {
      return await writing(path, open, signal);
    } catch (error) {
      session?.close();
      if (error instanceof DawnloadError) throw error;
      signal?.throwIfAborted();
      throw new CorruptDatabaseError(`${path} is damaged, or is not a warehouse.`, error);
    }
  }

  /** Opens a connection for finding persons: its macros hash ids whatever the privacy settings are. */
  async searching(): Promise<Session> {
    const session = await this.session.sibling();
    await prepareSearch(session, this.options);
    return session;
  }

  async note(notes: Readonly<Partial<Record<keyof typeof NOTES, unknown>>>): Promise<void> {
    const values = new Map<string, unknown>(Object.entries(notes));
    await this.#writing(() =>
      this.session.transaction(async () => {
        for (const [name, write] of Object.entries(NOTES)) {
          const value = values.get(name);
          if (value !== undefined)
            await write(this.session, (Array.isArray(value) ? value : [value]).map(wellFormedJson));
        }
      }),
    );
    if (notes.exports !== undefined) this.options.effects.reach('exports/after-replace');
  }

  /** Returns the runs that the file lacks, or whose end it lacks. */
  async lacking(runs: readonly PastRun[]): Promise<PastRun[]> {
    const finished = await this.session.rows('ops/finished_runs', finishedRun);
    const codes = new Map(finished.map(({ run_id, exit_code }) => [run_id, exit_code]));
    return runs.filter(({ begun, over }) => codes.get(begun.runId) !== (over?.exitCode ?? null));
  }

  /** The journal line of the last erasure that the file lists; undefined if it lists none. */
  async knownErasure(): Promise<number | undefined> {
    const [last] = await this.session.rows('erasure/remembered', z.object({ line: z.number() }));
    return last?.line;
  }

  async removedDays(): Promise<Day[]> {
    return datesOf(await this.session.rows('status/removed', dated));
  }

  /** The days of a stream that were loaded from pulls after the instant. */
  async coveredSince(stream: StreamName, instant: Date): Promise<Day[]> {
    return datesOf(await this.session.rows('ops/covered_since', dated, { stream, instant }));
  }

  /** Days whose last answer was held back. */
  async heldBack(stream: StreamName): Promise<Day[]> {
    return datesOf(await this.session.rows('ops/held_back_days', dated, { stream }));
  }

  async coverage(stream: StreamName): Promise<Map<Day, number>> {
    const days = await this.session.rows('status/coverage', coveredDay);
    return new Map(days.flatMap((day) => (day.stream === stream ? [[day.date, day.rows]] : [])));
  }

  messages(): Promise<Map<Day, MessageTotals>> {
    return messagesIn((name, shape) => this.session.rows(name, shape));
  }

  async campaignsSeen({ start, end }: DayRange): Promise<string[]> {
    const shape = z.object({ campaign_id: z.string() });
    const rows = await this.session.rows('ops/campaigns_seen', shape, { start, end });
    return rows.map(({ campaign_id }) => campaign_id);
  }

  async snapshotRows(stream: StreamName): Promise<Map<string, number>> {
    const shape = z.object({ list: z.string(), rows: count });
    const lists = await this.session.rows('ops/snapshot_rows', shape, { stream });
    return new Map(lists.map(({ list, rows }) => [list, rows]));
  }

  /**
   * The number of records that a day's loaded export may lack, by its pages and the daily statistics (`lack` in sql/ops.sql).
   */
  lackOf(day: Day): Promise<Lack> {
    return this.session.row('ops/lack', lackShape, { day });
  }

  /**
   * Counts the rows of a list's pages, and the duplicates among them.
   *
   * @param id the JSON pointer to a row's id; '' if the whole row identifies it
   * @throws DamageError when a file cannot be read
   */
  countRows(files: readonly Page[], id: string): Promise<CountedRows> {
    const subject = { name: files[0]?.file ?? '' };
    return this.refining(() =>
      orRepaired(this.session, files.map(whole), this.options.tempDirectory, subject, (usable) =>
        countRows(this.session, usable, id),
      ),
    );
  }

  /** Days before `before` on which opt-outs ended, with their number. */
  closedOptOuts(before: Day): Promise<RemovedDay[]> {
    return this.session.rows('retention/closed_opt_outs', removedDay, { before });
  }

  async removeClosedOptOuts(before: Day): Promise<RemovedDay[]> {
    const ended = await this.closedOptOuts(before);
    await this.#writing(() => this.session.run('retention/remove_opt_outs', { before }));
    return ended;
  }

  /** The days before `before` whose events may be removed, oldest first. Empty while models still need events. */
  async removable(before: Day): Promise<LoadedDay[]> {
    await this.session.run('retention/removable');
    return this.session.rows('retention/due', loadedDay, { before });
  }

  /**
   * Removes the events and messages of the days. Results computed from them stay (models.ts). Resolves with the removed days and their
   * numbers of events.
   */
  async removeDays(days: readonly Day[], now: Date): Promise<RemovedDay[]> {
    // Without days, stop here, because finding texts without a message would read all messages.
    if (days.length === 0) return [];
    return this.#writing(() =>
      this.session.transaction(async () => {
        await this.session.run('retention/removable');
        await this.session.run('retention/leaving', { days, removed_at: now });
        const tables = await this.session.rows('retention/tables', z.object({ table: z.string() }));
        await this.session.runForEach('retention/clear', tables);
        await this.session.run('streams/events/load/1_clear/contents');
        return this.session.rows('retention/left', removedDay);
      }),
    );
  }

  /**
   * Copies results for days without pages from another file of this data folder, in one transaction. Call before `model`. Resolves with the
   * days that the file had.
   */
  async takeDays(from: string, days: readonly Day[]): Promise<Day[]> {
    const table = z.object({ schema: z.string(), table: z.string(), column: z.string() });
    return this.#besideFile(from, () =>
      this.session.transaction(async () => {
        const tables = await this.session.rows('retention/take_days', table, { days });
        await this.session.runForEach('retention/take_model', tables);
        return datesOf(await this.session.rows('retention/taken', dated));
      }),
    );
  }

  /**
   * Lists what this file lacks but the published one has: days of streams, and rows of models.
   *
   * @param gone the days for which models cannot be computed again
   */
  losses(published: string, gone: readonly Day[]): Promise<Loss[]> {
    return this.#besideFile(published, async () => {
      const days = await this.session.rows('losses/days', loss);
      if (gone.length === 0) return days;
      const tables = await this.session.rows('losses/computed_tables', z.object({ table: z.string() }));
      for (const { table } of tables)
        for (const row of await this.session.rows('losses/computed', loss, { days: gone, table }))
          days.push(row);
      return days;
    });
  }

  headOf(file: string): Promise<Head[]> {
    return this.#besideFile(file, () => this.session.rows('losses/head', headShape));
  }

  /** Does work with another database file attached read-only as `old`. */
  async #besideFile<T>(file: string, work: () => Promise<T>): Promise<T> {
    await this.session.run('retention/attach', { old: escaped(file) });
    try {
      return await work();
    } finally {
      await this.session.run('retention/detach');
    }
  }

  /**
   * Writes the log into the file and closes it, so that no log remains. A second call does nothing.
   *
   * @throws StorageError when the checkpoint fails; the next opening tries again
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { path, effects, signal } = this.options;
    try {
      effects.reach('close/before-checkpoint');
      await this.session.quiet();
      await this.#writing(() => this.session.checkpoint());
      if (signal?.aborted !== true) {
        const { is_loose } = await this.session.row('publish/is_loose', z.object({ is_loose: z.boolean() }));
        this.isLoose = is_loose;
      }
      effects.reach('close/after-checkpoint');
    } finally {
      this.session.close();
    }
    if (existsSync(`${path}.wal`)) {
      throw new StorageError(`${path} could not be closed: its log is still there.`, {
        hint: 'Run again. Nothing is lost.',
      });
    }
    effects.reach('close/done');
  }

  /** Does work within the memory limits, which may be raised: the first year needs more than a night. */
  refining<T>(work: () => Promise<T>): Promise<T> {
    return this.#writing(() => withMemoryLimit(this.session, limitsOf(this.options), work));
  }

  #writing<T>(work: () => Promise<T>): Promise<T> {
    return writing(this.options.path, work, this.options.signal);
  }
}

function loadingOf(session: Session, options: WarehouseOptions): LoadParts {
  const { effects, tempDirectory, brand, fields, privacy } = options;
  const hasColumnRules = (privacy.columns ?? []).length > 0;
  const open = async (): Promise<Session> => {
    const sibling = await session.sibling();
    await prepare(sibling, options);
    return sibling;
  };
  const opened: Promise<Session>[] = [];
  const beside = (worker: number): Promise<Session> => (opened[worker] ??= open());
  return {
    session,
    beside,
    limits: limitsOf(options),
    effects,
    brand,
    fields,
    privacy,
    hasColumnRules,
    tempDirectory,
  };
}

type Words = Pick<WarehouseOptions, 'brand' | 'messenger' | 'fields'>;

/** Opens a connection to an empty database whose macros hash with the key, for comparing ids with erased ones. */
export async function hashingSession(
  words: Words,
  key: Uint8Array,
  tempDirectory?: string,
): Promise<Session> {
  const settings = tempDirectory === undefined ? {} : { temp_directory: tempDirectory };
  const session = await Session.open(await openInstance(':memory:', settings));
  await session.run('session/1_settings');
  await keepMacros(session);
  await prepare(session, { ...words, privacy: { recipients: 'hash', key } });
  await session.run('erasure/id_digest');
  return session;
}

/** Sets up a database's macros to hash persons whatever the privacy settings are. */
export async function prepareSearch(
  session: Session,
  options: Words & Pick<WarehouseOptions, 'privacy'>,
): Promise<void> {
  await prepare(session, { ...options, privacy: { ...options.privacy, recipients: 'hash' } });
  await session.run('erasure/id_digest');
  await session.run('erasure/open');
}

async function prepare(
  session: Session,
  { brand, messenger, fields, privacy }: Words & Pick<WarehouseOptions, 'privacy'>,
): Promise<void> {
  const rules = rulesOf(privacy, brand);
  session.register({ fields, key: privacy.key, rules });
  await session.set({
    settings: {
      brand,
      messenger: messenger.replaceAll('_', '-'),
      recipients: privacy.recipients,
      ...ruledKeys(rules),
    },
    specification: JSON.stringify(specificationOf(fields)),
    // DuckDB treats a variable in a statement as a constant.
    patterns: PATTERNS,
  });
  await session.run('session/2_fields');
}

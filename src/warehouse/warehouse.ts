/** The private working file of the warehouse: opened, migrated, loaded, modelled, checked, closed. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Day, DayRange } from '../calendar.js';
import type { ExperimentSettings } from '../config/schema.js';
import type { Effects } from '../effects.js';
import { CorruptDatabaseError, DawnloadError, StorageError } from '../errors.js';
import { wellFormedJson } from '../text.js';
import { archivable, archive, type ArchivedDay, type HeldDay } from './archive.js';
import {
  cannotWrite,
  isStorage,
  openUpgraded,
  ordinaryLimit,
  withMemoryLimit,
  type MemoryLimit,
} from './opening.js';
import { runChecks, type FindingGroup } from './checks.js';
import { countRows, type CountedRows } from './landed-files.js';
import { describeAll } from './describe.js';
import { chooseMainGoals, noteExperiments, noteMainGoals, plantSeeds } from './experiments.js';
import { fieldsFor, specificationOf } from './fields.js';
import { Loader, type LoadContext } from './load.js';
import { refreshModels } from './model.js';
import type { ReferenceStream, Stream } from '../storage/pull.js';
import { padsOf, keepToPrivacy, type Privacy } from './privacy.js';
import { emptyDay, messageTotals } from './rows.js';
import type {
  BudgetRow,
  Covered,
  ErasureRow,
  ExportRow,
  RetentionRow,
  MessageTotals,
  RunEnd,
  RunStart,
} from './rows.js';
import { count, type Session } from './session.js';
import { Staging } from './load-events.js';
import { UnknownFields } from './unknown-fields.js';

/** The crash points of the working file, in the order in which a run passes them. */
export const WAREHOUSE_POINTS = [
  'load/before-commit',
  'load/after-commit',
  'exports/after-replace',
  'model/done',
  'check/before-commit',
  'check/done',
  'close/before-checkpoint',
  'close/after-checkpoint',
  'close/done',
] as const;

export interface WarehouseOptions {
  /** The private working file; readers use the published one. */
  readonly path: string;
  /** Where DuckDB may spill what does not fit into memory. */
  readonly tempDirectory: string;
  /** The word before `_user_id` and `_device_id` in export records, and the name of the web-push object. */
  readonly brand: string;
  /** The messenger's word in channels, replaced by `chatapp`. */
  readonly messenger: string;
  readonly privacy: Privacy;
  /** How A/B tests are judged, by campaign id. */
  readonly experiments?: Readonly<Record<string, ExperimentSettings>>;
  /** The conversions that count, by the id of their campaign or user journey. */
  readonly mainGoals?: Readonly<Record<string, string>>;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** What DuckDB may use for ordinary loads; see src/warehouse/opening.ts. */
  readonly memoryLimitMb?: number;
  readonly threads?: number;
  /** When it aborts, everything except closing ends with its reason; the current transaction is rolled back. */
  readonly signal?: AbortSignal;
}

const coveredDay = z.object({ date: z.string(), rows: count, loaded_at: z.date() });

export class Warehouse {
  /** How pulls come in. */
  readonly loader: Loader;
  readonly #session: Session;
  readonly #options: WarehouseOptions;
  #closed = false;

  private constructor(session: Session, options: WarehouseOptions) {
    this.#session = session;
    this.#options = options;
    this.loader = new Loader(loadingOf(session, options));
  }

  /**
   * Opens the working file, creates it where there is none, and brings its schema forward; of one with an older schema a
   * copy stays beside it.
   *
   * @throws ConfigError when a newer version of this program made it, or another setting of privacy
   * @throws CorruptDatabaseError when it is not a database, or a damaged one
   * @throws StorageError when its folder cannot be written; TryLaterError when another program has it open
   */
  static async open(options: WarehouseOptions): Promise<Warehouse> {
    const { path, tempDirectory, effects, signal } = options;
    let session: Session | undefined;
    try {
      session = await openUpgraded({ path, tempDirectory, limits: limitsOf(options), signal }, effects);
      await keepToPrivacy(session, options.privacy);
      await prepare(session, options);
      return new Warehouse(session, options);
    } catch (error) {
      session?.close();
      if (error instanceof DawnloadError) throw error;
      options.signal?.throwIfAborted();
      if (isStorage(error)) throw cannotWrite(path, error);
      throw new CorruptDatabaseError(`${path} is damaged, or is not a warehouse.`, error);
    }
  }

  /** Another connection, whose macros hash under every setting of privacy: for the search for a person. */
  async searching(): Promise<Session> {
    const session = await this.#session.sibling();
    await session.run('session/1_settings');
    await prepare(session, { ...this.#options, privacy: { ...this.#options.privacy, recipients: 'hash' } });
    await session.run('erasure/open');
    return session;
  }

  /** The last line of the register of erasures that the file knows; undefined of none. */
  async knownErasure(): Promise<number | undefined> {
    const [last] = await this.#session.rows('erasure/remembered', z.object({ line: z.number() }));
    return last?.line;
  }

  /** Replaces `ops.erasures` by what the register says. */
  async replaceErasures(rows: readonly ErasureRow[]): Promise<void> {
    await this.#writing(() =>
      this.#session.transaction(async () => {
        await this.#session.run('erasure/forget_erasures');
        for (const { line, sum, erasedAt, persons, records, rows: held, lateRecords } of rows)
          await this.#session.runWith('erasure/note_erasure', {
            line,
            sum,
            erasedAt,
            persons,
            records,
            rows: held,
            lateRecords,
          });
      }),
    );
  }

  /** Days of events that are not in the file any more. */
  async leftDays(): Promise<Day[]> {
    const days = await this.#session.rows('archive/archived', z.object({ date: z.string() }));
    return days.map(({ date }) => date);
  }

  /** Removes versions of opt-outs that ended before that day; undefined where there is none. */
  async removeClosedOptOuts(before: Day): Promise<{ days: Day[]; items: number } | undefined> {
    await this.#session.set({ before: { day: before } });
    const ended = z.object({
      first_day: z.string().nullable(),
      last_day: z.string().nullable(),
      items: count,
    });
    const { first_day, last_day, items } = await this.#session.row('retention/closed_opt_outs', ended);
    if (first_day === null || last_day === null) return undefined;
    await this.#writing(() =>
      this.#session.transaction(() => this.#session.run('retention/remove_opt_outs')),
    );
    return { days: [first_day, last_day], items };
  }

  async noteRetention(row: RetentionRow): Promise<void> {
    await this.#writing(() => this.#session.runWith('retention/note', { ...row }));
  }

  /** Takes what another file of this data folder computed of days whose pages were removed. Before `model`. */
  async takeDays(from: string, days: readonly Day[]): Promise<void> {
    const table = z.object({ schema: z.string(), table: z.string(), column: z.string() });
    await this.#session.run('retention/attach', { old: from.replaceAll("'", "''") });
    await this.#session.set({ days });
    const tables = await this.#session.rows('retention/take_days', table);
    for (const names of tables) await this.#session.run('retention/take_model', names);
    await this.#session.run('retention/detach');
  }

  /** The days that the warehouse holds of a stream. */
  async coverage(stream: Stream): Promise<Map<Day, Covered>> {
    const days = await this.#session.rowsWith('ops/coverage', coveredDay, { stream });
    return new Map(days.map(({ date, rows, loaded_at }) => [date, { rows, loadedAt: loaded_at }]));
  }

  /** The days of a stream that the warehouse holds from pulls later than that instant. */
  async coveredSince(stream: Stream, instant: Date): Promise<Day[]> {
    const given = { stream, instant };
    const days = await this.#session.rowsWith('ops/covered_since', z.object({ date: z.string() }), given);
    return days.map(({ date }) => date);
  }

  /** The days of a stream whose last answer was held back, since it would have deleted most of them. */
  async heldBack(stream: Stream): Promise<Day[]> {
    const days = await this.#session.rowsWith('ops/held_days', z.object({ date: z.string() }), {
      stream,
    });
    return days.map(({ date }) => date);
  }

  /** The days of a stream that came empty on one night alone, and that before `today`. */
  async emptyOnce(stream: Stream, today: Day): Promise<Day[]> {
    const days = await this.#session.rows('status/empty_once', emptyDay);
    return days.flatMap((day) => (day.stream === stream && day.asked < today ? [day.date] : []));
  }

  /** The days before that one whose events may leave the file, the earliest first; none while models wait for events. */
  archivable(before: Day): Promise<HeldDay[]> {
    return archivable(this.#session, before);
  }

  /**
   * Removes the events and messages of those days, as far as they may leave, since a commit of the lake holds them. Resolves
   * with the days that left.
   */
  archive(days: readonly Day[], commitId: string, now: Date): Promise<ArchivedDay[]> {
    return this.#writing(() => archive(this.#session, days, { commitId, now }));
  }

  /**
   * Counts the rows of a list's pages, and those that stood on a page before, told apart by the value at a JSON pointer, or as a
   * whole without one.
   *
   * @throws DamageError when a file cannot be read
   */
  async countRows(
    files: readonly string[],
    { id, largestPage }: { id: string; largestPage: number },
  ): Promise<CountedRows> {
    const { tempDirectory } = this.#options;
    return this.#refining(() => countRows(this.#session, { files, id, largestPage, tempDirectory }));
  }

  /** How many rows the last snapshot of each list of a stream has. */
  async snapshotRows(stream: ReferenceStream): Promise<Map<string, number>> {
    const shape = z.object({ list: z.string(), rows: count });
    const lists = await this.#session.rowsWith('ops/snapshot_rows', shape, { stream });
    return new Map(lists.map(({ list, rows }) => [list, rows]));
  }

  /**
   * Dates pulls that are loaded by other instants: those of days stay as they are, and snapshots go, since the day of a snapshot is
   * that of its pull. They are to be loaded again.
   */
  async redate(instants: ReadonlyMap<string, Date>): Promise<void> {
    if (instants.size === 0) return;
    await this.#session.set({
      given: {
        pulls: [...instants.keys()],
        instants: [...instants.values()].map((instant) => instant.toISOString()),
      },
    });
    await this.#writing(() => this.#session.transaction(() => this.#session.run('ops/redate')));
  }

  /** Campaign ids in the daily statistics of the range, in order. */
  async campaignsSeen({ start, end }: DayRange): Promise<string[]> {
    const shape = z.object({ campaign_id: z.string() });
    const rows = await this.#session.rowsWith('ops/campaigns_seen', shape, { start, end });
    return rows.map(({ campaign_id }) => campaign_id);
  }

  /** The sums of each day that the daily statistics cover, over all channels. */
  async messages(): Promise<Map<Day, MessageTotals>> {
    const days = await this.#session.rows('status/messages', messageTotals);
    return new Map(days.map(({ date, ...totals }) => [date, totals]));
  }

  /** Replaces `ops.exports` by what the ledger says. */
  async replaceExports(rows: readonly ExportRow[]): Promise<void> {
    await this.#writing(() =>
      this.#session.transaction(async () => {
        await this.#session.set({ given: { exports: wellFormedJson(rows) } });
        await this.#session.run('ops/exports');
      }),
    );
    this.#options.effects.reach('exports/after-replace');
  }

  /** Replaces `ops.budget` by the settings of this run. */
  async noteBudget(settings: BudgetRow): Promise<void> {
    await this.#writing(() =>
      this.#session.transaction(async () => {
        await this.#session.run('ops/forget_budget');
        await this.#session.runWith('ops/note_budget', {
          currency: undefined,
          ...settings,
          notedAt: this.#options.effects.now(),
        });
      }),
    );
  }

  async startRun(run: RunStart): Promise<void> {
    await this.#writing(() => this.#session.runWith('ops/start_run', { ...run }));
  }

  async finishRun({ summary, ...run }: RunEnd): Promise<void> {
    await this.#writing(() =>
      this.#session.runWith('ops/finish_run', { ...run, summary: wellFormedJson(summary) }),
    );
  }

  /** Brings the models of `sql/models` to what the tables hold now. Resolves with the main goals that were chosen, which are for good. */
  async model(): Promise<Record<string, string>> {
    const { experiments = {}, mainGoals = {}, effects } = this.#options;
    const chosen = await this.#refining(() =>
      this.#session.transaction(async () => {
        await plantSeeds(this.#session);
        await noteExperiments(this.#session, experiments);
        await noteMainGoals(this.#session, experiments, mainGoals, effects.now());
        await refreshModels(this.#session);
        await describeAll(this.#session);
        return chooseMainGoals(this.#session, effects.now());
      }),
    );
    effects.reach('model/done');
    return chosen;
  }

  /** Runs `sql/checks` on the dirty days, clears them, and returns what `ops.checks` holds then. */
  async check(): Promise<FindingGroup[]> {
    const { effects } = this.#options;
    const findings = await this.#refining(() =>
      runChecks(this.#session, effects.now(), () => {
        effects.reach('check/before-commit');
      }),
    );
    effects.reach('check/done');
    return findings;
  }

  /**
   * Writes everything into the file, leaves no log beside it, and closes it. Closing twice does nothing.
   *
   * @throws StorageError when the log cannot be written into the file; the next opening tries again
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { path, effects } = this.#options;
    effects.reach('close/before-checkpoint');
    try {
      await this.#writing(() => this.#session.checkpoint());
      effects.reach('close/after-checkpoint');
    } finally {
      this.#session.close();
    }
    if (existsSync(`${path}.wal`)) {
      throw new StorageError(`${path} could not be closed: its log is still there.`, {
        hint: 'Run again. Nothing is lost.',
      });
    }
    effects.reach('close/done');
  }

  /** The work of a night fits into the ordinary limits; that of a first year may need higher ones. */
  #refining<T>(work: () => Promise<T>): Promise<T> {
    return this.#writing(() => withMemoryLimit(this.#session, limitsOf(this.#options), work));
  }

  async #writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof DawnloadError || !isStorage(cause)) throw cause;
      // What DuckDB stops in the middle of a commit may look like a disk that refuses.
      this.#options.signal?.throwIfAborted();
      throw cannotWrite(this.#options.path, cause);
    }
  }
}

function limitsOf({ memoryLimitMb, threads }: WarehouseOptions): MemoryLimit {
  return ordinaryLimit(memoryLimitMb, threads);
}

/** What loads need besides the warehouse's own connection. */
function loadingOf(session: Session, options: WarehouseOptions): LoadContext {
  const { effects, tempDirectory } = options;
  const fields = fieldsFor(options.brand);
  const openStaging = async (worker: number): Promise<Staging> => {
    const sibling = await session.sibling();
    await sibling.run('session/1_settings');
    await prepare(sibling, options);
    return Staging.open(sibling, new UnknownFields(sibling, fields), tempDirectory, `batch_${worker}`);
  };
  const stagings: Promise<Staging>[] = [];
  return {
    session,
    unknown: new UnknownFields(session, fields),
    staging: (worker) => (stagings[worker] ??= openStaging(worker)),
    limits: limitsOf(options),
    effects,
    tempDirectory,
  };
}

async function prepare(session: Session, { brand, messenger, privacy }: WarehouseOptions): Promise<void> {
  const { inner, outer } = padsOf(privacy.key);
  await session.set({
    settings: {
      brand,
      messenger: messenger.replaceAll('_', '-'),
      recipients: privacy.recipients,
      inner_pad: inner,
      outer_pad: outer,
    },
    specification: JSON.stringify(specificationOf(fieldsFor(brand))),
  });
  await session.run('session/2_fields');
  await session.run('session/3_patterns');
}

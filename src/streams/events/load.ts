/** Loads the pages of exports into the tables of events and messages. Batches are prepared outside the warehouse. */
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Day } from '../../ground/calendar.js';
import { StrayError } from '../../ground/errors.js';
import { firstAnswers, rowsIn, type Pull, type Page } from '../../landing/landing-zone.js';
import { damaged, orStorageError } from '../../disk/storage-error.js';
import { RECORDS_PER_PAGE } from '../../service/endpoints.js';
import type { LoadContext, LoadedPulls } from '../../warehouse/load.js';
import {
  asPattern,
  inBatches,
  isRefusal,
  sized,
  SMALLEST_BUFFER,
  type ReadablePull,
} from '../../warehouse/pages.js';
import { count, type Session } from '../../warehouse/session.js';
import { CHANNELS, EVENT_TABLES, MESSAGE_TABLES, WITH_CONTENTS } from './messages.js';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MODE } from '../../disk/atomic-file.js';

/**
 * Records with a larger mean size in bytes, such as e-mails with HTML, count as large, and their batches are smaller. Each step of a DuckDB
 * statement has 2,048 records in memory, and large texts dominate that memory.
 */
const LARGE_RECORD = 8 * 1024;
const PART_OF_BATCH = 1 / 16;

/** If more than one in this number of records happened on other days, the export is loaded only with your consent. */
const ONE_OF = 10;

const TABLES = EVENT_TABLES.map(({ name }) => ({ table: name }));

const filled = z.object({
  ids: count,
  has_no_ids: z.boolean(),
  days: z.array(z.object({ day: z.string(), records: count, outside: count })),
});
const dayBefore = z.object({ is_loaded: z.boolean(), neighbors: z.array(z.string()) });

/**
 * Replaces the days of the exports. Requires the load's transaction and its table `days`. Resolves with other days to load again: their
 * exports had dropped records that a replaced day also had.
 *
 * @throws DamageError when the pages do not have the number of records that landed
 * @throws StrayError
 */
export async function loadEvents(
  { current: pulls }: Pick<LoadedPulls, 'current'>,
  context: LoadContext,
): Promise<readonly Day[]> {
  const { session, group } = context;
  await session.run('shared/begin_end/clear_notes', group);
  await session.run('streams/events/load/1_clear/mark');
  await session.runForEach('streams/events/load/1_clear/table', TABLES);
  const before = await session.row('streams/events/load/1_clear/before', dayBefore);
  await fill(context, pulls);
  const repeats = await session.row('streams/events/load/5_repeats/find', filled, group);
  const counts = new Map(repeats.days.map((one) => [one.day, one]));
  const records: number[] = [];
  const erased: number[] = [];
  for (const pull of pulls) {
    const { records: loaded = 0, outside = 0 } = counts.get(pull.days.start) ?? {};
    const landed = rowsIn(pull.files);
    if (outside * ONE_OF > loaded && !pull.facts.accepted)
      throw new StrayError(`${outside} of its ${loaded} records happened on other days`);
    records.push(loaded);
    erased.push(landed - loaded);
    if (loaded === landed || (loaded < landed && pull.isCut?.() === true)) continue;
    throw damaged(
      pull.read[0]?.landed ?? pull.id,
      `and the other pages of its export have ${loaded} records together, not the ${landed} that landed`,
    );
  }
  // The service may repeat a record on a page, on two pages, or in the exports of two days. One copy is kept.
  for (const { name: table, key, record } of repeats.ids > 0 ? EVENT_TABLES : []) {
    await session.run('streams/events/load/5_repeats/surplus', { ...group, table, key, record });
    await session.run('streams/events/load/5_repeats/remove', { table });
  }
  for (const { name: table, rows } of repeats.has_no_ids ? EVENT_TABLES : []) {
    await session.run(`streams/events/load/5_repeats/${rows}_without_id`, { table });
    await session.run('streams/events/load/5_repeats/surplus_without_id', { ...group, table });
    if (rows === 'records') await session.run('streams/events/load/5_repeats/lost_without_id');
    await session.run('streams/events/load/5_repeats/remove', { table });
  }
  if (before.is_loaded || repeats.ids > 0 || repeats.has_no_ids)
    await session.run('streams/events/load/1_clear/contents');
  const beside = pulls.map((pull) => rowsIn(pull.files) - rowsIn(firstAnswers(pull.files)));
  await session.run('streams/events/messages/extras');
  await session.run('streams/events/load/6_notes', {
    ...group,
    pulls: pulls.map(({ id }) => id),
    days: pulls.map(({ days }) => days.start),
    beside: beside.map(String),
    counts: records.map((loaded, at) => String(loaded - (beside[at] ?? 0))),
    erased: erased.map(String),
    full_days: pulls.filter(endsFull).map(({ days }) => days.start),
  });
  await session.run('shared/begin_end/drift', group);
  await session.run('shared/begin_end/cover', { ...group, table: 'events', day: 'export_date' });
  return before.neighbors;
}

/** True if the last page is full, which suggests that another page is missing. */
function endsFull({ files }: Pull): boolean {
  const rows = firstAnswers(files).map((page) => page.rows);
  const last = rows.at(-1) ?? 0;
  return last >= RECORDS_PER_PAGE || (rows.length > 1 && last >= Math.max(...rows));
}

/**
 * Loads pages in batches, so that a day of any size fits into memory. Workers prepare batches in parallel. Each worker inserts its batch
 * before it starts the next one.
 */
async function fill(context: LoadContext, pulls: readonly ReadablePull[]): Promise<void> {
  const { session, limits } = context;
  const { threads, batchBytes } = limits;
  const pages: PageFile[] = [];
  // The answer that landed for an empty export may have no records, and is not a page.
  for (const { days, read } of pulls)
    for (const page of await sized(read.filter(({ rows }) => rows > 0)))
      pages.push({ ...page, day: days.start });
  const bytes = pages.reduce((sum, page) => sum + page.bytes, 0);
  const isOfLarge = bytes > LARGE_RECORD * rowsIn(pulls.flatMap(({ files }) => files));
  const batches = inBatches(pages, isOfLarge ? batchBytes * PART_OF_BATCH : batchBytes);
  // Inserts run one by one, because the load's transaction has only one connection.
  const inserting = pLimit(1);
  const work = async (worker: number): Promise<void> => {
    let staging: Staging | undefined;
    // All workers share one generator. If one fails, its loop closes the generator, and the others end after their current batch.
    for (const batch of batches) {
      staging ??= await Staging.open(context, worker);
      await staging.use(batch, (folder, tables) =>
        inserting(async () => {
          const prepared = { batch: asPattern(folder) };
          const names = ['events', ...tables].map((table) => ({ table }));
          await session.runForEach('streams/events/load/4_insert/rows', names, prepared);
          const shared = names.filter(({ table }) => WITH_CONTENTS.includes(table));
          await session.runForEach('streams/events/load/4_insert/contents', shared, prepared);
        }),
      );
    }
  };
  const isLarge = pages.length > 20;
  // Each worker is a thread; DuckDB's own threads would compete with them.
  if (isLarge) await session.run('ops/threads', { threads: '1' });
  // All workers must end before the transaction does.
  const ends = await Promise.allSettled(Array.from({ length: threads }, (_, worker) => work(worker)));
  if (isLarge) await session.run('ops/threads', { threads: String(threads) });
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

// Batches are typed, checked against the specification and redacted here; the load's transaction only copies the finished rows.

interface PageFile extends Page {
  /** The KST day of its export. */
  readonly day: Day;
}

const batchRead = z.object({ personal: z.boolean() });
const carried = z.object({ table: z.enum(MESSAGE_TABLES) });

type StagingSettings = Pick<LoadContext, 'brand' | 'tempDirectory' | 'hasColumnRules'>;

/** A connection that prepares one batch at a time, in its own in-memory database. */
class Staging {
  #batches = 0;
  /** The layout of the pages: one per line (`newline_delimited`), until a page has several lines. */
  #layout: 'newline_delimited' | 'unstructured' = 'newline_delimited';

  private constructor(
    private readonly session: Session,
    private readonly settings: StagingSettings,
    /** The names of two databases: `batch` is this connection's own, `home` the warehouse's. */
    private readonly databases: { readonly batch: string; readonly home: string },
  ) {}

  /** @param worker the number of a connection beside the warehouse's own */
  static async open(context: LoadContext, worker: number): Promise<Staging> {
    const { home } = await context.session.row('ops/home', z.object({ home: z.string() }));
    return new Staging(await context.beside(worker), context, { batch: `batch_${worker}`, home });
  }

  async use(
    batch: readonly PageFile[],
    take: (folder: string, tables: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const folder = join(this.settings.tempDirectory, `${this.databases.batch}_${this.#batches++}`);
    await orStorageError('create the folder', folder, () => mkdir(folder, { mode: FOLDER_MODE }));
    try {
      await take(folder, await this.#prepare(folder, batch));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #prepare(folder: string, batch: readonly PageFile[]): Promise<readonly string[]> {
    const { session } = this;
    const { personal } = await this.#read(batch);
    if (this.settings.hasColumnRules) await session.run('streams/events/load/3_privacy/columns');
    if (personal) await session.run('streams/events/load/3_privacy/fields');
    await session.run('streams/events/load/3_privacy/messages');
    const tables = await session.rows('streams/events/messages/begin', carried, { batch: folder });
    for (const { table } of tables)
      await session.run(`streams/events/messages/${table}`, { batch: folder, brand: this.settings.brand });
    await session.run('streams/events/messages/end');
    return tables.map(({ table }) => table);
  }

  async #read(pages: readonly PageFile[]): Promise<{ personal: boolean }> {
    try {
      return await this.#readPages(pages);
    } catch (error) {
      if (this.#layout === 'unstructured' || !isRefusal(error)) throw error;
      this.#layout = 'unstructured';
      return this.#readPages(pages);
    }
  }

  async #readPages(pages: readonly PageFile[]): Promise<{ personal: boolean }> {
    await this.session.run('streams/events/load/2_read/open', this.databases);
    return this.session.row('streams/events/load/2_read/records', batchRead, {
      files: pages.map(({ file }) => asPattern(file)),
      paths: pages.map(({ file }) => file),
      path_days: pages.map(({ day }) => day),
      largest_object: Math.max(SMALLEST_BUFFER, ...pages.map(({ bytes }) => bytes)),
      layout: this.#layout,
      channels: CHANNELS,
    });
  }
}

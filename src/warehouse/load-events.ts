/** E21: the pages of exports become events and messages. The steps in order; those of a batch are in load-events-batch.ts. */
import { z } from 'zod';
import type { Day } from '../calendar.js';
import type { Batch, PageFile, Staging } from './load-events-batch.js';
import { damaged } from '../storage/storage-error.js';
import { asPattern, sized, SMALLEST_BUFFER } from './landed-files.js';
import type { EventsPull } from '../storage/pull.js';
import { count, type Session } from './session.js';
import { EVENT_TABLES } from './tables.js';

/** The share of DuckDB's memory for the JSON of all batches that are prepared at a time; the tables take the rest. */
const SHARE_OF_MEMORY = 0.4;

const TABLES = EVENT_TABLES.map(({ name }) => ({ table: name }));

const filled = z.object({ ids: count, dates: z.array(z.string()), records: z.array(count) });
const held = z.object({ held: z.boolean(), neighbours: z.array(z.string()) });

/** The workers that prepare batches in parallel, by number; a worker's connection is opened when it is first needed. */
export interface Workers {
  readonly count: number;
  /** The memory that all of them share. */
  readonly megabytes: number;
  staging(worker: number): Promise<Staging>;
}

/**
 * Replaces the exports' days. Inside the load's transaction; `days` exists. Resolves with the days of other exports that
 * must be loaded again, since they gave records up for one of these.
 *
 * @throws DamageError when the pages do not hold the records that were landed
 */
export async function loadEvents(
  session: Session,
  workers: Workers,
  pulls: readonly EventsPull[],
): Promise<Day[]> {
  await session.run('load/7_forget');
  const before = await session.row('load/events/0_clear', held);
  const repaired = await fill(session, workers, pulls);
  const repeats = await session.row('load/events/9_repeats', filled);
  const records = new Map(repeats.dates.map((date, at) => [date, repeats.records[at]]));
  for (const pull of pulls) {
    const found = records.get(pull.day) ?? 0;
    const landed = await pull.records;
    if (found !== landed) {
      throw damaged(
        await firstOf(pull),
        `and the other pages of its export hold ${found} records together, not the ${landed} that were landed`,
      );
    }
  }
  if (repeats.ids > 0) await keepOneOfEach(session);
  await session.set({
    loose_contents: before.held || repeats.ids > 0,
    loaded_pulls: pulls.map(({ id }) => id),
    counts: pulls.map(({ day }) => String(records.get(day) ?? 0)),
    repaired_days: repaired,
  });
  await session.run('load/events/9_notes');
  await session.run('load/8_drift');
  await session.run('load/8_cover', { table: 'events', day: 'export_date' });
  return before.neighbours;
}

/**
 * Pages to tables, batch by batch, so that a day of any size fits into memory. The workers prepare batches in parallel, so
 * that every core is busy; each inserts its batch before it takes the next one. Returns the days of pages that had to be
 * repaired.
 */
async function fill(session: Session, workers: Workers, pulls: readonly EventsPull[]): Promise<Day[]> {
  const repaired: Day[] = [];
  const batches = batchesOf(pulls, (workers.megabytes * SHARE_OF_MEMORY * 2 ** 20) / workers.count);
  let inserting = Promise.resolve();
  let failed = false;
  const work = async (worker: number): Promise<void> => {
    for (let next = await batches.next(); next.done !== true && !failed; next = await batches.next()) {
      const staging = await workers.staging(worker);
      await staging.use(next.value, async (prepared) => {
        // One after the other, since the load's transaction has one connection.
        inserting = inserting.then(async () => {
          await session.set({ batch: asPattern(prepared.folder) });
          await session.runForEach('load/events/7_insert', TABLES);
          await session.run('load/events/7_insert_contents');
        });
        await inserting;
        repaired.push(...prepared.repaired);
      });
    }
  };
  // Each worker is a thread. DuckDB's own would only stand in their way.
  await session.run('ops/threads', { threads: '1' });
  // All of them come to their end before the transaction does.
  const ends = await Promise.allSettled(
    Array.from({ length: workers.count }, (_, worker) =>
      work(worker).catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );
  await session.run('ops/threads', { threads: String(workers.count) });
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return repaired;
}

async function* batchesOf(pulls: readonly EventsPull[], most: number): AsyncGenerator<Batch, undefined> {
  let pages: PageFile[] = [];
  let largest = SMALLEST_BUFFER;
  let bytes = 0;
  const batch = (): Batch => {
    const full = { pages, largest };
    [pages, largest, bytes] = [[], SMALLEST_BUFFER, 0];
    return full;
  };
  for (const { day, files, records } of pulls) {
    // An empty export may have landed as an answer without records, which is no page to read.
    if (records === 0) continue;
    const areThere = 'length' in files;
    for await (const some of areThere ? [await sized(files)] : files) {
      for (const { file, bytes: size } of some) {
        if (pages.length > 0 && bytes + size > most) yield batch();
        pages.push({ file, day });
        largest = Math.max(largest, size);
        bytes += size;
      }
      // Who waits for pages begins with those that are there.
      if (!areThere) yield batch();
    }
  }
  if (pages.length > 0) yield batch();
  return undefined;
}

/** The service may repeat a record, on one page, on two, or in the exports of two days. */
async function keepOneOfEach(session: Session): Promise<void> {
  for (const { name, key, record } of EVENT_TABLES) {
    await session.run('load/events/9_one_of_each', { table: name, key, record });
  }
}

async function firstOf({ files, id }: EventsPull): Promise<string> {
  if ('length' in files) return files[0] ?? id;
  for await (const [first] of files) return first?.file ?? id;
  return id;
}

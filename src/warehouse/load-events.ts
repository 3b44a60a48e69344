/** E21: the pages of exports become events and messages. This file shows the order of all steps. */
import { z } from 'zod';
import type { Day } from '../calendar.js';
import type { Batch, PageFile, Prepared, Staging } from './batch.js';
import { damaged, sized, SMALLEST_BUFFER } from './landed-files.js';
import type { EventsPull } from './pull.js';
import { count, type Session } from './session.js';
import { EVENT_TABLES } from './tables.js';

/** JSON that is prepared at a time: about a row group of records; two batches are in memory at once. */
const BATCH_BYTES = 64 * 1024 * 1024;

const held = z.object({ held: z.boolean(), neighbours: z.array(z.string()) });

/**
 * Replaces the exports' days. Inside the load's transaction; `days` is there. Resolves with the days of other exports that
 * have to be loaded again, since they gave records up for one of these.
 *
 * @throws DamageError when the pages do not hold the records that were landed
 */
export async function loadEvents(
  session: Session,
  staging: Staging,
  pulls: readonly EventsPull[],
): Promise<Day[]> {
  await session.run('load/7_forget');
  const before = await session.row('load/events/0_clear', held);
  const records = await fill(session, staging, pulls);
  for (const pull of pulls) {
    const found = records.get(pull.day) ?? 0;
    const landed = await pull.records;
    if (found !== landed) {
      throw damaged(
        await firstOf(pull),
        `and its neighbours hold ${found} records together, not the ${landed} that were landed`,
      );
    }
  }
  const repeats = await keepOneOfEach(session);
  await session.set({
    loose_contents: before.held || repeats,
    loaded_pulls: pulls.map(({ id }) => id),
    counts: pulls.map(({ day }) => String(records.get(day) ?? 0)),
  });
  await session.run('load/events/9_notes');
  await session.run('load/8_drift_and_cover', { table: 'events', day: 'export_date' });
  return before.neighbours;
}

/**
 * Pages to tables, batch by batch, so that a day of any size fits into memory: while one batch goes into the tables, the
 * next is prepared by another connection. Gives the records of each day.
 */
async function fill(
  session: Session,
  staging: Staging,
  pulls: readonly EventsPull[],
): Promise<Map<Day, number>> {
  const records = new Map<Day, number>();
  const mendedDays: Day[] = [];
  let inserting = Promise.resolve();
  const insert = async (batch: Prepared): Promise<void> => {
    await session.run('load/events/7_insert', { batch: batch.name });
    staging.release(batch);
  };
  try {
    for await (const batch of batchesOf(pulls)) {
      const prepared = await staging.prepare(batch);
      await inserting;
      inserting = insert(prepared);
      // Whoever waits for it next is told.
      inserting.catch(() => undefined);
      for (const [day, more] of prepared.records) records.set(day, (records.get(day) ?? 0) + more);
      mendedDays.push(...prepared.mended);
    }
    await inserting;
  } finally {
    await inserting.catch(() => undefined);
    await staging.end();
  }
  await session.set({ mended_days: mendedDays });
  return records;
}

async function* batchesOf(pulls: readonly EventsPull[]): AsyncGenerator<Batch> {
  let pages: PageFile[] = [];
  let largest = SMALLEST_BUFFER;
  let bytes = 0;
  for (const { day, files, records } of pulls) {
    // An empty export may have landed as an answer without records, which is no page to read.
    if (records === 0) continue;
    for await (const { file, size } of sized(files)) {
      if (pages.length > 0 && bytes + size > BATCH_BYTES) {
        yield { pages, largest };
        [pages, largest, bytes] = [[], SMALLEST_BUFFER, 0];
      }
      pages.push({ file, day });
      largest = Math.max(largest, size);
      bytes += size;
    }
  }
  if (pages.length > 0) yield { pages, largest };
}

/** The service may repeat a record, on one page, on two, or in the exports of two days; whether it did. */
async function keepOneOfEach(session: Session): Promise<boolean> {
  const { ids } = await session.row('load/events/9_repeats', z.object({ ids: count }));
  if (ids === 0) return false;
  for (const { name, key, record } of EVENT_TABLES) {
    await session.run('load/events/9_one_of_each', { table: name, key, record });
  }
  return true;
}

async function firstOf({ files, id }: EventsPull): Promise<string> {
  for await (const file of files) return file;
  return id;
}

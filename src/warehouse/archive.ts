/** Days of events that leave the file, since a lake holds them. What was computed of them stays (refresh.ts). */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { Reader } from './reader.js';
import { count, type Session, statement } from './session.js';

/** A day of events as it was loaded. */
export interface HeldDay {
  readonly day: Day;
  readonly pull: string;
  readonly loadedAt: Date;
}

export interface ArchivedDay {
  readonly day: Day;
  /** Events that left the file. */
  readonly rows: number;
}

const heldDay = z
  .object({ date: z.string(), pull: z.string(), loaded_at: z.date() })
  .transform(({ date, pull, loaded_at }) => ({ day: date, pull, loadedAt: loaded_at }));

const archivedDay = z
  .object({ date: z.string(), rows: count })
  .transform(({ date, rows }) => ({ day: date, rows }));

/** The days before that one whose events may leave, the earliest first; none while models wait for events. */
export async function archivable(session: Session, before: Day): Promise<HeldDay[]> {
  await session.run('archive/archivable');
  return session.rowsWith('archive/days', heldDay, { before });
}

/**
 * Removes the rows of the exports of those days and notes them in ops.archived_days, in one transaction. Resolves with the
 * days that left: those of the given ones that may.
 */
export async function archive(
  session: Session,
  days: readonly Day[],
  { commitId, now }: { commitId: string; now: Date },
): Promise<ArchivedDay[]> {
  await session.set({ given: { days, commit_id: commitId, archived_at: now } });
  return session.transaction(async () => {
    await session.run('archive/archivable');
    const tables = await session.rows('archive/leaving', z.object({ table: z.string() }));
    await session.runForEach('archive/clear', tables);
    return session.rows('archive/left', archivedDay);
  });
}

/** The days of events that left a file, which this process has not open; none of a file that cannot be read. */
export async function archivedDays(file: string): Promise<Day[]> {
  if (!existsSync(file)) return [];
  let reader: Reader | undefined;
  try {
    reader = await Reader.open(file, 'read');
    const rows = await reader.objects(statement('archive/archived'));
    return z
      .array(z.object({ date: z.string() }))
      .parse(rows)
      .map(({ date }) => date);
  } catch {
    return [];
  } finally {
    await reader?.close();
  }
}

/** Removes days of events from the file once a lake holds them. The rows computed from them stay (model.ts). */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { Reader } from './reader.js';
import { count, type Session, statement } from './session.js';

/** A loaded day of events that is still in the warehouse file. */
export interface HeldDay {
  readonly day: Day;
  readonly pull: string;
  readonly loadedAt: Date;
}

export interface ArchivedDay {
  readonly day: Day;
  /** Number of events that left the file. */
  readonly rows: number;
}

const heldDay = z
  .object({ date: z.string(), pull: z.string(), loaded_at: z.date() })
  .transform(({ date, pull, loaded_at }) => ({ day: date, pull, loadedAt: loaded_at }));

const archivedDay = z
  .object({ date: z.string(), rows: count })
  .transform(({ date, rows }) => ({ day: date, rows }));

/** The days before `before` whose events may leave the file, oldest first; empty while models still need events. */
export async function archivable(session: Session, before: Day): Promise<HeldDay[]> {
  await session.run('archive/archivable');
  return session.rowsWith('archive/days', heldDay, { before });
}

/**
 * Removes the rows of the exports of the days and notes the days in ops.archived_days, in one transaction. Resolves
 * with the removed days: those of the given days that may leave the file.
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

/** The days whose events have left a file that this process has not opened; empty if the file cannot be read. */
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

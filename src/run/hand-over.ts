/** Removes events that are older than `lake.local_days` from the file, once the lake is verified to hold them. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { dayOf, rangesOf, shiftDay, type Day } from '../calendar.js';
import type { Config } from '../config.js';
import { InterruptedError, messageOf, DawnloadError } from '../errors.js';
import { latestCommits, LakeState, type Commit } from '../lake/commits.js';
import { Lake, catalogFailure, icebergCatalog } from '../lake/lake.js';
import { verifiedEvents } from '../lake/verify.js';
import { plural } from '../terminal/terminal.js';
import type { HeldDay } from '../warehouse/archive.js';
import type { LocalContext } from './context.js';
import type { Invocation } from './invocation.js';
import type { LakeConfig } from '../config/lake.js';
import { push } from '../lake/push.js';
import type { RunReport } from './report.js';

/**
 * Compares the old days of the published file with the lake row by row, and removes the equal days from the private
 * file. If the lake cannot be read, the days stay in the file; that does not fail the run.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function handOver(
  { warehouse, files, effects, terminal, dataDir }: LocalContext,
  { lake: settings }: Pick<Config, 'lake'>,
  invocation: Invocation,
): Promise<void> {
  if (settings?.localDays === undefined || !existsSync(files.published)) return;
  const before = shiftDay(dayOf(effects.now()), -settings.localDays);
  const old = await warehouse.archivable(before);
  if (old.length === 0) return;
  terminal.progress('comparing old days with the lake');
  try {
    const verified = await withLake({ dataDir, lake: settings }, invocation, async (lake) => {
      const [newest] = await latestCommits(lake, 1);
      (await LakeState.open({ dataDir, lake: settings }, effects)).assertOurs(newest);
      const days = await verifiedEvents(lake, await publishedAlike(lake, old));
      return { days, commit: newest?.id ?? '' };
    });
    const left = await warehouse.archive(verified.days, verified.commit, effects.now());
    if (left.length === 0) return;
    terminal.note(
      `The events of ${plural(left.length, 'day')} are in the lake and leave the file: ${inWords(left.map(({ day }) => day))}.`,
      { event: 'archived', days: left.length },
    );
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    terminal.warn(
      `Events from before ${before} stay in the file, since the lake could not be compared with it: ${messageOf(error)}`,
    );
  }
}

/** The days whose rows are equal in the published file, which was pushed, and in the private file. */
async function publishedAlike(lake: Lake, days: readonly HeldDay[]): Promise<Day[]> {
  const shape = z.object({ date: z.string(), pull: z.string(), loaded_at_ms: z.number() });
  const published = await lake.session.rows('lake/published_events', shape);
  return days
    .filter(({ day, pull, loadedAt }) =>
      published.some(
        (row) => row.date === day && row.pull === pull && row.loaded_at_ms === loadedAt.getTime(),
      ),
    )
    .map(({ day }) => day);
}

/** Formats days as ranges: `2026-01-01 to 2026-01-31, 2026-02-03`. */
export function inWords(days: readonly Day[]): string {
  return rangesOf(days)
    .map(({ start, end }) => (start === end ? start : `${start} to ${end}`))
    .join(', ');
}

type LakeSettings = Pick<Config, 'dataDir'> & { readonly lake: LakeConfig };

/** Opens the lake, does the work, and closes it. Throws as `Lake.open` does. */
export async function withLake<T>(
  { dataDir, lake: settings }: LakeSettings,
  { signal, lakeCatalog }: Invocation,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const catalog = lakeCatalog ?? icebergCatalog(settings);
  try {
    const lake = await Lake.open({ dataDir, lake: settings, signal, catalog });
    try {
      return await work(lake);
    } finally {
      await lake.close();
    }
  } catch (error) {
    throw catalogFailure(error);
  }
}

/** Pushes the differences to the lake. Requires the lock. Throws as `push` does. */
export function pushLake(
  settings: LakeSettings,
  invocation: Invocation,
  command: string,
  /** Called before an erasure is pushed. */
  prepare?: (lake: Lake) => Promise<void>,
): Promise<Commit[]> {
  const { effects, terminal, version } = invocation;
  return withLake(settings, invocation, async (lake) => {
    await prepare?.(lake);
    const state = await LakeState.open(settings, effects);
    return push(
      {
        lake,
        state,
        effects,
        command,
        version,
        progress: (what) => {
          terminal.progress(what);
        },
        erases: prepare !== undefined,
      },
      prepare !== undefined,
    );
  });
}

/**
 * Pushes the published file of a run to the lake, if a lake is configured. A failure is added to the report: the file
 * is published in any case, and the next run pushes what is missing.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function pushAfterRun(
  config: Pick<Config, 'dataDir' | 'lake'>,
  invocation: Invocation,
  command: string,
  report: RunReport,
): Promise<void> {
  const { dataDir, lake } = config;
  if (lake === undefined) return;
  try {
    const commits = await pushLake({ dataDir, lake }, invocation, command);
    report.lake({ pushed: true, commits: commits.length, rows: rowsOf(commits) });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const reason = [messageOf(error), error instanceof DawnloadError ? (error.hint ?? '') : '']
      .join(' ')
      .trim();
    report.lake({ pushed: false, days: report.loadedDays, reason });
  }
}

/** The number of rows that the commits added. */
export function rowsOf(commits: readonly Commit[]): number {
  return commits.reduce((sum, { rows }) => sum + rows, 0);
}

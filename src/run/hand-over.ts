/** Events that are older than `lake.local_days` leave the file, once the lake was seen to hold them. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { dayOf, rangesOf, shiftDay, type Day } from '../calendar.js';
import type { Config } from '../config.js';
import { InterruptedError, messageOf } from '../errors.js';
import { latestCommits } from '../lake/commits.js';
import type { Lake } from '../lake/lake.js';
import { LakeState } from '../lake/state.js';
import { verifiedEvents } from '../lake/verify.js';
import { plural } from '../terminal/terminal.js';
import type { HeldDay } from '../warehouse/archive.js';
import type { LocalContext } from './context.js';
import type { Invocation } from './invocation.js';
import { withLake } from './lake.js';

/**
 * Compares the old days of the published file with the lake, row by row, and removes from the private file those that are the
 * same in both. A lake that cannot be read keeps them in the file; that fails no run.
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

/** Those of the days that the published file, which was pushed, holds as the private one does. */
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

function inWords(days: readonly Day[]): string {
  return rangesOf(days)
    .map(({ start, end }) => (start === end ? start : `${start} to ${end}`))
    .join(', ');
}

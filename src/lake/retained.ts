/** Old events leave the file only once the lake holds the same rows. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { dayOf, listDays, shiftDay, type Day } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import { InterruptedError, messageOf } from '../ground/errors.js';
import type { Invocation } from '../config/invocation.js';
import type { Journal } from '../journal/journal.js';
import type { HeldDay } from '../warehouse/warehouse.js';
import { latestCommits, LakeState } from './commits.js';
import type { Lake } from './lake.js';
import { withLake } from './push.js';
import { verifiedEvents } from './verify.js';

/** Nights on which a day may wait to be compared with the lake before a person is told. */
const PATIENCE_DAYS = 7;

/** The published file that is compared, and the report for a person. */
interface Published {
  readonly dataDir: string;
  readonly files: { readonly published: string };
  readonly journal: Journal;
  readonly report: { readonly attention: string[] };
}

/**
 * Returns the days that may leave the file: all of them without a lake, otherwise those whose rows are equal in the
 * published file, which was pushed, and in the lake. The others stay; after seven nights they need a person.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function equalInLake(
  due: readonly HeldDay[],
  { files, dataDir, report, journal }: Published,
  { lake, retention }: Pick<Config, 'retention' | 'lake'>,
  invocation: Invocation,
): Promise<Day[]> {
  const { effects, terminal } = invocation;
  const days = due.map(({ day }) => day);
  if (lake === undefined || days.length === 0) return days;
  let held: Day[] = [];
  let reason = 'the lake does not hold the same rows';
  terminal.progress('comparing old days with the lake');
  try {
    if (existsSync(files.published))
      held = await withLake({ dataDir, lake }, invocation, async (opened) => {
        const [newest] = await latestCommits(opened, 1);
        new LakeState(journal, lake).assertOurs(newest);
        return verifiedEvents(opened, await publishedAlike(opened, due));
      });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    reason = messageOf(error);
  }
  const waiting = days.filter((day) => !held.includes(day));
  if (waiting.length === 0) return held;
  const sentence = `Events of ${listDays(waiting)} stay in the file although retention.events is over, since they could not be compared with the lake: ${reason}`;
  const longest = shiftDay(dayOf(effects.now()), -(retention.events ?? 0) - PATIENCE_DAYS);
  if (waiting.some((day) => day < longest)) {
    report.attention.push(
      `${sentence}. \`dawnload lake verify\` shows the differences, \`dawnload lake push\` removes them.`,
    );
  } else terminal.warn(`${sentence}.`);
  return held;
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

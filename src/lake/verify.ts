/** Compares the file with the lake: for each table and day, the number of rows and their hashes. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { type Day, dayOf, listDays, shiftDay } from '../ground/calendar.js';
import type { Needed, StreamName } from '../ground/streams.js';
import { InterruptedError, messageOf } from '../ground/errors.js';
import type { Journal } from '../journal/journal.js';
import { count } from '../warehouse/session.js';
import type { LoadedDay } from '../warehouse/warehouse.js';
import { latestCommits, LakeState } from './commits.js';
import {
  type Lake,
  inDays,
  CONTENTS,
  COVERAGE,
  removedDays,
  placeholders,
  relationsOf,
  type Relation,
  withLake,
} from './lake.js';
import { changesOf } from './replicate.js';

const compared = z.object({
  date: z.string().nullable(),
  file_rows: count,
  lake_rows: count,
  equal: z.boolean(),
});

/**
 * Compares every table of the published file with its copy in the lake.
 *
 * @returns the tables; the days with differences (null for tables without days); and the days not compared, because they still have to be
 *   pushed
 * @throws ConfigError if the lake is not set up
 */
export async function verify(lake: Lake, progress: (table: string) => void) {
  await latestCommits(lake, 1);
  const { streams, models } = await changesOf(lake);
  const tables = [];
  const differences = [];
  const unpushed = [...new Set([...streams.values()].flat())].sort();
  for (const relation of await relationsOf(lake)) {
    const { name: table, stream, incremental } = relation;
    // Skip tables that are replaced completely: while a day has not been pushed, they always differ.
    if (unpushed.length > 0 && stream === null && !incremental) continue;
    progress(table);
    const rows = await compare(lake, relation, await whichOf(lake, relation, models.get(table) ?? []));
    tables.push({
      table,
      days: rows.filter(({ date }) => date !== null).length,
      file_rows: rows.reduce((sum, { file_rows }) => sum + file_rows, 0),
      lake_rows: rows.reduce((sum, { lake_rows }) => sum + lake_rows, 0),
      equal: rows.every(({ equal }) => equal),
    });
    for (const { equal, ...counts } of rows) if (!equal) differences.push({ table, ...counts });
  }
  return { tables, differences, unpushed };
}

/** Returns the days whose events and messages are equal in file and lake, in all tables. */
async function verifiedEvents(lake: Lake, days: readonly Day[]): Promise<Day[]> {
  const covered = new Set(await coveredDays(lake, 'events'));
  const asked = days.filter((day) => covered.has(day));
  const unequal = new Set<Day | null>();
  for (const relation of await relationsOf(lake)) {
    if (relation.day !== 'export_date') continue;
    const rows = await compare(lake, relation, inDays('export_date', asked));
    for (const { date, equal } of rows) if (!equal) unequal.add(date);
  }
  return asked.filter((day) => !unequal.has(day));
}

/** A condition for the rows of a relation that the lake should have. */
async function whichOf(lake: Lake, relation: Relation, unpushed: readonly Day[]): Promise<string> {
  const { name, stream, day } = relation;
  if (name === CONTENTS && (await removedDays(lake)).length > 0)
    return 'content_id in (select content_id from warehouse.main.message_contents)';
  if (day === null) return 'true';
  // The lake may cover days that the file has lost.
  if (name === COVERAGE) return '(stream, date) in (select (stream, date) from warehouse.ops.coverage)';
  if (stream !== null && day !== 'date') return inDays(day, await coveredDays(lake, stream));
  const covered = stream === null ? 'true' : inDays(day, await coveredDays(lake, stream));
  return `${covered} and not (${inDays(day, unpushed)})`;
}

async function coveredDays(lake: Lake, stream: StreamName): Promise<Day[]> {
  const rows = await lake.session.rows('lake/covered_days', z.object({ date: z.string() }), {
    ...lake.ops,
    stream,
  });
  return rows.map(({ date }) => date);
}

function compare(lake: Lake, relation: Relation, which: string): Promise<z.infer<typeof compared>[]> {
  return lake.session.rows('lake/compare_days', compared, { ...placeholders(lake, relation), which });
}

const covered = z.object({
  stream: z.string(),
  days: z.number(),
  first_date: z.string(),
  last_date: z.string(),
  rows: z.number(),
});

/**
 * Describes the contents of the lake, and its last commits.
 *
 * @throws ConfigError if the lake is not set up
 */
export async function statusOf(lake: Lake, commits: number) {
  return {
    commits: await latestCommits(lake, commits),
    coverage: await lake.session.rows('lake/coverage', covered, lake.ops),
    removed: await removedDays(lake),
    ...(await changesOf(lake)),
  };
}

// Old events are removed from the file only if the lake has the same rows.

/** Number of nights that a day may wait for this comparison before it is reported. */
const PATIENCE_DAYS = 7;

interface VerifyParts {
  readonly config: Pick<Config, 'dataDir' | 'lake' | 'retention'>;
  readonly invocation: Invocation;
  readonly files: { readonly published: string };
  readonly journal: Journal;
  readonly report: { readonly attention: Needed[] };
}

/**
 * Returns the days that may be removed from the file. Without a lake, these are all days; with a lake, those whose rows are equal in the
 * lake and in the published file, which was pushed. The other days stay; after seven nights they need your decision.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function equalInLake(
  due: readonly LoadedDay[],
  { config, invocation, files, report, journal }: VerifyParts,
): Promise<Day[]> {
  const { dataDir, lake, retention } = config;
  const { effects, terminal } = invocation;
  const days = due.map(({ day }) => day);
  if (lake === undefined || days.length === 0) return days;
  let equal: Day[] = [];
  let reason = 'the lake has other rows';
  terminal.progress('comparing old days with the lake');
  try {
    if (existsSync(files.published))
      equal = await withLake({ dataDir, lake }, invocation, async (opened) => {
        await new LakeState(journal, lake).newestOfOurs(opened);
        return verifiedEvents(opened, await publishedAlike(opened, due));
      });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    reason = messageOf(error).replace(/[.]$/, '');
  }
  const waiting = days.filter((day) => !equal.includes(day));
  if (waiting.length === 0) return equal;
  const sentence = `Events of ${listDays(waiting)} stay in the file although they are older than retention.events, because they could not be compared with the lake: ${reason}`;
  const longest = shiftDay(dayOf(effects.now()), -(retention.events ?? 0) - PATIENCE_DAYS);
  if (waiting.some((day) => day < longest)) {
    report.attention.push({
      advice: `${sentence}. \`dawnload lake verify\` shows the differences, \`dawnload lake push\` corrects them.`,
      list: 'dawnload lake verify',
    });
  } else terminal.warn(`${sentence}.`);
  return equal;
}

/** The days whose rows are equal in the private file and in the published one, which was pushed. */
async function publishedAlike({ session }: Lake, days: readonly LoadedDay[]): Promise<Day[]> {
  const shape = z.object({ date: z.string(), pull: z.string(), loaded_at_ms: z.number() });
  const published = await session.rows('lake/published_events', shape);
  const loads = new Set(published.map((row) => `${row.date} ${row.pull} ${row.loaded_at_ms}`));
  return days.flatMap(({ day, pull, loadedAt }) =>
    loads.has(`${day} ${pull} ${loadedAt.getTime()}`) ? [day] : [],
  );
}

/** The content of the lake, and its last writer. */
import type { Day } from '../ground/calendar.js';
import { z } from 'zod';
import { changesOf, type Changes } from './transaction.js';
import { latestCommits, type Commit } from './commits.js';
import type { Lake } from './lake.js';

interface LakeStatus extends Changes {
  /** Newest first. */
  readonly commits: readonly Commit[];
  readonly coverage: readonly {
    readonly stream: string;
    readonly days: number;
    readonly first: Day;
    readonly last: Day;
    readonly rows: number;
  }[];
  /** Days of events that were removed from the file. */
  readonly removed: readonly Day[];
}

const covered = z
  .object({
    stream: z.string(),
    days: z.number(),
    first_date: z.string(),
    last_date: z.string(),
    rows: z.number(),
  })
  .transform(({ first_date, last_date, ...rest }) => ({ ...rest, first: first_date, last: last_date }));

/** @throws ConfigError if the lake is not set up */
export async function statusOf(lake: Lake, commits: number): Promise<LakeStatus> {
  const removed = await lake.session.rows('lake/removed_days', z.object({ date: z.string() }));
  return {
    commits: await latestCommits(lake, commits),
    coverage: await lake.session.rows('lake/coverage', covered, lake.ops),
    removed: removed.map(({ date }) => date),
    ...(await changesOf(lake)),
  };
}

/** The content of the lake, and its last writer. */
import { z } from 'zod';
import { changesOf } from './transaction.js';
import { latestCommits } from './commits.js';
import type { Lake } from './lake.js';

const covered = z.object({
  stream: z.string(),
  days: z.number(),
  first_date: z.string(),
  last_date: z.string(),
  rows: z.number(),
});

/** @throws ConfigError if the lake is not set up */
export async function statusOf(lake: Lake, commits: number) {
  const removed = await lake.session.rows('lake/removed_days', z.object({ date: z.string() }));
  return {
    /** Newest first. */
    commits: await latestCommits(lake, commits),
    coverage: await lake.session.rows('lake/coverage', covered, lake.ops),
    /** Days of events that were removed from the file. */
    removed: removed.map(({ date }) => date),
    ...(await changesOf(lake)),
  };
}

/** DuckDB's memory limits: the ordinary one, and higher ones for loads that run out of memory. */
import { availableParallelism, totalmem } from 'node:os';
import { isOutOfMemory } from '../disk/duckdb.js';
import type { Session } from './session.js';

interface LimitSettings {
  readonly memoryLimitMb?: number;
  readonly threads?: number;
}

/** DuckDB's memory limit in MB. It is enough for a day of any size with ordinary messages. The process needs about 150 MB more. */
const ORDINARY_MB = 320;

/** The maximum share of the machine's memory that a large load may use. */
const AT_MOST = 0.6;

/** The share of DuckDB's memory that the JSON of concurrent batches may use; the tables need the rest. */
const SHARE_OF_BATCHES = 0.4;

/** The limits of an ordinary load; `batchBytes` is the amount of JSON that one thread prepares at a time. */
export const limitsOf = ({
  memoryLimitMb: megabytes = ORDINARY_MB,
  threads = Math.min(availableParallelism(), 4),
}: LimitSettings) => ({
  megabytes,
  threads,
  batchBytes: (megabytes * SHARE_OF_BATCHES * 2 ** 20) / threads,
});

export type MemoryLimit = Readonly<ReturnType<typeof limitsOf>>;

/** Factors by which the limit is raised, one after the other. Batches shrink by the same factor. */
const STEPS = [3, 10];

/** Tries the work with one limit after the other until one is enough. */
export async function withEnoughMemory<L, T>(
  limits: readonly L[],
  work: (limit: L) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (const limit of limits) {
    try {
      return await work(limit);
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/**
 * Does the work within the limits, and repeats it with higher limits if DuckDB runs out of memory. Repetitions use one thread, because each
 * thread has a page and its messages in memory.
 */
export async function withMemoryLimit<T>(
  session: Session,
  limits: MemoryLimit,
  work: (limits: MemoryLimit) => Promise<T>,
): Promise<T> {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  const most = Math.max(limits.megabytes, Math.floor(machine * AT_MOST));
  const higher = STEPS.map((step) => ({
    megabytes: Math.min(limits.megabytes * step, most),
    threads: 1,
    batchBytes: limits.batchBytes / step,
  }));
  const apply = ({ megabytes, threads }: MemoryLimit): Promise<void> =>
    session.run('ops/memory_limit', { megabytes: String(megabytes), threads: String(threads) });
  let current = limits;
  try {
    return await withEnoughMemory([limits, ...higher], async (next) => {
      current = next;
      if (next !== limits) await apply(next);
      return work(next);
    });
  } finally {
    if (current !== limits) {
      // DuckDB refuses a lower limit while it has more than that in memory. Then the higher limit stays; the work is done anyway.
      await session.checkpoint();
      await apply(limits).catch((error: unknown) => {
        if (!isOutOfMemory(error)) throw error;
      });
    }
  }
}

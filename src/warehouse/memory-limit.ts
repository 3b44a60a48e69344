/** The memory that DuckDB may use. Messages of 100 KB need much more of it than messages of 1 KB, on any number of pages. */
import { availableParallelism, totalmem } from 'node:os';
import { messageOf } from '../errors.js';
import type { Session } from './session.js';

/** Enough for a day of any size with ordinary messages; the process takes about 150 MB more. */
const ORDINARY_MB = 320;

/** The share of the machine that an extraordinary load may take. */
const AT_MOST = 0.6;

export interface MemoryLimit {
  readonly megabytes: number;
  readonly threads: number;
}

export function ordinaryLimit(
  megabytes = ORDINARY_MB,
  threads = Math.min(availableParallelism(), 4),
): MemoryLimit {
  return { megabytes, threads };
}

/** The factors of the higher limits of an extraordinary load. */
const STEPS = [3, 10];

/** One thread, since each holds a page and its messages in memory, and at most a share of the machine's memory. */
function higherLimits({ megabytes }: MemoryLimit): MemoryLimit[] {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  const most = Math.max(megabytes, Math.floor(machine * AT_MOST));
  return STEPS.map((step) => ({ megabytes: Math.min(megabytes * step, most), threads: 1 }));
}

/** Does the work within the limits; again with higher ones where DuckDB ran out of memory. */
export async function withMemoryLimit<T>(
  session: Session,
  limits: MemoryLimit,
  work: (limits: MemoryLimit) => Promise<T>,
): Promise<T> {
  let given = limits;
  let [next, ...higher] = higherLimits(limits);
  try {
    for (;;) {
      try {
        return await work(given);
      } catch (error) {
        if (next === undefined || !messageOf(error).includes('Out of Memory Error')) throw error;
        given = next;
        await apply(session, given);
        [next, ...higher] = higher;
      }
    }
  } finally {
    if (given !== limits) await apply(session, limits);
  }
}

async function apply(session: Session, { megabytes, threads }: MemoryLimit): Promise<void> {
  await session.run('ops/memory_limit', { megabytes: String(megabytes), threads: String(threads) });
}

/** The memory that DuckDB may use. Messages of 100 KB need much more of it than messages of 1 KB, on any number of pages. */
import { availableParallelism, totalmem } from 'node:os';
import { messageOf } from '../errors.js';
import type { Session } from './session.js';

/** Enough for a day of any size with ordinary messages; the process takes about 150 MB beside it. */
const ORDINARY_MB = 320;

/** The share of the machine that an extraordinary load may take. */
const AT_MOST = 0.6;

export interface Room {
  readonly megabytes: number;
  readonly threads: number;
}

export function ordinaryRoom(megabytes = ORDINARY_MB, threads = Math.min(availableParallelism(), 4)): Room {
  return { megabytes, threads };
}

/** How much more an extraordinary load is given, step by step. */
const STEPS = [3, 10];

/** One thread, since each keeps a page and its messages in hand, and no more memory than the machine can well spare. */
function roomierThan({ megabytes }: Room): Room[] {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 20;
  const most = Math.max(megabytes, Math.floor(machine * AT_MOST));
  return STEPS.map((step) => ({ megabytes: Math.min(megabytes * step, most), threads: 1 }));
}

/** Does the work with the room that it is told; again with more where that did not suffice. */
export async function withRoom<T>(
  session: Session,
  room: Room,
  work: (room: Room) => Promise<T>,
): Promise<T> {
  let given = room;
  let [next, ...rooms] = roomierThan(room);
  try {
    for (;;) {
      try {
        return await work(given);
      } catch (error) {
        if (next === undefined || !messageOf(error).includes('Out of Memory Error')) throw error;
        given = next;
        await take(session, given);
        [next, ...rooms] = rooms;
      }
    }
  } finally {
    if (given !== room) await take(session, room);
  }
}

async function take(session: Session, { megabytes, threads }: Room): Promise<void> {
  await session.run('ops/room', { megabytes: String(megabytes), threads: String(threads) });
}

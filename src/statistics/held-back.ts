/** Days whose answer was held back, since it would have deleted most of what the warehouse holds of them. */
import { rangesOf, type Day } from '../calendar.js';
import type { Gap } from '../run/gap.js';
import type { RunContext } from '../run/context.js';
import type { DayPull } from '../storage/pull.js';

type FreeStream = DayPull['stream'];

/** Those of the days whose last answer was held back. */
export async function heldAmong(
  days: readonly Day[],
  { warehouse }: Pick<RunContext, 'warehouse'>,
  stream: FreeStream,
): Promise<Day[]> {
  const held = new Set(await warehouse.heldBack(stream));
  return days.filter((day) => held.has(day));
}

/** What the run reports of them. */
export function gapsOf(held: readonly Day[], stream: FreeStream): Gap[] {
  return rangesOf(held).map((days) => ({
    stream,
    days,
    reason:
      'The service answered with nothing, or with less than half of its earlier answer, so the warehouse keeps what it ' +
      'holds. The next run asks again and accepts what two nights agree on. To accept it now: ' +
      `\`dawnload backfill --start ${days.start} --end ${days.end} --accept-empty\`.`,
  }));
}

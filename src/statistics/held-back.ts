/** Days whose answer was held back, since it would have wiped what the warehouse holds of them. */
import { rangesOf, type Day } from '../calendar.js';
import type { Gap } from '../run/gap.js';
import type { RunContext } from '../run/context.js';
import type { Stream } from '../storage/pull.js';

type FreeStream = Exclude<Stream, 'events'>;

/** Those of the days whose last answer was held back. */
export async function heldAmong(
  days: readonly Day[],
  { warehouse }: Pick<RunContext, 'warehouse'>,
  stream: FreeStream,
): Promise<Day[]> {
  const held = new Set(await warehouse.heldBack(stream));
  return days.filter((day) => held.has(day));
}

/** What the run says of them. */
export function gapsOf(held: readonly Day[], stream: FreeStream): Gap[] {
  return rangesOf(held).map((days) => ({
    stream,
    days,
    reason:
      'the service answers with nothing, or with less than half of what it answered before; what the warehouse holds ' +
      'stays, the next run asks again and believes what two nights agree on, and ' +
      `\`dawnload backfill --start ${days.start} --end ${days.end} --accept-empty\` believes it at once`,
  }));
}

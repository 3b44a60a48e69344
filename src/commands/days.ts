/** The days that a person typed, checked before anything is done with them. */
import {
  completeFrom,
  dayCount,
  dayOf,
  formatKst,
  isDay,
  lastCompleteDay,
  type Day,
  type DayRange,
} from '../calendar.js';
import { TryLaterError, UsageError } from '../errors.js';
import { formatDuration } from '../terminal/terminal.js';

/** No warehouse of this service goes back further; a mistyped year must not cause ten thousand requests. */
const MOST_DAYS = 3_700;

/**
 * A range of complete KST days.
 *
 * @throws UsageError for a day that does not exist, a range that ends before it starts or lies in the future
 * @throws TryLaterError when its last days are not complete yet
 */
export function parseDays(startText: string, endText: string, now: Date): DayRange {
  const start = parseDay('--start', startText);
  const end = parseDay('--end', endText);
  if (end < start) {
    throw new UsageError(`--end ${end} is before --start ${start}.`, { hint: 'Swap them, or correct one.' });
  }
  const today = dayOf(now);
  const last = lastCompleteDay(now);
  if (end > today) {
    throw new UsageError(`${start > today ? start : end} is in the future (today is ${today} in Korea).`, {
      hint: `The last complete day is ${last}.`,
    });
  }
  if (end > last) {
    const from = completeFrom(end);
    throw new TryLaterError(`${end} is not complete before ${formatKst(from)}.`, {
      hint: `Try again in ${formatDuration(from.getTime() - now.getTime())}, or end with ${last}.`,
    });
  }
  if (dayCount({ start, end }) > MOST_DAYS) {
    throw new UsageError(`${start} to ${end} is more than ${MOST_DAYS} days.`, {
      hint: 'Correct --start, or backfill in parts.',
    });
  }
  return { start, end };
}

function parseDay(flag: string, text: string): Day {
  if (isDay(text)) return text;
  throw new UsageError(`${flag} ${text} is not a day that exists.`, { hint: 'Write it like 2026-11-20.' });
}

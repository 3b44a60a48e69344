/** A backfill: the steps of a night for a given range of days. Free data is loaded again; paid days are never requested twice. */
import { completeFrom, dayCount, dayOf, formatKst, isDay, lastCompleteDay } from '../src/ground/calendar.js';
import type { DayRange } from '../src/ground/calendar.js';
import { TryLaterError, UsageError } from '../src/ground/errors.js';
import { keptFrom, type Job, type Retention } from '../src/ground/streams.js';
import { CHOICES, DAY_CHOICES } from '../src/streams/index.js';
import { didYouMean } from '../src/ground/text.js';
import { formatDuration } from '../src/terminal/text.js';
import { nightSteps } from './nightly.js';

/** The steps of a backfill: those of a night without pushes. */
export const BACKFILL_STEPS = nightSteps({ pushes: [] });

/** The options of the command as they were typed. */
interface Wish {
  readonly start: string;
  readonly end: string;
  readonly streams?: string;
  readonly yesPaid?: boolean;
  readonly acceptEmpty?: boolean;
}

export function backfillJob(
  { yesPaid = false, acceptEmpty = false, ...wish }: Wish,
  retention: Retention,
  now: Date,
): Job {
  const days = parseDays(wish.start, wish.end, now);
  return {
    name: 'backfill',
    streams: parseStreams(wish.streams),
    days,
    again: days,
    acceptEmpty,
    eventDays: days,
    keptFrom: keptFrom(retention, now),
    consent: yesPaid ? 'given' : 'ask',
  };
}

function parseStreams(text: string | undefined): ReadonlySet<string> {
  const names = text?.split(',').map((name) => name.trim()) ?? DAY_CHOICES;
  return new Set(
    names.map((name) => {
      const stream = CHOICES.find((choice) => choice === name);
      if (stream !== undefined) return stream;
      throw new UsageError(`"${name}" is not a stream.`, {
        hint: `${didYouMean(name, CHOICES)}Use --streams with one or more of ${CHOICES.join(',')}.`,
      });
    }),
  );
}

/** Maximum length of the range: no warehouse goes back further, and a mistyped year must not cause thousands of requests. */
const MOST_DAYS = 3_700;

/**
 * Parses a range of complete KST days.
 *
 * @throws UsageError for a day that does not exist, or a range that ends before its start or in the future
 * @throws TryLaterError if the last days of the range are not complete yet
 */
export function parseDays(start: string, end: string, now: Date): DayRange {
  for (const [flag, text] of Object.entries({ start, end }))
    if (!isDay(text))
      throw new UsageError(`--${flag} ${text} is not a day that exists.`, {
        hint: 'Write it like 2026-11-20.',
      });
  if (end < start)
    throw new UsageError(`--end ${end} is before --start ${start}.`, { hint: 'Swap them, or correct one.' });
  const today = dayOf(now);
  const last = lastCompleteDay(now);
  if (end > today)
    throw new UsageError(`${start > today ? start : end} is in the future (today is ${today} in Korea).`, {
      hint: `The last complete day is ${last}.`,
    });
  if (end > last) {
    const from = completeFrom(end);
    throw new TryLaterError(`${end} is not complete before ${formatKst(from)}.`, {
      hint: `Try again in ${formatDuration(from.getTime() - now.getTime())}, or end with ${last}.`,
    });
  }
  if (dayCount({ start, end }) > MOST_DAYS)
    throw new UsageError(`${start} to ${end} is more than ${MOST_DAYS} days.`, {
      hint: 'Correct --start, or backfill in parts.',
    });
  return { start, end };
}

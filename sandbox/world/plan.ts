/** A day's plan: the number of events of each kind. It determines the statistics and the numbering of records. */
import { completeFrom, type Day, dayOf, shiftDay, windowOf } from '../../src/ground/calendar.js';
import { type Conversion, conversionsOn } from './conversion.js';
import { pair } from './random.js';
import { expectedEvents, type Segment, segmentsOn } from './segment.js';
import { allStreams, type Stream } from './stream.js';

/** The share of a day's data that is available before 07:00 KST of the next day. */
const INCOMPLETE_SHARE = 0.6;

/** Plans that are kept; a plan has a few hundred numbers. */
const KEPT_PLANS = 64;

/** One stream's part of a day. */
export interface StreamDay {
  readonly stream: Stream;
  readonly segments: readonly Segment[];
  readonly conversions: readonly Conversion[];
}

export interface DayPlan {
  readonly day: Day;
  /** Days since 1970-01-01. */
  readonly number: number;
  /** The first instant of the KST day, in microseconds since 1970. */
  readonly startMicros: number;
  readonly streams: readonly StreamDay[];
}

export interface World {
  readonly seed: number;
  readonly streams: readonly Stream[];
  /** Factor from a stream's volume to its sends. */
  readonly scale: number;
  planOf(day: Day): DayPlan;
}

/** Days since 1970-01-01. */
export function dayNumber(day: Day): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);
}

/** A world with about this many events a day, averaged over whole weeks. */
export function createWorld(seed: number, eventsPerDay: number): World {
  const streams = allStreams(seed);
  let week = 0;
  for (let day = 0; day < 7; day += 1) {
    for (const stream of streams) week += expectedEvents(stream, day);
  }
  const scale = eventsPerDay / (week / 7);
  const plans = new Map<Day, DayPlan>();

  function makePlan(day: Day): DayPlan {
    const number = dayNumber(day);
    const parts = streams.map((stream) => ({
      stream,
      segments: segmentsOn(stream, number, scale),
      conversions: conversionsOn(stream, number, scale),
    }));
    return {
      day,
      number,
      startMicros: windowOf(day).start.getTime() * 1000,
      streams: parts.filter((part) => part.segments.length > 0),
    };
  }

  return {
    seed,
    streams,
    scale,
    planOf(day) {
      const kept = plans.get(day);
      if (kept !== undefined) return kept;
      const plan = makePlan(day);
      if (plans.size >= KEPT_PLANS) {
        const [oldest] = plans.keys();
        if (oldest !== undefined) plans.delete(oldest);
      }
      plans.set(day, plan);
      return plan;
    },
  };
}

/** The share of a day's data that is available at `now`: none of a future day, all of a complete one. */
export function shareOf(day: Day, now: Date): number {
  if (day > dayOf(now)) return 0;
  return now >= completeFrom(day) ? 1 : INCOMPLETE_SHARE;
}

/** A count when only a share of the day has passed. */
export function shared(count: number, share: number): number {
  return share === 1 ? count : Math.floor(count * share);
}

/** How much of a day the statistics show. */
export interface View {
  readonly share: number;
  /** Whether some deliveries have not been reported yet. */
  readonly isFirst: boolean;
}

/** On the first morning a few deliveries are still missing; from the second one on every count is final. */
export function viewOf(day: Day, now: Date, restates: boolean): View {
  const isFirst = restates && now >= completeFrom(day) && now < completeFrom(shiftDay(day, 1));
  return { share: shareOf(day, now), isFirst };
}

/** One segment in eight reports a few deliveries late. */
const LATE_ONE_IN = 8;

/** Smaller segments are never late, so that clicks never exceed deliveries. */
const LATE_LEAST = 20;

/** How many of a segment's events the statistics include. Written events are included immediately. */
export function knownIn({ stream, role, sentOn, count, times }: Segment, { share, isFirst }: View): number {
  if (times !== undefined) return count;
  const chance = pair(stream.seed ^ 0x2f6b1d, sentOn);
  const isLate = isFirst && role === 'delivered' && count >= LATE_LEAST && chance % LATE_ONE_IN === 0;
  return shared(count, share) - (isLate ? 1 + ((chance >>> 8) % 3) : 0);
}

/** A segment's count in the statistics. */
export function countIn(segment: Segment, view: View): number {
  const known = knownIn(segment, view);
  const { first, gone = [] } = segment;
  return known - gone.filter((send) => send < first + known).length;
}

/** The KST days that an interval touches, oldest first; `end` is excluded. */
export function daysTouched(start: Date, end: Date): Day[] {
  const last = dayOf(new Date(end.getTime() - 1));
  const days: Day[] = [];
  for (let day = dayOf(start); day <= last; day = shiftDay(day, 1)) days.push(day);
  return days;
}

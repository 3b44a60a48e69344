/** A day's plan: how many events of each kind there are. Statistics come from it, and records are numbered in it. */
import { completeFrom, type Day, dayOf, shiftDay, windowOf } from '../../src/calendar.js';
import { type Conversion, conversionsOn } from './conversion.js';
import { expectedEvents, type Segment, segmentsOn } from './segment.js';
import { allStreams, type Stream } from './stream.js';

/** The share of a day's data that is there before 07:00 KST of the next day. */
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

/** A world whose days have about so many events, averaged over whole weeks. */
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

/** The share of a day's data that is there at `now`: nothing of the future, all of what is complete. */
export function shareOf(day: Day, now: Date): number {
  if (day > dayOf(now)) return 0;
  return now >= completeFrom(day) ? 1 : INCOMPLETE_SHARE;
}

/** A count as it stands when only a share of the day is there. */
export function shared(count: number, share: number): number {
  return share === 1 ? count : Math.floor(count * share);
}

/** The KST days that an interval touches, oldest first; `end` is excluded. */
export function daysTouched(start: Date, end: Date): Day[] {
  const last = dayOf(new Date(end.getTime() - 1));
  const days: Day[] = [];
  for (let day = dayOf(start); day <= last; day = shiftDay(day, 1)) days.push(day);
  return days;
}

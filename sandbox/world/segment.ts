/** A segment: the events of one name that one stream has on one day. Records are its numbers 0 to count - 1. */
import { CHANNELS, TEXT_REASONS } from './channels.js';
import { happenings, pair, successes } from './random.js';
import type { Stream } from './stream.js';
import { WEEKDAY_FACTORS } from './hours.js';

/** Which counter of the statistics an event belongs to; `other` belongs to none. */
export type Role = 'success' | 'failure' | 'delivered' | 'click' | 'other';

/** How long after its send an event happens. */
type Delay = 'none' | 'seconds' | 'hours' | 'next-day';

export interface Segment {
  readonly stream: Stream;
  readonly event: string;
  readonly role: Role;
  readonly count: number;
  /** Event j belongs to send number `first + j` of the day `sentOn`, so that a click has a send before it. */
  readonly first: number;
  /** The day of the sends, as days since 1970: the day of the events, or (late clicks) the one before. */
  readonly sentOn: number;
  readonly delay: Delay;
  /** Failure reasons: event j has reason `(first + j) % reasons.length`; empty if nothing failed. */
  readonly reasons: readonly string[];
  /** When each event happens, microseconds since 1970, if they were written through the interface. */
  readonly times?: readonly number[];
  /** Sends to users who were deleted before; they do not happen. */
  readonly gone?: readonly number[];
}

interface Sends {
  readonly success: number;
  readonly failure: number;
}

/** Sends expected on a day, before chance. */
function expectedSends(stream: Stream, day: number, scale: number): number {
  // 1970-01-01, day 0, was a Thursday.
  const weekday = (((day + 4) % 7) + 7) % 7;
  return stream.weekdays.includes(weekday) ? stream.volume * scale * (WEEKDAY_FACTORS[weekday] ?? 1) : 0;
}

export function sendsOn(stream: Stream, day: number, scale: number): Sends {
  const chance = pair(stream.seed, day);
  const attempted = happenings(expectedSends(stream, day, scale), chance);
  const failure = successes(attempted, CHANNELS[stream.channel].failure, chance ^ 0x0f);
  return { success: attempted - failure, failure };
}

interface Clicks {
  readonly reached: number;
  readonly today: number;
  readonly tomorrow: number;
}

/** Counts, for a day's successful sends, those that reach a person, those clicked immediately, and those clicked only on the next day. */
function clicksOf(stream: Stream, day: number, success: number): Clicks {
  const { delivered, click, lateClicks } = CHANNELS[stream.channel];
  const chance = pair(stream.seed ^ 0x51ed270b, day);
  const reached = delivered === null ? success : successes(success, delivered.rate, chance);
  if (click === null) return { reached, today: 0, tomorrow: 0 };
  const rate = click.rate * stream.lift;
  return {
    reached,
    today: successes(reached, rate * (1 - lateClicks), chance ^ 0x33),
    tomorrow: successes(reached, rate * lateClicks, chance ^ 0x55),
  };
}

/** All segments of a stream's day, in a fixed order, without empty ones. */
export function segmentsOn(stream: Stream, day: number, scale: number): Segment[] {
  const rules = CHANNELS[stream.channel];
  const { success, failure } = sendsOn(stream, day, scale);
  const { reached, today, tomorrow } = clicksOf(stream, day, success);
  const segments: Segment[] = [];
  const add = (event: string, role: Role, count: number, rest: Partial<Segment> = {}) => {
    if (count <= 0) return;
    segments.push({
      stream,
      event,
      role,
      count,
      first: 0,
      sentOn: day,
      delay: 'none',
      reasons: [],
      ...rest,
    });
  };

  add('send_success', 'success', success);
  add('send_failure', 'failure', failure, { first: success, reasons: rules.reasons });
  if (rules.delivered !== null) add(rules.delivered.event, 'delivered', reached, { delay: 'seconds' });
  if (rules.click !== null) {
    add(rules.click.event, 'click', today, { delay: 'hours' });
    const before = clicksOf(stream, day - 1, sendsOn(stream, day - 1, scale).success);
    const late = Math.min(before.tomorrow, before.reached - before.today);
    add(rules.click.event, 'click', late, { first: before.today, sentOn: day - 1, delay: 'next-day' });
  }
  for (const { event, rate, apart } of rules.other) {
    // People who close a message do not click it: they are counted from the other end.
    const room = apart ? reached - today - tomorrow : reached;
    const chance = pair(stream.seed ^ 0x2f, day);
    const count = Math.max(apart ? 0 : today, Math.min(room, successes(reached, rate, chance)));
    add(event, 'other', count, { first: apart ? reached - count : 0, delay: 'hours' });
  }
  if (rules.failover !== null) {
    const rescued = successes(failure, rules.failover, pair(stream.seed ^ 0x77, day));
    add('failover_text_message_send_success', 'other', rescued, { first: success, delay: 'seconds' });
    add('failover_text_message_send_failure', 'other', failure - rescued, {
      first: success + rescued,
      delay: 'seconds',
      reasons: TEXT_REASONS,
    });
  }
  return segments;
}

/** A stream's expected events on a day, over all names, for scaling to `eventsPerDay`. */
export function expectedEvents(stream: Stream, day: number): number {
  const { failure, delivered, click, other, failover } = CHANNELS[stream.channel];
  const reached = (1 - failure) * (delivered?.rate ?? 1);
  const perSend =
    1 +
    (delivered === null ? 0 : reached) +
    reached * (click?.rate ?? 0) * stream.lift +
    reached * other.reduce((sum, { rate }) => sum + rate, 0) +
    (failover === null ? 0 : failure);
  return expectedSends(stream, day, 1) * perSend;
}

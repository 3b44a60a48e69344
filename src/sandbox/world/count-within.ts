/** How many of a segment's events happen in a window of time, and why those that failed did. */
import { windowOf } from '../../calendar.js';
import { type DayPlan, shared } from './plan.js';
import type { Segment } from './segment.js';
import { eventMicros, messageChance, sendingOf } from './sending.js';

export interface Count {
  count: number;
  /** By failure reason; nothing for events that are no failures. */
  byReason: Map<string, number>;
}

export function countWithin(
  segment: Segment,
  plan: DayPlan,
  scale: number,
  share: number,
  start: Date,
  end: Date,
): Count {
  const here = shared(segment.count, share);
  const day = windowOf(plan.day);
  if (segment.reasons.length === 0 && start <= day.start && end >= day.end) {
    return { count: here, byReason: new Map() };
  }
  const from = start.getTime() * 1000;
  const to = end.getTime() * 1000;
  const sending = sendingOf(segment.stream, segment.sentOn, scale);
  const found: Count = { count: 0, byReason: new Map() };
  for (let send = segment.first; send < segment.first + here; send += 1) {
    const micros = plan.startMicros + eventMicros(segment, sending, messageChance(sending, send));
    if (micros < from || micros >= to) continue;
    found.count += 1;
    const reason = segment.reasons[send % segment.reasons.length];
    if (reason !== undefined) found.byReason.set(reason, (found.byReason.get(reason) ?? 0) + 1);
  }
  return found;
}

/** What the daily statistics (E17, E18) count of a stream's day; by construction the number of its events. */
import { CHANNELS } from './channels.js';
import { shared, type StreamDay } from './plan.js';
import type { Role } from './segment.js';

export interface Counters {
  readonly message_sent: number;
  readonly message_failed: number;
  readonly delivered: number | null;
  readonly click: number | null;
}

function countRole(part: StreamDay, role: Role, share: number): number {
  let count = 0;
  for (const segment of part.segments) if (segment.role === role) count += shared(segment.count, share);
  return count;
}

export function countersOf(part: StreamDay, share: number): Counters {
  const rules = CHANNELS[part.stream.channel];
  const failed = countRole(part, 'failure', share);
  return {
    message_sent: countRole(part, 'success', share) + failed,
    message_failed: failed,
    delivered: rules.delivered === null ? null : countRole(part, 'delivered', share),
    click: rules.click === null ? null : countRole(part, 'click', share),
  };
}

function plus(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

export function addCounters(a: Counters, b: Counters): Counters {
  return {
    message_sent: a.message_sent + b.message_sent,
    message_failed: a.message_failed + b.message_failed,
    delivered: plus(a.delivered, b.delivered),
    click: plus(a.click, b.click),
  };
}

export function isNothing(counters: Counters): boolean {
  return counters.message_sent + (counters.delivered ?? 0) + (counters.click ?? 0) === 0;
}

/** What could not be had from the service this time, and why: the run goes on with the rest and says so at its end. */
import type { DayRange } from '../calendar.js';
import { dayCount } from '../calendar.js';

export interface Gap {
  readonly stream: 'statistics' | 'statistics_by_subchannel' | 'campaigns' | 'events';
  readonly days: DayRange;
  /** One short clause without a full stop. */
  readonly reason: string;
}

/** The gap as a line for people. */
export function describeGap({ stream, days, reason }: Gap): string {
  const when = dayCount(days) === 1 ? days.start : `${days.start} to ${days.end}`;
  return `${stream} of ${when}: ${reason}`;
}

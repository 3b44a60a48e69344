/** What a run could not pull or load, and why: the run continues with the rest and reports it at its end. */
import type { DayRange } from '../calendar.js';
import { dayCount } from '../calendar.js';
import type { Stream } from '../storage/pull.js';

export interface Gap {
  readonly stream: Stream;
  readonly days: DayRange;
  /** Whole sentences: what happened, then what to do. */
  readonly reason: string;
}

const NAMES: Record<Stream, string> = {
  statistics: 'Daily statistics',
  statistics_by_subchannel: 'Statistics by sub-channel',
  campaigns: 'Campaign statistics',
  catalogs: 'Catalogs',
  brand_templates: 'Brand templates',
  alimtalk_templates: 'Alimtalk templates',
  opt_outs: 'Opt-outs',
  events: 'Events',
};

/** The gap as a line for people. */
export function describeGap({ stream, days, reason }: Gap): string {
  const when = dayCount(days) === 1 ? days.start : `${days.start} to ${days.end}`;
  return `${NAMES[stream]} of ${when}: ${reason}`;
}

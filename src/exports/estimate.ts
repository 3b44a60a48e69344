/** How many records a day's export would hold, from the free statistics and from earlier exports. Pure. */
import type { Day } from '../calendar.js';
import type { ExportEntry } from './entry.js';
import type { Candidate } from './budget.js';
import { estimateRecords, learnRatio, type RatioSample } from './spend.js';
import type { MessageTotals } from '../warehouse/rows.js';

export interface Estimates {
  /** In the order of the days. Without rows of daily statistics (E17) a day has no estimate. */
  readonly candidates: readonly Candidate[];
  /** Whether a landed export shows how many records a message leaves. */
  readonly learned: boolean;
}

/** Estimates in records; `totals` are those of the days that the daily statistics cover. */
export function estimateDays(
  entries: Iterable<ExportEntry>,
  totals: ReadonlyMap<Day, MessageTotals>,
  days: readonly Day[],
): Estimates {
  const samples: RatioSample[] = [];
  for (const { day, records } of entries) {
    const messages = totals.get(day)?.sent ?? 0;
    if (records !== undefined && records > 0 && messages > 0) samples.push({ records, messages });
  }
  const ratio = samples.length > 0 ? learnRatio(samples) : undefined;
  const candidates = days.map((day) => ({ day, estimate: expected(totals.get(day), ratio) }));
  return { candidates, learned: ratio !== undefined };
}

/** Whether the daily statistics of two nights agree that nothing was sent on a day: it has no events to pay for. */
export function isQuiet(totals: MessageTotals | undefined): boolean {
  return totals?.rows === 0 && totals.nights >= 2;
}

/**
 * Every counted event leaves a record: the sending, the delivery, the click. A landed export may show more records for
 * each message, never fewer than the deliveries and clicks.
 */
function expected(totals: MessageTotals | undefined, ratio: number | undefined): number | undefined {
  if (totals === undefined || totals.rows === 0) return undefined;
  const { sent, delivered, click } = totals;
  return ratio === undefined
    ? sent + delivered + click
    : Math.max(estimateRecords(sent, ratio), delivered + click);
}

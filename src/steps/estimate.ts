/** What a day's export would hold, from the free statistics and from what earlier exports turned out to hold. */
import type { Day } from '../calendar.js';
import type { ExportEntry } from '../landing/export-entry.js';
import type { Candidate } from '../landing/purse.js';
import { estimateRecords, learnRatio, type RatioSample } from '../landing/spend.js';
import type { MessageTotals } from '../warehouse/rows.js';

interface Knowledge {
  readonly ledger: { entries(): ExportEntry[] };
  readonly warehouse: { messages(day: Day): Promise<MessageTotals | undefined> };
}

/** Each day with its estimate in records; undefined where the daily statistics do not cover the day. */
export async function estimateDays(
  { ledger, warehouse }: Knowledge,
  days: readonly Day[],
): Promise<Candidate[]> {
  const samples: RatioSample[] = [];
  for (const { day, records } of ledger.entries()) {
    const totals = records === undefined ? undefined : await warehouse.messages(day);
    if (records !== undefined && totals !== undefined) samples.push({ records, messages: totals.sent });
  }
  const learnt = learnRatio(samples);
  const candidates: Candidate[] = [];
  for (const day of days) {
    const totals = await warehouse.messages(day);
    candidates.push({ day, estimate: totals && expected(totals, samples.length > 0 ? learnt : undefined) });
  }
  return candidates;
}

/**
 * Without an export to learn from, every counted thing is taken to leave a record: the sending, the delivery, the
 * click.
 */
function expected({ sent, delivered, click }: MessageTotals, ratio: number | undefined): number {
  return ratio === undefined ? sent + delivered + click : estimateRecords(sent, ratio);
}

/** How many records a message leaves in an export, learned from landed exports; and what was spent. Pure. */
import { monthOf } from '../calendar.js';
import type { ExportEntry } from './entry.js';
import { recordsOf, type Budget } from './budget.js';
import { priceOf } from '../price.js';

/**
 * Records per message as long as no export has been landed: a message leaves one for the sending, and at most about
 * two more for delivery and click (the event names of the field notes).
 */
export const DEFAULT_RATIO = 3;

/** One landed export beside what the free statistics (E17 `message_sent`) say of the same day. */
export interface RatioSample {
  readonly records: number;
  readonly messages: number;
}

/**
 * Records per message over all samples taken together, so that a small odd day weighs little. Never below one: every
 * message leaves at least the record of its sending, and an estimate had better be too high than too low.
 */
export function learnRatio(samples: Iterable<RatioSample>): number {
  let records = 0;
  let messages = 0;
  for (const sample of samples) {
    if (sample.messages <= 0 || sample.records < 0) continue;
    records += sample.records;
    messages += sample.messages;
  }
  return messages === 0 ? DEFAULT_RATIO : Math.max(1, records / messages);
}

/** The records to expect of a day with so many messages; a whole number. */
export function estimateRecords(messages: number, ratio: number): number {
  return Math.ceil(messages * ratio);
}

export interface MonthlySpend {
  /** The KST month, `YYYY-MM`, in which the exports were requested. */
  readonly month: string;
  /** Exports that are billed, or may be. */
  readonly exports: number;
  /** Records landed, and the estimates of those not landed yet. */
  readonly records: number;
  /** How many of the records are estimates only. */
  readonly estimatedRecords: number;
  /** Exports whose size is not known at all. */
  readonly unknown: number;
  /** Records times the price that was configured when each export was intended. */
  readonly price: number;
}

/** What was spent, per KST month of the request, oldest first. */
export function spendOf(entries: Iterable<ExportEntry>): MonthlySpend[] {
  const months = new Map<string, ExportEntry[]>();
  for (const entry of entries) {
    if (entry.billed === 'no') continue;
    const month = monthOf(entry.intendedAt);
    months.set(month, [...(months.get(month) ?? []), entry]);
  }
  return [...months]
    .map(([month, some]) => ({
      month,
      exports: some.length,
      ...sumOf(some),
      estimatedRecords: sumOf(some.filter(({ records }) => records === undefined)).records,
      unknown: some.filter((entry) => recordsOf(entry) === undefined).length,
    }))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
}

function sumOf(entries: readonly ExportEntry[]): { readonly records: number; readonly price: number } {
  const priced = entries.map((entry) => ({
    records: recordsOf(entry) ?? 0,
    pricePerRecord: entry.pricePerRecord,
  }));
  return { records: priced.reduce((sum, { records }) => sum + records, 0), price: priceOf(priced) };
}

/** What is spent of a budget. */
export interface Spending {
  readonly scope: 'run' | 'month';
  /** Records landed, and the estimates of those not landed yet. */
  readonly records: number;
  readonly limit: number;
  /** Records times the price that was configured when each export was intended. */
  readonly price: number;
}

/** What this run, and the KST month, have spent. */
export function spentOf(
  entries: Iterable<ExportEntry>,
  { recordsPerRun, recordsPerMonth }: Budget,
  { now, runId }: { readonly now: Date; readonly runId: string },
): { readonly run: Spending; readonly month: Spending } {
  const all = [...entries];
  const ofRun = all.filter(({ run }) => run === runId);
  const ofMonth = all.filter(({ intendedAt }) => monthOf(intendedAt) === monthOf(now));
  return {
    run: { scope: 'run', limit: recordsPerRun, ...sumOf(ofRun) },
    month: { scope: 'month', limit: recordsPerMonth, ...sumOf(ofMonth) },
  };
}

/** The one of which less is left. */
export function tighter({ run, month }: { readonly run: Spending; readonly month: Spending }): Spending {
  return run.limit - run.records < month.limit - month.records ? run : month;
}

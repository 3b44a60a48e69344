/**
 * The budget: what may be spent on exports (E20 is billed per record), per run and per KST month. Pure; it only reads the
 * ledger's entries. The unit is the record.
 */
import { monthOf, type Day } from '../calendar.js';
import type { ExportEntry } from './entry.js';
import { isResumable } from './state.js';

export interface Budget {
  readonly recordsPerRun: number;
  readonly recordsPerMonth: number;
}

export interface Candidate {
  readonly day: Day;
  /** Records; `undefined` when there are no statistics to estimate from. */
  readonly estimate: number | undefined;
}

/**
 * `waits_for_size`: an export of unknown size holds the rest of the budget until its records are known. `restored`: the
 * folder was restored, and the day may have been paid for since (restored.ts).
 */
export type BudgetVerdict =
  | 'request'
  | 'over_run_budget'
  | 'over_month_budget'
  | 'no_estimate'
  | 'waits_for_size'
  | 'no_budget'
  | 'restored';

export interface Decision {
  readonly day: Day;
  readonly verdict: BudgetVerdict;
  readonly estimate: number | undefined;
  /** Records left in the run's and in the month's budget before this day. */
  readonly leftInRun: number;
  readonly leftInMonth: number;
  /** The key (or, within one decision, the day) of the export of unknown size. */
  readonly waitsFor?: string;
}

export interface Circumstances {
  readonly now: Date;
  /** What the run of this id has intended counts against the run's budget; undefined before a run. */
  readonly runId: string | undefined;
  /** A person's consent (`--yes-paid`): permits a day without an estimate. It never widens the budget. */
  readonly yesPaid: boolean;
}

/**
 * The records that an entry takes from a budget: none when nothing is billed, its records once it has landed, and before
 * that its estimate, at least one record. `undefined`: its size is unknown.
 */
export function recordsOf({ billed, state, records, estimate }: ExportEntry): number | undefined {
  if (billed === 'no') return 0;
  if (state === 'landed' || state === 'loaded') return records;
  // An export that is read again may turn out larger than what landed first.
  const known = [records, estimate].filter((size) => size !== undefined);
  return known.length === 0 ? undefined : Math.max(1, ...known);
}

/** In a folder that was restored, what would be requested waits until a person has confirmed it. */
export function untilConfirmed(decisions: readonly Decision[], restored: boolean): readonly Decision[] {
  return decisions.map((decision) =>
    restored && decision.verdict === 'request' ? { ...decision, verdict: 'restored' } : decision,
  );
}

/** Whether an export is paid for and its records have not landed yet. */
export function isUnderWay({ state }: ExportEntry): boolean {
  return isResumable(state) && state !== 'landed';
}

/**
 * The decisions until a landed export shows how many records a message leaves: one export at a time. First estimates may
 * be wrong many times over, and several exports under way would all rely on them.
 */
export function untilLearned(
  decisions: readonly Decision[],
  learned: boolean,
  entries: Iterable<ExportEntry>,
): readonly Decision[] {
  const waitsFor = learned ? undefined : [...entries].find(isUnderWay)?.key;
  if (waitsFor === undefined) return decisions;
  return decisions.map((decision) =>
    decision.verdict === 'request' ? { ...decision, verdict: 'waits_for_size', waitsFor } : decision,
  );
}

/**
 * What to request, in the order given (newest first). A day that does not fit is named and skipped; a smaller one
 * after it may fit. At most one day without an estimate is let through, and only while something is left: its size
 * is not known before it is landed, so until then it holds the rest of the budget.
 */
export function planRequests(
  candidates: readonly Candidate[],
  budget: Budget | undefined,
  entries: Iterable<ExportEntry>,
  { now, runId, yesPaid }: Circumstances,
): Decision[] {
  const all = [...entries];
  const ofRun = all.filter(({ run }) => run !== undefined && run === runId);
  const ofMonth = all.filter(({ intendedAt }) => monthOf(intendedAt) === monthOf(now));
  let leftInRun = leftOf(budget?.recordsPerRun ?? 0, ofRun);
  let leftInMonth = leftOf(budget?.recordsPerMonth ?? 0, ofMonth);
  // One that was given up never lands: nobody waits for its size.
  let waitsFor = [...ofRun, ...ofMonth].find(
    (entry) => entry.state !== 'abandoned' && recordsOf(entry) === undefined,
  )?.key;

  return candidates.map(({ day, estimate: given }) => {
    const estimate = usable(given);
    const verdict = verdictOn(estimate, {
      budget,
      leftInRun,
      leftInMonth,
      waits: waitsFor !== undefined,
      yesPaid,
    });
    const decision: Decision = {
      day,
      verdict,
      estimate,
      leftInRun,
      leftInMonth,
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
    if (verdict === 'request') {
      leftInRun -= estimate === undefined ? leftInRun : Math.max(1, estimate);
      leftInMonth -= estimate === undefined ? leftInMonth : Math.max(1, estimate);
      if (estimate === undefined) waitsFor = day;
    }
    return decision;
  });
}

interface Left {
  readonly budget: Budget | undefined;
  readonly leftInRun: number;
  readonly leftInMonth: number;
  readonly waits: boolean;
  readonly yesPaid: boolean;
}

function verdictOn(
  estimate: number | undefined,
  { budget, leftInRun, leftInMonth, waits, yesPaid }: Left,
): BudgetVerdict {
  if (budget === undefined) return 'no_budget';
  if (estimate === undefined && !yesPaid) return 'no_estimate';
  // Whatever the estimate, an export may hold a record: a spent budget lets nothing through.
  const needed = Math.max(1, estimate ?? 1);
  if (waits) return 'waits_for_size';
  if (needed > leftInMonth) return 'over_month_budget';
  return needed > leftInRun ? 'over_run_budget' : 'request';
}

function leftOf(limit: number, entries: readonly ExportEntry[]): number {
  const spent = entries.reduce((sum, entry) => sum + (recordsOf(entry) ?? 1), 0);
  return Math.max(0, limit - spent);
}

function usable(estimate: number | undefined): number | undefined {
  return estimate !== undefined && Number.isFinite(estimate) && estimate >= 0
    ? Math.ceil(estimate)
    : undefined;
}

/** Why a day is not requested, as a clause. */
export const REASONS: Readonly<Record<Exclude<BudgetVerdict, 'request'>, string>> = {
  over_run_budget: 'over exports.budget.records_per_run',
  over_month_budget: 'over exports.budget.records_per_month',
  no_estimate: 'no daily statistics to estimate from (`backfill --yes-paid` requests it anyway)',
  waits_for_size: 'waiting for the size of an export that is under way',
  no_budget: 'exports.budget is not set',
  restored: 'perhaps paid after the backup from which the data folder was restored',
};

/** The same with its numbers; `undefined` when the day is requested. */
export function reasonFor({ verdict, estimate = 0, leftInRun, leftInMonth }: Decision): string | undefined {
  if (verdict === 'request') return undefined;
  const numbers = (left: number): string => `${REASONS[verdict]} (about ${estimate} records, ${left} left)`;
  if (verdict === 'over_run_budget') return numbers(leftInRun);
  if (verdict === 'over_month_budget') return numbers(leftInMonth);
  return REASONS[verdict];
}

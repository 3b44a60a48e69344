/** Applies the budget for exports, in records per run and per KST month (E20 is billed per record). Pure. */
import { dayCount, monthOf, type Day } from '../ground/calendar.js';
import { type Export, isUnderWay, missingDays, needsPerson } from './export.js';
import type { MessageTotals } from '../warehouse/reader.js';
import { priceOf } from '../ground/text.js';
import type { Job } from '../ground/streams.js';
import { formatCount, plural } from '../terminal/text.js';

export interface Budget {
  readonly recordsPerRun: number;
  readonly recordsPerMonth: number;
}

export interface Candidate {
  readonly day: Day;
  readonly estimate: number | undefined;
}

/** `request`, or the reason why a day is not requested (`REASONS`). */
export type BudgetVerdict = 'request' | keyof typeof REASONS;

export interface Decision extends Candidate {
  readonly verdict: BudgetVerdict;
  readonly left: number;
}

interface Circumstances {
  readonly now: Date;
  /** The run whose intents count against the limit per run; undefined if no run has started. */
  readonly runId: string | undefined;
  /** True if you consented with `--yes-paid`: a day without an estimate may be requested. The budget still applies. */
  readonly yesPaid: boolean;
}

/**
 * The records that an export costs: 0 if it is not billed, the actual number once it has landed, and the estimate until then. Undefined if
 * unknown.
 */
export function recordsOf({ billed, state, records, estimate, accepted }: Export): number | undefined {
  if (billed === 'no') return 0;
  if ((state === 'landed' || state === 'loaded') && (accepted !== true || records === 0)) return records;
  // An export that is downloaded again may turn out larger than at its first landing.
  const sizes = [records, estimate].filter((size) => size !== undefined);
  return sizes.length === 0 ? undefined : Math.max(1, ...sizes);
}

interface Facts extends Omit<Circumstances, 'yesPaid'> {
  readonly entries: readonly Export[];
  readonly messages: ReadonlyMap<Day, MessageTotals>;
  readonly budget: Budget | undefined;
  /** True if the journal may lack lines and you have not confirmed the loss; then nothing is paid. */
  readonly unsure: boolean;
  /** Days whose events are or were in the warehouse. An incomplete journal may lack the exports of such days. */
  readonly covered: ReadonlySet<Day>;
  readonly asked?: ReadonlySet<Day>;
}

/** Estimates are computed at each call, because landed exports refine the ratio of records per message. */
export function decide(
  { eventDays, consent, keptFrom }: Pick<Job, 'eventDays' | 'consent' | 'keptFrom'>,
  facts: Facts,
): Decision[] {
  const { entries, messages, budget, unsure, covered, asked } = facts;
  // A day past its retention would be deleted immediately.
  const isWanted = (day: Day): boolean =>
    (keptFrom === undefined || day >= keptFrom) && (consent !== 'budget' || !isQuiet(messages.get(day)));
  const days = missingDays(eventDays, entries)
    .reverse()
    .filter((day) => !covered.has(day) && asked?.has(day) !== true && isWanted(day));
  const { candidates, learned } = estimateDays(entries, messages, days);
  // First estimates may be wrong by a large factor. Request one export at a time until one has landed and shows the records per message.
  const waits = !learned && entries.some(isUnderWay);
  const decisions = planRequests(candidates, budget, entries, { ...facts, yesPaid: consent === 'given' });
  return decisions.map((decision): Decision => {
    if (decision.verdict === 'no_estimate' && messages.get(decision.day)?.rows === 0)
      return { ...decision, verdict: 'no_messages' };
    if (decision.verdict !== 'request') return decision;
    if (unsure) return { ...decision, verdict: 'unsure' };
    if (areAnsweredAlike(entries)) return { ...decision, verdict: 'same_answer' };
    return waits ? { ...decision, verdict: 'waits_for_size' } : decision;
  });
}

/**
 * True if the last two requests got the same unknown answer and you decided about neither. The comparison ignores words with digits, such
 * as days and request ids.
 */
function areAnsweredAlike(entries: readonly Export[]): boolean {
  const [one, other] = entries.filter(({ state }) => state !== 'withdrawn').slice(-2);
  if (one?.state !== 'ambiguous' || other?.state !== 'ambiguous' || one.answer === undefined) return false;
  if (one.note !== other.note) return false;
  const [text, otherText] = [one, other].map(({ answerText }) => answerText?.replaceAll(/\S*\d\S*/g, '#'));
  return one.answer.sha256 === other.answer?.sha256 || (text !== undefined && text === otherText);
}

/**
 * Decides which days to request, newest first. It stops at the first day that does not fit what is left, so that the newest days have no
 * gap. A day larger than a whole limit is skipped. A day without an estimate is requested only by itself, while some budget is left.
 */
export function planRequests(
  candidates: readonly Candidate[],
  budget: Budget | undefined,
  entries: Iterable<Export>,
  { now, runId, yesPaid }: Circumstances,
): Decision[] {
  const all = [...entries];
  const ofRun = all.filter(({ run }) => run !== undefined && run === runId);
  const ofMonth = all.filter(({ requestedAt }) => monthOf(requestedAt) === monthOf(now));
  let leftInRun = leftOf(budget?.recordsPerRun ?? 0, ofRun);
  let leftInMonth = leftOf(budget?.recordsPerMonth ?? 0, ofMonth);
  // An abandoned export never lands, so no day waits for its size.
  let waits = [...ofRun, ...ofMonth].some(
    (entry) => entry.state !== 'abandoned' && recordsOf(entry) === undefined,
  );
  let isFull: BudgetVerdict | undefined;
  const verdictOn = (estimate: number | undefined): BudgetVerdict => {
    if (budget === undefined) return 'no_budget';
    if (estimate === undefined && !yesPaid) return 'no_estimate';
    if (waits) return 'waits_for_size';
    if (isFull !== undefined) return isFull;
    const needed = needOf(estimate ?? 1);
    if (needed <= Math.min(leftInRun, leftInMonth)) return 'request';
    const verdict = needed > leftInMonth ? 'over_month_budget' : 'over_run_budget';
    if (needed <= Math.min(budget.recordsPerRun, budget.recordsPerMonth)) isFull = verdict;
    return verdict;
  };

  return candidates.map(({ day, estimate }) => {
    const verdict = verdictOn(estimate);
    const left = verdict === 'over_month_budget' ? leftInMonth : leftInRun;
    const decision: Decision = { day, estimate, verdict, left };
    if (decision.verdict === 'request') {
      leftInRun -= needOf(estimate ?? 1);
      leftInMonth -= needOf(estimate ?? 1);
      // No other day is requested until the size of this one is known, however much budget is left.
      waits = estimate === undefined;
    }
    return decision;
  });
}

/** The records that a request needs: at least one, so that nothing is requested once the budget is used up. */
function needOf(estimate: number): number {
  return Math.max(1, estimate);
}

function leftOf(limit: number, entries: readonly Export[]): number {
  const spent = entries.reduce((sum, entry) => sum + (recordsOf(entry) ?? 1), 0);
  return Math.max(0, limit - spent);
}

/** The reasons why a day is not requested, as clauses, by verdict. */
export const REASONS = {
  over_run_budget: 'over exports.budget for one run',
  over_month_budget: 'over exports.budget for the month',
  no_estimate: 'no daily statistics to estimate from (`backfill --yes-paid` requests it anyway)',
  // Until two nights agree that the day has no messages, runs report it.
  no_messages: 'no messages so far (`backfill --yes-paid` requests it anyway)',
  // An export of unknown size reserves the rest of the budget until it has landed.
  waits_for_size: 'waiting until an export in progress shows its size',
  no_budget: 'exports.budget is not set',
  unsure: 'it may be paid already, because the journal may lack lines (`dawnload recover`)',
  // Another request would probably get the same answer.
  same_answer:
    'the last two requests had the same answer, so your decision is needed (`dawnload exports list`)',
} as const;

/**
 * Describes the limit that the days exceed, the records that they need, and when they will be requested. Undefined if the verdict is not
 * about the budget.
 *
 * @param estimates in records, for the days that exceed the same limit, newest first
 */
export function explainLimit(
  verdict: string,
  estimates: readonly number[],
  budget: Budget | undefined,
): string | undefined {
  if (verdict !== 'over_run_budget' && verdict !== 'over_month_budget') return undefined;
  if (budget === undefined || estimates.length === 0) return undefined;
  const [limit, scope] =
    verdict === 'over_run_budget' ? [budget.recordsPerRun, 'run'] : [budget.recordsPerMonth, 'month'];
  const needs = estimates.map(needOf);
  const [least, most] = [Math.min(...needs), Math.max(...needs)];
  const day = needs.length === 1 ? 'the day' : 'each day';
  const need = least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`;
  const words = `The limit is ${plural(limit, 'record')} a ${scope}, and ${day} needs about ${need}`;
  if (least > limit) return `${words}, so no single day fits.`;
  return scope === 'month'
    ? `${words}. Days that do not fit are requested next month, or after you raise the limit.`
    : `${words}. The newest days are requested first. The others need about ${plural(runsFor(needs, limit), 'more run')}, if the budget of the month allows them, or fewer with a larger limit.${most > limit ? ' A day above the limit is requested only after you raise it.' : ''}`;
}

/** The number of runs needed to request days of these sizes, within the limit per run. Days above the limit are not counted. */
function runsFor(records: readonly number[], limit: number): number {
  let runs = 0;
  let left = 0;
  for (const need of records.filter((one) => one <= limit)) {
    if (need > left) [runs, left] = [runs + 1, limit];
    left -= need;
  }
  return runs;
}

/**
 * Estimates the records of each day. A day without rows in the daily statistics (E17) gets no estimate. `learned` is true if a complete
 * landed export gave the ratio of records per message.
 *
 * @param totals for the days that the daily statistics cover
 */
export function estimateDays(
  entries: Iterable<Export>,
  totals: ReadonlyMap<Day, MessageTotals>,
  days: readonly Day[],
) {
  let records = 0;
  let messages = 0;
  const whole = [...entries].filter((entry) => entry.accepted !== true && !needsPerson(entry));
  for (const { day, records: landed = 0 } of whole) {
    const sent = totals.get(day)?.sent ?? 0;
    if (landed === 0 || sent <= 0) continue;
    records += landed;
    messages += sent;
  }
  // One ratio for all days, so that a small unusual day has little weight. The ratio is at least one, because every message has a record
  // and an estimate should err on the high side.
  const ratio = messages === 0 ? undefined : Math.max(1, records / messages);
  const candidates = days.map((day) => ({ day, estimate: expected(totals.get(day), ratio) }));
  return { candidates, learned: ratio !== undefined };
}

/** Adds a forecast for days without totals: the mean of the last four days with the same weekday, or else of the last 28 days. */
export function withForecasts(
  totals: ReadonlyMap<Day, MessageTotals>,
  days: readonly Day[],
): Map<Day, MessageTotals> {
  const all = new Map(totals);
  const withRows = [...totals].filter(([, { rows }]) => rows > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const day of days.filter((one) => !totals.has(one))) {
    const before = withRows.filter(([date]) => date < day);
    const alike = before.filter(([date]) => dayCount({ start: date, end: day }) % 7 === 1).slice(-4);
    const like = (alike.length > 0 ? alike : before.slice(-28)).map(([, one]) => one);
    if (like.length === 0) continue;
    const mean = (name: 'sent' | 'failed' | 'delivered' | 'click'): number =>
      Math.round(like.reduce((sum, one) => sum + one[name], 0) / like.length);
    const [sent, failed, delivered, click] = [mean('sent'), mean('failed'), mean('delivered'), mean('click')];
    all.set(day, { sent, failed, delivered, click, rows: 1, nights: 0 });
  }
  return all;
}

/** True if two nights agree that nothing was sent on the day. Then its events are not worth a request. */
export function isQuiet(totals: MessageTotals | undefined): boolean {
  return totals?.rows === 0 && totals.nights >= 2;
}

/**
 * The number of records to expect. Each sending, delivery and click has a record. The ratio of landed exports may raise the number, but
 * never below the deliveries and clicks.
 */
function expected(totals: MessageTotals | undefined, ratio: number | undefined): number | undefined {
  if (totals === undefined || totals.rows === 0) return undefined;
  const { sent, delivered, click } = totals;
  const records =
    ratio === undefined ? sent + delivered + click : Math.max(Math.ceil(sent * ratio), delivered + click);
  // The service may answer with negative counts.
  return records < 0 ? undefined : records;
}

/** The spending per KST month (`YYYY-MM`) in which exports were requested, oldest first. Exports that may be billed count too. */
export function spendOf(entries: Iterable<Export>) {
  const months = new Map<string, Export[]>();
  for (const entry of entries) {
    if (entry.billed === 'no') continue;
    const month = monthOf(entry.requestedAt);
    months.set(month, [...(months.get(month) ?? []), entry]);
  }
  return [...months]
    .map(([month, billed]) => spentIn(month, billed))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
}

export function spentIn(month: string, billed: readonly Export[]) {
  return {
    month,
    exports: billed.length,
    ...spentOn(billed),
    estimated_records: billed.reduce((sum, entry) => sum + (recordsOf(entry) ?? 0) - (entry.records ?? 0), 0),
    exports_of_unknown_size: billed.filter((entry) => recordsOf(entry) === undefined).length,
  };
}

/** The records of exports, or their estimates, and their price: records times the price that was configured at the time of the request. */
export function spentOn(entries: readonly Export[]): { readonly records: number; readonly price: number } {
  const priced = entries.map((entry) => ({
    records: recordsOf(entry) ?? 0,
    pricePerRecord: entry.pricePerRecord,
  }));
  return { records: priced.reduce((sum, { records }) => sum + records, 0), price: priceOf(priced) };
}

/**
 * The stage of the paid exports: downloads the exports that are already paid for, then requests the days that the budget
 * allows.
 */
import { RefusedError } from '../ground/errors.js';
import { requestPaid, type RequestContext } from './paid-request.js';
import { eventGap, type Job } from '../ground/streams.js';
import { dayOf, listDays, monthOf, shiftDay, type Day } from '../ground/calendar.js';
import { isClosed, type Export, isUnderWay } from './export.js';
import {
  decide,
  planRequests,
  REASONS,
  recordsOf,
  type Budget,
  type BudgetVerdict,
  type Decision,
  estimateDays,
  spentOn,
} from './budget.js';
import { downloadExport, type DownloadContext } from './download.js';
import { clockTrouble } from '../service/clocks.js';
import { priceOf, pricePart } from '../ground/price.js';
import { formatCount, plural } from '../terminal/terminal.js';

/** Maximum number of exports in progress; the service generates them one after the other anyway. */
const MOST_DOWNLOADS = 3;

/** Number of nights on which an export that may lack records is read again. */
const NIGHTS = 3;

/** After this number of consecutive refusals no further days are requested, as they would most likely be refused too. */
const REFUSALS_IN_A_ROW = 2;

/** The parts of a run that paid exports use. */
export type ExportsContext = RequestContext &
  DownloadContext & {
    readonly report: { unpaidDays: readonly Unpaid[]; budget: Budget | undefined; attention: string[] };
  };

/** A day of events that was not requested, with the reason. */
export interface Unpaid {
  readonly day: Day;
  readonly verdict: Exclude<BudgetVerdict, 'request'> | 'no_consent' | 'clock';
  readonly estimate: number | undefined;
}

export async function pullEvents(job: Job, context: ExportsContext): Promise<void> {
  const { ledger, signal } = context;
  for (const entry of ledger.entries().filter(isUnderWay)) {
    signal.throwIfAborted();
    await downloadExport(context, entry);
  }
  for (const entry of ledger.entries()) {
    signal.throwIfAborted();
    if (await mayLack(context, entry)) await downloadExport(context, entry, { lookAgain: true });
  }
  await requestMissing(job, context);
  tellSpent(context);
}

/** True on the nights after an export landed if it may lack records. */
async function mayLack({ warehouse, effects }: ExportsContext, entry: Export): Promise<boolean> {
  const { state, day, landedAt, short, accepted } = entry;
  if (state !== 'loaded' || accepted || landedAt === undefined) return false;
  const [landed, today] = [dayOf(landedAt), dayOf(effects.now())];
  if (landed >= today || shiftDay(landed, NIGHTS) < today) return false;
  const { repeated, uncounted } = await warehouse.lackOf(day);
  return short !== undefined || repeated + uncounted > 0;
}

/** Prints the total spent on this run's exports, if there are any. */
function tellSpent({ ledger, config, effects, report, runId, terminal }: ExportsContext): void {
  const { budget } = config.exports;
  const requested = report.exports.filter((line) => line.requested).length;
  if (budget === undefined || requested === 0) return;
  const run = spentOn(ledger.entries().filter((entry) => entry.run === runId));
  const month = monthOf(effects.now());
  const inMonth = spentOn(ledger.entries().filter(({ requestedAt }) => monthOf(requestedAt) === month));
  const price = pricePart(run.price, config.exports.currency);
  terminal.note(
    `Spent ${formatCount(run.records)} records on ${plural(requested, 'export')}${price}; ` +
      `this month ${formatCount(inMonth.records)} of ${formatCount(budget.recordsPerMonth)} records.`,
    {
      event: 'spent',
      exports: requested,
      records_of_run: run.records,
      records_per_run: budget.recordsPerRun,
      price_of_run: run.price,
      records_of_month: inMonth.records,
      records_per_month: budget.recordsPerMonth,
      price_of_month: inMonth.price,
    },
  );
}

/**
 * Resumes one export that has an id. If the export has landed, every page is requested again and additional records are
 * kept.
 */
export async function resume(key: string, acceptIncomplete: boolean, context: ExportsContext): Promise<void> {
  const entry = context.ledger.get(key);
  await downloadExport(context, entry, { acceptIncomplete, lookAgain: isClosed(entry) });
}

/**
 * Requires the user's consent to be billed again: abandons the old export, then requests its window again within the
 * budget and downloads it.
 *
 * @throws RefusedError if the data is already downloaded or the budget does not allow the request; then nothing has
 *   changed
 */
export async function requestAgain(key: string, context: ExportsContext): Promise<void> {
  const { ledger } = context;
  ledger.assertPayableAgain(key);
  const estimate = await affordable(key, context);
  const outcome = await requestPaid(context, { again: key, estimate });
  if (typeof outcome !== 'string') await downloadExport(context, outcome);
  tellSpent(context);
}

/**
 * The expected records of an export's day, if the budget allows paying for it again. The amount that may be billed for
 * the old export is counted too.
 */
async function affordable(key: string, context: ExportsContext): Promise<number | undefined> {
  const { ledger, warehouse, config, effects, runId } = context;
  const { day } = ledger.get(key);
  // An old export of unknown size would hold the whole budget, although this request abandons it; it is therefore left
  // out.
  const others = ledger.entries().filter((entry) => entry.key !== key || recordsOf(entry) !== undefined);
  const { candidates } = estimateDays(ledger.entries(), await warehouse.messages(), [day]);
  const [decision] = planRequests(candidates, config.exports.budget, others, {
    now: effects.now(),
    runId,
    yesPaid: true,
  });
  if (decision === undefined || decision.verdict === 'request') return decision?.estimate;
  const { verdict, estimate = 1, left } = decision;
  const numbers = verdict.startsWith('over_') ? ` (about ${estimate} records, ${left} left)` : '';
  throw new RefusedError(`${day} is not requested again: ${REASONS[verdict]}${numbers}.`, {
    hint: 'Nothing was sent, and the export is unchanged. Raise exports.budget in dawnload.yaml, or wait until it allows the request.',
  });
}

/**
 * Requests the days that no export covers, newest first. Each decision uses the current state of the ledger: estimates
 * for exports in progress, actual records for landed ones.
 */
async function requestMissing(job: Job, context: ExportsContext): Promise<void> {
  const { config, ledger, warehouse, report, runId, signal, effects, terminal } = context;
  const messages = await warehouse.messages();
  const asked = new Set<Day>();
  const deciding = (): Decision[] =>
    decide(job, {
      entries: ledger.entries(),
      messages,
      budget: config.exports.budget,
      // The report of the run explains the doubt.
      unsure: ledger.doubt !== undefined,
      now: effects.now(),
      runId,
      asked,
    });
  // The nights leave a day that a person gave up; whoever names the day is told so.
  const { start, end } = job.eventDays;
  for (const { day, key, state } of job.consent === 'budget' ? [] : ledger.entries())
    if (state === 'abandoned' && day >= start && day <= end)
      report.attention.push(
        `Export ${key} was given up by a person. \`dawnload exports resume ${key} --pay-again\` requests its day again.`,
      );
  const removed = job.consent === 'budget' ? [] : await warehouse.removedDays();
  const named = removed.filter((day) => day >= start && day <= end);
  if (named.length > 0) terminal.note(`Events not requested, removed by retention: ${listDays(named)}.`);
  const wanted = deciding();
  if (wanted.length === 0) return;
  if (config.exports.budget !== undefined && clockTrouble(context) !== undefined) {
    report.unpaidDays = wanted.map(({ day }) => ({ day, verdict: 'clock', estimate: undefined }));
    return;
  }
  if (!(await consentTo(job, context, wanted))) {
    report.unpaidDays = wanted.map(({ day, estimate }) => ({ day, verdict: 'no_consent', estimate }));
    return;
  }
  // Consent is to the days that were asked about, and to no other day that the budget turns out to allow.
  const others = job.consent === 'ask' ? wanted.filter(({ verdict }) => verdict !== 'request') : [];
  for (const { day } of others) asked.add(day);

  const downloads = new ConcurrentDownloads();
  let refusals = 0;
  for (;;) {
    const decisions = deciding();
    const next = decisions.find(({ verdict }) => verdict === 'request');
    const mayRequest = refusals < REFUSALS_IN_A_ROW && !downloads.failed && !signal.aborted;
    if (next !== undefined && mayRequest && downloads.size < MOST_DOWNLOADS) {
      asked.add(next.day);
      const sent = await downloads.keepFailure(() => requestPaid(context, next));
      // Whether the answer is the same as the one before decides about the next request.
      await ledger.readTexts();
      if (sent === undefined || sent === 'stop') refusals = REFUSALS_IN_A_ROW;
      else if (sent === 'refused') refusals++;
      else {
        // An id that another export has belongs to one of the two at most.
        const isRepeated = ledger.entries().filter(({ exportId }) => exportId === sent.exportId).length > 1;
        refusals = isRepeated ? REFUSALS_IN_A_ROW : 0;
        downloads.add(() => downloadExport(context, sent));
      }
    } else if (downloads.size > 0) {
      // An export may turn out smaller than its estimate and leave budget for another day.
      await downloads.next();
    } else {
      reportRest(context, [...decisions, ...others], mayRequest);
      break;
    }
  }
  downloads.rethrow();
  signal.throwIfAborted();
}

/** Asks for consent to pay for the days that would be requested now; true if the job needs no consent or the user agrees. */
async function consentTo(
  job: Job,
  { config, terminal, signal }: ExportsContext,
  decisions: readonly Decision[],
): Promise<boolean> {
  if (job.consent !== 'ask') return true;
  const wanted = decisions.filter(({ verdict }) => verdict === 'request');
  if (wanted.length === 0) return true;
  const records = wanted.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
  const { pricePerRecord, currency } = config.exports;
  const price = pricePart(priceOf([{ records, pricePerRecord }]), currency, 'about ');
  terminal.progress('waiting for consent to pay');
  return terminal.confirm(
    `Request paid exports of ${plural(wanted.length, 'day')}, about ${formatCount(records)} records${price}?`,
    signal,
  );
}

/** Exports that are downloaded at the same time. The first failure is kept until all downloads have ended. */
class ConcurrentDownloads {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  get size(): number {
    return this.#running.size;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  add(work: () => Promise<void>): void {
    const download = this.keepFailure(work).finally(() => this.#running.delete(download));
    this.#running.add(download);
  }

  /** Resolves when one of the downloads has ended, successfully or not. */
  next(): Promise<void> {
    return Promise.race(this.#running);
  }

  /** The result of the work; undefined if it failed. */
  async keepFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#failure ??= { error };
      return undefined;
    }
  }

  rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function reportRest(context: ExportsContext, decisions: readonly Decision[], mayRequest: boolean): void {
  context.report.budget = context.config.exports.budget;
  context.report.unpaidDays = decisions.flatMap(({ day, verdict, estimate }) =>
    verdict === 'request' ? [] : [{ day, verdict, estimate }],
  );
  if (mayRequest) return;
  for (const { day, verdict } of decisions) {
    if (verdict !== 'request') continue;
    context.report.gaps.push(eventGap(day, 'Not requested, because the requests before it failed.'));
  }
}

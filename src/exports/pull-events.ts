/** The stage of the paid exports: first what is paid already is brought home, then what the budget allows is requested. */
import { CredentialsError, RefusedError } from '../errors.js';
import { askPage } from './page.js';
import { requestExport } from './request.js';
import type { RunContext } from '../run/context.js';
import type { Job } from '../run/job.js';
import type { ExportEntry } from './entry.js';
import { planRequests, isUnderWay, reasonFor, recordsOf, untilLearned, type Decision } from './budget.js';
import { formatCount } from '../terminal/terminal.js';
import { downloadExport, landedPages, sumOf } from './download.js';
import { assertClocksAgree, clockTrouble } from '../run/clocks.js';
import { consentTo } from './consent.js';
import { estimateDays, isQuiet } from './estimate.js';

/** So many exports are generated and read at the same time; the service makes one after the other anyway. */
const MOST_DOWNLOADS = 3;

/** After so many refusals in a row the rest of the days would most likely be refused too. */
const REFUSALS_IN_A_ROW = 2;

/** On so many later nights a page that came short is read again, at no cost, before it is believed. */
const NIGHTS_OF_SHORT_PAGES = 3;

export async function pullEvents(job: Job, context: RunContext): Promise<void> {
  const { ledger, report, signal } = context;
  const under = ledger.entries().filter((entry) => isUnderWay(entry) || isWorthReadingAgain(entry));
  for (const entry of under) {
    signal.throwIfAborted();
    report.exported(await downloadExport(context, await reopened(context, entry), { requested: false }));
  }
  // What the doubt is stands in the report of the run; until a person has settled it, nothing is paid.
  if (ledger.doubt === undefined) await requestMissing(job, context);
}

function isWorthReadingAgain({ state, shortPages, landings }: ExportEntry): boolean {
  return state === 'loaded' && shortPages.length > 0 && landings <= NIGHTS_OF_SHORT_PAGES;
}

/** The export, open for its pages again where it was closed. */
function reopened({ ledger }: RunContext, entry: ExportEntry): Promise<ExportEntry> | ExportEntry {
  const isClosed = entry.state === 'landed' || entry.state === 'loaded';
  return isClosed ? ledger.ready(entry.key, entry.pages ?? 0) : entry;
}

/**
 * Goes on with one export that has an id. One that has landed is read again where pages are missing, damaged, empty or
 * short, or where the service has more of them by now.
 */
export async function resume(key: string, acceptIncomplete: boolean, context: RunContext): Promise<void> {
  const { ledger, report, terminal } = context;
  const entry = ledger.get(key);
  const isClosed = entry.state === 'landed' || entry.state === 'loaded';
  if (isClosed && (await isComplete(context, entry))) {
    terminal.note(`Every page of export ${key} is whole, and the service has no more of them.`);
    return;
  }
  report.exported(
    await downloadExport(context, await reopened(context, entry), {
      requested: false,
      acceptIncomplete,
      lookAgain: isClosed,
    }),
  );
}

/** Whether the pages on disk are whole, hold the records of the ledger, and are all that the service has. */
async function isComplete(context: RunContext, entry: ExportEntry): Promise<boolean> {
  const { day, key, exportId = '', pages = 0, records = 0, shortPages } = entry;
  const onDisk = await landedPages(context, { day, key, exportId });
  if (records === 0 || sumOf(onDisk) !== records || onDisk.length !== pages || shortPages.length > 0)
    return false;
  for (const page of new Set([onDisk.at(0), onDisk.at(-1)])) {
    if (page === undefined) continue;
    const now = await askPage(context.service, exportId, context.config.exports.pageParameter, page.number);
    if (now.kind === 'page' && (now.totalPages > pages || now.records > page.records)) return false;
  }
  return true;
}

/**
 * A person's consent to be billed once more, within the budget: gives the old export up, requests its window anew, brings
 * it home.
 *
 * @throws RefusedError when its data is at home, or the budget does not allow it; then nothing has changed
 */
export async function requestAgain(key: string, context: RunContext): Promise<void> {
  const { service, ledger, lock, config, report } = context;
  ledger.assertPayableAgain(key);
  const estimate = await affordable(key, context);
  await service.authorize();
  assertClocksAgree(context);
  await lock.assertHeld();
  const { pricePerRecord, includeMessageData } = config.exports;
  const entry = await ledger.payAgain(key, { pricePerRecord, messageData: includeMessageData, estimate });
  const outcome = await sendRequest(context, entry);
  if (typeof outcome !== 'string')
    report.exported(await downloadExport(context, outcome, { requested: true }));
}

/**
 * The records to expect of an export's day, when the budget allows to pay for it once more. What the old export may be
 * billed for counts too.
 */
async function affordable(key: string, context: RunContext): Promise<number | undefined> {
  const { ledger, warehouse, config, effects, report } = context;
  const { day } = ledger.get(key);
  // The old one of unknown size would hold the whole budget, until it is given up: which is what is being asked for.
  const others = ledger.entries().filter((entry) => entry.key !== key || recordsOf(entry) !== undefined);
  const { candidates } = estimateDays(ledger.entries(), await warehouse.messages(), [day]);
  const [decision] = planRequests(candidates, config.exports.budget, others, {
    now: effects.now(),
    runStartedAt: report.startedAt,
    yesPaid: true,
  });
  const reason = decision === undefined ? undefined : reasonFor(decision);
  if (reason === undefined) return decision?.estimate;
  throw new RefusedError(`${day} is not paid for again: ${reason}`, {
    hint: 'Nothing was sent, and the export is as it was. Raise exports.budget in dawnload.yaml, or wait until it has room.',
  });
}

/**
 * Requests the days that no export covers, newest first. Each decision is taken on the ledger as it stands then:
 * estimates of what is under way, actual records of what has landed.
 */
async function requestMissing(job: Job, context: RunContext): Promise<void> {
  const { config, ledger, warehouse, report, signal, effects } = context;
  const messages = await warehouse.messages();
  let missing = ledger
    .missing(job.eventDays)
    .reverse()
    .filter((day) => job.consent !== 'budget' || !isQuiet(messages.get(day)));
  if (missing.length === 0) return;
  if (config.exports.budget === undefined) {
    report.unpaid(missing.map((day) => ({ day, verdict: 'no_budget', estimate: undefined })));
    return;
  }
  if (clockTrouble(context) !== undefined) {
    report.unpaid(missing.map((day) => ({ day, verdict: 'clock', estimate: undefined })));
    return;
  }
  // Estimated anew each time: what has landed since then teaches how many records a message leaves.
  const deciding = (): { decisions: readonly Decision[]; learned: boolean } => {
    const { candidates, learned } = estimateDays(ledger.entries(), messages, missing);
    const decisions = planRequests(candidates, config.exports.budget, ledger.entries(), {
      now: effects.now(),
      runStartedAt: report.startedAt,
      yesPaid: job.consent === 'given',
    });
    return { decisions, learned };
  };
  const wanted = deciding().decisions;
  if (!(await consentTo(job, context, wanted))) {
    report.unpaid(wanted.map(({ day, estimate }) => ({ day, verdict: 'no_consent', estimate })));
    return;
  }

  const flights = new ConcurrentDownloads();
  let refusals = 0;
  for (;;) {
    const { decisions, learned } = deciding();
    const allowed = untilLearned(decisions, learned, ledger.entries());
    const next = allowed.find(({ verdict }) => verdict === 'request');
    const mayRequest = refusals < REFUSALS_IN_A_ROW && !flights.failed && !signal.aborted;
    if (next !== undefined && mayRequest && flights.size < MOST_DOWNLOADS) {
      missing = missing.filter((day) => day !== next.day);
      const sent = await flights.guard(() => requestDay(context, next));
      if (sent === undefined || sent === 'stop') refusals = REFUSALS_IN_A_ROW;
      else if (sent === 'refused') refusals++;
      else {
        refusals = 0;
        flights.add(async () => {
          report.exported(await downloadExport(context, sent, { requested: true }));
        });
      }
    } else if (flights.size > 0) {
      // What lands may turn out smaller than its estimate and leave room for another day.
      await flights.next();
    } else {
      reportRest(context, allowed, mayRequest);
      break;
    }
  }
  flights.rethrow();
  signal.throwIfAborted();
}

/** Exports that are being brought home at the same time; the first failure is kept until all have ended. */
class ConcurrentDownloads {
  readonly #flying = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  get size(): number {
    return this.#flying.size;
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  add(work: () => Promise<void>): void {
    const flight = this.guard(work).finally(() => this.#flying.delete(flight));
    this.#flying.add(flight);
  }

  /** Resolves when one of them has ended, well or not. */
  next(): Promise<void> {
    return Promise.race(this.#flying);
  }

  /** What the work gives, or undefined when it failed. */
  async guard<T>(work: () => Promise<T>): Promise<T | undefined> {
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

function reportRest(context: RunContext, decisions: readonly Decision[], mayRequest: boolean): void {
  const unpaid = decisions.flatMap(({ day, verdict, estimate }) =>
    verdict === 'request' ? [] : [{ day, verdict, estimate }],
  );
  context.report.unpaid(unpaid);
  if (mayRequest) return;
  for (const { day, verdict } of decisions) {
    if (verdict !== 'request') continue;
    context.report.gap({
      stream: 'events',
      days: { start: day, end: day },
      reason: 'not requested, because the requests before it did not work out',
    });
  }
}

/** One day: a token, the intent, the request. */
async function requestDay(context: RunContext, { day, estimate }: Decision): Promise<Sent> {
  const { config, service, ledger, lock } = context;
  const { pricePerRecord, includeMessageData } = config.exports;
  // A token first: a request that fails for want of one should not even be intended.
  await service.authorize();
  assertClocksAgree(context);
  // Whoever took the lock's file away may have started a run that pays for the same day.
  await lock.assertHeld();
  const entry = await ledger.intend({ day, messageData: includeMessageData, estimate, pricePerRecord });
  return sendRequest(context, entry);
}

/** The export that was requested, or what its absence means for the days after it. */
type Sent = ExportEntry | 'refused' | 'stop';

/** The one E20 of an intent that is on record; its outcome is durable before anything else is done with it. */
async function sendRequest(context: RunContext, entry: ExportEntry): Promise<Sent> {
  const { service, ledger, report, terminal } = context;
  const { day, estimate, key } = entry;
  const about = estimate === undefined ? 'of unknown size' : `about ${formatCount(estimate)} records`;
  terminal.note(`requesting the export of ${day}, ${about} (${key})`);
  const outcome = await requestExport(service, entry.window, entry.messageData);
  const gap = (reason: string): void => {
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };
  switch (outcome.kind) {
    case 'accepted':
      return ledger.requested(key, outcome.exportId, outcome.body.toString('utf8'));
    case 'never_sent':
      await ledger.withdrawn(key, outcome.reason);
      if (outcome.cause instanceof CredentialsError) throw outcome.cause;
      gap(`the export request was not sent (${outcome.reason}); nothing is billed, the next run sends it`);
      return 'stop';
    case 'refused':
      await ledger.failed(key, outcome.reason);
      gap(`the service refused the export (${outcome.reason}); nothing is billed`);
      return 'refused';
    case 'unknown':
      await ledger.ambiguous(key, outcome.reason);
      if (outcome.body.length > 0) {
        const at = context.effects.now();
        await context.landing.land({ stream: 'rejected', endpoint: 'E20', what: key, at }, outcome.body);
      }
      return 'stop';
  }
}

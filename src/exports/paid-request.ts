/**
 * Requests paid exports (E20), and guarantees that nothing is paid for by accident or twice. Days are requested one by one, within the
 * budget (budget.ts) and your consent. A request is sent once, after all checks have passed and its intent is on disk. The outcome is
 * recorded before the answer is used.
 */
import { createHash } from 'node:crypto';
import { daysOf, listDays, monthOf, windowOf, type Day, type Window } from '../ground/calendar.js';
import { RefusedError } from '../ground/errors.js';
import { type Permit, type ServiceClient } from '../service/client.js';
import { isListedRefusal, readError } from '../service/verdict.js';
import { exportRequest } from '../service/endpoints.js';
import { partValue, readEnvelope, type Part } from '../ground/envelope.js';
import { withoutPeople } from '../documents/contacts.js';
import { priceOf, pricePart } from '../ground/text.js';
import { eventGap, type Job, type Needed } from '../ground/streams.js';
import { formatCount, plural } from '../terminal/terminal.js';
import {
  decide,
  estimateDays,
  planRequests,
  REASONS,
  recordsOf,
  spentOn,
  type Budget,
  type BudgetVerdict,
  type Decision,
} from './budget.js';
import { type Export } from './export.js';
import { judgedText, type Ledger } from './ledger.js';
import type { LandingParts } from '../landing/landing-zone.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** Maximum number of exports in progress. The service makes them one after the other anyway. */
const MOST_DOWNLOADS = 3;

/** After this number of consecutive refusals no further day is requested, because the service would probably refuse it too. */
const REFUSALS_IN_A_ROW = 2;

export interface ExportLine {
  readonly key: string;
  readonly day: Day;
  readonly records: number | undefined;
  readonly requested: boolean;
}

export interface ExportReport {
  readonly exports: ExportLine[];
  /** The keys of exports that the service has not finished. */
  readonly pending: string[];
  readonly unpaidDays: Unpaid[];
  budget: Budget | undefined;
  readonly attention: Needed[];
}

export interface PaymentParts extends LandingParts {
  readonly ledger: Ledger;
  readonly warehouse: Pick<Warehouse, 'messages' | 'coverage' | 'removedDays'>;
  readonly report: LandingParts['report'] & ExportReport;
}

/** Downloads an export whose request was accepted (E21). */
type Download = (entry: Export) => Promise<void>;

export interface Unpaid {
  readonly day: Day;
  readonly verdict: Exclude<BudgetVerdict, 'request'> | 'no_consent' | 'clock';
  readonly estimate: number | undefined;
}

/**
 * Requests the days that no export covers, newest first. Each decision counts the estimates of exports in progress and the actual records
 * of landed ones.
 *
 * @param resumed resolves when the exports of earlier runs have ended; other days may wait for their sizes
 */
export async function requestMissing(
  job: Job,
  service: ServiceClient,
  parts: PaymentParts,
  download: Download,
  resumed: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  const { ledger, warehouse, report } = parts;
  const { runId, signal, effects } = parts.invocation;
  const { budget } = ledger.settings;
  const messages = await warehouse.messages();
  const removed = await warehouse.removedDays();
  const covered = new Set([...(await warehouse.coverage('events')).keys(), ...removed]);
  const asked = new Set<Day>();
  const deciding = (): Decision[] =>
    decide(job, {
      entries: ledger.entries(),
      messages,
      budget,
      // The run report explains why the journal is in doubt.
      unsure: ledger.doubt !== undefined,
      covered,
      now: effects.now(),
      runId,
      asked,
    });
  // Nightly runs skip these days silently; a backfill that names them reports them.
  if (job.consent !== 'budget') reportPassedOver(job, removed, parts);
  const wanted = deciding();
  if (wanted.length === 0) return;
  if (budget !== undefined && service.clocks.trouble !== undefined) {
    for (const { day } of wanted) report.unpaidDays.push({ day, verdict: 'clock', estimate: undefined });
    return;
  }
  if (!(await consentTo(job, wanted, parts))) {
    for (const { day, estimate } of wanted) report.unpaidDays.push({ day, verdict: 'no_consent', estimate });
    return;
  }
  // You consented to these days, not to others that the budget may allow later.
  const others = job.consent === 'ask' ? wanted.filter(({ verdict }) => verdict !== 'request') : [];
  for (const { day } of others) asked.add(day);

  const [downloads, earlier] = [new Set<Promise<unknown>>(), new Set<Promise<unknown>>()];
  const track = (all: Set<Promise<unknown>>, work: Promise<unknown>): void => {
    const one = work.finally(() => all.delete(one));
    all.add(one);
  };
  // If it fails, the caller of this function reports it.
  track(
    earlier,
    resumed.catch(() => undefined),
  );
  const answers: Answer[] = [];
  // The first failure ends the stage once all downloads have ended.
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  for (;;) {
    const decisions = deciding();
    const isFailing = failures.length > 0 || signal.aborted;
    const progress = { answers, isFailing, downloads: downloads.size, isResuming: earlier.size > 0 };
    const move = nextMove(decisions, progress);
    if (move === 'end') {
      report.budget = budget;
      for (const { day, verdict, estimate } of [...decisions, ...others])
        if (verdict !== 'request') report.unpaidDays.push({ day, verdict, estimate });
        else report.gaps.push(eventGap(day, 'Not requested, because the requests before it failed.'));
      break;
    }
    if (move === 'wait') {
      await Promise.race([...downloads, ...earlier]);
      continue;
    }
    asked.add(move.day);
    const sent = (await requestPaid(move, service, parts).catch(fail)) ?? 'stop';
    // Two equal unknown answers in a row forbid the next request, so this answer is read first.
    await ledger.readTexts();
    if (typeof sent === 'string') answers.push(sent);
    else {
      // If two exports have the same id, at most one of them is right.
      const isRepeated = ledger.entries().filter(({ exportId }) => exportId === sent.exportId).length > 1;
      answers.push(isRepeated ? 'stop' : 'accepted');
      track(downloads, download(sent).catch(fail));
    }
  }
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
  printSpent(parts);
}

/** What a request brought: `stop` ends all requests, because its outcome is unknown or it failed. */
type Answer = 'accepted' | 'refused' | 'stop';

/**
 * The next move: the day to request; `wait` for an export in progress, which may turn out smaller than its estimate and leave budget for
 * another day; or `end`. Pure.
 */
export function nextMove(
  decisions: readonly Decision[],
  progress: {
    /** The answers to the requests so far, in order. */
    readonly answers: readonly Answer[];
    /** True after a failure or an interruption. */
    readonly isFailing: boolean;
    /** The number of exports in progress that this stage requested. */
    readonly downloads: number;
    /** True while exports of earlier runs are in progress. */
    readonly isResuming: boolean;
  },
): Decision | 'wait' | 'end' {
  const { answers, isFailing, downloads, isResuming } = progress;
  const last = answers.slice(-REFUSALS_IN_A_ROW);
  const areRefused = last.length === REFUSALS_IN_A_ROW && last.every((one) => one === 'refused');
  const mayRequest = !isFailing && !areRefused && !answers.includes('stop');
  const next = decisions.find(({ verdict }) => verdict === 'request');
  if (next !== undefined && mayRequest && downloads < MOST_DOWNLOADS) return next;
  return downloads > 0 || isResuming ? 'wait' : 'end';
}

/** Reports the days of a job that are not requested because they were given up, removed, or are past their retention. */
function reportPassedOver(
  { eventDays, keptFrom = '' }: Job,
  removed: readonly Day[],
  { ledger, report, invocation: { terminal } }: PaymentParts,
): void {
  const days = daysOf(eventDays);
  for (const { day, key, state } of ledger.entries())
    if (state === 'abandoned' && days.includes(day))
      report.attention.push({
        advice: `Export ${key} is given up. \`dawnload exports decide ${key} --pay-again\` requests its day again.`,
        list: 'dawnload exports list',
      });
  const gone = days.filter((day) => removed.includes(day));
  if (gone.length > 0) terminal.note(`Events not requested, removed by retention: ${listDays(gone)}.`);
  const past = days.filter((day) => !removed.includes(day) && day < keptFrom);
  if (past.length > 0)
    terminal.note(
      `Events not requested, because they are past their retention (retention.events): ${listDays(past)}.`,
    );
}

/** Gets consent to pay for the days that would be requested now; true if the job needs no consent or the user agrees. */
async function consentTo(
  job: Job,
  decisions: readonly Decision[],
  { ledger, invocation: { terminal, signal } }: PaymentParts,
): Promise<boolean> {
  if (job.consent !== 'ask') return true;
  const wanted = decisions.filter(({ verdict }) => verdict === 'request');
  if (wanted.length === 0) return true;
  const records = wanted.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
  const { pricePerRecord, currency } = ledger.settings;
  const price = pricePart(priceOf([{ records, pricePerRecord }]), currency, 'about ');
  terminal.progress('waiting for consent to pay');
  return terminal.confirm(
    `Request paid exports of ${plural(wanted.length, 'day')}, about ${formatCount(records)} records${price}?`,
    signal,
  );
}

/**
 * Pays for an export's day again, with the user's consent and within the budget: abandons the old export, requests the day, and downloads
 * it.
 *
 * @throws RefusedError if the data is already downloaded or the budget does not allow the request; then nothing has changed
 */
export async function requestAgain(
  key: string,
  service: ServiceClient,
  parts: PaymentParts,
  download: Download,
): Promise<void> {
  const { ledger } = parts;
  ledger.assertPayableAgain(key);
  const estimate = await affordable(key, parts);
  const outcome = await requestPaid({ again: key, estimate }, service, parts);
  if (typeof outcome !== 'string') await download(outcome);
  printSpent(parts);
}

/** The estimate for the repeated request, if the budget allows it. The old export counts as spent, because it may be billed. */
async function affordable(key: string, parts: PaymentParts): Promise<number | undefined> {
  const { ledger, warehouse } = parts;
  const { effects, runId } = parts.invocation;
  const { day } = ledger.get(key);
  // Leave out the old export if its size is unknown, because it would reserve the whole budget. This request abandons it.
  const others = ledger.entries().filter((entry) => entry.key !== key || recordsOf(entry) !== undefined);
  const { candidates } = estimateDays(ledger.entries(), await warehouse.messages(), [day]);
  const [decision] = planRequests(candidates, ledger.settings.budget, others, {
    now: effects.now(),
    runId,
    yesPaid: true,
  });
  if (decision === undefined) throw new Error(`Nothing was decided about ${day}.`);
  if (decision.verdict === 'request') return decision.estimate;
  const { verdict, estimate = 1, left } = decision;
  const numbers = verdict.startsWith('over_') ? ` (about ${estimate} records, ${left} left)` : '';
  throw new RefusedError(`${day} is not requested again: ${REASONS[verdict]}${numbers}.`, {
    hint: 'Nothing was sent, and the export is unchanged. Raise exports.budget in dawnload.yaml, or wait until it allows the request.',
  });
}

function printSpent({ ledger, report, invocation: { effects, runId, terminal } }: PaymentParts): void {
  const { budget, currency } = ledger.settings;
  const requested = report.exports.filter((line) => line.requested).length;
  if (budget === undefined || requested === 0) return;
  const run = spentOn(ledger.entries().filter((entry) => entry.run === runId));
  const month = monthOf(effects.now());
  const inMonth = spentOn(ledger.entries().filter(({ requestedAt }) => monthOf(requestedAt) === month));
  const price = pricePart(run.price, currency);
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

/** The day to request, or the key of an export to pay for again, with the expected records. */
type Wish = ({ readonly day: Day } | { readonly again: string }) & { readonly estimate: number | undefined };

/** The requested export. Without one: `refused` if later days may still be requested, otherwise `stop`. */
type Sent = Export | 'refused' | 'stop';

/**
 * Requests one export.
 *
 * @throws CredentialsError, ServiceError, ClockError, StorageError, and RefusedError for a day that an export covers,
 *   before the intent is recorded, so nothing was sent
 */
async function requestPaid(wish: Wish, service: ServiceClient, parts: PaymentParts): Promise<Sent> {
  const { ledger } = parts;
  const { terminal, runId: run } = parts.invocation;
  const { pricePerRecord, includeMessageData: messageData, refusals } = ledger.settings;

  // Get the token first, so that a request without one is never recorded as intended.
  const permit = await service.authorize();
  service.clocks.assertAgree('No paid request was sent.');

  const { estimate } = wish;
  const terms = { pricePerRecord, messageData, run, estimate };
  const entry = await ('again' in wish
    ? ledger.payAgain(wish.again, terms)
    : ledger.intend({ ...terms, day: wish.day }));

  const size = estimate === undefined ? 'of unknown size' : `about ${formatCount(estimate)} records`;
  terminal.note(`Requesting the export of ${entry.day}, ${size} (${entry.key}).`, {
    event: 'export_requested',
    key: entry.key,
    date: entry.day,
    estimated_records: estimate,
  });
  terminal.progress(`requesting the export of ${entry.day}`);
  const outcome = await requestExport(permit, windowOf(entry.day), entry.messageData, refusals);
  return record(entry, outcome, parts);
}

type RequestOutcome =
  | { readonly kind: 'accepted'; readonly exportId: string }
  /** The request provably never left this machine: nothing is billed, and it may be sent again. */
  | { readonly kind: 'never_sent'; readonly reason: string }
  /** The service clearly refused: nothing is billed. `note` is the reason without texts of the service. */
  | { readonly kind: 'refused'; readonly reason: string; readonly note: string }
  /**
   * The outcome is unknown: the export may be billed, so the request is never repeated automatically. `body` is the
   * answer without secrets and personal data; if the answer is only an error (`isError`), it is the text that you may
   * list as a refusal (`exports.refusals`). After a lost connection `isError` is undefined.
   */
  | { readonly kind: 'unknown'; readonly note: string; readonly body: string; readonly isError?: boolean };

/**
 * Requests one paid export. The caller must record the intent before the call and the outcome after it.
 *
 * @param window `start` is included, `end` is excluded
 * @param refusals texts that the settings list as refusals (`exports.refusals`)
 */
export async function requestExport(
  permit: Permit,
  window: Window,
  messageData: boolean,
  refusals: readonly string[] = [],
): Promise<RequestOutcome> {
  const { secrets, projectId } = permit;
  const { verdict, body, status } = await permit.sendOnce(exportRequest(projectId, window, messageData));
  const redacted = withoutPeople(secrets.hide(body.toString('utf8')));
  if (verdict.kind === 'unreachable')
    return verdict.sent
      ? { kind: 'unknown', note: verdict.reason, body: redacted }
      : { kind: 'never_sent', reason: verdict.reason };
  const note = `HTTP ${status ?? '?'}`;
  const meaning = readAnswer(status ?? 0, body);
  if (meaning.kind === 'accepted') {
    // The id is written to the journal, to URLs and to the warehouse, none of which may contain a secret.
    if (!secrets.holds(meaning.exportId)) return meaning;
    return {
      kind: 'unknown',
      note: 'the export_id repeats a key or the token',
      body: redacted,
      isError: false,
    };
  }
  // Settings list complete texts, so a text that is too long is not kept.
  const text = meaning.kind === 'error' ? judgedText(secrets.hide(meaning.text)) : undefined;
  if (meaning.kind !== 'refused' && (text === undefined || !isListedRefusal(text, refusals)))
    return { kind: 'unknown', note, body: text ?? redacted, isError: text !== undefined };
  const reason = verdict.kind === 'ok' ? `${note} without an export_id` : verdict.reason;
  return { kind: 'refused', reason, note };
}

/** The longest export id that the journal takes, in bytes. */
const LONGEST_ID = 4096;

/**
 * The meaning of an answer to E20. An export id means that the export is billed, whatever the status; `readError` separates refusals from
 * other errors. After any other answer, the export may be billed. Pure; the table is in docs/money.md.
 */
export function readAnswer(
  status: number,
  body: Buffer,
):
  | { kind: 'accepted'; exportId: string }
  | { kind: 'refused' }
  | { kind: 'error'; text: string }
  | { kind: 'unknown' } {
  const envelope = readEnvelope(body);
  if (envelope?.kind !== 'object') return { kind: 'unknown' };
  // If the answer has two ids, either may be the billed one.
  if (envelope.twice.has('export_id')) return { kind: 'unknown' };
  const exportId = exportIdIn(envelope.parts, body);
  // No real id is this long. The answer is kept, and the export may be billed.
  if (exportId !== undefined && Buffer.byteLength(exportId) > LONGEST_ID) return { kind: 'unknown' };
  return exportId === undefined ? readError(status, envelope, body) : { kind: 'accepted', exportId };
}

/** The export id, unless it would change the path of a URL. Numbers are read as text, because JavaScript rounds above 2^53. */
function exportIdIn(parts: ReadonlyMap<string, Part>, body: Buffer): string | undefined {
  const part = parts.get('export_id');
  const id = partValue(body, part);
  if (typeof id === 'string' && !/^(\s*|\.\.?)$/.test(id)) return id;
  return typeof id === 'number' && part !== undefined
    ? body.toString('latin1', part.start, part.end)
    : undefined;
}

async function record(
  { key, day }: Export,
  outcome: RequestOutcome,
  { ledger, landing, report }: PaymentParts,
): Promise<Sent> {
  const gap = (reason: string): void => void report.gaps.push(eventGap(day, reason));
  switch (outcome.kind) {
    case 'accepted': {
      const entry = await ledger.requested(key, outcome.exportId);
      // The name of the folder has the id, so that the id survives if the journal is lost before the first page lands.
      await landing.reading({ day, key, exportId: outcome.exportId });
      return entry;
    }
    case 'never_sent':
      await ledger.record({ event: 'withdrawn', key, note: outcome.reason });
      gap(`The export request was not sent (${outcome.reason}). Nothing is billed; the next run sends it.`);
      return 'stop';
    case 'refused':
      await ledger.record({ event: 'failed', key, note: outcome.note });
      gap(`The service refused the export (${outcome.reason}). Nothing is billed.`);
      return 'refused';
    case 'unknown': {
      const { note, body, isError } = outcome;
      // Keep the redacted answer. If the disk refuses the file, the outcome is recorded anyway.
      const kept = isError !== undefined || body !== '';
      const file = kept && (await landing.reject('E20', key, Buffer.from(body)).catch(() => false as const));
      const sha256 = createHash('sha256').update(body).digest('hex');
      const answer = file === false ? undefined : { file, sha256, isError: isError === true };
      await ledger.record({ event: 'ambiguous', key, note, answer });
      return 'stop';
    }
  }
}

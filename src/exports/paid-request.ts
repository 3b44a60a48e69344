/**
 * Guarantees that nothing is paid for by accident and nothing is paid for twice. Preconditions: the budget allows the day
 * (budget.ts) and the user has consented (`consentTo`). The request is sent only after the checks have passed and the
 * intent is on disk; it is sent once, and the outcome is recorded before the answer is used.
 */
import { createHash } from 'node:crypto';
import { windowOf, type Day } from '../ground/calendar.js';
import { CredentialsError } from '../ground/errors.js';
import { assertClocksAgree, type Clocks } from '../service/clocks.js';
import type { ServiceClient } from '../service/client.js';
import type { ServiceConfig } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import type { LandingZone } from '../landing/landing-zone.js';
import type { Pull } from '../landing/pull.js';
import type { RunLock } from '../landing/run-lock.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { Ledger } from './ledger.js';
import { formatCount, plural } from '../terminal/terminal.js';
import type { Export } from './export.js';
import { requestExport, type RequestOutcome } from './request-outcome.js';
import type { Job, Gap } from '../ground/streams.js';
import type { Budget, BudgetVerdict, Decision } from './budget.js';
import { formatPrice, priceOf } from '../ground/price.js';

/** The parts of a run that paid exports use. */
export interface ExportsContext extends Clocks {
  readonly config: ServiceConfig;
  readonly service: ServiceClient;
  readonly ledger: Ledger;
  readonly landing: LandingZone;
  readonly warehouse: Warehouse;
  readonly lock: RunLock;
  readonly report: ExportsReport;
  readonly effects: Effects;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Loads the pages of an export while they arrive; resolves when the load has ended, well or not. */
  load(pulls: readonly Pull[]): Promise<unknown>;
  /** True if an erasure has cut records of a pull. */
  isCut(pull: string): boolean;
  /** Loads the landed pages of an export; resolves with true if they are loaded. */
  loadExport(entry: Export): Promise<boolean>;
}

/** The part of a run's report that is about paid exports. */
interface ExportsReport {
  readonly exports: ExportLine[];
  readonly pending: string[];
  readonly gaps: Gap[];
  unpaidDays: readonly Unpaid[];
  budget: Budget | undefined;
}

/** A day of events that was not requested, with the reason. */
export interface Unpaid {
  readonly day: Day;
  readonly verdict: Exclude<BudgetVerdict, 'request'> | 'no_consent' | 'clock';
  readonly estimate: number | undefined;
}

/** A paid export that this run requested or resumed. */
export interface ExportLine {
  readonly key: string;
  readonly day: Day;
  readonly records: number | undefined;
  readonly requested: boolean;
}

/** The settings of every export, and the id of the run that requests it. */
interface Terms {
  readonly pricePerRecord: number;
  readonly messageData: boolean;
  readonly run: string;
}

/** The requested export; or the reason for its absence, which decides whether later days are requested. */
type Sent = Export | 'refused' | 'stop';

/**
 * Requests one export.
 *
 * @param intend records the intent in the ledger, which refuses a day that an export covers
 * @throws CredentialsError, ServiceError, ClockError, StorageError before the intent is recorded, so nothing was sent
 */
export async function requestPaid(
  context: ExportsContext,
  intend: (terms: Terms) => Promise<Export>,
): Promise<Sent> {
  const { service, lock, terminal, config, runId: run } = context;
  const { pricePerRecord, includeMessageData: messageData } = config.exports;

  // The token is obtained first, so that a request that lacks a token is never recorded as intended.
  const permit = await service.authorize();
  assertClocksAgree(context, 'No paid request was sent.');
  // If the lock file was removed, another run may have started that pays for the same day.
  await lock.assertHeld();

  const entry = await intend({ pricePerRecord, messageData, run });

  const { estimate } = entry;
  const size = estimate === undefined ? 'of unknown size' : `about ${formatCount(estimate)} records`;
  terminal.note(`Requesting the export of ${entry.day}, ${size} (${entry.key}).`, {
    event: 'export_requested',
    key: entry.key,
    date: entry.day,
    estimated_records: estimate,
  });
  const outcome = await requestExport(
    permit,
    windowOf(entry.day),
    entry.messageData,
    config.exports.refusals,
  );
  return recorded(context, entry, outcome);
}

/** Records the outcome in the ledger and reports it. */
async function recorded(
  { ledger, landing, report }: ExportsContext,
  { key, day }: Export,
  outcome: RequestOutcome,
): Promise<Sent> {
  const gap = (reason: string): void => {
    report.gaps.push({ stream: 'events', days: { start: day, end: day }, reason });
  };
  switch (outcome.kind) {
    case 'accepted': {
      const entry = await ledger.requested(key, outcome.exportId);
      // The folder names the id, should the journal be lost before the first page lands.
      await landing.reading({ day, key, exportId: outcome.exportId });
      return entry;
    }
    case 'never_sent':
      await ledger.note(key, 'withdrawn', outcome.reason);
      if (outcome.cause instanceof CredentialsError) throw outcome.cause;
      gap(`The export request was not sent (${outcome.reason}). Nothing is billed; the next run sends it.`);
      return 'stop';
    case 'refused':
      await ledger.note(key, 'failed', outcome.note);
      gap(`The service refused the export (${outcome.reason}). Nothing is billed.`);
      return 'refused';
    case 'unknown': {
      const { note } = outcome;
      // The disk may refuse the answer, but not what it says of the payment.
      const kept = await keptAnswer(landing, key, outcome).catch(() => undefined);
      await ledger.note(key, 'ambiguous', note, kept);
      return 'stop';
    }
  }
}

/** Keeps what came, redacted, in `landing/rejected`; the journal holds the path and the hash of an answer. */
async function keptAnswer(landing: LandingZone, key: string, outcome: Unknown): Promise<Export['answer']> {
  const { body, isError } = outcome;
  if (isError === undefined && body === '') return undefined;
  const file = await landing.reject('E20', key, Buffer.from(body));
  return isError === undefined
    ? undefined
    : { file, sha256: createHash('sha256').update(body).digest('hex'), isError };
}

type Unknown = RequestOutcome & { readonly kind: 'unknown' };

/** Asks for consent to pay for the days that would be requested now; true if the job needs no consent or the user agrees. */
export async function consentTo(
  job: Job,
  { config, terminal, signal }: ExportsContext,
  decisions: readonly Decision[],
): Promise<boolean> {
  if (job.consent !== 'ask') return true;
  const wanted = decisions.filter(({ verdict }) => verdict === 'request');
  if (wanted.length === 0) return true;
  const records = wanted.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
  const { pricePerRecord, currency } = config.exports;
  const price =
    pricePerRecord === 0
      ? ''
      : `, about ${formatPrice(priceOf([{ records, pricePerRecord }]), currency)} in price`;
  terminal.progress('waiting for consent to pay');
  return terminal.confirm(
    `Request paid exports of ${plural(wanted.length, 'day')}, about ${formatCount(records)} records${price}?`,
    signal,
  );
}

/**
 * Guarantees that nothing is paid for by accident and nothing is paid for twice. Preconditions: the budget allows the day
 * (budget.ts) and the user has consented (pull-events.ts). The request is sent only after the checks have passed and the
 * intent is on disk; it is sent once, and the outcome is recorded before the answer is used.
 */
import { createHash } from 'node:crypto';
import { windowOf, type Day, type Window } from '../ground/calendar.js';
import { assertClocksAgree, type Clocks } from '../service/clocks.js';
import type { Permit, ServiceAnswer, ServiceClient } from '../service/client.js';
import { exportRequest } from '../service/endpoints.js';
import { isJudged, readError } from '../service/exchange.js';
import { partValue, readEnvelope, type Part } from '../ground/envelope.js';
import { withoutPeople, type Secrets } from '../ground/redaction.js';
import type { ServiceConfig } from '../config/config.js';
import type { LandingZone } from '../landing/landing-zone.js';
import type { RunLock } from '../landing/run-lock.js';
import { type Terminal, formatCount } from '../terminal/terminal.js';
import { judgedText, type Ledger } from './ledger.js';
import type { Export } from './export.js';
import { eventGap, type Gap } from '../ground/streams.js';

/** The parts of a run that a paid request needs. */
export interface RequestContext extends Clocks {
  readonly config: ServiceConfig;
  readonly service: ServiceClient;
  readonly ledger: Ledger;
  readonly landing: LandingZone;
  readonly lock: RunLock;
  readonly report: { readonly gaps: Gap[] };
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly runId: string;
}

/** The day to request, or the key of an export whose day a person pays for again; and the records to expect. */
type Wish = ({ readonly day: Day } | { readonly again: string }) & { readonly estimate: number | undefined };

/** The requested export; or the reason for its absence, which decides whether later days are requested. */
type Sent = Export | 'refused' | 'stop';

/**
 * Requests one export.
 *
 * @throws CredentialsError, ServiceError, ClockError, StorageError, and RefusedError for a day that an export covers, before
 *   the intent is recorded, so nothing was sent
 */
export async function requestPaid(context: RequestContext, wish: Wish): Promise<Sent> {
  const { service, ledger, lock, terminal, config, runId: run } = context;
  const { pricePerRecord, includeMessageData: messageData } = config.exports;

  // The token is obtained first, so that a request that lacks a token is never recorded as intended.
  const permit = await service.authorize();
  assertClocksAgree(context, 'No paid request was sent.');
  // If the lock file was removed, another run may have started that pays for the same day.
  await lock.assertHeld();

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
  const outcome = await requestExport(
    permit,
    windowOf(entry.day),
    entry.messageData,
    config.exports.refusals,
  );
  return record(context, entry, outcome);
}

type RequestOutcome =
  | { readonly kind: 'accepted'; readonly exportId: string }
  /** The request provably never left this machine: nothing is billed, and it may be sent again. */
  | { readonly kind: 'never_sent'; readonly reason: string }
  /** The service clearly refused: nothing is billed. `note` is the reason without texts of the service. */
  | { readonly kind: 'refused'; readonly reason: string; readonly note: string }
  /**
   * The outcome is unknown: the export may be billed, so the request is never repeated automatically. `body` is the
   * answer without secrets and personal data; of an answer that is no more than an error (`isError`) it is the text that
   * a person may judge to be a refusal (`exports.refusals`). After a lost connection `isError` is undefined.
   */
  | { readonly kind: 'unknown'; readonly note: string; readonly body: string; readonly isError?: boolean };

/**
 * Requests one paid export. The caller must record the intent before the call and the outcome after it.
 *
 * @param window `start` is included, `end` is excluded
 * @param refusals texts that a person has judged to be refusals (`exports.refusals`)
 */
export async function requestExport(
  permit: Permit,
  window: Window,
  messageData: boolean,
  refusals: readonly string[] = [],
): Promise<RequestOutcome> {
  const answer = await permit.sendOnce(exportRequest(permit.projectId, window, messageData));
  return outcomeOf(answer, permit.secrets, refusals);
}

function outcomeOf(
  { verdict, body, status }: ServiceAnswer,
  secrets: Secrets,
  refusals: readonly string[],
): RequestOutcome {
  const redacted = withoutPeople(secrets.hide(body.toString('utf8')));
  if (verdict.kind === 'unreachable') {
    return verdict.sent
      ? { kind: 'unknown', note: verdict.reason, body: redacted }
      : { kind: 'never_sent', reason: verdict.reason };
  }
  const unknown = { kind: 'unknown', body: redacted, isError: false } as const;
  const told = readAnswer(status ?? 0, body);
  const note = `HTTP ${status ?? '?'}`;
  const reason = verdict.kind === 'ok' ? `${note} without an export_id` : verdict.reason;
  switch (told.kind) {
    case 'accepted':
      // The id is written to the journal, to URLs and to the warehouse, none of which may contain a secret.
      if (secrets.holds(told.exportId))
        return { ...unknown, note: 'the export_id repeats a key or the token' };
      return told;
    case 'refused':
      return { kind: 'refused', reason, note };
    case 'error': {
      // The text is kept alone, so that what a person lists is what is compared.
      const text = judgedText(secrets.hide(told.text));
      if (text === undefined) return { ...unknown, note };
      return isJudged(text, refusals)
        ? { kind: 'refused', reason, note }
        : { kind: 'unknown', note, body: text, isError: true };
    }
    case 'unknown':
      return { ...unknown, note };
  }
}

/**
 * The meaning of an answer to E20. An export id means billed, whatever the status; `readError` tells refusals and
 * errors. After any other answer the export may have been made and billed. Pure; the table is in docs/money.md.
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
  const exportId = exportIdIn(envelope.parts, body);
  return exportId === undefined ? readError(status, envelope, body) : { kind: 'accepted', exportId };
}

/**
 * The id as text, but none that leads to another path in a URL. The digits of a number are taken from the body, because
 * JavaScript rounds numbers above 2^53.
 */
function exportIdIn(parts: ReadonlyMap<string, Part>, body: Buffer): string | undefined {
  const part = parts.get('export_id');
  const id = partValue(body, part);
  if (typeof id === 'string' && !/^(\s*|\.\.?)$/.test(id)) return id;
  return typeof id === 'number' && part !== undefined
    ? body.toString('latin1', part.start, part.end)
    : undefined;
}

/** Records the outcome in the ledger and reports it. */
async function record(
  { ledger, landing, report }: RequestContext,
  { key, day }: Export,
  outcome: RequestOutcome,
): Promise<Sent> {
  const gap = (reason: string): void => void report.gaps.push(eventGap(day, reason));
  switch (outcome.kind) {
    case 'accepted': {
      const entry = await ledger.requested(key, outcome.exportId);
      // The folder names the id, should the journal be lost before the first page lands.
      await landing.reading({ day, key, exportId: outcome.exportId });
      return entry;
    }
    case 'never_sent':
      await ledger.note(key, 'withdrawn', outcome.reason);
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
  return { file, sha256: createHash('sha256').update(body).digest('hex'), isError: isError === true };
}

type Unknown = RequestOutcome & { readonly kind: 'unknown' };

/** E20, the one request that costs money: sent once, and its outcome classified. */
import type { Window } from '../calendar.js';
import { ServiceError } from '../errors.js';
import { withoutPeople, type Secrets } from '../redaction.js';
import { errorWords, textOf } from '../api/answer.js';
import { partValue, readEnvelope, type Part } from '../envelope.js';
import type { Permit, ServiceAnswer } from '../api/client.js';
import { exportRequest } from '../api/endpoints.js';

export type RequestOutcome =
  /** The export exists; `rawAnswer` is what came, without secrets and people. */
  | { readonly kind: 'accepted'; readonly exportId: string; readonly rawAnswer: string }
  /** Provably never left this machine: nothing is billed, it may be sent another time. */
  | { readonly kind: 'never_sent'; readonly reason: string; readonly cause: unknown }
  /** A clear refusal: nothing is billed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The outcome is unknown: it may be billed, so it is never sent again automatically. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly body: Buffer };

/** The statuses of a request that was refused before anything was done with it. */
const REFUSING_STATUSES = new Set([400, 401, 403, 404, 405, 422, 429]);

/**
 * Signs that an export was started after all, or that a proxy answered, whatever the status: looked for in the whole
 * body, since a key given twice or an inner object may hide them.
 */
const SIGNS_OF_WORK =
  /time[d]?[\s-]?out|internal|unavailable|gateway|upstream|disconnect|already|duplicate|conflict|in progress|being (made|generated|processed)|accepted|billed|export_?id|이미|중복|진행 중|생성 중|과금/i;

/** The values of `status` that a refusal may have; with another one the answer is about an export (E21). */
const REFUSING_WORDS = [undefined, 'error', 'not_found'];

/**
 * Requests one paid export. The caller has recorded the intent before and records the outcome after.
 *
 * @param window instants, `start` included and `end` excluded
 */
export async function requestExport(
  permit: Permit,
  window: Window,
  messageData: boolean,
): Promise<RequestOutcome> {
  const answer = await permit.sendOnce(exportRequest(permit.projectId, window, messageData));
  return outcomeOf(answer, permit.secrets);
}

function outcomeOf({ verdict, body, status }: ServiceAnswer, secrets: Secrets): RequestOutcome {
  if (verdict.kind === 'unreachable') {
    return verdict.sent
      ? { kind: 'unknown', reason: verdict.reason, body }
      : {
          kind: 'never_sent',
          reason: verdict.reason,
          cause: new ServiceError(`The service cannot be reached (${verdict.reason}).`, {
            hint: 'Check base_url and the network. Nothing was billed.',
            cause: verdict.cause,
          }),
        };
  }
  const told = readAnswer(status ?? 0, body);
  const reason = verdict.kind === 'ok' ? `HTTP ${status ?? '?'} without an export_id` : verdict.reason;
  if (told.kind === 'accepted') {
    // The id goes into the ledger, into addresses and into the warehouse: no place for a key.
    if (secrets.holds(told.exportId))
      return { kind: 'unknown', reason: 'the export_id repeats a key or the token', body };
    return { ...told, rawAnswer: withoutPeople(secrets.hide(body.toString('utf8'))) };
  }
  return told.kind === 'refused' ? { kind: 'refused', reason } : { kind: 'unknown', reason, body };
}

/**
 * What an answer to E20 says of the bill. An id is an export, whatever the status. A refusal is one of a few statuses
 * together with an error body of the service's own; whatever else comes, the export may have been made and billed. Pure;
 * docs/money.md holds the table.
 */
export function readAnswer(
  status: number,
  body: Buffer,
): { kind: 'accepted'; exportId: string } | { kind: 'refused' } | { kind: 'unknown' } {
  const envelope = readEnvelope(body);
  if (envelope?.kind !== 'object') return { kind: 'unknown' };
  const exportId = exportIdIn(envelope.parts, body);
  if (exportId !== undefined) return { kind: 'accepted', exportId };
  const isRefusal =
    REFUSING_STATUSES.has(status) &&
    errorWords(envelope, body) !== undefined &&
    !hasData(envelope.parts, body) &&
    REFUSING_WORDS.includes(textOf(envelope, body, 'status')) &&
    !SIGNS_OF_WORK.test(body.toString('utf8'));
  return { kind: isRefusal ? 'refused' : 'unknown' };
}

/** Whether an answer carries data besides its error: then it is not a plain refusal. */
function hasData(parts: ReadonlyMap<string, Part>, body: Buffer): boolean {
  return (partValue(body, parts.get('data')) ?? null) !== null;
}

/** The id as text. The digits of a number are taken as they came: JavaScript would round those above 2^53. */
function exportIdIn(parts: ReadonlyMap<string, Part>, body: Buffer): string | undefined {
  const part = parts.get('export_id');
  const id = partValue(body, part);
  if (typeof id === 'string' && id.trim() !== '') return id;
  return typeof id === 'number' && part !== undefined
    ? body.toString('latin1', part.start, part.end)
    : undefined;
}

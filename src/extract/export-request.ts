/** E20, the one request that costs money: sent once, and its outcome told apart to the last shade. */
import type { Window } from '../calendar.js';
import { ServiceError } from '../errors.js';
import { partValue, type Envelope } from '../service/envelope.js';
import type { Answer, ServiceClient } from '../service/client.js';
import { exportRequest } from '../service/endpoints.js';

export type RequestOutcome =
  /** The export exists; `body` is the raw answer. */
  | { readonly kind: 'accepted'; readonly exportId: string; readonly body: Buffer }
  /** Provably never left this machine: nothing is billed, it may be sent another time. */
  | { readonly kind: 'never_sent'; readonly reason: string; readonly cause: unknown }
  /** A clear refusal: nothing is billed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody knows: it may be billed, so it is never sent again by itself. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly body: Buffer };

/** Statuses by which the service, or what stands before it, says no before doing anything. */
const CLEAR_REFUSALS = new Set([401, 403, 404, 405, 429]);

/** With a status of success only such words are a clear refusal: others may tell of a failure after the billing. */
const REFUSING_WORDS = /invalid|unauthori[sz]ed|forbidden|denied|required|must /i;

/**
 * Requests one paid export. The caller has put the intent on record before and records the outcome after.
 *
 * @param window instants, `start` included and `end` excluded
 */
export async function requestExport(
  service: ServiceClient,
  window: Window,
  messageData: boolean,
): Promise<RequestOutcome> {
  try {
    await service.authorize();
  } catch (cause) {
    return { kind: 'never_sent', reason: 'there is no token', cause };
  }
  return outcomeOf(await service.ask(exportRequest(service.projectId, window, messageData)));
}

function outcomeOf({ verdict, body, status }: Answer): RequestOutcome {
  switch (verdict.kind) {
    case 'ok': {
      const exportId = exportIdIn(verdict.envelope, body);
      if (exportId !== undefined) return { kind: 'accepted', exportId, body };
      return { kind: 'unknown', reason: `HTTP ${status ?? '?'} without an export_id`, body };
    }
    case 'unreachable':
      return verdict.sent
        ? { kind: 'unknown', reason: verdict.reason, body }
        : {
            kind: 'never_sent',
            reason: verdict.reason,
            cause: new ServiceError(`The service cannot be reached (${verdict.reason}).`, {
              hint: 'Check base_url and the network; nothing was billed.',
              cause: verdict.cause,
            }),
          };
    case 'unauthorized':
    case 'forbidden':
    case 'busy':
    case 'refused':
      // A 4xx that explains itself, or is one that cannot follow work done, is a refusal; other silence is not.
      return isClear(verdict.reason, status)
        ? { kind: 'refused', reason: verdict.reason }
        : unknown(verdict.reason, body);
    case 'redirected':
    case 'timeout':
    case 'broken':
    case 'oversized':
      return unknown(verdict.reason, body);
  }
}

function unknown(reason: string, body: Buffer): RequestOutcome {
  return { kind: 'unknown', reason, body };
}

/** A reason that has words behind its status (`HTTP 400: …`) came with an error body. */
function isClear(reason: string, status = 0): boolean {
  if (CLEAR_REFUSALS.has(status)) return true;
  return reason.includes(': ') && (status >= 400 || REFUSING_WORDS.test(reason));
}

/** The id as text; a number is taken too, since only the word `string` in the specification speaks against one. */
function exportIdIn(envelope: Envelope, body: Buffer): string | undefined {
  if (envelope.kind === 'array') return undefined;
  const id = partValue(body, envelope.parts.get('export_id'));
  if (typeof id === 'string' && id !== '') return id;
  return typeof id === 'number' ? String(id) : undefined;
}

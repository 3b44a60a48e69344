/** One answer of E21, read: which of its states it is in, and the page that it carries. */
import { createHash } from 'node:crypto';
import { textOf } from '../service/answer.js';
import type { ServiceClient } from '../service/client.js';
import { exportResult } from '../service/endpoints.js';
import { partValue, readEnvelope, type Envelope } from '../service/envelope.js';

/** A page of 1,000 records at most (specification, Limits). */
export interface Page {
  readonly kind: 'page';
  readonly number: number;
  readonly body: Buffer;
  readonly records: number;
  readonly totalPages: number;
  /** Of the records' bytes: two pages with the same one hold the same records. */
  readonly fingerprint: string;
}

export type Result =
  | Page
  | { readonly kind: 'processing' }
  | { readonly kind: 'not_found'; readonly reason: string }
  | { readonly kind: 'invalid_page' }
  /** A failure that may pass: `{status: error}`, `{error: Timeout}`, no answer. */
  | { readonly kind: 'trouble'; readonly reason: string }
  /** A whole answer of a shape that the specification does not know. */
  | { readonly kind: 'strange'; readonly reason: string; readonly body: Buffer };

/** Asks E21 for one page. */
export async function askPage(
  service: ServiceClient,
  exportId: string,
  pageParameter: string,
  number: number,
): Promise<Result> {
  const { verdict, body } = await service.ask(
    exportResult(service.projectId, exportId, pageParameter, number),
  );
  if (verdict.kind === 'ok') return readResult(verdict.envelope, body, number);
  const what = verdict.kind === 'refused' && verdict.reason.startsWith('HTTP 404') ? 'not_found' : 'trouble';
  return { kind: what, reason: verdict.reason };
}

/** A page that was landed earlier, read again; undefined when the bytes are not one. */
export function readPage(body: Buffer, number: number): Page | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

function readResult(envelope: Envelope, body: Buffer, number: number): Result {
  const status = textOf(envelope, body, 'status');
  const message = textOf(envelope, body, 'message');
  switch (status) {
    case 'processing':
      return { kind: 'processing' };
    case 'not_found':
      return { kind: 'not_found', reason: message ?? 'not_found' };
    case 'invalid_page':
      return { kind: 'invalid_page' };
    case 'error':
      return { kind: 'trouble', reason: `status error${message === undefined ? '' : `: ${message}`}` };
    case 'success':
      return readSuccess(envelope, body, number);
    case undefined:
      return { kind: 'strange', reason: 'E21 answered without a status', body };
    default:
      // A word that the specification does not know may well pass, as `processing` does.
      return { kind: 'trouble', reason: `E21 answered with the status ${JSON.stringify(status)}` };
  }
}

function readSuccess(envelope: Envelope, body: Buffer, number: number): Result {
  const strange = (reason: string): Result => ({
    kind: 'strange',
    reason: `E21 answered success ${reason}`,
    body,
  });
  if (envelope.kind === 'array') return strange('as a list');
  const data = envelope.parts.get('data');
  const total = Number(partValue(body, envelope.parts.get('total_page_count')));
  const empty = data === undefined || partIsNull(body, data.start);
  if (!empty && data.elements === undefined) return strange('with data that is not a list');
  const records = data?.elements ?? 0;
  if (!Number.isInteger(total) || total < 0) return strange('without a total_page_count');
  const bytes = empty ? '' : body.subarray(data.start, data.end);
  return {
    kind: 'page',
    number,
    body,
    records,
    totalPages: total,
    fingerprint: createHash('sha256').update(bytes).digest('hex'),
  };
}

function partIsNull(body: Buffer, start: number): boolean {
  return body.toString('latin1', start, start + 4) === 'null';
}

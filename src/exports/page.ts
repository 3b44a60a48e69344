/** One answer of E21, read: which of its states it is in, and the page that it carries. */
import { createHash } from 'node:crypto';
import { clean, textOf } from '../api/answer.js';
import type { ServiceClient } from '../api/client.js';
import { exportResult } from '../api/endpoints.js';
import { partValue, readEnvelope, type Envelope, type Part } from '../api/envelope.js';

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

/** One answer of E21; `body` is what was received, to be landed. */
export type Result =
  | Page
  | { readonly kind: 'processing'; readonly body: Buffer }
  | { readonly kind: 'not_found'; readonly reason: string; readonly body: Buffer }
  | { readonly kind: 'invalid_page'; readonly reason: string; readonly body: Buffer }
  /** A failure that may pass: `{status: error}`, `{error: Timeout}`, no answer. */
  | { readonly kind: 'trouble'; readonly reason: string; readonly body: Buffer }
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
  if (verdict.kind === 'ok') {
    const result = readResult(verdict.envelope, body, number);
    return 'reason' in result ? { ...result, reason: clean(result.reason, service.secrets) } : result;
  }
  const what = verdict.kind === 'refused' && verdict.reason.startsWith('HTTP 404') ? 'not_found' : 'trouble';
  return { kind: what, reason: verdict.reason, body };
}

/** A page that landed earlier, read again; undefined when the bytes are not a page. */
export function readPage(body: Buffer, number: number): Page | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

function readResult(envelope: Envelope, body: Buffer, number: number): Result {
  if (envelope.kind === 'array') return { kind: 'strange', reason: 'E21 answered with a list', body };
  const status = textOf(envelope, body, 'status');
  const message = textOf(envelope, body, 'message');
  switch (status) {
    case 'processing':
      return { kind: 'processing', body };
    case 'not_found':
    case 'invalid_page':
      return { kind: status, reason: message ?? status, body };
    case 'error':
      return { kind: 'trouble', reason: `status error${message === undefined ? '' : `: ${message}`}`, body };
    case 'success':
      return readSuccess(envelope.parts, body, number);
    case undefined:
      return { kind: 'strange', reason: 'E21 answered without a status', body };
    default:
      // A word that the specification does not know may well pass, as `processing` does.
      return { kind: 'trouble', reason: `E21 answered with the status ${JSON.stringify(status)}`, body };
  }
}

function readSuccess(parts: ReadonlyMap<string, Part>, body: Buffer, number: number): Result {
  const data = parts.get('data');
  const empty = data === undefined || partIsNull(body, data.start);
  if (!empty && data.elements === undefined) {
    return { kind: 'strange', reason: 'E21 answered success with data that is not a list', body };
  }
  const total = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, pages would be missing and nobody would know; the next answer may tell it.
  if (total === undefined) {
    return { kind: 'trouble', reason: 'E21 answered success without a total_page_count', body };
  }
  const records = data?.elements ?? 0;
  if (total === 0 && records > 0) {
    return { kind: 'trouble', reason: 'E21 answered with records and a total_page_count of 0', body };
  }
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

/** A whole number, also as text; undefined for anything else. */
function pageCount(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function partIsNull(body: Buffer, start: number): boolean {
  return body.toString('latin1', start, start + 4) === 'null';
}

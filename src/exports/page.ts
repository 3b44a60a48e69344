/** One answer of E21, read: which of its states it is in, and the page that it carries. */
import { createHash } from 'node:crypto';
import { clean, textOf } from '../api/answer.js';
import type { ServiceClient } from '../api/client.js';
import { exportResult } from '../api/endpoints.js';
import { DamageError } from '../errors.js';
import type { LandingZone } from '../storage/landing-zone.js';
import type { ExportFolder } from '../storage/paths.js';
import type { SizedFile } from '../storage/pull.js';
import { partValue, readEnvelope, type Envelope } from '../envelope.js';

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
  /** A success that is no page, or a whole text that is not JSON: asked again, and in the end set aside. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly body: Buffer }
  /** A whole answer of a shape that the specification does not know. */
  | { readonly kind: 'strange'; readonly reason: string; readonly body: Buffer };

/** Asks E21 for one page. */
export async function askPage(
  service: ServiceClient,
  exportId: string,
  pageParameter: string,
  number: number,
): Promise<Result> {
  const { verdict, body, status } = await service.ask(
    exportResult(service.projectId, exportId, pageParameter, number),
  );
  if (verdict.kind === 'ok') {
    const result = readResult(verdict.envelope, body, number);
    return 'reason' in result ? { ...result, reason: clean(result.reason, service.secrets) } : result;
  }
  const { kind, reason } = verdict;
  if (kind === 'broken' && status === 200 && isWhole(body)) return { kind: 'unreadable', reason, body };
  const what = kind === 'refused' && reason.startsWith('HTTP 404') ? 'not_found' : 'trouble';
  return { kind: what, reason, body };
}

/** Whether an answer that is not JSON came to its end. */
function isWhole(body: Buffer): boolean {
  return readEnvelope(body) === undefined && /^\s*\{[^]*\}\s*$/.test(body.toString('latin1'));
}

/** A page that landed earlier, read again; undefined when the bytes are not a page. */
export function readPage(body: Buffer, number: number): Page | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

type EnvelopeObject = Envelope & { readonly kind: 'object' };

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
      return readSuccess(envelope, body, number);
    case undefined:
      return { kind: 'strange', reason: 'E21 answered without a status', body };
    default:
      // A word that the specification does not know may well pass, as `processing` does.
      return { kind: 'trouble', reason: `E21 answered with the status ${JSON.stringify(status)}`, body };
  }
}

/** What makes a page. */
const PAGE_KEYS = ['status', 'data', 'total_page_count'];

function readSuccess({ parts, twice }: EnvelopeObject, body: Buffer, number: number): Result {
  const unreadable = (what: string): Result => ({ kind: 'unreadable', reason: `E21 answered ${what}`, body });
  const doubled = PAGE_KEYS.find((key) => twice.has(key));
  if (doubled !== undefined) return unreadable(`with ${doubled} given twice`);
  const data = parts.get('data');
  const empty = data === undefined || partIsNull(body, data.start);
  if (!empty && data.elements === undefined) return unreadable('success with data that is not a list');
  const total = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, pages would be missing and nobody would know; the next answer may tell it.
  if (total === undefined) return unreadable('success without a total_page_count');
  const records = data?.elements ?? 0;
  if (total === 0 && records > 0) return unreadable('with records and a total_page_count of 0');
  // An export without a record may come without data, a page of one with records may not.
  if (empty && (number > 0 || total > 1)) return unreadable('success without data');
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

/** A page on disk; its bytes stay there. */
interface LandedPage extends Page, SizedFile {}

/** The pages of an earlier run with their records; one that is damaged, or empty, is read again, at no cost (E21). */
export async function landedPages(
  { landing }: { readonly landing: LandingZone },
  place: ExportFolder,
): Promise<LandedPage[]> {
  const pages: LandedPage[] = [];
  for (const [number, file] of await landing.landedPages(place)) {
    try {
      const page = readPage(await landing.read(file), number);
      if (page === undefined || page.records === 0) continue;
      // Only what the set of pages needs: the bytes themselves stay on disk.
      pages.push({ ...page, file, bytes: page.body.byteLength, body: Buffer.alloc(0) });
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
  }
  return pages;
}

export function sumOf(pages: readonly Page[]): number {
  return pages.reduce((sum, { records }) => sum + records, 0);
}

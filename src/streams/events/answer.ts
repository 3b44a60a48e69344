/** Requests a page of an export (E21), and classifies the answer. */
import { createHash } from 'node:crypto';
import { bytesOf, partValue, readEnvelope, textOf, type Body, type Envelope } from '../../ground/envelope.js';
import { type ServiceClient } from '../../service/client.js';
import { clean } from '../../service/verdict.js';
import { exportResult } from '../../service/endpoints.js';

/** A page of at most 1,000 records (specification, Limits). */
export interface PageAnswer {
  readonly kind: 'page';
  readonly number: number;
  readonly body: Body;
  readonly records: number;
  readonly totalPages: number;
  /** A hash of the records' bytes: pages with equal fingerprints have the same records. */
  readonly fingerprint: string;
}

export interface Other {
  /**
   * `trouble`: a failure that may be temporary: `{status: error}`, `{error: Timeout}`, or no answer. `strange`: a complete answer in a
   * shape that the specification does not define. `unreadable`: a success that is not a page, or broken JSON: cut off, UTF-16, or with a
   * word such as NaN.
   */
  readonly kind: 'processing' | 'not_found' | 'invalid_page' | 'trouble' | 'strange' | 'unreadable';
  readonly reason: string;
  readonly body: Body;
  /** True if the client has already repeated the request because the page was unreadable. */
  readonly repeated?: true;
}

interface Oversized {
  readonly kind: 'oversized';
  readonly reason: string;
}

export type Answer = PageAnswer | Other;

/**
 * Asks E21 for one page.
 *
 * @param pageParameter the query parameter with the page number (N18)
 */
export async function askPage(
  service: ServiceClient,
  exportId: string,
  pageParameter: string,
  number: number,
): Promise<Answer | Oversized> {
  const { verdict, body, status } = await service.askLarge(
    exportResult(service.projectId, exportId, pageParameter, number),
  );
  if (verdict.kind === 'ok') {
    const result = readResult(verdict.envelope, body, number);
    return 'reason' in result ? { ...result, reason: clean(result.reason, service.secrets) } : result;
  }
  const { kind, reason } = verdict;
  if (kind === 'oversized') return { kind, reason };
  if (kind === 'broken' && status === 200 && BEGINS_AS_JSON.test(bytesOf(body).toString('latin1', 0, 1024)))
    return { kind: 'unreadable', reason, body, repeated: true };
  const isRefused = kind === 'refused' || kind === 'redirected';
  const what = isRefused ? (status === 404 ? 'not_found' : 'strange') : 'trouble';
  return { kind: what, reason, body };
}

/** Matches the first bytes of a page in UTF-8 or UTF-16, but not text or HTML from a proxy. */
const BEGINS_AS_JSON = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*[[{]/;

/** Reads a page that landed earlier; undefined if the bytes are not a page. */
export function readPage(body: Body, number: number): PageAnswer | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

/** The keys of a page of an export (E21). */
const PAGE_KEYS = ['status', 'data', 'total_page_count'];

function readResult(envelope: Envelope, body: Body, number: number): Answer {
  const other = (kind: Other['kind'], reason: string): Other => ({ kind, reason, body });
  if (envelope.kind === 'array') return other('strange', 'E21 answered with a list');
  const { parts, twice } = envelope;
  const status = textOf(envelope, body, 'status');
  const message = textOf(envelope, body, 'message');
  switch (status) {
    case 'processing':
      return other(status, status);
    case 'not_found':
    case 'invalid_page':
      return other(status, message ?? status);
    case 'error':
      return other('trouble', `status error${message === undefined ? '' : `: ${message}`}`);
    case 'success':
      break;
    case undefined:
      return other('strange', 'E21 answered without a status');
    default:
      // An undefined status may be temporary, like `processing`.
      return other('trouble', `E21 answered with the status ${JSON.stringify(status)}`);
  }
  const unreadable = (what: string): Other => other('unreadable', `E21 answered ${what}`);
  const doubled = PAGE_KEYS.find((key) => twice.has(key));
  if (doubled !== undefined) return unreadable(`with ${doubled} given twice`);
  const data = parts.get('data');
  const empty = data === undefined || bytesOf(body).toString('latin1', data.start, data.start + 4) === 'null';
  if (!empty && data.elements === undefined) return unreadable('success with data that is not a list');
  const totalPages = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, nobody would notice missing pages. The next answer may include it.
  if (totalPages === undefined) return unreadable('success without a number of pages in total_page_count');
  const records = data?.elements ?? 0;
  if (totalPages === 0 && records > 0) return unreadable('with records and a total_page_count of 0');
  // `data` may be missing only if the whole export has no records.
  if (empty && (number > 0 || totalPages > 1)) return unreadable('success without data');
  const bytes = empty ? '' : bytesOf(body).subarray(data.start, data.end);
  const fingerprint = data?.digest ?? createHash('sha256').update(bytes).digest('hex');
  return { kind: 'page', number, body, records, totalPages, fingerprint };
}

/** A whole number, given as a number or as text; undefined for any other value. */
function pageCount(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

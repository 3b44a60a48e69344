/** E21: waits until an export is ready, collects its pages, and reads the outside of each answer. */
import { clean, type ServiceClient, settleAll } from '../service/client.js';
import type { Effects } from '../ground/effects.js';
import { ServiceError } from '../ground/errors.js';
import { createHash } from 'node:crypto';
import { textOf, partValue, readEnvelope, type Envelope } from '../ground/envelope.js';
import { exportResult } from '../service/endpoints.js';
import { type LandingZone, readWhole, BESIDE, type Page, type Pull } from '../landing/landing-zone.js';
import { basename } from 'node:path';
import { pageName } from '../landing/paths.js';
import { unlessDamaged } from '../landing/storage-error.js';

export interface ExportSource {
  readonly service: ServiceClient;
  readonly effects: Effects;
  readonly signal: AbortSignal;
  readonly exportId: string;
  /** The query parameter with the page number (N18). */
  readonly pageParameter: string;
}

export type Waiting =
  /** The export is ready; `first` need not be requested again. The requested page may be `unreadable` instead. */
  | { readonly kind: 'ready'; readonly first: PageAnswer; readonly unreadable?: number }
  /** The export was generated and has no records; `note` is a sentence, and `page` is set if the answer was a page. */
  | { readonly kind: 'empty'; readonly note: string; readonly page: PageAnswer | undefined }
  /** The service keeps reporting no records although records are expected. */
  | { readonly kind: 'doubtful'; readonly note: string }
  /** The export was still being generated when the waiting time ended. */
  | { readonly kind: 'processing' }
  /** The service does not know the export (`isUnknown`) or keeps failing. It is paid for, so the user must decide. */
  | { readonly kind: 'stuck'; readonly reason: string; readonly isUnknown?: boolean };

export interface Wait {
  /** Maximum waiting time in milliseconds; with 0 the service is asked once. */
  readonly maxWaitMs: number;
  /** True if the daily statistics or the estimate of the request expect records; an empty answer may then be wrong. */
  readonly expectsRecords: boolean;
  /** True if an earlier run asked for the export in vain, or the service has reported that it makes it. */
  readonly wasProcessing?: boolean;
  /** Number of the first page that has not landed. Landed pages are not requested again. */
  readonly missing: number;
  /** A landed page; it proves that the export is ready if the missing page cannot be read. */
  readonly landed?: PageAnswer | undefined;
  /** Called with each answer before it is interpreted. */
  readonly onAnswer: (result: Answer) => Promise<void>;
}

/** The first pause between two polls in milliseconds, its growth factor, and the longest pause. */
const POLL = { firstMs: 500, growth: 1.5, longestMs: 30_000 };

/** After this number of consecutive failures an export or page counts as not delivered. */
const ATTEMPTS = 4;

/** Polls an export with growing pauses until it is ready or the waiting time is over. */
export async function awaitExport(
  source: ExportSource,
  { maxWaitMs, expectsRecords, wasProcessing = false, missing, landed, onAnswer }: Wait,
): Promise<Waiting> {
  const { effects, signal } = source;
  let waited = 0;
  let pause = POLL.firstMs;
  let failures = 0;
  let isMade = wasProcessing;
  let doubt: string | undefined;
  let stuck: Waiting | undefined;
  let number = missing;
  for (;;) {
    const result = await askPage(source, number);
    await onAnswer(result);
    stuck = undefined;
    let empty: { note: string; page: PageAnswer | undefined } | undefined;
    switch (result.kind) {
      case 'page':
        if (result.records > 0 || number > 0 || result.totalPages > 1)
          return { kind: 'ready', first: result };
        empty = { note: 'The export holds no records.', page: result };
        break;
      case 'processing':
        isMade = true;
        failures = 0;
        break;
      case 'invalid_page':
        failures++;
        if (number > 0) {
          // The export may have become shorter; page 0 has the current number of pages.
          number = 0;
          continue;
        }
        // An export without records has no page 0. Before `processing` was seen, the missing page may also mean that the
        // export is not generated yet.
        if (isMade || failures >= ATTEMPTS) {
          empty = { note: `The export has no page 0 (${result.reason}).`, page: undefined };
        }
        break;
      case 'strange':
        return { kind: 'stuck', reason: result.reason };
      case 'unreadable':
        failures++;
        if (isGivenUp(source, result.repeated, failures))
          return anotherPage(source, number, landed, result.reason);
        await effects.sleep(POLL.firstMs, signal);
        continue;
      case 'not_found':
      case 'trouble':
        failures++;
        stuck = { kind: 'stuck', reason: result.reason, isUnknown: result.kind === 'not_found' };
        if (failures >= ATTEMPTS) return stuck;
        break;
    }
    if (empty !== undefined && !expectsRecords) return { kind: 'empty', ...empty };
    doubt = empty?.note ?? doubt;
    if (waited >= maxWaitMs)
      return doubt === undefined ? (stuck ?? { kind: 'processing' }) : { kind: 'doubtful', note: doubt };
    const ms = Math.min(pause * (0.9 + 0.2 * effects.random()), maxWaitMs - waited);
    await effects.sleep(ms, signal);
    waited += ms;
    pause = Math.min(pause * POLL.growth, POLL.longestMs);
  }
}

/** Asks for another page of the export, if the requested one cannot be read. */
async function anotherPage(
  source: ExportSource,
  number: number,
  landed: PageAnswer | undefined,
  reason: string,
): Promise<Waiting> {
  const unreadable = number;
  if (landed !== undefined) return { kind: 'ready', first: landed, unreadable };
  const next = await askPage(source, number + 1);
  return next.kind === 'page' ? { kind: 'ready', first: next, unreadable } : { kind: 'stuck', reason };
}

export interface PageSink {
  /** Resolves once the page is durable. */
  accept(page: PageAnswer): Promise<void>;
  reject(page: number, body: Buffer): Promise<unknown>;
}

/**
 * Downloads every page that has not landed, several at a time, and retries pages without records and pages that repeat
 * the records of another page.
 *
 * @param first the page returned by `awaitExport`, or any page of an earlier run
 * @param landed pages of an earlier run
 * @param expected `atLeast`: least number of records according to the daily statistics; if the pages hold fewer, the
 *   number of pages is requested again. `again`: landed pages to request again in any case. `beside`: whether an answer for
 *   one of them with other records is kept beside the landed page. `unreadable`: a page that was given up
 * @throws ServiceError if a page cannot be downloaded, or all pages are identical; landed pages are kept and the next run
 *   resumes
 */
export async function collectPages(
  source: ExportSource,
  first: PageAnswer,
  landed: readonly PageAnswer[],
  concurrency: number,
  sink: PageSink,
  {
    atLeast = 0,
    again = [],
    beside = false,
    unreadable = -1,
  }: { atLeast?: number; again?: number[]; beside?: boolean; unreadable?: number } = {},
) {
  const pages = new PageSet(first.totalPages);
  for (const page of landed) pages.keep(page);
  if (unreadable >= 0 && !pages.has(unreadable)) pages.giveUp(unreadable);
  if (!pages.has(first.number) || first.records > pages.recordsOf(first.number)) await take(first);

  async function collect(number: number): Promise<void> {
    const page = await fetchPage(source, number, pages, sink);
    if (page !== undefined) await take(page);
  }

  /** Lands a page. One that repeats another page is treated as a page without records. */
  async function take(page: PageAnswer): Promise<void> {
    const twin = pages.twinOf(page);
    if (twin === undefined) {
      await sink.accept(page);
      pages.add(page);
      return;
    }
    await sink.reject(page.number, page.body);
    pages.addRepeated(page.number, twin);
  }

  // Pages 0 and 1 are requested alone first: if they are identical, every page would be, and requesting the rest is a
  // waste. One repetition may be a temporary fault; a second one means that the service ignores the page parameter.
  for (const early of [0, 1]) if (pages.total > early && !pages.has(early)) await collect(early);
  if (pages.repeated.get(1) === 0) {
    await source.effects.sleep(POLL.firstMs, source.signal);
    await collect(1);
    if (pages.repeated.get(1) === 0) throw repeatsItself(source.pageParameter);
  }
  async function collectMissing(): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < pages.total) {
        const number = next++;
        if (!pages.has(number)) await collect(number);
      }
    };
    await settleAll(Array.from({ length: concurrency }, worker));
  }
  await collectMissing();
  for (const number of again)
    await takeAgain(number === first.number ? first : await askPage(source, number), pages, sink, beside);

  let pause = POLL.firstMs;
  for (let round = 0; round < ROUNDS && pages.doubtful(atLeast).length > 0; round++) {
    await source.effects.sleep(pause, source.signal);
    pause *= POLL.growth;
    for (const number of pages.doubtful(atLeast)) await takeAgain(await askPage(source, number), pages, sink);
    await collectMissing();
  }
  return pages.summary(atLeast);
}

/** Number of times that doubtful pages are requested again. */
const ROUNDS = 3;

/**
 * Takes another answer for a page. It replaces the landed page if it holds more records.
 *
 * @param beside true if an answer with other records, but not more, is kept beside the landed page
 */
async function takeAgain(page: Answer, pages: PageSet, sink: PageSink, beside = false): Promise<void> {
  if (page.kind !== 'page') return;
  const isMore = page.records > pages.recordsOf(page.number);
  if ((isMore || (beside && page.records > 0)) && !pages.holds(page)) {
    const kept = isMore ? page : { ...page, number: pages.besideOf(page.number) };
    await sink.accept(kept);
    pages.add(kept);
  } else pages.grow(page.totalPages);
}

/** Downloads one page, with retries. Returns undefined if the page cannot be read or the export has become shorter. */
async function fetchPage(
  source: ExportSource,
  number: number,
  pages: PageSet,
  sink: PageSink,
): Promise<PageAnswer | undefined> {
  let pause = POLL.firstMs;
  let reason = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) {
      await source.effects.sleep(pause, source.signal);
      pause *= POLL.growth * 2;
    }
    const result = await askPage(source, number);
    if (result.kind === 'page') return result;
    if (result.kind === 'strange') {
      await sink.reject(number, result.body);
      throw incomplete(number, result.reason);
    }
    if (result.kind === 'invalid_page' && (await hasShrunk(source, number))) {
      pages.shrink(number);
      return undefined;
    }
    if (result.kind !== 'processing' && result.body.length > 0) await sink.reject(number, result.body);
    if (result.kind === 'unreadable' && isGivenUp(source, result.repeated, attempt)) {
      pages.giveUp(number);
      return undefined;
    }
    reason = 'reason' in result ? result.reason : result.kind;
  }
  throw incomplete(number, reason);
}

/** True if an unreadable page was requested as often as the settings allow. */
function isGivenUp({ service }: ExportSource, repeated = false, attempt: number): boolean {
  return repeated || attempt > service.settings.retries || attempt >= ATTEMPTS;
}

/** True if page 0 now gives a number of pages that excludes this page. */
async function hasShrunk(source: ExportSource, number: number): Promise<boolean> {
  const result = await askPage(source, 0);
  return result.kind === 'page' && result.totalPages <= number;
}

function incomplete(page: number, reason: string): ServiceError {
  return new ServiceError(`Page ${page} of the export cannot be downloaded (${reason}).`, {
    hint: 'Landed pages are kept. The next run resumes the same export at no cost.',
  });
}

function repeatsItself(pageParameter: string): ServiceError {
  return new ServiceError(
    `Page 1 of the export repeats page 0: the service seems to ignore the query parameter "${pageParameter}".`,
    {
      hint: 'Set exports.page_parameter to the name that the service reads. The next run resumes the same export at no cost.',
    },
  );
}

/** One page of at most 1,000 records (specification, Limits). */
export interface PageAnswer {
  readonly kind: 'page';
  readonly number: number;
  readonly body: Buffer;
  readonly records: number;
  readonly totalPages: number;
  /** A hash of the records' bytes; pages with equal fingerprints hold the same records. */
  readonly fingerprint: string;
}

/** One answer of E21; `body` contains the received bytes, which are landed. */
export type Answer =
  | PageAnswer
  | { readonly kind: 'processing'; readonly body: Buffer }
  /**
   * `trouble`: a failure that may be temporary: `{status: error}`, `{error: Timeout}`, or no answer. `strange`: a complete
   * answer in a shape that the specification does not define.
   */
  | {
      readonly kind: 'not_found' | 'invalid_page' | 'trouble' | 'strange';
      readonly reason: string;
      readonly body: Buffer;
    }
  /**
   * A success that is not a page, or a body that begins as JSON and is none: cut off, UTF-16, or with a word such as NaN.
   * `repeated` is true if the client has already repeated the request.
   */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly body: Buffer; readonly repeated?: true };

/** Asks E21 for one page. */
export async function askPage(
  { service, exportId, pageParameter }: Pick<ExportSource, 'service' | 'exportId' | 'pageParameter'>,
  number: number,
): Promise<Answer> {
  const { verdict, body, status } = await service.ask(
    exportResult(service.projectId, exportId, pageParameter, number),
  );
  if (verdict.kind === 'ok') {
    const result = readResult(verdict.envelope, body, number);
    return 'reason' in result ? { ...result, reason: clean(result.reason, service.secrets) } : result;
  }
  const { kind, reason } = verdict;
  if (kind === 'broken' && status === 200 && BEGINS_AS_JSON.test(body.toString('latin1', 0, 1024)))
    return { kind: 'unreadable', reason, body, repeated: true };
  const what = kind === 'refused' && reason.startsWith('HTTP 404') ? 'not_found' : 'trouble';
  return { kind: what, reason, body };
}

/** Matches the first bytes of a page in UTF-8 or UTF-16, which tell it from the words or the HTML of a proxy. */
const BEGINS_AS_JSON = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*[[{]/;

/** Reads a page that landed earlier; undefined if the bytes are not a page. */
export function readPage(body: Buffer, number: number): PageAnswer | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

type EnvelopeObject = Envelope & { readonly kind: 'object' };

function readResult(envelope: Envelope, body: Buffer, number: number): Answer {
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
      // A status that the specification does not define may be temporary, as `processing` is.
      return { kind: 'trouble', reason: `E21 answered with the status ${JSON.stringify(status)}`, body };
  }
}

/** The keys of a page. */
const PAGE_KEYS = ['status', 'data', 'total_page_count'];

function readSuccess(envelope: EnvelopeObject, body: Buffer, number: number): Answer {
  const { parts, twice } = envelope;
  const unreadable = (what: string): Answer => ({ kind: 'unreadable', reason: `E21 answered ${what}`, body });
  const doubled = PAGE_KEYS.find((key) => twice.has(key));
  if (doubled !== undefined) return unreadable(`with ${doubled} given twice`);
  const data = parts.get('data');
  const empty = data === undefined || partIsNull(body, data.start);
  if (!empty && data.elements === undefined) return unreadable('success with data that is not a list');
  const total = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, missing pages would go unnoticed. The next answer may include the number.
  if (total === undefined) return unreadable('success without a number of pages in total_page_count');
  const records = data?.elements ?? 0;
  if (total === 0 && records > 0) return unreadable('with records and a total_page_count of 0');
  // An export without records may come without data; a page of an export with records may not.
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

/** A whole number, given as a number or as text; undefined for any other value. */
function pageCount(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function partIsNull(body: Buffer, start: number): boolean {
  return body.toString('latin1', start, start + 4) === 'null';
}

/** A page on disk; its bytes are not kept in memory. */
export interface LandedPage extends PageAnswer, Page {}

/**
 * The pages in the folder of a pull with their records. A damaged or empty page is left out and downloaded again, at no
 * cost (E21).
 *
 * @param pull the pull, if it is whole: where an erasure has cut records, those that landed count
 */
export async function landedPages(landing: LandingZone, id: string, pull?: Pull): Promise<LandedPage[]> {
  const landed = new Map(pull?.files.map(({ file, rows }) => [basename(file), rows]));
  const pages: LandedPage[] = [];
  for (const [number, file] of await landing.pages(id)) {
    const body = await unlessDamaged(readWhole(file));
    const page = body && readPage(body, number);
    if (page === undefined) continue;
    const rows = landed.get(pageName(number)) ?? 0;
    const records = pull?.isCut?.() === true ? Math.max(rows, page.records) : page.records;
    if (records === 0) continue;
    // Pages whose records were all erased have equal bytes but do not repeat each other.
    const fingerprint = page.records === 0 ? String(number) : page.fingerprint;
    const bytes = page.body.byteLength;
    pages.push({ ...page, records, fingerprint, file, rows: records, bytes, body: Buffer.alloc(0) });
  }
  return pages;
}

class PageSet {
  readonly #byNumber = new Map<number, { records: number; fingerprint: string }>();
  readonly #notes = new Set<string>();
  /** The numbers of pages, and of the page whose records arrived instead of those of each. */
  readonly repeated = new Map<number, number>();
  readonly #unreadable = new Set<number>();

  constructor(public total: number) {}

  has(number: number): boolean {
    return this.#byNumber.has(number);
  }

  /** True if an answer with these records has landed, for whichever page. */
  holds({ fingerprint }: PageAnswer): boolean {
    return [...this.#byNumber.values()].some((one) => one.fingerprint === fingerprint);
  }

  /** A free number for an answer that is kept beside a page. */
  besideOf(number: number): number {
    const beside = number + BESIDE;
    return this.has(beside) ? this.besideOf(beside) : beside;
  }

  /** The number of another page with the same records. */
  twinOf({ number, records, fingerprint }: PageAnswer): number | undefined {
    if (records === 0) return undefined;
    for (const [other, one] of this.#byNumber)
      if (other !== number && one.fingerprint === fingerprint) return other;
    return undefined;
  }

  add(page: PageAnswer): void {
    this.repeated.delete(page.number);
    this.#unreadable.delete(page.number);
    this.#byNumber.set(page.number, { records: page.records, fingerprint: page.fingerprint });
    this.grow(page.totalPages);
  }

  /** Adds a page of an earlier run, whose number of pages may be outdated. */
  keep({ number, records, fingerprint, totalPages }: PageAnswer): void {
    this.#byNumber.set(number, { records, fingerprint });
    this.total = Math.max(this.total, totalPages);
  }

  /** Keeps the highest number of pages reported: one page too many costs a request, one too few loses records. */
  grow(total: number): void {
    if (total === this.total) return;
    this.#notes.add(`total_page_count changed from ${this.total} to ${total}`);
    this.total = Math.max(this.total, total);
  }

  /** Adds a page that arrived with the records of another page; its own records are unknown. */
  addRepeated(number: number, twin: number): void {
    this.#byNumber.set(number, { records: 0, fingerprint: '' });
    this.repeated.set(number, twin);
  }

  /** Sets aside a page that cannot be read after all retries, so that the other pages can continue. */
  giveUp(number: number): void {
    this.#byNumber.set(number, { records: 0, fingerprint: '' });
    this.repeated.delete(number);
    this.#unreadable.add(number);
  }

  shrink(to: number): void {
    this.#notes.add(`total_page_count shrank to ${to} or less`);
    this.total = Math.min(this.total, to);
  }

  recordsOf(number: number): number {
    return this.#byNumber.get(number)?.records ?? 0;
  }

  /**
   * The pages to request again: readable pages without records, including those that repeat another page; and page 0,
   * which has the number of pages, if all pages together hold too few records.
   */
  doubtful(atLeast: number): number[] {
    const first = this.#records() < atLeast && !this.#unreadable.has(0) ? [0] : [];
    return [...new Set([...first, ...this.#empty()])];
  }

  /**
   * Readable pages without records in an export of several pages. A page with a few records is valid: 1,000 is only the
   * maximum (Limits).
   */
  #empty(): number[] {
    if (this.total <= 1) return [];
    return [...this.#byNumber]
      .filter(([number, { records }]) => records === 0 && !this.#unreadable.has(number))
      .map(([number]) => number)
      .sort((a, b) => a - b);
  }

  /**
   * The numbers of pages and records, the pages that cannot be read, and the other deviations from the specification that did
   * not stop the download, one clause each.
   */
  summary(atLeast: number) {
    const empty = this.#empty();
    const records = this.#records();
    for (const number of empty.slice(0, 3)) {
      const twin = this.repeated.get(number);
      this.#notes.add(`page ${number} ${twin === undefined ? 'holds no records' : `repeats page ${twin}`}`);
    }
    if (empty.length > 3) this.#notes.add(`${empty.length - 3} more pages hold no records too`);
    if (records < atLeast) {
      this.#notes.add(`it holds ${records} records, at least ${Math.ceil(atLeast)} are expected`);
    }
    const unreadable = [...this.#unreadable].sort((a, b) => a - b);
    return { pages: this.#first.length, records, unreadable, notes: [...this.#notes] };
  }

  /** The pages without those that are kept beside others. */
  get #first() {
    return [...this.#byNumber].flatMap(([number, page]) => (number < BESIDE ? [page] : []));
  }

  #records(): number {
    return this.#first.reduce((sum, { records }) => sum + records, 0);
  }
}

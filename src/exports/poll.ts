import { type ServiceClient, settleAll } from '../api/client.js';
import type { Effects } from '../effects.js';
import { ServiceError, DamageError } from '../errors.js';
import { createHash } from 'node:crypto';
import { clean, textOf } from '../api/answer.js';
import { exportResult } from '../api/endpoints.js';
import type { LandingZone } from '../storage/landing-zone.js';
import type { ExportFolder } from '../storage/paths.js';
import type { SizedFile } from '../storage/pull.js';
import { erasedIn, partValue, readEnvelope, type Envelope } from '../envelope.js';

export interface ExportReading {
  readonly service: ServiceClient;
  readonly effects: Effects;
  readonly signal: AbortSignal;
  readonly exportId: string;
  /** The query parameter of the page number (N18). */
  readonly pageParameter: string;
}

export type Waiting =
  /** The page that was asked for; it is not asked for again. */
  | { readonly kind: 'ready'; readonly first: Page }
  /** Generated, without records; `note` is a sentence, `page` is set where the answer was a page. */
  | { readonly kind: 'empty'; readonly note: string; readonly page: Page | undefined }
  /** The service keeps reporting no records where records are expected. */
  | { readonly kind: 'doubtful'; readonly note: string }
  /** Still being generated when the time to wait was over. */
  | { readonly kind: 'processing' }
  /** The service does not know it, or keeps failing. It is paid for: a person decides. */
  | { readonly kind: 'stuck'; readonly reason: string };

export interface Wait {
  /** How long to keep asking; with 0 the service is asked once. */
  readonly maxWaitMs: number;
  /** Whether the daily statistics, or the estimate of the request, expect records: then an empty answer may be wrong. */
  readonly expectsRecords: boolean;
  /** The first page that has not landed yet: landed pages are not asked for again. */
  readonly missing: number;
  /** A landed page: it shows that the export is ready where the missing one cannot be read. */
  readonly landed?: Page | undefined;
  /** Sees each answer before it is interpreted. */
  readonly onAnswer: (result: Result) => Promise<void>;
}

/** The first pause between two looks at an export, in milliseconds, how it grows, and the longest one. */
const POLL = { firstMs: 500, growth: 1.5, longestMs: 30_000 };

/** After this many failures in a row an export or page counts as not delivered. */
const ATTEMPTS = 4;

/** Looks at an export, with growing pauses, until it is ready or the time to wait is over. */
export async function awaitExport(
  reading: ExportReading,
  { maxWaitMs, expectsRecords, missing, landed, onAnswer }: Wait,
): Promise<Waiting> {
  const { effects, signal } = reading;
  let waited = 0;
  let pause = POLL.firstMs;
  let failures = 0;
  let wasProcessing = false;
  let doubt: string | undefined;
  let number = missing;
  for (;;) {
    const result = await askPage(reading.service, reading.exportId, reading.pageParameter, number);
    await onAnswer(result);
    let empty: { note: string; page: Page | undefined } | undefined;
    switch (result.kind) {
      case 'page':
        if (result.records > 0 || number > 0 || result.totalPages > 1)
          return { kind: 'ready', first: result };
        empty = { note: 'The export holds no records.', page: result };
        break;
      case 'processing':
        wasProcessing = true;
        failures = 0;
        break;
      case 'invalid_page':
        failures++;
        if (number > 0) {
          // It may have become shorter than it was; page 0 tells.
          number = 0;
          continue;
        }
        // Without a record there is no page 0 either; before `processing` was seen it might as well be too early.
        if (wasProcessing || failures >= ATTEMPTS) {
          empty = { note: `The export has no page 0 (${result.reason}).`, page: undefined };
        }
        break;
      case 'strange':
        return { kind: 'stuck', reason: result.reason };
      case 'unreadable':
        failures++;
        if (failures >= ATTEMPTS || waited >= maxWaitMs)
          return anotherPage(reading, number, landed, result.reason);
        break;
      case 'not_found':
      case 'trouble':
        failures++;
        if (failures >= ATTEMPTS) return { kind: 'stuck', reason: `${result.kind}: ${result.reason}` };
        break;
    }
    if (empty !== undefined && !expectsRecords) return { kind: 'empty', ...empty };
    doubt = empty?.note ?? doubt;
    if (waited >= maxWaitMs)
      return doubt === undefined ? { kind: 'processing' } : { kind: 'doubtful', note: doubt };
    const ms = Math.min(pause * (0.9 + 0.2 * effects.random()), maxWaitMs - waited);
    await effects.sleep(ms, signal);
    waited += ms;
    pause = Math.min(pause * POLL.growth, POLL.longestMs);
  }
}

/** The export by another page than the one that cannot be read. */
async function anotherPage(
  reading: ExportReading,
  number: number,
  landed: Page | undefined,
  reason: string,
): Promise<Waiting> {
  if (landed !== undefined) return { kind: 'ready', first: landed };
  const next = await askPage(reading.service, reading.exportId, reading.pageParameter, number + 1);
  return next.kind === 'page' ? { kind: 'ready', first: next } : { kind: 'stuck', reason };
}

export interface PageSink {
  /** Resolves once the page is durable. */
  accept(page: Page): Promise<void>;
  reject(page: number, body: Buffer): Promise<void>;
}

/**
 * Reads every page that is not landed yet, several at once, and again those that came without records or with those of
 * another page.
 *
 * @param first the page that `awaitExport` got, or any page of an earlier run
 * @param landed pages of an earlier run
 * @param expected `atLeast`: records expected from the daily statistics; with fewer, the number of pages is asked
 *   for again. `again`: landed pages to ask for again in any case
 * @throws ServiceError when a page cannot be downloaded, or all are the same: landed pages stay, the next run resumes
 */
export async function collectPages(
  reading: ExportReading,
  first: Page,
  landed: readonly Page[],
  concurrency: number,
  sink: PageSink,
  { atLeast = 0, again = [] }: { readonly atLeast?: number; readonly again?: readonly number[] } = {},
): Promise<Collected> {
  const pages = new PageSet(first);
  for (const page of landed) pages.add(page);
  if (!pages.has(first.number) || first.records > pages.recordsOf(first.number)) await take(first);

  async function collect(number: number): Promise<void> {
    const page = await fetchPage(reading, number, pages, sink);
    if (page !== undefined) await take(page);
  }

  /** A repeated page is a passing fault the first time, and an ignored parameter the second time. */
  async function secondPageAgain(): Promise<void> {
    await reading.effects.sleep(POLL.firstMs, reading.signal);
    const page = await fetchPage(reading, 1, pages, sink);
    if (page !== undefined) await take(page, true);
  }

  async function take(page: Page, isSecondTime = false): Promise<void> {
    const twin = pages.twinOf(page);
    if (twin !== undefined) {
      await sink.reject(page.number, page.body);
      // Every page would be the same one; a single page that repeats another counts as one that came without records.
      if (page.number === 1 && twin === 0 && isSecondTime) throw repeatsItself(reading.pageParameter);
      if (page.number === 1 && twin === 0) return secondPageAgain();
      pages.addRepeated(page.number, twin);
      return;
    }
    await sink.accept(page);
    pages.add(page);
  }

  // Pages 0 and 1 go ahead alone: if the one repeats the other, every page would, and asking for them is waste.
  for (const early of [0, 1]) if (pages.total > early && !pages.has(early)) await collect(early);
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
  for (const number of again) await askAgain(reading, number, pages, sink);

  let pause = POLL.firstMs;
  const rounds = pages.doubtful(atLeast).length > ROUNDS.upTo ? ROUNDS.many : ROUNDS.few;
  for (let round = 0; round < rounds && pages.doubtful(atLeast).length > 0; round++) {
    await reading.effects.sleep(pause, reading.signal);
    pause *= POLL.growth;
    for (const number of pages.doubtful(atLeast)) await askAgain(reading, number, pages, sink);
    await collectMissing();
  }
  return pages.summary(atLeast);
}

/** How often doubtful pages are asked for again: once where there are many. */
const ROUNDS = { few: 3, many: 1, upTo: 20 };

/** Asks for a page once more: what the service answers now replaces what landed if it holds more. */
async function askAgain(
  reading: ExportReading,
  number: number,
  pages: PageSet,
  sink: PageSink,
): Promise<void> {
  const page = await askPage(reading.service, reading.exportId, reading.pageParameter, number);
  if (page.kind !== 'page') return;
  if (page.records > pages.recordsOf(number) && pages.twinOf(page) === undefined) {
    await sink.accept(page);
    pages.add(page);
  } else pages.grow(page.totalPages);
}

/** One page, with retries; undefined when it cannot be read, or the export has become shorter than it was. */
async function fetchPage(
  reading: ExportReading,
  number: number,
  pages: PageSet,
  sink: PageSink,
): Promise<Page | undefined> {
  let pause = POLL.firstMs;
  let reason = '';
  let isUnreadable = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) {
      await reading.effects.sleep(pause, reading.signal);
      pause *= POLL.growth * 2;
    }
    const result = await askPage(reading.service, reading.exportId, reading.pageParameter, number);
    if (result.kind === 'page') return result;
    if (result.kind === 'strange') {
      await sink.reject(number, result.body);
      throw incomplete(number, result.reason);
    }
    if (result.kind === 'invalid_page' && (await hasShrunk(reading, number))) {
      pages.shrink(number);
      return undefined;
    }
    if (result.kind !== 'processing' && result.body.length > 0) await sink.reject(number, result.body);
    reason = 'reason' in result ? result.reason : result.kind;
    isUnreadable = result.kind === 'unreadable';
  }
  if (!isUnreadable) throw incomplete(number, reason);
  pages.setAside(number, reason);
  return undefined;
}

/** Whether page 0 now gives a number of pages without this one. */
async function hasShrunk(reading: ExportReading, number: number): Promise<boolean> {
  const result = await askPage(reading.service, reading.exportId, reading.pageParameter, 0);
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

/** A page of 1,000 records at most (specification, Limits). */
export interface Page {
  readonly kind: 'page';
  readonly number: number;
  readonly body: Buffer;
  readonly records: number;
  readonly totalPages: number;
  /** A hash of the records' bytes: two pages with the same one hold the same records. */
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

/** The keys that make a page. */
const PAGE_KEYS = ['status', 'data', 'total_page_count'];

function readSuccess(envelope: EnvelopeObject, body: Buffer, number: number): Result {
  const { parts, twice } = envelope;
  const unreadable = (what: string): Result => ({ kind: 'unreadable', reason: `E21 answered ${what}`, body });
  const doubled = PAGE_KEYS.find((key) => twice.has(key));
  if (doubled !== undefined) return unreadable(`with ${doubled} given twice`);
  const data = parts.get('data');
  const empty = data === undefined || partIsNull(body, data.start);
  if (!empty && data.elements === undefined) return unreadable('success with data that is not a list');
  const total = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, pages would be missing and nobody would know; the next answer may tell it.
  if (total === undefined) return unreadable('success without a total_page_count');
  const erased = erasedIn(body, envelope);
  const records = (data?.elements ?? 0) + erased;
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
    // Two pages whose records were all erased do not repeat each other.
    fingerprint: createHash('sha256')
      .update(erased > 0 ? String(number) : '')
      .update(bytes)
      .digest('hex'),
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

interface Collected {
  readonly pages: number;
  readonly records: number;
  /** Nonconforming details that did not stop the download, one clause each. */
  readonly notes: string[];
}

class PageSet {
  readonly #byNumber = new Map<number, { records: number; fingerprint: string }>();
  readonly #byFingerprint = new Map<string, number>();
  readonly #notes = new Set<string>();
  readonly #repeated = new Map<number, number>();
  /** Why pages cannot be read. */
  readonly #unreadable = new Map<number, string>();
  #total: number;

  constructor(first: Page) {
    this.#total = first.totalPages;
  }

  get total(): number {
    return this.#total;
  }

  has(number: number): boolean {
    return this.#byNumber.has(number);
  }

  /** Another page with the same records. */
  twinOf(page: Page): number | undefined {
    if (page.records === 0) return undefined;
    const twin = this.#byFingerprint.get(page.fingerprint);
    return twin === page.number ? undefined : twin;
  }

  add(page: Page): void {
    const before = this.#byNumber.get(page.number)?.fingerprint ?? '';
    if (this.#byFingerprint.get(before) === page.number) this.#byFingerprint.delete(before);
    this.#repeated.delete(page.number);
    this.#unreadable.delete(page.number);
    this.#byNumber.set(page.number, { records: page.records, fingerprint: page.fingerprint });
    if (page.records > 0) this.#byFingerprint.set(page.fingerprint, page.number);
    this.grow(page.totalPages);
  }

  /** The higher number of pages counts: one too many costs a request, one too few loses records. */
  grow(total: number): void {
    if (total === this.#total) return;
    this.#notes.add(`total_page_count changed from ${this.#total} to ${total}`);
    this.#total = Math.max(this.#total, total);
  }

  /** A page that came with the records of another one: none of its own are known. */
  addRepeated(number: number, twin: number): void {
    this.#byNumber.set(number, { records: 0, fingerprint: '' });
    this.#repeated.set(number, twin);
  }

  /** A page that cannot be read however often it is asked for: the others go on without it. */
  setAside(number: number, reason: string): void {
    this.#byNumber.set(number, { records: 0, fingerprint: '' });
    this.#unreadable.set(number, reason);
  }

  shrink(to: number): void {
    this.#notes.add(`total_page_count shrank to ${to} or less`);
    this.#total = Math.min(this.#total, to);
  }

  recordsOf(number: number): number {
    return this.#byNumber.get(number)?.records ?? 0;
  }

  /**
   * The pages that are worth asking for again: those without records, among them those that repeated another one or cannot be
   * read; and page 0, which gives the number of pages, when all together hold too few.
   */
  doubtful(atLeast: number): number[] {
    return [...new Set([...(this.#records() < atLeast ? [0] : []), ...this.#empty()])];
  }

  /** A page of an export of several that holds no record. One with a few is a page: 1,000 is only the most (Limits). */
  #empty(): number[] {
    if (this.#total <= 1) return [];
    return [...this.#byNumber]
      .filter(([, { records }]) => records === 0)
      .map(([number]) => number)
      .sort((a, b) => a - b);
  }

  summary(atLeast: number): Collected {
    const empty = this.#empty();
    const records = this.#records();
    for (const number of empty.slice(0, 3)) this.#notes.add(this.#about(number));
    if (empty.length > 3) this.#notes.add(`${empty.length - 3} more pages hold no records too`);
    if (records < atLeast) {
      this.#notes.add(`it holds ${records} records, at least ${Math.ceil(atLeast)} are expected`);
    }
    return { pages: this.#byNumber.size, records, notes: [...this.#notes] };
  }

  #about(number: number): string {
    const twin = this.#repeated.get(number);
    if (twin !== undefined) return `page ${number} repeats page ${twin}`;
    const reason = this.#unreadable.get(number);
    if (reason !== undefined) return `page ${number} cannot be read (${reason}) and is set aside`;
    return `page ${number} holds no records`;
  }

  #records(): number {
    return [...this.#byNumber.values()].reduce((sum, page) => sum + page.records, 0);
  }
}

/** E21: waiting for a paid export to be ready, then reading all of its pages. */
import type { ServiceClient } from '../api/client.js';
import type { Effects } from '../effects.js';
import { ServiceError } from '../errors.js';
import { askPage, type Page, type Result } from './page.js';
import { PageSet, type Collected } from './page-set.js';
import { settleAll } from '../api/settle.js';

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

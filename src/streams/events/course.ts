/**
 * Decides, without I/O, how one export is read: what an answer of E21 means, and what to do next. Every reading ends: pauses stop when the
 * waiting time is over, and an implausible number of pages is followed only while pages bring new records.
 */
import { formatCount, plural } from '../../terminal/text.js';
import { BESIDE } from '../../landing/landing-zone.js';
import type { Answer, Other, PageAnswer } from './answer.js';
import { KnownPages, type KnownPage } from './known-pages.js';

export interface Terms {
  /** True if records are expected, so that an answer without any may be wrong. */
  readonly expectsRecords: boolean;
  /** The minimum number of records. With fewer, pages are missing. */
  readonly atLeast: number;
  /** The maximum plausible number of pages; a higher `total_page_count` is ignored. */
  readonly plausiblePages: number;
  /** How often an unreadable page is requested again although the waiting time is over. */
  readonly retries: number;
  /** The query parameter with the page number (N18). */
  readonly pageParameter: string;
  /** True if the export has landed before: every page is requested again. */
  readonly isAgain: boolean;
  /** True if an earlier answer shows that the service has made the export. */
  readonly isMade: boolean;
  /** True if a second answer for a page is kept too, because it may have missing records. */
  readonly keepsBeside: boolean;
  /** True if a new answer for a page replaces the first one, because many records belong to other days. */
  readonly replaces: boolean;
}

/**
 * Why an export gives no pages. `empty`: it was generated and has no records. `doubtful`: the service keeps reporting
 * no records although records are expected. `processing`: it was still being generated when the waiting time ended.
 * `unknown`: the service reports `not_found`. `stuck`: the service keeps failing.
 */
export interface Unready {
  readonly kind: 'empty' | 'doubtful' | 'processing' | 'unknown' | 'stuck';
  readonly reason: string;
}

export type Move =
  /** Request these pages at the same time. */
  | { readonly kind: 'ask'; readonly pages: readonly number[] }
  | { readonly kind: 'pause' }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly reason: string; readonly hint: string }
  | Unready;

/** What happens to an answer's bytes: they land as page `number`, or are set aside for the reason `what`. */
type Fate =
  | { readonly kind: 'land'; readonly number: number }
  | { readonly kind: 'reject'; readonly what: string }
  | undefined;

/** After the waiting time, a page with this number of failed requests counts as not delivered. */
const ATTEMPTS = 4;

/** How long to repeat a request whose answer seldom changes, in milliseconds. */
const SHORT_PATIENCE_MS = 5 * 60_000;

/** Answers that may change until the waiting time is over. */
const PASSING: ReadonlySet<Other['kind']> = new Set(['processing', 'trouble']);

/** Answers that may also change before the first page has arrived. */
const MAY_COME: ReadonlySet<Other['kind']> = new Set(['not_found', 'invalid_page']);

/** Number of times that doubtful pages are requested again. */
const ROUNDS = 3;

/** The maximum number of pages to read, as a multiple of the plausible number. */
const MOST = 10;

const PAGES_AT_ONCE = { plausible: 64, implausible: 4 };

interface Failure {
  readonly attempts: number;
  readonly since: number;
  readonly last: Other;
}

type Purpose = 'ready' | 'page' | 'check' | 'again' | 'doubt';

const PAUSE: Move = { kind: 'pause' };
const KEPT = 'Landed pages are kept. The next run resumes the same export at no cost.';

export class Course {
  readonly pages: KnownPages;
  #phase: 'waiting' | 'early' | 'rest' = 'waiting';
  #purpose: Purpose = 'ready';
  #readySince = 0;
  #hasPaused = false;
  /** The page requested until the export is ready, and the meaning of its last answer. */
  #first: number;
  #unready: Unready | undefined;
  #isDoubtful = false;
  #isMade: boolean;
  /** The lowest page reported as not existing; page 0 is read again for the number of pages. */
  #missing: number | undefined;
  readonly #failures = new Map<number, Failure>();
  /** The pages still to request again, if the export has landed before. */
  readonly #again: Set<number>;
  #isSecondLook = false;
  #hasLost = false;
  #rounds = 0;

  constructor(
    private readonly terms: Terms,
    landed: readonly KnownPage[],
  ) {
    this.pages = new KnownPages(landed, terms.plausiblePages);
    this.#again = new Set(terms.isAgain ? this.pages.numbers : []);
    this.#isMade = terms.isMade;
    const { next, total } = this.pages;
    this.#first = next < total ? next : 0;
    if (next >= total && !terms.isAgain) this.#phase = 'early';
  }

  get isReady(): boolean {
    return this.#phase !== 'waiting';
  }

  get isWhole(): boolean {
    return !this.#hasLost && this.pages.unreadable.size === 0;
  }

  /** The state of the export according to the last answer, in words. */
  get state(): string {
    return this.#unready === undefined || this.#unready.kind === 'stuck'
      ? 'no answer yet'
      : this.#unready.kind;
  }

  /**
   * Returns the next step. Call it after `take` for all pages of the last step.
   *
   * @param now in milliseconds
   * @param isOver true if the waiting time is over
   */
  next(now: number, isOver: boolean): Move {
    if (this.#phase === 'waiting') {
      const step = this.#untilReady(now, isOver);
      if (step !== undefined) return step;
    }
    if (this.#missing !== undefined) return this.#ask('check', [0]);
    if (this.#phase === 'early') {
      const step = this.#untilDistinct(now, isOver);
      if (step !== undefined) return step;
      this.#phase = 'rest';
    }
    for (;;) {
      const step = this.#rest(now, isOver);
      if (step !== undefined) return step;
      if (this.#again.size > 0) {
        const pages = [...this.#again].slice(0, PAGES_AT_ONCE.plausible);
        for (const number of pages) this.#again.delete(number);
        return this.#ask('again', pages);
      }
      const doubtful = this.pages.doubtful(this.#isShort);
      if (doubtful.length === 0 || this.#rounds >= ROUNDS) return { kind: 'end' };
      if (!this.#hasPaused) return this.#pause();
      this.#rounds++;
      return this.#ask('doubt', doubtful);
    }
  }

  /** Takes the answer for a page of the last step, and returns what to do with its bytes. */
  take(number: number, answer: Answer, now: number): Fate {
    if (this.#purpose === 'ready') return this.#takeFirst(number, answer, now);
    if (this.#purpose === 'again' || this.#purpose === 'doubt') return this.#takeAgain(answer);
    if (this.#purpose === 'check') {
      this.#takeCheck(answer);
      return undefined;
    }
    if (answer.kind === 'page') return this.#takePage(answer);
    const { attempts } = this.#fail(number, answer, now);
    if (answer.kind === 'invalid_page' && number > 0)
      this.#missing = Math.min(number, this.#missing ?? Infinity);
    return isKept(answer, attempts) ? { kind: 'reject', what: `page ${number}` } : undefined;
  }

  /** The deviations from the specification that did not stop the download, as clauses. */
  get notes(): string[] {
    const { notes, records } = this.pages;
    const expected = `at least ${Math.ceil(this.terms.atLeast)} are expected`;
    return this.#isShort ? [...notes, `it has ${plural(records, 'record')}, ${expected}`] : notes;
  }

  /** True if fewer records have arrived than expected. */
  get #isShort(): boolean {
    return this.pages.records < this.terms.atLeast;
  }

  // Step 1: wait until the export is ready.

  #untilReady(now: number, isOver: boolean): Move | undefined {
    const unready = this.#unready;
    if (unready === undefined) return this.#ask('ready', [this.#first]);
    if (unready.kind === 'empty' && !this.terms.expectsRecords) return unready;
    const failure = this.#failures.get(this.#first);
    const isGivenUp = failure === undefined ? isOver : this.#isGivenUp(failure, now, isOver);
    if (isGivenUp && failure?.last.kind === 'unreadable' && !this.pages.unreadable.has(this.#first - 1)) {
      // A landed page or the next one proves that the export is ready.
      if (!this.pages.counts(this.#first)) this.pages.unreadable.add(this.#first);
      if (this.pages.size === 0) return this.#ask('ready', [++this.#first]);
      this.#begin(now);
      return undefined;
    }
    if (isGivenUp) return this.#isDoubtful ? { kind: 'doubtful', reason: '' } : unready;
    return this.#hasPaused ? this.#ask('ready', [this.#first]) : this.#pause();
  }

  #takeFirst(number: number, answer: Answer, now: number): Fate {
    const fate: Fate = { kind: 'reject', what: answer.kind };
    if (answer.kind === 'page') {
      if (answer.records > 0 || number > 0 || answer.totalPages > 1) {
        this.#begin(now);
        if (!this.#again.delete(number)) return this.#takePage(answer);
        this.#purpose = 'again';
        return this.#takeAgain(answer);
      }
      this.#failures.delete(number);
      this.#unready = { kind: 'empty', reason: 'The export has no records.' };
      this.#isDoubtful = true;
      return answer.body.length > 0 ? fate : undefined;
    }
    const { attempts } = this.#fail(number, answer, now);
    const { reason } = answer;
    if (answer.kind === 'processing') {
      this.#isMade = true;
      this.#unready = { kind: 'processing', reason };
    } else if (answer.kind === 'invalid_page' && this.pages.unreadable.has(0)) {
      // Without page 0, the number of pages is unknown.
      this.#unready = { kind: 'stuck', reason: 'No page of the export can be read.' };
    } else if (answer.kind === 'invalid_page') {
      // The export may have become shorter. Page 0 has the current number of pages.
      if (number > 0) this.#first = 0;
      // Page 0 is missing if the export has no records. If nothing shows yet that the service has made the export, it may also be too
      // early.
      const isEmpty = number === 0 && (this.#isMade || attempts >= ATTEMPTS);
      const empty: Unready = { kind: 'empty', reason: `The export has no page 0 (${reason}).` };
      this.#unready = number > 0 ? undefined : isEmpty ? empty : { kind: 'processing', reason };
      this.#isDoubtful ||= isEmpty;
    } else {
      this.#unready = { kind: answer.kind === 'not_found' ? 'unknown' : 'stuck', reason };
    }
    return isKept(answer, attempts) ? fate : undefined;
  }

  // Step 2: read the pages.

  /** Requests pages 0 and 1 first. If they are identical twice, the service ignores the page parameter. */
  #untilDistinct(now: number, isOver: boolean): Move | undefined {
    for (const early of [0, 1]) {
      const step =
        early < this.pages.total && !this.pages.has(early) ? this.#request([early], now, isOver) : undefined;
      if (step !== undefined) return step;
    }
    if (!this.pages.repeats(1, 0)) return undefined;
    if (this.#isSecondLook)
      return {
        kind: 'broken',
        reason: `Page 1 of the export repeats page 0: the service seems to ignore the query parameter "${this.terms.pageParameter}".`,
        hint: 'Set exports.page_parameter to the name that the service reads. The next run resumes the same export at no cost.',
      };
    if (!this.#hasPaused) return this.#pause();
    this.#isSecondLook = true;
    return this.#ask('page', [1]);
  }

  /** Requests the missing pages; undefined if all have arrived. */
  #rest(now: number, isOver: boolean): Move | undefined {
    const { plausiblePages, atLeast } = this.terms;
    const { total, records, isPlausible, endOfImplausible } = this.pages;
    if (endOfImplausible !== undefined) return undefined;
    const pages: number[] = [];
    const most = isPlausible ? PAGES_AT_ONCE.plausible : PAGES_AT_ONCE.implausible;
    for (let number = 0; number < total && pages.length < most; number++)
      if (!this.pages.has(number)) pages.push(number);
    const [first] = pages;
    if (first === undefined) return undefined;
    const isLate = isOver && now - this.#readySince >= SHORT_PATIENCE_MS;
    if (!isPlausible && first >= plausiblePages * (isLate ? 1 : MOST)) {
      const expected =
        atLeast > 0 ? `, although the daily statistics count about ${formatCount(2 * atLeast)} messages` : '';
      return {
        kind: 'broken',
        reason: `The export announces ${formatCount(total)} pages, and ${formatCount(first)} pages with ${plural(records, 'record')} have landed${expected}.`,
        hint: `No further page is requested. Ask the service's operator how many records the export has. ${KEPT}`,
      };
    }
    return this.#request(pages, now, isOver);
  }

  /** Requests pages: first those without a failure, then, after a pause, the others. */
  #request(pages: readonly number[], now: number, isOver: boolean): Move | undefined {
    const fresh = pages.filter((number) => !this.#failures.has(number));
    if (fresh.length > 0) return this.#ask('page', fresh);
    const again: number[] = [];
    for (const number of pages) {
      const failure = this.#failures.get(number);
      if (failure === undefined) continue;
      const { last } = failure;
      if (!this.#isGivenUp(failure, now, isOver)) again.push(number);
      else if (last.kind === 'unreadable') this.pages.unreadable.add(number);
      else
        return {
          kind: 'broken',
          reason: `Page ${number} of the export cannot be downloaded (${last.reason}).`,
          hint: KEPT,
        };
    }
    if (again.length === 0) return this.#phase === 'rest' ? this.#rest(now, isOver) : undefined;
    return this.#hasPaused ? this.#ask('page', again) : this.#pause();
  }

  #takeCheck(answer: Answer): void {
    const missing = this.#missing ?? 0;
    this.#missing = undefined;
    if (answer.kind === 'page' && answer.totalPages <= missing) {
      this.pages.shrink(missing);
      for (const number of [...this.#failures.keys()]) if (number >= missing) this.#failures.delete(number);
    } else if (answer.kind === 'page' && !this.pages.isPlausible) {
      for (const [number, { last }] of [...this.#failures]) {
        if (last.kind !== 'invalid_page') continue;
        this.pages.lacks(number);
        this.#failures.delete(number);
      }
    }
  }

  /** Takes a page. One that repeats another page is treated as a page without records. */
  #takePage(page: PageAnswer): Fate {
    const { number, records } = page;
    this.#failures.delete(number);
    const twin = records > 0 ? this.pages.twinOf(page) : undefined;
    if (twin === undefined || twin === number) return this.#keep(page, number);
    this.pages.announce(page.totalPages);
    this.pages.repeat(number, twin);
    return { kind: 'reject', what: `page ${number}` };
  }

  /**
   * Takes another answer for a landed page. It replaces the page if it has more records, or if `replaces` is set. An answer with other but
   * not more records is kept beside the page if `keepsBeside` is set.
   */
  #takeAgain(page: Answer): Fate {
    if (page.kind !== 'page') {
      this.#hasLost ||= this.#purpose === 'again';
      return undefined;
    }
    const isFirst = this.#purpose === 'again' && page.records > 0;
    const isMore = page.records > this.pages.rowsOf(page.number) || (isFirst && this.terms.replaces);
    const isBeside = isFirst && this.terms.keepsBeside;
    let { number } = page;
    while (!isMore && this.pages.counts(number)) number += BESIDE;
    if (this.pages.twinOf(page) === undefined && (isMore || isBeside)) return this.#keep(page, number);
    this.pages.announce(page.totalPages);
    return undefined;
  }

  #keep({ records: rows, totalPages, fingerprint }: PageAnswer, number: number): Fate {
    this.pages.keep({ number, rows, totalPages, fingerprint });
    this.pages.announce(totalPages);
    return { kind: 'land', number };
  }

  #fail(number: number, last: Other, now: number): Failure {
    const { attempts = 0, since = now } = this.#failures.get(number) ?? {};
    const failure = { attempts: attempts + 1, since, last };
    this.#failures.set(number, failure);
    return failure;
  }

  #isGivenUp({ attempts, since, last }: Failure, now: number, isOver: boolean): boolean {
    const ofUnreadable = last.repeated === true ? 1 : Math.min(this.terms.retries + 1, ATTEMPTS);
    const least = last.kind === 'unreadable' ? ofUnreadable : this.isReady ? ATTEMPTS : 1;
    const passes = PASSING.has(last.kind) || (!this.isReady && MAY_COME.has(last.kind));
    return attempts >= least && (isOver || (!passes && now - since >= SHORT_PATIENCE_MS));
  }

  #begin(now: number): void {
    this.#phase = 'early';
    this.#readySince = now;
  }

  #ask(purpose: Purpose, pages: readonly number[]): Move {
    this.#purpose = purpose;
    this.#hasPaused = false;
    return { kind: 'ask', pages };
  }

  #pause(): Move {
    this.#hasPaused = true;
    return PAUSE;
  }
}

/** True if the bytes of a failed answer are set aside. Only the first ones are, because a wait may bring hundreds. */
function isKept({ kind, body }: Other, attempts: number): boolean {
  return kind !== 'processing' && body.length > 0 && attempts <= ATTEMPTS;
}

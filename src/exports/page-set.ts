/** The durable pages of one export, compared with each other. */
import type { Page } from './page.js';

export interface Collected {
  readonly pages: number;
  readonly records: number;
  /** The numbers of the pages that hold fewer records than the others, even when downloaded again. */
  readonly shortPages: readonly number[];
  /** What is nonconforming but did not stop the download, one clause each. */
  readonly notes: string[];
}

export class PageSet {
  readonly #byNumber = new Map<number, { records: number; fingerprint: string }>();
  readonly #byFingerprint = new Map<string, number>();
  readonly #notes = new Set<string>();
  readonly #repeated = new Map<number, number>();
  /** Why pages cannot be read. */
  readonly #unreadable = new Map<number, string>();
  #total: number;
  #largest = 0;

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
    this.#largest = Math.max(this.#largest, page.records);
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

  /** Whether another page came with the same records. */
  isContested(number: number): boolean {
    return [...this.#repeated.values()].includes(number);
  }

  /** Whether the page has landed with exactly these records. */
  holds({ number, fingerprint }: Page): boolean {
    return this.#byNumber.get(number)?.fingerprint === fingerprint;
  }

  shrink(to: number): void {
    this.#notes.add(`total_page_count shrank to ${to} or less`);
    this.#total = Math.min(this.#total, to);
  }

  recordsOf(number: number): number {
    return this.#byNumber.get(number)?.records ?? 0;
  }

  /**
   * The pages that are worth reading again: before the last one, those with fewer records than another has; a last one
   * with none; and page 0, which tells the number of pages, when all together hold too few.
   */
  doubtful(atLeast: number): number[] {
    const first = this.#records() < atLeast ? [0] : [];
    // The page that came first with the records goes before those that repeat it: it may be the wrong one.
    return [...new Set([...first, ...this.#repeated.values(), ...this.#short()])];
  }

  #short(): number[] {
    const last = this.#total - 1;
    return [...this.#byNumber]
      .filter(([number, { records }]) => records < (number < last ? this.#largest : Math.min(1, last)))
      .map(([number]) => number)
      .sort((a, b) => a - b);
  }

  summary(atLeast: number): Collected {
    const short = this.#short();
    const records = this.#records();
    for (const number of short.slice(0, 3)) this.#notes.add(this.#about(number));
    if (short.length > 3) this.#notes.add(`${short.length - 3} more pages are short too`);
    if (records < atLeast) {
      this.#notes.add(`it holds ${records} records, at least ${Math.ceil(atLeast)} are expected`);
    }
    const shortPages = [...new Set([...(records < atLeast ? [0] : []), ...short])];
    return { pages: this.#byNumber.size, records, shortPages, notes: [...this.#notes] };
  }

  #about(number: number): string {
    const twin = this.#repeated.get(number);
    if (twin !== undefined) return `page ${number} repeats page ${twin}`;
    const reason = this.#unreadable.get(number);
    if (reason !== undefined) return `page ${number} cannot be read (${reason}) and is set aside`;
    return `page ${number} holds ${this.recordsOf(number)} records, others hold ${this.#largest}`;
  }

  #records(): number {
    return [...this.#byNumber.values()].reduce((sum, page) => sum + page.records, 0);
  }
}

/** The durable pages of one export, compared with each other. */
import type { Page } from './page.js';

export interface Collected {
  readonly pages: number;
  readonly records: number;
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

/** What is known of one export's pages (E21): which ones count, which ones bring nothing, and how many there should be. */
import { formatCount } from '../../terminal/text.js';
import { BESIDE } from '../../landing/landing-zone.js';
import type { PageAnswer } from './answer.js';

/** A page that counts; its bytes are on disk. */
export interface KnownPage extends Pick<PageAnswer, 'number' | 'totalPages' | 'fingerprint'> {
  readonly rows: number;
}

/** An export with an implausible number of pages ends after this many pages in a row without new records. */
const EMPTY_PAGES = 3;

export class KnownPages {
  /** The numbers of pages that cannot be read; the reading continues without them. */
  readonly unreadable = new Set<number>();
  /** The number of pages that the export has: the highest one announced, until the service proves a lower one. */
  total: number;
  readonly #counting = new Map<number, KnownPage>();
  readonly #byFingerprint = new Map<string, number>();
  /** Pages that repeat another page, mapped to that page. */
  readonly #repeated = new Map<number, number>();
  /** Pages that do not exist although the page count includes them. */
  readonly #absent = new Set<number>();
  /** The announced numbers of pages, in order of arrival. */
  readonly #announced = new Set<number>();
  #hasShrunk = false;

  /**
   * @param landed the pages of earlier readings
   * @param plausible the maximum plausible number of pages
   */
  constructor(
    landed: readonly KnownPage[],
    private readonly plausible: number,
  ) {
    for (const page of landed) this.keep(page);
    this.total = Math.max(1, ...landed.map(({ totalPages }) => totalPages));
  }

  get size(): number {
    return this.#counting.size;
  }

  /** The numbers of the pages that count. */
  get numbers(): number[] {
    return [...this.#counting.keys()];
  }

  /** The number of records on the pages, without the second answers kept beside them. */
  get records(): number {
    return [...this.#counting.values()].reduce(
      (sum, { number, rows }) => sum + (number < BESIDE ? rows : 0),
      0,
    );
  }

  get isPlausible(): boolean {
    return this.total <= this.plausible;
  }

  /** True if the page counts. */
  counts(number: number): boolean {
    return this.#counting.has(number);
  }

  /** True if the page need not be requested: it counts, or nothing more is expected of it. */
  has(number: number): boolean {
    return (
      this.#counting.has(number) ||
      this.#repeated.has(number) ||
      this.#absent.has(number) ||
      this.unreadable.has(number)
    );
  }

  /** The number of records on the page; 0 for a page that does not count. */
  rowsOf(number: number): number {
    return this.#counting.get(number)?.rows ?? 0;
  }

  /** The page that has the same records; undefined for a page without records. */
  twinOf({ fingerprint }: Pick<KnownPage, 'fingerprint'>): number | undefined {
    return this.#byFingerprint.get(fingerprint);
  }

  /** The lowest number of a page that may still be requested. */
  get next(): number {
    let number = 0;
    while (this.has(number)) number++;
    return number;
  }

  /** The page counts from now on, in place of an earlier answer with its number. */
  keep(page: KnownPage): void {
    const { number, rows, fingerprint } = page;
    const before = this.#counting.get(number);
    if (before !== undefined) this.#byFingerprint.delete(before.fingerprint);
    this.#counting.set(number, page);
    if (rows > 0) this.#byFingerprint.set(fingerprint, number);
    this.#repeated.delete(number);
    this.#absent.delete(number);
    this.unreadable.delete(number);
  }

  /** The page has the same records as `twin`, so it does not count. */
  repeat(number: number, twin: number): void {
    if (!this.#counting.has(number)) this.#repeated.set(number, twin);
  }

  repeats(number: number, twin: number): boolean {
    return this.#repeated.get(number) === twin;
  }

  /** The service has no such page, although the page count includes it. */
  lacks(number: number): void {
    this.#absent.add(number);
  }

  announce(total: number): void {
    this.#announced.add(total);
    this.total = Math.max(this.total, total);
  }

  /** The export has become shorter. */
  shrink(total: number): void {
    this.#hasShrunk = true;
    this.total = total;
  }

  /** The last page to read if the number of pages is implausible and further pages bring no new records. */
  get endOfImplausible(): number | undefined {
    if (this.isPlausible) return undefined;
    const { next } = this;
    let end = next;
    while (end > 0 && !this.unreadable.has(end - 1) && this.rowsOf(end - 1) === 0) end--;
    return next - end >= EMPTY_PAGES ? end : undefined;
  }

  /**
   * The pages to request again: those without records; also page 0 if records are missing, because it has the number of pages.
   *
   * @param isShort true if records are missing
   */
  doubtful(isShort: boolean): number[] {
    const zero = isShort && !this.unreadable.has(0) ? [0] : [];
    return [...new Set([...zero, ...this.#empty(), ...this.#absent])];
  }

  /** The deviations from the specification, as clauses. */
  get notes(): string[] {
    const notes: string[] = [];
    const [first = 0] = this.#announced;
    const last = [...this.#announced].at(-1) ?? first;
    const end = this.endOfImplausible;
    if (end !== undefined)
      notes.push(
        `total_page_count is ${formatCount(this.total)}, but the pages after ${end} have no records`,
      );
    else if (this.#hasShrunk) notes.push(`total_page_count shrank to ${this.total} or less`);
    else if (this.#announced.size > 1) notes.push(`total_page_count changed from ${first} to ${last}`);
    const empty = this.#empty().filter((number) => end === undefined || number < end);
    for (const number of empty.slice(0, 3)) {
      const twin = this.#repeated.get(number);
      notes.push(`page ${number} ${twin === undefined ? 'has no records' : `repeats page ${twin}`}`);
    }
    if (empty.length > 3) notes.push(`${empty.length - 3} more pages have no records`);
    return notes;
  }

  /** A page with a few records is valid: 1,000 is only the maximum (Limits). */
  #empty(): number[] {
    if (this.total <= 1) return [];
    const without = [...this.#counting.values()].flatMap(({ number, rows }) => (rows === 0 ? [number] : []));
    return [...without, ...this.#repeated.keys()].sort((a, b) => a - b);
  }
}

/**
 * Loads the pages of an export while they arrive: it takes those that have landed and waits for the others, so that the day
 * is in the warehouse soon after its last page. It is one transaction; when pages do not arrive, it is rolled back.
 */
import { presentOf } from '../run/clocks.js';
import type { RunContext } from '../run/context.js';
import type { ExportEntry } from './entry.js';
import type { SizedFile } from '../storage/pull.js';
import { pullId } from '../run/load-landed.js';

/** A load that has begun with the first pages. */
export interface EarlyLoad {
  /** The instant at which the export counts as landed: of two exports of a day the later one counts. */
  readonly since: Date;
  /** A page is durable on disk. */
  add(page: SizedFile): void;
  /** All pages are there. Resolves when the load has ended; if it failed, loading from disk reports why. */
  end(records: number): Promise<void>;
  /** Not all pages will arrive. Resolves when the load has ended. */
  fail(error: unknown): Promise<void>;
}

/** @param landed pages of an earlier run */
export function loadEarly(context: RunContext, entry: ExportEntry, landed: Iterable<SizedFile>): EarlyLoad {
  const { day, window, exportId = '' } = entry;
  const since = presentOf(context);
  const files = new ArrivingPages();
  for (const page of landed) files.add(page);
  let tell: (records: number) => void = () => undefined;
  const records = new Promise<number>((resolve) => (tell = resolve));
  const loading = context
    .load([{ stream: 'events', id: pullId(entry), day, window, exportId, pulledAt: since, files, records }])
    .then(
      () => undefined,
      () => undefined,
    );
  return {
    since,
    add: (page) => {
      files.add(page);
    },
    end: (number) => {
      tell(number);
      files.end();
      return loading;
    },
    fail: (error) => {
      files.fail(error);
      return loading;
    },
  };
}

/** Bytes of JSON for which it pays to begin a batch. */
const WORTH_A_BATCH = 16 * 1024 * 1024;

class ArrivingPages implements AsyncIterable<readonly SizedFile[]> {
  readonly #pages: SizedFile[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /** A page is durable on disk. One that takes the place of another may come too late for this load. */
  add(page: SizedFile): void {
    const isReplaced = this.#pages.some(({ file }) => file === page.file);
    if (isReplaced) this.#failure ??= { error: new Error(`${page.file} was replaced`) };
    this.#pages.push(page);
    this.#wake();
  }

  /** All pages are there. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Not all pages will arrive; the reader gets the error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Every page from the first one on: a load that is tried again reads them again. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly SizedFile[]> {
    for (let taken = 0; ;) {
      const waiting = (): number => this.#pages.slice(taken).reduce((sum, { bytes }) => sum + bytes, 0);
      while (waiting() < WORTH_A_BATCH && !this.#ended && this.#failure === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      const some = this.#pages.slice(taken);
      if (some.length === 0) return;
      taken += some.length;
      yield some;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

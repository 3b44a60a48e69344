/**
 * The ledger of paid exports: the requests that are billed or may be billed, as lines of the journal. E20 has no idempotency key, and no endpoint
 * lists exports, so the ledger is the only record of them. An intent is durable before its request is sent.
 */
import { windowOf } from '../calendar.js';
import type { Effects } from '../effects.js';
import { DamageError, RefusedError, StorageError, UsageError } from '../errors.js';
import { forgottenError, type Doubt } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { partsOf, type Entry } from '../journal/lines.js';
import { cut } from '../text.js';
import {
  overlap,
  applyRecord,
  keyOf,
  refusalOf,
  type Export,
  type Intent,
  blocksPayingAgain,
  blocksRuns,
  LedgerView,
  unknownExport,
} from './export.js';
import { coveredBy } from './advice.js';
import type { Untracked } from './recovery.js';
import { answerText, isJudged } from './request-outcome.js';

/**
 * The writable ledger. Each data folder has at most one, owned by the holder of the folder's lock. Every change is
 * durable when its promise resolves.
 */
export class Ledger extends LedgerView {
  readonly #dataDir: string;
  readonly #journal: Journal;
  readonly #effects: Effects;
  readonly #doubt: Doubt | undefined;
  /** Keys of the exports intended through this object; they are in progress, not left by a dead process. */
  readonly #mine = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * Opens the ledger in a journal that is open for writing. Call `settle()` next.
   *
   * @param doubt the reason why the journal may lack lines
   * @throws DamageError for an invalid line
   */
  constructor(dataDir: string, journal: Journal, effects: Effects, doubt?: Doubt) {
    super(journal.of('export'));
    this.#dataDir = dataDir;
    this.#journal = journal;
    this.#effects = effects;
    this.#doubt = doubt;
  }

  /** The reason why no paid request may be sent; `undefined` if the journal lacks nothing. */
  get doubt(): DamageError | undefined {
    return this.#doubt && forgottenError(this.#doubt);
  }

  /**
   * Marks exports that a dead process left `intended` as `ambiguous`, because it is unknown whether their requests were
   * sent, and ambiguous ones whose answer a person has judged to be a refusal as `failed`.
   *
   * @param refusals the judged texts (`exports.refusals`)
   * @returns the changed entries
   */
  settle(refusals: readonly string[] = []): Promise<Export[]> {
    return this.#inTurn(async () => {
      const left = this.entries().filter(({ key, state }) => state === 'intended' && !this.#mine.has(key));
      const note = 'The process ended before it recorded the outcome of the request.';
      const settled: Export[] = [];
      for (const { key } of left) settled.push(await this.#record({ event: 'ambiguous', key, note }));
      await this.readTexts();
      const judged = this.entries().filter(
        ({ answerText: text }) => text !== undefined && isJudged(text, refusals),
      );
      const why = 'A person has listed this answer under exports.refusals.';
      for (const { key } of judged) settled.push(await this.#record({ event: 'failed', key, note: why }));
      return settled;
    });
  }

  /** Reads the texts of the answers that persons may judge. */
  readTexts(): Promise<void> {
    return this.readAnswers((entry) => answerText(this.#dataDir, entry));
  }

  /**
   * Durably records the intent to request an export (E20). The request may be sent only after the promise has resolved.
   *
   * @throws RefusedError if the window overlaps one that is paid, may be paid, or was abandoned
   * @throws DamageError if the journal may lack lines
   * @throws StorageError
   */
  intend(intent: Intent): Promise<Export> {
    return this.#inTurn(async () => {
      this.#assertNotCovered(intent, (entry) => blocksRuns(entry.state));
      return this.#intend(intent);
    });
  }

  /**
   * The user consents to be billed again for the window of an export: abandons that export and intends a new one.
   *
   * @throws RefusedError if the data of the export has arrived or another export covers the window; other errors as for
   *   `intend`
   */
  payAgain(key: string, changes: Partial<Omit<Intent, 'day' | 'window'>> = {}): Promise<Export> {
    return this.#inTurn(async () => {
      this.assertPayableAgain(key);
      const old = this.get(key);
      const { day, window, messageData, estimate, pricePerRecord } = { ...old, ...changes };
      const intent = { day, window, messageData, estimate, pricePerRecord, run: changes.run };
      this.#assertNotCovered(intent, (entry) => entry.key !== key && blocksPayingAgain(entry.state));
      if (blocksPayingAgain(old.state)) {
        await this.#record({ event: 'abandoned', key, note: 'A person chose to pay for this window again.' });
      }
      return this.#intend(intent, key);
    });
  }

  /** @throws RefusedError if the data of the export has arrived, or its request is being sent */
  assertPayableAgain(key: string): void {
    const { state } = this.get(key);
    if (state === 'intended' || state === 'landed' || state === 'loaded') {
      throw new RefusedError(`Export ${key} is ${state}, so there is nothing to pay for again.`);
    }
  }

  /** Records that the request provably never left this machine: nothing is billed, and the window is free again. */
  withdrawn(key: string, why: string): Promise<Export> {
    return this.#event({ event: 'withdrawn', key, note: sentence(why) });
  }

  /**
   * Records that the service answered E20 with an export id: the export is billed.
   *
   * @throws StorageError if the answer cannot be recorded; the message contains the id, so that the user can attach it later
   */
  async requested(key: string, exportId: string): Promise<Export> {
    try {
      return await this.#event({ event: 'requested', key, exportId });
    } catch (cause) {
      if (!(cause instanceof StorageError || cause instanceof DamageError)) throw cause;
      throw new StorageError(
        `The service accepted the paid export ${key} as ${exportId}, but the ledger could not record it. ${cause.message}`,
        { hint: `Repair the disk, then run \`dawnload exports attach ${key} ${exportId}\`.`, cause },
      );
    }
  }

  /** Records that the export is being generated (E21). */
  processing(key: string): Promise<Export> {
    return this.#event({ event: 'processing', key });
  }

  /** Records the number of pages from E21. This reopens a landed export with a damaged page. */
  ready(key: string, pages: number): Promise<Export> {
    const same = (entry: Export): boolean => entry.state === 'ready' && entry.pages === pages;
    return this.#event({ event: 'ready', key, pages }, (entry) => same(entry) && entry.troubles === 0);
  }

  /**
   * Records that every page is durable on disk. Pages that were downloaded again get a later instant than the earlier
   * ones, even if the clock was set back.
   */
  async landed(
    key: string,
    {
      pages,
      records,
      unreadable,
    }: { pages: number; records: number; unreadable?: readonly number[] | undefined },
    now = this.#effects.now(),
  ): Promise<Export> {
    const before = this.get(key).landedAt;
    const landedAt = before === undefined || now > before ? now : new Date(before.getTime() + 1);
    const lacking = unreadable === undefined ? undefined : [...unreadable];
    return this.#event({ event: 'landed', key, pages, records, landedAt, unreadable: lacking });
  }

  /** Records that every page is in the warehouse, and ends a doubt. Repeated calls, as in a rebuild, write one line. */
  loaded(key: string): Promise<Export> {
    return this.#event({ event: 'loaded', key }, ({ state, doubted }) => state === 'loaded' && !doubted);
  }

  /**
   * Records that the request may have been sent and its outcome is unknown: the user must decide.
   *
   * @param answer the file and the hash of the answer, if it is no more than an error, which the user may judge
   */
  ambiguous(key: string, why: string, answer?: Export['answer']): Promise<Export> {
    return this.#event({ event: 'ambiguous', key, note: sentence(why), answer });
  }

  /** Records that the service clearly refused the request (E20): nothing is billed, and the window is free again. */
  failed(key: string, why: string): Promise<Export> {
    return this.#event({ event: 'failed', key, note: sentence(why) });
  }

  /**
   * Records that a paid export was not delivered (E21 `error`, `not_found`, or not ready in time). The state is unchanged
   * and the next run asks again; after several failures the export needs action.
   */
  fetchFailed(key: string, why: string): Promise<Export> {
    return this.#event({ event: 'troubled', key, note: sentence(why) });
  }

  /**
   * Records the export id that the user supplies for an export whose answer was lost. If the ledger lacks the key, for
   * example after the ledger was lost, a new export is entered. Two changes require the user's agreement: to replace the
   * id of an export whose data has arrived, and to give it the id of another export, which needs another one then.
   *
   * @throws UsageError
   * @throws RefusedError
   */
  attach(
    key: string,
    exportId: string,
    agree: (change: string) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<Export> {
    return this.#inTurn(async () => {
      const known = this.find(key);
      if (known === undefined && partsOf(key) === undefined) throw unknownExport(key, this.book.keys());
      const other = this.entries().find((entry) => entry.exportId === exportId && entry.key !== key);
      const change = changeOfId(known, exportId, other);
      if (change !== undefined && !(await agree(change))) {
        throw new RefusedError(change, {
          hint: `Nothing was changed. To do it: \`dawnload exports attach ${key} ${exportId} --yes\`.`,
        });
      }
      if (known === undefined) await this.#enter(key);
      // A run may have requested this window again in the meantime, because the state left it free.
      else if (!blocksRuns(known.state)) {
        this.#assertNotCovered(known, (entry) => entry.key !== key && blocksPayingAgain(entry.state));
      }
      return this.#record({ event: 'attached', key, exportId });
    });
  }

  /**
   * Records that a paid export may be wrong: the service reports no records (E21) although the daily statistics count
   * some, or a loaded one holds mostly records of other days. The state is unchanged, and the export needs action.
   */
  doubted(key: string, why: string): Promise<Export> {
    return this.#event({ event: 'doubted', key, note: sentence(why) });
  }

  /** Records that the user abandons an export. No run requests its window again; only `payAgain` does. */
  abandon(key: string, why = 'A person gave this export up.'): Promise<Export> {
    return this.#event({ event: 'abandoned', key, note: sentence(why) });
  }

  async #intend(intent: Intent, again?: string): Promise<Export> {
    if (this.doubt !== undefined) throw this.doubt;
    const { day, window = windowOf(intent.day), messageData, pricePerRecord, run } = intent;
    const estimate = intent.estimate === undefined ? undefined : Math.ceil(intent.estimate);
    if (window.start >= window.end) throw new UsageError(`The window of ${day} has no length.`);
    const attempts = this.entries().flatMap((entry) =>
      entry.day === day ? [partsOf(entry.key)?.attempt ?? 0] : [],
    );
    const key = keyOf(day, Math.max(0, ...attempts) + 1);
    this.#mine.add(key);
    return this.#record({
      event: 'intended',
      key,
      day,
      ...window,
      messageData,
      estimate,
      pricePerRecord,
      again,
      run,
    });
  }

  /** Enters an export that is known only from the user. */
  async #enter(key: string): Promise<void> {
    const day = partsOf(key)?.day;
    const window = windowOf(day ?? '1970-01-01');
    const covers = (entry: Export): boolean => blocksRuns(entry.state) && overlap(entry.window, window);
    if (day === undefined || this.entries().some(covers)) throw unknownExport(key, this.book.keys());
    if (window.end > this.#effects.now()) {
      throw new UsageError(`${day} is not over, so no export can hold it.`, { hint: 'Check the key.' });
    }
    await this.#record({ event: 'intended', key, day, ...window, messageData: true, pricePerRecord: 0 });
    await this.#record({ event: 'ambiguous', key, note: 'Entered by a person; the ledger did not list it.' });
  }

  /** Enters exports that other files know (`recover`) in their known state; the ledger may hold them as not billed. */
  recover(untracked: readonly Untracked[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const one of untracked) await this.#enterUntracked(one);
    });
  }

  async #enterUntracked({ key, day, window, exportId, state, ...known }: Untracked): Promise<void> {
    const { messageData, estimate, pricePerRecord = 0, pages = 0, records, knownBy } = known;
    const isNew = this.find(key) === undefined;
    if (isNew)
      await this.#record({ event: 'intended', key, day, ...window, messageData, estimate, pricePerRecord });
    if (exportId === undefined || state === 'abandoned') {
      await this.#record({ event: 'ambiguous', key, note: `Recovered; known by the ${knownBy} alone.` });
      if (state === 'abandoned') await this.#record({ event: 'abandoned', key, note: 'Recovered.' });
      return;
    }
    await this.#record({ event: isNew ? 'requested' : 'attached', key, exportId });
    if ((state !== 'landed' && state !== 'loaded') || records === undefined) return;
    await this.#record({ event: 'ready', key, pages });
    await this.#record({ event: 'landed', key, pages, records, landedAt: this.#effects.now() });
    if (state === 'loaded') await this.#record({ event: 'loaded', key });
  }

  #assertNotCovered(intent: Intent, blocks: (entry: Export) => boolean): void {
    const window = intent.window ?? windowOf(intent.day);
    const other = this.entries().find((entry) => blocks(entry) && overlap(entry.window, window));
    if (other !== undefined) throw coveredBy(other, intent.day);
  }

  #event(entry: Entry<'export'>, isKnown?: (entry: Export) => boolean): Promise<Export> {
    return this.#inTurn(async () => {
      const known = this.get(entry.key);
      return isKnown?.(known) === true ? known : this.#record(entry);
    });
  }

  async #record(entry: Entry<'export'>): Promise<Export> {
    const known = this.find(entry.key);
    // Whether the event may follow is decided before anything is written.
    const refused = refusalOf(known, entry);
    if (refused !== undefined) throw new UsageError(refused);
    const next = applyRecord(known, await this.#journal.append('export', entry));
    if (typeof next === 'string') throw new UsageError(next);
    this.book.set(next.key, next);
    return next;
  }

  /** Runs one change at a time, because each depends on the lines written before it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

/** Shortens a text to a single line that fits into tables. */
function sentence(text: string): string {
  return cut(text.replaceAll(/\s+/g, ' ').trim(), 500);
}

/** The change that the user must agree to before an export gets another id; undefined if no data can be lost. */
function changeOfId(
  known: Export | undefined,
  exportId: string,
  other: Export | undefined,
): string | undefined {
  if (known?.exportId === exportId) return undefined;
  if (other !== undefined)
    return `The export id belongs to export ${other.key}, which needs another id then.`;
  if (known?.exportId === undefined || (known.state !== 'landed' && known.state !== 'loaded'))
    return undefined;
  return `Export ${known.key} is ${known.state} as ${known.exportId}, and another id would replace it.`;
}

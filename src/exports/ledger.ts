/**
 * The ledger of paid exports: the requests that are billed or may be billed. E20 has no idempotency key, and no endpoint
 * lists exports, so the ledger is the only record of them. An intent is durable before its request is sent.
 */
import { windowOf, type Window } from '../calendar.js';
import type { Effects } from '../effects.js';
import { DamageError, RefusedError, StorageError, UsageError } from '../errors.js';
import { cut } from '../text.js';
import {
  overlap,
  applyRecord,
  exportRecord,
  keyOf,
  partsOf,
  type Export,
  type ExportRecord,
  type Intent,
  blocksPayingAgain,
  blocksRuns,
  LedgerView,
  unknownExport,
} from './export.js';
import { coveredBy } from './advice.js';
import { LedgerFile } from './ledger-file.js';
import { isJudged } from './request-outcome.js';
import {
  confirmRestored,
  noteRestored,
  type Restored,
  ledgerInDoubt,
  untrackedIn,
  type Recall,
  type Untracked,
} from './recovery.js';
type Fields = { readonly event: ExportRecord['event'] } & Readonly<Record<string, unknown>>;

/**
 * The writable ledger. Each data folder has at most one, owned by the holder of the folder's lock. Every change is
 * durable when its promise resolves.
 */
export class Ledger extends LedgerView {
  readonly #dataDir: string;
  readonly #file: LedgerFile;
  readonly #effects: Effects;
  #untracked: readonly Untracked[] = [];
  #restored: Restored | undefined;
  /** Keys of the exports intended through this object; they are in progress, not left by a dead process. */
  readonly #mine = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  /** Name of the file that received a torn last line when the ledger was opened; otherwise undefined. */
  readonly setAside: string | undefined;

  private constructor(
    dataDir: string,
    { file, bodies, setAside }: Awaited<ReturnType<typeof LedgerFile.open>>,
    effects: Effects,
  ) {
    super(bodies, file.lost);
    this.#dataDir = dataDir;
    this.#file = file;
    this.#effects = effects;
    this.setAside = setAside;
  }

  /**
   * Opens the ledger; the caller must hold the lock. A torn last line is set aside. Call `settle()` next.
   *
   * @param recall finds exports in warehouses that the ledger may lack
   * @throws DamageError if the content was altered
   * @throws StorageError
   */
  static async open(
    dataDir: string,
    effects: Effects,
    recall: Recall = () => Promise.resolve({}),
  ): Promise<Ledger> {
    const ledger = new Ledger(dataDir, await LedgerFile.open(dataDir, effects), effects);
    ledger.#untracked = await untrackedIn(dataDir, ledger, recall);
    return ledger;
  }

  /** Paid exports that other files of the data folder record and the ledger does not. */
  get untracked(): readonly Untracked[] {
    return this.#untracked;
  }

  /**
   * Set in a folder that was restored from a backup: exports paid for after the backup are unknown, so runs do not pay.
   */
  get restored(): Restored | undefined {
    return this.#restored;
  }

  /**
   * Durably records whether the folder was restored. Call before a warehouse is created in the folder.
   *
   * @throws StorageError
   */
  async noteRestored(): Promise<void> {
    this.#restored = await noteRestored(this.#dataDir, this, this.#effects);
  }

  /** True if no line is missing. A ledger with missing lines can only be read. */
  get isWhole(): boolean {
    return this.lost.length === 0;
  }

  /** The reason why no paid request may be sent; `undefined` if the ledger is complete. */
  get doubt(): DamageError | undefined {
    return ledgerInDoubt(this.#untracked, this.lost.length);
  }

  /**
   * Restores the lost lines of the ledger, enters each remaining untracked export, and lets runs pay again in a restored
   * folder. Requires the user's confirmation. The ledger must be reopened afterwards.
   *
   * @returns the number of untracked exports that were added to the ledger
   * @throws StorageError
   */
  recover(): Promise<number> {
    return this.#inTurn(async () => {
      const untracked = this.#untracked;
      await this.#file.restore();
      this.lost.forEach((body, i) => {
        this.replay(body, this.bodies.length + i + 1);
      });
      for (const one of untracked) if (!this.#tracks(one.key)) await this.#enterUntracked(one);
      this.#untracked = [];
      await confirmRestored(this.#dataDir, this, this.#effects);
      this.#restored = undefined;
      return untracked.filter(({ key }) => this.#tracks(key)).length;
    });
  }

  #tracks(key: string): boolean {
    const entry = this.find(key);
    return entry !== undefined && blocksRuns(entry.state);
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
      if (!this.isWhole) return [];
      const left = this.entries().filter(({ key, state }) => state === 'intended' && !this.#mine.has(key));
      const rest =
        this.setAside === undefined ? '' : ` Part of a line that it wrote is kept in ${this.setAside}.`;
      const note = `The process ended before it recorded the outcome of the request.${rest}`;
      const settled: Export[] = [];
      for (const { key } of left) settled.push(await this.#record(key, { event: 'ambiguous', note }));
      for (const { key, state, answer } of this.entries()) {
        if (state !== 'ambiguous' || answer === undefined || !isJudged(answer, refusals)) continue;
        const why = 'A person has listed this answer under exports.refusals.';
        settled.push(await this.#record(key, { event: 'failed', note: why }));
      }
      return settled;
    });
  }

  /**
   * Durably records the intent to request an export (E20). The request may be sent only after the promise has resolved.
   *
   * @throws RefusedError if the window overlaps one that is paid, may be paid, or was abandoned
   * @throws DamageError if there are untracked exports
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
        await this.#record(key, { event: 'abandoned', note: 'A person chose to pay for this window again.' });
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
    return this.#event(key, { event: 'withdrawn', note: sentence(why) });
  }

  /**
   * Records that the service answered E20 with an export id: the export is billed.
   *
   * @throws StorageError if the answer cannot be recorded; the message contains the id, so that the user can attach it later
   */
  async requested(key: string, exportId: string, rawAnswer?: string): Promise<Export> {
    try {
      return await this.#event(key, {
        event: 'requested',
        exportId,
        rawAnswer: rawAnswer && cut(rawAnswer, 4_096),
      });
    } catch (cause) {
      if (!(cause instanceof StorageError || cause instanceof DamageError)) throw cause;
      throw new StorageError(
        `The service accepted the paid export ${key} as ${exportId}, but the ledger could not record it. ${cause.message}`,
        { hint: `Repair the disk, then run \`dawnload exports attach ${key} ${exportId}\`.`, cause },
      );
    }
  }

  /** Records that the export is being generated (E21). Repeated calls write one line. */
  processing(key: string): Promise<Export> {
    return this.#event(key, { event: 'processing' }, (entry) => entry.state === 'processing');
  }

  /** Records the number of pages from E21. This reopens a landed export with a damaged page. */
  ready(key: string, pages: number): Promise<Export> {
    const same = (entry: Export): boolean => entry.state === 'ready' && entry.pages === pages;
    return this.#event(key, { event: 'ready', pages }, (entry) => same(entry) && entry.troubles === 0);
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
    return this.#event(key, { event: 'landed', pages, records, landedAt, unreadable });
  }

  /** Records that every page is in the warehouse, and ends a doubt. Repeated calls, as in a rebuild, write one line. */
  loaded(key: string): Promise<Export> {
    return this.#event(key, { event: 'loaded' }, ({ state, doubted }) => state === 'loaded' && !doubted);
  }

  /**
   * Records that the request may have been sent and its outcome is unknown: the user must decide.
   *
   * @param answer the text of an answer that is no more than an error, which the user may judge
   */
  ambiguous(key: string, why: string, answer?: string): Promise<Export> {
    return this.#event(key, { event: 'ambiguous', note: sentence(why), answer });
  }

  /** Records that the service clearly refused the request (E20): nothing is billed, and the window is free again. */
  failed(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'failed', note: sentence(why) });
  }

  /**
   * Records that a paid export was not delivered (E21 `error`, `not_found`, or not ready in time). The state is unchanged
   * and the next run asks again; after several failures the export needs action.
   */
  fetchFailed(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'troubled', note: sentence(why) });
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
      const attached = await this.#record(key, { event: 'attached', exportId });
      this.#untracked = this.#untracked.filter((one) => one.key !== key);
      return attached;
    });
  }

  /**
   * Records that a paid export may be wrong: the service reports no records (E21) although the daily statistics count
   * some, or a loaded one holds mostly records of other days. The state is unchanged, and the export needs action.
   */
  doubted(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'doubted', note: sentence(why) });
  }

  /** Records that the user abandons an export. No run requests its window again; only `payAgain` does. */
  abandon(key: string, why = 'A person gave this export up.'): Promise<Export> {
    return this.#event(key, { event: 'abandoned', note: sentence(why) });
  }

  /** Resolves when every requested change has ended. No file stays open. */
  async close(): Promise<void> {
    await this.#queue;
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
    await this.#file.reserve();
    const { start, end } = window;
    return this.#record(key, {
      event: 'intended',
      day,
      start,
      end,
      messageData,
      estimate,
      pricePerRecord,
      again,
      run,
    });
  }

  /** Enters an export that is known only from its pages on disk or from the user. */
  async #enter(key: string): Promise<void> {
    const day = partsOf(key)?.day;
    if (day === undefined || !this.#mayEnter(key, windowOf(day))) throw unknownExport(key, this.book.keys());
    const window = windowOf(day);
    if (window.end > this.#effects.now()) {
      throw new UsageError(`${day} is not over, so no export can hold it.`, { hint: 'Check the key.' });
    }
    await this.#record(key, { event: 'intended', day, ...window, messageData: true, pricePerRecord: 0 });
    await this.#record(key, { event: 'ambiguous', note: 'Entered by a person; the ledger did not list it.' });
  }

  /** Enters an untracked export in its known state; the ledger may already hold it as not billed. */
  async #enterUntracked({ key, day, window, exportId, state, ...known }: Untracked): Promise<void> {
    const { messageData, estimate, pricePerRecord = 0, pages = 0, records, knownBy } = known;
    const isNew = this.find(key) === undefined;
    if (isNew)
      await this.#record(key, { event: 'intended', day, ...window, messageData, estimate, pricePerRecord });
    if (exportId === undefined || state === 'abandoned') {
      await this.#record(key, { event: 'ambiguous', note: `Recovered; known by the ${knownBy} alone.` });
      if (state === 'abandoned') await this.#record(key, { event: 'abandoned', note: 'Recovered.' });
      return;
    }
    await this.#record(key, { event: isNew ? 'requested' : 'attached', exportId });
    if ((state !== 'landed' && state !== 'loaded') || records === undefined) return;
    await this.#record(key, { event: 'ready', pages });
    await this.#record(key, { event: 'landed', pages, records, landedAt: this.#effects.now() });
    if (state === 'loaded') await this.#record(key, { event: 'loaded' });
  }

  #mayEnter(key: string, window: Window): boolean {
    const isUntracked = this.#untracked.some((one) => one.key === key);
    return (
      isUntracked || !this.entries().some((entry) => blocksRuns(entry.state) && overlap(entry.window, window))
    );
  }

  #assertNotCovered(intent: Intent, blocks: (entry: Export) => boolean): void {
    const window = intent.window ?? windowOf(intent.day);
    const other = this.entries().find((entry) => blocks(entry) && overlap(entry.window, window));
    if (other !== undefined) throw coveredBy(other, intent.day);
  }

  #event(key: string, fields: Fields, isKnown?: (entry: Export) => boolean): Promise<Export> {
    return this.#inTurn(async () => {
      const entry = this.get(key);
      return isKnown?.(entry) === true ? entry : this.#record(key, fields);
    });
  }

  async #record(key: string, { event, ...fields }: Fields): Promise<Export> {
    // The record is parsed as on reading, so that nothing can be written that reading would treat as damage.
    const body: Record<string, unknown> = {
      event,
      at: this.#effects.now().toISOString(),
      key,
      ...plain(fields),
    };
    const record = exportRecord.safeParse(body);
    if (!record.success)
      throw new UsageError(`Export ${key} cannot be recorded as ${event}.`, { cause: record.error });
    const next = applyRecord(this.find(key), record.data);
    if (typeof next === 'string') throw new UsageError(next);
    // Nothing has been sent when an export is intended, so only the later events may use the reserved disk space.
    await this.#file.append(body, `ledger/${event}`, event !== 'intended');
    this.book.set(key, next);
    return next;
  }

  /** Runs one change at a time, because each depends on the lines written before it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

/** The fields as JSON holds them: instants as text, without undefined fields. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
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

/**
 * The ledger of paid exports: what was requested and is billed, or may be. E20 has no idempotency key, and no endpoint
 * lists exports, so this journal is the only record; an intent is durable before the request leaves.
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

/** The ledger, writable. One per data folder, by the holder of its lock. Every change is durable when it resolves. */
export class Ledger extends LedgerView {
  readonly #dataDir: string;
  readonly #file: LedgerFile;
  readonly #effects: Effects;
  #untracked: readonly Untracked[] = [];
  #restored: Restored | undefined;
  /** Exports intended through this object: they are under way, not left by a dead process. */
  readonly #mine = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  /** Where a torn last line was put when the ledger was opened. */
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
   * For the holder of the lock. A torn last line is set aside. Call `settle()` next. Throws `DamageError` when the
   * ledger is not what was written, `StorageError`.
   *
   * @param recall where warehouses may hold exports that the ledger lacks
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

  /** Paid exports that other files of the data folder hold and the ledger does not. */
  get untracked(): readonly Untracked[] {
    return this.#untracked;
  }

  /** Set in a folder that was restored from a backup: what was paid since is not known, and runs do not pay. */
  get restored(): Restored | undefined {
    return this.#restored;
  }

  /** Notes durably whether the folder was restored, before a warehouse is made in it. Throws `StorageError`. */
  async noteRestored(): Promise<void> {
    this.#restored = await noteRestored(this.#dataDir, this, this.#effects);
  }

  /** Whether no line is missing. With missing lines the ledger can only be read. */
  get isWhole(): boolean {
    return this.lost.length === 0;
  }

  /** Why no paid request may be sent; `undefined` when the ledger is complete. */
  get doubt(): DamageError | undefined {
    return ledgerInDoubt(this.#untracked, this.lost.length);
  }

  /**
   * Restores the lost lines of the ledger, enters each other untracked export, and lets runs pay again in a folder that was
   * restored. A person has confirmed that. Resolves to the number of untracked exports that the ledger tracks now. The ledger
   * must be opened again afterwards. Throws `StorageError`.
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
   * Turns what a dead process left `intended` into `ambiguous`: whether its request was sent is not known. Resolves to
   * the entries that were changed.
   */
  settle(): Promise<Export[]> {
    return this.#inTurn(async () => {
      if (!this.isWhole) return [];
      const left = this.entries().filter(({ key, state }) => state === 'intended' && !this.#mine.has(key));
      const rest =
        this.setAside === undefined ? '' : ` Part of a line that it wrote is kept in ${this.setAside}.`;
      const note = `The process ended before it recorded the outcome of the request.${rest}`;
      const settled: Export[] = [];
      for (const { key } of left) settled.push(await this.#record(key, { event: 'ambiguous', note }));
      return settled;
    });
  }

  /**
   * Records durably that an export will be requested (E20); only after this has resolved may the request be sent. Throws
   * `RefusedError` when the window overlaps one that is paid, may be paid, or was given up; `DamageError` when there are
   * untracked exports; `StorageError`.
   */
  intend(intent: Intent): Promise<Export> {
    return this.#inTurn(async () => {
      this.#assertNotCovered(intent, (entry) => blocksRuns(entry.state));
      return this.#intend(intent);
    });
  }

  /**
   * A person's consent to be billed again for the window of an export: gives that one up, and intends another.
   * Throws `RefusedError` when its data has already arrived or another export covers the window, and as `intend`.
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

  /** Throws `RefusedError` when an export's data has arrived, or its request is just being sent. */
  assertPayableAgain(key: string): void {
    const { state } = this.get(key);
    if (state === 'intended' || state === 'landed' || state === 'loaded') {
      throw new RefusedError(`Export ${key} is ${state}, so there is nothing to pay for again.`);
    }
  }

  /** The request provably never left this machine: nothing is billed, the window is free again. */
  withdrawn(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'withdrawn', note: sentence(why) });
  }

  /**
   * The service answered E20 with an export id: billed. Throws `StorageError` when that cannot be recorded; its message
   * holds the id, so that a person can still attach it.
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

  /** E21 says that the export is being generated; repeated, it is written once. */
  processing(key: string): Promise<Export> {
    return this.#event(key, { event: 'processing' }, (entry) => entry.state === 'processing');
  }

  /** E21 gave the number of pages; also reopens a landed export when a page of it turns out to be damaged. */
  ready(key: string, pages: number): Promise<Export> {
    const same = (entry: Export): boolean => entry.state === 'ready' && entry.pages === pages;
    return this.#event(key, { event: 'ready', pages }, (entry) => same(entry) && entry.troubles === 0);
  }

  /**
   * Every page is durable on disk. Pages that were downloaded again get a later instant than the ones before, also when the
   * clock was set back.
   */
  async landed(
    key: string,
    { pages, records }: { pages: number; records: number },
    now = this.#effects.now(),
  ): Promise<Export> {
    const before = this.get(key).landedAt;
    const landedAt = before === undefined || now > before ? now : new Date(before.getTime() + 1);
    return this.#event(key, { event: 'landed', pages, records, landedAt });
  }

  /** Every page is in the warehouse; repeated (a rebuild), it is written once. */
  loaded(key: string): Promise<Export> {
    return this.#event(key, { event: 'loaded' }, (entry) => entry.state === 'loaded');
  }

  /** The request may have been sent, and its outcome is unknown: a person decides. */
  ambiguous(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'ambiguous', note: sentence(why) });
  }

  /** The service clearly refused the request (E20): nothing is billed, the window is free again. */
  failed(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'failed', note: sentence(why) });
  }

  /**
   * A paid export was not delivered this time (E21 `error`, `not_found`, or not ready in time). It stays as it is and
   * the next run asks again; after several times it needs action.
   */
  fetchFailed(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'troubled', note: sentence(why) });
  }

  /**
   * A person gives the id of an export whose answer was lost. For a key that the ledger does not know the export is
   * entered as a new one: after the ledger itself was lost. Of an export whose data has arrived the id is replaced, and the
   * id of another export exchanged for its own, only when the person agrees. Throws `UsageError`, `RefusedError`.
   */
  attach(
    key: string,
    exportId: string,
    agree: (change: string) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<Export> {
    return this.#inTurn(async () => {
      const other = this.entries().find((entry) => entry.exportId === exportId && entry.key !== key);
      const known = this.find(key);
      const replaced = known?.exportId === exportId ? undefined : known?.exportId;
      if (other !== undefined && replaced === undefined) {
        throw new UsageError(`The export id already belongs to export ${other.key}.`, {
          hint: 'Check the id. One export belongs to one window.',
        });
      }
      const change = known === undefined ? undefined : changeOfId(known, replaced, other);
      if (change !== undefined && !(await agree(change))) {
        throw new RefusedError(change, {
          hint: `Nothing was changed. To do it: \`dawnload exports attach ${key} ${exportId} --yes\`. \`dawnload exports show\` keeps the earlier ids.`,
        });
      }
      if (known === undefined) await this.#enter(key);
      // A window that was free to be requested again has perhaps been.
      else if (!blocksRuns(known.state)) {
        this.#assertNotCovered(known, (entry) => entry.key !== key && blocksPayingAgain(entry.state));
      }
      if (other !== undefined) await this.#record(other.key, { event: 'attached', exportId: replaced });
      const attached = await this.#record(key, { event: 'attached', exportId });
      this.#untracked = this.#untracked.filter((one) => one.key !== key);
      return attached;
    });
  }

  /**
   * The service reports no records for a paid export, and the daily statistics count some (E21). It stays as it is: each
   * run asks again, and it needs action.
   */
  doubted(key: string, why: string): Promise<Export> {
    return this.#event(key, { event: 'doubted', note: sentence(why) });
  }

  /** A person gives up on an export. No run asks for its window again; only `payAgain` does. */
  abandon(key: string, why = 'A person gave this export up.'): Promise<Export> {
    return this.#event(key, { event: 'abandoned', note: sentence(why) });
  }

  /** Resolves when every requested change has ended. No file is held open. */
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

  /** Enters an export that only its pages on disk, or a person, still know. */
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

  /** Enters an untracked export in the state in which it is known; the ledger may hold it as not billed. */
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
    // As it will be read back, so that nothing can be written that reading would call damage.
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
    // Nothing is sent yet when an export is intended: only what follows may need the room kept for it.
    await this.#file.append(body, `ledger/${event}`, event !== 'intended');
    this.book.set(key, next);
    return next;
  }

  /** One change at a time: each decides on what the one before has written. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

/** The fields as JSON holds them: instants as text, what is undefined left out. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}

/** One line, not too long: it is shown in tables. */
function sentence(text: string): string {
  return cut(text.replaceAll(/\s+/g, ' ').trim(), 500);
}

/** The change that a person must agree to before an export gets another id; undefined where nothing can be lost. */
function changeOfId(
  { key, state }: Export,
  replaced: string | undefined,
  other: Export | undefined,
): string | undefined {
  if (replaced === undefined) return undefined;
  if (other !== undefined)
    return `The export id belongs to export ${other.key}, which would get the id of ${key}, ${replaced}, in exchange.`;
  return state === 'landed' || state === 'loaded'
    ? `Export ${key} is ${state} as ${replaced}, and another id would replace it.`
    : undefined;
}

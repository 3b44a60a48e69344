/**
 * Writing the ledger: `exports.jsonl`, appended to and never rewritten, every line fsynced, and after it the second copy
 * in the landing zone.
 */
import { constants } from 'node:fs';
import { open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effects } from '../effects.js';
import { StorageError } from '../errors.js';
import { DurableFolder, FILE_MODE, sweepTemporaries } from '../storage/atomic-file.js';
import { damaged, ledgerPath, readLedger, secondCopyPath, type LedgerContent } from './ledger-content.js';
import { encodeLine, type Head } from './ledger-line.js';
import { instantName } from '../storage/paths.js';
import { isFull, orStorageError, storageError } from '../storage/storage-error.js';

/** Reserved disk space, so that the answer to a request can be recorded on a full disk. */
const RESERVE = 'exports.reserve';
const RESERVE_BYTES = 64 * 1024;

/** The crash points of one line, in order, each as `ledger/<event>/<step>`. */
export const LEDGER_STEPS = ['before-append', 'before-fsync', 'durable'] as const;

/** The crash points of a line in the second copy. */
export const COPY_POINTS = ['ledger-copy/before-append', 'ledger-copy/before-fsync'] as const;

/** The one writer of a ledger; its caller holds the lock of the data folder. */
export class LedgerFile {
  readonly #path: string;
  readonly #copyPath: string;
  readonly #disk: DurableFolder;
  readonly #effects: Pick<Effects, 'reach'>;
  #head: Head;
  #size: number;
  #broken: unknown;
  /** Lines that only the second copy still holds; nothing may be written before them. */
  #lost: LedgerContent['lost'];
  /** Whether the second copy holds the same lines. */
  #copied: boolean;

  private constructor(
    dataDir: string,
    disk: DurableFolder,
    effects: Pick<Effects, 'reach'>,
    content: LedgerContent,
  ) {
    this.#path = ledgerPath(dataDir);
    this.#copyPath = secondCopyPath(dataDir);
    this.#disk = disk;
    this.#effects = effects;
    this.#head = content.head;
    this.#size = content.size;
    this.#lost = content.lost;
    this.#copied = content.copied;
  }

  /** The bodies of the lines that only the second copy still holds. */
  get lost(): readonly unknown[] {
    return this.#lost.map(({ body }) => body);
  }

  /**
   * Opens the ledger for appending. A torn last line is copied to `exports.jsonl.torn-<instant>`, whose name is
   * `setAside`, and cut off. Throws `DamageError`, `StorageError`.
   */
  static async open(
    dataDir: string,
    effects: Effects,
  ): Promise<{ file: LedgerFile; bodies: readonly unknown[]; setAside: string | undefined }> {
    const path = ledgerPath(dataDir);
    const disk = new DurableFolder(dataDir, effects);
    await disk.makeFolder(dirname(path));
    await sweepTemporaries(dirname(path));
    const content = await readLedger(dataDir);
    const file = new LedgerFile(dataDir, disk, effects, content);
    let setAside: string | undefined;
    if (content.torn !== undefined) {
      setAside = `${path}.torn-${instantName(effects.now())}`;
      await disk.write(setAside, content.torn, 'ledger-torn');
      await orStorageError('repair', path, () => cut(path, content.size));
    }
    if (content.unended) await orStorageError('repair', path, () => file.#append('\n', 'ledger/mended'));
    if (!content.copied && content.bodies.length > 0 && content.lost.length === 0) await file.#copy();
    return { file, bodies: content.bodies, setAside };
  }

  /** Reserves disk space for the next lines. Throws `StorageError` when there is none: then nothing may be sent. */
  async reserve(): Promise<void> {
    await this.#disk.write(this.#beside(RESERVE), Buffer.alloc(RESERVE_BYTES), 'ledger-reserve');
  }

  /**
   * Appends one line and resolves when it is durable; on a full disk `mayUseReserve` makes room for it. After a
   * `StorageError` the ledger is as it was before the call; if even that cannot be made sure, every later append is
   * refused. `what` names the crash points.
   */
  async append(body: Readonly<Record<string, unknown>>, what: string, mayUseReserve: boolean): Promise<void> {
    if (this.#lost.length > 0)
      throw damaged(`${this.#path} lacks ${this.#lost.length} lines that were written.`);
    const { text, head } = encodeLine(this.#head, body);
    try {
      await this.#append(`${text}\n`, what, head);
    } catch (error) {
      if (!mayUseReserve || !isFull(error)) throw storageError('write', this.#path, error);
      await rm(this.#beside(RESERVE), { force: true }).catch(() => undefined);
      await orStorageError('write', this.#path, () => this.#append(`${text}\n`, what, head));
    }
    await this.#copyLine(`${text}\n`);
  }

  /** Restores the lines that only the second copy still holds. Throws `StorageError`. */
  async restore(): Promise<void> {
    const last = this.#lost.at(-1);
    if (last === undefined) return;
    const text = this.#lost.map((line) => `${line.text}\n`).join('');
    const head = { seq: this.#head.seq + this.#lost.length, sum: last.sum };
    await orStorageError('write', this.#path, () => this.#append(text, 'ledger/restored', head));
    this.#lost = [];
    await this.#copy();
  }

  async #append(text: string, what: string, head = this.#head): Promise<void> {
    if (this.#broken !== undefined) throw storageError('write', this.#path, this.#broken);
    const isNew = this.#size === 0;
    const flags = constants.O_RDWR | constants.O_APPEND | (isNew ? constants.O_CREAT : 0);
    const handle = await open(this.#path, flags, FILE_MODE);
    try {
      await this.#assertUntouched(handle);
      this.#effects.reach(`${what}/before-append`);
      await this.#writeOrCut(handle, Buffer.from(text), isNew, what);
      this.#size += Buffer.byteLength(text);
      this.#head = head;
      this.#effects.reach(`${what}/durable`);
    } finally {
      // Everything is fsynced or cut off by now: closing has nothing left to fail at.
      await handle.close().catch(() => undefined);
    }
  }

  async #writeOrCut(handle: FileHandle, bytes: Buffer, isNew: boolean, what: string): Promise<void> {
    try {
      await handle.appendFile(bytes);
      this.#effects.reach(`${what}/before-fsync`);
      await handle.sync();
      if (isNew) await this.#disk.syncFolder(dirname(this.#path));
    } catch (error) {
      try {
        await handle.truncate(this.#size);
        await handle.sync();
      } catch {
        // Part of a line may stand there: a line after it would be damage, so nothing more is written.
        this.#broken = error;
      }
      throw error;
    }
  }

  async #assertUntouched(handle: FileHandle): Promise<void> {
    const { size } = await handle.stat();
    if (size !== this.#size)
      throw damaged(`${this.#path} was changed by another process while this run had it open.`);
  }

  /** The second copy may lag behind, never run ahead; so a full disk here does not fail the append. */
  async #copyLine(text: string): Promise<void> {
    if (!this.#copied) return this.#copy();
    this.#copied = false;
    try {
      await orStorageError('write', this.#copyPath, () => this.#appendToCopy(text));
      this.#copied = true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  async #appendToCopy(text: string): Promise<void> {
    this.#effects.reach('ledger-copy/before-append');
    const handle = await open(this.#copyPath, constants.O_WRONLY | constants.O_APPEND);
    try {
      await handle.appendFile(text);
      this.#effects.reach('ledger-copy/before-fsync');
      await handle.sync();
    } finally {
      await handle.close().catch(() => undefined);
    }
  }

  /** Writes the whole second copy again: it lags behind, was cut short, or is damaged. */
  async #copy(): Promise<void> {
    try {
      const bytes = this.#size === 0 ? Buffer.alloc(0) : await readFile(this.#path);
      await this.#disk.write(this.#copyPath, bytes, 'ledger-copy-made');
      this.#copied = true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw storageError('read', this.#path, error);
    }
  }

  #beside(name: string): string {
    return join(dirname(this.#path), name);
  }
}

async function cut(path: string, size: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(size);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes the ledger `exports.jsonl`, which is only appended to, never rewritten. Each line is fsynced, then appended to
 * the second copy in the landing zone.
 */
import { constants } from 'node:fs';
import { open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effects } from '../effects.js';
import { StorageError, DamageError } from '../errors.js';
import { DurableFolder, FILE_MODE, sweepTemporaries } from '../storage/atomic-file.js';
import { EMPTY, encodeLine, scan, type ContentLine, type Head } from '../storage/chain.js';
import { instantName, foldersOf } from '../storage/paths.js';
import { isFull, orStorageError, storageError, readIfThere } from '../storage/storage-error.js';

/** File that reserves disk space, so that the answer to a request can be recorded on a full disk. */
const RESERVE = 'exports.reserve';
const RESERVE_BYTES = 64 * 1024;

/** The crash points of writing one line, in order; each is named `ledger/<event>/<step>`. */
export const LEDGER_STEPS = ['before-append', 'before-fsync', 'durable'] as const;

/** The crash points of writing a line to the second copy. */
export const COPY_POINTS = ['ledger-copy/before-append', 'ledger-copy/before-fsync'] as const;

/** The only writer of a ledger. The caller must hold the lock of the data folder. */
export class LedgerFile {
  readonly #path: string;
  readonly #copyPath: string;
  readonly #disk: DurableFolder;
  readonly #effects: Pick<Effects, 'reach'>;
  #head: Head;
  #size: number;
  #broken: unknown;
  /** Lines that exist only in the second copy; while there are any, nothing may be appended. */
  #lost: LedgerContent['lost'];
  /** True if the second copy holds the same lines. */
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

  /** The bodies of the lines that exist only in the second copy. */
  get lost(): readonly unknown[] {
    return this.#lost.map(({ body }) => body);
  }

  /**
   * Opens the ledger for appending. A torn last line is moved to `exports.jsonl.torn-<instant>`, the name of which is
   * `setAside`.
   *
   * @throws DamageError
   * @throws StorageError
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

  /**
   * Reserves disk space for the next lines.
   *
   * @throws StorageError if the disk is full; no request may be sent then
   */
  async reserve(): Promise<void> {
    await this.#disk.write(this.#beside(RESERVE), Buffer.alloc(RESERVE_BYTES), 'ledger-reserve');
  }

  /**
   * Appends one line and resolves when it is durable. After a `StorageError` the ledger is unchanged; if that cannot be
   * guaranteed, every later append is refused.
   *
   * @param what name of the crash points
   * @param mayUseReserve frees the reserved disk space if the disk is full
   * @throws StorageError
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

  /**
   * Restores the lines that exist only in the second copy.
   *
   * @throws StorageError
   */
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
      // All data is fsynced or cut off by now, so an error on closing has no consequence.
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
        // Part of the line may be on disk. A further line after it would be damage, so nothing more is written.
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

  /**
   * Appends a line to the second copy. The copy may lag behind the ledger but never run ahead of it, so a full disk here
   * does not fail the append.
   */
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

  /** Rewrites the second copy completely because it lags behind, was truncated, or is damaged. */
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

// Reads the ledger `ledger/exports.jsonl` line by line and compares it with its second copy in the landing zone. The
// chain of checksums shows a changed or missing line; only the second copy can show that complete lines at the end are
// missing, and with them a paid request.

/** The content of the file. */
interface LedgerContent {
  /** The bodies of all complete lines, first to last. */
  readonly bodies: readonly unknown[];
  readonly head: Head;
  /** Total size of the complete lines, in bytes. */
  readonly size: number;
  /** An incomplete last line, left by a process that died during an append. */
  readonly torn: Buffer | undefined;
  /** True if the last line is complete except for its newline. */
  readonly unended: boolean;
  /** Lines of the second copy that the ledger lacks, because it was lost or replaced by an older version. */
  readonly lost: readonly ContentLine[];
  /** True if the second copy holds exactly the same lines. */
  readonly copied: boolean;
}

/** Path of the ledger in a data folder. */
function ledgerPath(dataDir: string): string {
  return join(foldersOf(dataDir).ledger, 'exports.jsonl');
}

/** Path of the second copy, stored with the landed data. */
function secondCopyPath(dataDir: string): string {
  return join(foldersOf(dataDir).landing, 'ledger', 'exports.jsonl');
}

/**
 * Reads the ledger without changing it.
 *
 * @throws DamageError if the content was altered
 * @throws StorageError
 */
export async function readLedger(dataDir: string): Promise<LedgerContent> {
  const path = ledgerPath(dataDir);
  // The second copy is read first: a run may append between the two reads, and the copy may only lag behind.
  const copyBytes = (await readIfThere(secondCopyPath(dataDir))) ?? Buffer.alloc(0);
  const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
  const { lines, size, rest } = scan(bytes);
  // The two files are normally equal, and equal bytes are checked only once.
  const isSame = copyBytes.equals(bytes);
  const copy = isSame ? { lines: [...lines] } : scan(copyBytes);
  const unended = rest !== undefined && rest.wrong === undefined;
  if (unended) lines.push(rest.line);
  else if (rest?.whole === true) throw damaged(`Line ${lines.length + 1} of ${path} ${rest.wrong}.`);
  const common = Math.min(lines.length, copy.lines.length);
  if (common > 0 && lines[common - 1]?.sum !== copy.lines[common - 1]?.sum) {
    throw damaged(
      `${path} and its second copy ${secondCopyPath(dataDir)} differ at line ${common} or earlier.`,
    );
  }
  const torn = rest !== undefined && !unended ? bytes.subarray(size) : undefined;
  return {
    bodies: lines.map(({ body }) => body),
    head: { seq: lines.length, sum: lines.at(-1)?.sum ?? EMPTY.sum },
    size: unended ? bytes.length : size,
    torn,
    unended,
    lost: copy.lines.slice(lines.length),
    copied: copyBytes.length > 0 && isSame && torn === undefined && !unended,
  };
}

/** The error for a damaged ledger; while the ledger is damaged, no paid request may be sent. */
export function damaged(message: string, cause?: unknown): DamageError {
  return new DamageError(message, {
    hint:
      'No paid request is sent until the ledger is intact. ' +
      'Restore the ledger folder from a backup, or from its second copy landing/ledger/exports.jsonl.',
    cause,
  });
}

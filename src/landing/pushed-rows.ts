/**
 * The keyed hashes of the rows of each call, `ledger/pushed/`, a file of JSON lines for each target. A line is durable
 * before the intent of its call; the journal knows the hash of the line of each call of E13 and E16, so that a lost or
 * altered line is noticed. A call that may be repeated (E2, E12, E14) gets a second line once the service took its rows;
 * without it, the rows are sent again.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { DurableFolder, FILE_MODE } from './atomic-file.js';
import { foldersOf, safeName } from './paths.js';
import { namesIn, orStorageError } from './storage-error.js';

/** A row by its keyed hashes: `k` of its key (a catalog's id as it is), `r` of all it holds. */
export interface Hashed {
  readonly k: string;
  readonly r: string;
}

/** A call: the fingerprint of the key of its hashes, and the class of columns with which its rows are compared. */
interface CallHeader {
  readonly target: string;
  readonly push: string;
  readonly call: number;
  readonly made_with: string;
  readonly columns: string;
}

/** The file of a target. */
export function pathOfTarget(dataDir: string, target: string): string {
  return join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
}

/** The class of rows that are taken away; acknowledging them forgets their keys. */
export const GONE = '*';

export class PushedRows {
  readonly #disk: DurableFolder;
  /** A newline if the file ends in a part of a line, since a process died during an append. */
  #before = '';
  #size = 0;

  private constructor(
    readonly path: string,
    disk: DurableFolder,
  ) {
    this.#disk = disk;
  }

  /** Opens the file of a target; makes it if it is not there. Throws `StorageError`. */
  static async open(dataDir: string, target: string, effects: Pick<Effects, 'reach'>): Promise<PushedRows> {
    const disk = new DurableFolder(dataDir, effects);
    const path = pathOfTarget(dataDir, target);
    await disk.makeFolder(dirname(path));
    const memory = new PushedRows(path, disk);
    await orStorageError('open', path, async () => {
      const handle = await open(path, 'a+', FILE_MODE);
      try {
        const { size } = await handle.stat();
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
        memory.#size = size;
        if (size > 0 && buffer[0] !== 0x0a) memory.#before = '\n';
      } finally {
        await handle.close();
      }
    });
    return memory;
  }

  /** Notes the rows of a call before it leaves; returns the hash of the line. Throws `StorageError`. */
  intend(about: CallHeader, rows: readonly Hashed[]): Promise<string> {
    return this.#line({ ...about, ...lists(rows) });
  }

  /** Notes that the service took the rows of a call that may be repeated. */
  taken(push: string, call: number): Promise<string> {
    return this.#line({ push, call, taken: true });
  }

  /** Notes that a push rejected rows. */
  reject(push: string, reason: string, rows: readonly Hashed[]): Promise<string> {
    return this.#line({ push, reason, ...lists(rows) });
  }

  async #line(body: object): Promise<string> {
    const text = JSON.stringify(body);
    const bytes = Buffer.from(`${this.#before}${text}\n`);
    await this.#disk.append(this.path, bytes, 'pushed', this.#size);
    this.#size += bytes.length;
    this.#before = '';
    return createHash('sha256').update(text).digest('hex');
  }
}

const lists = (rows: readonly Hashed[]): { k: string[]; r: string[] } => ({
  k: rows.map(({ k }) => k),
  r: rows.map(({ r }) => r),
});

/** The files of all targets. Throws `StorageError`. */
export async function pushedFiles(dataDir: string): Promise<string[]> {
  const folder = join(foldersOf(dataDir).ledger, 'pushed');
  return (await namesIn(folder)).map((name) => join(folder, name));
}

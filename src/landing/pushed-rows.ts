/**
 * The keyed hashes of the rows of each call, `ledger/pushed/`, a file of JSON lines for each target. A line is durable
 * before the intent of its call; the journal knows the hash of the line of each call of E13 and E16, so that a lost or
 * altered line is noticed. A call that may be repeated (E2, E12, E14) gets a second line once the service took its rows;
 * without it, the rows are sent again.
 */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { DurableFolder, FILE_MODE } from './atomic-file.js';
import { foldersOf, safeName } from './paths.js';
import { namesIn, orStorageError } from './storage-error.js';

/** A row by its keyed hashes: `k` of its key (a catalog's id as it is), `r` of all it holds. */
interface Hashed {
  readonly k: string;
  readonly r: string;
}

/**
 * A line: a call before it leaves, with the fingerprint of the key of its hashes and the class of columns with which its rows
 * are compared; a call that may be repeated and whose rows the service took; or rows that were rejected.
 */
type Line =
  | {
      target: string;
      push: string;
      call: number;
      made_with: string;
      columns: string;
      rows: readonly Hashed[];
    }
  | { push: string; call: number; taken: true }
  | { push: string; reason: string; rows: readonly Hashed[] };

/** The file of a target. */
export function pathOfTarget(dataDir: string, target: string): string {
  return join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
}

/** The class of rows that are taken away; acknowledging them forgets their keys. */
export const GONE = '*';

export class PushedRows {
  private constructor(
    readonly path: string,
    private readonly disk: DurableFolder,
    private size: number,
  ) {}

  /** Opens the file of a target; makes it if it is not there. Throws `StorageError`. */
  static async open(dataDir: string, target: string, effects: Pick<Effects, 'reach'>): Promise<PushedRows> {
    const disk = new DurableFolder(dataDir, effects);
    const path = pathOfTarget(dataDir, target);
    await disk.makeFolder(dirname(path));
    return orStorageError('open', path, async () => {
      await (await open(path, 'a', FILE_MODE)).close();
      return new PushedRows(path, disk, (await stat(path)).size);
    });
  }

  /** Appends a line durably; returns its hash. Throws `StorageError`. */
  async append(line: Line): Promise<string> {
    const hashes = 'rows' in line ? { k: line.rows.map(({ k }) => k), r: line.rows.map(({ r }) => r) } : {};
    const text = JSON.stringify({ ...line, rows: undefined, ...hashes });
    // A newline comes first too, since the file ends in a part of a line where a process died.
    const bytes = Buffer.from(`\n${text}\n`);
    await this.disk.append(this.path, bytes, 'pushed', this.size);
    this.size += bytes.length;
    return createHash('sha256').update(text).digest('hex');
  }
}

/** The files of all targets. Throws `StorageError`. */
export async function pushedFiles(dataDir: string): Promise<string[]> {
  const folder = join(foldersOf(dataDir).ledger, 'pushed');
  return (await namesIn(folder)).map((name) => join(folder, name));
}

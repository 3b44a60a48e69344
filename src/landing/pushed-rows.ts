/**
 * The keyed hashes of the rows of each call, `ledger/pushed/`, a file of JSON lines for each target. A line is durable
 * before the intent of its call; the journal knows the hash of the line of each call of E13 and E16, so that a lost or
 * altered line is noticed. A call that may be repeated (E2, E12, E14) gets a second line once the service took its rows;
 * without it, the rows are sent again.
 */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { jsonOf } from '../ground/envelope.js';
import { DurableFolder, FILE_MODE } from './atomic-file.js';
import { foldersOf, safeName } from './paths.js';
import { namesIn, orStorageError, readIfThere } from './storage-error.js';

/** A row by its keyed hashes: `k` of its key (a catalog's id as it is), `r` of all it holds. */
interface Hashed {
  readonly k: string;
  readonly r: string;
}

const call = z.object({ target: z.string(), push: z.string(), call: z.number(), made_with: z.string() });
const callLine = call.extend({ k: z.array(z.string()) });

/** A call in the file: the number of its rows, the fingerprint of the key of their hashes, and the hash of the line. */
export type RememberedCall = z.infer<typeof call> & { readonly rows: number; readonly line: string };

/**
 * A line: a call before it leaves, with the class of columns with which its rows are compared; a call that may be repeated and
 * whose rows the service took; or rows that were rejected.
 */
type Line =
  | (z.infer<typeof call> & { columns: string; rows: readonly Hashed[] })
  | { push: string; call: number; taken: true }
  | { push: string; reason: string; rows: readonly Hashed[] };

/** The file of a target. */
export function pathOfTarget(dataDir: string, target: string): string {
  return join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
}

/** The class of rows that are taken away; acknowledging them forgets their keys. */
export const GONE = '*';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

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
    return hashOf(text);
  }
}

/** The calls in a file, oldest first; a line that was torn is none. Throws `StorageError`. */
export async function callsIn(path: string): Promise<RememberedCall[]> {
  const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
  const calls: RememberedCall[] = [];
  for (let start = 0, end = 0; end >= 0; start = end + 1) {
    end = bytes.indexOf('\n', start);
    const text = bytes.toString('utf8', start, end < 0 ? bytes.length : end);
    const line = callLine.safeParse(jsonOf(text)).data;
    if (line !== undefined) calls.push({ ...line, rows: line.k.length, line: hashOf(text) });
  }
  return calls;
}

/** The calls of all targets. Throws `StorageError`. */
export async function allCalls(dataDir: string): Promise<RememberedCall[]> {
  const folder = join(foldersOf(dataDir).ledger, 'pushed');
  const files = await namesIn(folder);
  return (await Promise.all(files.map((name) => callsIn(join(folder, name))))).flat();
}

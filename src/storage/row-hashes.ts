/**
 * The keyed hashes of the rows of each call of a push, `ledger/pushed/`, one file for each target: written before the
 * intent of the call. A row counts as acknowledged if the journal says so of its call (E13, E16), or, where calls may be
 * repeated, this file.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { DamageError } from '../errors.js';
import { DurableFolder } from './atomic-file.js';
import { ChainFile } from './chain.js';
import { namesIn } from './storage-error.js';
import { foldersOf, idOf, safeName } from './paths.js';

export interface CallState {
  readonly acknowledged: boolean;
  /** True if the service may have the rows, and nobody knows. */
  readonly doubt: boolean;
  /** True if the push of the call is unfinished. */
  readonly unfinished: boolean;
}

type StateOf = (push: string, call: number) => CallState;

/** Hashes a text with the key of the data folder. */
export const hashWith =
  (key: Uint8Array) =>
  (text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

/** Returns the function that makes the error for a damaged file of pushes. */
export const pushDamage =
  (path: string) =>
  (what: string): DamageError =>
    new DamageError(`${path} is damaged. ${what}`, {
      hint: 'Restore the ledger folder from a backup. Until then nothing is pushed, since rows could be sent twice.',
    });

/** A row by its keyed hashes: `k` of its key (a catalog's id as it is), `r` of all it holds. */
export interface Hashed {
  readonly k: string;
  readonly r: string;
}

export interface Rejection extends Hashed {
  readonly reason: string;
  /** The pushes that rejected the row. */
  readonly pushes: ReadonlySet<string>;
}

const hashes = { c: z.string(), k: z.array(z.string()), r: z.array(z.string()) };
const remembered = z.union([
  z.object({ ...hashes, push: z.string(), call: z.number() }),
  z.object({ ...hashes, push: z.string(), reason: z.string() }),
]);
type Remembered = z.infer<typeof remembered>;

/** An acknowledged call that may be repeated. */
const taken = z.object({ push: z.string(), taken: z.number() });

/** A call whose rows are remembered. */
export interface RememberedCall {
  readonly target: string;
  readonly push: string;
  readonly call: number;
  readonly rows: number;
}

/** The calls of all targets whose rows are remembered. Throws `DamageError`, `StorageError`. */
export async function rememberedCalls(
  dataDir: string,
  effects: Pick<Effects, 'reach'>,
): Promise<RememberedCall[]> {
  const folder = join(foldersOf(dataDir).ledger, 'pushed');
  const calls: RememberedCall[] = [];
  for (const name of await namesIn(folder)) {
    const target = idOf(name.replace(/\.jsonl$/, ''));
    if (target === undefined) continue;
    const path = join(folder, name);
    const file = await ChainFile.open(path, new DurableFolder(dataDir, effects), effects, pushDamage(path));
    for (const { body } of file.lines) {
      const { data } = remembered.safeParse(body);
      if (data !== undefined && 'call' in data)
        calls.push({ target, push: data.push, call: data.call, rows: data.k.length });
    }
  }
  return calls;
}

/** The class of rows that are taken away; acknowledging them forgets their keys. */
export const GONE = 'gone';

interface Known {
  readonly r: string;
  readonly doubt: boolean;
  /** True if an unfinished push sent it. */
  readonly unfinished: boolean;
}

/** What is remembered of the rows of one target. Rows are compared with those of the same columns (`c`). */
export class RowHashes {
  readonly #file: ChainFile;
  readonly #stateOf: StateOf;
  /** The last acknowledged row by key and columns; in doubt if the service may have it. */
  readonly #known = new Map<string, Map<string, Known>>();
  /** The acknowledged calls that may be repeated. */
  readonly #taken = new Set<string>();
  /** The calls whose rows are remembered. */
  readonly #calls: ReadonlySet<unknown>;
  readonly #lines: Remembered[];
  /** The last rejection by key, or by row if rows have no key. */
  readonly #rejections = new Map<string, Rejection>();
  /** How often the unfinished pushes have sent a row. */
  readonly #sent = new Map<string, number>();

  private constructor(file: ChainFile, stateOf: StateOf) {
    this.#file = file;
    this.#stateOf = stateOf;
    const lines: Remembered[] = [];
    for (const { body } of file.lines) {
      const { data } = taken.safeParse(body);
      if (data === undefined) lines.push(remembered.parse(body));
      else this.#taken.add(`${data.push} ${data.taken}`);
    }
    // A process that died before the intent left a line, and its number was given again.
    const calls = new Map(lines.map((one, nth) => ['call' in one ? `${one.push} ${one.call}` : nth, one]));
    this.#calls = new Set(calls.keys());
    this.#lines = lines;
    for (const one of calls.values()) this.#apply(one);
  }

  /** Throws `DamageError` if the file was altered, and `StorageError`. */
  static async open(
    dataDir: string,
    target: string,
    stateOf: StateOf,
    effects: Pick<Effects, 'reach'>,
  ): Promise<RowHashes> {
    const path = join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
    const disk = new DurableFolder(dataDir, effects);
    return new RowHashes(await ChainFile.open(path, disk, effects, pushDamage(path)), stateOf);
  }

  /** True if rows of another class of columns are remembered. */
  hasOthers(c: string): boolean {
    return this.#lines.some((one) => one.c !== c);
  }

  /** True if a row with this key was acknowledged; with `c`, one with the same columns. */
  knows(k: string, c?: string): boolean {
    const rows = this.#known.get(k);
    return rows !== undefined && (c === undefined || rows.has(c));
  }

  /** The keys of all acknowledged rows. */
  get keys(): Iterable<string> {
    return this.#known.keys();
  }

  get rejections(): Iterable<Rejection> {
    return this.#rejections.values();
  }

  /** The rejection of this row, if its content is the same. */
  rejectionOf({ k, r }: Hashed): Rejection | undefined {
    const found = this.#rejections.get(k || r);
    return found?.r === r ? found : undefined;
  }

  /** True if the rows of a call are remembered. */
  has(push: string, call: number): boolean {
    return this.#calls.has(`${push} ${call}`);
  }

  /** Number of rows that unfinished pushes have sent and nobody asked for by `takeSent`. */
  get unasked(): number {
    return [...this.#sent.values()].reduce((sum, times) => sum + times, 0);
  }

  /**
   * How a row compares with the last acknowledged one.
   *
   * @param once true if a row must not arrive twice: while its outcome is unknown, or its push unfinished, its key alone
   *   counts, since other columns may have changed
   */
  compare({ k, r }: Hashed, c: string, once: boolean): 'same' | 'in_doubt' | 'different' {
    const known = this.#known.get(k)?.get(c);
    if (known === undefined) return 'different';
    if (known.r !== r && !(once && (known.doubt || known.unfinished))) return 'different';
    return known.doubt ? 'in_doubt' : 'same';
  }

  /** True if an unfinished push has sent this row once more than was asked here. */
  takeSent({ k, r }: Hashed): boolean {
    const times = this.#sent.get(`${k} ${r}`) ?? 0;
    if (times > 0) this.#sent.set(`${k} ${r}`, times - 1);
    return times > 0;
  }

  /** Notes the rows of a call, before its intent. */
  async intend(push: string, call: number, c: string, rows: readonly Hashed[]): Promise<void> {
    await this.#append({ push, call, c, ...lists(rows) });
  }

  /** Notes that the service took the rows of a call that may be repeated. */
  async settle(push: string, call: number): Promise<void> {
    await this.#file.append({ push, taken: call }, 'pushed');
    this.#taken.add(`${push} ${call}`);
  }

  /** The number of the last call of a push. */
  lastCall(push: string): number {
    return Math.max(0, ...this.#lines.map((one) => ('call' in one && one.push === push ? one.call : 0)));
  }

  /** The rows that calls of a push took that may be repeated, and the number of these calls. */
  takenBy(push: string): { readonly rows: number; readonly calls: number } {
    const calls = this.#lines.filter(
      (one) => 'call' in one && one.push === push && this.#taken.has(`${push} ${one.call}`),
    );
    return { rows: calls.reduce((sum, { k }) => sum + k.length, 0), calls: calls.length };
  }

  /** Notes what the journal says of rows from now on. */
  acknowledged(c: string, rows: readonly Hashed[]): void {
    for (const row of rows) this.#set(row, c, { doubt: false, unfinished: true });
  }

  /** Notes that a push rejected rows. */
  async reject(push: string, reason: string, c: string, rows: readonly Hashed[]): Promise<void> {
    const body = { push, reason, c, ...lists(rows) };
    await this.#append(body);
    this.#apply(body);
  }

  async #append(body: Remembered): Promise<void> {
    await this.#file.append(body, 'pushed');
    this.#lines.push(body);
  }

  #apply(body: Remembered): void {
    const rows = body.k.map((k, nth) => ({ k, r: body.r[nth] ?? '' }));
    if ('reason' in body) {
      for (const row of rows) {
        const pushes = new Set(this.rejectionOf(row)?.pushes).add(body.push);
        this.#rejections.set(row.k || row.r, { ...row, reason: body.reason, pushes });
      }
      return;
    }
    const { doubt, unfinished, ...known } = this.#stateOf(body.push, body.call);
    const acknowledged = known.acknowledged || this.#taken.has(`${body.push} ${body.call}`);
    if (!acknowledged && !doubt) return;
    for (const row of rows) {
      this.#set(row, body.c, { doubt, unfinished });
      if (!unfinished) continue;
      this.#sent.set(`${row.k} ${row.r}`, (this.#sent.get(`${row.k} ${row.r}`) ?? 0) + 1);
    }
  }

  #set({ k, r }: Hashed, c: string, is: Omit<Known, 'r'>): void {
    this.#rejections.delete(k || r);
    if (c === GONE && !is.doubt) this.#known.delete(k);
    else if (k !== '') {
      const rows = this.#known.get(k) ?? new Map<string, Known>();
      this.#known.set(k, rows.set(c, { r, ...is }));
    }
  }
}

const lists = (rows: readonly Hashed[]): { k: string[]; r: string[] } => ({
  k: rows.map(({ k }) => k),
  r: rows.map(({ r }) => r),
});

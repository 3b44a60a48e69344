/**
 * The ledger of pushes, `ledger/pushes.jsonl`: an intent is durable before its call leaves, its outcome after. It holds
 * numbers and keyed hashes, never a row. Beside it, `ledger/pushed/` holds the keyed hashes of the rows of each call, one
 * file for each target; a row counts as acknowledged if the ledger says so of its call.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { dayOf, monthOf } from '../calendar.js';
import type { Effects } from '../effects.js';
import { DamageError, RefusedError, UsageError } from '../errors.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { ChainFile } from '../storage/chain.js';
import { foldersOf, safeName } from '../storage/paths.js';

const OUTCOMES = ['acknowledged', 'short', 'refused', 'withdrawn', 'ambiguous'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const counts = z.object({
  rows: z.number(),
  new: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  unknown: z.number(),
  left: z.number(),
  erased: z.number(),
});
export type Counts = z.infer<typeof counts>;

const base = { push: z.string(), at: z.iso.datetime() };
const line = z.discriminatedUnion('event', [
  z.object({
    ...{ ...base, event: z.literal('begun'), target: z.string(), once: z.boolean(), only: z.boolean() },
    ...{
      name: z.string().optional(),
      key: z.string().optional(),
      source: z.string(),
      run: z.string(),
      counts,
    },
  }),
  z.object({
    ...{ ...base, event: z.literal('intended'), call: z.number(), run: z.string(), rows: z.number() },
    payload: z.string(),
  }),
  z.object({
    ...{ ...base, event: z.literal('settled'), call: z.number(), outcome: z.enum(OUTCOMES) },
    note: z.string().optional(),
  }),
  z.object({ ...base, event: z.literal('rejected'), rows: z.number(), reason: z.string() }),
  z.object({ ...base, event: z.literal('stopped'), note: z.string() }),
  z.object({ ...base, event: z.literal('resumed'), again: z.boolean() }),
  z.object({ ...base, event: z.literal('abandoned') }),
  z.object({ ...base, event: z.literal('done') }),
]);
type Line = z.infer<typeof line>;
type Begun = Omit<Extract<Line, { event: 'begun' }>, 'event' | 'push' | 'at'>;

interface Call {
  readonly rows: number;
  readonly at: Date;
  readonly run: string;
  /** `open` until its outcome is known; `in_doubt` if a person leaves it so, `again` if its rows are to be sent again. */
  state: Outcome | 'open' | 'in_doubt' | 'again';
}

export interface Push extends Begun {
  readonly id: string;
  readonly begunAt: Date;
  updatedAt: Date;
  state: 'sending' | 'stopped' | 'ambiguous' | 'abandoned' | 'done';
  readonly calls: Map<number, Call>;
  rejected: number;
  note: string | undefined;
}

/** States of calls whose rows the service has, or may have. */
const COUNTED: readonly string[] = ['acknowledged', 'ambiguous', 'in_doubt', 'open'];

const rowsIn = (push: Push, ...states: readonly string[]): number =>
  [...push.calls.values()].reduce((sum, call) => sum + (states.includes(call.state) ? call.rows : 0), 0);
export const sentRows = (push: Push): number => rowsIn(push, 'acknowledged');
export const unknownRows = (push: Push): number => rowsIn(push, 'ambiguous', 'in_doubt', 'open');
export const isUnfinished = ({ state }: Push): boolean => /sending|stopped|ambiguous/.test(state);

/** The sentence about a push that waits for a person. */
export function adviceOn(push: Push): string {
  return (
    `Push ${push.id} to ${push.target} is ambiguous: it is not known whether the service has ${unknownRows(push)} of its rows. ${push.note ?? ''} ` +
    `Look there. If it has them: \`dawnload push resume ${push.id}\` goes on with the others. ` +
    `If it has not: \`dawnload push resume ${push.id} --again\` sends them too. To give the rest up: \`dawnload push abandon ${push.id}\`.`
  ).replace('  ', ' ');
}

const hint =
  'Restore the ledger folder from a backup. Until then nothing is pushed, since rows could be sent twice.';
const damage =
  (path: string) =>
  (what: string): DamageError =>
    new DamageError(`${path} is damaged. ${what}`, { hint });

export class PushLedger {
  readonly #file: ChainFile;
  readonly #effects: Effects;
  readonly #pushes = new Map<string, Push>();

  private constructor(file: ChainFile, effects: Effects) {
    this.#file = file;
    this.#effects = effects;
    file.lines.forEach(({ body }, nth) => {
      const read = line.safeParse(body);
      if (!read.success) throw damage(file.path)(`Line ${nth + 1} is not that of a push.`);
      this.#apply(read.data);
    });
  }

  /** Reads the ledger. Writing to it requires the lock. Throws `DamageError` if it was altered, and `StorageError`. */
  static async open(dataDir: string, effects: Effects): Promise<PushLedger> {
    const path = join(foldersOf(dataDir).ledger, 'pushes.jsonl');
    const disk = new DurableFolder(dataDir, effects);
    return new PushLedger(await ChainFile.open(path, disk, effects, damage(path)), effects);
  }

  /** All pushes, oldest first. */
  get pushes(): Push[] {
    return [...this.#pushes.values()];
  }

  get(id: string): Push {
    const push = this.#pushes.get(id);
    if (push !== undefined) return push;
    throw new UsageError(`There is no push ${id}.`, { hint: '`dawnload push list` lists them.' });
  }

  /** Rows that the service has or may have of the pushes, in a run and in the KST month of an instant. */
  spent(pushes: readonly Push[], run: string, now: Date): { inRun: number; inMonth: number } {
    const calls = pushes
      .flatMap((push) => [...push.calls.values()])
      .filter(({ state }) => COUNTED.includes(state));
    const sum = (some: readonly Call[]): number => some.reduce((rows, call) => rows + call.rows, 0);
    return {
      inRun: sum(calls.filter((call) => call.run === run)),
      inMonth: sum(calls.filter(({ at }) => monthOf(at) === monthOf(now))),
    };
  }

  /** Marks the calls of dead processes as ambiguous if they must not be sent twice. */
  async settle(): Promise<void> {
    for (const push of this.pushes) {
      if (!push.once) continue;
      for (const [call, { state }] of push.calls) {
        if (state !== 'open') continue;
        const note = 'The process ended before it recorded the answer.';
        await this.write(push, { event: 'settled', call, outcome: 'ambiguous', note });
      }
    }
  }

  async begin(begun: Begun): Promise<Push> {
    const day = dayOf(this.#effects.now());
    const nth = this.pushes.filter(({ id }) => id.startsWith(`${day}.`)).length + 1;
    return this.#append({ event: 'begun', push: `${day}.${nth}`, ...begun });
  }

  write(
    { id }: Push,
    event: { readonly event: Exclude<Line['event'], 'begun'> } & Readonly<Record<string, unknown>>,
  ): Promise<Push> {
    return this.#append({ ...event, push: id });
  }

  /** Records the decision of a person. Throws `RefusedError` if there is nothing to decide. */
  async decide(push: Push, event: 'resumed' | 'abandoned', again = false): Promise<void> {
    if (!isUnfinished(push))
      throw new RefusedError(`Push ${push.id} is ${push.state}: nothing is left of it.`);
    await this.write(push, { event, ...(event === 'resumed' ? { again } : {}) });
  }

  async #append(body: Readonly<Record<string, unknown>>): Promise<Push> {
    const read = line.parse({ ...body, at: this.#effects.now().toISOString() });
    await this.#file.append(read, `pushes/${read.event}`);
    return this.#apply(read);
  }

  #apply(read: Line): Push {
    const at = new Date(read.at);
    if (read.event === 'begun') {
      const { event: _, push: id, at: __, ...begun } = read;
      const rest = {
        begunAt: at,
        updatedAt: at,
        calls: new Map<number, Call>(),
        rejected: 0,
        note: undefined,
      };
      const push: Push = { ...begun, ...rest, id, state: 'sending' };
      this.#pushes.set(id, push);
      return push;
    }
    const push = this.get(read.push);
    push.updatedAt = at;
    const settleOpen = (state: Call['state']): void => {
      for (const call of push.calls.values()) if (call.state === 'ambiguous') call.state = state;
    };
    switch (read.event) {
      case 'intended':
        push.calls.set(read.call, { rows: read.rows, at, run: read.run, state: 'open' });
        push.state = 'sending';
        break;
      case 'settled': {
        const call = push.calls.get(read.call);
        if (call !== undefined) call.state = read.outcome;
        if (read.outcome === 'ambiguous') push.state = 'ambiguous';
        push.note = read.note ?? push.note;
        break;
      }
      case 'rejected':
        push.rejected += read.rows;
        break;
      case 'stopped':
        if (push.state !== 'ambiguous') push.state = 'stopped';
        push.note = read.note;
        break;
      case 'resumed':
        settleOpen(read.again ? 'again' : 'in_doubt');
        push.state = 'stopped';
        break;
      case 'abandoned':
        settleOpen('in_doubt');
        push.state = 'abandoned';
        break;
      case 'done':
        push.state = 'done';
        push.note = undefined;
    }
    return push;
  }
}

/** A row by its keyed hashes: `k` of its key (a catalog's id as it is), `r` of all it holds. */
export interface Hashed {
  readonly k: string;
  readonly r: string;
}

export interface Rejection {
  readonly reason: string;
  /** Number of pushes that the row was rejected in. */
  readonly pushes: Set<string>;
  readonly k: string;
}

const hashes = { c: z.string(), k: z.array(z.string()), r: z.array(z.string()) };
const remembered = z.union([
  z.object({ ...hashes, push: z.string(), call: z.number() }),
  z.object({ ...hashes, push: z.string(), reason: z.string() }),
]);
type Remembered = z.infer<typeof remembered>;

/** The class of rows that are taken away; acknowledging them forgets their keys. */
export const GONE = 'gone';

/** What is remembered of the rows of one target. Rows are compared with those of the same columns (`c`). */
export class Memory {
  readonly #file: ChainFile;
  readonly #ledger: PushLedger;
  /** The last acknowledged row by key and columns; in doubt if the service may have it. */
  readonly #known = new Map<string, Map<string, { r: string; doubt: boolean }>>();
  readonly rejections = new Map<string, Rejection>();
  /** How often the unfinished pushes have sent a row. */
  readonly #sent = new Map<string, number>();

  private constructor(file: ChainFile, ledger: PushLedger) {
    this.#file = file;
    this.#ledger = ledger;
    for (const { body } of file.lines) this.#apply(remembered.parse(body));
  }

  /** Throws as `PushLedger.open`. */
  static async open(
    dataDir: string,
    target: string,
    ledger: PushLedger,
    effects: Pick<Effects, 'reach'>,
  ): Promise<Memory> {
    const path = join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
    const disk = new DurableFolder(dataDir, effects);
    return new Memory(await ChainFile.open(path, disk, effects, damage(path)), ledger);
  }

  /** True if a row with this key was acknowledged. */
  knows(k: string): boolean {
    return this.#known.has(k);
  }

  /** The keys of all acknowledged rows. */
  get keys(): Iterable<string> {
    return this.#known.keys();
  }

  /** How a row compares with the last acknowledged one. */
  compare({ k, r }: Hashed, c: string): 'same' | 'in_doubt' | 'different' {
    const known = this.#known.get(k)?.get(c);
    if (known?.r !== r) return 'different';
    return known.doubt ? 'in_doubt' : 'same';
  }

  /** True if an unfinished push has sent this row once more than was asked here. */
  takeSent({ k, r }: Hashed): boolean {
    const times = this.#sent.get(`${k} ${r}`) ?? 0;
    if (times > 0) this.#sent.set(`${k} ${r}`, times - 1);
    return times > 0;
  }

  /** Notes the rows of a call, before its intent. */
  async intend({ id }: Push, call: number, c: string, rows: readonly Hashed[]): Promise<void> {
    await this.#append({ push: id, call, c, ...lists(rows) });
  }

  /** Notes what the ledger says of rows from now on. */
  acknowledged(c: string, rows: readonly Hashed[]): void {
    for (const row of rows) this.#set(row, c, false);
  }

  async reject(push: Push, reason: string, c: string, rows: readonly Hashed[]): Promise<void> {
    await this.#append({ push: push.id, reason, c, ...lists(rows) });
    await this.#ledger.write(push, { event: 'rejected', rows: rows.length, reason });
    this.#apply({ push: push.id, reason, c, ...lists(rows) });
  }

  async #append(body: Remembered): Promise<void> {
    await this.#file.append(body, 'pushed');
  }

  #apply(body: Remembered): void {
    const rows = body.k.map((k, nth) => ({ k, r: body.r[nth] ?? '' }));
    if ('reason' in body) {
      for (const { k, r } of rows) {
        const { pushes } = this.rejections.get(`${k} ${r}`) ?? { pushes: new Set<string>() };
        pushes.add(body.push);
        this.rejections.set(`${k} ${r}`, { reason: body.reason, pushes, k });
      }
      return;
    }
    const push = this.#ledger.get(body.push);
    const state = push.calls.get(body.call)?.state ?? 'withdrawn';
    const doubt = state === 'in_doubt' || state === 'ambiguous';
    if (state !== 'acknowledged' && !doubt) return;
    for (const row of rows) {
      this.#set(row, body.c, doubt);
      if (!isUnfinished(push)) continue;
      this.#sent.set(`${row.k} ${row.r}`, (this.#sent.get(`${row.k} ${row.r}`) ?? 0) + 1);
    }
  }

  #set({ k, r }: Hashed, c: string, doubt: boolean): void {
    this.rejections.delete(`${k} ${r}`);
    if (c === GONE && !doubt) this.#known.delete(k);
    else if (k !== '') {
      const rows = this.#known.get(k) ?? new Map<string, { r: string; doubt: boolean }>();
      this.#known.set(k, rows.set(c, { r, doubt }));
    }
  }
}

const lists = (rows: readonly Hashed[]): { k: string[]; r: string[] } => ({
  k: rows.map(({ k }) => k),
  r: rows.map(({ r }) => r),
});

/**
 * The ledger of pushes, as lines of the journal: an intent is durable before its call leaves, its outcome after. It holds
 * numbers and hashes, never a row. The rows of each call are hashed beside it (storage/pushed-rows.ts).
 */
import { dayOf, monthOf } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { RefusedError, UsageError } from '../ground/errors.js';
import type { Journal } from '../journal/journal.js';
import type { CallOutcome, Entry, Line } from '../journal/lines.js';
import type { RememberedCall } from '../landing/pushed-rows.js';
import type { PushRow } from '../warehouse/rows.js';

type Begun = Omit<Extract<Entry<'push'>, { event: 'begun' }>, 'event' | 'push'>;

export interface Call {
  readonly rows: number;
  readonly at: Date;
  readonly run: string;
  /** The number of the line of its intent, and the hash of its line in `ledger/pushed/`. */
  readonly seq: number;
  readonly line: string;
  /** `open` until its outcome is known; `in_doubt` if a person leaves it so, `again` if its rows are to be sent again. */
  state: CallOutcome | 'open' | 'in_doubt' | 'again';
}

export interface Push extends Begun {
  readonly id: string;
  readonly begunAt: Date;
  updatedAt: Date;
  state: 'sending' | 'stopped' | 'ambiguous' | 'abandoned' | 'done';
  /** The calls of a push that reaches people (E13, E16). */
  readonly calls: Map<number, Call>;
  /** What the commands of any other push sent. */
  readonly sent: { readonly rows: number; readonly calls: number; readonly at: Date; readonly run: string }[];
  rejected: number;
  note: string | undefined;
}

/** States of calls whose rows the service has, or may have. */
const COUNTED: readonly string[] = ['acknowledged', 'ambiguous', 'in_doubt', 'again', 'open'];

const rowsIn = (push: Push, ...states: readonly string[]): number =>
  [...push.calls.values()].reduce((sum, call) => sum + (states.includes(call.state) ? call.rows : 0), 0);
export const sentRows = (push: Push): number =>
  push.sent.reduce((sum, { rows }) => sum + rows, rowsIn(push, 'acknowledged'));
export const callsOf = (push: Push): number =>
  push.sent.reduce((sum, { calls }) => sum + calls, push.calls.size);
export const unknownRows = (push: Push): number => rowsIn(push, 'ambiguous', 'in_doubt', 'open');
/** The row of `ops.pushes`. */
export function rowOf(push: Push): PushRow {
  const numbers = { sent: sentRows(push), unknown: unknownRows(push), calls: callsOf(push) };
  return { ...push, ...push.counts, ...numbers };
}

/** True if a person has to decide: nobody knows whether the service has some rows. */
export const waits = (push: Push): boolean =>
  isUnfinished(push) && push.once && unknownRows(push) > rowsIn(push, 'in_doubt');
export const isUnfinished = ({ state }: Push): boolean => /sending|stopped|ambiguous/.test(state);

/** The sentence about a push that waits for a person. */
export function adviceOn(push: Push): string {
  return (
    `Push ${push.id} to ${push.target} is ambiguous: it is not known whether the service has ${unknownRows(push)} of its rows. ${push.note ?? ''} ` +
    `Look there. If it has them: \`dawnload push resume ${push.id}\` goes on with the others. ` +
    `If it has not: \`dawnload push resume ${push.id} --again\` sends them too. To give the rest up: \`dawnload push abandon ${push.id}\`.`
  ).replace('  ', ' ');
}

/** The fields of an event without its push. */
type Of<T> = T extends unknown ? Omit<T, 'push'> : never;

export class PushLedger {
  readonly #journal: Journal;
  readonly #effects: Effects;
  readonly #pushes = new Map<string, Push>();

  constructor(journal: Journal, effects: Effects) {
    this.#journal = journal;
    this.#effects = effects;
    for (const line of journal.of('push')) this.#apply(line);
  }

  /** All pushes, oldest first. */
  get pushes(): Push[] {
    return [...this.#pushes.values()];
  }

  /** The pushes to a target, oldest first. */
  of(target: string): Push[] {
    return this.pushes.filter((push) => push.target === target);
  }

  has(id: string): boolean {
    return this.#pushes.has(id);
  }

  get(id: string): Push {
    const push = this.#pushes.get(id);
    if (push !== undefined) return push;
    throw new UsageError(`There is no push ${id}.`, { hint: '`dawnload push list` lists them.' });
  }

  /**
   * Rows that the service has or may have, in a run and in the KST month of an instant, or of the last line if that is
   * later; of all pushes, or of a name.
   */
  spent(run: string, present: Date, name?: string): { inRun: number; inMonth: number } {
    const now = new Date(Math.max(present.getTime(), ...this.pushes.map((one) => one.updatedAt.getTime())));
    const pushes = this.pushes.filter((push) => name === undefined || push.name === name);
    const counted = pushes.flatMap(({ calls, sent }) => [
      ...[...calls.values()].filter(({ state }) => COUNTED.includes(state)),
      ...sent,
    ]);
    const sum = (fits: (one: { readonly at: Date; readonly run: string }) => boolean): number =>
      counted.reduce((rows, one) => rows + (fits(one) ? one.rows : 0), 0);
    return {
      inRun: sum((call) => call.run === run),
      inMonth: sum(({ at }) => monthOf(at) === monthOf(now)),
    };
  }

  /**
   * Enters calls whose rows are remembered and that the journal lacks (`recover`), as ambiguous; returns their number.
   */
  async enter(remembered: readonly RememberedCall[]): Promise<number> {
    let entered = 0;
    for (const { push: id, target, call, rows, line } of remembered) {
      if (this.#pushes.get(id)?.calls.has(call) === true) continue;
      const none = { rows: 0, new: 0, changed: 0, unchanged: 0, unknown: 0, left: 0, erased: 0 };
      const about = { target, once: true, only: true, source: '', key: '', run: '', counts: none };
      const push = this.#pushes.get(id) ?? (await this.#append({ event: 'begun', push: id, ...about }));
      await this.write(push, { event: 'intended', call, run: '', rows, line });
      const note = 'The journal was lost; the rows of the call are remembered.';
      await this.write(push, { event: 'settled', call, outcome: 'ambiguous', note });
      entered++;
    }
    return entered;
  }

  /** Marks the calls of dead processes as ambiguous. */
  async settle(): Promise<void> {
    for (const push of this.pushes) {
      for (const [call, { state }] of push.calls) {
        if (state !== 'open') continue;
        const note = 'The process ended before it recorded the answer.';
        await this.write(push, { event: 'settled', call, outcome: 'ambiguous', note });
      }
    }
  }

  /** Begins a push. Its number is above those of the same day in the journal and in `remembered`, ids of pushes. */
  async begin(begun: Begun, remembered: readonly string[]): Promise<Push> {
    const day = dayOf(this.#effects.now());
    const ids = [...this.#pushes.keys(), ...remembered].filter((id) => id.startsWith(`${day}.`));
    const last = Math.max(0, ...ids.map((id) => Number(id.slice(day.length + 1)) || 0));
    return this.#append({ event: 'begun', push: `${day}.${last + 1}`, ...begun });
  }

  write({ id }: Push, event: Of<Exclude<Entry<'push'>, { event: 'begun' }>>): Promise<Push> {
    return this.#append({ ...event, push: id });
  }

  /** Records the decision of a person. Throws `RefusedError` if there is nothing to decide. */
  async decide(push: Push, event: 'resumed' | 'abandoned', again = false): Promise<void> {
    if (!isUnfinished(push))
      throw new RefusedError(`Push ${push.id} is ${push.state}: nothing is left of it.`);
    await this.write(push, event === 'resumed' ? { event, again } : { event });
  }

  async #append(entry: Entry<'push'>): Promise<Push> {
    return this.#apply(await this.#journal.append('push', entry));
  }

  #apply(read: Line<'push'>): Push {
    const { at } = read;
    if (read.event === 'begun') {
      const { event: _, push: id, at: __, seq: ___, ...begun } = read;
      const rest = {
        begunAt: at,
        updatedAt: at,
        calls: new Map<number, Call>(),
        sent: [],
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
        push.calls.set(read.call, {
          rows: read.rows,
          at,
          run: read.run,
          seq: read.seq,
          line: read.line,
          state: 'open',
        });
        push.state = 'sending';
        break;
      case 'settled': {
        const call = push.calls.get(read.call);
        if (call !== undefined) call.state = read.outcome;
        if (read.outcome === 'ambiguous') push.state = 'ambiguous';
        push.note = read.note ?? push.note;
        break;
      }
      case 'sent':
        push.sent.push({ rows: read.rows, calls: read.calls, at, run: read.run });
        break;
      case 'rejected':
        push.rejected += read.rows;
        break;
      case 'stopped':
        // The note of an ambiguous call says more.
        if (push.state !== 'ambiguous') [push.state, push.note] = ['stopped', read.note];
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

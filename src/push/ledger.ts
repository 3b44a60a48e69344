/**
 * The ledger of pushes, as lines of the journal: an intent is durable before its call leaves, its outcome after. It holds
 * numbers and hashes, never a row. The rows of each call are hashed beside it (landing/pushed-rows.ts).
 */
import { z } from 'zod';
import { dayOf, monthOf } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { RefusedError, UsageError } from '../ground/errors.js';
import type { Journal } from '../journal/journal.js';
import { event, Kind, RUN, type Entry, type LineOf } from '../journal/lines.js';
import { formatCount } from '../terminal/text.js';

const [text, number] = [z.string(), z.number()];

/** The rows of a push by what becomes of them. */
export const pushCounts = z.object({
  rows: number,
  new: number,
  changed: number,
  unchanged: number,
  unknown: number,
  left: number,
  erased: number,
});

const CALL_OUTCOMES = ['acknowledged', 'refused', 'ambiguous'] as const;

const pushed = <const E extends string>(name: E) => ({ ...event(name), push: text });
export const PUSH = new Kind(
  'push',
  z.discriminatedUnion('event', [
    z.object({
      ...pushed('begun'),
      target: text,
      mode: text.optional(),
      name: text.optional(),
      key: text,
      once: z.boolean(),
      only: z.boolean(),
      source: text,
      run: text,
      counts: pushCounts,
    }),
    /** `line`: the SHA-256 of the line of the call in `ledger/pushed/`, which shows that the line is there and unchanged. */
    z.object({ ...pushed('intended'), call: number, run: text, rows: number, line: text }),
    z.object({ ...pushed('settled'), call: number, outcome: z.enum(CALL_OUTCOMES), note: text.optional() }),
    /** Calls of a command that may be repeated (E2, E12, E14), and the rows that they took; each is in `ledger/pushed/`. */
    z.object({ ...pushed('sent'), rows: number, calls: number, run: text }),
    z.object({ ...pushed('rejected'), rows: number, reason: text }),
    z.object({ ...pushed('stopped'), note: text }),
    z.object({ ...pushed('resumed'), again: z.boolean() }),
    z.object(pushed('abandoned')),
    z.object(pushed('done')),
  ]),
);
type Line = LineOf<typeof PUSH>;

export type PushCounts = z.infer<typeof pushCounts>;
type CallOutcome = (typeof CALL_OUTCOMES)[number];

type Begun = Omit<Extract<Entry<Line>, { event: 'begun' }>, 'event' | 'push'>;

/** A call of E13 or E16, or the calls of a command that may be repeated, together. */
export interface Call {
  /** The number of the call in its push; undefined for calls that may be repeated. */
  readonly call?: number;
  readonly calls: number;
  readonly rows: number;
  readonly at: Date;
  readonly run: string;
  /** The number of the line of its intent, and the hash of its line in `ledger/pushed/`. */
  readonly seq: number;
  readonly line?: string;
  /** `open` until its outcome is known; `in_doubt` if a person leaves it so, `again` if its rows are to be sent again. */
  state: CallOutcome | 'open' | 'in_doubt' | 'again';
  /** True once another call followed the decision of a person. */
  isFinal?: boolean;
}

export interface Push extends Begun {
  readonly id: string;
  /** The number of its first line. */
  readonly seq: number;
  readonly begunAt: Date;
  updatedAt: Date;
  state: 'sending' | 'stopped' | 'ambiguous' | 'abandoned' | 'done';
  readonly calls: Call[];
  rejected: number;
  note: string | undefined;
}

/** True if the service has the rows of a call, or may have them. */
const isCounted = ({ state }: Call): boolean => state !== 'refused' && state !== 'again';

/** A line of a call in `ledger/pushed/`. */
export const callLine = z.object({
  target: z.string(),
  push: z.string(),
  call: z.number(),
  rows: z.number(),
  /** True if the service took the rows of a call that may be repeated. */
  taken: z.boolean(),
  /** The hash of the line. */
  line: z.string(),
  made_with: z.string(),
});
export type CallLine = z.infer<typeof callLine>;

/** The calls of E13 and E16 whose lines are not among those of `ledger/pushed/`. */
export function lostCalls(
  pushes: readonly Push[],
  remembered: readonly CallLine[],
): (Call & { target: string })[] {
  const known = new Set(remembered.map(({ line }) => line));
  return pushes.flatMap(({ target, calls }) =>
    calls.flatMap((call) =>
      isCounted(call) && call.line !== undefined && !known.has(call.line) ? [{ ...call, target }] : [],
    ),
  );
}

/** How the sentence on lost rows begins, beside a journal that may be whole. */
export const ROWS_LOST = 'ledger/pushed lacks rows';

/** Records a doubt if calls are lost and no person has agreed to it. */
export async function recordLost(
  lost: readonly { readonly seq: number; readonly target: string }[],
  journal: Journal,
): Promise<void> {
  const agreed = new Set(journal.of(RUN).flatMap((line) => (line.event === 'confirmed' ? line.lost : [])));
  const unknown = lost.find(({ seq }) => !agreed.has(seq));
  if (unknown === undefined) return;
  const why = `${ROWS_LOST} that were sent to ${unknown.target}, or they were altered.`;
  await journal.append(RUN, { event: 'unsure', why });
}

const rowsOf = (calls: readonly Call[]): number => calls.reduce((sum, { rows }) => sum + rows, 0);
const rowsIn = ({ calls }: Push, ...states: readonly Call['state'][]): number =>
  rowsOf(calls.filter(({ state }) => states.includes(state)));
export const sentRows = (push: Push): number => rowsIn(push, 'acknowledged');
export const callsOf = ({ calls }: Push): number => calls.reduce((sum, one) => sum + one.calls, 0);
/** The row of `ops.pushes`; the writer of the file holds the lock, so no call is under way. */
export function rowOf(push: Push) {
  const unknown = rowsIn(push, 'ambiguous', 'in_doubt', 'open');
  const numbers = { sent: sentRows(push), unknown, calls: callsOf(push) };
  return { ...push, ...push.counts, ...numbers, state: waits(push) ? 'ambiguous' : push.state };
}

/** True if a person has to decide: nobody knows whether the service has some rows. */
export const waits = (push: Push): boolean => isUnfinished(push) && rowsIn(push, 'ambiguous', 'open') > 0;
/** The pushes that wait for a person; the outcome of a call under way is known soon. */
export const waitingAmong = (pushes: readonly Push[], isRunning: boolean): Push[] =>
  pushes.filter((push) => push.state === 'ambiguous' || (!isRunning && waits(push)));
export const isUnfinished = ({ state }: Push): boolean => state !== 'abandoned' && state !== 'done';

/** The calls of unknown outcome that a person may decide about: the last decision counts, until a call follows it. */
const undecided = ({ calls }: Push): Call[] =>
  calls.filter(
    ({ state, isFinal }) =>
      state === 'ambiguous' ||
      state === 'open' ||
      (isFinal !== true && (state === 'in_doubt' || state === 'again')),
  );

/** The sentence about a push that waits for a person. */
export function adviceOn(push: Push): string {
  return (
    `Push ${push.id} to ${push.target} is ambiguous: it is not known whether the service has ${formatCount(rowsOf(undecided(push)))} of its rows ` +
    `(${push.note ?? 'the process ended before it recorded the answer'}). ` +
    `Look there. If it has them: \`dawnload push resume ${push.id}\`, and the same push goes on with the others. ` +
    `If it has not: \`dawnload push resume ${push.id} --again\`, and it sends them too. To give the rest up: \`dawnload push abandon ${push.id}\`.`
  );
}

/** The fields of an event without its push. */
type Of<T> = T extends unknown ? Omit<T, 'push'> : never;

export class PushLedger {
  readonly #pushes = new Map<string, Push>();

  constructor(
    private readonly journal: Journal,
    private readonly effects: Effects,
  ) {
    for (const line of journal.of(PUSH)) this.#apply(line);
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

  /**
   * Rows that the service has or may have, in a run and in the KST month of an instant, or of the last line if that is
   * later; of all pushes, or of a name.
   */
  spent(run: string, present: Date, name?: string): { inRun: number; inMonth: number } {
    const latest = Math.max(present.getTime(), ...this.pushes.map(({ updatedAt }) => updatedAt.getTime()));
    const month = monthOf(new Date(latest));
    const pushes = this.pushes.filter((push) => name === undefined || push.name === name);
    const counted = pushes.flatMap(({ calls }) => calls.filter(isCounted));
    return {
      inRun: rowsOf(counted.filter((call) => call.run === run)),
      inMonth: rowsOf(counted.filter(({ at }) => monthOf(at) === month)),
    };
  }

  /**
   * Enters calls whose rows are remembered and that the journal lacks (`recover`), as ambiguous; returns their number.
   */
  async enter(remembered: readonly CallLine[]): Promise<number> {
    let entered = 0;
    for (const { push: id, target, call, rows, line } of remembered) {
      const known = this.#pushes.get(id);
      if (known?.calls.some((one) => one.call === call) === true) continue;
      const none = { rows: 0, new: 0, changed: 0, unchanged: 0, unknown: 0, left: 0, erased: 0 };
      const about = { target, once: true, only: true, source: '', key: '', run: '', counts: none };
      const push = known ?? (await this.#append({ event: 'begun', push: id, ...about }));
      await this.write(push, { event: 'intended', call, run: '', rows, line });
      const note = 'the journal was lost; the rows of the call are remembered';
      await this.write(push, { event: 'settled', call, outcome: 'ambiguous', note });
      entered++;
    }
    return entered;
  }

  /** Begins a push. Its number is above those of the same day in the journal and in `remembered`, ids of pushes. */
  async begin(begun: Begun, remembered: readonly string[]): Promise<Push> {
    const day = dayOf(this.effects.now());
    const ids = [...this.#pushes.keys(), ...remembered].filter((id) => id.startsWith(`${day}.`));
    const last = Math.max(0, ...ids.map((id) => Number(id.slice(day.length + 1)) || 0));
    return this.#append({ event: 'begun', push: `${day}.${last + 1}`, ...begun });
  }

  write({ id }: Push, event: Of<Exclude<Entry<Line>, { event: 'begun' }>>): Promise<Push> {
    return this.#append({ ...event, push: id });
  }

  /**
   * Records the decision of a person; returns the number of rows of unknown outcome that it is about.
   *
   * @throws RefusedError if there is nothing to decide
   */
  async recordDecision(push: Push, event: 'resumed' | 'abandoned', again: boolean): Promise<number> {
    if (!isUnfinished(push))
      throw new RefusedError(`Push ${push.id} is ${push.state}: nothing is left of it.`);
    const rows = rowsOf(undecided(push));
    await this.write(push, event === 'resumed' ? { event, again } : { event });
    return rows;
  }

  async #append(entry: Entry<Line>): Promise<Push> {
    return this.#apply(await this.journal.append(PUSH, entry));
  }

  #apply(line: Line): Push {
    const { at, push: id } = line;
    if (line.event === 'begun') {
      const rest = { id, begunAt: at, updatedAt: at, calls: [], rejected: 0, note: undefined };
      const push: Push = { ...line, ...rest, state: 'sending' };
      this.#pushes.set(id, push);
      return push;
    }
    const push = this.get(id);
    push.updatedAt = at;
    const settleOpen = (state: Call['state']): void => {
      for (const call of undecided(push)) call.state = state;
    };
    switch (line.event) {
      case 'intended':
        for (const call of push.calls) call.isFinal = call.state === 'in_doubt' || call.state === 'again';
        push.calls.push({ ...line, calls: 1, state: 'open' });
        [push.state, push.note] = ['sending', undefined];
        break;
      case 'settled':
        for (const call of push.calls) if (call.call === line.call) call.state = line.outcome;
        if (line.outcome === 'ambiguous') push.state = 'ambiguous';
        push.note = line.note;
        break;
      case 'sent':
        push.calls.push({ ...line, state: 'acknowledged' });
        break;
      case 'rejected':
        push.rejected += line.rows;
        break;
      case 'stopped':
        // The note of an ambiguous call says more.
        if (push.state !== 'ambiguous') [push.state, push.note] = ['stopped', line.note];
        break;
      case 'resumed':
        settleOpen(line.again ? 'again' : 'in_doubt');
        [push.state, push.note] = ['stopped', 'The same push goes on with it.'];
        break;
      case 'abandoned':
        settleOpen('in_doubt');
        push.state = 'abandoned';
        break;
      case 'done':
        [push.state, push.note] = ['done', undefined];
    }
    return push;
  }
}

/**
 * The ledger of pushes, as lines of the journal: an intent is durable before its call leaves, its outcome after. It holds
 * numbers and hashes, never a row. The rows of each call are hashed beside it (landing/pushed-rows.ts). A command is a push of
 * its own: after a stop the same command makes another one, which leaves out what was sent.
 */
import { z } from 'zod';
import { dayOf, monthOf } from '../ground/calendar.js';
import { RefusedError, UsageError } from '../ground/errors.js';
import { type Journal, event, Kind, RUN, type LineOf } from '../journal/journal.js';
import { formatCount } from '../terminal/text.js';

const [text, number] = [z.string(), z.number()];

const zero = number.default(0);
/** The rows of a query by what becomes of them. */
export const pushCounts = z.object({
  rows: zero,
  new: zero,
  changed: zero,
  unchanged: zero,
  unknown: zero,
  left: zero,
  erased: zero,
});

const of = <const E extends string>(name: E) => ({ ...event(name), push: text });
export const PUSH = new Kind(
  'push',
  z.discriminatedUnion('event', [
    z.object({
      ...of('begun'),
      target: text,
      mode: text.optional(),
      name: text.optional(),
      /** The columns of the key, and the hash of the query. */
      key: text,
      source: text,
      once: z.boolean(),
      run: text,
      planned: number,
      counts: pushCounts,
    }),
    /** A call of E13 or E16. `line`: the SHA-256 of its line in `ledger/pushed/`, which shows that the line is there and unchanged. */
    z.object({ ...of('intended'), call: number, rows: number, line: text }),
    z.object({
      ...of('settled'),
      call: number,
      outcome: z.enum(['acknowledged', 'refused', 'ambiguous']),
      note: text.optional(),
    }),
    /** A person looked whether the service has the rows of unknown outcome; `again` if it has not. */
    z.object({ ...of('decided'), again: z.boolean() }),
    /** With a note the push stopped; without one it is done. */
    z.object({ ...of('ended'), sent: number, rejected: number, calls: number, note: text.optional() }),
  ]),
);
type Line = LineOf<typeof PUSH>;
type LineNamed<E> = Extract<Line, { event: E }>;

/** A call of E13 or E16, which are sent once. */
interface Call extends LineNamed<'intended'> {
  /** `open` until its outcome is known; `in_doubt` if a person leaves it so, `again` if its rows are to be sent again. */
  state: LineNamed<'settled'>['outcome'] | 'open' | 'in_doubt' | 'again';
  note?: string | undefined;
}

export interface Push extends Omit<LineNamed<'begun'>, 'push' | 'event'> {
  readonly id: string;
  updatedAt: Date;
  readonly calls: Call[];
  ended?: LineNamed<'ended'>;
}

/** All pushes, oldest first. */
export function pushesOf(journal: Journal): Push[] {
  const pushes = new Map<string, Push>();
  for (const line of journal.of(PUSH)) {
    if (line.event === 'begun') {
      pushes.set(line.push, { ...line, id: line.push, updatedAt: line.at, calls: [] });
      continue;
    }
    const push = pushes.get(line.push);
    if (push === undefined) continue;
    push.updatedAt = line.at;
    if (line.event === 'intended') push.calls.push({ ...line, state: 'open' });
    if (line.event === 'ended') push.ended = line;
    for (const call of push.calls) {
      if (line.event === 'decided' && isOfPerson(call)) call.state = line.again ? 'again' : 'in_doubt';
      if (line.event === 'settled' && call.call === line.call)
        [call.state, call.note] = [line.outcome, line.note];
    }
  }
  return [...pushes.values()];
}

/** @throws UsageError if there is no such push */
export function named(id: string, pushes: readonly Push[]): Push {
  const push = pushes.find((one) => one.id === id);
  if (push !== undefined) return push;
  throw new UsageError(`There is no push ${id}.`, { hint: '`dawnload push list` lists them.' });
}

/** True for a call whose outcome a person has to decide about, or has. */
const isOfPerson = ({ state }: Call): boolean => state !== 'acknowledged' && state !== 'refused';

/** True if the service has the rows of a call, or may have them. */
const isCounted = ({ state }: Call): boolean => state !== 'refused' && state !== 'again';

/** True if a person has to decide: nobody knows whether the service has some rows. A call under way will have an outcome. */
export const waits = ({ calls }: Push, isRunning = false): boolean =>
  calls.some(({ state }) => state === 'ambiguous' || (state === 'open' && !isRunning));

/** The row of `ops.pushes`; `isRunning` if another process holds the lock. */
export function rowOf(push: Push, isRunning = false) {
  const { ended, calls, once, planned, at: begunAt } = push;
  const rowsIn = (which: (call: Call) => boolean): number =>
    calls.reduce((sum, call) => sum + (which(call) ? call.rows : 0), 0);
  const sent = once ? rowsIn(({ state }) => state === 'acknowledged') : (ended?.sent ?? 0);
  // A call that may be repeated is not in the journal, so all rows of a push that was killed count as unknown.
  const unknown = once ? rowsIn(isCounted) - sent : ended === undefined ? planned : 0;
  const killed = isRunning ? undefined : 'The process ended before the push did.';
  const unended = isRunning ? 'sending' : 'stopped';
  const over = ended?.note === undefined ? 'done' : 'stopped';
  return {
    ...push,
    ...push.counts,
    begunAt,
    sent,
    unknown,
    rejected: ended?.rejected ?? 0,
    calls: once ? calls.length : (ended?.calls ?? 0),
    state: waits(push, isRunning) ? 'ambiguous' : ended === undefined ? unended : over,
    note: ended === undefined ? killed : ended.note,
  };
}

/**
 * Rows that the service has or may have, in a run and in the KST month of an instant, or of the last line if that is
 * later; of all pushes, or of a name.
 */
export function spentBy(pushes: readonly Push[], run: string, present: Date, name?: string) {
  const latest = Math.max(present.getTime(), ...pushes.map(({ updatedAt }) => updatedAt.getTime()));
  const month = monthOf(new Date(latest));
  const spent = { inRun: 0, inMonth: 0 };
  for (const push of pushes) {
    const { sent, unknown } = rowOf(push);
    if (name !== undefined && push.name !== name) continue;
    if (push.run === run) spent.inRun += sent + unknown;
    if (monthOf(push.at) === month) spent.inMonth += sent + unknown;
  }
  return spent;
}

const rowsOfPerson = ({ calls }: Push): number =>
  calls.reduce((sum, call) => sum + (isOfPerson(call) ? call.rows : 0), 0);

/** The sentence about a push that waits for a person. */
export function adviceOn(push: Push): string {
  const note = push.calls.find(isOfPerson)?.note ?? 'the process ended before it recorded the answer';
  return (
    `Push ${push.id} to ${push.target} is ambiguous: it is not known whether the service has ${formatCount(rowsOfPerson(push))} of its rows (${note}). ` +
    `Look there. If it has them: \`dawnload push resume ${push.id}\`, and the same command goes on with the others. ` +
    `If it has not: \`dawnload push resume ${push.id} --again\`, and it sends them too. To leave it open: \`dawnload push abandon ${push.id}\`, and no push sends them.`
  );
}

/**
 * Records the decision of a person; the last one counts, until another push to the target begins. Returns the number of rows that
 * it is about.
 *
 * @throws UsageError if there is no such push
 * @throws RefusedError if there is nothing to decide
 */
export async function recordDecision(journal: Journal, id: string, again: boolean): Promise<number> {
  const pushes = pushesOf(journal);
  const push = named(id, pushes);
  const isLast = push === pushes.findLast(({ target }) => target === push.target);
  const rows = rowsOfPerson(push);
  if (rows === 0 || !(isLast || waits(push)))
    throw new RefusedError(`Push ${id} has no rows that wait for a decision.`);
  await journal.append(PUSH, { event: 'decided', push: id, again });
  return rows;
}

/** The number of the next push of a day: above those of `pushes`, and those in `remembered`, ids of pushes. */
export function nextId(pushes: readonly Push[], remembered: readonly string[], now: Date): string {
  const day = dayOf(now);
  const ids = [...pushes.map(({ id }) => id), ...remembered].filter((id) => id.startsWith(day));
  return `${day}.${1 + Math.max(0, ...ids.map((id) => Number(id.slice(day.length + 1)) || 0))}`;
}

/** A line of a call in `ledger/pushed/`: `line` is its hash, `made_with` the fingerprint of the key of its hashes. */
export const callLine = z.object({
  target: text,
  push: text,
  call: number,
  rows: number,
  line: text,
  made_with: text,
});
export type CallLine = z.infer<typeof callLine>;

/** The calls of E13 and E16 whose lines are not among those of `ledger/pushed/`. */
export function lostCalls(pushes: readonly Push[], remembered: readonly CallLine[]) {
  const known = new Set(remembered.map(({ line }) => line));
  return pushes.flatMap(({ target, calls }) =>
    calls.flatMap((call) => (isCounted(call) && !known.has(call.line) ? [{ ...call, target }] : [])),
  );
}

/** How the sentence on lost rows begins, beside a journal that may be whole. */
export const ROWS_LOST = 'ledger/pushed lacks rows';

/** Records a doubt if calls are lost and no person has agreed to it. */
export async function recordLost(lost: ReturnType<typeof lostCalls>, journal: Journal): Promise<void> {
  const agreed = new Set(journal.of(RUN).flatMap((line) => (line.event === 'confirmed' ? line.lost : [])));
  const unknown = lost.find(({ seq }) => !agreed.has(seq));
  if (unknown === undefined) return;
  const why = `${ROWS_LOST} that were sent to ${unknown.target}, or they were altered.`;
  await journal.append(RUN, { event: 'unsure', why });
}

/** Enters calls whose rows are remembered and that the journal lacks (`recover`), as ambiguous; returns their number. */
export async function enterCalls(journal: Journal, remembered: readonly CallLine[]): Promise<number> {
  let entered = 0;
  for (const { push, target, call, rows, line } of remembered) {
    const known = pushesOf(journal).find(({ id }) => id === push);
    if (known?.calls.some((one) => one.call === call) === true) continue;
    const about = {
      target,
      once: true,
      source: '',
      key: '',
      run: '',
      planned: 0,
      counts: pushCounts.parse({}),
    };
    if (known === undefined) await journal.append(PUSH, { event: 'begun', push, ...about });
    await journal.append(PUSH, { event: 'intended', push, call, rows, line });
    const note = 'the journal was lost; the rows of the call are remembered';
    await journal.append(PUSH, { event: 'settled', push, call, outcome: 'ambiguous', note });
    entered++;
  }
  return entered;
}

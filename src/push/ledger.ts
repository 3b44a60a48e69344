/**
 * The ledger of pushes, kept as journal lines: each intent is durable before its call is sent, and its outcome is recorded after. A line
 * has numbers and hashes, never a row. Keyed hashes of each call's rows are in `ledger/pushed/`. Each command is a new push; if you repeat
 * a stopped one, it skips the rows that were sent.
 */
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { dayOf } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { jsonOf } from '../ground/envelope.js';
import { RefusedError, UsageError } from '../ground/errors.js';
import { doubtFrom } from '../journal/doubt.js';
import { type Journal, event, Kind, RUN, type LineOf } from '../journal/journal.js';
import { DurableFolder, FILE_MODE } from '../disk/atomic-file.js';
import { foldersOf, safeName } from '../disk/paths.js';
import { namesIn, orStorageError, readIfThere } from '../disk/storage-error.js';
import { formatCount } from '../terminal/text.js';

const [text, number] = [z.string(), z.number()];

const zero = number.default(0);
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
      key: text.optional(),
      once: z.boolean(),
      run: text,
      planned: number,
      counts: pushCounts,
    }),
    /** A call of E13 or E16. `line`: the SHA-256 of its line in `ledger/pushed/`, which reveals a missing or changed line. */
    z.object({ ...of('intended'), call: number, rows: number, line: text }),
    z.object({
      ...of('settled'),
      call: number,
      outcome: z.enum(['acknowledged', 'refused', 'ambiguous']),
      note: text.optional(),
    }),
    /** Your decision about rows of unknown outcome: the service has them, does not have them, or the question stays open. */
    z.object({ ...of('decided'), as: z.enum(['taken', 'again', 'in_doubt']) }),
    /** The end of a push. A note means that it stopped early. */
    z.object({ ...of('ended'), sent: number, rejected: number, calls: number, note: text.optional() }),
  ]),
);
type LineNamed<E> = Extract<LineOf<typeof PUSH>, { event: E }>;
export type Decision = LineNamed<'decided'>['as'];

/** A call of E13 or E16; each is sent only once. */
interface Call extends LineNamed<'intended'> {
  /** `open` until the outcome is recorded or you have decided. */
  state: LineNamed<'settled'>['outcome'] | 'open' | Decision;
  note?: string | undefined;
}

export type Push = ReturnType<typeof foldedPushes>[number];

/** Caches the pushes built from a list of lines, because a journal of years has 100,000 of them. */
const folded = new WeakMap<readonly LineOf<typeof PUSH>[], Map<boolean, readonly Push[]>>();

/**
 * All pushes, oldest first, with the columns of `ops.pushes`. A push is ambiguous while it is unknown whether the service has some of its
 * rows; you decide.
 *
 * @param isRunning true if another process has the lock: a call under way will have an outcome
 */
export function pushesOf(journal: Journal, isRunning = false): readonly Push[] {
  const lines = journal.of(PUSH);
  const ofLines = folded.get(lines) ?? new Map<boolean, readonly Push[]>();
  folded.set(lines, ofLines);
  const pushes = ofLines.get(isRunning) ?? foldedPushes(lines, isRunning);
  ofLines.set(isRunning, pushes);
  return pushes;
}

function foldedPushes(lines: readonly LineOf<typeof PUSH>[], isRunning: boolean) {
  // Properties are listed one by one, because spreading 200,000 lines takes a second.
  interface Folded {
    readonly begun: LineNamed<'begun'>;
    updatedAt: Date;
    readonly intents: Call[];
    ended?: LineNamed<'ended'>;
  }
  const pushes = new Map<string, Folded>();
  for (const line of lines) {
    if (line.event === 'begun') pushes.set(line.push, { begun: line, updatedAt: line.at, intents: [] });
    const push = pushes.get(line.push);
    if (push === undefined) continue;
    push.updatedAt = line.at;
    if (line.event === 'intended') push.intents.push(callOf(line));
    if (line.event === 'ended') push.ended = line;
    for (const call of push.intents) {
      if (line.event === 'decided' && !isSettled(call)) call.state = line.as;
      if (line.event === 'settled' && call.call === line.call)
        [call.state, call.note] = [line.outcome, line.note];
    }
  }
  return [...pushes.values()].map((push) => {
    const { begun, updatedAt, intents, ended } = push;
    const { seq, push: id, at: begunAt, target, mode, name, key, once, run, planned, counts } = begun;
    const { rows, unchanged, erased } = counts;
    const rowsOf = (which: (call: Call) => boolean): number =>
      intents.reduce((sum, call) => sum + (which(call) ? call.rows : 0), 0);
    const acknowledged = ended?.sent ?? rowsOf(({ state }) => state === 'acknowledged');
    const sent = acknowledged + rowsOf(({ state }) => state === 'taken');
    const undecided = isRunning ? ['ambiguous'] : ['ambiguous', 'open'];
    const isAmbiguous = intents.some(({ state }) => undecided.includes(state));
    const killed = isRunning ? undefined : 'The process ended before the push did.';
    const state = ended !== undefined && ended.note === undefined ? 'done' : 'stopped';
    return {
      seq,
      id,
      target,
      mode,
      name,
      key,
      once,
      run,
      begunAt,
      updatedAt,
      intents,
      counts,
      rows,
      unchanged,
      erased,
      sent,
      // Repeatable calls have no journal lines, so all rows of a killed push count as unknown.
      unknown: once ? rowsOf(isCounted) - sent : ended === undefined ? planned : 0,
      /** Rows that need your decision, or about which you decided. */
      undecided: rowsOf((call) => !isSettled(call)),
      rejected: ended?.rejected ?? 0,
      calls: ended?.calls ?? intents.length,
      state: isAmbiguous ? 'ambiguous' : ended === undefined && isRunning ? 'sending' : state,
      note: ended === undefined ? killed : ended.note,
    };
  });
}

const callOf = ({ seq, at, event, push, call, rows, line }: LineNamed<'intended'>): Call => ({
  seq,
  at,
  event,
  push,
  call,
  rows,
  line,
  state: 'open',
});

const isSettled = ({ state }: Call): boolean => state === 'acknowledged' || state === 'refused';

/** True if the service has the rows of a call, or may have them. */
const isCounted = ({ state }: Call): boolean => state !== 'refused' && state !== 'again';

export function adviceOn({ id, target, undecided, intents }: Push): string {
  const call = intents.find((one) => !isSettled(one));
  return (
    `Push ${id} to ${target} is ambiguous: it is unknown whether the service has ${formatCount(undecided)} of its rows (${call?.note ?? 'the process ended before it recorded the answer'}). ` +
    `Check there. If it has them, run \`dawnload push decide ${id} --delivered\`; the same push command then sends only the others. ` +
    `If it has not, run \`dawnload push decide ${id} --again\`; the same push command then sends them too. To leave the question open, run \`dawnload push decide ${id} --abandon\`; no push will send these rows.`
  );
}

/**
 * Records your decision and returns the number of affected rows. You can change it until another push to the target begins.
 *
 * @throws UsageError for an unknown push
 * @throws RefusedError if the push needs no decision
 */
export async function recordDecision(journal: Journal, id: string, as: Decision): Promise<number> {
  const pushes = pushesOf(journal);
  const push = pushes.find((one) => one.id === id);
  if (push === undefined)
    throw new UsageError(`Unknown push: ${id}.`, { hint: '`dawnload push list` lists them.' });
  const isLast = push === pushes.findLast(({ target }) => target === push.target);
  if (push.undecided === 0 || !(isLast || push.state === 'ambiguous'))
    throw new RefusedError(`Push ${id} needs no decision.`);
  await journal.append(PUSH, { event: 'decided', push: id, as });
  return push.undecided;
}

/** The number of the day's next push, above all in `pushes` and in the calls that only `ledger/pushed/` has. */
export function nextId(pushes: readonly Push[], remembered: readonly RememberedCall[], now: Date): string {
  const day = dayOf(now);
  const ids = [...pushes.map(({ id }) => id), ...remembered.map(({ push }) => push)];
  const numbers = ids.flatMap((id) => (id.startsWith(day) ? [Number(id.slice(day.length + 1)) || 0] : []));
  return `${day}.${1 + Math.max(0, ...numbers)}`;
}

/** The calls of E13 and E16 whose lines are missing from `ledger/pushed/` and whose loss you have not accepted. */
export function lostCalls(journal: Journal, remembered: readonly RememberedCall[], pushes: readonly Push[]) {
  const lines = new Set(remembered.map(({ line }) => line));
  const agreed = new Set(journal.of(RUN).flatMap((line) => (line.event === 'confirmed' ? line.lost : [])));
  return pushes.flatMap(({ target, intents }) =>
    intents
      .filter((call) => isCounted(call) && !lines.has(call.line) && !agreed.has(call.seq))
      .map((call) => ({ ...call, target })),
  );
}

/** True if you agreed that the journal lacks lines, and no push to the target has begun since. */
export function mayLackCalls(journal: Journal, pushes: readonly Push[]): boolean {
  const confirmed = journal.of(RUN).findLast(({ event }) => event === 'confirmed');
  // A push that `recover` restored has no key.
  const last = pushes.findLast(({ key }) => key !== undefined);
  return (confirmed?.seq ?? 0) > (last?.seq ?? 0);
}

export async function recordLost([lost]: ReturnType<typeof lostCalls>, journal: Journal): Promise<void> {
  if (lost === undefined) return;
  const why = `ledger/pushed lacks rows that were sent to ${lost.target}, or they were altered.`;
  await journal.append(RUN, { event: 'unsure', why, of: 'pushed' });
}

/**
 * Compares the calls of E13 and E16 in the journal with their lines in `ledger/pushed/`.
 *
 * @param pushes the pushes to the target
 * @throws DamageError if lines are missing or altered, and you have not accepted it (`recover`)
 * @throws RefusedError if rows were hashed with another key
 */
export async function assertRemembered(
  journal: Journal,
  pushes: readonly Push[],
  remembered: readonly RememberedCall[],
  fingerprint: string,
): Promise<void> {
  const lines = new Set(pushes.flatMap(({ intents }) => intents.map(({ line }) => line)));
  if (remembered.some(({ line, made_with }) => lines.has(line) && made_with !== fingerprint))
    throw new RefusedError(
      'The rows in ledger/pushed were hashed with another key than private/hmac.key. Nothing was sent.',
      {
        hint: 'Rows could be sent twice. Restore the key from its newest backup; docs/recovery.md says what to do without one.',
      },
    );
  await recordLost(lostCalls(journal, remembered, pushes), journal);
  const doubt = doubtFrom(journal, []);
  if (doubt !== undefined) throw doubt;
}

/** Enters calls whose rows are in `ledger/pushed/` but which the journal lacks, as open calls (`recover`). Returns their number. */
export async function enterCalls(journal: Journal, remembered: readonly RememberedCall[]): Promise<number> {
  const inJournal = new Set(pushesOf(journal).flatMap(({ id, intents }) => [id, ...intents.map(nameOf)]));
  const lacking = remembered.filter((call) => !inJournal.has(nameOf(call)));
  for (const { push, target, call, rows, line } of lacking) {
    const about = { target, once: true, run: '', planned: 0, counts: pushCounts.parse({}) };
    if (!inJournal.has(push)) await journal.append(PUSH, { event: 'begun', push, ...about });
    inJournal.add(push);
    await journal.append(PUSH, { event: 'intended', push, call, rows, line });
  }
  return lacking.length;
}

const nameOf = ({ push, call }: Pick<RememberedCall, 'push' | 'call'>): string => `${push} ${call}`;

// The keyed hashes of the rows of each call: one file of JSON lines per target. A line is durable before the intent of its call. For E13
// and E16, the journal has the hash of each line, which reveals a lost or changed line. A repeatable call (E2, E12, E14) gets a second line
// once the service has taken its rows; without that line, the rows are sent again.

interface Hashed {
  readonly k: string;
  readonly r: string;
}

const calledShape = z.object({ target: text, push: text, call: number, made_with: text });
const callLine = calledShape.extend({ k: z.array(text) });

/** A call in the file: the number of its rows, the fingerprint of the key that hashed them, and the hash of the line. */
type RememberedCall = z.infer<typeof calledShape> & { readonly rows: number; readonly line: string };

/**
 * A line is one of three: a call about to be sent, an acknowledged call of a kind that may be repeated, or rejected rows. `columns` is
 * the class of columns with which the rows of a call are compared.
 */
type Line =
  | (z.infer<typeof calledShape> & { columns: string; rows: readonly Hashed[] })
  | { push: string; call: number; taken: true }
  | { push: string; reason: string; rows: readonly Hashed[] };

export function pathOfTarget(dataDir: string, target: string): string {
  return join(foldersOf(dataDir).ledger, 'pushed', `${safeName(target)}.jsonl`);
}

/** The class of deleted rows; acknowledging them removes their keys. */
export const GONE = '*';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export class PushedRows {
  private constructor(
    readonly path: string,
    private readonly disk: DurableFolder,
    private size: number,
  ) {}

  /** Opens the file of a target, and creates it if needed. Throws `StorageError`. */
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
    // The line begins with a newline too, because a process that died while writing may have left half a line.
    const bytes = Buffer.from(`\n${text}\n`);
    await this.disk.append(this.path, bytes, 'pushed', this.size);
    this.size += bytes.length;
    return hashOf(text);
  }
}

/** The calls in a file, oldest first; torn lines are left out. Throws `StorageError`. */
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

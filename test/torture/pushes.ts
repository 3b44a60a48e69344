/**
 * Pushes with kills and a hostile service: random rows go to random targets, each process is killed at a named point or at
 * a random moment, the service fails, limits, is silent and counts wrongly. A person who sees the service's journal decides
 * about unknown outcomes. Afterwards the journal is audited: no row came twice to a target that must not get it twice, no row
 * is marked as done that is not there, and none is lost.
 */
import { realEffects } from '../../src/ground/effects.js';
import { Journal } from '../../src/journal/journal.js';
import { pushesOf, type Push } from '../../src/push/ledger.js';
import type { Place } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import type { Crash } from '../support/points.js';
import { Chance } from './chance.js';
import { Counters } from './counters.js';
import { AT_RANDOM, executeAndKill, type Kills, placeAfterNight } from './trial.js';

/** Where a push is killed, in its order. */
export const PUSH_POINTS = [
  'journal/push/begun/before-append',
  'journal/push/begun/durable',
  'pushed/before-append',
  'pushed/durable',
  'journal/push/intended/before-append',
  'journal/push/intended/durable',
  'push/answered',
  'journal/push/settled/before-append',
  'journal/push/settled/durable',
  'journal/push/ended/before-append',
  'journal/push/ended/durable',
] as const satisfies readonly Crash[];

/** The lines of single calls. */
const OF_CALLS = /intended|settled/;

export interface PushOptions {
  readonly seed: number;
  readonly pushes: number;
  readonly rows: number;
  /** Points that are tried before chance chooses. */
  readonly first?: readonly string[];
  readonly say?: (line: string) => void;
}

export interface PushReport extends Kills {
  pushes: number;
  rows: number;
  ambiguous: number;
  /** Times that the same command, or a person, had to go on. */
  continued: number;
  sentTwice: number;
  doneAndNotReceived: number;
  lost: number;
}

const YAML = `start_date: 2026-11-20
lookback_days: 1
retries: 2
request_timeout_seconds: 2
push: { rows_per_run: 100000000, rows_per_month: 100000000 }
`;

/** Pushes of one sandbox; then the next one is made. */
const PER_PLACE = 15;

export interface State {
  readonly users: { userId: string; properties: Record<string, unknown> }[];
  readonly events: { userId: string }[];
  readonly journeys: { userId: string }[];
  readonly optOuts: { registered: { recipientNo: string }[] };
  readonly catalogs: { changed: { name: string; items: { id: string }[] }[] };
}

interface Kind {
  readonly args: readonly string[];
  /** The column that tells rows apart. */
  readonly key: string;
  readonly endpoint: 'E2' | 'E12' | 'E13' | 'E14' | 'E16';
  /** The beginning of the ids that a push sends; no two pushes share it. */
  prefix(nth: number): string;
  sql(prefix: string, rows: number): string;
  /** The ids of all rows that the service has, as often as it has them. */
  received(state: State): string[];
}

const usersOf = (users: readonly { userId: string }[]): string[] => users.map(({ userId }) => userId);

const KINDS: Readonly<Record<string, Kind>> = {
  journey: {
    args: ['journey', 'uj-win02'],
    key: 'user_id',
    endpoint: 'E16',
    prefix: (nth) => `j${nth}-`,
    sql: (prefix, rows) => `select '${prefix}' || i as user_id, i as step from range(${rows}) as r(i)`,
    received: ({ journeys }) => usersOf(journeys),
  },
  events: {
    args: ['events', 'viewed'],
    key: 'user_id',
    endpoint: 'E13',
    prefix: (nth) => `e${nth}-`,
    sql: (prefix, rows) => `select '${prefix}' || i as user_id, i as step from range(${rows}) as r(i)`,
    received: ({ events }) => usersOf(events),
  },
  properties: {
    args: ['user-properties'],
    key: 'user_id',
    endpoint: 'E14',
    prefix: (nth) => `p${nth}-`,
    sql: (prefix, rows) => `select '${prefix}' || i as user_id, i as visits from range(${rows}) as r(i)`,
    received: ({ users }) => usersOf(users.filter(({ properties }) => 'visits' in properties)),
  },
  optOuts: {
    args: ['opt-outs', '0801234567'],
    key: 'recipient_no',
    endpoint: 'E12',
    prefix: (nth) => `01${String(nth).padStart(3, '0')}`,
    sql: (prefix, rows) => `select printf('${prefix}%06d', i) as recipient_no from range(${rows}) as r(i)`,
    received: ({ optOuts }) => optOuts.registered.map(({ recipientNo }) => recipientNo),
  },
  items: {
    args: ['catalog-items', 'products', '--mode', 'replace'],
    key: 'id',
    endpoint: 'E2',
    prefix: (nth) => `i${nth}-`,
    sql: (prefix, rows) => `select '${prefix}' || i as id, i as price from range(${rows}) as r(i)`,
    received: ({ catalogs }) => catalogs.changed.flatMap(({ items }) => items.map(({ id }) => id)),
  },
};

export const emptyPushReport = (): PushReport => ({
  ...{ pushes: 0, rows: 0, kills: 0, ambiguous: 0, continued: 0 },
  ...{ sentTwice: 0, doneAndNotReceived: 0, lost: 0 },
  counters: new Counters({
    'crash point': PUSH_POINTS,
    fault: Object.keys(FAULTS),
    mishap: [AT_RANDOM],
    decision: ['the service has them', 'send them again'],
  }),
});

export async function pushWithKills(options: PushOptions, report = emptyPushReport()): Promise<PushReport> {
  const { seed, pushes, rows, first = [], say = () => undefined } = options;
  const chance = new Chance(seed);
  const waiting = [...first];
  while (report.pushes < pushes) {
    const place = await placeAfterNight(YAML, { eventsPerDay: 60, seed: chance.below(1_000_000) });
    try {
      for (let nth = 0; nth < PER_PLACE && report.pushes < pushes; nth++) {
        const point = waiting.shift();
        const name = chance.pick(OF_CALLS.test(point ?? '') ? ['journey', 'events'] : Object.keys(KINDS));
        await pushOne(place, KINDS[name]!, nth, rows, chance, point, report);
        report.pushes++;
        report.rows += rows;
        say(`push ${report.pushes}, ${name}: ${report.kills} kills, ${report.ambiguous} ambiguous so far`);
      }
    } finally {
      await place.remove();
    }
  }
  return report;
}

async function pushOne(
  place: Place,
  kind: Kind,
  nth: number,
  rows: number,
  chance: Chance,
  point: string | undefined,
  report: PushReport,
): Promise<void> {
  const received = (): string[] =>
    kind.received(place.sandbox.state() as State).filter((id) => id.startsWith(prefix));
  const prefix = kind.prefix(nth);
  const sql = kind.sql(prefix, rows);
  const args = ['push', ...kind.args, '--sql', sql, '--yes', '--key', kind.key];
  // The journal knows the calls alone that are sent once.
  const isOnce = kind.endpoint === 'E13' || kind.endpoint === 'E16';
  const points = PUSH_POINTS.filter((one) => isOnce || !OF_CALLS.test(one));
  let at =
    point ??
    (chance.below(3) > 0
      ? `${report.counters.rarest('crash point', points)}:${1 + chance.below(2)}`
      : undefined);
  // A point that is to be tried is reached only where no fault stops the push before it.
  const faults = point === undefined && chance.below(3) > 0 ? faultsOf(kind, chance, report) : [];
  report.counters.play(place.sandbox, faults);
  const before = (await pushesTo(place, kind)).length;
  let pushes: Push[] = [];
  for (let turn = 0; ; turn++) {
    const push = pushes.at(-1);
    if (turn > 40) throw new Error(`The push does not end: ${JSON.stringify(push)}`);
    if (turn === 4) report.counters.play(place.sandbox, []);
    const isWaiting = push?.state === 'ambiguous';
    const decision = isWaiting ? decisionOn(pushes, received().length) : '';
    const going = isWaiting ? ['push', 'decide', push.id, decision] : args;
    if (isWaiting) report.ambiguous++;
    if (isWaiting)
      report.counters.count(
        'decision',
        decision === '--delivered' ? 'the service has them' : 'send them again',
      );
    const atRandom = at === undefined && turn === 0 && chance.below(3) === 0;
    const when = at ?? (atRandom && { withinMs: 2_500, chance });
    const result = await executeAndKill(place, going, when, report);
    if (result.stderr.includes('unforeseen')) throw new Error(result.stderr);
    at = undefined;
    pushes = (await pushesTo(place, kind)).slice(before);
    const last = pushes.at(-1);
    if (last?.state === 'done') break;
    report.continued++;
  }
  report.counters.play(place.sandbox, []);
  audit(pushes, received(), rows, kind, report);
}

/** The rows that the service says it has, and those of unknown outcome, of several commands. */
function numbersOf(pushes: readonly Push[]) {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  return { done: sum(pushes.map(({ sent }) => sent)), unknown: sum(pushes.map(({ unknown }) => unknown)) };
}

/** A person looks at the service: it has the rows of the unknown call, or it has not. */
function decisionOn(pushes: readonly Push[], received: number): '--delivered' | '--again' {
  const { done, unknown } = numbersOf(pushes);
  return received === done + unknown ? '--delivered' : '--again';
}

async function pushesTo(place: Place, kind: Kind): Promise<Push[]> {
  const journal = await Journal.read({ dataDir: `${place.folder}/data` }, realEffects({}));
  const target = kind.args.slice(0, 2).join(' ');
  return pushesOf(journal).filter((push) => push.target === target || push.target === kind.args[0]);
}

function audit(
  pushes: readonly Push[],
  received: readonly string[],
  rows: number,
  { endpoint }: Kind,
  report: PushReport,
): void {
  const unique = new Set(received).size;
  const isOnce = endpoint === 'E13' || endpoint === 'E16';
  const { done, unknown } = numbersOf(pushes);
  // A row that may be repeated is sent again after a kill, and counts once more.
  const twice = isOnce ? received.length - unique + Math.max(0, done + unknown - rows) : 0;
  report.sentTwice += twice;
  report.doneAndNotReceived += isOnce ? Math.max(0, done - unique) : 0;
  report.lost += rows - unique;
  if (twice > 0 || (isOnce && done > unique) || unique !== rows)
    throw new Error(
      `${endpoint}: ${rows} rows, ${received.length} received, ${unique} different, ${done} done, ${unknown} unknown`,
    );
}

type WithoutEndpoint<F> = F extends unknown ? Omit<F, 'endpoint'> : never;

/** What goes wrong with a call, by its name; `handled` says whether the service takes the rows nevertheless. */
const FAULTS: Readonly<
  Record<string, (handled: boolean, endpoint: Kind['endpoint']) => WithoutEndpoint<Fault>>
> = {
  'reset before': () => ({ kind: 'reset-before' }),
  'reset after': () => ({ kind: 'reset-after' }),
  'no answer': (handled) => ({ kind: 'no-answer', billed: handled, times: 1 }),
  '503': (handled) => ({ kind: 'status', status: 503, handled }),
  '500 of the service': (handled) => ({
    ...{ kind: 'status', status: 500, handled },
    body: { success: false, error: 'Internal Server Error' },
  }),
  '429': () => ({
    ...{ kind: 'status', status: 429 },
    body: { data: null, success: false, error: 'Too many requests' },
  }),
  '200, error body': (handled) => ({ kind: 'error-body-200', refusal: 'internal', handled }),
  'cut with content-length': () => ({ kind: 'cut-with-length', bytes: 5 }),
  'a lower count, or another shape': (handled, endpoint) => {
    if (endpoint === 'E13')
      return { kind: 'other-shape-200', body: { message: '3 events were tracked.' }, handled: true };
    return endpoint === 'E14'
      ? { kind: 'other-shape-200', body: { data: 3 }, handled: true }
      : { kind: 'other-shape-200', body: {}, handled };
  },
};

function faultsOf({ endpoint }: Kind, chance: Chance, { counters }: PushReport): Fault[] {
  const name = counters.rarest('fault', Object.keys(FAULTS));
  const fault = FAULTS[name]?.(chance.below(2) > 0, endpoint);
  if (fault === undefined) return [];
  return [{ times: 1 + chance.below(3), skip: chance.below(3), ...fault, name, endpoint }];
}

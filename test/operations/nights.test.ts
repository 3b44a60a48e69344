/** When the scheduler runs: the next run as a pure function, and whole nights on a clock that pauses move on. */
import { expect, test } from 'vitest';
import { koreanTime, windowOf } from '../../src/calendar.js';
import { nextRun, nightOf, Nights, verdictOn, type Verdict } from '../../src/operations/schedule.js';
import type { PastRun } from '../../src/journal/runs.js';

const AT = { hour: 7, minute: 10 };
const MINUTE = 60_000;

/** A time of day in Korea on 21 November, or on another day of November that stands before it: `20 07:10`. */
function kst(text: string): Date {
  const [, day = '21', hours, minutes] = /^(?:(\d\d) )?(\d\d):(\d\d)$/.exec(text) ?? [];
  return new Date(
    windowOf(`2026-11-${day}`).start.getTime() + (Number(hours) * 60 + Number(minutes)) * MINUTE,
  );
}

const CODES = { done: 0, waiting: 1, person: 2, failed: 1 };

/** Runs of five minutes that ended so: `07:10 failed, 07:25 done`. */
function runs(text: string): PastRun[] {
  return text.split(', ').flatMap((one): PastRun[] => {
    const [, at, word] = /^(.*\d\d:\d\d) (\w+)$/.exec(one) ?? [];
    if (at === undefined) return [];
    const how = word as keyof typeof CODES | 'unfinished';
    const startedAt = kst(at);
    const runId = startedAt.toISOString();
    const begun = { runId, command: 'run', startedAt, version: '0.0.0', processId: 1 };
    if (how === 'unfinished') return [{ begun, over: undefined }];
    const summary = how === 'waiting' ? { pending_exports: ['2026-11-20.1'] } : {};
    const finishedAt = new Date(startedAt.getTime() + 5 * MINUTE);
    return [{ begun, over: { runId, finishedAt, exitCode: CODES[how], outcome: how, summary } }];
  });
}

test('a night lasts from its time of day in Korea to the next one', () => {
  expect(nightOf(kst('07:09'), AT)).toEqual({ start: kst('20 07:10'), end: kst('07:10') });
  expect(nightOf(kst('07:10'), AT)).toEqual({ start: kst('07:10'), end: kst('22 07:10') });
  expect(nightOf(kst('23:59'), { hour: 23, minute: 59 }).start).toEqual(kst('23:59'));
});

const FOUR_FAILURES = '07:10 failed, 07:25 failed, 08:00 failed, 09:35 failed';

test.each<[what: string, now: string, past: string, at: string, reason: string]>([
  ['the time has come', '07:10', '', '07:10', 'night'],
  ['a laptop wakes in the evening', '21:00', '', '07:10', 'night'],
  ['it starts before the time, and the night before is missing', '03:00', '', '20 07:10', 'night'],
  ['only runs of nights before', '07:10', '20 07:10 done, 20 22:00 done', '07:10', 'night'],
  ['it is done', '07:20', '07:10 done', '22 07:10', 'night'],
  ['somebody did it by hand after a failure', '09:00', '07:10 failed, 07:30 done', '22 07:10', 'night'],
  ['a person is needed', '07:20', '07:10 person', '22 07:10', 'night'],
  ['the first failure', '07:16', '07:10 failed', '07:25', 'failed'],
  ['ten minutes after the first failure', '07:25', '07:10 failed', '07:25', 'failed'],
  ['the second failure', '07:31', '07:10 failed, 07:25 failed', '08:00', 'failed'],
  ['the third failure', '08:06', '07:10 failed, 07:25 failed, 08:00 failed', '09:35', 'failed'],
  ['the fourth failure', '09:41', FOUR_FAILURES, '22 07:10', 'night'],
  ['an export is being made', '07:16', '07:10 waiting', '07:35', 'waiting'],
  ['an export is being made for hours', '11:00', '07:10 waiting, 10:30 waiting', '10:55', 'waiting'],
  ['an export is being made at noon', '12:06', '12:00 waiting', '22 07:10', 'night'],
  ['a run of which no end is known', '07:19', '07:10 unfinished', '07:20', 'failed'],
  ['a run of the future, which a wrong clock saw', '07:10', '29 07:10 done', '07:10', 'night'],
  ['a pause that would reach into the next night', '22 07:00', '22 06:55 failed', '22 07:10', 'night'],
])('next run: %s', (_, now, past, at, reason) => {
  expect(nextRun(kst(now), AT, runs(past))).toEqual({ at: kst(at), reason });
});

test.each<[Verdict, number, Record<string, unknown>]>([
  ['done', 0, {}],
  ['person', 2, {}],
  ['person', 3, {}],
  ['waiting', 1, { pending_exports: ['2026-11-20.1'], gaps: [{}] }],
  ['person', 1, { needs_attention: ['x'] }],
  ['failed', 1, { needs_attention: ['x'], gaps: [{}] }],
  ['failed', 1, { needs_attention: ['x'], findings: [{ severity: 'stop' }] }],
  ['failed', 1, { pending_exports: ['2026-11-20.1'], failure: 'The disk is full.' }],
  ['failed', 1, { pending_exports: 'of another version' }],
  ['failed', 130, {}],
])('a run is %s with exit code %i and %j', (verdict, exitCode, summary) => {
  const [run] = runs('07:10 failed');
  expect(verdictOn({ ...run!, over: { ...run!.over!, exitCode, summary } })).toBe(verdict);
});

/** A run that the scheduler starts, or that is on record from before. */
interface Planned {
  readonly code: number;
  readonly minutes?: number;
  readonly summary?: Record<string, unknown>;
  /** It ends before it is on record, as with a wrong setting. */
  readonly unrecorded?: boolean;
}

const PLANNED = {
  done: { code: 0 },
  long: { code: 0, minutes: 1500 },
  gap: { code: 1, summary: { gaps: [{ stream: 'statistics' }] } },
  pending: {
    code: 1,
    minutes: 60,
    summary: { pending_exports: ['2026-11-20.1'], gaps: [{ stream: 'events' }] },
  },
  person: { code: 1, summary: { needs_attention: ['Export 2026-11-20.1 is ambiguous.'] } },
  setting: { code: 2, unrecorded: true },
  budget: { code: 3 },
  busy: { code: 75, minutes: 0, unrecorded: true },
} satisfies Record<string, Planned>;
type Plan = (keyof typeof PLANNED)[];

/** Nights on a clock that pauses move on; tells when runs began, until the plan is used up. */
class World {
  time: number;
  readonly began: string[] = [];
  readonly notes: string[] = [];
  readonly recorded: PastRun[] = [];
  readonly nights: Nights;
  readonly #stop = new AbortController();
  isReadable = true;
  #atOnce = 0;
  most = 0;

  constructor(
    start: string,
    private readonly plan: Plan,
    /** How long a pause really takes: a machine may sleep through its end. */
    private readonly sleep: (until: number, now: number) => number = (until) => until,
  ) {
    this.time = kst(start).getTime();
    this.nights = new Nights({
      at: AT,
      signal: this.#stop.signal,
      terminal: { note: (text) => this.notes.push(text) },
      now: () => new Date(this.time),
      runs: () =>
        this.isReadable ? Promise.resolve([...this.recorded]) : Promise.reject(new Error('unreadable')),
      run: () => this.run(),
      pause: (until) => {
        this.time = this.sleep(until.getTime(), this.time);
        if (this.plan.length === 0) this.#stop.abort();
        return Promise.resolve();
      },
    });
  }

  record(processId: number, startedAt: number, { code, minutes = 5, summary = {} }: Planned): void {
    const runId = `run-${this.recorded.length}`;
    const begun = { runId, command: 'run', startedAt: new Date(startedAt), version: '0.0.0', processId };
    const finishedAt = new Date(startedAt + minutes * MINUTE);
    const outcome = code === 0 ? 'done' : 'incomplete';
    this.recorded.push({ begun, over: { runId, finishedAt, exitCode: code, outcome, summary } });
  }

  private async run(): Promise<{ processId: number; exitCode: number }> {
    this.most = Math.max(this.most, ++this.#atOnce);
    const processId = 1000 + this.began.length;
    this.began.push(koreanTime(new Date(this.time)).slice(8, 16).replace('T', ' '));
    const planned: Planned = PLANNED[this.plan.shift() ?? 'done'];
    if (planned.unrecorded !== true) this.record(processId, this.time + 700, planned);
    await new Promise((resolve) => setImmediate(resolve));
    this.time += (planned.minutes ?? 5) * MINUTE;
    this.#atOnce--;
    return { processId, exitCode: planned.code };
  }
}

const T = '07:10';

test.each<
  [what: string, start: string, plan: Plan, past: [at: string, how: keyof typeof PLANNED][], began: string]
>([
  ['a night that succeeds is followed by the next one', `20 ${T}`, ['done', 'done'], [], `20 ${T}, 21 ${T}`],
  [
    'a failed night is tried three times more',
    T,
    ['gap', 'gap', 'gap', 'gap', 'done'],
    [],
    `21 ${T}, 21 07:25, 21 08:00, 21 09:35, 22 ${T}`,
  ],
  ['a wrong setting is not tried again', T, ['setting', 'done'], [], `21 ${T}, 22 ${T}`],
  [
    'a run that found another one at work is tried later',
    T,
    ['busy', 'busy', 'busy', 'done'],
    [],
    `21 ${T}, 21 07:20, 21 07:30, 21 07:40`,
  ],
  [
    'an export that is being made is come back for',
    T,
    ['pending', 'pending', 'pending', 'pending', 'done'],
    [],
    `21 ${T}, 21 08:30, 21 09:50, 21 11:10, 22 ${T}`,
  ],
  ['a scheduler that starts in the afternoon runs if nobody has', '15:00', ['done'], [], '21 15:00'],
  [
    'a scheduler that starts in the afternoon waits if somebody has run',
    '15:00',
    ['done'],
    [['07:15', 'done']],
    `22 ${T}`,
  ],
  [
    'a run that outlasts the day is followed by the night that it hid',
    T,
    ['long', 'done'],
    [],
    `21 ${T}, 22 08:10`,
  ],
])('%s', async (_, start, plan, past, began) => {
  const world = new World(start, [...plan]);
  for (const [i, [at, how]] of past.entries()) world.record(i, kst(at).getTime(), PLANNED[how]);
  await world.nights.keep(false);
  expect(world.began.join(', ')).toBe(began);
  expect(world.most).toBe(1);
});

test('a machine that slept through three nights catches up with one run', async () => {
  const oversleep = (until: number, now: number): number =>
    now < kst('22 07:00').getTime() ? until + 2.6 * 86_400_000 : until;
  const world = new World(T, ['done', 'done', 'done'], oversleep);
  await world.nights.keep(false);
  expect(world.began).toEqual(['21 07:10', '24 21:34', '25 07:10']);
  expect(world.notes.join('\n')).toContain('The nightly run of 2026-11-24 07:10 KST has not happened.');
});

test('--now runs at once, and the night in its time', async () => {
  const world = new World('06:00', ['done', 'done']);
  await world.nights.keep(true);
  expect(world.began).toEqual(['21 06:00', '21 07:10']);
});

test('a record of runs that cannot be read stops nobody, and no run follows at once', async () => {
  const world = new World(T, ['gap', 'gap', 'done']);
  world.isReadable = false;
  await world.nights.keep(false);
  expect(world.began).toEqual(['21 07:10', '21 07:25', '21 07:40']);
});

test('a run that ended before it could record itself is recorded', async () => {
  const world = new World(T, ['setting']);
  await world.nights.keep(false);
  const failure = 'The run ended with exit code 2 before it began its work.';
  expect(world.recorded).toMatchObject([
    {
      begun: { command: 'run', processId: 1000 },
      over: { exitCode: 2, outcome: 'failed', summary: { failure } },
    },
  ]);
});

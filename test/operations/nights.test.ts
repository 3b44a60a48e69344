/** When the scheduler runs: the next run as a pure function, and whole nights on a clock that ticks every minute. */
import { expect, test } from 'vitest';
import { NIGHTLY } from '../../jobs/nightly.js';
import { koreanTime, windowOf } from '../../src/ground/calendar.js';
import { nextRun, nightOf, Nights, parseTime } from '../../src/commands/schedule.js';
import type { PastRun } from '../../src/journal/journal.js';

const AT = NIGHTLY.at;
const TIMES = NIGHTLY;
const MINUTE = 60_000;

/** A time of day in Korea on 21 November, or on another day of November that stands before it: `20 07:10`. */
function kst(text: string): Date {
  const [, day = '21', hours, minutes] = /^(?:(\d\d) )?(\d\d):(\d\d)$/.exec(text) ?? [];
  return new Date(
    windowOf(`2026-11-${day}`).start.getTime() + (Number(hours) * 60 + Number(minutes)) * MINUTE,
  );
}

const CODES = { done: 0, person: 2, refused: 3, failed: 1 };

/** Runs of five minutes that ended so: `07:10 failed, 07:25 done`. */
function runs(text: string): PastRun[] {
  return text.split(', ').flatMap((one): PastRun[] => {
    const [, at, word] = /^(.*\d\d:\d\d) (\w+)$/.exec(one) ?? [];
    if (at === undefined) return [];
    const how = word as keyof typeof CODES | 'unfinished';
    const startedAt = kst(at);
    const runId = startedAt.toISOString();
    const begun = { runId, command: 'run', at: startedAt, version: '0.0.0', processId: 1 };
    if (how === 'unfinished') return [{ begun, over: undefined }];
    const finishedAt = new Date(startedAt.getTime() + 5 * MINUTE);
    return [{ begun, over: { runId, at: finishedAt, exitCode: CODES[how], outcome: how, summary: {} } }];
  });
}

test('a night lasts from its time of day in Korea to the next one', () => {
  expect(nightOf(kst('07:09'), AT)).toEqual({ start: kst('20 07:10'), end: kst('07:10') });
  expect(nightOf(kst('07:10'), AT)).toEqual({ start: kst('07:10'), end: kst('22 07:10') });
  expect(nightOf(kst('23:59'), '23:59').start).toEqual(kst('23:59'));
});

const FOUR_FAILURES = '07:10 failed, 07:25 failed, 08:00 failed, 09:35 failed';

test.each<[what: string, now: string, past: string, at: string]>([
  ['the time has come', '07:10', '', '07:10'],
  ['a laptop wakes in the evening', '21:00', '', '07:10'],
  ['it starts before the time, and the night before is missing', '03:00', '', '20 07:10'],
  ['only runs of nights before', '07:10', '20 07:10 done, 20 22:00 done', '07:10'],
  ['it is done', '07:20', '07:10 done', '22 07:10'],
  ['somebody did it by hand after a failure', '09:00', '07:10 failed, 07:30 done', '22 07:10'],
  ['a person is needed', '07:20', '07:10 person', '22 07:10'],
  ['the budget does not allow it', '07:20', '07:10 refused', '22 07:10'],
  ['the first failure', '07:16', '07:10 failed', '07:25'],
  ['ten minutes after the first failure', '07:25', '07:10 failed', '07:25'],
  ['the second failure', '07:31', '07:10 failed, 07:25 failed', '08:00'],
  ['the third failure', '08:06', '07:10 failed, 07:25 failed, 08:00 failed', '09:35'],
  ['the fourth failure', '09:41', FOUR_FAILURES, '22 07:10'],
  ['a run of which no end is known', '07:19', '07:10 unfinished', '07:20'],
  ['a run of the future, which a wrong clock saw', '07:10', '29 07:10 done', '07:10'],
  ['a pause that would reach into the next night', '22 07:00', '22 06:55 failed', '22 07:10'],
])('next run: %s', (_, now, past, at) => {
  expect(nextRun(kst(now), TIMES, runs(past))).toEqual(kst(at));
});

test('runs of other commands are no runs of the night', () => {
  const [run] = runs('07:10 done');
  const backfill = { ...run!, begun: { ...run!.begun, command: 'backfill' } };
  expect(nextRun(kst('08:00'), TIMES, [backfill])).toEqual(kst('07:10'));
});

test.each([
  ['07:10', '07:10'],
  ['7:10', '07:10'],
  ['23:59', '23:59'],
])('--at %s is %s', (text, time) => {
  expect(parseTime(text)).toBe(time);
});

test.each(['06:59', '24:00', '07:60', '7', 'noon', '007:10'])('--at %s is refused', (text) => {
  expect(() => parseTime(text)).toThrow('is not a time of day from 07:00 to 23:59');
});

/** A run that the scheduler starts, or that is on record from before. */
interface Planned {
  readonly code: number;
  readonly minutes?: number;
  /** It ends before it is on record, as with a wrong setting. */
  readonly unrecorded?: boolean;
}

const PLANNED = {
  done: { code: 0 },
  long: { code: 0, minutes: 1500 },
  gap: { code: 1 },
  setting: { code: 2, unrecorded: true },
  budget: { code: 3 },
  busy: { code: 75, minutes: 0, unrecorded: true },
  early: { code: 0, minutes: 0, unrecorded: true },
} satisfies Record<string, Planned>;
type Plan = (keyof typeof PLANNED)[];

/** Nights on a clock that ticks every minute; notes when runs began, until the plan is used up. */
class World {
  time: number;
  readonly began: string[] = [];
  readonly notes: string[] = [];
  readonly recorded: PastRun[] = [];
  readonly nights: Nights;
  isReadable = true;

  constructor(
    start: string,
    private readonly plan: Plan,
    /** Milliseconds until the next tick: a machine may be suspended. */
    private readonly pause: (now: number) => number = () => MINUTE,
  ) {
    this.time = kst(start).getTime();
    this.nights = new Nights({
      ...TIMES,
      signal: new AbortController().signal,
      terminal: { note: (text) => this.notes.push(text) },
      now: () => new Date(this.time),
      runs: () =>
        this.isReadable ? Promise.resolve([...this.recorded]) : Promise.reject(new Error('unreadable')),
      run: () => this.run(),
    });
  }

  async keep(): Promise<void> {
    while (this.plan.length > 0) {
      await this.nights.tick();
      this.time += this.pause(this.time);
    }
  }

  record(processId: number, startedAt: number, { code, minutes = 5 }: Planned): void {
    const runId = `run-${this.recorded.length}`;
    const begun = { runId, command: 'run', at: new Date(startedAt), version: '0.0.0', processId };
    const finishedAt = new Date(startedAt + minutes * MINUTE);
    const outcome = code === 0 ? 'done' : 'incomplete';
    this.recorded.push({ begun, over: { runId, at: finishedAt, exitCode: code, outcome, summary: {} } });
  }

  private run(): Promise<number> {
    this.began.push(koreanTime(new Date(this.time)).slice(8, 16).replace('T', ' '));
    const planned: Planned = PLANNED[this.plan.shift() ?? 'done'];
    if (planned.unrecorded !== true) this.record(1000 + this.began.length, this.time, planned);
    this.time += (planned.minutes ?? 5) * MINUTE;
    return Promise.resolve(planned.code);
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
  ['a night with nothing to do yet is not tried again', '15:00', ['early', 'done'], [], `21 15:00, 22 ${T}`],
  ['a missing budget is not tried again', T, ['budget', 'done'], [], `21 ${T}, 22 ${T}`],
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
    `21 ${T}, 22 08:11`,
  ],
])('%s', async (_, start, plan, past, began) => {
  const world = new World(start, [...plan]);
  for (const [i, [at, how]] of past.entries()) world.record(i, kst(at).getTime(), PLANNED[how]);
  await world.keep();
  expect(world.began.join(', ')).toBe(began);
});

test('a machine that slept through three nights catches up with one run', async () => {
  const sleeps = (now: number): number => (now === kst('21 08:00').getTime() ? 3.6 * 86_400_000 : MINUTE);
  const world = new World(T, ['done', 'done', 'done'], sleeps);
  await world.keep();
  expect(world.began).toEqual(['21 07:10', '24 22:24', '25 07:10']);
  expect(world.notes.join('\n')).toContain('Starting the run that was due at 2026-11-24 07:10 KST.');
});

test('a clock that is a year ahead for an hour does not stop the nights for a year', async () => {
  const year = 365 * 86_400_000;
  const jumps = new Map([
    [kst('21 08:00').getTime(), year],
    // The run of that wrong night took five minutes.
    [kst('21 08:05').getTime() + year, MINUTE - year],
  ]);
  const world = new World(T, ['done', 'done', 'done'], (now) => jumps.get(now) ?? MINUTE);
  await world.keep();
  expect(world.began).toEqual(['21 07:10', '21 08:00', '22 07:10']);
  expect(koreanTime(new Date(world.time))).toMatch(/^2026-/);
});

test('--now runs at once, and the night in its time', async () => {
  const world = new World('06:00', ['done', 'done']);
  await world.nights.run();
  await world.keep();
  expect(world.began).toEqual(['21 06:00', '21 07:10']);
});

test('a record of runs that cannot be read stops nobody, and no run follows at once', async () => {
  const world = new World(T, ['gap', 'gap', 'gap']);
  world.isReadable = false;
  await world.keep();
  expect(world.began).toEqual(['21 07:10', '21 07:25', '21 07:40']);
});

import { expect, test } from 'vitest';
import { koreanTime, windowOf } from '../../src/calendar.js';
import type { PastRun } from '../../src/storage/run-journal.js';
import { Nights } from '../../src/operations/schedule.js';

/** A run that the scheduler starts, or that is on record from before. */
interface Planned {
  readonly code: number;
  readonly minutes?: number;
  readonly summary?: Record<string, unknown>;
  /** It ends before it is on record, as with a wrong setting. */
  readonly unrecorded?: boolean;
}

/** The morning of 21 November in Korea. */
const SEVEN = windowOf('2026-11-21').start.getTime() + 7 * 3_600_000;

/** Nights on a clock that pauses move on; tells when runs began, until the plan is used up. */
class World {
  time: number;
  readonly began: string[] = [];
  readonly notes: string[] = [];
  readonly stop = new AbortController();
  readonly recorded: PastRun[] = [];
  readonly nights: Nights;
  isReadable = true;
  atOnce = 0;
  most = 0;

  constructor(
    start: number,
    private readonly plan: Planned[],
    /** How long a pause really takes: a machine may sleep through its end. */
    private readonly sleep: (until: number, now: number) => number = (until) => until,
  ) {
    this.time = start;
    this.nights = new Nights({
      at: { hour: 7, minute: 10 },
      signal: this.stop.signal,
      terminal: { note: (text) => this.notes.push(text) },
      now: () => new Date(this.time),
      version: '0.0.0',
      journal: {
        runs: () =>
          this.isReadable ? Promise.resolve([...this.recorded]) : Promise.reject(new Error('unreadable')),
        begin: (begun) => {
          this.recorded.push({ begun, over: undefined });
          return Promise.resolve();
        },
        end: (over) => {
          const [run] = this.recorded.splice(-1);
          if (run !== undefined) this.recorded.push({ ...run, over });
          return Promise.resolve();
        },
      },
      run: () => this.run(),
      pause: (until) => {
        this.time = this.sleep(until.getTime(), this.time);
        if (this.plan.length === 0) this.stop.abort();
        return Promise.resolve();
      },
    });
  }

  record(processId: number, startedAt: number, { code, minutes = 5, summary = {} }: Planned): void {
    const runId = `run-${this.recorded.length}`;
    this.recorded.push({
      begun: { runId, command: 'run', startedAt: new Date(startedAt), version: '0.0.0', processId },
      over: {
        runId,
        finishedAt: new Date(startedAt + minutes * 60_000),
        exitCode: code,
        outcome: code === 0 ? 'done' : 'incomplete',
        summary,
      },
    });
  }

  private async run(): Promise<{ processId: number; exitCode: number }> {
    this.most = Math.max(this.most, ++this.atOnce);
    const processId = 1000 + this.began.length;
    this.began.push(koreanTime(new Date(this.time)).slice(5, 16));
    const planned = this.plan.shift() ?? { code: 0 };
    if (planned.unrecorded !== true) this.record(processId, this.time + 700, planned);
    await new Promise((resolve) => setImmediate(resolve));
    this.time += (planned.minutes ?? 5) * 60_000;
    this.atOnce--;
    return { processId, exitCode: planned.code };
  }

  async keep(atOnce = false): Promise<string[]> {
    await this.nights.keep(atOnce);
    return this.began;
  }
}

const gap = { gaps: [{ stream: 'statistics' }] };
const pending = { pending_exports: ['2026-11-20.1'], gaps: [{ stream: 'events' }] };

test('a night that succeeds is followed by the next one', async () => {
  const world = new World(SEVEN - 86_400_000 + 600_000, [{ code: 0 }, { code: 0 }]);
  expect(await world.keep()).toEqual(['11-20T07:10', '11-21T07:10']);
});

test('a failed night is tried three times more, with growing pauses, and the next night as usual', async () => {
  const failed = { code: 1, summary: gap };
  const world = new World(SEVEN + 600_000, [failed, failed, failed, failed, { code: 0 }]);
  expect(await world.keep()).toEqual([
    '11-21T07:10',
    '11-21T07:25',
    '11-21T08:00',
    '11-21T09:35',
    '11-22T07:10',
  ]);
});

test.each([2, 3])('exit code %i is not tried again, since a person is needed', async (code) => {
  const world = new World(SEVEN + 600_000, [{ code, unrecorded: code === 2 }, { code: 0 }]);
  expect(await world.keep()).toEqual(['11-21T07:10', '11-22T07:10']);
});

test('a night on which only a person can act is not tried again', async () => {
  const summary = { needs_attention: ['Export 2026-11-20.1 is ambiguous.'] };
  const world = new World(SEVEN + 600_000, [{ code: 1, summary }, { code: 0 }]);
  expect(await world.keep()).toEqual(['11-21T07:10', '11-22T07:10']);
});

test('a run that found another one at work is tried later, as often as it takes', async () => {
  const busy = { code: 75, minutes: 0, unrecorded: true };
  const world = new World(SEVEN + 600_000, [busy, busy, busy, busy, busy, { code: 0 }]);
  expect(await world.keep()).toEqual([
    '11-21T07:10',
    '11-21T07:20',
    '11-21T07:30',
    '11-21T07:40',
    '11-21T07:50',
    '11-21T08:00',
  ]);
});

test('an export that is still being made is come back for within the morning', async () => {
  const waiting = { code: 1, minutes: 60, summary: pending };
  const world = new World(SEVEN + 600_000, [waiting, waiting, waiting, waiting, { code: 0 }]);
  expect(await world.keep()).toEqual([
    '11-21T07:10',
    '11-21T08:30',
    '11-21T09:50',
    '11-21T11:10',
    '11-22T07:10',
  ]);
});

test('a machine that slept through three nights catches up with one run', async () => {
  const world = new World(SEVEN + 600_000, [{ code: 0 }, { code: 0 }, { code: 0 }], (until, now) =>
    now < SEVEN + 86_400_000 ? until + 2.6 * 86_400_000 : until,
  );
  expect(await world.keep()).toEqual(['11-21T07:10', '11-24T21:34', '11-25T07:10']);
  expect(world.notes.join('\n')).toContain('The nightly run of 2026-11-24 07:10 KST has not happened.');
});

test('a scheduler that starts in the afternoon runs if nobody has, and waits if somebody has', async () => {
  const late = SEVEN + 8 * 3_600_000;
  expect(await new World(late, [{ code: 0 }]).keep()).toEqual(['11-21T15:00']);
  const done = new World(late, [{ code: 0 }]);
  done.record(1, SEVEN + 900_000, { code: 0 });
  expect(await done.keep()).toEqual(['11-22T07:10']);
});

test('a scheduler that starts anew goes on counting the failures of the night', async () => {
  const world = new World(SEVEN + 3_000_000, [
    { code: 1, summary: gap },
    { code: 1, summary: gap },
    { code: 0 },
  ]);
  world.record(1, SEVEN + 600_000, { code: 1, summary: gap });
  world.record(2, SEVEN + 1_500_000, { code: 1, summary: gap });
  expect(await world.keep()).toEqual(['11-21T08:00', '11-21T09:35', '11-22T07:10']);
});

test('a run by hand that succeeds during a pause ends the night', async () => {
  const world = new World(SEVEN + 600_000, [{ code: 1, summary: gap }, { code: 0 }], (until) => {
    if (world.recorded.length === 1) world.record(77, SEVEN + 1_000_000, { code: 0 });
    return until;
  });
  expect(await world.keep()).toEqual(['11-21T07:10', '11-22T07:10']);
});

test('a run that outlasts the day is followed by the night that it hid, never joined by it', async () => {
  const world = new World(SEVEN + 600_000, [{ code: 0, minutes: 1500 }, { code: 0 }]);
  expect(await world.keep()).toEqual(['11-21T07:10', '11-22T08:10']);
  expect(world.most).toBe(1);
});

test('--now runs at once, and the night in its time', async () => {
  const world = new World(SEVEN - 3_600_000, [{ code: 0 }, { code: 0 }]);
  expect(await world.keep(true)).toEqual(['11-21T06:00', '11-21T07:10']);
});

test('a record of runs that cannot be read stops nobody, and no run follows at once', async () => {
  const failed = { code: 1 };
  const world = new World(SEVEN + 600_000, [failed, failed, { code: 0 }]);
  world.isReadable = false;
  expect(await world.keep()).toEqual(['11-21T07:10', '11-21T07:25', '11-21T07:40']);
});

test('a run that ended before it could record itself is recorded', async () => {
  const world = new World(SEVEN + 600_000, [{ code: 2, unrecorded: true }]);
  expect(await world.keep()).toEqual(['11-21T07:10']);
  expect(world.recorded).toMatchObject([
    {
      begun: { command: 'run', processId: 1000 },
      over: {
        exitCode: 2,
        outcome: 'failed',
        summary: { failure: 'The run ended with exit code 2 before it began its work.' },
      },
    },
  ]);
});

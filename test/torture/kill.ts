/**
 * Kill torture: nights and rebuilds of the built command, each a real process that ends with SIGKILL at a crash point. The
 * books are compared after some nights and in the end of each folder (audit.ts), and an analyst reads the published file all
 * the time. Lives (test/lives) play deaths, power cuts and decisions at random, in one process.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Export } from '../../src/exports/export.js';
import { shiftDay, type Day } from '../../src/ground/calendar.js';
import type { CrashPoint, FileName } from '../../src/ground/crash-points.js';
import { DAY_STREAMS } from '../../src/streams/index.js';
import { contents, differences } from '../support/contents.js';
import { DURABLE_STEPS, JOURNAL_STEPS, PUBLISH_POINTS, WAREHOUSE_POINTS } from '../support/points.js';
import { beginWithTemplate } from '../support/template.js';
import { assertNotPaidTwice, assertShown, audit, orphans, runUntilQuiet, windowOf } from './audit.js';
import { Counters } from './counters.js';
import { Reader } from './reader.js';
import { DAY_MS, Trial } from './trial.js';

/** A crash point, and what leads there. */
export interface Way {
  readonly point: CrashPoint;
  readonly by: 'first run' | 'night' | 'rebuild';
}

const durable = (what: FileName): CrashPoint[] => DURABLE_STEPS.map((step) => `${what}/${step}` as const);
const ways = (by: Way['by'], points: readonly CrashPoint[]): Way[] => points.map((point) => ({ point, by }));

export const WAYS: readonly Way[] = [
  ...ways('first run', [...durable('hmac-key'), ...durable('journal/copy')]),
  // What every run passes that requests an export.
  ...ways('night', [
    ...DAY_STREAMS.flatMap((stream) => [...durable(`land/${stream}`), ...durable(`land/${stream}-manifest`)]),
    ...(['journal/reserve', 'witness', 'lock'] as const).flatMap(durable),
    ...['intended', 'requested', 'ready', 'landed', 'loaded'].flatMap((event) =>
      JOURNAL_STEPS.map((step) => `journal/export/${event}/${step}` as const),
    ),
    ...WAREHOUSE_POINTS,
    ...PUBLISH_POINTS,
  ]),
  ...ways('rebuild', [
    ...(['rebuild/before-open', 'replace/before-rename', 'replace/after-rename'] as const),
    ...(['load/before-commit', 'load/after-commit'] as const),
    ...PUBLISH_POINTS,
  ]),
];

/** What a counter calls a way. */
export const wayName = ({ point, by }: Way): string => `${point} in ${by}`;

export const killCounters = (): Counters =>
  new Counters({
    way: WAYS.map(wayName),
    mishap: ['a bill whose answer is lost'],
    decision: ['attach', 'abandon', 'pay again'],
  });

export interface KillOptions {
  readonly seed: number;
  /** What is met; what is met is taken out. Several trials may share the list. */
  readonly ways: Way[];
  /** When to stop early, in milliseconds of this machine's clock since the epoch. */
  readonly until?: number;
  readonly say?: (line: string) => void;
}

export interface KillReport {
  kills: number;
  folders: number;
  looks: number;
  readonly counters: Counters;
}

const FIRST_DAY = '2026-11-19';
const YAML = `start_date: ${FIRST_DAY}
lookback_days: 1
report: false
exports:
  budget: { records_per_run: 100000000, records_per_month: 1000000000 }
  max_wait_minutes: 0.1
`;

/** A page is 1,000 records: enough for two of them a day. */
const WORLD = { eventsPerDay: 1_100, exportSeconds: 0 };

/** How many ways are played in one data folder. */
const WAYS_PER_FOLDER = 20;

/** After so many a night is run to its end, and the books are compared. */
const WAYS_PER_RECKONING = 6;

export const emptyReport = (): KillReport => ({
  ...{ kills: 0, folders: 0, looks: 0 },
  counters: killCounters(),
});

/**
 * Kills in each of the ways.
 *
 * @throws Broken with the story, when a promise was not kept
 */
export async function killTorture(
  { seed, ways, until = Infinity, say }: KillOptions,
  report = emptyReport(),
): Promise<KillReport> {
  while (ways.length > 0 && Date.now() < until) {
    const torture = await KillTrial.make(report, seed);
    await torture.meet(waysOfFolder(ways), () => Date.now() < until);
    await torture.finish();
    report.folders++;
    say?.(
      `seed ${seed}: ${report.kills} kills; ${report.folders} folders whole and equal to ones that were never killed`,
    );
  }
  return report;
}

/** Takes what is played in one folder: a folder has one first run. */
function waysOfFolder(ways: Way[]): Way[] {
  const take = (isWanted: (way: Way) => boolean): Way[] => {
    const at = ways.findIndex(isWanted);
    return at < 0 ? [] : ways.splice(at, 1);
  };
  const first = take(({ by }) => by === 'first run');
  const rest = Array.from({ length: WAYS_PER_FOLDER }, () => take(({ by }) => by !== 'first run'));
  return [...first, ...rest.flat()];
}

class KillTrial {
  readonly #reader: Reader;
  #last: Day = '2026-11-20';
  #nights = 0;

  private constructor(
    readonly trial: Trial,
    readonly report: KillReport,
  ) {
    this.#reader = new Reader(trial.place.published);
  }

  static async make(report: KillReport, seed: number): Promise<KillTrial> {
    const trial = await Trial.make(YAML, WORLD);
    beginWithTemplate(['run'], trial.place.folder);
    trial.tell(`seed ${seed}`);
    return new KillTrial(trial, report);
  }

  /** Brings a process to each point and kills it there; in between, nights that end, and the books compared. */
  async meet(ways: readonly Way[], goOn: () => boolean): Promise<void> {
    this.#reader.start(1_000);
    try {
      for (const [nth, way] of ways.entries()) {
        if (!goOn()) break;
        let tries = 3;
        while (!(await this.#isKilled(way)))
          this.trial.assert(--tries > 0, `no process came to ${wayName(way)}`);
        this.report.counters.count('way', wayName(way));
        if (nth % WAYS_PER_RECKONING === WAYS_PER_RECKONING - 1) await this.#settle();
      }
      await this.#settle();
    } finally {
      await this.#reader.stop();
    }
    this.#checkReader();
  }

  /** Starts a command and kills it at the point; whether it came there. */
  async #isKilled({ point, by }: Way): Promise<boolean> {
    const { trial, report } = this;
    trial.tell(`crash at ${point}`);
    const command = by === 'rebuild' ? ['rebuild'] : this.#night();
    const result = await trial.run(command, { DAWNLOAD_CRASH_AT: point });
    const isKilled = result.signal === 'SIGKILL';
    if (isKilled) report.kills++;
    else trial.assert([0, 1].includes(result.code ?? -1), 'a run ended in an odd way', result);
    assertNotPaidTwice(trial);
    return isKilled;
  }

  /** Runs until quiet, compares the books, and decides what waits. */
  async #settle(): Promise<void> {
    do {
      await runUntilQuiet(this.trial, ['run']);
      await this.#reckon();
    } while (await this.#decide());
  }

  /** Everything is rebuilt, and compared with a folder that was never killed. */
  async finish(): Promise<void> {
    const { trial } = this;
    await this.#payForAbandoned();
    await runUntilQuiet(trial, ['run']);
    this.report.looks += this.#reader.looks;
    trial.assert((await this.#reckon()).length === 0, 'something still waits for a person');
    const before = await contents(trial.place.published);
    const rebuilt = await trial.run(['rebuild']);
    trial.assert(rebuilt.code === 0, 'the warehouse cannot be rebuilt', rebuilt);
    const after = await contents(trial.place.published);
    this.#same(before, after, 'the rebuilt warehouse');
    await this.#compareWithUntouched(after);
    await trial.remove();
  }

  async #compareWithUntouched(killed: Record<string, string>): Promise<void> {
    const untouched = await Trial.make(YAML, WORLD, this.trial.clock);
    try {
      // Recipients are hashed under a key of the folder: with the same key they must come out the same.
      const key = join('private', 'hmac.key');
      await mkdir(join(untouched.data, 'private'), { recursive: true });
      await copyFile(join(this.trial.data, key), join(untouched.data, key));
      const days = ['--start', FIRST_DAY, '--end', this.#last];
      const result = await untouched.run(['backfill', ...days, '--yes-paid']);
      untouched.assert(result.code === 0, 'a run that nobody disturbs does not end well', result);
      this.#same(await contents(untouched.place.published), killed, 'a warehouse that was never killed');
    } finally {
      await untouched.remove();
    }
  }

  #same(a: Record<string, string>, b: Record<string, string>, what: string): void {
    const found = differences(a, b);
    this.trial.assert(found.length === 0, `${what} differs: ${found.join('; ')}`);
  }

  /** The night of the next day; the first one is that of the day on which everything begins. */
  #night(): string[] {
    if (this.#nights++ > 0) {
      this.trial.clock.shift(DAY_MS);
      this.#last = shiftDay(this.#last, 1);
    }
    return ['run'];
  }

  async #reckon(): Promise<Export[]> {
    const waiting = await audit(this.trial);
    await assertShown(this.trial, waiting);
    this.#checkReader();
    return waiting;
  }

  #checkReader(): void {
    const [first] = this.#reader.found;
    this.trial.assert(first === undefined, `a reader of the published file: ${first ?? ''}`);
  }

  /** A person attaches the bill of one ambiguous export, or gives its day up; whether there was one. */
  async #decide(): Promise<boolean> {
    const { trial, report } = this;
    const entry = (await trial.entries()).find(({ state }) => state === 'ambiguous');
    if (entry === undefined) return false;
    const bill = (await orphans(trial)).find(({ start, end }) => `${start}/${end}` === windowOf(entry));
    if (bill !== undefined) report.counters.count('mishap', 'a bill whose answer is lost');
    report.counters.count('decision', bill === undefined ? 'abandon' : 'attach');
    const decision = bill === undefined ? ['--abandon'] : ['--attach', bill.export_id, '--yes'];
    const result = await trial.run(['exports', 'decide', entry.key, ...decision]);
    trial.assert(result.code === 0, 'a decision was not taken', result);
    return true;
  }

  /** No day is left to nobody: those that were given up are paid for again. */
  async #payForAbandoned(): Promise<void> {
    const { trial, report } = this;
    const entries = await trial.entries();
    for (const entry of entries.filter(({ state }) => state === 'abandoned')) {
      if (entries.some(({ day, state }) => day === entry.day && state === 'loaded')) continue;
      trial.consents.set(windowOf(entry), 1);
      const result = await trial.run(['exports', 'decide', entry.key, '--pay-again']);
      trial.assert(result.code === 0, 'paying again did not work', result);
      report.counters.count('decision', 'pay again');
    }
  }
}

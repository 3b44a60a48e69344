/**
 * Kill torture: nights, rebuilds and decisions of the built command, each a real process that ends with SIGKILL at a crash
 * point, in each way that leads there (ways.ts); some with a power cut. The books are compared after some nights and in
 * the end of each folder (audit.ts). Lives (test/lives) play the same at random, in one process.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bill } from '../../sandbox/index.js';
import type { Export } from '../../src/exports/export.js';
import { shiftDay, type Day } from '../../src/ground/calendar.js';
import type { CrashPoint } from '../../src/ground/crash-points.js';
import { contents, differences } from '../support/contents.js';
import type { Fault } from '../support/faults/index.js';
import { beginWithTemplate } from '../support/template.js';
import { assertNotPaidTwice, assertShown, audit, orphans, runUntilQuiet, windowOf } from './audit.js';
import { Chance } from './chance.js';
import { Counters, nameOf } from './counters.js';
import { cutPower, plugged } from './power-cut.js';
import { Reader } from './reader.js';
import { DAY_MS, Trial } from './trial.js';
import { KILL_POINTS, MISFORTUNES, WAYS, wayName, type Way } from './ways.js';

const TORN = 'a power cut tears the journal';

export const killCounters = (): Counters =>
  new Counters({
    'crash point': KILL_POINTS,
    way: WAYS.map(wayName),
    fault: MISFORTUNES.map(([fault]) => nameOf(fault)),
    damage: ['a power cut undoes a rename', 'a power cut takes bytes', TORN],
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
const EVENTS_PER_DAY = 1_100;

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
  const chance = new Chance(seed);
  while (ways.length > 0 && Date.now() < until) {
    const torture = await KillTrial.make(chance, report, seed);
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
    readonly chance: Chance,
    readonly report: KillReport,
  ) {
    this.#reader = new Reader(trial.place.published);
  }

  static async make(chance: Chance, report: KillReport, seed: number): Promise<KillTrial> {
    const trial = await Trial.make(YAML, { eventsPerDay: EVENTS_PER_DAY, exportSeconds: 0 });
    beginWithTemplate(['run'], trial.place.folder);
    trial.tell(`seed ${seed}`);
    return new KillTrial(trial, chance, report);
  }

  /** Brings a process to each point and kills it there; in between, nights that end, and the books compared. */
  async meet(ways: readonly Way[], goOn: () => boolean): Promise<void> {
    await this.#watched(async () => {
      for (const [nth, way] of ways.entries()) {
        if (!goOn()) break;
        let tries = 3;
        while (!(await this.#isMet(way)))
          this.trial.assert(--tries > 0, `no process came to ${wayName(way)}`);
        this.report.counters.count('way', wayName(way));
        if (nth % WAYS_PER_RECKONING === WAYS_PER_RECKONING - 1) await this.#settle(['run']);
      }
      await this.#settle(['run']);
    });
  }

  async #watched(work: () => Promise<void>): Promise<void> {
    this.#reader.start(1_000);
    try {
      await work();
    } finally {
      this.#faults([]);
      await this.#reader.stop();
    }
    this.#checkReader();
  }

  /** Runs until quiet, compares the books, and decides what waits. */
  async #settle(command: readonly string[]): Promise<void> {
    await runUntilQuiet(this.trial, command);
    await this.#reckon();
    for (let tries = 0; (await this.#resolve()) && tries < 5; tries++) {
      await runUntilQuiet(this.trial, command);
      await this.#reckon();
    }
  }

  /** Plays what leads to the point; whether a process was killed there. */
  async #isMet({ point, by }: Way): Promise<boolean> {
    switch (by) {
      case 'first run':
      case 'night':
        return this.#isKilled(this.#night(), point);
      case 'rebuild':
        return this.#isKilled(['rebuild'], point);
      case 'torn line':
        return (await this.#isTorn()) && this.#isKilled(['run'], point);
      case 'attach':
        return this.#decideKilled(point, 'journal/export/requested/before-append', true);
      case 'abandon':
        return this.#decideKilled(point, 'journal/export/intended/durable', false);
      default: {
        this.#faults([by]);
        const isKilled = await this.#isKilled(this.#night(), point);
        this.#faults([]);
        return isKilled;
      }
    }
  }

  #isKilled(command: readonly string[], point: CrashPoint): Promise<boolean> {
    return this.#kill(command, { point, isCut: this.#mayBeCut(point) });
  }

  /** Only a power cut tears a line. */
  #mayBeCut(point: string): boolean {
    return /^journal\/export\/.*before-fsync/.test(point) || this.chance.happens(0.35);
  }

  async #isTorn(): Promise<boolean> {
    const { counters } = this.report;
    const torn = (): number => counters.times('damage', TORN);
    const before = torn();
    await this.#kill(this.#night(), { point: 'journal/export/intended/before-fsync', isCut: true });
    return torn() > before;
  }

  /** An export whose outcome nobody knows, since a run was killed at `lost`, is decided by a command that is killed too. */
  async #decideKilled(point: CrashPoint, lost: CrashPoint, isBilled: boolean): Promise<boolean> {
    const { trial } = this;
    await this.#kill(this.#night(), { point: lost, isCut: false });
    await runUntilQuiet(trial, ['run']);
    for (const entry of await trial.entries()) {
      if (entry.state !== 'ambiguous') continue;
      const bill = await this.#billOf(entry);
      if ((bill !== undefined) === isBilled) return this.#decide(entry.key, bill, point);
    }
    return false;
  }

  /** Everything is resolved, rebuilt, and compared with a folder that was never killed. */
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
    const untouched = await Trial.make(
      YAML,
      { eventsPerDay: EVENTS_PER_DAY, exportSeconds: 0 },
      this.trial.clock,
    );
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

  #faults(faults: readonly Fault[]): void {
    this.report.counters.play(this.trial.place.sandbox, faults);
  }

  /** Starts the command and kills it at the point; then possibly a power cut. */
  async #kill(
    command: readonly string[],
    { point, isCut }: { readonly point: CrashPoint; readonly isCut: boolean },
  ): Promise<boolean> {
    const { trial, report } = this;
    const note = isCut ? join(trial.notes, `plug-${randomUUID()}`) : undefined;
    trial.tell(`crash at ${point}${isCut ? ', with a power cut' : ''}`);
    const environment = { ...(note === undefined ? {} : plugged(note)), DAWNLOAD_CRASH_AT: point };
    const result = await trial.run(command, environment);
    const isKilled = result.signal === 'SIGKILL';
    if (isKilled) {
      report.kills++;
      report.counters.count('crash point', point);
      if (note !== undefined) await this.#cutPower(note);
    } else {
      const isPlain = [0, 1].includes(result.code ?? -1);
      trial.assert(isPlain, 'a run that was not killed ended in an odd way', result);
    }
    assertNotPaidTwice(trial);
    return isKilled;
  }

  async #cutPower(note: string): Promise<void> {
    await this.#reader.stop();
    const lost = await cutPower(note, this.chance);
    this.trial.tell(`power cut; lost ${lost.length === 0 ? 'nothing' : lost.join('; ')}`);
    const { counters } = this.report;
    if (lost.some((what) => what.startsWith('name'))) counters.count('damage', 'a power cut undoes a rename');
    if (lost.some((what) => what.startsWith('bytes'))) counters.count('damage', 'a power cut takes bytes');
    if (lost.some((what) => /^bytes.*\/data\/ledger\/journal\.jsonl$/.test(what)))
      counters.count('damage', TORN);
    this.#reader.forget();
    await this.#reader.look();
    this.#reader.start(1_000);
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

  /** The bill whose answer was lost for an export, if there is one. */
  async #billOf(entry: Export): Promise<Bill | undefined> {
    return (await orphans(this.trial)).find(({ start, end }) => `${start}/${end}` === windowOf(entry));
  }

  /** A person decides about one ambiguous export; whether there was one. */
  async #resolve(): Promise<boolean> {
    const { trial, report } = this;
    const entry = (await trial.entries()).find(({ state }) => state === 'ambiguous');
    if (entry === undefined) return false;
    const bill = await this.#billOf(entry);
    if (bill !== undefined) report.counters.count('mishap', 'a bill whose answer is lost');
    await this.#decide(entry.key, bill);
    return true;
  }

  /** Attaches the bill, or abandons; the decision is killed at the point first, and made again. Whether it was killed. */
  async #decide(key: string, bill: Bill | undefined, point?: CrashPoint): Promise<boolean> {
    const { trial } = this;
    const [what, done] =
      bill === undefined ? (['abandon', 'abandoned'] as const) : (['attach', 'requested'] as const);
    const command = [
      'exports',
      'decide',
      key,
      ...(bill === undefined ? ['--abandon'] : ['--attach', bill.export_id, '--yes']),
    ];
    const isKilled = point !== undefined && (await this.#isKilled(command, point));
    this.report.counters.count('decision', what);
    if ((await trial.entries()).find((entry) => entry.key === key)?.state === done) return isKilled;
    const result = await trial.run(command);
    trial.assert(result.code === 0, 'a decision was not taken', result);
    return isKilled;
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

/**
 * Kill torture: nightly runs, rebuilds and decisions of the built command, ended with SIGKILL at each crash point in each
 * way that leads there (ways.ts), then at random points and moments; some of it with a power cut. The books are
 * compared after some nights and in the end of each folder, see audit.ts.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bill } from '../../sandbox/index.js';
import type { Export } from '../../src/exports/export.js';
import { shiftDay, type Day } from '../../src/ground/calendar.js';
import type { CrashPoint } from '../../src/ground/crash-points.js';
import { contents, differences } from '../support/contents.js';
import type { Ended } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { beginWithTemplate } from '../support/template.js';
import { assertNotPaidTwice, assertShown, audit, orphans, runUntilQuiet, windowOf } from './audit.js';
import { Chance } from './chance.js';
import { Counters, nameOf } from './counters.js';
import { cutPower, plugged } from './power-cut.js';
import { Reader } from './reader.js';
import { AT_RANDOM, DAY_MS, Trial } from './trial.js';
import { KILL_POINTS, MISFORTUNES, RUN_POINTS, WAYS, wayName, type Way } from './ways.js';

/** What a person decides about an export that nobody was billed for. */
const ABANDON_OR_PAY = ['abandon', 'pay again'] as const;

const TORN = 'a power cut tears the journal';

export const killCounters = (): Counters =>
  new Counters({
    'crash point': KILL_POINTS,
    way: WAYS.map(wayName),
    fault: MISFORTUNES.map(([fault]) => nameOf(fault)),
    damage: ['a power cut undoes a rename', 'a power cut takes bytes', TORN],
    mishap: [AT_RANDOM, 'a bill whose answer is lost'],
    decision: ['attach', ...ABANDON_OR_PAY],
  });

export interface KillOptions {
  readonly seed: number;
  /** What is met before anything random happens; what is met is taken out. Several trials may share the list. */
  readonly ways?: Way[];
  /** How many processes are to be killed in nights that chance makes, after that. */
  readonly kills: number;
  /** When to stop early, in milliseconds of this machine's clock since the epoch. */
  readonly until?: number;
  /** Rounds in one data folder before the next one is begun. */
  readonly roundsPerFolder?: number;
  /** Whether to compare each folder in the end with one that was never killed. */
  readonly compare?: boolean;
  readonly say?: (line: string) => void;
}

export interface KillReport {
  kills: number;
  /** Those of `kills` that chance made. */
  random: number;
  rounds: number;
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

export function emptyReport(): KillReport {
  return { kills: 0, random: 0, rounds: 0, folders: 0, looks: 0, counters: killCounters() };
}

/** Whether more is to be killed. */
export function isUnfinished(options: Omit<KillOptions, 'seed'>, report: KillReport): boolean {
  const { kills, ways = [], until = Infinity } = options;
  return (ways.length > 0 || report.random < kills) && Date.now() < until;
}

/**
 * Kills in every way, and then until there were enough.
 *
 * @throws Broken with the story, when a promise was not kept
 */
export async function killTorture(options: KillOptions, report = emptyReport()): Promise<KillReport> {
  const chance = new Chance(options.seed);
  const { ways = [], roundsPerFolder = 8, say } = options;
  const goOn = (): boolean => isUnfinished(options, report);
  while (goOn()) {
    const torture = await KillTrial.make(chance, report, options.seed);
    const chosen = waysOfFolder(ways);
    if (chosen.length > 0) await torture.meet(chosen, () => Date.now() < (options.until ?? Infinity));
    for (let round = 0; chosen.length === 0 && round < roundsPerFolder && goOn(); round++) {
      await torture.round(round, goOn);
      say?.(`round ${report.rounds}: ${report.kills} kills`);
    }
    await torture.finish(options.compare ?? true);
    report.folders++;
    say?.(
      `seed ${options.seed}: ${report.kills} kills; ${report.folders} folders whole and equal to ones that were never killed`,
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

type Outcome = 'killed' | 'done' | 'incomplete';

class KillTrial {
  readonly #reader: Reader;
  /** The first day that any backfill reached. */
  #earliest: Day = FIRST_DAY;
  #last: Day = '2026-11-20';
  #nights = 0;
  /** How long a run takes that nobody disturbs. */
  #usualMs = 2_500;

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
    this.report.rounds++;
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

  /** One night or one backfill, killed some times, then run until quiet, reckoned up, and its open ends resolved. */
  async round(round: number, goOn: () => boolean): Promise<void> {
    const { chance } = this;
    this.report.rounds++;
    await this.#watched(async () => {
      let command = this.#next(round);
      for (let left = 3 + chance.below(6); left > 0 && goOn(); left--) {
        const [fault, ofMisfortune = []] = chance.happens(0.3) ? chance.pick(MISFORTUNES) : [];
        this.#faults(fault === undefined ? [] : [fault]);
        const points = chance.happens(0.5) ? ofMisfortune : RUN_POINTS;
        const outcome = await this.#killAtRandom(command, points);
        this.#faults([]);
        // Days of a backfill that is not done would be left to nobody.
        if (outcome === 'done' && chance.happens(0.7)) command = this.#next(round + 1);
        if (chance.happens(0.1)) await this.#resolve();
      }
      await this.#settle(command);
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

  async #isKilled(command: readonly string[], point: CrashPoint): Promise<boolean> {
    return (await this.#kill(command, { point, isCut: this.#mayBeCut(point) })) === 'killed';
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
  async finish(compare: boolean): Promise<void> {
    const { trial } = this;
    for (const { key, state, day } of await trial.entries()) {
      // The last word on a day: killed here, it would be left to nobody.
      if (state === 'abandoned' && !(await this.#isHeld(day))) await this.#payAgain(key, false);
    }
    await runUntilQuiet(trial, ['run']);
    this.report.looks += this.#reader.looks;
    trial.assert((await this.#reckon()).length === 0, 'something still waits for a person');
    const before = await contents(trial.place.published);
    const rebuilt = await trial.run(['rebuild']);
    trial.assert(rebuilt.code === 0, 'the warehouse cannot be rebuilt', rebuilt);
    const after = await contents(trial.place.published);
    this.#same(before, after, 'the rebuilt warehouse');
    if (compare) await this.#compareWithUntouched(after);
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
      const days = ['--start', this.#earliest, '--end', this.#last];
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

  #next(round: number): string[] {
    return round > 0 && this.chance.happens(0.4) ? this.#backfill() : this.#night();
  }

  /** The night of the next day; the first one is that of the day on which everything begins. */
  #night(): string[] {
    if (this.#nights++ > 0) {
      this.trial.clock.shift(DAY_MS);
      this.#last = shiftDay(this.#last, 1);
    }
    return ['run'];
  }

  #backfill(): string[] {
    const days = 1 + this.chance.below(2);
    const end = shiftDay(this.#earliest, -1 + this.chance.below(2));
    this.#earliest = shiftDay(this.#earliest, -days);
    return ['backfill', '--start', this.#earliest, '--end', end, '--yes-paid'];
  }

  #faults(faults: readonly Fault[]): void {
    this.report.counters.play(this.trial.place.sandbox, faults);
  }

  /** Kills the command at one of the points, at the first or at a later passing, or at any moment. */
  async #killAtRandom(command: readonly string[], points: readonly CrashPoint[]): Promise<Outcome> {
    const { chance, report } = this;
    const point = points.length > 0 && chance.happens(0.6) ? chance.pick(points) : undefined;
    const recurs = /^(land\/|journal\/copy|load\/)/.test(point ?? '');
    const outcome = await this.#kill(command, {
      ...(point === undefined ? {} : { point }),
      nth: recurs && chance.happens(0.4) ? 1 + chance.below(5) : 1,
      isCut: point === undefined ? chance.happens(0.35) : this.#mayBeCut(point),
    });
    if (outcome === 'killed') report.random++;
    return outcome;
  }

  /** Starts the command and kills it, at a random moment where no point is named; then possibly a power cut. */
  async #kill(
    command: readonly string[],
    {
      point,
      nth = 1,
      isCut,
    }: { readonly point?: CrashPoint; readonly nth?: number; readonly isCut: boolean },
  ): Promise<Outcome> {
    const { trial, chance, report } = this;
    const note = isCut ? join(trial.notes, `plug-${randomUUID()}`) : undefined;
    const environment = note === undefined ? {} : plugged(note);
    const cut = note === undefined ? '' : ', with a power cut';
    let result: Ended;
    if (point !== undefined) {
      trial.tell(`crash at ${point}:${nth}${cut}`);
      result = await trial.run(command, { ...environment, DAWNLOAD_CRASH_AT: `${point}:${nth}` });
    } else {
      const child = trial.place.start(command, {
        ...environment,
        DAWNLOAD_NOW: trial.clock.now().toISOString(),
      });
      const ms = this.#usualMs * (0.15 + 0.85 * chance.next());
      trial.tell(`kill after ${Math.round(ms)} ms${cut}`);
      const timer = setTimeout(() => child.kill('SIGKILL'), ms);
      const begun = Date.now();
      result = await trial.watch(command, child);
      clearTimeout(timer);
      if (result.signal === null) this.#usualMs = (this.#usualMs + Date.now() - begun) / 2;
    }
    if (result.signal === 'SIGKILL') {
      report.kills++;
      if (point === undefined) report.counters.count('mishap', AT_RANDOM);
      else report.counters.count('crash point', point);
      if (note !== undefined) await this.#cutPower(note);
    } else {
      trial.assert(
        [0, 1].includes(result.code ?? -1),
        'a run that was not killed ended in an odd way',
        result,
      );
    }
    assertNotPaidTwice(trial);
    return result.signal === 'SIGKILL' ? 'killed' : result.code === 0 ? 'done' : 'incomplete';
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

  async #isHeld(day: Day): Promise<boolean> {
    const entries = await this.trial.entries();
    return entries.some((entry) => entry.day === day && entry.state === 'loaded');
  }

  /** The bill whose answer was lost for an export, if there is one. */
  async #billOf(entry: Export): Promise<Bill | undefined> {
    return (await orphans(this.trial)).find(({ start, end }) => `${start}/${end}` === windowOf(entry));
  }

  /** A person decides about one ambiguous export; whether there was one. */
  async #resolve(): Promise<boolean> {
    const { trial, chance, report } = this;
    const entry = (await trial.entries()).find(({ state }) => state === 'ambiguous');
    if (entry === undefined) return false;
    const bill = await this.#billOf(entry);
    if (bill !== undefined) report.counters.count('mishap', 'a bill whose answer is lost');
    if (chance.happens(0.4)) await this.#payAgain(entry.key);
    else await this.#decide(entry.key, chance.happens(0.8) ? bill : undefined);
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

  async #payAgain(key: string, mayBeKilled = true): Promise<void> {
    const { trial } = this;
    const entry = (await trial.entries()).find((one) => one.key === key);
    if (entry === undefined) return;
    const window = windowOf(entry);
    const consents = trial.consents.get(window) ?? 0;
    trial.consents.set(window, consents + 1);
    const command = ['exports', 'decide', key, '--pay-again'];
    if (mayBeKilled && this.chance.happens(0.3)) {
      await this.#killAtRandom(command, RUN_POINTS);
      // A consent that is not on record was not used: nothing may have been requested on its word.
      if (!(await trial.entries()).some(({ again }) => again === key)) trial.consents.set(window, consents);
      // What became of it is for the next run, and the next decision, to tell.
      return;
    }
    const result = await trial.run(command);
    trial.assert(result.code === 0 || result.code === 1, 'paying again did not work', result);
    this.report.counters.count('decision', 'pay again');
  }
}

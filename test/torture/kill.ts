/**
 * Kill torture: nightly runs and paid backfills of the built command, ended with SIGKILL at named crash points and at
 * random moments, some of them with a power cut. After each night the books are compared, see audit.ts.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shiftDay, type Day } from '../../src/ground/calendar.js';
import type { Export } from '../../src/exports/export.js';
import { DURABLE_STEPS, JOURNAL_STEPS, PUBLISH_POINTS, WAREHOUSE_POINTS } from '../support/points.js';
import type { Ended } from '../support/dawnload.js';
import type { Fault } from '../support/faults/index.js';
import { assertNotPaidTwice, assertShown, audit, orphans, runUntilQuiet, windowOf } from './audit.js';
import { Chance } from './chance.js';
import { Counters, nameOf } from './counters.js';
import { contents, differences } from '../support/contents.js';
import { cutPower, plugged } from './power-cut.js';
import { Reader } from './reader.js';
import { beginWithTemplate } from '../support/template.js';
import { DAY_STREAMS } from '../../src/streams/index.js';
import { AT_RANDOM, DAY_MS, Trial } from './trial.js';
import type { CrashPoint, FileName } from '../../src/ground/crash-points.js';

// The named crash points, gathered from the sources that declare them, by what brings a process there.
const durable = (what: FileName): CrashPoint[] => DURABLE_STEPS.map((step) => `${what}/${step}` as const);
const ledger = (event: string): CrashPoint[] =>
  JOURNAL_STEPS.map((step) => `journal/export/${event}/${step}` as const);

/** What every run passes that requests an export. */
const RUN_POINTS: readonly CrashPoint[] = [
  ...DAY_STREAMS.flatMap((stream) => [...durable(`land/${stream}`), ...durable(`land/${stream}-manifest`)]),
  ...(['journal/reserve', 'witness', 'lock'] as const).flatMap(durable),
  ...['intended', 'requested', 'ready', 'landed', 'loaded'].flatMap(ledger),
  ...WAREHOUSE_POINTS,
  ...PUBLISH_POINTS,
];

/** What only the very first run in a folder passes. */
const FIRST_RUN_POINTS: readonly CrashPoint[] = [...durable('hmac-key'), ...durable('journal/copy')];

/** What a rebuild passes besides. */
const REBUILD_POINTS: readonly CrashPoint[] = [
  'rebuild/before-open',
  'replace/before-rename',
  'replace/after-rename',
  'load/before-commit',
  'load/after-commit',
  ...PUBLISH_POINTS,
];

/** What the next process passes when a power cut tore the ledger's last line. */
const TORN_POINTS: readonly CrashPoint[] = durable('journal/healed');

const ATTACH_POINTS: readonly CrashPoint[] = ledger('attached');
const ABANDON_POINTS: readonly CrashPoint[] = ledger('abandoned');

/** A service that misbehaves once, and the crash points that a run comes to because of it. */
const MISFORTUNES: readonly (readonly [Fault, readonly CrashPoint[]])[] = [
  [{ endpoint: 'E21', kind: 'processing-forever', times: 1 }, ledger('processing')],
  [
    {
      ...{ name: 'E20 is refused', endpoint: 'E20', kind: 'status', times: 1 },
      ...{ status: 400, body: { error: 'InvalidRequest' } },
    },
    ledger('failed'),
  ],
  [{ endpoint: 'E20', kind: 'reset-after', times: 1 }, ledger('ambiguous')],
  [
    {
      ...{ name: 'E20 is handled, and a proxy answers', endpoint: 'E20', kind: 'status', times: 1 },
      ...{ status: 502, body: '<p>gone</p>', handled: true },
    },
    durable('land/rejected'),
  ],
  [{ endpoint: 'E21', kind: 'export-error' }, ledger('troubled')],
  [{ endpoint: 'E17', kind: 'other-shape-200', times: 1 }, durable('land/rejected')],
];

/** What a person decides about an export that nobody was billed for. */
const ABANDON_OR_PAY = ['abandon', 'pay again'] as const;

export const KILL_POINTS: readonly CrashPoint[] = [
  ...[RUN_POINTS, FIRST_RUN_POINTS, REBUILD_POINTS, TORN_POINTS, ATTACH_POINTS, ABANDON_POINTS].flat(),
  ...MISFORTUNES.flatMap(([, points]) => points),
];

export const killCounters = (): Counters =>
  new Counters({
    'crash point': KILL_POINTS,
    fault: MISFORTUNES.map(([fault]) => nameOf(fault)),
    damage: ['a power cut undoes a rename', 'a power cut takes bytes', 'a power cut tears the journal'],
    mishap: [AT_RANDOM, 'a bill whose answer is lost'],
    decision: ['attach', ...ABANDON_OR_PAY],
  });

export interface KillOptions {
  readonly seed: number;
  /** How many processes are to be killed. */
  readonly kills: number;
  /** How many more at most, while something that can happen has not happened yet. */
  readonly more?: number;
  /** When to stop early, in milliseconds of this machine's clock since the epoch. */
  readonly until?: number;
  /** Rounds in one data folder before the next one is begun. */
  readonly roundsPerFolder?: number;
  /** Whether to compare each folder in the end with one that was never killed. */
  readonly compare?: boolean;
  /** Points that are tried before any other, each in a night of its own and with a power cut. */
  readonly first?: readonly string[];
  readonly say?: (line: string) => void;
}

export interface KillReport {
  kills: number;
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

/** A page is 1,000 records: enough for two or three of them a day. */
const EVENTS_PER_DAY = 1_800;

export function emptyReport(): KillReport {
  return {
    kills: 0,
    rounds: 0,
    folders: 0,
    looks: 0,
    counters: killCounters(),
  };
}

/** Whether more is to be killed. */
export function isUnfinished(options: Omit<KillOptions, 'seed'>, report: KillReport): boolean {
  const { kills, more = 0, until = Infinity } = options;
  const enough = report.counters.missing().length === 0 ? kills : kills + more;
  return report.kills < enough && Date.now() < until;
}

/**
 * Kills until there were enough.
 *
 * @throws Broken with the story, when a promise was not kept
 */
export async function killTorture(options: KillOptions, report = emptyReport()): Promise<KillReport> {
  const chance = new Chance(options.seed);
  const goOn = (): boolean => isUnfinished(options, report);
  while (goOn()) {
    const torture = await KillTrial.make(chance, report, options);
    const rounds = options.roundsPerFolder ?? 8;
    for (let round = 0; round < rounds && goOn(); round++) {
      await torture.round(round, goOn);
      options.say?.(`round ${report.rounds}: ${report.kills} kills`);
    }
    await torture.finish(options.compare ?? true);
    report.folders++;
    options.say?.(
      `seed ${options.seed}: ${report.folders} folders whole and equal to ones that were never killed`,
    );
  }
  return report;
}

class KillTrial {
  readonly #reader: Reader;
  /** The first day that any backfill reached. */
  #earliest: Day = FIRST_DAY;
  #last: Day = '2026-11-20';
  /** How long a run takes that nobody disturbs. */
  #usualMs = 2_500;
  #first: string[];
  /** Whether each crash point has to be met: then whatever brings a process to a new one is played rather than anything else. */
  readonly #isThorough: boolean;

  private constructor(
    readonly trial: Trial,
    readonly chance: Chance,
    readonly report: KillReport,
    options: KillOptions,
  ) {
    this.#reader = new Reader(trial.place.published);
    this.#isThorough = (options.more ?? 0) > 0;
    this.#first = (options.first ?? []).filter((point) => report.counters.times('crash point', point) === 0);
  }

  static async make(chance: Chance, report: KillReport, options: KillOptions): Promise<KillTrial> {
    const trial = await Trial.make(YAML, { eventsPerDay: EVENTS_PER_DAY, exportSeconds: 0 });
    beginWithTemplate(['run'], trial.place.folder);
    trial.tell(`seed ${options.seed}`);
    return new KillTrial(trial, chance, report, options);
  }

  /** One night or one backfill, killed some times, then run until quiet, reckoned up, and its open ends resolved. */
  async round(round: number, goOn: () => boolean): Promise<void> {
    const { trial, chance } = this;
    this.report.rounds++;
    let command = this.#next(round);
    this.#reader.start();
    try {
      for (let left = Math.max(this.#first.length, 3 + chance.below(6)); left > 0 && goOn(); left--) {
        const isMisfortune = this.#first.length === 0 && chance.happens(0.4);
        const [fault, ofMisfortune] = isMisfortune ? this.#misfortune() : [];
        this.#faults(fault === undefined ? [] : [fault]);
        const isDone = await this.#kill(command, this.#points(round, ofMisfortune));
        this.#faults([]);
        // A night that is done has nothing left to be killed in: on to another one. Days of a backfill that is not done would
        // be left to nobody.
        if (this.#first.length > 0 && (isDone || command[0] === 'run')) command = this.#night(round + 1);
        else if (isDone && chance.happens(0.7)) command = this.#next(round + 1);
        if (chance.happens(0.1)) await this.#resolve();
      }
      if (this.#lacks(REBUILD_POINTS) || chance.happens(0.2)) await this.#kill(['rebuild'], REBUILD_POINTS);
      await runUntilQuiet(trial, command);
      await this.#reckon();
      for (let tries = 0; (await this.#resolve()) && tries < 5; tries++) {
        await runUntilQuiet(trial, command);
        await this.#reckon();
      }
    } finally {
      this.#faults([]);
      await this.#reader.stop();
    }
    this.#checkReader();
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
    return round > 0 && this.chance.happens(0.4) ? this.#backfill() : this.#night(round);
  }

  #night(round: number): string[] {
    if (round > 0) {
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

  #points(round: number, ofMisfortune: readonly string[] = []): readonly string[] {
    if (this.#first.length > 0) return RUN_POINTS;
    // What misfortune brings about is tried mostly then: on other nights nothing comes there.
    if (ofMisfortune.length > 0 && this.chance.happens(0.7)) return ofMisfortune;
    const { counters } = this.report;
    const isNew = FIRST_RUN_POINTS.some((point) => counters.times('crash point', point) === 0);
    if (round === 0 && (isNew || this.chance.happens(0.3))) return FIRST_RUN_POINTS;
    return RUN_POINTS;
  }

  /** One of those that bring a run to the point where least was killed. */
  #misfortune(): (typeof MISFORTUNES)[number] {
    const points = MISFORTUNES.flatMap(([, ofOne]) => ofOne);
    const rarest = this.report.counters.rarest('crash point', points);
    return this.chance.pick(MISFORTUNES.filter(([, ofOne]) => ofOne.includes(rarest)));
  }

  #faults(faults: readonly Fault[]): void {
    this.report.counters.play(this.trial.place.sandbox, faults);
  }

  /** Whether no process was killed at one of the points yet, where each has to be met. */
  #lacks(points: readonly string[]): boolean {
    return this.#isThorough && points.some((point) => this.report.counters.times('crash point', point) === 0);
  }

  /** Starts the command and kills it; true if it was done before. */
  async #kill(command: readonly string[], points: readonly string[]): Promise<boolean> {
    const { trial, chance, report } = this;
    const first = points === RUN_POINTS ? this.#first.shift() : undefined;
    const isNamed = points !== RUN_POINTS || chance.happens(this.#lacks(points) ? 0.95 : 0.8);
    const rarest = isNamed ? report.counters.rarest('crash point', points) : undefined;
    const point = first ?? rarest;
    // Only a power cut tears a line.
    const isLine = /^journal\/export\/.*before-fsync/.test(point ?? '');
    const isPlugged = first !== undefined || isLine || chance.happens(0.35);
    const note = isPlugged ? join(trial.notes, `plug-${report.rounds}-${report.kills}`) : undefined;
    const environment = { ...(note === undefined ? {} : plugged(note)) };
    let result: Ended;
    if (point !== undefined) {
      const recurs =
        /^(land\/|journal\/copy|load\/)/.test(point) && report.counters.times('crash point', point) > 0;
      const nth = first === undefined && recurs && chance.happens(0.4) ? 1 + chance.below(5) : 1;
      trial.tell(`crash at ${point}:${nth}${note === undefined ? '' : ', with a power cut'}`);
      result = await trial.run(command, { ...environment, DAWNLOAD_CRASH_AT: `${point}:${nth}` });
    } else {
      const child = trial.place.start(command, {
        ...environment,
        DAWNLOAD_NOW: trial.clock.now().toISOString(),
      });
      const ms = this.#usualMs * (0.15 + 0.85 * chance.next());
      trial.tell(`kill after ${Math.round(ms)} ms${note === undefined ? '' : ', with a power cut'}`);
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
    return result.code === 0;
  }

  async #cutPower(note: string): Promise<void> {
    await this.#reader.stop();
    const lost = await cutPower(note, this.chance);
    this.trial.tell(`power cut; lost ${lost.length === 0 ? 'nothing' : lost.join('; ')}`);
    const { counters } = this.report;
    if (lost.some((what) => what.startsWith('name'))) counters.count('damage', 'a power cut undoes a rename');
    if (lost.some((what) => what.startsWith('bytes'))) counters.count('damage', 'a power cut takes bytes');
    const isTorn = lost.some((what) => /^bytes.*\/data\/ledger\/journal\.jsonl$/.test(what));
    if (isTorn) counters.count('damage', 'a power cut tears the journal');
    if (isTorn) this.#first.unshift(counters.rarest('crash point', TORN_POINTS));
    this.#reader.forget();
    await this.#reader.look();
    this.#reader.start();
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

  /** A person decides about one ambiguous export; whether there was one. */
  async #resolve(): Promise<boolean> {
    const { trial, chance, report } = this;
    const waiting = (await trial.entries()).filter(({ state }) => state === 'ambiguous');
    const [entry] = waiting;
    if (entry === undefined) return false;
    const bill = (await orphans(trial)).find(({ start, end }) => `${start}/${end}` === windowOf(entry));
    if (bill !== undefined) report.counters.count('mishap', 'a bill whose answer is lost');
    const usual = bill === undefined ? ABANDON_OR_PAY : (['attach', ...ABANDON_OR_PAY] as const);
    const any = chance.happens(0.5) ? chance.pick(usual) : report.counters.rarest('decision', usual);
    const isNew = this.#lacks(bill === undefined ? ABANDON_POINTS : ATTACH_POINTS);
    const decision = isNew ? (bill === undefined ? 'abandon' : 'attach') : any;
    const decide = ['exports', 'decide', entry.key];
    if (decision === 'pay again') await this.#payAgain(entry.key);
    else if (decision === 'abandon') await this.#decide([...decide, '--abandon'], ABANDON_POINTS);
    else await this.#decide([...decide, '--attach', bill?.export_id ?? '', '--yes'], ATTACH_POINTS);
    return true;
  }

  /** A decision that may be killed too; made again when it was. */
  async #decide(command: readonly string[], points: readonly string[]): Promise<void> {
    if (this.#lacks(points) || this.chance.happens(0.6)) await this.#kill(command, points);
    const [, , key = '', what = ''] = command;
    this.report.counters.count('decision', what.slice(2));
    const done = what === '--attach' ? 'requested' : 'abandoned';
    if ((await this.trial.entries()).find((entry) => entry.key === key)?.state === done) return;
    const result = await this.trial.run(command);
    this.trial.assert(result.code === 0, 'a decision was not taken', result);
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
      await this.#kill(command, RUN_POINTS);
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

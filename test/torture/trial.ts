/** One data folder, its service and its clock, and the command run against them again and again. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Bill } from '../../sandbox/index.js';
import type { Export } from '../../src/exports/export.js';
import { exportFolder, firstReading, readingOf } from '../../src/disk/paths.js';
import { ended, NOW, Place, type Ended, type Environment } from '../support/dawnload.js';
import type { Bend, Fault, FaultySandboxOptions } from '../support/faults/index.js';
import { performCommand } from '../support/in-process.js';
import type { Chance } from './chance.js';
import type { Counters } from './counters.js';
import { readLedger } from '../landing/support.js';

/** What was expected and did not hold, with the story that led there. */
export class Broken extends Error {}

/**
 * A command that takes longer than this hangs, on a machine that is busy with other things too; a rebuild has every
 * night that there was to load again.
 */
const PATIENCE_MS = 150_000;
const REBUILD_PATIENCE_MS = 600_000;

export class Trial {
  readonly story: string[] = [];
  /** How many bills a window may have: one, and one more for each time a person consented to pay again. */
  readonly consents = new Map<string, number>();

  private constructor(
    readonly place: Place,
    /** Outside the data folder: the bills, each written before its answer left. */
    readonly notes: string,
    readonly clock: Clock,
    private readonly how: 'process' | 'inside',
  ) {}

  /**
   * @param how `process` runs the built command, which can be killed; `inside` runs it here, where pauses pass at once,
   * unless it is to crash
   */
  static async make(
    yaml: string,
    options: FaultySandboxOptions = {},
    clock = new Clock(),
    how: 'process' | 'inside' = 'process',
  ): Promise<Trial> {
    const notes = await mkdtemp(join(tmpdir(), 'dawnload-notes-'));
    const billingJournal = join(notes, 'bills.jsonl');
    const place = await Place.make(yaml, { now: () => clock.now(), billingJournal, ...options });
    return new Trial(place, notes, clock, how);
  }

  get journal(): string {
    return join(this.notes, 'bills.jsonl');
  }

  get data(): string {
    return join(this.place.folder, 'data');
  }

  faults(faults: readonly Fault[]): void {
    this.place.sandbox.setFaults(faults);
  }

  /** Runs the command to its end, and says so in the story; a process that hangs is broken. */
  async run(args: readonly string[], environment: Environment = {}): Promise<Ended> {
    if (this.how === 'inside' && !('DAWNLOAD_CRASH_AT' in environment)) {
      const at = environment['DAWNLOAD_NOW'];
      const skew = at === undefined ? 0 : Date.parse(at) - this.clock.now().getTime();
      return this.perform(args, { ...this.place.environment, ...environment }, skew);
    }
    return this.watch(
      args,
      this.place.start(args, { DAWNLOAD_NOW: this.clock.now().toISOString(), ...environment }),
    );
  }

  async watch(args: readonly string[], child: ReturnType<Place['start']>): Promise<Ended> {
    const patience = args[0] === 'rebuild' ? REBUILD_PATIENCE_MS : PATIENCE_MS;
    const timer = setTimeout(() => child.kill('SIGKILL'), patience);
    const begun = Date.now();
    const result = await ended(child);
    clearTimeout(timer);
    const took = Date.now() - begun;
    this.tell(`${args.join(' ')} -> ${result.signal ?? result.code} in ${took} ms`);
    if (took >= patience) throw this.broken('the command hangs', result);
    if (result.stderr.includes('unforeseen')) throw this.broken('the command did not foresee this', result);
    return result;
  }

  /** The same in this process. */
  async perform(args: readonly string[], environment = this.place.environment, skew = 0): Promise<Ended> {
    const clock = {
      now: () => new Date(this.clock.now().getTime() + skew),
      moveTo: (instant: Date) => {
        this.clock.shift(Math.max(0, instant.getTime() - skew - this.clock.now().getTime()));
      },
    };
    const result: Ended = {
      ...(await performCommand(args, this.place.folder, environment, clock)),
      signal: null,
    };
    this.tell(`${args.join(' ')} -> ${result.code}`);
    if (result.stderr.includes('unforeseen')) throw this.broken('the command did not foresee this', result);
    return result;
  }

  tell(line: string): void {
    this.story.push(`${this.clock.now().toISOString()} ${line}`);
  }

  broken(what: string, result?: Ended): Broken {
    const said =
      result === undefined
        ? ''
        : `\n--- stderr\n${result.stderr}\n--- stdout\n${result.stdout.slice(0, 2_000)}`;
    return new Broken(
      `${what}\n--- story\n${this.story.slice(-30).join('\n')}${said}\n--- folder ${this.place.folder}`,
    );
  }

  assert(holds: boolean, what: string, result?: Ended): void {
    if (!holds) throw this.broken(what, result);
  }

  bills(): Bill[] {
    return this.place.sandbox.bills();
  }

  async entries(): Promise<Export[]> {
    return (await readLedger(this.data)).entries();
  }

  landedIds(entry: Export): Promise<string[]> {
    return landedIdsIn(this.data, entry);
  }

  async remove(): Promise<void> {
    await this.place.remove();
    await rm(this.notes, { recursive: true, force: true });
  }
}

/** A clock that ticks and can be set: the service and every child go by it. */
export class Clock {
  #base: number;
  readonly #started = Date.now();

  constructor(at: string = NOW) {
    this.#base = Date.parse(at);
  }

  now(): Date {
    return new Date(this.#base + Date.now() - this.#started);
  }

  set(at: string): void {
    this.#base = Date.parse(at) - (Date.now() - this.#started);
  }

  shift(ms: number): void {
    this.#base += ms;
  }
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The paths of the files below a folder whose names match, sorted; none when there is no such folder. */
export async function listed(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** What kills came to. */
export interface Kills {
  kills: number;
  readonly counters: Counters;
}

/** Runs a command that is killed at a point, or at a random moment; false for one that is left alone. Counts the kill. */
export async function executeAndKill(
  place: Place,
  args: readonly string[],
  at: string | { readonly withinMs: number; readonly chance: Chance } | false,
  report: Kills,
  environment: Environment = {},
): Promise<Ended> {
  const point = typeof at === 'string' ? at : undefined;
  const crash = point === undefined ? {} : { DAWNLOAD_CRASH_AT: point };
  const child = place.start(args, { ...environment, ...crash });
  const timer =
    typeof at === 'object'
      ? setTimeout(() => child.kill('SIGKILL'), 250 + at.chance.below(at.withinMs))
      : undefined;
  const result = await ended(child);
  clearTimeout(timer);
  if (result.signal === 'SIGKILL') {
    report.kills++;
    if (point === undefined) report.counters.count('mishap', AT_RANDOM);
    else report.counters.count('crash point', point);
  }
  return result;
}

/** The mishap of a kill that no crash point names. */
export const AT_RANDOM = 'killed at a random moment';

/** A place after its first night, which a command of the torture works on. */
export async function placeAfterNight(
  yaml: string,
  options: FaultySandboxOptions,
  bend?: Bend,
): Promise<Place> {
  const place = await Place.make(yaml, options);
  place.sandbox.bend(bend);
  const night = await place.execute(['run']);
  if (night.code !== 0) throw new Error(`The night ended with ${night.code}: ${night.stderr}`);
  return place;
}

/** The ids in the landed pages of one export, in its last reading, as often as they come. */
export async function landedIdsIn(dataDir: string, { day, key, exportId = '' }: Export): Promise<string[]> {
  const landing = join(dataDir, 'landing');
  const readings = (await readdir(join(landing, 'events', day, key)))
    .map((name) => `events/${day}/${key}/${name}`)
    .filter((id) => firstReading(id) === exportFolder({ day, key, exportId }))
    .sort((a, b) => readingOf(basename(a)).reading - readingOf(basename(b)).reading);
  const pages = await listed(join(landing, readings.at(-1) ?? ''), /^page-\d+\.json\.gz$/);
  const ids: string[] = [];
  for (const page of pages) {
    const { data } = JSON.parse(gunzipSync(await readFile(page)).toString()) as { data: { id: string }[] };
    ids.push(...data.map(({ id }) => id));
  }
  return ids;
}

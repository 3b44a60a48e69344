/**
 * A fortnight of nights with a service and a data folder that are hostile at random. After each night the three promises
 * are held against the service's billing journal, the landing zone and the published file; after the last one all is
 * mended, and everything must be there.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dayOf, lastCompleteDay, shiftDay, windowOf } from '../../src/ground/calendar.js';
import { MANIFEST } from '../../src/landing/paths.js';
import type { Fault } from '../support/faults/index.js';
import { rowsOf, type Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, windowOf as windowText } from './audit.js';
import { Chance } from './chance.js';
import { Counters } from './counters.js';
import { contents, differences } from '../support/contents.js';
import { Reader } from './reader.js';
import { Clock, DAY_MS, listed, Trial } from './trial.js';

const FIRST_NIGHT = '2026-11-06T22:30:00Z';
const NIGHTS = 14;

const YAML = `start_date: 2026-11-05
lookback_days: 2
report: false
request_timeout_seconds: 0.3
retries: 1
exports:
  budget: { records_per_run: 2000, records_per_month: 20000 }
  max_wait_minutes: 1
`;

const ENDPOINTS = ['E1', 'E17', 'E18', 'E19', 'E20', 'E21'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

const STATUSES = [200, 400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504];

/** Bodies that refuse with a status that does, and with no other. */
const REFUSALS: readonly unknown[] = [
  { error: 'jwt expired' },
  { error: 'Too many requests' },
  { error: 'InvalidRequest', message: 'no' },
  { data: null, error: { code: 'UNAUTHORIZED', message: 'no' } },
];

/** Bodies after which an export may have been made. */
const OTHER_WORDS: readonly unknown[] = [
  { error: 'InternalServerError', message: 'storage backend: unauthorized' },
  { error: 'Timeout' },
  { error: 'Conflict', message: 'already being generated' },
  { error: 'Export queued; notification channel missing' },
  { error: 'InvalidRequest', message: 'started, but the callback is invalid' },
  { status: 'error', message: 'was created with warnings' },
  { data: null, error: '처리 중인 요청이 있습니다' },
  { error: 'no' },
  '<html>Bad Gateway</html>',
  '',
  [],
  {},
];

function answered(chance: Chance, bodies: readonly unknown[]): Wrong & { kind: 'status' } {
  return { kind: 'status', status: chance.pick(STATUSES), body: chance.pick(bodies) };
}

type WithoutEndpoint<F> = F extends unknown ? Omit<F, 'endpoint'> : never;
type Wrong = WithoutEndpoint<Fault>;

/** Answers that are wrong in one way, by their names; each strikes a few times, or all night. */
const ANYWHERE: Readonly<Record<string, (chance: Chance) => Wrong>> = {
  'reset before': () => ({ kind: 'reset-before' }),
  'reset after': () => ({ kind: 'reset-after' }),
  'no answer': (chance) => ({ kind: 'no-answer', billed: chance.happens(0.5) }),
  'cut with content-length': () => ({ kind: 'cut-with-length' }),
  'cut without content-length': () => ({ kind: 'cut-without-length' }),
  'other words': (chance) => ({ ...answered(chance, OTHER_WORDS), handled: chance.happens(0.5) }),
  // A service that bills what it refuses in its own words cannot be noticed.
  refusal: (chance) => answered(chance, REFUSALS),
};

/** The same of one endpoint alone. */
const OF_ONE: Readonly<Record<string, (chance: Chance) => Wrong>> = {
  'another shape on E17': () => ({ kind: 'other-shape-200', body: [] }),
  'another shape on E18': () => ({ kind: 'other-shape-200', body: [] }),
  'restatement on E17': () => ({ kind: 'restate' }),
  'processing for ever on E21': () => ({ kind: 'processing-forever' }),
  'gone after a page on E21': () => ({ kind: 'success-then-not-found' }),
  'changing page count on E21': () => ({ kind: 'changing-page-count' }),
  'always the first page on E21': () => ({ kind: 'ignores-page-parameter' }),
  'repeated page on E21': (chance) => ({ kind: 'repeated-page', page: 1 + chance.below(2) }),
  'export error on E21': () => ({ kind: 'export-error' }),
  'implausible success on E21': (chance) => ({
    kind: 'status',
    status: 200,
    body: chance.pick<unknown>([
      { status: 'success', data: [], total_page_count: 0 },
      { status: 'success', data: [], total_page_count: 1 },
      { status: 'success', data: [], total_page_count: null },
      { status: 'invalid_page', message: 'no such page' },
    ]),
  }),
  'implausible time on E21': (chance) => ({
    kind: 'other-type',
    field: 'time',
    value: chance.pick(['253370764800000000', '4102444800000000', '1763650000000', 'soon']),
    records: 'one',
  }),
  'unknown field on E21': () => ({ kind: 'extra-field', field: 'surprise', value: { a: [1] } }),
};

const SERVICE: readonly (readonly [name: string, Endpoint, (chance: Chance) => Wrong])[] = [
  ...ENDPOINTS.flatMap((endpoint) =>
    Object.entries(ANYWHERE).map(([name, wrong]) => [`${name} on ${endpoint}`, endpoint, wrong] as const),
  ),
  ...Object.entries(OF_ONE).map(
    ([name, wrong]) => [name, ENDPOINTS.find((one) => name.endsWith(one)) ?? 'E21', wrong] as const,
  ),
];

/** What happens to the data folder before a run; false where there was nothing that it could happen to. */
type Mishaps = Readonly<Record<(typeof MISHAPS)[number], () => Promise<boolean>>>;

const MISHAPS = [
  'the ledger is lost',
  'the ledger is restored from a backup',
  'the second copy of the ledger is lost',
  'both copies of the ledger are lost',
  'the private warehouse is lost',
  'the published warehouse is lost',
  'the machine is lost and restored from a backup',
  'the ledger is torn',
  'the clock is wrong',
] as const;

/** From one fault that is played to the next: any number that shares no factor with how many there are. */
const STEP = 7;

export const fortnightCounters = (): Counters =>
  new Counters({
    fault: SERVICE.map(([name]) => name),
    mishap: MISHAPS,
    decision: ['attach', 'abandon', 'resume', 'recover'],
  });

export interface FortnightReport {
  fortnights: number;
  nights: number;
  commands: number;
  readonly counters: Counters;
}

export function emptyFortnightReport(): FortnightReport {
  return { fortnights: 0, nights: 0, commands: 0, counters: fortnightCounters() };
}

/** @throws Broken with the story, when a promise did not hold */
export async function fortnight(seed: number, report: FortnightReport, howMany = NIGHTS): Promise<void> {
  const nights = await Fortnight.begin(seed, report);
  try {
    for (let night = 0; night < howMany; night++) await nights.night(night);
    await nights.mend();
    report.fortnights++;
  } finally {
    await nights.end();
  }
}

class Fortnight {
  readonly #chance: Chance;
  readonly #trial: Trial;
  readonly #report: FortnightReport;
  readonly #reader: Reader;
  /** Landed files as they first lay there: by their path, the checksum of what came and, for pages, the records. */
  readonly #landed = new Map<string, { sum: string; records: number }>();
  /** The fault that is played next. */
  #turn: number;
  /** The mishap that comes next. */
  #mishaps: number;
  #faults: readonly Fault[] = [];
  /** How far this machine's clock is off tonight, in milliseconds. */
  #skew = 0;

  private constructor(seed: number, trial: Trial, report: FortnightReport) {
    this.#chance = new Chance(seed);
    this.#turn = seed * NIGHTS * STEP;
    this.#mishaps = seed * 4;
    this.#trial = trial;
    this.#report = report;
    this.#reader = new Reader(trial.place.published);
  }

  static async begin(seed: number, report: FortnightReport): Promise<Fortnight> {
    const clock = new Clock(FIRST_NIGHT);
    const options = { eventsPerDay: 250 + (seed % 5) * 450, exportSeconds: 0, seed };
    const trial = await Trial.make(YAML, options, clock, 'inside');
    trial.tell(`seed ${seed}`);
    return new Fortnight(seed, trial, report);
  }

  end(): Promise<void> {
    return this.#trial.remove();
  }

  async night(number: number): Promise<void> {
    if (number > 0) this.#trial.clock.shift(DAY_MS);
    this.#report.nights++;
    this.#report.counters.play(this.#trial.place.sandbox, this.#hostilities());
    const mishap = await this.#mishap();
    const commands = this.#chance.happens(0.2) ? 2 : 1;
    for (let i = 0; i < commands; i++) {
      if (this.#chance.happens(0.1)) await this.#recover();
      else await this.#perform(this.#command());
    }
    this.#skew = 0;
    await this.#check(mishap);
  }

  /** What the service does tonight: nothing new, or up to three things more; what nobody has met yet stays on. */
  #hostilities(): readonly Fault[] {
    const was = this.#trial.place.sandbox.faults();
    const left = this.#faults.filter((_, nth) => was[nth]?.struck === 0);
    const more = Array.from<unknown, Fault>({ length: this.#chance.below(4) }, () => {
      // Any seeds play all of them in their turn.
      this.#turn += STEP;
      const [name, endpoint, wrong] = SERVICE[this.#turn % SERVICE.length] ?? this.#chance.pick(SERVICE);
      const times = this.#chance.happens(0.6) ? { times: 1 + this.#chance.below(3) } : {};
      const skip = this.#chance.happens(0.3) ? { skip: this.#chance.below(4) } : {};
      return { name, endpoint, ...wrong(this.#chance), ...times, ...skip };
    });
    this.#faults = [...left.map((fault) => ({ ...fault, skip: 0 })), ...more];
    for (const fault of this.#faults) this.#trial.tell(`service: ${JSON.stringify(fault)}`);
    return this.#faults;
  }

  /** What happens to the data folder before the run; resolves with its name. */
  async #mishap(): Promise<string> {
    const { data } = this.#trial;
    const backup = join(this.#trial.notes, 'ledger-backup');
    const wholeBackup = join(this.#trial.notes, 'backup');
    const lose = async (...paths: readonly string[]): Promise<boolean> => {
      const were = paths.map((path) => join(data, path)).filter(existsSync);
      for (const path of were) await rm(path, { recursive: true });
      return were.length > 0;
    };
    const mishaps: Mishaps = {
      'the ledger is lost': () => lose('ledger'),
      'the ledger is restored from a backup': async () => {
        if (!existsSync(backup)) return false;
        await lose('ledger');
        await cp(backup, join(data, 'ledger'), { recursive: true });
        return true;
      },
      'the second copy of the ledger is lost': () => lose('landing/ledger'),
      'both copies of the ledger are lost': () => lose('ledger', 'landing/ledger'),
      'the private warehouse is lost': () => lose('private/warehouse.duckdb'),
      'the published warehouse is lost': () => {
        this.#reader.forget();
        return lose('warehouse.duckdb');
      },
      'the machine is lost and restored from a backup': async () => {
        if (!existsSync(wholeBackup)) return false;
        await rm(data, { recursive: true, force: true });
        await cp(wholeBackup, data, { recursive: true });
        // What landed after the backup is gone with the machine.
        this.#landed.clear();
        this.#reader.forget();
        return true;
      },
      'the ledger is torn': () => this.#tear(),
      'the clock is wrong': () => {
        this.#skew = this.#chance.pick([-48, -2, 0.05, 0.2, 2, 48]) * 3_600_000;
        return Promise.resolve(true);
      },
    };
    if (this.#chance.happens(0.3)) {
      await rm(backup, { recursive: true, force: true });
      await cp(join(data, 'ledger'), backup, { recursive: true }).catch(() => undefined);
    }
    if (this.#chance.happens(0.3)) {
      await rm(wholeBackup, { recursive: true, force: true });
      for (const part of ['landing', 'ledger', 'private/hmac.key'])
        await cp(join(data, part), join(wholeBackup, part), { recursive: true }).catch(() => undefined);
    }
    if (!this.#chance.happens(0.35)) return 'nothing';
    const name = MISHAPS[this.#mishaps++ % MISHAPS.length] ?? MISHAPS[0];
    this.#trial.tell(`mishap: ${name}`);
    if (await mishaps[name]()) this.#report.counters.count('mishap', name);
    return name;
  }

  /** As a power cut leaves the last line: part of it. */
  async #tear(): Promise<boolean> {
    const path = join(this.#trial.data, 'ledger', 'journal.jsonl');
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    if (size > 20) await truncate(path, size - 1 - this.#chance.below(19));
    return size > 20;
  }

  #command(): string[] {
    const yesterday = lastCompleteDay(this.#trial.clock.now());
    if (this.#chance.happens(0.8)) return ['run'];
    return this.#chance.pick([
      ['backfill', '--start', '2026-11-05', '--end', yesterday, '--yes-paid'],
      ['backfill', '--start', yesterday, '--end', yesterday, '--streams', 'events', '--yes-paid'],
      ['rebuild'],
      ['exports', 'resume', `${shiftDay(yesterday, -1)}.1`],
    ]);
  }

  /** A person enters what the bills show and the ledger lacks, before and after it is recovered, and lets runs pay again. */
  async #recover(): Promise<void> {
    const enter = async (): Promise<void> => {
      const entries = await this.#trial.entries().catch(() => []);
      const known = new Set(entries.map(({ exportId }) => exportId));
      for (const { export_id: id, start } of this.#trial.bills()) {
        const key = `${dayOf(new Date(start))}.1`;
        if (!known.has(id) && entries.find((entry) => entry.key === key)?.exportId === undefined)
          await this.#perform(['exports', 'decide', key, '--attach', id, '--yes']);
      }
    };
    await enter();
    await this.#perform(['recover', '--yes']);
    await enter();
  }

  async #perform(args: readonly string[]): Promise<Ended> {
    this.#report.commands++;
    const result = await this.#trial.perform(args, undefined, this.#skew);
    const what = ['attach', 'abandon'].find((one) => args.includes(`--${one}`));
    const decision = what ?? (args[0] === 'exports' ? 'resume' : args[0]);
    if (result.code === 0 && (args[0] === 'exports' || args[0] === 'recover'))
      this.#report.counters.count('decision', decision ?? '');
    const isDeclared = [0, 1, 2, 3, 75].includes(result.code ?? -1);
    this.#assert(isDeclared, `${args.join(' ')} ended in an undeclared way`, result);
    return result;
  }

  #assert(holds: boolean, what: string, result?: Ended): void {
    if (!holds) throw this.#trial.broken(`${what}\n${result?.stderr ?? ''}`);
  }

  async #check(mishap: string): Promise<void> {
    assertNotPaidTwice(this.#trial);
    for (const { start, end, at } of this.#trial.bills()) {
      const last = windowOf(lastCompleteDay(new Date(at))).end;
      this.#assert(
        new Date(end) <= last,
        `the window ${start}/${end} was paid for before it was complete (${mishap})`,
      );
    }
    await this.#checkLandingZone();
    await this.#reader.look();
    this.#assert(this.#reader.found.length === 0, this.#reader.found.join('; '));
  }

  /** What has landed stays as it came; a page may only be replaced by one that holds more records. */
  async #checkLandingZone(): Promise<void> {
    const folder = join(this.#trial.data, 'landing');
    const seen = new Set<string>();
    for (const file of await listed(folder, /\.gz$/)) {
      const path = relative(folder, file);
      // A pull that never ended is removed. Another reading of an export takes the place of the first one.
      const isEnded = /^(events|rejected)\//.test(path) || existsSync(join(dirname(file), MANIFEST));
      if (!isEnded) continue;
      const name = path.replace(/^(events\/.*)\.\d+\/page/, '$1/page');
      seen.add(name);
      const body = gunzipSync(await readFile(file));
      const sum = createHash('sha256').update(body).digest('hex');
      const records = name.startsWith('events/') ? recordsIn(body) : 0;
      const before = this.#landed.get(name);
      this.#assert(
        before === undefined || before.sum === sum || records > before.records,
        `the landed file ${name} was changed`,
      );
      this.#landed.set(name, { sum, records });
    }
    for (const name of this.#landed.keys()) this.#assert(seen.has(name), `the landed file ${name} is gone`);
  }

  /** The service and the folder behave again: everything that was paid for must be there, and a rebuild must agree. */
  async mend(): Promise<void> {
    const trial = this.#trial;
    this.#report.counters.play(trial.place.sandbox, []);
    trial.tell('mending');
    await this.#recover();
    for (let round = 0; round < 6; round++) {
      trial.clock.shift(60_000);
      const result = await this.#perform(['run']);
      const open = await this.#openExports();
      if (result.code === 0 && open.length === 0) break;
      for (const args of open) await this.#perform(args);
    }
    // A person reads one export again, at no cost.
    const newest = (await trial.entries()).findLast(({ state }) => state === 'loaded');
    if (newest !== undefined) await this.#perform(['exports', 'resume', newest.key]);
    await this.#check('mended');
    await this.#checkWhatWasPaidFor();
    const before = await contents(trial.place.published);
    const rebuilt = await this.#perform(['rebuild']);
    const differing = differences(before, await contents(trial.place.published));
    this.#assert(differing.length === 0, `the rebuild differs: ${differing.join('; ')}`, rebuilt);
  }

  /** What a person does about each export that is not loaded whole, knowing the service's books. */
  async #openExports(): Promise<string[][]> {
    const bills = this.#trial.bills();
    return (await this.#trial.entries()).flatMap((entry) => {
      const bill = bills.find(({ start, end }) => `${start}/${end}` === windowText(entry));
      if (entry.state === 'ambiguous') {
        return bill === undefined
          ? [['exports', 'decide', entry.key, '--abandon']]
          : [['exports', 'decide', entry.key, '--attach', bill.export_id, '--yes']];
      }
      const isShort = entry.state === 'loaded' && entry.records !== bill?.records;
      return isShort || entry.doubted || entry.short !== undefined ? [['exports', 'resume', entry.key]] : [];
    });
  }

  async #checkWhatWasPaidFor(): Promise<void> {
    const trial = this.#trial;
    const entries = await trial.entries();
    const held = await rowsOf(
      trial.place.published,
      'select export_date::varchar as date, count(*)::int as n from events group by all',
    );
    const rows = new Map(held.map(({ date, n }) => [String(date), Number(n)]));
    for (const bill of trial.bills()) {
      const entry = entries.find(({ exportId }) => exportId === bill.export_id);
      if (entry === undefined)
        throw trial.broken(`the bill ${bill.export_id} of ${bill.start} is in no ledger`);
      this.#assert(entry.state === 'loaded', `the paid export ${entry.key} is ${entry.state} in the end`);
      const { day, key } = entry;
      const ids = await trial.landedIds(entry);
      const found = `${bill.records} records billed, ${new Set(ids).size} landed, ${rows.get(day) ?? 0} in the warehouse`;
      this.#assert(
        new Set(ids).size === bill.records && (rows.get(day) ?? 0) === bill.records,
        `export ${key}: ${found}`,
      );
    }
  }
}

function recordsIn(body: Buffer): number {
  try {
    const { data } = JSON.parse(body.toString()) as { data?: unknown[] };
    return data?.length ?? 0;
  } catch {
    return 0;
  }
}

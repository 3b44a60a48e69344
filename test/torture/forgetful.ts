/**
 * Forgetful months: ten nights of runs, pushes, erasures, backfills and rebuilds, some of them killed, while files of
 * `ledger/`, `private/` and the journal's second copy are lost, cut, altered or replaced by older ones. A person who
 * sees the service's bills does what the messages say. Nothing may be paid twice, reach people twice, or come back after
 * an erasure; in the end everything is there.
 */
import { existsSync } from 'node:fs';
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dayOf, lastCompleteDay, shiftDay } from '../../src/ground/calendar.js';
import { PUBLISH_POINTS } from '../support/points.js';
import { rowsOf, type Ended } from '../support/dawnload.js';
import { assertNotPaidTwice, windowOf } from './audit.js';
import { Chance } from './chance.js';
import { Counters } from './counters.js';
import { ERASURE_POINTS, idsOfPerson, without, type Row } from './erasures.js';
import { PUSH_POINTS, type State } from './pushes.js';
import { AT_RANDOM, Clock, DAY_MS, executeAndKill, listed, Trial, type Kills } from './trial.js';

const FIRST_NIGHT = '2026-11-06T22:30:00Z';
const FIRST_DAY = '2026-11-06';

/** A run pays for two or three days. */
const YAML = `start_date: ${FIRST_DAY}
lookback_days: 2
report: false
exports: { budget: { records_per_run: 200, records_per_month: 20000 }, max_wait_minutes: 1 }
push: { rows_per_run: 1000, rows_per_month: 10000 }
`;

/** More rows each night, by the days that the published file holds; the words are always the same. */
const rows = (prefix: string, id = 'user_id'): string[] => {
  const days = `select count(distinct date) from ops.coverage where stream = 'statistics'`;
  return [
    '--sql',
    `select '${prefix}' || i as ${id}, i as step from range(3 * (${days})) as r(i)`,
    '--key',
    id,
  ];
};
const ONCE = [
  ['push', 'events', 'viewed', ...rows('e')],
  ['push', 'journey', 'uj-win02', ...rows('j')],
];
const AGAIN = [
  ['push', 'user-properties', ...rows('p')],
  ['push', 'catalog-items', 'products', '--mode', 'replace', ...rows('i', 'id')],
];

/** A line is there or it is not: what a kill between these two leaves is the subject of kill.ts. */
const ofLines = (...events: string[]): string[] =>
  events.flatMap((event) => ['before-append', 'durable'].map((step) => `journal/${event}/${step}`));
const PAID = ['intended', 'requested', 'landed', 'loaded'].map((event) => `export/${event}`);

/** Where each command is killed. */
const POINTS: Readonly<Record<string, readonly string[]>> = {
  run: [...ofLines('run/ended', ...PAID), ...PUBLISH_POINTS, 'witness/durable'],
  rebuild: [...PUBLISH_POINTS, 'replace/before-rename', 'replace/after-rename'],
  push: PUSH_POINTS,
  forget: ERASURE_POINTS.filter((point) => /^(?:journal|erase|replace)\//.test(point)),
  recover: ofLines('run/confirmed'),
  exports: ofLines('export/attached'),
  'run after a mishap': ofLines('run/unsure'),
};

/** Parts of the data folder that are lost, or replaced by those of a backup. */
const WIDE = {
  'ledger/ is lost': { lost: ['ledger'], back: [] },
  'all but private/ is lost': { lost: ['landing', 'ledger', 'warehouse.duckdb'], back: [] },
  'all but private/ is older': {
    lost: ['landing', 'ledger', 'warehouse.duckdb'],
    back: ['landing', 'ledger', 'warehouse.duckdb'],
  },
  'restored as documented': {
    lost: ['landing', 'ledger', 'warehouse.duckdb', 'private'],
    back: ['landing', 'ledger', 'private/hmac.key'],
  },
} as const;
const WIDE_NAMES = Object.keys(WIDE) as (keyof typeof WIDE)[];

/** Where single files are damaged, and how. */
const FOLDERS = ['ledger', 'private', 'landing/ledger'] as const;
const WAYS = ['removed', 'cut at a line', 'cut in a line', 'changed by a bit', 'an older one'] as const;

export const forgetfulCounters = (): Counters =>
  new Counters({
    'crash point': new Set(Object.values(POINTS).flat()),
    damage: FOLDERS.flatMap((folder) => WAYS.map((way) => `${folder}/: ${way}`)),
    mishap: [...WIDE_NAMES, AT_RANDOM],
    decision: [
      ...['recover', 'attach', 'pay-again', 'accept-incomplete', 'resume'],
      ...['the service has them', 'send them again', 'restore'],
    ],
  });

export interface ForgetfulReport extends Kills {
  months: number;
  mishaps: number;
  recoveries: number;
}

export const emptyForgetfulReport = (): ForgetfulReport => ({
  ...{ months: 0, mishaps: 0, recoveries: 0, kills: 0 },
  counters: forgetfulCounters(),
});

/** @throws Broken with the story, when a promise did not hold */
export async function forgetfulMonth(seed: number, report: ForgetfulReport, nights = 10): Promise<void> {
  const options = { eventsPerDay: 60, exportSeconds: 0, seed };
  const trial = await Trial.make(YAML, options, new Clock(FIRST_NIGHT), 'inside');
  trial.tell(`seed ${seed}`);
  try {
    const month = new Month(trial, new Chance(seed), report);
    for (let night = 0; night < nights; night++) await month.night(night);
    await month.mend();
    await month.audit(nights);
    report.months++;
  } finally {
    await trial.remove();
  }
}

class Month {
  /** Every record that the service delivered. */
  readonly #delivered = new Map<string, Row>();
  #erased: readonly string[] = [];
  /** Persons whose erasure was lost with a folder; an older second copy, which a mishap puts back, may know it again. */
  readonly #perhapsErased = new Set<string>();
  /** The person whose erasure has not ended. */
  #erasing: string | undefined;
  /** The newest last. */
  readonly #backups: { readonly path: string; readonly erased: readonly string[] }[] = [];
  #pages: readonly string[] = [];
  /** How many times each command was to be killed. */
  readonly #turns = new Map<string, number>();
  /** True after a mishap that no command has met. */
  #isHurt = false;
  /** True if the rows of pushes may be forgotten. */
  #isPushLost = false;

  constructor(
    readonly trial: Trial,
    readonly chance: Chance,
    readonly report: ForgetfulReport,
  ) {
    trial.place.sandbox.bend((endpoint, answer) => {
      const { data = [] } = JSON.parse(endpoint === 'E21' ? answer.body.toString() : '{}') as {
        data?: Row[];
      };
      for (const row of data) this.#delivered.set(row.id, row);
      return answer;
    });
  }

  async night(night: number): Promise<void> {
    const { trial, chance } = this;
    if (night > 0) trial.clock.shift(DAY_MS);
    const end = lastCompleteDay(trial.clock.now());
    const start = [FIRST_DAY, shiftDay(end, -chance.below(3))].sort().at(-1) ?? end;
    const others = [
      ...[chance.pick(ONCE), chance.pick(ONCE), chance.pick(AGAIN), ['forget'], ['rebuild']],
      ['backfill', '--start', start, '--end', end, '--yes-paid'],
    ];
    for (const command of [['run'], ...others.filter(() => chance.happens(0.15))]) {
      if (night > 0 && chance.happens(0.35)) await this.#mishap();
      await this.#carryOut(command, true);
      trial.clock.shift(60_000);
    }
    await this.#backUp();
  }

  /** A command is killed at one point after the other; neighboring seeds begin at different ones. */
  #turn(command: string): number {
    const turn = this.#turns.get(command) ?? this.chance.seed * 3;
    this.#turns.set(command, turn + 1);
    return turn;
  }

  #path(name: string): string {
    return join(this.trial.data, name);
  }

  /** Runs a command to its end, with what a person does about its messages. */
  async #carryOut(args: readonly string[], mayBeKilled = false): Promise<Ended> {
    let agreed: readonly string[] = [];
    for (let tries = 0; tries < 9; tries++) {
      const mayEnd = mayBeKilled && tries < 2 && this.chance.happens(args[0] === 'run' ? 0.35 : 0.7);
      const result = await this.#perform([...args, ...agreed], mayEnd);
      // A person agrees that rows reach people, and to nothing else.
      if (/Nothing was sent\..* [\d,]+ rows? would reach people\.$/m.test(result.stderr)) {
        agreed = ['--yes'];
        continue;
      }
      if (result.signal === null && !(await this.#remedy(args, result))) return result;
    }
    throw this.trial.broken(`${args.join(' ')} does not come to an end`);
  }

  async #perform(given: readonly string[], kill: boolean): Promise<Ended> {
    const { trial, chance, report } = this;
    const [command = ''] = given;
    if (command === 'forget')
      this.#erasing ??= chance.pick([...this.#delivered.values()]).user_id ?? 'nobody';
    const args = command === 'forget' ? ['forget', '--user-id', this.#erasing ?? '', '--yes'] : given;
    const where = this.#isHurt && command === 'run' ? 'run after a mishap' : command;
    this.#isHurt = false;
    const points = POINTS[where] ?? POINTS['run'] ?? [];
    const point = kill ? (points[this.#turn(where) % points.length] ?? '') : '';
    const at = chance.happens(0.8) ? point : { withinMs: 3_000, chance };
    const now = { DAWNLOAD_NOW: trial.clock.now().toISOString() };
    const result = await (kill ? executeAndKill(trial.place, args, at, report, now) : trial.run(args));
    if (kill) trial.tell(`${args.join(' ')} -> ${result.signal ?? result.code}, to be killed at ${point}`);
    assertNotPaidTwice(trial);
    if (result.signal !== null) {
      // What is lost before the first backup cannot be restored, the key of the hashes among it.
      if (this.#backups.length > 0 && chance.happens(0.4)) await this.#mishap();
      return result;
    }
    const isDeclared = [0, 1, 2, 3].includes(result.code ?? -1) && !result.stderr.includes('unforeseen');
    trial.assert(isDeclared, 'a command ended in an undeclared way', result);
    if (command === 'forget' && result.code === 0) {
      this.#erased = [...this.#erased, this.#erasing ?? ''];
      this.#erasing = undefined;
      await this.#backUp();
    }
    const decision = command === 'recover' ? command : command === 'exports' ? decisionIn(args) : undefined;
    if (decision !== undefined && result.code === 0) report.counters.count('decision', decision);
    const there = await this.#landed();
    // The whole second reading of an export takes the place of the first one.
    const inAnyReading = (file: string): string => file.replace(/\.\d+(?=\/page-)/, '');
    const pages = new Set(there.map(inAnyReading));
    for (const page of this.#pages)
      trial.assert(pages.has(inAnyReading(page)), `the landed file ${page} is gone`, result);
    this.#pages = there;
    return result;
  }

  /** True if a person did what the messages say, and the command is to be tried again. */
  async #remedy([command = '']: readonly string[], { stderr, code }: Ended): Promise<boolean> {
    if (code === 0 || command === 'recover' || command === 'exports') return false;
    const says = (text: string): boolean => stderr.includes(text);
    // With the right key in its place, a file that was made with another one is built again.
    if (says('hmac.key') && (await this.#restore('private/hmac.key'))) return true;
    if (says('`dawnload recover`')) await this.#recover();
    else if (says('`dawnload rebuild`') && command !== 'rebuild') await this.#carryOut(['rebuild']);
    else {
      if (says('Restore the ledger folder')) await this.#restore('ledger/pushed');
      if ((await this.#decideExports()) || (await this.#readAgain(stderr))) return true;
      return this.#decidePushes();
    }
    return true;
  }

  /** A person enters what the bills show, and lets runs pay again; an erasure that is missing is in a backup. */
  async #recover(): Promise<void> {
    this.report.recoveries++;
    for (let tries = 0; tries < 6; tries++) {
      const entries = await this.trial.entries().catch(() => []);
      for (const { export_id: id, start } of this.trial.bills()) {
        if (entries.some(({ exportId }) => exportId === id)) continue;
        const day = dayOf(new Date(start));
        const open = entries.find((one) => one.day === day && one.exportId === undefined);
        await this.#carryOut(['exports', 'decide', open?.key ?? `${day}.1`, '--attach', id, '--yes']);
      }
      // After a kill something else may be lost, so the person compares the bills again.
      const { code, signal, stderr } = await this.#perform(
        ['recover', '--yes'],
        tries < 2 && this.chance.happens(0.2),
      );
      if (signal !== null) continue;
      if (code === 0) return;
      if (stderr.includes('newest backup')) await this.#restore('ledger');
      if (stderr.includes('hmac.key')) await this.#restore('private/hmac.key');
    }
    throw this.trial.broken('recover does not come to an end');
  }

  /** Returns false if there is no backup, or the file is as it was in the backup. */
  async #restore(name: string): Promise<boolean> {
    // The first backup of the key is the best: nobody makes another one.
    const held = this.#backups.filter(({ path }) => existsSync(join(path, name)));
    const backup = name.endsWith('.key') ? held[0] : held.at(-1);
    this.trial.tell(`${name} is restored from ${backup?.path ?? 'nothing'}`);
    if (backup === undefined) return false;
    this.report.counters.count('decision', 'restore');
    const bytes = (path: string): Promise<string> => readFile(path, 'hex').catch(() => '');
    const before = await bytes(this.#path(name));
    await rm(this.#path(name), { recursive: true, force: true });
    await cp(join(backup.path, name), this.#path(name), { recursive: true });
    return before === '' || before !== (await bytes(this.#path(name)));
  }

  /**
   * A person does what messages say about exports: reads those again whose pages are missing, and takes those as they are that
   * look short because persons were erased while the journal was lost. True if there is one.
   */
  async #readAgain(stderr: string): Promise<boolean> {
    let did = false;
    for (const [pattern, command, ...more] of [
      [/pages of export (\S+) are not all in the landing zone/g, 'resume'],
      [/Export (\S+) of \S+ may lack/g, 'decide', '--accept-incomplete'],
    ] as const) {
      const keys = new Set([...stderr.matchAll(pattern)].map(([, key = '']) => key));
      for (const key of keys) await this.#carryOut(['exports', command, key, ...more]);
      did ||= keys.size > 0;
    }
    return did;
  }

  async #decideExports(): Promise<boolean> {
    const waiting = (await this.trial.entries()).filter(({ state }) => state === 'ambiguous');
    for (const entry of waiting) {
      const bill = this.trial.bills().find(({ start, end }) => `${start}/${end}` === windowOf(entry));
      const attach = ['exports', 'decide', entry.key, '--attach', bill?.export_id ?? '', '--yes'];
      await this.#carryOut(
        bill === undefined ? ['exports', 'decide', entry.key, '--pay-again'] : attach,
        bill !== undefined,
      );
    }
    return waiting.length > 0;
  }

  /** A person looks at the service: it has the rows of the unknown call, or it has not. */
  async #decidePushes(): Promise<boolean> {
    const list = await this.trial.run(['push', 'list', '--json']);
    const pushes = JSON.parse(list.stdout === '' ? '[]' : list.stdout) as Shown[];
    const waiting = pushes.filter(({ state }) => state === 'ambiguous');
    for (const { push, target, in_doubt: unknown } of waiting) {
      const sent = pushes.reduce((sum, one) => sum + (one.target === target ? one.sent : 0), 0);
      const isThere =
        this.#received(target.startsWith('events') ? 'events' : 'journeys').length >= sent + unknown;
      const how = isThere || this.#isPushLost ? '--delivered' : '--again';
      const decision = how === '--delivered' ? 'the service has them' : 'send them again';
      this.report.counters.count('decision', decision);
      await this.#perform(['push', 'decide', push, how], false);
    }
    return waiting.length > 0;
  }

  #received(what: 'events' | 'journeys'): string[] {
    const state = this.trial.place.sandbox.state() as State;
    return state[what].map((row) => JSON.stringify({ ...row, at: undefined }));
  }

  async #backUp(): Promise<void> {
    const path = join(this.trial.notes, `backup-${this.trial.clock.now().getTime()}`);
    await cp(this.trial.data, path, { recursive: true });
    this.#backups.push({ path, erased: this.#erased });
  }

  /** Something happens to the data folder. */
  async #mishap(): Promise<void> {
    const { chance } = this;
    this.report.mishaps++;
    this.#isHurt = true;
    const backup = this.#backups.length === 0 ? undefined : chance.pick(this.#backups.slice(-4));
    if (backup === undefined || chance.happens(0.7)) {
      for (let files = chance.happens(0.3) ? 2 : 1; files > 0; files--) await this.#damage();
    } else {
      const name = chance.pick(WIDE_NAMES);
      const { lost, back } = WIDE[name];
      this.trial.tell(`mishap: ${name}`);
      if (lost.some((part) => existsSync(this.#path(part)))) this.report.counters.count('mishap', name);
      this.#isPushLost = true;
      for (const part of lost) await rm(this.#path(part), { recursive: true, force: true });
      for (const part of back)
        await cp(join(backup.path, part), this.#path(part), { recursive: true }).catch(() => undefined);
      // Without `private/`, nothing knows a later erasure.
      if (lost.length === 4) {
        for (const user of this.#erased) this.#perhapsErased.add(user);
        this.#erased = backup.erased;
      }
    }
    const left = await this.#landed();
    this.#pages = this.#pages.filter((page) => left.includes(page));
  }

  /** One file is removed, cut, altered, or replaced by its older self. */
  async #damage(): Promise<void> {
    const { chance } = this;
    const folder = chance.pick(FOLDERS);
    const files = await listed(this.#path(folder), /^(?!.*lock)/);
    if (files.length === 0) return;
    const file = chance.pick(files);
    const name = relative(this.trial.data, file);
    const bytes = await readFile(file);
    const older = this.#backups.slice(-4).flatMap(({ path }) => [join(path, name)].filter(existsSync));
    const at = chance.below(Math.max(1, bytes.length));
    const bit = 1 << chance.below(8);
    const ways: Readonly<Record<(typeof WAYS)[number], () => Promise<unknown>>> = {
      removed: () => rm(file),
      'cut at a line': () => truncate(file, bytes.lastIndexOf('\n', at) + 1),
      'cut in a line': () => truncate(file, at),
      'changed by a bit': () =>
        writeFile(
          file,
          bytes.map((byte, nth) => (nth === at ? byte ^ bit : byte)),
        ),
      'an older one': () => cp(chance.pick(older), file),
    };
    const way = chance.pick(WAYS.slice(0, older.length > 0 ? undefined : -1));
    this.trial.tell(`mishap: ${name}: ${way} at ${at} of ${bytes.length}`);
    await ways[way]();
    const isChanged = way === 'removed' || !bytes.equals(await readFile(file));
    if (isChanged) this.report.counters.count('damage', `${folder}/: ${way}`);
    if (name.includes('pushed')) this.#isPushLost = true;
  }

  /** The landed files, without answers that were rejected. */
  async #landed(): Promise<string[]> {
    const files = await listed(this.#path('landing'), /\.gz$/);
    return files.filter((file) => !file.includes('/rejected/'));
  }

  /** No mishap any more: commands until nothing is missing. */
  async mend(): Promise<void> {
    this.trial.tell('mending');
    for (let round = 0; round < 14; round++) {
      this.trial.clock.shift(60_000);
      if (this.#erasing !== undefined) await this.#carryOut(['forget']);
      const { code } = await this.#carryOut(['run']);
      if (code === 0 && this.#erasing === undefined) return;
    }
    throw this.trial.broken('runs do not come to an end');
  }

  async audit(nights: number): Promise<void> {
    const { trial } = this;
    for (const what of this.#isPushLost ? [] : (['events', 'journeys'] as const)) {
      const received = this.#received(what);
      trial.assert(new Set(received).size === received.length, `${what} reached people twice`);
    }
    const isErased = (id: unknown): boolean => this.#erased.includes(String(id));
    for (const page of (await this.#landed()).filter((file) => file.includes('/events/'))) {
      const { data } = JSON.parse(gunzipSync(await readFile(page)).toString()) as { data: Row[] };
      trial.assert(!data.some((row) => isErased(row.user_id)), `an erased person is back in ${page}`);
    }
    const held = await rowsOf(trial.place.published, 'select event_id, user_id from events');
    trial.assert(
      !held.some((row) => isErased(row['user_id'])),
      'an erased person is back in the published file',
    );
    const all = [...this.#delivered.values()];
    const persons = [...this.#erased, ...this.#perhapsErased];
    const gone = new Set(persons.flatMap((user) => [...idsOfPerson(user, all)]));
    const there = new Set(held.map((row) => row['event_id']));
    const lost = without(all, gone).filter(({ id }) => !there.has(id));
    trial.assert(lost.length === 0, `${lost.length} of ${all.length} records are not published`);
    trial.assert(trial.bills().length === nights, `${trial.bills().length} of ${nights} days were paid for`);
    const counted = `select count(distinct date)::int as n from ops.coverage where stream = 'statistics'`;
    const [days] = await rowsOf(trial.place.published, counted);
    trial.assert(Number(days?.['n']) === nights, `${Number(days?.['n'])} of ${nights} days have statistics`);
  }
}

/** What `exports resume` and `exports decide` decide. */
function decisionIn(args: readonly string[]): string | undefined {
  return ['resume', 'attach', 'pay-again', 'accept-incomplete'].find(
    (one) => args[1] === one || args.includes(`--${one}`),
  );
}

/** A push, as `push list --json` shows it. */
interface Shown {
  readonly push: string;
  readonly target: string;
  readonly state: string;
  readonly sent: number;
  readonly in_doubt: number;
}

/**
 * Erasures with kills: random persons are erased from random worlds, each process is killed at a named point or at a random
 * moment, and the next `forget` goes on. Afterwards no file of the data folder holds an id of the person in any spelling, other
 * records are as they came, nothing was paid again, and the warehouse, also a rebuilt one, holds what that of a world holds
 * whose service never delivered the person.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesAnswer } from '../../sandbox/answer.js';
import { contents, differences, type Except, filesWith, landedPages } from '../support/contents.js';
import { ended, type Place, start } from '../support/dawnload.js';
import type { Bend } from '../support/faults/index.js';
import type { Crash } from '../support/points.js';
import { Chance } from './chance.js';
import { Counters } from './counters.js';
import { AT_RANDOM, executeAndKill, type Kills, placeAfterNight } from './trial.js';

/** Where an erasure is killed, in its order; `:n` is the n-th passing. */
export const ERASURE_POINTS = [
  'erasing/before-write',
  'erasing/before-rename',
  'erasing/durable',
  'journal/erase/begun/before-append',
  'journal/erase/begun/durable',
  'erasing/before-write:2',
  'erasing/durable:2',
  'journal/erase/cutting/before-append',
  'journal/erase/cutting/durable',
  'erasures/page/before-write',
  'erasures/page/before-fsync',
  'erasures/page/before-rename',
  'erasures/page/durable',
  'erasures/snapshot/before-rename',
  'erasures/snapshot/durable',
  'swept/durable',
  'erase/landing-swept',
  'load/before-commit',
  'load/after-commit',
  'erase/loaded',
  'journal/erase/cut/before-append',
  'journal/erase/cut/durable',
  'model/done',
  'check/done',
  'close/after-checkpoint',
  'publish/before-copy',
  'publish/before-rename',
  'publish/after-rename',
  'replace/before-rename',
  'replace/after-rename',
  'erase/copied',
  'publish/before-rename:2',
  'publish/after-rename:2',
  'erase-receipt/before-rename',
  'erase-receipt-json/durable',
  'erase/receipt',
  'journal/erase/done/before-append',
  'journal/erase/done/durable',
] as const satisfies readonly Crash[];

/** Points that only the erasure of somebody passes whose number is in the list of opt-outs. */
const OF_OPTED_OUT: ReadonlySet<string> = new Set<Crash>([
  'erasing/before-write:2',
  'erasing/durable:2',
  'erasures/snapshot/before-rename',
  'erasures/snapshot/durable',
]);

/** Points of ids that are learned from the pages, because the warehouse has them as hashes alone. */
const OF_HASHED: ReadonlySet<string> = new Set<Crash>(['erasing/before-write:2', 'erasing/durable:2']);

export interface ErasureOptions {
  readonly seed: number;
  readonly erasures: number;
  /** How many at most, while a point has not been reached yet. */
  readonly most?: number;
  /** When to stop early, in milliseconds of this machine's clock since the epoch. */
  readonly until?: number;
  /** Points that are tried before chance chooses. */
  readonly first?: readonly string[];
  readonly say?: (line: string) => void;
}

export interface ErasureReport extends Kills {
  erasures: number;
}

export const emptyErasureReport = (): ErasureReport => ({
  ...{ erasures: 0, kills: 0 },
  counters: new Counters({
    'crash point': ERASURE_POINTS,
    mishap: [AT_RANDOM],
    decision: ['forget a user id', 'forget a recipient'],
  }),
});

export interface Row {
  readonly id: string;
  readonly user_id?: string | null;
  readonly service_user_id?: string | null;
  readonly device_id?: string | null;
  readonly service_device_id?: string | null;
  readonly message_data?: Readonly<Record<string, unknown>> | null;
}

interface OptOut {
  readonly recipientNo: string;
}

const YAML = `start_date: 2026-11-19
lookback_days: 1
reference: { opt_outs: true }
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;

const PRIVACY = [
  ...['recipients: hash', 'recipients: hash', 'recipients: keep', 'recipients: drop'],
  'columns: { user_id: hash, device_id: drop }',
] as const;

/** What differs between a warehouse after erasures and one that never had the persons. */
const MAY_DIFFER: Except = {
  tables: [
    // What was done, and paid for: the exports were billed with the persons in them.
    ...['runs', 'exports', 'erasures', 'erased_ids', 'journal', 'migrations'],
    // The instant of each load, also of one that was repeated.
    'loads',
    // How many records were erased, and the sends that the statistics count beyond the events.
    ...['load_notes', 'checks'],
  ],
  columns: [
    // Instants of pulls and loads, and names of pulls, which hold their instant.
    ...[
      'pull',
      'loaded_at',
      'pulled_at',
      'updated_at',
      'checked_at',
      'detected_at',
      'collected_at',
      'noted_at',
      // Sends of the persons that the statistics count.
      'short',
    ],
  ],
};

/** Persons of one world; then the next world is made. */
const PER_WORLD = 8;

export async function eraseWithKills(
  options: ErasureOptions,
  report = emptyErasureReport(),
): Promise<ErasureReport> {
  const {
    seed,
    erasures,
    most = erasures,
    until = Number.POSITIVE_INFINITY,
    first = [],
    say = () => undefined,
  } = options;
  const goOn = (): boolean => report.counters.goesOn(report.erasures, erasures, most) && Date.now() < until;
  const chance = new Chance(seed);
  const waiting = [...first];
  const pointFor = (privacy: string): string | undefined => {
    const points = ERASURE_POINTS.filter((point) => privacy === 'recipients: hash' || !OF_HASHED.has(point));
    return chance.below(4) > 0 ? report.counters.rarest('crash point', points) : undefined;
  };
  while (goOn()) {
    const privacy = chance.pick(PRIVACY);
    const world = { eventsPerDay: 60 + chance.below(200), seed: chance.below(1_000_000) };
    const place = await placeAfterNight(`${YAML}privacy: { ${privacy} }\n`, world, tangled);
    try {
      const gone = new Set<string>();
      for (let nth = 0; nth < PER_WORLD && goOn(); nth++) {
        const began = Date.now();
        const billed = place.sandbox.requests().E20;
        const how = await eraseOne(place, chance, waiting.shift() ?? pointFor(privacy), report, gone);
        if (place.sandbox.requests().E20 !== billed) throw new Error('Something was paid again.');
        await compareWithOthers(place, gone);
        report.erasures++;
        say(`erasure ${report.erasures}, ${privacy}, ${how}: held, ${Date.now() - began} ms`);
      }
    } finally {
      await place.remove();
    }
  }
  return report;
}

/** Erases one person, and adds the person's ids to those that are gone. */
async function eraseOne(
  place: Place,
  chance: Chance,
  at: string | undefined,
  report: ErasureReport,
  gone: Set<string>,
): Promise<string> {
  const before = await records(place);
  const candidates = at !== undefined && OF_OPTED_OUT.has(at) ? await optedOut(place, before) : before;
  const person = chance.pick([...new Set(candidates.flatMap(({ user_id }) => user_id ?? []))]);
  const ids = idsOfPerson(person, before);
  const numbers = [...ids].filter((id) => id.startsWith('recipient ')).map((id) => id.slice(10));
  const given = chance.below(3) === 0 ? numbers[0] : undefined;
  const args = [
    'forget',
    ...(given === undefined ? ['--user-id', person] : ['--recipient', chance.pick(spellingsOf(given))]),
    '--yes',
  ];
  report.counters.count('decision', given === undefined ? 'forget a user id' : 'forget a recipient');
  const kills = report.kills;
  let result = await executeAndKill(place, args, at ?? { withinMs: 4_000, chance }, report);
  // The next one ends it. If nothing had begun before the kill, the person is erased only by that one; another one finds nothing.
  if (report.kills > kills) {
    await place.execute(args);
    result = await place.execute(args);
  }
  if (result.code !== 0) throw new Error(`forget ended with ${result.code}: ${result.stderr}`);
  for (const id of ids) gone.add(id);
  const left = new Set((await records(place)).map((row) => JSON.stringify(row)));
  const others = new Set(without(before, gone).map((row) => JSON.stringify(row)));
  const unlike = [
    ...[...left].filter((row) => !others.has(row)).map((row) => `not cut: ${row}`),
    ...[...others].filter((row) => !left.has(row)).map((row) => `cut: ${row}`),
  ];
  if (unlike.length > 0)
    throw new Error(
      `${unlike.length} records, after ${args.join(' ')} (${[...ids].join(', ')}): ${unlike[0]}`,
    );
  const written = [...ids].map((id) => id.slice(id.indexOf(' ') + 1));
  const found = await filesWith(join(place.folder, 'data'), [...written, ...numbers.flatMap(spellingsOf)]);
  if (found.length > 0) throw new Error(`${person} is left in ${found.join(', ')}.`);
  return kills === report.kills ? 'not killed' : `killed ${at === undefined ? 'at random' : `at ${at}`}`;
}

/** Compares the warehouse with a rebuilt one, and with that of a world that never had the persons. */
async function compareWithOthers(place: Place, gone: ReadonlySet<string>): Promise<void> {
  const erased = await contents(place.published, MAY_DIFFER);
  const never = await neverHad(place, gone);
  const unlike = differences(erased, never);
  if (unlike.length > 0) throw new Error(`A world without the persons differs: ${unlike.join('; ')}`);
  const rebuilt = await place.execute(['rebuild']);
  if (rebuilt.code !== 0) throw new Error(`rebuild ended with ${rebuilt.code}: ${rebuilt.stderr}`);
  const found = differences(await contents(place.published, MAY_DIFFER), never);
  if (found.length > 0) throw new Error(`A rebuild differs: ${found.join('; ')}`);
}

/** The warehouse of a data folder with the same key, whose service never delivers the persons. */
async function neverHad(place: Place, gone: ReadonlySet<string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-never-'));
  try {
    await cp(join(place.folder, 'dawnload.yaml'), join(folder, 'dawnload.yaml'));
    const key = join('data', 'private', 'hmac.key');
    await mkdir(join(folder, 'data', 'private'), { recursive: true });
    await cp(join(place.folder, key), join(folder, key));
    place.sandbox.bend((...asked) => undelivered(asked[0], tangled(...asked), gone));
    const night = await ended(start(['run'], folder, place.environment));
    // Its statistics count the persons, so that its exports may look short.
    if (night.code !== 0 && !night.stderr.includes('may lack'))
      throw new Error(`The other night ended with ${night.code}: ${night.stderr}`);
    return await contents(join(folder, 'data', 'warehouse.duckdb'), MAY_DIFFER);
  } finally {
    place.sandbox.bend(tangled);
    await rm(folder, { recursive: true, force: true });
  }
}
// The service, and who is whom, without any code of the program.

/**
 * A world in which devices have more than one owner: some with two or three, some with many; some records name a device alone, and
 * some texts mention the number of somebody else.
 */
const tangled: Bend = (endpoint, answer) => {
  if (endpoint !== 'E21') return answer;
  return changed<Row>(answer, (rows) => {
    const numbers = rows.flatMap((row) => recipientOf(row) ?? []);
    return rows.map((row, nth) => {
      const chance = new Chance(Number.parseInt(row.id.slice(-6), 16));
      const device = chance.below(2) === 0 ? chance.below(40) : 100 + chance.below(2);
      const mentioned = numbers[chance.below(numbers.length)];
      switch (chance.below(12)) {
        case 0:
          return { ...row, device_id: `tablet-${String(device).padStart(6, '0')}` };
        case 1:
          return { ...row, user_id: null, service_user_id: null };
        case 2: {
          const content = row.message_data?.['content'];
          if (typeof content !== 'string' || mentioned === undefined) return row;
          const text = `${content} 문의 ${chance.pick(spellingsOf(mentioned))} ${nth}`;
          return { ...row, message_data: { ...row.message_data, content: text } };
        }
        default:
          return row;
      }
    });
  });
};

/** The answers of a service that never delivers the persons. */
function undelivered(
  endpoint: Parameters<Bend>[0],
  answer: Parameters<Bend>[1],
  gone: ReadonlySet<string>,
): ReturnType<Bend> {
  if (endpoint === 'E21') return changed<Row>(answer, (rows) => without(rows, gone));
  if (endpoint !== 'E12') return answer;
  return changed<OptOut>(answer, (rows) =>
    rows.filter(({ recipientNo }) => !gone.has(`recipient ${plainNumber(recipientNo)}`)),
  );
}

function changed<T>(
  answer: Parameters<Bend>[1],
  change: (data: readonly T[]) => readonly T[],
): ReturnType<Bend> {
  const body = JSON.parse(answer.body.toString()) as { data?: T[]; totalCount?: number };
  if (!Array.isArray(body.data)) return answer;
  const data = change(body.data);
  const totalCount =
    body.totalCount === undefined ? {} : { totalCount: body.totalCount - body.data.length + data.length };
  return bytesAnswer(Buffer.from(JSON.stringify({ ...body, ...totalCount, data })), answer.status);
}

/** The records that are not the persons' own, with stars in place of the persons' numbers. */
export function without(rows: readonly Row[], gone: ReadonlySet<string>): Row[] {
  const spellings = [...gone]
    .filter((id) => id.startsWith('recipient '))
    .flatMap((id) => spellingsOf(id.slice('recipient '.length)));
  return rows
    .filter((row) => !idsOf(row).some((id) => gone.has(id)))
    .map((row) => {
      const text = JSON.stringify(row);
      const starred = spellings.reduce((held, one) => held.replaceAll(one, '*'.repeat(one.length)), text);
      return starred === text ? row : (JSON.parse(starred) as Row);
    });
}

/** The ids of a record, each with its kind. */
function idsOf(row: Row): string[] {
  const number = recipientOf(row);
  return [
    ...(['user_id', 'service_user_id', 'device_id', 'service_device_id'] as const).flatMap((kind) => {
      const value = row[kind];
      return value == null ? [] : [`${kind} ${value}`];
    }),
    ...(number === undefined ? [] : [`recipient ${plainNumber(number)}`]),
  ];
}

function recipientOf({ message_data }: Row): string | undefined {
  const number = message_data?.['recipientNo'];
  return typeof number === 'string' ? number : undefined;
}

/** All ids that records link to a user, by way of ids that at most three persons share. */
export function idsOfPerson(user: string, rows: readonly Row[]): Set<string> {
  const owners = new Map<string, Set<string>>();
  for (const row of rows) {
    const owner = row.user_id ?? row.service_user_id;
    for (const id of idsOf(row)) {
      owners.set(id, owners.get(id) ?? new Set());
      if (owner != null) owners.get(id)?.add(owner);
    }
  }
  const isShared = (id: string): boolean => (owners.get(id)?.size ?? 0) > 3;
  const found = new Set([`user_id ${user}`]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const ids of rows.map(idsOf)) {
      if (!ids.some((id) => found.has(id))) continue;
      for (const id of ids) if (!isShared(id)) found.add(id);
    }
  }
  return found;
}

const plainNumber = (number: string): string => number.replace(/\D/g, '').replace(/^820?/, '0');

/** Ways to write a Korean mobile number. */
function spellingsOf(number: string): string[] {
  const [, first = '', middle = '', last = ''] = /^0(\d\d)(\d+)(\d{4})$/.exec(plainNumber(number)) ?? [];
  return [`0${first}${middle}${last}`, `0${first}-${middle}-${last}`, `+82 ${first} ${middle} ${last}`];
}

/** The records with a number that the landed list of opt-outs has. */
async function optedOut(place: Place, rows: readonly Row[]): Promise<Row[]> {
  const pages = await landedPages(join(place.folder, 'data'), 'opt_outs');
  const listed = pages.flatMap(({ page }) => (page as { data: OptOut[] }).data);
  const numbers = new Set(listed.map(({ recipientNo }) => plainNumber(recipientNo)));
  return rows.filter((row) => numbers.has(plainNumber(recipientOf(row) ?? '')));
}

/** Every record of the landed pages, in their order. */
async function records(place: Place): Promise<Row[]> {
  const pages = await landedPages(join(place.folder, 'data'));
  return pages.flatMap(({ page }) => (page as { data: Row[] }).data);
}

/**
 * Erasures with kills: random persons are erased from random worlds, each process is killed at a named point or at a random
 * moment, and the next `forget` goes on. Afterwards no file of the data folder holds an id of the person, other records are as they
 * came, the warehouse is what a rebuild makes, and nothing was paid again.
 */
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { contents, differences } from '../support/contents.js';
import { ended, Place, type Ended } from '../support/dawnload.js';
import { Chance } from './chance.js';

/** Where an erasure is killed, in its order; `:n` is the n-th passing. */
export const ERASURE_POINTS = [
  'erasing/before-write',
  'erasing/before-rename',
  'erasing/durable',
  'erasures/erase/before-append',
  'erasures/erase/durable',
  'erasures/page/before-write',
  'erasures/page/before-fsync',
  'erasures/page/before-rename',
  'erasures/page/durable',
  'erasures/snapshot/before-rename',
  'erasures/snapshot/durable',
  'erasures/manifest/before-rename',
  'erasures/swept/before-rename',
  'erase/landing-swept',
  'load/before-commit',
  'load/after-commit',
  'erase/loaded',
  'erasures/cut/before-append',
  'erasures/cut/durable',
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
  'erasures/done/before-append',
  'erasures/done/durable',
] as const;

export interface ErasureOptions {
  readonly seed: number;
  readonly erasures: number;
  /** Points that are tried before chance chooses. */
  readonly first?: readonly string[];
  readonly say?: (line: string) => void;
}

export interface ErasureReport {
  erasures: number;
  kills: number;
  readonly points: Map<string, number>;
}

interface Row {
  readonly user_id?: string | null;
  readonly message_data?: { readonly recipientNo?: string } | null;
}

const YAML = `start_date: 2026-11-19
lookback_days: 1
reference: { opt_outs: true }
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;

/** Persons of one world; then the next world is made. */
const PER_WORLD = 8;

export async function eraseWithKills(options: ErasureOptions): Promise<ErasureReport> {
  const { seed, erasures, first = [], say = () => undefined } = options;
  const chance = new Chance(seed);
  const report: ErasureReport = { erasures: 0, kills: 0, points: new Map() };
  const waiting = [...first];
  while (report.erasures < erasures) {
    const privacy = chance.pick(['hash', 'hash', 'keep', 'drop'] as const);
    const place = await Place.make(`${YAML}privacy: { recipients: ${privacy} }\n`, {
      eventsPerDay: 60 + chance.below(200),
      seed: chance.below(1_000_000),
    });
    try {
      const night = await place.execute(['run']);
      if (night.code !== 0) throw new Error(`The night ended with ${night.code}: ${night.stderr}`);
      const billed = place.sandbox.requests().E20;
      for (let nth = 0; nth < PER_WORLD && report.erasures < erasures; nth++) {
        say(`erasure ${report.erasures + 1}, recipients ${privacy}`);
        await eraseOne(place, chance, waiting.shift(), report);
        report.erasures++;
        if (place.sandbox.requests().E20 !== billed) throw new Error('Something was paid again.');
      }
      await compareWithRebuild(place);
    } finally {
      await place.remove();
    }
  }
  return report;
}

async function eraseOne(
  place: Place,
  chance: Chance,
  point: string | undefined,
  report: ErasureReport,
): Promise<void> {
  const before = await records(place);
  const persons = [...new Set(before.flatMap(({ user_id }) => (user_id == null ? [] : [user_id])))];
  const person = chance.pick(persons);
  const numbers = new Set(
    before.flatMap((one) => (one.user_id === person ? (one.message_data?.recipientNo ?? []) : [])),
  );
  const args = ['forget', '--user-id', person, '--yes'];
  const at = point ?? (chance.below(3) > 0 ? chance.pick(ERASURE_POINTS) : undefined);
  let result = await (at === undefined
    ? killedAtRandom(place, args, chance)
    : place.execute(args, { DAWNLOAD_CRASH_AT: at }));
  while (result.code !== 0) {
    if (result.signal !== 'SIGKILL') throw new Error(`forget ended with ${result.code}: ${result.stderr}`);
    report.kills++;
    if (at !== undefined) report.points.set(at, (report.points.get(at) ?? 0) + 1);
    result = await place.execute(args);
  }
  // What was begun before ends first; the same person may still be there if nothing had begun.
  result = await place.execute(args);
  if (result.code !== 0) throw new Error(`forget ended with ${result.code}: ${result.stderr}`);
  const others = before.filter(
    (one) => one.user_id !== person && !numbers.has(one.message_data?.recipientNo ?? ''),
  );
  if (JSON.stringify(await records(place)) !== JSON.stringify(others))
    throw new Error(`The records of others changed: ${person}`);
  for (const id of [person, ...numbers]) {
    const found = await filesWith(place, id);
    if (found.length > 0) throw new Error(`${id} is left in ${found.join(', ')}.`);
  }
}

async function killedAtRandom(place: Place, args: readonly string[], chance: Chance): Promise<Ended> {
  const child = place.start(args);
  const timer = setTimeout(() => child.kill('SIGKILL'), 300 + chance.below(4000));
  const result = await ended(child);
  clearTimeout(timer);
  return result;
}

async function compareWithRebuild(place: Place): Promise<void> {
  const erased = await contents(place.published);
  const copy = join(place.folder, 'data');
  await cp(copy, join(place.folder, 'kept'), { recursive: true });
  const rebuilt = await place.execute(['rebuild']);
  if (rebuilt.code !== 0) throw new Error(`rebuild ended with ${rebuilt.code}: ${rebuilt.stderr}`);
  const found = differences(erased, await contents(place.published));
  if (found.length > 0) throw new Error(`A rebuild differs: ${found.join('; ')}`);
  await rm(join(place.folder, 'kept'), { recursive: true });
}

/** Every record of the landed pages, in their order. */
async function records(place: Place): Promise<Row[]> {
  const folder = join(place.folder, 'data', 'landing', 'events');
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.json.gz'))
    .sort();
  const all = await Promise.all(
    names.map(
      async (name) =>
        JSON.parse(gunzipSync(await readFile(join(folder, name))).toString()) as { data: Row[] },
    ),
  );
  return all.flatMap(({ data }) => data);
}

async function filesWith(place: Place, text: string): Promise<string[]> {
  const entries = await readdir(join(place.folder, 'data'), { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const one of entries.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(one.parentPath, one.name));
    const held = one.name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    if (held.includes(text)) found.push(one.name);
  }
  return found;
}

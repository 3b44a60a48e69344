// @module-tag long
/** A backup and what comes of it: a restored folder loses nothing and buys nothing twice, and so does a copied one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contents } from '../support/contents.js';
import { copyData } from '../support/copies.js';
import { Place } from '../support/dawnload.js';
import { filesBelow } from '../landing/support.js';

const SETTINGS = `start_date: 2026-11-18
lookback_days: 1
exports:
  start_date: 2026-11-20
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;
const shell = promisify(execFile);

let place: Place;
let kept: string;
const data = (...parts: readonly string[]): string => join(place.folder, 'data', ...parts);

beforeAll(async () => {
  place = await Place.make(SETTINGS, { eventsPerDay: 60 });
  expect((await place.run(['run'])).code).toBe(0);
  kept = join(place.folder, 'kept');
  await cp(data(), kept, { recursive: true });
}, 120_000);
afterAll(() => place.remove());
beforeEach(() => copyData(kept, data()));

test('has what must be restored, byte by byte, and nothing that tells a folder from its copy', async () => {
  const target = join(place.folder, 'backup');
  const { code, stdout } = await place.run(['backup', target, '--json']);
  expect(code).toBe(0);
  const files = await filesBelow(target);
  expect(JSON.parse(stdout)).toMatchObject({ folder: target, files: files.length, damaged: [] });
  const tops = [...new Set(files.map((name) => name.split('/')[0]))].sort();
  expect(tops).toEqual(['landing', 'ledger', 'private', 'warehouse.duckdb']);
  expect(files.filter((name) => name.startsWith('private/'))).toEqual(['private/hmac.key']);
  for (const name of files)
    expect([name, (await readFile(join(target, name))).equals(await readFile(data(name)))]).toEqual([
      name,
      true,
    ]);
  expect(await filesBelow(data('landing'))).toEqual(await filesBelow(join(target, 'landing')));
});

test('follows links to its place, and removes no folder but its own', async () => {
  const [inner, empty, mine] = ['inner', 'empty', 'next.partial'].map((name) => join(place.folder, name));
  await symlink(data(), String(inner));
  const refused = await place.run(['backup', join(String(inner), 'backup')]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is in the data folder')]);
  await mkdir(join(place.folder, 'real'));
  await symlink(join(place.folder, 'real'), String(empty));
  expect((await place.run(['backup', String(empty)])).code).toBe(0);
  expect(await filesBelow(join(place.folder, 'real'))).toContain('private/hmac.key');
  await mkdir(String(mine));
  await writeFile(join(String(mine), 'notes'), 'mine');
  expect((await place.run(['backup', join(place.folder, 'next')])).code).toBe(0);
  expect(await readFile(join(String(mine), 'notes'), 'utf8')).toBe('mine');
});

test('is refused in the place of a file, with another name as the remedy', async () => {
  const file = join(place.folder, 'a-file');
  await writeFile(file, 'mine');
  const { code, stderr } = await place.run(['backup', file]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/a-file is a file.\n.*Name a new folder/)]);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test('ends where no folder can be made', async () => {
  const { code, stderr } = await place.execute(['backup', '/proc/backup']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot create the folder /proc/.backup')]);
});

describe('a folder that came back', () => {
  const ways: readonly [string, (from: string, to: string) => Promise<unknown>][] = [
    [
      'from dawnload backup',
      async (from, to) => {
        await rm(join(place.folder, 'backup'), { recursive: true, force: true });
        expect((await place.run(['backup', join(place.folder, 'backup')])).code).toBe(0);
        await cp(join(place.folder, 'backup'), to, { recursive: true });
        await rm(from, { recursive: true });
      },
    ],
    ['by cp -a of the whole folder', (from, to) => shell('cp', ['-a', from, to])],
  ];
  const restores = async (_: string, copy: (from: string, to: string) => Promise<unknown>): Promise<void> => {
    const restored = join(place.folder, 'restored');
    await rm(restored, { recursive: true, force: true });
    const before = await contents(place.published);
    await copy(data(), restored);
    // The day before is paid after the copy was made.
    await copyData(kept, data());
    await place.configure(SETTINGS.replace('2026-11-20', '2026-11-19'));
    const paid = place.sandbox.requests().E20;
    expect((await place.run(['run'])).code).toBe(0);
    expect(place.sandbox.requests().E20).toBe(paid + 1);
    const inRestored = (args: readonly string[]) => place.run([...args, '--data-dir', restored]);
    const night = await inRestored(['run']);
    expect([night.code, night.stderr]).toEqual([
      1,
      expect.stringMatching(/(?:was|been) (?:copied or )?restored/),
    ]);
    expect(
      (await inRestored(['backfill', '--start', '2026-11-19', '--end', '2026-11-19', '--yes-paid'])).code,
    ).toBe(1);
    expect(place.sandbox.requests().E20).toBe(paid + 1);
    expect((await inRestored(['rebuild'])).code).toBe(1);
    expect(await contents(join(restored, 'warehouse.duckdb'))).toEqual(before);
    await place.configure(SETTINGS);
    expect((await inRestored(['recover', '--yes'])).code).toBe(0);
    expect((await inRestored(['run'])).code).toBe(0);
    expect(place.sandbox.requests().E20).toBe(paid + 1);
  };
  test.each(ways.slice(0, 1))('%s buys no day twice, and loses none', restores);
  test.each(ways.slice(1))('%s buys no day twice, either', { tags: ['extended'] }, restores);
});

test('what is damaged or missing is named, and backed up as it is', async () => {
  const first = async (stream: string, ending: string): Promise<string> =>
    join(stream, (await filesBelow(data('landing', stream))).find((name) => name.endsWith(ending)) ?? '');
  const page = await first('events', '.gz');
  const lost = await first('statistics_by_subchannel', '.gz');
  const manifest = await first('statistics', '.json');
  await writeFile(data('landing', page), 'no gzip');
  await rm(data('landing', lost));
  await writeFile(data('landing', manifest), '');
  await rm(data('private', 'hmac.key'));
  const { code, stdout, stderr } = await place.run(['backup', join(place.folder, 'damaged'), '--json']);
  expect(code).toBe(1);
  for (const named of [
    `${page} is incomplete or damaged`,
    `${lost} is missing`,
    `${manifest} is not a valid manifest`,
  ])
    expect(stderr).toContain(named);
  expect(stderr).toContain(`${data('private', 'hmac.key')} is missing or damaged`);
  expect((JSON.parse(stdout) as { damaged: unknown }).damaged).toHaveLength(5);
  expect(await readFile(join(place.folder, 'damaged', 'landing', page), 'utf8')).toBe('no gzip');
});

test.each([
  ['nowhere', 'none', 'does not exist'],
  ['back to it', '.', 'its links lead in a circle'],
])('a link in the landing zone that leads %s ends it, and leaves nothing', async (_, to, why) => {
  await symlink(to, data('landing', 'away'));
  const { code, stderr } = await place.run(['backup', join(place.folder, 'linked')]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  expect((await readdir(place.folder)).filter((name) => name.includes('linked'))).toEqual([]);
});

const emptyMounts = existsSync('/proc/mounts')
  ? readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[1] ?? [])
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      .filter((path) => readdirSync(path).length === 0)
  : [];
test.skipIf(emptyMounts.length === 0)(
  'is refused for a whole disk, which no folder can replace',
  async () => {
    const { code, stderr } = await place.run(['backup', emptyMounts[0] ?? '']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is a whole disk.*\n.*Name a folder on it/)]);
  },
);

test.each([
  ['a folder with files', 'full', /is not empty/, 2],
  ['a folder in the data folder', 'data/landing/backup', /is in the data folder/, 2],
  ['a folder below a file', 'dawnload.yaml/backup', /Cannot/, 1],
])('is refused for %s, and leaves nothing', async (_, name, why, exit) => {
  await mkdir(join(place.folder, 'full'), { recursive: true });
  await writeFile(join(place.folder, 'full', 'mine'), '');
  const before = await readdir(place.folder);
  const { code, stderr } = await place.run(['backup', join(place.folder, name)]);
  expect([code, stderr]).toEqual([exit, expect.stringMatching(why)]);
  expect(await readdir(place.folder)).toEqual(before);
});

test('is refused while an erasure is unfinished, whose record has plain ids', async () => {
  const erasing = {
    at: new Date().toISOString(),
    origins: [],
    ids: [],
    written: ['u-1'],
    sharedIds: 0,
    rows: {},
  };
  await writeFile(data('private', 'erasing.json'), JSON.stringify(erasing));
  const { code, stderr } = await place.run(['backup', join(place.folder, 'erasing')]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('`dawnload forget` completes it')]);
});

test('is refused before a run has ended: restored later, the folder would look new and pay again', async () => {
  await rm(data(), { recursive: true });
  await mkdir(data());
  const { code, stderr } = await place.run(['backup', join(place.folder, 'early')]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('its backup would be empty')]);
  expect((await readdir(place.folder)).filter((name) => name.includes('early'))).toEqual([]);
});

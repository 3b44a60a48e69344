// @module-tag long
/** Database files that were damaged or lost: noticed when a run begins, and made again from what has landed. */
import {
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyData } from '../support/copies.js';
import { contents } from '../support/contents.js';
import { Place } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

let place: Place;
let before: Record<string, string>;
beforeAll(async () => {
  place = await Place.make(
    'start_date: 2026-11-19\nlookback_days: 1\nexports: { budget: { records_per_run: 100000 } }\nreference: { catalogs: true }\n',
    { eventsPerDay: 1_200 },
  );
  expect((await place.run(['run'])).code).toBe(0);
  before = await contents(place.published);
  await cp(data(), `${data()}-whole`, { recursive: true });
});
beforeEach(async () => {
  await copyData(`${data()}-whole`, data());
});
afterAll(() => place.remove());

const data = (): string => join(place.folder, 'data');
const working = (): string => join(place.folder, 'data', 'private', 'warehouse.duckdb');

/** Overwrites some bytes at that part of a file. */
async function damage(file: string, part: number): Promise<void> {
  const { size } = await stat(file);
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(4096, 'damage'), 0, 4096, Math.floor((size - 4096) * part));
  await handle.close();
}

/** No request, and the same warehouse as before; the next run goes on from it. */
async function expectRebuilt(): Promise<void> {
  const requests = place.sandbox.requests();
  const rebuilt = await place.run(['rebuild']);
  expect(rebuilt.code, rebuilt.stderr).toBe(0);
  expect(place.sandbox.requests()).toEqual(requests);
  expect(await contents(place.published)).toEqual(before);
  expect((await place.run(['run'])).code).toBe(0);
  expect(place.sandbox.bills()).toHaveLength(2);
}

test('damage is told of as soon as DuckDB comes upon it, and `doctor --deep` reads all', async () => {
  const sound = await place.run(['doctor', '--deep']);
  expect(sound.code, sound.stdout).toBe(0);
  expect(sound.stdout).toMatch(/every block/);
  // Some blocks of a file are free, and nobody reads those.
  for (let part = 0.05; part < 1; part += 0.05) await damage(working(), part);
  const told = await place.run(['doctor', '--deep']);
  expect(told.code).toBe(1);
  expect(told.stdout).toMatch(/fail .*(?:damaged|Corrupt)/);
  const result = await ends(place.run(['run']), 1, '`dawnload rebuild`');
  expect(result.stderr).not.toContain('unforeseen');
  await expectRebuilt();
});

extended(
  'a log that DuckDB rejects is set aside, and what it had is loaded from what has landed',
  async () => {
    await rm(working());
    await place.dying(['run'], { DAWNLOAD_CRASH_AT: 'load/after-commit:2' });
    const log = `${working()}.wal`;
    const bytes = await readFile(log);
    const rejected = [
      // An entry's checksum is wrong.
      async () => {
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4;
        await writeFile(log, bytes);
      },
      // A log beside a later state of the file.
      () => writeFile(log, bytes),
      () => mkdir(log),
    ];
    for (const [nth, reject] of rejected.entries()) {
      await reject();
      await ends(place.run(['run']), 0, 'Its data is loaded again from the landing zone.');
      expect(await contents(place.published)).toEqual(before);
      const aside = await landed(/^private\/warehouse\.duckdb\.wal\.set-aside-/);
      expect(aside).toHaveLength(1);
      await rm(join(data(), aside[0] ?? ''), { recursive: true });
      expect(place.sandbox.bills(), String(nth)).toHaveLength(2);
    }
  },
);

const landed = async (name: RegExp): Promise<string[]> =>
  (await readdir(data(), { recursive: true })).filter((file) => name.test(file)).sort();

test('`doctor --deep` names a page of a paid export, an answer and a manifest that are gone or damaged', async () => {
  const pages = await landed(/events\/.*page.*gz$/);
  const [answer = ''] = await landed(/campaigns\/.*gz$/);
  const [manifest = ''] = await landed(/catalogs\/.*pull\.json$/);
  await rm(join(data(), pages.at(-1) ?? ''));
  await rm(join(data(), answer));
  await writeFile(join(data(), manifest), '{"version": 1');
  const told = await place.run(['doctor', '--deep']);
  expect(told.code).toBe(1);
  expect(told.stdout).toMatch(/The pages of export 2026-11-20\.1 have \d+ of its \d+ records/);
  expect(told.stdout).toContain(`${answer} is missing`);
  expect(told.stdout).toContain(`${manifest} is not a valid manifest`);
});

test.each(['campaigns', 'catalogs'])(
  'a damaged manifest of %s costs that pull alone',
  { tags: ['extended'] },
  async (stream) => {
    const [manifest = ''] = await landed(new RegExp(`${stream}/.*pull\\.json$`));
    await writeFile(join(data(), manifest), '{"version": 1');
    await ends(place.run(['rebuild']), 1, `${manifest} is not a valid manifest. Move its folder away.`);
    expect(await place.rows('select count(distinct date) as days from events')).toEqual([{ days: '2' }]);
    const asked = (): number => place.sandbox.requests().E17;
    const earlier = asked();
    const next = await place.run(['run']);
    expect(next.stderr).toContain(`${manifest} is not a valid manifest. Move its folder away.`);
    expect(asked()).toBeGreaterThan(earlier);
    await rm(dirname(join(data(), manifest)), { recursive: true });
    expect((await place.run(['run'])).code).toBe(0);
  },
);

test('a published file that was damaged is told of by who reads it, and the next run replaces it', async () => {
  for (let part = 0.05; part < 1; part += 0.02) await damage(place.published, part);
  for (const command of [
    ['status'],
    ['plan'],
    ['query', '--sql', 'select count(*), max(user_id) from events'],
  ]) {
    await ends(place.run(command), 1, '`dawnload rebuild`');
  }
  expect((await place.run(['run'])).code).toBe(0);
  expect(await contents(place.published)).toEqual(before);
});

test('a published file that is a link is refused before anything is asked, and what it leads to is left alone', async () => {
  const shared = join(place.folder, 'shared.duckdb');
  await rename(place.published, shared);
  const bytes = await readFile(shared);
  for (const target of [shared, join(place.folder, 'not-there-yet.duckdb')]) {
    const requests = place.sandbox.requests();
    await symlink(target, place.published);
    for (const command of [['run'], ['rebuild']]) {
      const { code, stdout, stderr } = await place.run(command);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`warehouse.duckdb is a link to ${target}, so it is not replaced.`);
    }
    expect(place.sandbox.requests()).toEqual(requests);
    expect((await place.run(['doctor'])).stdout).toContain(`warehouse.duckdb is a link to ${target}`);
    expect(await readlink(place.published)).toBe(target);
    await rm(place.published);
  }
  expect((await readFile(shared)).equals(bytes)).toBe(true);
  expect(await readdir(place.folder)).not.toContain('not-there-yet.duckdb');
  await rm(shared);
});

test('a flipped bit in one landed answer costs that answer alone', async () => {
  const [file = ''] = (await readdir(data(), { recursive: true })).filter((name) =>
    /^landing\/statistics\/.*gz$/.test(name),
  );
  const bytes = await readFile(join(data(), file));
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 4;
  await writeFile(join(data(), file), bytes);
  const rebuilt = await ends(place.run(['rebuild']), 1, file);
  expect(rebuilt.stderr).not.toContain('Free disk or memory');
  expect(await place.rows('select count(*) > 0 as there from events')).toEqual([{ there: true }]);
});

describe('a page of a paid export that was damaged', () => {
  const damagePage = async (): Promise<void> => {
    const [page = ''] = await landed(/events\/.*page.*gz$/);
    await damage(join(data(), page), 0.5);
  };
  const days = 'select count(distinct export_date) as days from events';

  test('does not cost the private warehouse its events, though a rebuild cannot read them', async () => {
    await damagePage();
    await ends(place.run(['rebuild']), 1, 'The private warehouse has these days, so it is kept');
    expect((await place.run(['run'])).code).toBe(0);
    expect(await contents(place.published)).toEqual(before);
  });

  extended(
    'keeps the published events where the private warehouse is gone too, and the service has forgotten them',
    async () => {
      await damagePage();
      await rm(working());
      expect((await place.run(['rebuild'])).stderr).toContain('Not published');
      const exported = await place.run(['exports', 'list', '--json']);
      const [{ key }] = JSON.parse(exported.stdout) as [{ key: string }];
      place.sandbox.setFaults([{ endpoint: 'E21', kind: 'status', status: 404 }]);
      for (const command of [['exports', 'resume', key], ['run'], ['rebuild']]) {
        const result = await place.run(command);
        expect(result.code, result.stderr).toBe(1);
        expect(await place.rows(days)).toEqual([{ days: '2' }]);
      }
      place.sandbox.setFaults([]);
      await place.run(['exports', 'resume', key]);
      expect((await place.run(['run'])).code).toBe(0);
      expect(await contents(place.published)).toEqual(before);
    },
  );
});

// @module-tag long
/** Whose data a folder holds: one project's, from whichever address. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realEffects } from '../../src/ground/effects.js';
import { PROJECT as PROJECT_LINES } from '../../src/job/data-folder.js';
import { Journal } from '../../src/journal/journal.js';
import { startSandbox, type Sandbox } from '../../sandbox/index.js';
import { KEYS, NOW, Place, PROJECT, type Environment } from '../support/dawnload.js';

const OTHER = 'fedcba9876543210fedcba9876543210';
const SETTINGS = `start_date: 2026-11-20
retries: 0
exports:
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;

let place: Place;
let moved: Sandbox;
beforeAll(async () => {
  place = await Place.make(SETTINGS, { eventsPerDay: 500 });
  expect((await place.run(['run'])).code).toBe(0);
  moved = await startSandbox({
    now: () => new Date(NOW),
    projectId: PROJECT,
    eventsPerDay: 500,
    exportSeconds: 0,
    ...KEYS,
  });
});
afterAll(async () => {
  await place.remove();
  await moved.close();
});

/** The project and the addresses in the journal. */
async function recorded(dataDir = join(place.folder, 'data')): Promise<unknown> {
  const lines = (await Journal.read({ dataDir }, realEffects({}))).of(PROJECT_LINES);
  const addresses = lines.flatMap((line) => (line.event === 'address' ? [line.baseUrl] : []));
  return { projectId: lines[0]?.projectId, addresses };
}

describe('another project in the same data folder', () => {
  const other: Environment = { DAWNLOAD_PROJECT_ID: OTHER };

  test.each([
    'run',
    'backfill --start 2026-11-20 --end 2026-11-20',
    'rebuild',
    'plan',
    'status',
    'schedule',
    'exports list',
    'exports resume 2026-11-20.1 --pay-again',
    'exports attach 2026-11-20.1 some-id',
  ])('%s names both, and does nothing: exit code 2', async (command) => {
    const ledger = join(place.folder, 'data', 'ledger', 'journal.jsonl');
    const before = [await readFile(ledger, 'utf8'), place.sandbox.requests()];
    const result = await place.run(command.split(' '), other);
    expect(result.stderr).toContain(`holds the data of project ${PROJECT}`);
    expect(result.stderr).toContain(`name project ${OTHER}`);
    expect(result.stderr).toContain('data_dir');
    expect(result.code).toBe(2);
    expect([await readFile(ledger, 'utf8'), place.sandbox.requests()]).toEqual(before);
  });

  test('doctor tells of it', async () => {
    const result = await place.run(['doctor'], other);
    expect(result.stdout).toMatch(/fail {2}project .*holds the data of project/);
    expect(result.code).toBe(1);
  });
});

test('an address that gives no token is not remembered, also as the first of a folder', async () => {
  const before = await recorded();
  const fresh = join(place.folder, 'fresh');
  for (const [wrong, keys] of [
    ['http://127.0.0.1:9', {}],
    [moved.url, { DAWNLOAD_SECRET_KEY: 'of another service' }],
  ] as const) {
    const environment: Environment = { DAWNLOAD_BASE_URL: wrong, ...keys };
    const result = await place.run(['run'], environment);
    expect(result.stderr).toContain(
      `was pulled from ${place.sandbox.url} before and is pulled from ${wrong} now`,
    );
    expect(result.code).toBe(1);
    expect(await recorded()).toEqual(before);
    expect((await place.run(['run', '--data-dir', fresh], environment)).code).toBe(1);
    expect(await recorded(fresh)).toEqual({ projectId: PROJECT, addresses: [] });
  }
  expect((await place.run(['run'])).stderr).not.toContain('was pulled from');
});

test('another address with the same project is told once, and recorded', { tags: ['long'] }, async () => {
  const there: Environment = { DAWNLOAD_BASE_URL: moved.url };
  const warning = `warning: Project ${PROJECT} was pulled from ${place.sandbox.url} before and is pulled from ${moved.url} now`;
  const first = await place.run(['run'], there);
  expect(first.stderr).toContain(warning);
  expect(first.code).toBe(0);
  expect(await recorded()).toEqual({ projectId: PROJECT, addresses: [place.sandbox.url, moved.url] });
  for (const environment of [there, {}]) {
    expect((await place.run(['run'], environment)).stderr).not.toContain('was pulled from');
  }
});

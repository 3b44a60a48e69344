// @module-tag long
/** Whose data a folder holds: one project's. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realEffects } from '../../src/ground/effects.js';
import { Journal, PROJECT as PROJECT_LINES } from '../../src/journal/journal.js';
import { Place, PROJECT, type Environment } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const OTHER = 'fedcba9876543210fedcba9876543210';
const SETTINGS = `start_date: 2026-11-20
retries: 0
exports:
  budget: { records_per_run: 100000, records_per_month: 100000 }
`;

let place: Place;
beforeAll(async () => {
  place = await Place.make(SETTINGS, { eventsPerDay: 500 });
  place.leavesStatus = true;
  expect((await place.run(['run'])).code).toBe(0);
});
afterAll(async () => {
  await place.remove();
});

/** The projects in the lines of a journal. */
async function recorded(dataDir: string): Promise<unknown> {
  const lines = (await Journal.read({ dataDir }, realEffects({}))).of(PROJECT_LINES);
  return lines.map(({ projectId }) => projectId);
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
    'exports decide 2026-11-20.1 --pay-again',
    'exports decide 2026-11-20.1 --attach some-id',
  ])('%s names both, and does nothing: exit code 2', async (command) => {
    const ledger = join(place.folder, 'data', 'ledger', 'journal.jsonl');
    const before = [await readFile(ledger, 'utf8'), place.sandbox.requests()];
    const { stderr } = await ends(
      place.run(command.split(' '), other),
      2,
      `has the data of project ${PROJECT}`,
      `name project ${OTHER}`,
      'data_dir',
    );
    expect(stderr).not.toContain('status.json');
    expect([await readFile(ledger, 'utf8'), place.sandbox.requests()]).toEqual(before);
  });

  test('the second copy of its journal is named, not the new folder', async () => {
    const copy = join(place.folder, 'data', 'landing', 'ledger', 'journal.jsonl');
    await place.configure(`${SETTINGS}data_dir: new\nledger_copy: ${copy}\n`);
    const { stderr, code } = await place.run(['run'], other);
    await place.configure(SETTINGS);
    expect(stderr).toContain(`${copy} is the journal of another data folder`);
    expect(stderr).toContain('Give ledger_copy a file of its own');
    expect(code).toBe(2);
  });

  test('doctor tells of it', async () => {
    const result = await place.run(['doctor'], other);
    expect(result.stdout).toMatch(/fail {2}project .*has the data of project/);
    expect(result.code).toBe(1);
  });
});

extended('the project of a folder is that of the first settings that name one', async () => {
  const nameless = await mkdtemp(join(tmpdir(), 'dawnload-project-'));
  const yaml = join(nameless, 'dawnload.yaml');
  await writeFile(yaml, 'start_date: 2026-11-20\n');
  const rebuild = ['rebuild', '--config', yaml];
  expect((await place.run(rebuild)).code).toBe(0);
  expect(await recorded(join(nameless, 'data'))).toEqual([undefined]);
  for (const environment of [{ DAWNLOAD_PROJECT_ID: OTHER }, {}, { DAWNLOAD_PROJECT_ID: OTHER }])
    expect((await place.run(rebuild, environment)).code).toBe(0);
  expect(await recorded(join(nameless, 'data'))).toEqual([undefined, OTHER]);
  await ends(place.run(rebuild, { DAWNLOAD_PROJECT_ID: PROJECT }), 2, `has the data of project ${OTHER}`);
  await rm(nameless, { recursive: true, force: true });
});

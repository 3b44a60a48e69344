/** What the demo ends with, on the small warehouse. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showResults } from '../../src/commands/demo.js';
import { CLI } from '../support/dawnload.js';
import { Reader } from '../../src/warehouse/reader.js';
import { makeWarehouse } from '../readers/queries/support.js';

let folder: string;
let reader: Reader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-demo-'));
  await makeWarehouse('small', join(folder, 'small.duckdb'));
  reader = await Reader.open(join(folder, 'small.duckdb'));
});

afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the demo ends with what bundled queries say of the data', async () => {
  const told: string[] = [];
  await showResults(reader, { out: (text) => told.push(text) }, new Date('2026-11-04T00:00:00Z'));
  const [{ sum }] = (await reader.objects(
    "select sum(message_sent)::integer as sum from daily_statistics where date > (select max(date) from ops.coverage where stream = 'statistics') - 7",
  )) as [{ sum: number }];
  expect(told[1]).toContain(`${sum.toLocaleString('en-US')} messages were sent on`);
  expect(told.join('\n')).not.toMatch(/[{}]|undefined/);
});

test('the demo takes no data folder of another place', () => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'demo', '--data-dir', 'elsewhere'], {
    cwd: mkdtempSync(join(folder, 'here-')),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('its own settings and data folder, in ./demo'),
  ]);
});

test.each([
  ['settings of another project', { 'dawnload.yaml': 'base_url: https://api.example.com\n' }],
  ['data alone', { notes: 'mine' }],
  [
    "the demo's settings, pointed at an account",
    { 'dawnload.yaml': "# The demo's settings: mine\nbase_url: https://api.example.com\n" },
  ],
])('the demo replaces no folder that holds %s', (_, files) => {
  const here = mkdtempSync(join(folder, 'here-'));
  mkdirSync(join(here, 'demo', 'data'), { recursive: true });
  for (const [name, text] of Object.entries({ 'data/journal': 'paid', ...files }))
    writeFileSync(join(here, 'demo', name), text);
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'demo'], { cwd: here, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining('contains files that are not from a demo')]);
  expect(readFileSync(join(here, 'demo', 'data', 'journal'), 'utf8')).toBe('paid');
});

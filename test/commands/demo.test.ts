/** What the demo ends with, on the small warehouse. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showResults } from '../../src/commands/demo.js';
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

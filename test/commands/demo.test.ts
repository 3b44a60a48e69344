/** What the demo ends with: sentences and small tables, on the small warehouse. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showResults } from '../../src/commands/demo.js';
import { Reader } from '../../src/warehouse/reader.js';
import { makeWarehouse } from '../queries/support.js';

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

/** What a window of so many columns shows; without a number, what a pipe gets. */
async function shown(width?: number): Promise<string[]> {
  const told: string[] = [];
  const tell = (text: string): void => {
    told.push(text);
  };
  await showResults(reader, { out: tell, draw: tell, color: false, width });
  return told;
}

describe('the end of the demo', () => {
  it('has one sentence for each of three results, and a small table below it', async () => {
    const told = await shown();
    const tables = told.filter((text) => text.startsWith('┌'));
    expect(tables).toHaveLength(3);
    for (const table of tables) {
      const [, heads = ''] = table.split('\n');
      expect(heads.split('│').length - 2).toBeLessThanOrEqual(6);
      expect(table.split('\n').length).toBeLessThanOrEqual(16);
    }
    expect(told.filter((text) => text !== '').map((text) => text.startsWith('┌'))).toEqual([
      ...[false, true],
      ...[false, true],
      ...[false, true],
    ]);
    const [sent, clicked, tests] = told.filter((text) => text !== '' && !text.startsWith('┌'));
    const [{ sum }] = (await reader.objects(
      "select sum(message_sent)::integer as sum from daily_statistics where date > (select max(date) from ops.coverage where stream = 'statistics') - 7",
    )) as [{ sum: number }];
    expect(sent).toMatch(new RegExp(`^Sent ${sum.toLocaleString('en-US')} messages in the last seven days`));
    expect(clicked).toMatch(/^“.+” was clicked most in the last 28 days: [\d,]+ clicks/);
    expect(tests).toMatch(/^A\/B tests of clicks: \d of \d decided/);
  });

  it.each([undefined, 80])('fits into a window, and into 100 columns (%s)', async (width) => {
    const widest = Math.min(width ?? 100, 100);
    for (const table of (await shown(width)).filter((text) => text.startsWith('┌'))) {
      expect(table).not.toContain('Too narrow');
      for (const line of table.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(widest);
    }
  });
});

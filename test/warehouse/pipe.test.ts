/** A named pipe in the place of the published file. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tellsOfDamage } from '../../src/disk/duckdb.js';
import { assertReplaceable } from '../../src/warehouse/publish.js';
import { temporaryFolder } from './support.js';

test('a named pipe as the published file is refused, and nobody waits for its writer', async () => {
  const path = join(temporaryFolder(), 'warehouse.duckdb');
  execFileSync('mkfifo', [path]);
  await expect(assertReplaceable(path)).rejects.toThrow('is not a DuckDB file, so it is not replaced.');
});

test.each(['Invalid bitpacking mode', 'Corrupted RLE segment'])('%s is damage', (words) => {
  expect(tellsOfDamage(new Error(`Invalid Input Error: ${words}`))).toBe(true);
});

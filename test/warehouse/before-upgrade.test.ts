import { readdirSync, readFileSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StorageError } from '../../src/errors.js';
import { discardCopies, keepCopy, keptCopies } from '../../src/warehouse/publish.js';
import { temporaryFolder } from './support.js';

const effects = { reach: () => undefined };

test('copies of several schemas are kept beside the file, and removed together', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'warehouse.duckdb');
  writeFileSync(file, 'older');
  writeFileSync(`${file}.before-upgrade-3.part`, 'of a killed run');
  await keepCopy(file, 3, effects);
  writeFileSync(file, 'newer');
  await keepCopy(file, 4, effects);
  expect(await keptCopies(file)).toEqual([`${file}.before-upgrade-3`, `${file}.before-upgrade-4`]);
  expect(readFileSync(`${file}.before-upgrade-3`, 'utf8')).toBe('older');
  await keepCopy(file, 3, effects);
  expect(readFileSync(`${file}.before-upgrade-3`, 'utf8')).toBe('newer');
  await discardCopies(file);
  expect(readdirSync(folder)).toEqual(['warehouse.duckdb']);
});

test('without room for a copy nothing is upgraded, and the message says how much is needed', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'warehouse.duckdb');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(file, '');
  // A hole takes no room.
  truncateSync(file, bavail * bsize + 5e9);
  const failure: unknown = await keepCopy(file, 3, effects).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StorageError);
  expect((failure as StorageError).message).toMatch(/a copy of it needs \d+ MB and \d+ MB are free\.$/);
  expect(readdirSync(folder)).toEqual(['warehouse.duckdb']);
});

test('a copy that cannot be finished leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'warehouse.duckdb');
  writeFileSync(file, 'older');
  const full = {
    reach(point: string) {
      if (point === 'upgrade/before-rename') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  };
  await expect(keepCopy(file, 3, full)).rejects.toThrow(StorageError);
  expect(readdirSync(folder)).toEqual(['warehouse.duckdb']);
  expect(await keptCopies(join(folder, 'no such folder', 'warehouse.duckdb'))).toEqual([]);
});

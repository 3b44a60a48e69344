/** What DuckDB says of a damaged file. */
import { mkdir, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openInstance, tellsOfDamage } from '../../src/landing/duckdb.js';
import { dataFolder, rejection } from './support.js';

it('a database file that was cut is a damaged one', async () => {
  const path = join(await dataFolder(), 'cut.duckdb');
  await mkdir(dirname(path), { recursive: true });
  const written = await openInstance(path);
  const writing = await written.connect();
  await writing.run('create table numbers as select hash(i) as n from range(300000) as r(i)');
  writing.closeSync();
  written.closeSync();
  await truncate(path, (await stat(path)).size - 300_000);
  const read = async (): Promise<void> => {
    const cut = await openInstance(path);
    await (await cut.connect()).run('select sum(n) from numbers');
  };
  expect(tellsOfDamage(await rejection(read()))).toBe(true);
});

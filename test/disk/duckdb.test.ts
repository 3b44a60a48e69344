/** What DuckDB says of a damaged file. */
import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openInstance, rejectsLog, tellsOfDamage } from '../../src/disk/duckdb.js';
import { dataFolder, rejection } from '../landing/support.js';

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

it('a log with other bytes is rejected', async () => {
  const path = join(await dataFolder(), 'logged.duckdb');
  await mkdir(dirname(path), { recursive: true });
  const written = await openInstance(path);
  const writing = await written.connect();
  await writing.run('create table numbers as select 1 as n');
  const log = await readFile(`${path}.wal`);
  writing.closeSync();
  written.closeSync();
  await writeFile(`${path}.wal`, log.fill('x', log.length - 20, log.length - 10));
  expect(rejectsLog(await rejection(openInstance(path)))).toBe(true);
});

it.each([
  ['Catalog Error: Failure while replaying WAL file "w": Table with name t does not exist!', true],
  ['INTERNAL Error: Failure while replaying WAL file "w": Invalid WAL entry type!', true],
  ['IO Error: Failure while replaying WAL file "w": Could not read from file: Input/output error', false],
  ['Out of Memory Error: Failure while replaying WAL file "w": failed to allocate', false],
  ['INTERRUPT Error: Failure while replaying WAL file "w": Interrupted!', false],
  ['Catalog Error: Table with name t does not exist!', false],
])('%s: the log is rejected: %s', (message, isRejected) => {
  expect(rejectsLog(new Error(message))).toBe(isRejected);
});

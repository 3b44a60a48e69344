// @module-tag long
/** The private file is rewritten before it is published when much of it is free, and only then. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { change, rowsOf } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

/** Writes rows into the private file and deletes them. Rows behind them keep DuckDB from cutting their blocks off. */
function loosen(path: string): Promise<void> {
  return change(
    path,
    `create table filling as select range as n, md5(range::varchar) as text from range(1000000);
    checkpoint;
    create or replace table behind as from filling limit 100000;
    checkpoint;
    drop table filling;
    checkpoint`,
  );
}

async function freeBlocks(path: string): Promise<number> {
  const [size] = await rowsOf(path, 'select free_blocks from pragma_database_size()');
  return Number(size?.['free_blocks']);
}

/** The crash point of the rewrite: a run that comes to it is killed. */
const REWRITE = { DAWNLOAD_CRASH_AT: 'replace/before-rename' };

extended('a published file has no more free blocks than two fifths of what it holds', async () => {
  const place = await makePlace('start_date: 2026-11-20\nlookback_days: 1\n');
  const working = join(place.folder, 'data/private/warehouse.duckdb');
  expect((await place.execute(['run'], REWRITE)).code).toBe(0);
  const { size } = statSync(place.published);
  await loosen(working);
  expect(statSync(working).size).toBeGreaterThan(2 * size);
  expect((await place.execute(['run'], REWRITE)).code).toBeNull();
  expect((await place.execute(['run'])).code).toBe(0);
  expect(await freeBlocks(place.published)).toBe(0);
});

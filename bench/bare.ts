/**
 * DuckDB's own speed: reads the pages of an export into a table in a file, with records as STRUCT and messages as JSON. A table in memory
 * would be half the work, because it is neither compressed nor written.
 */
import { FIELDS } from '../src/streams/index.js';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { fieldsFor, shapesOf } from '../src/ground/fields.js';

/** Wall clock and processor seconds for the landed pages in a data folder. */
export async function bareLoad(dataDir: string): Promise<{ wall: number; processor: number }> {
  const folder = join(dataDir, 'landing', 'events');
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.json.gz')).map((name) => `'${join(folder, name)}'`);
  const shape = JSON.parse(shapesOf(fieldsFor('service', FIELDS))['record'] ?? '{}') as object;
  const struct = Object.entries(shape).map(
    ([field, type]) => `"${field}" ${typeof type === 'string' ? type : 'JSON'}`,
  );
  const file = join(dataDir, 'bare.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const began = performance.now();
  const before = process.cpuUsage();
  await connection.run(
    `create table bare as
     select unnest(data, max_depth := 2)
     from read_json(
       [${files.join(',')}], format = 'unstructured', records = true, maximum_object_size = 16777216,
       columns = {data: 'STRUCT(${struct.join(', ')})[]'}
     )`,
  );
  const wall = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  connection.closeSync();
  instance.closeSync();
  await rm(file);
  return { wall, processor: (user + system) / 1e6 };
}

/** DuckDB's own speed: copies each relation of a published file that belongs in a lake to a local Parquet file. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';

const relation = z.object({ schema: z.string(), name: z.string() });

/** Seconds of wall clock, with the codec and the limits of a push. */
export async function bareCopy(file: string, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '640MB',
    temp_directory: join(folder, 'temp'),
  });
  const connection = await instance.connect();
  try {
    await connection.run(`attach '${file}' as warehouse (read_only)`);
    await connection.run('use warehouse');
    await connection.run("set TimeZone = 'Asia/Seoul'");
    const found = await connection.runAndReadAll(
      `select table_schema as schema, table_name as name
       from information_schema.tables
       where table_catalog = 'warehouse' and table_schema in ('main', 'ops', 'marts')
       order by all`,
    );
    const began = performance.now();
    for (const { schema, name } of z.array(relation).parse(found.getRowObjects())) {
      const path = join(folder, `${schema}.${name}.parquet`);
      await connection.run(`copy (from ${schema}."${name}") to '${path}' (format parquet, compression zstd)`);
    }
    return (performance.now() - began) / 1000;
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}

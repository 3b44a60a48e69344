/**
 * Multiplies one real day of a published file in SQL, to get as many days and events as a benchmark needs within a minute. The models' rows
 * of that day are copied too, so all relations grow realistically.
 */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { z } from 'zod';

export interface Extent {
  /** Days after the real one, which is 0. */
  readonly from: number;
  readonly to: number;
  /** Copies of the real day's events and messages in each day. */
  readonly copies: number;
}

/** Tables by day that only have people seen for the first time; they stay unchanged. */
const LASTING = ['public_holidays', 'identities', 'first_messages', 'first_node_messages'];

const table = z.object({
  table: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});
type Table = z.infer<typeof table>;

/** How a copy differs from its row; `n` is the day, `c` the copy within the day. */
function changed(name: string, type: string, n: number, c: number): string | undefined {
  if (type === 'DATE') return `"${name}" + ${n}`;
  if (type === 'TIMESTAMP WITH TIME ZONE') {
    return `"${name}" + interval ${n} day + to_microseconds((hash(${c}, "${name}") % 600_000_000)::bigint)`;
  }
  if (name === 'event_id') return `substr(md5("${name}" || '${n}/${c}'), 1, 24)`;
  // The same people come every day.
  if (c > 0 && ['user_id', 'device_id'].includes(name)) return `"${name}" || '_${c}'`;
  if (c > 0 && ['service_user_id', 'service_device_id'].includes(name)) return `md5("${name}" || ${c})`;
  if (c > 0 && name === 'person') return `hash("${name}", ${c})`;
  return undefined;
}

/** Adds those days to a file that began as a copy of `base`, the file of one real day. */
export async function grow(path: string, base: string, extent: Extent): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  try {
    await connection.run(`attach '${base}' as base (read_only)`);
    await connection.run('begin');
    for (const each of await tablesByDay(connection)) await growTable(connection, each, extent);
    await growNotes(connection, extent);
    await connection.run('commit');
    await connection.run('checkpoint');
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function tablesByDay(connection: DuckDBConnection): Promise<Table[]> {
  const found = await connection.runAndReadAll(
    `select
       schema_name || '.' || table_name as "table",
       list({'name': column_name, 'type': data_type} order by column_index) as columns
     from duckdb_columns()
     where database_name = current_database() and schema_name in ('main', 'marts')
       and table_oid in (select table_oid from duckdb_tables())
       and table_name not in (${LASTING.map((name) => `'${name}'`).join(', ')})
     group by all
     having bool_or(column_name = 'date' and data_type = 'DATE')
     order by "table"`,
  );
  return z.array(table).parse(found.getRowObjectsJson());
}

/** One statement per copy: adjacent copies of a row would compress unrealistically well. */
async function growTable(
  connection: DuckDBConnection,
  { table, columns }: Table,
  { from, to, copies }: Extent,
): Promise<void> {
  const isOfPeople = columns.some(({ name }) => name === 'event_id' || name === 'person');
  for (let n = from; n <= to; n++) {
    for (let c = 0; c < (isOfPeople ? copies : 1); c++) {
      if (n === 0 && c === 0) continue;
      const values = columns.map(({ name, type }) => changed(name, type, n, c) ?? `"${name}"`);
      await connection.run(`insert into ${table} select ${values.join(', ')} from base.${table}`);
    }
  }
}

/** The file's metadata about days. */
async function growNotes(connection: DuckDBConnection, { from, to }: Extent): Promise<void> {
  const copies = `(select unnest(range(${Math.max(from, 1)}, ${to + 1}))::int as n) as copies`;
  await connection.run(
    `insert into ops.coverage
     select coverage.* replace ((date + n)::date as date, pull || '/' || n as pull)
     from base.ops.coverage, ${copies}
     where stream in ('events', 'statistics', 'statistics_by_subchannel')`,
  );
  await connection.run(
    `insert into ops.model_days
     select model_days.* replace ((date + n)::date as date, digest || '/' || n as digest)
     from base.ops.model_days, ${copies}
     where relation not in (${LASTING.map((name) => `'marts.${name}'`).join(', ')}, 'marts.weekly_people')`,
  );
}

/** What Spark read of the lake beside the published file: every table row by row, by DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api';

/** Types that Iceberg lacks; all others are the same on both sides. */
const MAPPED: Readonly<Record<string, string>> = { JSON: 'VARCHAR', UBIGINT: 'DECIMAL(20,0)' };

/** Tables that only the lake has: they tell of its commits. */
const LAKE_ONLY = /_ops\.(lake_commits|lake_parts)$/;

export interface Compared {
  /** As in the lake: `dawnload_marts.channel_days`. */
  readonly table: string;
  readonly rows: number;
  /** Rows that the other side does not have. */
  readonly onlyHere: number;
  readonly onlyThere: number;
  /** Why rows cannot be compared. */
  readonly problem?: string;
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * @param copies tables of the lake as Parquet, each in a folder of its name, `lake.` before it
 * @param namespace of the tables of `main`
 */
export async function compare(
  file: string,
  copies: { readonly folder: string; readonly tables: readonly string[] },
  namespace: string,
): Promise<Compared[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const connection = await instance.connect();
    const ask: Ask = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
    await ask(`attach '${file}' as warehouse (read_only)`);
    await ask('use warehouse');
    // As commands ask it.
    await ask(`set TimeZone = 'Asia/Seoul'`);
    const relations = (await ask(
      `select schema_name as schema, table_name as name,
         list(struct_pack(name := column_name, type := data_type) order by column_index) as columns
       from duckdb_columns()
       where database_name = 'warehouse' and not internal and schema_name in ('main', 'ops', 'marts')
       group by all order by all`,
    )) as unknown as Relation[];

    const unread = new Set(copies.tables.filter((table) => !LAKE_ONLY.test(table)));
    const compared: Compared[] = [];
    for (const relation of relations) {
      const table = `${namespace}${relation.schema === 'main' ? '' : `_${relation.schema}`}.${relation.name}`;
      compared.push(
        unread.delete(`lake.${table}`)
          ? { table, ...(await compareRows(ask, relation, `${copies.folder}/lake.${table}/*.parquet`)) }
          : { table, ...cannot('is not in the lake') },
      );
    }
    for (const table of unread) {
      compared.push({ table: table.replace('lake.', ''), ...cannot('is not in the file') });
    }
    return compared;
  } finally {
    instance.closeSync();
  }
}

async function compareRows(
  ask: Ask,
  { schema, name, columns }: Relation,
  parquet: string,
): Promise<Omit<Compared, 'table'>> {
  const wanted = columns.map((column) => ({
    name: `"${column.name}"`,
    type: column.type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word),
  }));
  const described = (list: typeof wanted): string => list.map((one) => `${one.name} ${one.type}`).join(', ');
  const found = (await ask(`describe from read_parquet('${parquet}')`)).map((column) => ({
    name: `"${String(column['column_name'])}"`,
    type: String(column['column_type']),
  }));
  if (described(found) !== described(wanted)) {
    return cannot(`has other columns: ${described(found)} instead of ${described(wanted)}`);
  }
  const [counts] = await ask(
    `with
       here as materialized (
         select ${wanted.map((one) => `${one.name}::${one.type}`).join(', ')} from warehouse.${schema}."${name}"
       ),
       there as materialized (from read_parquet('${parquet}'))
     select
       (select count(*) from here)::int as rows,
       (select count(*) from (from here except all from there))::int as only_here,
       (select count(*) from (from there except all from here))::int as only_there`,
  );
  return {
    rows: Number(counts?.['rows']),
    onlyHere: Number(counts?.['only_here']),
    onlyThere: Number(counts?.['only_there']),
  };
}

function cannot(problem: string): Omit<Compared, 'table'> {
  return { rows: 0, onlyHere: 0, onlyThere: 0, problem };
}

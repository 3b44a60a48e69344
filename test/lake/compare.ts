/** What Spark read of the lake beside the published file: every table row by row, by DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api';

/** Types that Iceberg lacks; all others are the same on both sides. */
const MAPPED: Readonly<Record<string, string>> = { JSON: 'VARCHAR', UBIGINT: 'DECIMAL(20,0)' };

/** Tables that only the lake has: they tell of its commits. */
const LAKE_ONLY = ['lake_commits', 'lake_parts'];

export interface Compared {
  /** As in the lake: `dawnload_marts.channel_days`. */
  readonly table: string;
  readonly rows: number;
  /** Undefined when all is equal. */
  readonly difference: string | undefined;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

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
    const ask = async (sql: string): Promise<Record<string, unknown>[]> =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson();
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
    )) as unknown as { schema: string; name: string; columns: Column[] }[];

    const unread = new Set(
      copies.tables.filter((table) => !LAKE_ONLY.some((name) => table.endsWith(`_ops.${name}`))),
    );
    const compared: Compared[] = [];
    for (const { schema, name, columns } of relations) {
      const table = `${namespace}${schema === 'main' ? '' : `_${schema}`}.${name}`;
      const copy = `lake.${table}`;
      if (!unread.delete(copy)) {
        compared.push({ table, rows: 0, difference: 'is not in the lake' });
        continue;
      }
      const parquet = `read_parquet('${copies.folder}/${copy}/*.parquet')`;
      const found = (await ask(`describe from ${parquet}`)).map(
        (column) => `${String(column['column_name'])} ${String(column['column_type'])}`,
      );
      const types = columns.map(({ type }) => type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word));
      const wanted = columns.map((column, i) => `${column.name} ${types[i]}`);
      const odd = [
        ...wanted.filter((one) => !found.includes(one)),
        ...found.filter((one) => !wanted.includes(one)),
      ];
      if (odd.length > 0) {
        compared.push({ table, rows: 0, difference: `has other columns: ${odd.join(', ')}` });
        continue;
      }
      const here = `select ${columns.map((c, i) => `"${c.name}"::${types[i]}`).join(', ')} from warehouse.${schema}."${name}"`;
      const there = `select ${columns.map((c) => `"${c.name}"`).join(', ')} from ${parquet}`;
      const [counts] = await ask(
        `with here as materialized (${here}), there as materialized (${there})
         select (select count(*) from here)::int as rows,
           (select count(*) from (from here except all from there))::int as only_here,
           (select count(*) from (from there except all from here))::int as only_there`,
      );
      const [rows, onlyHere, onlyThere] = ['rows', 'only_here', 'only_there'].map((key) =>
        Number(counts?.[key]),
      );
      compared.push({
        table,
        rows: rows ?? 0,
        difference:
          onlyHere === 0 && onlyThere === 0
            ? undefined
            : `${onlyHere} rows only in the file, ${onlyThere} only in the lake`,
      });
    }
    for (const copy of unread) {
      compared.push({ table: copy.replace('lake.', ''), rows: 0, difference: 'is not in the file' });
    }
    return compared;
  } finally {
    instance.closeSync();
  }
}

/** A second DuckDB file that replaces the lake's catalog, and the faults of a catalog. */
import type { DataFile, LakeCatalog } from '../../src/lake/lake.js';
import type { Session } from '../../src/warehouse/session.js';
import { compare, isEqual } from '../lake/compare.js';
import { reading } from './dawnload.js';

/** The section `lake` of `dawnload.yaml`; nothing listens at its addresses. */
export const LAKE_YAML =
  'lake:\n  catalog: { uri: "http://127.0.0.1:9", warehouse: test, auth: none }\n  namespace: dl\n';

export class FileLake implements LakeCatalog {
  together = true;
  unreachable = false;

  constructor(readonly file: string) {}

  async attach(session: Session): Promise<void> {
    if (this.unreachable) throw new Error('IO Error: Could not establish connection to the catalog');
    await session.runText(`attach '${this.file}' as lake`);
  }

  tableClauses(): string {
    return '';
  }

  commitsTogether(): Promise<boolean> {
    return Promise.resolve(this.together);
  }

  /** Unused here; `npm run test:lake` has real ones. */
  dataFiles(): Promise<DataFile[]> {
    return Promise.resolve([]);
  }

  /** Rows of the lake. */
  rows(sql: string): Promise<Record<string, unknown>[]> {
    return reading(this.file, (ask) => ask(sql));
  }
}

/** The tables whose rows differ between the published file and the lake, compared in both directions. */
export async function unequalTables(published: string, lake: FileLake): Promise<string[]> {
  const names = await lake.rows(
    "select schema_name || '.' || table_name as name from duckdb_tables() where not internal",
  );
  const tables = names.map(({ name }): [string, string] => [String(name), `lake.${String(name)}`]);
  const compared = await compare(
    published,
    { attach: `attach '${lake.file}' as lake (read_only)`, tables: new Map(tables) },
    'dl',
  );
  return compared.length > 100
    ? compared.filter((one) => !isEqual(one)).map(({ table }) => table)
    : ['few tables'];
}

/** A second DuckDB file in the place of the lake's catalog, and what a catalog can do wrong. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFile, LakeCatalog } from '../../src/lake/lake.js';
import type { Session } from '../../src/warehouse/session.js';
import { compare, isEqual } from '../lake/compare.js';
import { reading } from './dawnload.js';

/** The section of `dawnload.yaml` that a lake takes; nothing listens there. */
export const LAKE_YAML =
  'lake:\n  catalog: { uri: "http://127.0.0.1:9", warehouse: test, auth: none }\n  namespace: dl\n';

/** How a commit ends. */
export type Ending =
  | 'committed'
  /** Somebody else was first. */
  | 'conflict'
  /** The catalog took it, and the answer was lost. */
  | 'answer lost'
  /** The same, and from then on the catalog does not answer. */
  | 'catalog gone';

export class FileLake implements LakeCatalog {
  /** How the next commits end, in order; then all are committed. */
  endings: Ending[] = [];
  together = true;
  unreachable = false;

  constructor(readonly file: string) {}

  async attach(session: Session): Promise<void> {
    if (this.unreachable) throw new Error('IO Error: Could not establish connection to the catalog');
    await session.runText(`attach '${this.file}' as lake`);
    const commit = session.transaction.bind(session);
    session.transaction = async <T>(work: () => Promise<T>): Promise<T> => {
      const ending = this.endings.shift() ?? 'committed';
      if (ending === 'conflict') {
        await commit(async () => {
          await work();
          throw new Error('rolled back');
        }).catch(() => undefined);
        throw new Error('TransactionContext Error: Failed to commit: non-200 status code (Conflict_409)');
      }
      const result = await commit(work);
      if (ending === 'committed') return result;
      if (ending === 'catalog gone') {
        session.rows = () => Promise.reject(new Error('IO Error: Connection refused'));
      }
      throw new Error('TransactionContext Error: Failed to commit: Connection reset by peer');
    };
  }

  tableClauses(): string {
    return '';
  }

  commitsTogether(): Promise<boolean> {
    return Promise.resolve(this.together);
  }

  /** Files whose name begins with `old` are those that no snapshot references. */
  async dataFiles(_: Session, table: string): Promise<DataFile[]> {
    const folder = join(this.files, table.replaceAll('"', ''));
    const names = await readdir(folder).catch(() => []);
    return names.map((name) => ({ file: join(folder, name), current: !name.startsWith('old') }));
  }

  /** Writes tables of the lake as one data file each, as a catalog's tables have them. */
  async writeFiles(name: string, tables: readonly string[]): Promise<void> {
    await reading(this.file, async (ask) => {
      for (const table of tables) {
        await mkdir(join(this.files, table), { recursive: true });
        await ask(`copy ${table} to '${join(this.files, table, name)}' (format parquet)`);
      }
    });
  }

  /** Where data files of tables are, by table. */
  get files(): string {
    return `${this.file}.files`;
  }

  /** Rows of the lake. */
  rows(sql: string): Promise<Record<string, unknown>[]> {
    return reading(this.file, (ask) => ask(sql));
  }
}

/** The tables that do not hold the same rows in the published file and in the lake, row by row in both directions. */
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

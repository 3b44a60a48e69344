/** The lake: the catalog of Iceberg tables and the published file, attached side by side in one DuckDB session. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { LakeConfig } from '../config/lake.js';
import { ConfigError } from '../errors.js';
import { openInstance } from '../storage/duckdb.js';
import { dataFiles } from '../storage/data-files.js';
import { ordinaryLimit } from '../warehouse/memory-limit.js';
import { Reader } from '../warehouse/reader.js';
import { count, Session } from '../warehouse/session.js';
import type { Relation } from './relations.js';
import { quoted } from './sql.js';

/** How the catalog is attached as `lake`, and what its tables can do. */
export interface LakeCatalog {
  attach(session: Session): Promise<void>;
  /** What follows the columns of a new table; `partition` is the column that divides it, if any does. */
  tableClauses(partition: string | undefined): string;
  /** Whether a commit of several tables is one request, as the trial commit of the set-up showed. */
  commitsTogether(session: Session): Promise<boolean>;
}

export interface OpenLake {
  readonly dataDir: string;
  readonly lake: LakeConfig;
  readonly signal: AbortSignal;
  readonly catalog: LakeCatalog;
}

/** Rows of a day are sorted before they are written; what does not fit is spilled. */
const MEMORY_MB = 640;

export class Lake {
  readonly session: Session;
  readonly catalog: LakeCatalog;
  readonly #namespace: string;
  readonly #temporary: string;

  private constructor(session: Session, { lake, catalog }: OpenLake, temporary: string) {
    this.session = session;
    this.catalog = catalog;
    this.#namespace = lake.namespace;
    this.#temporary = temporary;
  }

  /**
   * Opens the published file for reading, and the lake.
   *
   * @throws ConfigError when there is no published file, or a newer version made it
   * @throws what `LakeCatalog.attach` throws
   */
  static async open(opening: OpenLake): Promise<Lake> {
    const { published, temp } = dataFiles(opening.dataDir);
    // Says what is wrong with the file in words of its own.
    await (await Reader.open(published)).close();
    const temporary = join(temp, `lake-${process.pid}`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const limits = ordinaryLimit(MEMORY_MB);
    const instance = await openInstance(':memory:', {
      memory_limit: `${limits.megabytes}MB`,
      threads: String(limits.threads),
      temp_directory: temporary,
    });
    const lake = new Lake(await Session.open(instance, opening.signal), opening, temporary);
    try {
      await lake.session.run('lake/session');
      await opening.catalog.attach(lake.session);
      await lake.session.run('lake/attach_file', { path: quoted(published) });
      await lake.#assertCurrent();
      return lake;
    } catch (error) {
      await lake.close();
      throw error;
    }
  }

  /** Throws ConfigError when the published file is of a version that noted less about its models. */
  async #assertCurrent(): Promise<void> {
    const { tables } = await this.session.row('lake/has_model_days', z.object({ tables: count }));
    if (tables > 0) return;
    throw new ConfigError('The published file was made by an older version of this program.', {
      hint: 'Run `dawnload run`, or `dawnload rebuild`, which need no lake; then push.',
    });
  }

  /** The namespaces of the lake by the schemas of the file. */
  get schemas(): Readonly<Record<Relation['schema'], string>> {
    return { main: this.#namespace, ops: `${this.#namespace}_ops`, marts: `${this.#namespace}_marts` };
  }

  /** The namespace of the tables about the job, for statements. */
  get ops(): { readonly ops: string } {
    return { ops: this.schemas.ops };
  }

  /** `dawnload_marts."channel_days"`. */
  tableOf({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
    return `${this.schemas[schema]}."${name}"`;
  }

  async close(): Promise<void> {
    this.session.close();
    await rm(this.#temporary, { recursive: true, force: true });
  }
}

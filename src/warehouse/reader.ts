/** The published file, read-only: no write to it, and no access to other files. */
import { existsSync, statSync } from 'node:fs';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { ConfigError, CorruptDatabaseError, messageOf } from '../errors.js';
import { openInstance, tellsOfDamage, unlessMissing } from '../storage/duckdb.js';
import { refuseNewer, newestSchema } from './migrate.js';
import { statement } from './session.js';
import { z } from 'zod';

export class Reader {
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;

  readonly #ownsFile: boolean;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, ownsFile = true) {
    this.#instance = instance;
    this.connection = connection;
    this.#ownsFile = ownsFile;
  }

  /**
   * Opens a published warehouse; many readers may at the same time. Instants are shown in Korean time.
   *
   * @param newer whether one that a newer version of this program made is read as well as may be
   * @throws ConfigError when there is none yet, or a newer version made it
   * @throws CorruptDatabaseError when the file is not a warehouse
   */
  static async open(path: string, newer: 'refused' | 'read' = 'refused'): Promise<Reader> {
    if (!existsSync(path)) {
      throw new ConfigError(`There is no warehouse ${path} yet.`, {
        hint: 'Create one with `dawnload run`, or try `dawnload demo`, which needs no account.',
      });
    }
    let instance: DuckDBInstance;
    try {
      if (!statSync(path).isFile()) throw new Error('it is not a file');
      instance = await openInstance(path, { access_mode: 'READ_ONLY' });
    } catch (cause) {
      throw new CorruptDatabaseError(
        `${path} is not a DuckDB file that can be opened (${firstLine(messageOf(cause))}).`,
        cause,
      );
    }
    const reader = new Reader(instance, await connectTo(instance));
    try {
      if (newer === 'refused') refuseNewer(await reader.schema());
    } catch (error) {
      await reader.close();
      throw error;
    }
    return reader;
  }

  /** Another session on the same file, to be closed before this one: with variables of its own, beside others. */
  async beside(): Promise<Reader> {
    return new Reader(this.#instance, await connectTo(this.#instance), false);
  }

  /** The number of its last migration; 0 for a database that is no warehouse. */
  async schema(): Promise<number> {
    const [last] = await this.objects(statement('ops/last_migration')).catch(() => []);
    return Number(last?.['number'] ?? 0);
  }

  /** Denies access to other files, the network and settings. Before SQL that a user typed. */
  async confine(): Promise<void> {
    await this.connection.run('set enable_external_access = false');
    await this.connection.run('set lock_configuration = true');
  }

  /**
   * The rows of a query as objects, JSON values only.
   *
   * @throws CorruptDatabaseError when the file turns out to be damaged
   */
  async objects(
    sql: string,
    parameters: Record<string, DuckDBValue> = {},
  ): Promise<Record<string, unknown>[]> {
    try {
      const result = await this.connection.runAndReadAll(sql, parameters);
      return result.getRowObjectsJson();
    } catch (error) {
      if (!tellsOfDamage(error)) throw error;
      throw new CorruptDatabaseError('The published warehouse is damaged.', error);
    }
  }

  close(): Promise<void> {
    this.connection.closeSync();
    if (this.#ownsFile) this.#instance.closeSync();
    return Promise.resolve();
  }
}

async function connectTo(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'Asia/Seoul'");
  return connection;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

const last = z.tuple([z.object({ number: z.coerce.number() })]);

interface SchemaVersions {
  readonly file: number;
  readonly program: number;
}

/**
 * The numbers of the newest migrations; 0 for a file that is not of this program.
 *
 * @throws CorruptDatabaseError when it cannot be opened
 */
export async function schemaVersions(path: string): Promise<SchemaVersions> {
  const reader = await Reader.open(path);
  try {
    const asked = reader.objects(statement('ops/last_migration'));
    const [{ number }] = last.parse(await unlessMissing(asked, [{ number: 0 }]));
    return { file: number, program: newestSchema() };
  } finally {
    await reader.close();
  }
}

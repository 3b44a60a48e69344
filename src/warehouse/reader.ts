/** Opens the published file read-only; it cannot write, nor access other files. */
import { existsSync, statSync } from 'node:fs';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { ConfigError, CorruptDatabaseError, messageOf } from '../ground/errors.js';
import { openInstance, tellsOfDamage, unlessMissing } from '../landing/duckdb.js';
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
   * Opens a published warehouse; several readers may have it open at the same time. Instants are shown in Korean time.
   *
   * @param newer whether a file that a newer version of this program made is refused, or read as far as possible
   * @throws ConfigError when there is no file yet, or it is refused as newer
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
    const reader = new Reader(instance, await instance.connect());
    try {
      // For every session, also those that open when the settings are locked.
      await reader.connection.run("set global TimeZone = 'Asia/Seoul'");
      if (newer === 'refused') refuseNewer(await reader.schema());
    } catch (error) {
      await reader.close();
      throw error;
    }
    return reader;
  }

  /** Opens another session on the same file, with variables of its own; close it before this one. */
  async beside(): Promise<Reader> {
    return new Reader(this.#instance, await this.#instance.connect(), false);
  }

  /** The number of the file's last migration; 0 for a database that is not a warehouse. */
  async schema(): Promise<number> {
    const [last] = await this.objects(statement('ops/last_migration')).catch(() => []);
    return Number(last?.['number'] ?? 0);
  }

  /**
   * Denies access to files, the network and settings, and writes nothing to the disk: what needs more memory than there is
   * fails. Not even the bytes of the file itself can be read past its tables. Call before running SQL that a user typed.
   *
   * @param megabytes the memory that DuckDB may use; by default most of the machine's
   */
  async confine(megabytes?: number): Promise<void> {
    if (megabytes !== undefined) await this.connection.run(`set memory_limit = '${megabytes}MB'`);
    await this.connection.run("set temp_directory = ''");
    await this.connection.run('set enable_external_access = false');
    // An open database keeps its handle; nothing is opened from here on.
    await this.connection.run("set disabled_filesystems = 'LocalFileSystem'");
    await this.connection.run('set lock_configuration = true');
  }

  /**
   * Returns the rows of a query as objects of JSON values.
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

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

const last = z.tuple([z.object({ number: z.coerce.number() })]);

interface SchemaVersions {
  readonly file: number;
  readonly program: number;
}

/**
 * Returns the numbers of the newest migration in the file and in this program. The file's is 0 if it is not a
 * warehouse.
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

/**
 * Opens warehouse files read-only, without access to other files. Also reads what a file records from the journal: its head, paid exports
 * and erasures.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import {
  codeOf,
  ConfigError,
  CorruptDatabaseError,
  MemoryError,
  messageOf,
  StorageError,
} from '../ground/errors.js';
import type { KnownHead } from '../journal/doubt.js';
import { headShape } from '../landing/landing-zone.js';
import {
  isLocked,
  isOfDuckDB,
  isOutOfMemory,
  openInstance,
  statementError,
  unlessMissing,
} from '../disk/duckdb.js';
import { foldersOf } from '../disk/paths.js';
import { openElsewhere, storageError } from '../disk/storage-error.js';
import { statement, type StatementName } from './session.js';
import type { Day } from '../ground/calendar.js';
import { z } from 'zod';

export class Reader {
  private constructor(
    readonly path: string,
    private readonly instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly ownsFile = true,
  ) {}

  /** Opens a published file for reading; several readers may do so at the same time. Instants are shown in Korean time. */
  static async open(path: string): Promise<Reader> {
    if (!existsSync(path)) {
      throw new ConfigError(`The warehouse ${path} does not exist yet.`, {
        hint: existsSync(foldersOf(dirname(path)).landing)
          ? '`dawnload rebuild` makes it from the answers that have landed, without any request.'
          : '`dawnload run` creates it, with settings that `dawnload init` writes; `dawnload demo` needs no account.',
      });
    }
    let instance: DuckDBInstance;
    try {
      if (!statSync(path).isFile()) throw new Error('it is not a file');
      accessSync(path, constants.R_OK);
      instance = await openInstance(path, { access_mode: 'READ_ONLY' });
    } catch (cause) {
      if (isLocked(cause)) throw openElsewhere(path, cause);
      if (isOutOfMemory(cause)) throw new MemoryError(cause);
      if (codeOf(cause) === 'EACCES') throw storageError('read', path, cause);
      throw new CorruptDatabaseError(
        `${path} is not a DuckDB file that can be opened (${messageOf(cause).split('\n', 1).join('')}).`,
        cause,
      );
    }
    const reader = new Reader(path, instance, await instance.connect());
    try {
      // Set for all sessions now, because settings are locked afterwards.
      await reader.connection.run("set global TimeZone = 'Asia/Seoul'");
    } catch (error) {
      await reader.close();
      throw error;
    }
    return reader;
  }

  /** Opens a published warehouse, does the work, and closes it. Throws as `open` does. */
  static async using<T>(path: string, work: (reader: Reader) => Promise<T>): Promise<T> {
    const reader = await Reader.open(path);
    try {
      return await work(reader);
    } finally {
      await reader.close();
    }
  }

  async beside(): Promise<Reader> {
    return new Reader(this.path, this.instance, await this.instance.connect(), false);
  }

  /**
   * Denies access to files, the network and settings. Call it before running a user's SQL. Nothing is spilled to disk, so a query that
   * needs too much memory fails.
   *
   * @param megabytes the memory that DuckDB may use; by default most of the machine's
   */
  async confine(megabytes?: number): Promise<void> {
    if (megabytes !== undefined) await this.connection.run(`set memory_limit = '${megabytes}MB'`);
    await this.connection.run("set temp_directory = ''");
    await this.connection.run('set enable_external_access = false');
    // The open database keeps its file handle; nothing else can be opened from now on.
    await this.connection.run("set disabled_filesystems = 'LocalFileSystem'");
    await this.connection.run('set lock_configuration = true');
  }

  async rows<T>(
    name: StatementName,
    shape: z.ZodType<T>,
    parameters: Record<string, DuckDBValue> = {},
  ): Promise<T[]> {
    return z.array(shape).parse(await this.objects(statement(name), parameters));
  }

  /** Returns the rows of a statement; none if the file lacks a table or column that the statement reads. */
  rowsIfAny<T>(name: StatementName, shape: z.ZodType<T>): Promise<T[]> {
    return unlessMissing(this.rows(name, shape), []);
  }

  /**
   * Returns the rows of a query as objects of JSON values.
   *
   * @throws CorruptDatabaseError when the file turns out to be damaged, MemoryError
   */
  async objects(
    sql: string,
    parameters: Record<string, DuckDBValue> = {},
  ): Promise<Record<string, unknown>[]> {
    try {
      const result = await this.connection.runAndReadAll(sql, parameters);
      return result.getRowObjectsJson();
    } catch (error) {
      throw statementError(error, 'The published warehouse is damaged.');
    }
  }

  close(): Promise<void> {
    this.connection.closeSync();
    if (this.ownsFile) this.instance.closeSync();
    return Promise.resolve();
  }
}

/** Returns the journal's head that a closed file stores; empty if the file cannot be read. */
export async function knownBy(file: string): Promise<KnownHead[]> {
  return ask(file, (reader) => headIn(reader, file));
}

export async function headIn(reader: Reader, file: string): Promise<KnownHead[]> {
  const heads = await reader.rowsIfAny('ops/journal', headShape);
  return heads.map((head) => ({ ...head, place: file }));
}

/** Returns the paid exports that a closed file lists. */
export async function exportsKnownBy(file: string): Promise<ExportRow[]> {
  return ask(file, (reader) => reader.rows('status/exports', exportRow));
}

export async function removedKnownBy(file: string): Promise<Day[]> {
  const removed = await ask(file, (reader) => reader.rows('status/removed', streamDay.pick({ date: true })));
  return removed.map(({ date }) => date);
}

const knownErasure = z.object({
  line: z.number(),
  key: z.string(),
  persons: z.number(),
  records: z.number(),
  rows: z.number(),
  ids: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
});

export async function erasuresKnownBy(file: string): Promise<z.output<typeof knownErasure>[]> {
  return ask(file, (reader) => reader.rowsIfAny('erasure/known', knownErasure));
}

/** Queries a file that this process has not opened. Returns nothing if the file cannot be read; opening it reports the error. */
async function ask<T>(file: string, question: (reader: Reader) => Promise<T[]>): Promise<T[]> {
  if (!existsSync(file)) return [];
  let reader: Reader | undefined;
  try {
    reader = await Reader.open(file);
    return await question(reader);
  } catch (error) {
    const isLockedFile = error instanceof StorageError && isLocked(error.cause);
    if (!(error instanceof CorruptDatabaseError) && !isLockedFile && !isOfDuckDB(error)) throw error;
    return [];
  } finally {
    await reader?.close();
  }
}

/**
 * Reads every value of every table. Resolves with the number of tables.
 *
 * @throws CorruptDatabaseError when a block is damaged
 */
export function readEveryBlock(path: string): Promise<number> {
  return Reader.using(path, async (reader) => {
    const tables = await reader.rows('ops/tables', z.object({ name: z.string() }));
    for (const { name } of tables) await reader.objects(statement('ops/read_table', { table: name }));
    return tables.length;
  });
}

// Rows of the statements in `sql/status.sql`.

export type Rows = <R>(name: Extract<StatementName, `status/${string}`>, shape: z.ZodType<R>) => Promise<R[]>;

export const streamDay = z.object({ stream: z.string(), date: z.string() });

export const coveredDay = streamDay.extend({ rows: z.number() });

const messageTotals = z.object({
  date: z.string(),
  /** Number of rows of daily statistics; 0 if the service counted nothing. */
  rows: z.number(),
  sent: z.number(),
  failed: z.number(),
  delivered: z.number(),
  click: z.number(),
  /** Number of Korean days on which the service was asked about this day. */
  nights: z.number(),
});

/** Totals of one day's statistics over all channels; a counter that a channel does not report counts as zero. */
export type MessageTotals = Readonly<Omit<z.infer<typeof messageTotals>, 'date'>>;

export async function messagesIn(rows: Rows): Promise<Map<Day, MessageTotals>> {
  const days = await rows('status/messages', messageTotals);
  return new Map(days.map(({ date, ...totals }) => [date, totals]));
}

const instant = z.number().transform((ms) => new Date(ms));

const noted = <T>(type: z.ZodType<T>) =>
  type
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

export const exportRow = z.object({
  key: z.string(),
  day: z.string(),
  state: z.string(),
  billed: noted(z.string()),
  messageData: z.boolean(),
  exportId: noted(z.string()),
  records: noted(z.number()),
  pages: noted(z.number()),
  estimate: noted(z.number()),
  pricePerRecord: noted(z.number()),
  requestedAt: noted(instant),
  updatedAt: noted(instant),
  note: noted(z.string()),
});

export type ExportRow = Readonly<z.output<typeof exportRow>>;

/** DuckDB itself: one way to open a file, so that every connection has the same settings. */
// By require: as a module of its own kind it would be read twice, a tenth of a second for each command.
import duckdb = require('@duckdb/node-api');
import { messageOf } from '../errors.js';

/** Nothing may depend on an extension that needs a download; icu, json and parquet are built in. */
const SETTINGS = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };

/**
 * Opens a database. Never twice on one path in one process: DuckDB would not object, and rows would be lost.
 *
 * @throws what DuckDB throws; the caller turns it into a message
 */
export function openInstance(
  path: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<duckdb.DuckDBInstance> {
  return duckdb.DuckDBInstance.create(path, { ...SETTINGS, ...settings });
}

/** Whether DuckDB reports that the file is damaged. */
export function tellsOfDamage(error: unknown): boolean {
  return /Corrupt database file|checksum .* does not match/.test(messageOf(error));
}

/** Whether DuckDB raised it: its messages begin with their kind, such as `Catalog Error: `. */
export function isOfDuckDB(error: unknown): boolean {
  return /^[A-Z][A-Za-z ]* Error: /.test(messageOf(error));
}

/** The answer of a statement, or a default where the database lacks a table or column that it reads. */
export async function unlessMissing<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (/^Catalog Error: .* does not exist/.test(messageOf(error))) return otherwise;
    throw error;
  }
}

/** One value that DuckDB works out without a database, as text. */
export async function ask(sql: string): Promise<string> {
  const instance = await openInstance(':memory:');
  try {
    const connection = await instance.connect();
    const result = await connection.runAndReadAll(sql);
    return String(result.value(0, 0));
  } finally {
    instance.closeSync();
  }
}

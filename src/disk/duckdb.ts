/** Opens all DuckDB files, so that every connection uses the same settings. */
// Loaded with require: an ES module import would load the package twice, which costs each command a tenth of a second.
import duckdb = require('@duckdb/node-api');
import { CorruptDatabaseError, MemoryError, messageOf } from '../ground/errors.js';

/** Extensions that need a download are disabled; icu, json and parquet are built in. */
const SETTINGS = { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' };

/**
 * Opens a database. Never open the same path twice in one process: DuckDB loses rows without an error.
 *
 * @throws DuckDB's own error
 */
export function openInstance(
  path: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<duckdb.DuckDBInstance> {
  return duckdb.DuckDBInstance.create(path, { ...SETTINGS, ...settings });
}

export function tellsOfDamage(error: unknown): boolean {
  return /Corrupt database file|checksum .* does not match|Could not read enough bytes|Invalid bitpacking mode|Corrupted RLE segment/.test(
    messageOf(error),
  );
}

/**
 * True if DuckDB rejects the log (WAL) because it is damaged or belongs to another file. If memory or disk space ran out instead, the log
 * must be kept.
 */
export function rejectsLog(error: unknown): boolean {
  const [, kind, why = ''] =
    /^([\w ]+) Error: Failure while replaying WAL file "[^"]*": (.*)/.exec(messageOf(error)) ?? [];
  return kind === 'IO' ? why.startsWith('Corrupt WAL') : REJECTIONS.includes(kind ?? '');
}

/** The kinds of error that DuckDB raises about the contents of a log. */
const REJECTIONS = [
  'Binder',
  'Catalog',
  'Constraint',
  'Dependency',
  'INTERNAL',
  'Invalid Input',
  'Serialization',
];

/** True if DuckDB ran out of memory, even if that made its file unusable for this process. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof MemoryError || /Out of Memory Error|bad_alloc/.test(messageOf(error));
}

/** Converts the error of a statement on an open file: the file is damaged, or memory ran out. */
export function statementError(error: unknown, damage: string): unknown {
  if (isOutOfMemory(error)) return error instanceof MemoryError ? error : new MemoryError(error);
  return tellsOfDamage(error) ? new CorruptDatabaseError(damage, error) : error;
}

/** Parses a DuckDB error, which is a text without fields and begins with its kind, such as `Catalog Error: `. */
export function faultIn(error: unknown) {
  const message = messageOf(error);
  const [, kind] = /^([A-Z][A-Za-z ]+) Error/.exec(message) ?? [];
  const [, misshapen] = /not an? (?:page of records|answer with statistics): (.+)/.exec(message) ?? [];
  const [, read] = /in file "([^"]+)"/.exec(message) ?? [];
  return {
    kind,
    /** The file that DuckDB was reading, if the error names one. */
    file: misshapen ?? read,
    /** True if our own statement raised the error (`error()`) because the file does not have the shape of an answer. */
    isMisshapen: misshapen !== undefined,
    isOfGzip: kind === 'IO' && /gzip/i.test(message),
    /** True if the disk is full or fails, or the database cannot be used any more. */
    isOfDisk:
      ['IO', 'FATAL', 'TransactionContext'].includes(kind ?? '') || /No space left|invalidated/.test(message),
  };
}

/** The kind of a DuckDB error in words, without the text, which may quote values. */
export function kindOf(error: unknown): string {
  const { kind } = faultIn(error);
  return kind === undefined ? 'an unforeseen error' : `${kind} Error`;
}

/** True if another process has the file open, so that this one may not. */
export function isLocked(error: unknown): boolean {
  return /could not set lock|conflicting lock/i.test(messageOf(error));
}

/** True if DuckDB raised the error: its messages begin with their kind, such as `Catalog Error: `. */
export function isOfDuckDB(error: unknown): boolean {
  return faultIn(error).kind !== undefined;
}

/** Returns the answer of a statement, or a default if the database lacks a table or column that the statement reads. */
export async function unlessMissing<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (/^Catalog Error: .* does not exist/.test(messageOf(error))) return otherwise;
    throw error;
  }
}

export function duckdbVersion(): string {
  return duckdb.version();
}

/** Escapes a text, such as a path, for use between the quotes of a SQL string literal. */
export function escaped(text: string): string {
  return text.replaceAll("'", "''");
}

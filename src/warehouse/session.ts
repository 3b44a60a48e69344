/**
 * A DuckDB session: runs the statements of `sql/` with their parameters and variables, in transactions, and stops when the signal aborts.
 */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { z } from 'zod';
import { registerDocuments, type DocumentSettings } from '../documents/functions.js';
import { UsageError } from '../ground/errors.js';
import { statementError } from '../disk/duckdb.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../ground/effects.js';
import type { Statements } from './statements.js';
import duckdb = require('@duckdb/node-api');

export type StatementName = keyof Statements;

/** The parameters of a statement, as its header declares them: values and placeholders, or none. */
export type Params<N extends StatementName> =
  Record<never, never> extends Statements[N] ? [params?: Statements[N]] : [params: Statements[N]];

/** The parameters of a statement, except for some placeholders. */
type Rest<N extends StatementName, S> =
  Record<never, never> extends Omit<Statements[N], keyof S>
    ? [values?: Values]
    : [values: Omit<Statements[N], keyof S> & Values];

/** The types of values for variables and parameters. Days are passed as text. */
type Value = string | number | boolean | Date | Uint8Array | readonly string[] | Values | undefined;

interface Values {
  readonly [name: string]: Value;
}

/** A count as a number; DuckDB returns BIGINT. */
export const count = z.union([z.bigint(), z.number()]).transform(Number);

/** The databases in which the functions of `src/documents` are registered. */
const registered = new WeakSet<DuckDBInstance>();

/** Milliseconds until a statement that is still running is interrupted again. */
const INTERRUPTED_AGAIN_MS = 20;

export class Session {
  readonly #siblings: Session[] = [];
  /** True while a statement runs that must not be interrupted: commit, rollback or checkpoint. */
  #settling = false;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    private readonly signal: AbortSignal | undefined,
  ) {
    signal?.addEventListener('abort', this.#interrupt);
  }

  /** @param signal when it aborts, the current statement is interrupted, later ones are refused, and its reason is thrown */
  static async open(instance: DuckDBInstance, signal?: AbortSignal): Promise<Session> {
    return new Session(instance, await instance.connect(), signal);
  }

  /** Registers the functions of `src/documents` for all sessions of the database. The settings of the first call apply. */
  register(settings: DocumentSettings): void {
    if (registered.has(this.instance)) return;
    registered.add(this.instance);
    registerDocuments(this.connection, settings);
  }

  async sibling(): Promise<Session> {
    const sibling = new Session(this.instance, await this.instance.connect(), this.signal);
    this.#siblings.push(sibling);
    await sibling.run('session/1_settings');
    return sibling;
  }

  /** Runs all statements of a file or section of `sql/`, with the parameters that its header declares. */
  async run<N extends StatementName>(name: N, ...[params]: Params<N>): Promise<void> {
    await this.#rowsOf(statement(name, params), params);
  }

  async runText(text: string): Promise<void> {
    await this.#execute(text);
  }

  /** Runs a section once per set of placeholders, as one script. */
  async runForEach<N extends StatementName, S extends Partial<Statements[N]> & Values>(
    name: N,
    all: readonly S[],
    ...[values]: Rest<N, S>
  ): Promise<void> {
    await this.#rowsOf(all.map((names) => statement(name, names)).join(''), values);
  }

  async rows<N extends StatementName, T>(name: N, shape: z.ZodType<T>, ...[params]: Params<N>): Promise<T[]> {
    return z.array(shape).parse(await this.#rowsOf(statement(name, params), params));
  }

  async row<N extends StatementName, T>(name: N, shape: z.ZodType<T>, ...params: Params<N>): Promise<T> {
    const [row] = await this.rows(name, z.unknown(), ...params);
    return shape.parse(row);
  }

  /** Sets variables of the session: settings that macros read with `getvariable`, and the days of a batch, which views read. */
  async set(variables: Values): Promise<void> {
    for (const [name, value] of Object.entries(variables)) {
      await this.#sound(() =>
        this.connection.run(
          statement('ops/set', { name, type: String(typeOf(value)) }),
          { value: toDuckDB(value) },
          { value: typeOf(value) },
        ),
      );
    }
  }

  /** Runs the statements one by one; each gets the values it uses. */
  async #rowsOf(text: string, params: Values = {}): Promise<unknown[]> {
    if (!/\$[a-z]/.test(text))
      return (await this.#sound(() => this.connection.runAndReadAll(text))).getRowObjectsJS();
    const statements = await this.#sound(() => this.connection.extractStatements(text));
    let rows: unknown[] = [];
    for (let nth = 0; nth < statements.count; nth++) {
      const reader = await this.#sound(async () => {
        const prepared = await statements.prepare(nth);
        try {
          const names = Array.from({ length: prepared.parameterCount }, (_, at) =>
            prepared.parameterName(at + 1),
          );
          const own = Object.fromEntries(names.map((one) => [one, params[one]]));
          prepared.bind(mapped(own, toDuckDB), mapped(own, typeOf));
          return await prepared.runAndReadAll();
        } finally {
          // Otherwise the statement keeps its plan until garbage collection.
          prepared.destroySync();
        }
      });
      rows = reader.getRowObjectsJS();
    }
    return rows;
  }

  append(table: string, answer: Answer): Promise<void> {
    return this.#sound(() => copyAnswer(this.connection, table, answer));
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#execute('begin transaction');
    let result: T;
    try {
      result = await work();
      this.signal?.throwIfAborted();
    } catch (error) {
      await this.#settle('rollback').catch(() => undefined);
      throw error;
    }
    await this.#settle('commit');
    return result;
  }

  /** Writes the log (WAL) into the database file, even if the signal has aborted. */
  checkpoint(): Promise<void> {
    return this.#settle('checkpoint');
  }

  async #execute(...what: Parameters<DuckDBConnection['run']>): Promise<void> {
    await this.#sound(() => this.connection.run(...what));
  }

  async #settle(what: string): Promise<void> {
    this.#settling = true;
    try {
      await this.#track(this.connection.run(what));
    } finally {
      this.#settling = false;
    }
  }

  async #sound<T>(work: () => Promise<T>): Promise<T> {
    this.signal?.throwIfAborted();
    try {
      return await this.#track(work());
    } catch (error) {
      this.signal?.throwIfAborted();
      throw error;
    }
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await sound(work);
    } finally {
      this.#running.delete(work);
    }
  }

  /**
   * Interrupts the statements that run on this session and its siblings, and waits for their end. If a connection were closed first, the
   * promises of its statements would never settle.
   */
  async quiet(): Promise<void> {
    await Promise.all([...this.#siblings, this].map((session) => session.#end()));
  }

  /** Interrupts repeatedly, because a statement that has just started ignores the first interrupt. */
  async #end(): Promise<void> {
    while (this.#running.size > 0) {
      if (!this.#settling) this.connection.interrupt();
      await Promise.race([Promise.allSettled(this.#running), wait(INTERRUPTED_AGAIN_MS)]);
    }
  }

  readonly #interrupt = (): void => {
    void this.#end();
  };

  close(): void {
    for (const session of [...this.#siblings, this]) {
      session.signal?.removeEventListener('abort', session.#interrupt);
      session.connection.closeSync();
    }
    this.instance.closeSync();
  }
}

interface Answer {
  readonly columns: readonly { readonly type: DuckDBType }[];
  readonly chunks: AsyncIterable<DuckDBDataChunk>;
}

/**
 * Creates a table with the columns `c0`, `c1` … from the answer of a query, chunk by chunk, without converting values to JavaScript. The
 * query may run in another database.
 */
export async function copyAnswer(
  connection: DuckDBConnection,
  table: string,
  { columns, chunks }: Answer,
): Promise<void> {
  const types = columns.map(({ type }, nth) => `c${nth} ${type.alias ?? String(type)}`);
  if (types.some((type) => type.includes('STRUCT(""')))
    throw new UsageError('The query has a struct whose fields have no names.', {
      hint: 'Write {a: 1} for row(1).',
    });
  await connection.run(`create table ${table} (${types.join(', ')})`);
  const appender = await connection.createAppender(table);
  for await (const chunk of chunks) appender.appendDataChunk(chunk);
  appender.closeSync();
}

/**
 * Returns the result of the work, and converts DuckDB's errors.
 *
 * @throws CorruptDatabaseError if DuckDB reports a damaged file, MemoryError; other errors are unchanged
 */
async function sound<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw statementError(error, "The warehouse's private file is damaged.");
  }
}

function toDuckDB(value: Value): DuckDBValue {
  if (value === undefined) return null;
  if (value instanceof Date) return new duckdb.DuckDBTimestampTZValue(BigInt(value.getTime()) * 1000n);
  if (value instanceof Uint8Array) return new duckdb.DuckDBBlobValue(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value !== 'object') return value;
  if (isList(value)) return duckdb.listValue(value);
  return duckdb.structValue(mapped(value, toDuckDB));
}

function typeOf(value: Value): DuckDBType {
  if (value instanceof Date) return duckdb.TIMESTAMPTZ;
  if (value instanceof Uint8Array) return duckdb.BLOB;
  if (typeof value === 'number') return Number.isInteger(value) ? duckdb.BIGINT : duckdb.DOUBLE;
  if (typeof value === 'boolean') return duckdb.BOOLEAN;
  if (typeof value !== 'object') return duckdb.VARCHAR;
  if (isList(value)) return duckdb.LIST(duckdb.VARCHAR);
  return duckdb.STRUCT(mapped(value, typeOf));
}

function isList(value: readonly string[] | Values): value is readonly string[] {
  return Array.isArray(value);
}

function mapped<T>(values: Values, to: (value: Value) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}

const FOLDER = join(PACKAGE_ROOT, 'sql');
const texts = new Map<string, string>();

/**
 * Returns the text of `sql/<name>.sql`. For a name such as `ops/coverage`, returns the section `-- name: coverage` of `sql/ops.sql`.
 * `names` replaces each `{placeholder}` by an identifier from a fixed list of this package, never from data.
 */
export function statement(name: string, names: Values = {}): string {
  if (!texts.has(name)) read(name);
  const text = texts.get(name);
  if (text === undefined) throw new Error(`Unknown statement: ${name}.`);
  // A function, because `$` has a special meaning in a replacement text.
  return Object.entries(names).reduce(
    (filled, [key, value]) =>
      typeof value === 'string' ? filled.replaceAll(`{${key}}`, () => value) : filled,
    text,
  );
}

/** Reads the file of a statement with all of its sections: `a/b/c` is section `c` of `a/b.sql`, or section `b/c` of `a.sql`. */
function read(name: string): void {
  const parts = name.split('/');
  const topic = parts
    .map((_, length) => parts.slice(0, length).join('/'))
    .find((folder) => folder !== '' && existsSync(join(FOLDER, `${folder}.sql`)));
  if (topic === undefined) {
    texts.set(name, readFileSync(join(FOLDER, `${name}.sql`), 'utf8'));
    return;
  }
  const [, ...sections] = readFileSync(join(FOLDER, `${topic}.sql`), 'utf8').split(/^-- name: /m);
  for (const section of sections) {
    const end = section.indexOf('\n');
    texts.set(`${topic}/${section.slice(0, end)}`, section.slice(end + 1));
  }
}

/** Quotes any name as an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export function listOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

export function statementsIn(folder: string): string[] {
  return readdirSync(join(FOLDER, folder))
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => `${folder}/${file.slice(0, -'.sql'.length)}`);
}

export function streamFolders(): string[] {
  const all = readdirSync(join(FOLDER, 'streams'), { withFileTypes: true });
  return all.flatMap((one) => (one.isDirectory() ? [`streams/${one.name}`] : [])).sort();
}

// Headers of SQL files that have one select. People and this program read them.

/**
 * Returns the comments at the top of a file, by key: `-- key: value`. Lines below that are indented by three blanks
 * continue the value. All other comment lines are ignored, and so is everything after an empty comment line.
 *
 *     -- title: Cohorts
 *     -- params:
 *     --   weeks (bigint, default 12): how many weeks to show
 */
export function headerOf(text: string): Record<string, string[]> {
  const header: Record<string, string[]> = {};
  let values: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('-- ')) break;
    const [, key, value] = /^-- ([a-z_]+):(?: (.+))?$/.exec(line) ?? [];
    const [, more] = /^-- {3}(.+)$/.exec(line) ?? [];
    if (key !== undefined) header[key] = values = value === undefined ? [] : [value];
    else if (more !== undefined) values.push(more);
    else values = [];
  }
  return header;
}

export function fieldsOf(text: string): Record<string, string> {
  const lines = Object.entries(headerOf(text));
  return Object.fromEntries(lines.map(([key, values]) => [key, values.map((line) => line.trim()).join(' ')]));
}

export function selectIn(text: string): string {
  return text.trimEnd().replace(/;$/, '');
}

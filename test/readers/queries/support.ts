/** Real DuckDB warehouses for the tests of the bundled queries: the repository's own tables and views, and rows made by hand. */
import { fieldsFor } from '../../../src/ground/fields.js';
import { FIELDS } from '../../../src/streams/index.js';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/ground/effects.js';
import { answerOf, csvText } from '../../../src/readers/queries/formats.js';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import { Warehouse } from '../../../src/warehouse/warehouse.js';
import { copyTemplate, kept, MODELLED } from '../../support/template.js';
import { refreshModels } from '../../../src/warehouse/models.js';

const HERE = join(PACKAGE_ROOT, 'test', 'readers', 'queries');

/** What bundled queries answer in the fixed world: a line with the name and the parameters, and the answer as CSV. */
export const GOLDEN = join(HERE, 'golden.txt');

export interface GoldenAnswer {
  readonly name: string;
  /** As they follow the name. */
  readonly parameters: readonly (readonly string[])[];
  readonly csv: string;
  readonly heads: readonly string[];
}

export function goldenAnswers(): GoldenAnswer[] {
  return readFileSync(GOLDEN, 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.trimEnd().split('\n');
      const [name = '', ...parameters] = title.split(' ');
      const heads = (lines[0] ?? '').split(',');
      return {
        name,
        parameters: parameters.map((given) => given.split('=')),
        csv: `${lines.join('\n')}\n`,
        heads,
      };
    });
}

const WIDEST = 113;
const ROWS = 1;

/** The first rows as a table of text, as many columns as fit on a line. */
export function exampleOf(csv: string): string[] {
  const rows = csv
    .split('\n')
    .slice(0, 1 + ROWS)
    .map(cellsOf);
  const [heads = []] = rows;
  const widths = heads.map((_, i) => Math.max(...rows.map((row) => stringWidth(row[i] ?? ''))));
  let room = WIDEST;
  const fitting = widths.findIndex((width) => (room -= width + 2) < 1);
  const count = fitting < 0 ? widths.length : fitting;
  return rows
    .filter((row) => row.length === heads.length)
    .map((row) =>
      [
        ...row.slice(0, count).map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - stringWidth(cell))),
        ...(count < heads.length ? ['…'] : []),
      ]
        .join('  ')
        .trimEnd(),
    );
}

export function cellsOf(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, line.endsWith(',') || line === '' ? undefined : -1)
    .map(([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** Puts an empty warehouse there, or the small one that is filled by hand and modelled as the job does. */
export async function makeWarehouse(fill: 'empty' | 'small', path: string): Promise<void> {
  if (fill === 'empty') copyTemplate(path);
  else {
    copyFileSync(await kept('small', [...MODELLED, SMALL], makeSmall), path);
    chmodSync(path, 0o600);
  }
}

const SMALL = 'test/readers/queries/small-warehouse.sql';

async function makeSmall(path: string): Promise<void> {
  copyTemplate(path);
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await runScript(connection, readFileSync(SMALL, 'utf8'));
  connection.closeSync();
  instance.closeSync();
  const warehouse = await Warehouse.open({
    path,
    tempDirectory: `${path}.tmp`,
    brand: 'service',
    messenger: 'chatapp',
    fields: fieldsFor('service', FIELDS),
    privacy: { recipients: 'keep', key: Buffer.alloc(16) },
    effects: { now: () => new Date('2026-11-04T00:00:00Z'), reach: () => undefined },
  });
  await refreshModels(warehouse);
  await warehouse.close();
}

/** Runs every statement of a script; `connection.run` answers with the first one only. */
export async function runScript(connection: DuckDBConnection, sql: string): Promise<void> {
  const statements = await connection.extractStatements(sql);
  for (let i = 0; i < statements.count; i++) await (await statements.prepare(i)).run();
}

/** What a statement answers on a plain connection, as CSV with line feeds. */
export async function ask(connection: DuckDBConnection, sql: string): Promise<string> {
  let text = '';
  for await (const piece of csvText(answerOf(await connection.run(sql)))) text += piece;
  return text.replaceAll('\r\n', '\n');
}

/** An empty warehouse for all tests of a file, which fill its tables themselves; open while they run. */
export function emptyWarehouse(): { readonly connection: DuckDBConnection } {
  const open: { folder?: string; instance?: DuckDBInstance; connection?: DuckDBConnection } = {};
  beforeAll(async () => {
    open.folder = mkdtempSync(join(tmpdir(), 'dawnload-queries-'));
    const path = join(open.folder, 'empty.duckdb');
    await makeWarehouse('empty', path);
    open.instance = await DuckDBInstance.create(path);
    open.connection = await open.instance.connect();
  });
  afterAll(() => {
    open.instance?.closeSync();
    if (open.folder !== undefined) rmSync(open.folder, { recursive: true, force: true });
  });
  return {
    get connection() {
      if (open.connection === undefined) throw new Error('The warehouse is open while tests run.');
      return open.connection;
    },
  };
}

/** What a bundled query answers under these parameters alone, as JSON values. */
export async function askBundled(
  connection: DuckDBConnection,
  name: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>[]> {
  const { sql, params } = loadCatalogue().find((query) => query.name === name)!;
  for (const parameter of params) await connection.run(`reset variable "${parameter.name}"`);
  for (const [key, value] of Object.entries(parameters)) {
    await connection.run(`set variable "${key}" = '${value}'`);
  }
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

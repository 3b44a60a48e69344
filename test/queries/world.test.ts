/** Every bundled query, asked of the fixed world of the sandbox, and of one that holds only what is free. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver } from '../../src/commands/query.js';
import stringWidth from 'string-width';
import { Dictionary } from '../../src/dictionary/dictionary.js';
import { answerOf } from '../../src/queries/sink.js';
import { loadCatalogue, type QueryFile } from '../../src/queries/catalogue.js';
import { drawTable } from '../../src/terminal/table.js';
import { NOW, type Place } from '../support/dawnload.js';
import { ask, HERE } from './support.js';
import { makeWorld } from './world.js';

const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const catalogue = loadCatalogue();
const goldenFile = (name: string): string => join(HERE, 'golden', `${name}.csv`);

let whole: Place;
const instances: DuckDBInstance[] = [];

beforeAll(async () => {
  whole = await makeWorld('whole');
}, 300_000);

afterAll(async () => {
  for (const instance of instances) instance.closeSync();
  await whole.remove();
});

/** A new connection, as a client makes it. */
async function connectTo(place: Place, zone = 'America/New_York'): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(place.published, { access_mode: 'READ_ONLY' });
  instances.push(instance);
  const connection = await instance.connect();
  await connection.run(`set timezone = '${zone}'; set variable now = '${NOW}'`);
  return connection;
}

/**
 * What no two runs share, made the same: the moments of the morning, and the sum of the estimates, which are taken anew
 * whenever an export has landed.
 */
function steady(text: string): string {
  return text
    .replace(/2026-11-21 07:\d\d:\d\d(\.\d+)?/g, '2026-11-21 07:30:00')
    .replace(/^(2026-11,19,0,58802),58\d{3},/m, '$1,58000,');
}

/** Those whose first eight columns do not fit: findings of checks are sentences, the others are to be shortened. */
const TOO_WIDE: readonly string[] = [
  'checks',
  'contents',
  'failure-reasons',
  'refused-templates',
  'template-performance',
];

/** In the fixed world all days were asked for on one morning, and nothing was pushed. */
const EMPTY = ['pushes', 'restatements-by-age'];

const WIDEST = 118;
const ROWS = 3;

/** The first rows as a table of text, as many columns as fit on a line. */
function exampleOf(csv: string): string[] {
  const rows = csv
    .split('\n')
    .slice(0, 1 + ROWS)
    .map(cellsOf);
  const [heads = []] = rows;
  const widths = heads.map((_, i) => Math.max(...rows.map((row) => stringWidth(row[i] ?? ''))));
  let room = WIDEST - '--   '.length;
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

function cellsOf(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, line.endsWith(',') || line === '' ? undefined : -1)
    .map(([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** The file with that example at the end of its header. */
function withExample(sql: string, lines: readonly string[]): string {
  const at = sql.indexOf('\n\n');
  const header = sql.slice(0, at).replace(/\n-- example:(\n-- {3}.*)*/, '');
  const example = lines.map((line) => `\n--   ${line}`).join('');
  return `${header}\n-- example:${example}${sql.slice(at)}`;
}

describe('in the fixed world', () => {
  it.each(catalogue)('$name gives its golden answer', async ({ name, sql }) => {
    const found = steady(await ask(await connectTo(whole), sql));
    if (UPDATE) writeFileSync(goldenFile(name), found);
    expect(found).toBe(readFileSync(goldenFile(name), 'utf8'));
    expect(found.split('\n').length > 2).toBe(!EMPTY.includes(name));
  });

  it.each(catalogue)(
    '$name has the beginning of that answer as an example in its header',
    ({ name, sql }) => {
      const wanted = withExample(sql, exampleOf(readFileSync(goldenFile(name), 'utf8')));
      const file = join('sql', 'queries', `${name}.sql`);
      if (UPDATE) writeFileSync(file, wanted);
      expect(readFileSync(file, 'utf8')).toBe(wanted);
    },
  );

  it.each(['UTC', 'Asia/Seoul', 'Pacific/Kiritimati'])(
    'a session in %s gets the same answers',
    { tags: ['long'] },
    async (zone) => {
      const connection = await connectTo(whole, zone);
      for (const { name, sql } of catalogue) {
        expect(steady(await ask(connection, sql)), name).toBe(readFileSync(goldenFile(name), 'utf8'));
      }
    },
  );

  it.each(catalogue)(
    '$name shows in its first eight columns, within a terminal of 120, what it was asked',
    async ({ name }) => {
      const [heads = [], ...rows] = readFileSync(goldenFile(name), 'utf8').trimEnd().split('\n').map(cellsOf);
      const columns = heads.slice(0, 8).map((head, i) => ({
        name: head,
        numeric: rows.every((row) => /^-?[\d.]*$/.test(row[i] ?? '')),
      }));
      const cells = rows.map((row) => columns.map((_, i) => (row[i] === '' ? null : (row[i] ?? null))));
      const drawn = await drawTable(columns, cells, { color: false, width: 120 });
      const fits = !drawn.includes('Too narrow') && !drawn.includes('…');
      expect(fits, drawn).toBe(!TOO_WIDE.includes(name));
    },
  );

  it('no golden answer is left over', () => {
    const kept = readdirSync(join(HERE, 'golden')).map((file) => file.replace(/\.csv$/, ''));
    expect(kept.sort()).toEqual(catalogue.map(({ name }) => name));
  });

  it('every head has its Korean label', async () => {
    const dictionary = Dictionary.load();
    const heads = catalogue.flatMap(({ name }) => headsOf(name));
    expect([...new Set(heads)].filter((head) => dictionary.label(head) === undefined)).toEqual([]);
    // And no label is kept for a head that no query has.
    expect(Object.keys(dictionary.document.heads).filter((head) => !heads.includes(head))).toEqual([]);
    const told = await whole.execute([
      'query',
      'channel-summary',
      '--lang',
      'ko',
      '--format',
      'csv',
      '--bom',
    ]);
    expect(told.stdout.split('\r\n')[0]).toBe(
      '\ufeff날짜,채널,발송,실패,발송 성공,도달,클릭,전환,직접 전환,실패율,도달률,클릭률,전환율,목표 목록',
    );
  });

  it('no two heads of an answer have the same label', () => {
    const dictionary = Dictionary.load();
    for (const { name } of catalogue) {
      const labels = headsOf(name).map((head) => dictionary.label(head));
      expect(
        labels.filter((label, i) => labels.indexOf(label) !== i),
        name,
      ).toEqual([]);
    }
  });
});

function headsOf(name: string): string[] {
  return (readFileSync(goldenFile(name), 'utf8').split('\n')[0] ?? '').split(',');
}

async function typesOf(place: Place, { sql }: QueryFile): Promise<string[]> {
  const result = await (await connectTo(place)).runAndReadAll(sql);
  const types = result.columnTypes();
  return result.columnNames().map((column, i) => `${column} ${String(types[i])}`);
}

describe('in a world that holds only what is free', { tags: ['long'] }, () => {
  let free: Place;
  beforeAll(async () => {
    free = await makeWorld('free');
  }, 300_000);
  afterAll(() => free.remove());

  it.each(catalogue)('$name answers with the same columns', async (query) => {
    expect(await typesOf(free, query)).toEqual(await typesOf(whole, query));
  });

  it('what comes of events is empty, and what comes of statistics is not', async () => {
    const rows = async (name: string): Promise<number> => {
      const { sql } = catalogue.find((query) => query.name === name)!;
      return (await (await connectTo(free)).runAndReadAll(sql)).currentRowCount;
    };
    for (const name of [
      'send-heatmap',
      'message-pressure',
      'cohorts',
      'failure-reasons',
      'contents',
      'spend',
    ]) {
      expect(await rows(name), name).toBe(0);
    }
    for (const name of [
      'channel-summary',
      'ab-tests',
      'journey-funnel',
      'tags',
      'freshness',
      'conversions',
    ]) {
      expect(await rows(name), name).toBeGreaterThan(0);
    }
  });
});

describe('docs/questions.md', () => {
  it('asks twelve questions, and prints what the fixed world answers', async () => {
    const file = join('docs', 'questions.md');
    const page = readFileSync(file, 'utf8');
    expect(page.match(/^## \d+\. .+\?$/gm)).toHaveLength(12);
    const connection = await connectTo(whole);
    let wanted = '';
    let rest = page;
    for (;;) {
      const block = /```sql\n([\s\S]*?)```\n(\n```text\n[\s\S]*?```\n)?/.exec(rest);
      if (block === null) break;
      const [all, sql = ''] = block;
      const answer = await tableOf(connection, sql);
      expect(answer, sql).not.toContain('0 rows');
      wanted += `${rest.slice(0, block.index)}\`\`\`sql\n${sql}\`\`\`\n\n\`\`\`text\n${answer}\`\`\`\n`;
      rest = rest.slice(block.index + all.length);
    }
    wanted += rest;
    if (UPDATE) writeFileSync(file, wanted);
    expect(readFileSync(file, 'utf8')).toBe(wanted);
  });
});

/** An answer as `dawnload query` draws it. */
async function tableOf(connection: DuckDBConnection, sql: string): Promise<string> {
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const answer = answerOf(await connection.stream(sql));
  const head = (name: string): string => name;
  await deliver(answer, { format: 'table', output: undefined, stdout, limit: 1000, bom: false, head });
  return steady(Buffer.concat(chunks).toString('utf8'));
}

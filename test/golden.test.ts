/**
 * Each folder of test/golden holds landed pages, `STREAM-DAY.json` (of E17 also `-to-DAY`), and `tables.csv`, the tables that they become in a
 * new warehouse, models included: `# TABLE`, a line of columns (any SQL), and the rows, sorted. Of E19 the name ends with the campaign,
 * and a file of reference data holds the lists of a night by their names. To add a case, add a folder with the headers
 * of its tables, and before them `privacy: hash` if recipients are hashed; `UPDATE_GOLDEN=1 npx vitest run test/golden.test.ts` writes the rows.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDay, shiftDay } from '../src/ground/calendar.js';
import type { Pull } from '../src/landing/landing-zone.js';
import { readEnvelope } from '../src/ground/envelope.js';
import { KEY, landedPage, pullOf, shared, Workshop, type Row } from './warehouse/support.js';
import { loadConfig } from '../src/config/config.js';
import { STREAMS } from '../src/streams/index.js';
import { noteOwn } from '../src/streams/own/note.js';
import { privacyMark } from '../src/warehouse/privacy.js';
import { refreshModels } from '../src/warehouse/models.js';
import { committedOrder, ORDER_PAGE, orderOfLoads, recordLoads } from './warehouse/load-order.js';

const CASES = join(import.meta.dirname, 'golden');
const loads = recordLoads();

interface Expected {
  readonly table: string;
  readonly columns: string;
  readonly rows: string;
}

function pullIn(workshop: Workshop, name: string, text: string): Pull {
  const [, stream = '', day = '', end = day, campaign = ''] =
    /^(\w+)-([\d-]{10})(?:-to-([\d-]{10}))?-?(.*)\.json$/.exec(name) ?? [];
  if (!isDay(day) || !isDay(end)) throw new Error(`${name} does not say its day.`);
  switch (stream) {
    case 'statistics':
      return workshop.statistics({ start: day, end }, text);
    case 'subchannels':
      return workshop.subchannels(day, text);
    case 'campaigns':
      return workshop.campaigns({ start: day, end: day }, { [campaign]: text });
    case 'events': {
      const { data } = JSON.parse(text) as { data: unknown[] };
      return workshop.exported(day, [landedPage(workshop.folder, text, data.length)]);
    }
    default: {
      const body = Buffer.from(text);
      const envelope = readEnvelope(body);
      if (envelope?.kind !== 'object') throw new Error(`${name} has no lists.`);
      // As it is written: odd numbers and repeated keys would not survive a parser.
      const lists = [...envelope.parts].map(
        ([list, { start, end }]) => [list, body.subarray(start, end).toString()] as const,
      );
      return pullOf(
        stream,
        day,
        lists.map(([, body]) => landedPage(workshop.folder, body, 1)),
        {
          id: `${stream}/${day}`,
          pulledAt: new Date(`${shiftDay(day, -1)}T22:30:00Z`),
          lists: lists.map(([list]) => ({ list, pages: 1, rows: 1, announced: null })),
        },
      );
    }
  }
}

const cell = (value: unknown): string => {
  if (value === null) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text === '' || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const lineOf = (row: Row): string => Object.values(row).map(cell).join(',');

function expectedOf(file: string): Expected[] {
  const [, ...sections] = readFileSync(file, 'utf8').split(/^# /m);
  return sections.map((section) => {
    const [table = '', columns = '', ...rows] = section.trimEnd().split('\n');
    return { table, columns, rows: rows.join('\n') };
  });
}

describe.each(readdirSync(CASES))('%s', (name) => {
  const file = join(CASES, name, 'tables.csv');
  const expected = expectedOf(file);
  const workshop = shared(async () => {
    const [, recipients = 'keep'] = /^privacy: (hash|drop)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    const made = new Workshop({ privacy: { recipients: recipients as 'keep', key: KEY } });
    const pages = readdirSync(join(CASES, name)).filter((page) => page.endsWith('.json'));
    await made.load(
      ...pages.map((page) => pullIn(made, page, readFileSync(join(CASES, name, page), 'utf8'))),
    );
    if (expected.some(({ table }) => table.startsWith('marts.'))) await made.with(refreshModels);
    return made;
  });
  const rowsOf = async ({ table, columns }: Expected): Promise<string> =>
    (await workshop.look(`select ${columns} from ${table}`)).map(lineOf).sort().join('\n');

  test.each(expected)('$table', async (one) => {
    if (process.env['UPDATE_GOLDEN'] === '1') {
      const text = readFileSync(file, 'utf8');
      const rows = await rowsOf(one);
      const renewed = `# ${one.table}\n${one.columns}\n${rows}${rows === '' ? '' : '\n'}`;
      const before = `# ${one.table}\n${one.columns}\n${one.rows}${one.rows === '' ? '' : '\n'}`;
      writeFileSync(
        file,
        text.replace(before, () => renewed),
      );
      return;
    }
    expect(await rowsOf(one)).toBe(one.rows);
  });
});

test('an own table is loaded, noted and dropped', async () => {
  const workshop = new Workshop();
  const file = join(workshop.folder, 'orders.parquet');
  await workshop.look(
    `copy (select 'u-1' as user_id, date '2026-11-20' as bought_on, 9000 as amount) to '${file}' (format parquet)`,
  );
  writeFileSync(
    join(workshop.folder, 'dawnload.yaml'),
    'tables: { orders: { from: ./orders.csv, keys: { user_id: member } } }\n' +
      'conversions: { table: orders, person: user_id, at: bought_on, value: amount }\n',
  );
  const config = loadConfig(STREAMS, {}, {}, workshop.folder);
  const own = { table: 'orders', keys: [], privacy: privacyMark({ recipients: 'keep', key: KEY }) };
  const about = { id: 'own', pulledAt: new Date('2026-11-20T22:30:00Z'), own };
  await workshop.load(pullOf('own_orders', '2026-11-20', [{ file, rows: 1, bytes: 0 }], about));
  expect(await workshop.with((warehouse) => noteOwn(warehouse, config))).toEqual([]);
  expect(await workshop.look('select user_id, value from own.conversions')).toEqual([
    { user_id: 'u-1', value: 9000 },
  ]);
  const removed = { ...config, tables: [], conversions: undefined };
  expect(await workshop.with((warehouse) => noteOwn(warehouse, removed))).toEqual([]);
  expect(await workshop.look("select table_name from duckdb_tables() where schema_name = 'own'")).toEqual([]);
});

test('the page on the order of a load has the statements as these loads ran them', () => {
  const page = orderOfLoads(loads);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(ORDER_PAGE, page);
  expect(committedOrder()).toBe(page);
});

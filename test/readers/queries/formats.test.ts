import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strFromU8, unzipSync } from 'fflate';
import { answerOf, AS_IS, csvText, jsonRows, writeParquet } from '../../../src/readers/queries/formats.js';
import { xlsxBytes } from '../../../src/readers/queries/xlsx.js';
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let folder: string;

beforeAll(async () => {
  instance = await DuckDBInstance.create();
  connection = await instance.connect();
  folder = mkdtempSync(join(tmpdir(), 'dawnload-formats-'));
});

afterAll(() => {
  instance.closeSync();
  rmSync(folder, { recursive: true, force: true });
});

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const csv = async (sql: string): Promise<string> => joined(csvText(answerOf(await connection.stream(sql))));
const json = async (sql: string): Promise<string> => joined(jsonRows(answerOf(await connection.stream(sql))));
const parsed = async (sql: string): Promise<unknown> => JSON.parse(await json(sql));

describe('CSV', () => {
  it('ends lines as RFC 4180 says and quotes what needs it', async () => {
    expect(await csv(`select 1 as n, '가,나' as a, 'say "hi"' as b, 'two' || chr(10) || 'lines' as c`)).toBe(
      'n,a,b,c\r\n1,"가,나","say ""hi""","two\nlines"\r\n',
    );
  });

  it('tells null from an empty text', async () => {
    expect(await csv(`select 1 as n, null::varchar as a, '' as b`)).toBe('n,a,b\r\n1,,""\r\n');
  });

  it('keeps a spreadsheet from running a text, or a name of a column', async () => {
    for (const text of ['=1+1', '+82 10', '-x', '@SUM(A1)', '\t=1', '\r=1', '＝1+1', '－x', '＠SUM(A1)']) {
      const [, cell] = (await csv(`select '${text}' as a`)).split('\r\n', 2);
      expect(cell?.replace(/^"/, ''), text).toMatch(/^'/);
    }
    expect(await csv(`select 1 as "=cmd"`)).toBe("'=cmd\r\n1\r\n");
  });

  it('leaves numbers, days and other text alone', async () => {
    expect(
      await csv(`select -5 as a, -0.5::decimal(4, 2) as b, -1e-9 as c, date '2026-11-01' as d, 'a=b' as e`),
    ).toBe('a,b,c,d,e\r\n-5,-0.50,-1e-9,2026-11-01,a=b\r\n');
    // A stretch of time is no number to a spreadsheet.
    expect(await csv("select interval '-1 day' as t")).toBe("t\r\n'-1 day\r\n");
  });

  it('gives instants in KST, whatever zone the process is in', async () => {
    expect(
      await csv(`select timestamptz '2026-10-31 15:30:00+00:00' as t, timestamptz 'infinity' as i`),
    ).toBe('t,i\r\n2026-11-01 00:30:00+09:00,infinity\r\n');
  });
});

describe('JSON', () => {
  it('is an array of objects that keeps every type', async () => {
    expect(
      await parsed(`select
        '한글 "q"' as t, null as n, true as b, 1.5 as d, 42::bigint as i, date '2026-11-01' as day,
        timestamptz '2026-10-31 15:30:00.25+00:00' as at, timestamp '2026-11-01 09:00:00' as local,
        ['a', null] as l, {x: 1, y: ['가']} as s, map {'k': 1} as m, interval 90 minutes as iv`),
    ).toEqual([
      {
        t: '한글 "q"',
        n: null,
        b: true,
        d: 1.5,
        i: 42,
        day: '2026-11-01',
        at: '2026-11-01T00:30:00.25+09:00',
        local: '2026-11-01T09:00:00',
        l: ['a', null],
        s: { x: 1, y: ['가'] },
        m: { k: 1 },
        iv: '01:30:00',
      },
    ]);
  });

  it('gives a number that JavaScript cannot hold as text, digit by digit', async () => {
    expect(
      await parsed(`select
        9007199254740991 as safe, 9007199254740993 as large, 170141183460469231731687303715884105727::hugeint as huge,
        129000.5::decimal(18, 4) as money, 123456789012345678.1234::decimal(38, 4) as fortune`),
    ).toEqual([
      {
        safe: 9007199254740991,
        large: '9007199254740993',
        huge: '170141183460469231731687303715884105727',
        money: 129000.5,
        fortune: '123456789012345678.1234',
      },
    ]);
  });

  it('gives JSON columns as JSON, alone and inside lists and structs, with their digits', async () => {
    expect(await json(`select '{"id": 12345678901234567890}'::json as j`)).toContain('12345678901234567890');
    expect(await parsed(`select ['{"a": 1}'::json] as l, {d: '[2]'::json} as s, '{}' as text`)).toEqual([
      { l: [{ a: 1 }], s: { d: [2] }, text: '{}' },
    ]);
  });
});

describe('Parquet', () => {
  async function parquet(sql: string): Promise<string> {
    const file = join(folder, "it's.parquet");
    const scratch = join(folder, 'scratch.duckdb');
    await writeParquet(answerOf(await connection.stream(sql)), file, scratch);
    rmSync(scratch);
    return file.replaceAll("'", "''");
  }

  it('keeps types and values, over several batches', async () => {
    const file = await parquet(`select
      range as n, '가' || range as t, ['a', null] as l, {x: range} as s, '{"a":1}'::json as j, 1.5::decimal(18, 4) as d,
      timestamptz '2026-11-01 00:30:00+09:00' as at, date '2026-11-01' as day
      from range(5000)`);
    const read = await connection.runAndReadAll(`select * from '${file}' order by n`);
    expect(read.columnNames()).toEqual(['n', 't', 'l', 's', 'j', 'd', 'at', 'day']);
    expect(read.columnTypes().map((type) => type.alias ?? String(type))).toEqual([
      'BIGINT',
      'VARCHAR',
      'VARCHAR[]',
      'STRUCT("x" BIGINT)',
      'JSON',
      'DECIMAL(18,4)',
      'TIMESTAMP WITH TIME ZONE',
      'DATE',
    ]);
    expect(read.currentRowCount).toBe(5000);
    expect(read.getRowsJson()[4999]?.slice(0, 4)).toEqual(['4999', '가4999', ['a', null], { x: '4999' }]);
  });

  it('keeps sums exact and names as they are', async () => {
    const file = await parquet(
      `select sum(9007199254740993) as "합계 ""1""", 170141183460469231731687303715884105727::hugeint as largest from range(2)`,
    );
    const read = await connection.runAndReadAll(`select * from '${file}'`);
    expect(read.columnNames()).toEqual(['합계 "1"', 'largest']);
    expect(String(read.value(0, 0))).toBe('18014398509481986');
    expect(String(read.value(1, 0))).toBe('170141183460469231731687303715884105727');
  });
});

describe('a workbook', () => {
  const sheet = async (sql: string, naming = AS_IS): Promise<string> => {
    const bytes: Uint8Array[] = [];
    for await (const piece of xlsxBytes(answerOf(await connection.stream(sql)), naming)) bytes.push(piece);
    const parts = unzipSync(Buffer.concat(bytes));
    expect(Object.keys(parts)).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/workbook.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/worksheets/sheet1.xml',
    ]);
    return strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  };
  /** The cells of the second row, without the elements around them. */
  const cells = async (sql: string): Promise<string[]> => {
    const [, , row = ''] = (await sheet(sql)).split('<row>');
    return row.split(/(?=<c[ />])/).map((one) => one.replace(/<\/row>[^]*/, ''));
  };
  const text = (value: string): string =>
    `<c s="0" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;

  it.each([
    ['a number', '-5 as n', '<c s="0"><v>-5</v></c>'],
    ['a rate as a percentage', '0.0515 as click_rate', '<c s="2"><v>0.0515</v></c>'],
    ['a day', "date '2026-11-21' as d", '<c s="3"><v>46347</v></c>'],
    ['an instant in Korea', "timestamptz '2026-11-20 15:00:00Z' as t", '<c s="4"><v>46347</v></c>'],
    ['a truth', 'true as b', '<c t="b"><v>1</v></c>'],
    ['nothing', 'null as x', '<c/>'],
    ['a formula as text', "'=1+1' as f", text('=1+1')],
    ['what XML escapes', "'<a & b>' as f", text('&lt;a &amp; b&gt;')],
    ['what XML forbids', "'a' || chr(1) || 'b' as f", text('a_x0001_b')],
    ['a text that looks escaped', "'_x0041_' as f", text('_x005F_x0041_')],
    ['a number that Excel would round', '12345678901234567890::hugeint as n', text('12345678901234567890')],
    ['infinity', "'inf'::double as n", text('Infinity')],
    ['a day before the calendar of Excel', "date '1850-01-01' as d", text('1850-01-01')],
    ['a list', '[1, 2] as l', text('[1,2]')],
  ])('has %s', async (_, sql, wanted) => {
    expect(await cells(`select ${sql}`)).toEqual([wanted]);
  });

  it('cuts a text that no cell can have, and says so in the cell', async () => {
    const [cell = ''] = await cells("select repeat('가', 40000) as long");
    const shown = cell.replaceAll(/<[^>]*>/g, '');
    expect(shown).toHaveLength(32_767);
    expect(shown).toMatch(/가 … \(cut: Excel has no longer cells\)$/);
  });

  it('has the heads alone where there are no rows, in the language of the reader', async () => {
    const korean = { head: (name: string) => ({ channel: '채널' })[name] ?? name, word: AS_IS.word };
    const xml = await sheet("select 'push' as channel, 1 as n where false", korean);
    expect(xml.split('<row>')).toHaveLength(2);
    expect(xml).toContain('채널');
  });

  it('has as many rows as Excel can open', { tags: ['extended'] }, async () => {
    const xml = await sheet('select i from range(1048580) as t(i)');
    expect(xml.split('<row>')).toHaveLength(1 + 1_048_576);
  });
});

/**
 * Each sentence of a bundled query is a claim: a world in which it is true and said, and one in which it is not.
 * `sentences.txt` has the worlds: the rows of an answer, what is given in the warehouse, and after `>` what is said, in both
 * languages. UPDATE_GOLDEN=1 writes what is said anew, to be read by a person.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/ground/effects.js';
import { loadCatalogue } from '../../../src/readers/queries/catalogue.js';
import { filled, parseSentences, rowsOf } from '../../../src/readers/queries/sentences.js';
import { Wording } from '../../../src/readers/queries/wording.js';
import { emptyWarehouse } from './support.js';
import { long } from '../../support/tags.js';

type Cell = string | number | boolean | null | readonly Cell[];
type Line = Readonly<Record<string, Cell>>;

interface World {
  readonly query: string;
  /** The lines of the file but those of what is said. */
  readonly lines: readonly string[];
  readonly answer: readonly Line[];
  /** SQL that fills the warehouse. */
  readonly given: readonly string[];
}

const GOLDEN = join(PACKAGE_ROOT, 'test', 'readers', 'queries', 'sentences.txt');
const SHARED = readFileSync(join(PACKAGE_ROOT, 'sql', 'sentences.sql'), 'utf8');
const catalogue = new Map(loadCatalogue().map((query) => [query.name, query]));
const warehouse = emptyWarehouse();

const WORLDS: readonly World[] = readFileSync(GOLDEN, 'utf8')
  .trimEnd()
  .split(/\n(?=# )/)
  .map((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith('> '));
    const after = (word: string): string[] =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length));
    return {
      query: /^# ([\w-]+):/.exec(block)?.[1] ?? '',
      lines,
      answer: after('row: ').map((row) => JSON.parse(row) as Line),
      given: after('given: ').flatMap((sql) => sql.split(';').filter((text) => text.trim() !== '')),
    };
  });

/** The rows as SQL. The rows of the query's other worlds give the columns their types. */
function tableOf(world: World): string {
  const all = WORLDS.filter(({ query }) => query === world.query);
  const names = Object.keys(all.find(({ answer }) => answer.length > 0)?.answer[0] ?? { nothing: 1 });
  const lines = all.flatMap((one) =>
    one.answer.map(
      (row) => `(${[one === world, ...names.map((name) => row[name] ?? null)].map(literal).join(', ')})`,
    ),
  );
  const values = lines.length === 0 ? [`(false${', null'.repeat(names.length)})`] : lines;
  return `select * exclude (is_here) from (values ${values.join(', ')}) as made (is_here, ${names.join(', ')}) where is_here`;
}

function literal(cell: Cell): string {
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(literal).join(', ')}]`;
  if (typeof cell !== 'string') return String(cell);
  return `${/^\d{4}-\d{2}-\d{2}$/.test(cell) ? 'date ' : ''}'${cell.replaceAll("'", "''")}'`;
}

/** The sentence of a query; one that queries share is the same for all. */
const keyOf = (query: string, text: string): string =>
  SHARED.includes(text.slice(0, 60)) ? text : `${query}: ${text}`;

const said = new Map<string, { yes: boolean; no: boolean }>();

/** What is said in a world, in both languages, and which sentences that is. */
async function tell(world: World): Promise<string> {
  const { connection } = warehouse;
  const sentences = catalogue.get(world.query)?.sentences ?? [];
  await connection.run('begin');
  try {
    for (const sql of world.given) await connection.run(sql);
    await connection.run(`create or replace temp table answer as ${tableOf(world)}`);
    const rows = await rowsOf(
      connection,
      sentences.map(({ select }) => select),
    );
    const texts = sentences.flatMap(({ as, en, ko }, nth) => {
      const found = rows[nth] ?? [];
      const key = keyOf(world.query, en);
      const before = said.get(key) ?? { yes: false, no: false };
      said.set(key, { yes: before.yes || found.length > 0, no: before.no || found.length === 0 });
      const role = as === 'sentence' ? '' : `[${as}] `;
      return found.map(
        (row) => `> ${role}${filled(en, row, new Wording('en'))} | ${filled(ko, row, new Wording('ko'))}`,
      );
    });
    return [...world.lines, ...texts].join('\n');
  } finally {
    await connection.run('rollback');
    const variables = world.given.flatMap((sql) => /^\s*set variable "?(\w+)/.exec(sql)?.[1] ?? []);
    for (const name of variables) await connection.run(`reset variable "${name}"`);
  }
}

describe('the sentences of bundled queries', () => {
  test(
    'are said in the worlds in which they are true, and in no other',
    { tags: ['long'], timeout: 180_000 },
    async () => {
      const told: string[] = [];
      for (const world of WORLDS) told.push(await tell(world));
      const text = `${told.join('\n')}\n`;
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
      expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
    },
  );

  long('each have a world in which they are said, and one in which they are not', () => {
    const all = [...catalogue.values()].flatMap(({ name, sentences }) =>
      sentences.map(({ en }) => keyOf(name, en)),
    );
    const always = 'journey-funnel: Funnels';
    expect(all.filter((key) => said.get(key)?.yes !== true)).toEqual([]);
    expect(all.filter((key) => said.get(key)?.no !== true && !key.startsWith(always))).toEqual([]);
  });
});

test('a header names the select of a sentence, its two languages and its role', () => {
  expect(
    parseSentences('q', [
      'select 1 as n',
      'where true',
      '  en: One',
      '    more.',
      '  ko: 하나.',
      '  as: note',
    ]),
  ).toEqual([{ select: 'select 1 as n where true', en: 'One more.', ko: '하나.', as: 'note' }]);
  expect(parseSentences('q', ['select 1', '  en: One.'])).toMatchObject([{ en: 'One.', ko: 'One.' }]);
  expect(() => parseSentences('q', ['select 1', '  as: note'])).toThrow('incomplete');
  for (const { ko } of [...catalogue.values()].flatMap(({ sentences }) => sentences))
    expect(ko.replaceAll(/\{[^}]*\}/g, '')).toMatch(/[가-힣]|^$/);
});

test('values are written in their unit, and Korean particles follow the word before them', () => {
  const row = {
    name: 'A안',
    list: ['가', '나'],
    n: 1,
    click_rate: 0.0441,
    day: '2026-11-05',
    p50_seconds: 5400,
  };
  expect(filled('{name} {list} {n#day|days} {click_rate} {day} {p50_seconds}', row, new Wording('en'))).toBe(
    'A안 “가”, “나” day 4.4% Nov\u00a05 1.5\u00a0h',
  );
  expect(
    filled('‘{name}’{이/가} {click_rate}{을/를} {day} 쿠폰{으로/로} 메일{으로/로}', row, new Wording('ko')),
  ).toBe('‘A안’이 4.4%를 11월\u00a05일 쿠폰으로 메일로');
  const days = (first: string, last: string, language: 'en' | 'ko' = 'en') =>
    filled('{first~last}', { first, last }, new Wording(language)).replaceAll('\u00a0', ' ');
  expect(days('2026-11-21', '2026-11-21')).toBe('On Nov 21');
  expect(days('2026-11-21', '2026-11-27')).toBe('Nov 21–27');
  expect(days('2026-11-28', '2026-12-04')).toBe('Nov 28 – Dec 4');
  expect(days('2025-12-29', '2026-01-04')).toBe('December 29, 2025 – January 4, 2026');
  expect(days('2026-11-21', '2026-11-27', 'ko')).toBe('11월 21일~27일');
  expect(days('2026-11-28', '2026-12-04', 'ko')).toBe('11월 28일~12월 4일');
  expect(days('2025-12-29', '2026-01-04', 'ko')).toBe('2025년 12월 29일~2026년 1월 4일');
  const change = (share: number) => new Wording('en').change(share);
  expect([0.5, -0.0036, 0.0004].map(change)).toEqual(['+50.0%', '−0.4%', '±0.0%']);
});

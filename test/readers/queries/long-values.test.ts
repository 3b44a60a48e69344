/** Values of millions of characters: a table shows their beginning, data formats have them whole, and no answer takes long. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawTable } from '../../../src/terminal/table.js';
import { listed, wrapLine } from '../../../src/terminal/text.js';
import { shownText } from '../../../src/ground/text.js';
import { filled } from '../../../src/readers/queries/sentences.js';
import { Wording } from '../../../src/readers/queries/wording.js';
import { change, ended, start } from '../../support/dawnload.js';
import { makeWarehouse } from './support.js';

const LENGTH = 5_000_000;
const UNITS: Readonly<Record<string, string>> = {
  ascii: 'hello world, ',
  korean: '안녕하세요 ',
  decomposed: '안녕'.normalize('NFD'),
  joined: '👨‍👩‍👧‍👦',
  escapes: '\u001b[31mred\u001b[0m',
  'unclosed escapes': '\u001b]8;;',
  'one word': 'a',
  blanks: ' ',
  lines: '\n',
  digits: '1',
  marks: 'e\u0301\u0302\u0303',
  quotes: '"',
};
const valueOf = (unit: string): string => unit.repeat(LENGTH / unit.length);

/** What a slow machine may need; it was minutes, or for ever. */
const MOST_MS = 3_000;

function timed<T>(work: () => T): T {
  const began = performance.now();
  const result = work();
  expect(performance.now() - began).toBeLessThan(MOST_MS);
  return result;
}

describe.each(Object.entries(UNITS))('five million characters of %s', (_, unit) => {
  const value = valueOf(unit);
  const columns = ['a', 'b'].map((name) => ({ name, numeric: false }));

  test.each([undefined, 80])('in a table %s wide', (width) => {
    for (const rows of [1, 5]) {
      const drawn = timed(() =>
        drawTable(columns, Array<[string, string]>(rows).fill(['x', value]), { width, color: false }),
      );
      expect(drawn).toContain('…');
      expect(drawn.length).toBeLessThan(60_000);
    }
  });

  test('in a line, a list and a sentence', () => {
    timed(() => wrapLine(value, 80));
    timed(() => listed([['label', value]], 80));
    const said = timed(() => filled('‘{name}’{은/는}', { name: value }, new Wording('ko')));
    expect(said.length).toBeLessThan(2_000);
  });
});

test('a text is shortened between two characters', () => {
  expect(shownText('👨👨👨', 6)).toBe('👨👨👨');
  expect(shownText('👨👨👨👨', 3)).toBe('👨👨…');
});

describe('the command', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dawnload-long-'));
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'dawnload.yaml'), '');
    const file = join(folder, 'data', 'warehouse.duckdb');
    await makeWarehouse('small', file);
    const rows = Object.entries(UNITS).map(
      ([kind, unit]) =>
        `('${kind}', repeat('${unit.replaceAll('\u001b', "' || chr(27) || '").replaceAll('\n', "' || chr(10) || '")}', ${Math.floor(LENGTH / unit.length)}))`,
    );
    await change(file, `create table long as from (values ${rows.join(', ')}) as t(kind, value)`);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each(['table', 'json', 'parquet'])('answers as %s', { tags: ['long'] }, async (format) => {
    const began = performance.now();
    const args = ['query', '--sql', 'from long', '--format', format];
    const { code, stdout, stderr } = await ended(start(args, folder));
    expect(stderr).toContain('12 rows');
    expect(code).toBe(0);
    expect(performance.now() - began).toBeLessThan(45_000);
    if (format === 'table') expect(stdout.length).toBeLessThan(60_000);
    if (format === 'csv') expect(stdout.length).toBeGreaterThan(50_000_000);
    if (format === 'json')
      expect((JSON.parse(stdout) as { value: string }[]).map(({ value }) => value.length)).toEqual(
        Object.values(UNITS).map((unit) => Math.floor(LENGTH / unit.length) * unit.length),
      );
  });

  test.each(['korean', 'blanks', 'lines'])(
    'quotes only the beginning of a value in an error (%s)',
    { tags: ['long'] },
    async (kind) => {
      const args = ['query', '--sql', `select value::date from long where kind = '${kind}'`];
      const { code, stderr } = await ended(start(args, folder));
      expect(stderr).toContain('cannot be run: Conversion Error');
      expect(code).toBe(2);
      expect(stderr.length).toBeLessThan(70_000);
    },
  );
});

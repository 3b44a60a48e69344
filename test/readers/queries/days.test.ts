/** The parameter `days`, which each query of one's own has that chooses its days with `marts.period`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { questionOf } from '../../../src/readers/queries/catalogue.js';

const queries = mkdtempSync(join(tmpdir(), 'dawnload-days-'));
afterAll(() => {
  rmSync(queries, { recursive: true });
});

test.each([
  ['an expression', 'last_date - 1', []],
  ['a day', '2026-11-01', [['start', '2026-11-01']]],
])('has no default of its own, and replaces that of start: %s', (_, start, usual) => {
  const period = "marts.period('statistics', days := 3), marts.period('events', days := 5)";
  const header = `-- title: Periods\n-- question: How long?\n-- params:\n--   start (date, default ${start}): a day\n`;
  writeFileSync(join(queries, 'periods.sql'), `${header}\nfrom ${period};\n`);
  const valuesOf = (...param: string[]) => [
    ...(questionOf({ name: 'periods', queries, param }, new Date(0))?.values ?? []),
  ];
  expect(valuesOf()).toEqual(usual);
  expect(valuesOf('days=2')).toEqual([['days', '2']]);
  expect(valuesOf('start=2026-11-02')).toEqual([['start', '2026-11-02']]);
  expect(() => valuesOf('days=2', 'start=2026-11-02')).toThrow(
    'The parameters start and days exclude each other.',
  );
});

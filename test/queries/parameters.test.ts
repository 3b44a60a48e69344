import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { describeQuery, checkParameters } from '../../src/queries/catalogue.js';
test('a query without parameters says that it takes none, and refuses any', () => {
  const query = {
    name: 'totals',
    title: 'Totals',
    question: 'How many?',
    params: [],
    countsPeople: false,
    example: [],
    sql: 'select 1',
  };
  expect(describeQuery(query)).toContain('It takes no parameters.');
  const give = () => {
    checkParameters(query, new Map([['start', '2026-11-01']]));
  };
  expect(give).toThrow(UsageError);
  expect(give).toThrow('The query totals takes no parameters.');
});

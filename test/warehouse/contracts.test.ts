/** `dawnload docs` for other tools: each is complete, and says nothing that the dictionary and the checks do not say. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Dictionary, type SchemaEntry } from '../../src/warehouse/dictionary.js';
import { loadCatalogue } from '../../src/readers/queries/catalogue.js';
import { dbtSources, skill } from '../../src/readers/queries/contracts.js';

const traps = Dictionary.load().of('traps');

const column = (name: string, type = 'varchar') => ({
  name,
  type,
  description: `About ${name}: {x}.`,
  label: '열',
});
const schemas: SchemaEntry[] = [
  {
    name: 'main',
    description: 'Rows: "as given".',
    relations: [
      {
        name: 'events',
        schema: 'main',
        kind: 'table',
        description: 'Campaign events.',
        grain: 'export record',
        columns: [
          column('channel'),
          column('occurred_at', 'timestamptz'),
          column('extra', 'json'),
          column('n', 'hugeint'),
        ],
      },
    ],
  },
  {
    name: 'marts',
    description: 'Answers.',
    relations: [
      {
        name: 'marts.first_messages',
        schema: 'marts',
        kind: 'table',
        description: 'First messages.',
        grain: 'person',
        columns: [
          column('person'),
          column('tags', 'varchar[]'),
          column('rate', 'double'),
          column('date', 'date'),
        ],
      },
    ],
  },
  { name: 'macros', description: 'Not for analysts.', relations: [] },
];

test('a skill has every bundled question, the tables and the traps, in either language', () => {
  for (const language of ['en', 'ko'] as const) {
    const text = skill(schemas, traps, language);
    const [, head = ''] = text.split('---\n');
    expect(Object.keys(parse(head) as object)).toEqual(['name', 'description']);
    for (const { name, question } of loadCatalogue()) expect(text).toContain(`- \`${name}\`: ${question}`);
    for (const trap of traps) expect(text).toContain(trap[language]);
    expect(text).toContain('- `marts.first_messages` (person): First messages.');
    expect(text).not.toMatch(/\{(traps|questions|tables)\}/);
  }
});

test('dbt sources have descriptions, freshness, and tests of keys', () => {
  interface Source {
    name: string;
    schema: string;
    tables: {
      name: string;
      config?: object;
      columns?: { name: string; description?: string; data_tests?: unknown[] }[];
    }[];
  }
  const { sources } = parse(dbtSources(schemas)) as { sources: Source[] };
  expect(sources.map(({ name, schema }) => [name, schema])).toEqual([
    ['dawnload_health', 'ops'],
    ['dawnload', 'main'],
    ['dawnload_marts', 'marts'],
  ]);
  const tests = Object.fromEntries(
    sources.flatMap(({ tables }) =>
      tables.flatMap(({ name, columns = [] }) =>
        columns.map((one) => [`${name}.${one.name}`, one.data_tests ?? []]),
      ),
    ),
  );
  expect(tests).toMatchObject({
    'events.channel': [],
    'first_messages.person': ['not_null', 'unique'],
    'first_messages.date': [],
    'checks.severity': [{ accepted_values: { arguments: { values: ['warn'] } } }],
  });
  expect(sources[0]?.tables[0]?.config).toMatchObject({ loaded_at_field: 'loaded_at' });
  expect(sources[1]?.tables[0]?.columns?.[0]?.description).toBe('About channel: {x}.');
});

/** `dawnload docs` for other tools: each is complete, and says nothing that the dictionary and the checks do not say. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Dictionary, type SchemaEntry } from '../../src/dictionary/dictionary.js';
import { PACKAGE_ROOT } from '../../src/package.js';
import { loadCatalogue } from '../../src/queries/catalogue.js';
import { dbtSources, openDataContract, skill } from '../../src/queries/contracts.js';

const { traps, relations } = Dictionary.load().document;

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

test('dbt sources have descriptions, freshness, and tests of required columns and keys', () => {
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
  const needed = [{ not_null: { config: { severity: 'warn' } } }];
  expect(tests).toMatchObject({
    'events.channel': needed,
    'events.occurred_at': needed,
    'events.extra': [],
    'first_messages.person': ['not_null', 'unique'],
    'first_messages.date': [],
    'checks.severity': [{ accepted_values: { arguments: { values: ['warn'] } } }],
  });
  expect(sources[0]?.tables[0]?.config).toMatchObject({ loaded_at_field: 'loaded_at' });
  expect(sources[1]?.tables[0]?.columns?.[0]?.description).toBe('About channel: {x}.');
});

test('a data contract has logical types, required columns, and each check on the tables that it reads', () => {
  const contract = parse(openDataContract(schemas, traps, '1.2.3')) as {
    version: string;
    schema: {
      name: string;
      properties: { name: string; logicalType: string; required?: boolean }[];
      quality: { id: string; description: string }[];
    }[];
  };
  expect(contract).toMatchObject({
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    version: '1.2.3',
    status: 'active',
  });
  const types = contract.schema.flatMap(({ properties }) =>
    properties.map(({ name, logicalType }) => [name, logicalType]),
  );
  expect(Object.fromEntries(types)).toEqual({
    channel: 'string',
    occurred_at: 'timestamp',
    extra: 'object',
    n: 'integer',
    person: 'string',
    tags: 'array',
    rate: 'number',
    date: 'date',
  });
  expect(contract.schema[0]?.properties[0]?.required).toBe(true);
  expect(contract.schema[0]?.quality.map(({ id }) => id)).toContain('events_key');
  expect(contract.schema[1]?.quality.map(({ id }) => id)).toContain('marts_key');
  for (const { description } of contract.schema.flatMap(({ quality }) => quality))
    expect(description).toMatch(/\S/);
});

test('every check is a rule of some table of the warehouse', () => {
  const every = Object.keys(relations).map((name) => ({
    name,
    schema: 'main',
    kind: 'table' as const,
    description: 'x',
    grain: 'y',
    columns: [],
  }));
  const text = openDataContract([{ name: 'main', description: 'x', relations: every }], traps, '1');
  const checks = readdirSync(join(PACKAGE_ROOT, 'sql', 'checks')).map((file) => file.replace('.sql', ''));
  expect(checks.filter((name) => !text.includes(`id: ${name}\n`))).toEqual([]);
});

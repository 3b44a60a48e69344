/** `dawnload docs` for other tools: each is complete, and says nothing that the dictionary and the checks do not say. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { Dictionary, type SchemaEntry } from '../../src/warehouse/dictionary.js';
import { loadCatalogue } from '../../src/readers/queries/catalogue.js';
import { skill } from '../../src/readers/queries/contracts.js';

const traps = Dictionary.load().of('traps');

const column = (name: string, type = 'varchar') => ({
  name,
  type,
  description: `About ${name}: {x}.`,
  label: '컬럼',
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

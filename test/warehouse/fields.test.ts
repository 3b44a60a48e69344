import { statement } from '../../src/warehouse/session.js';
import { FIELDS } from '../../src/streams/index.js';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MESSAGE_TABLES, OTHERS } from '../../src/streams/events/messages.js';
import { fieldsFor, pointerTo, shapesOf } from '../../src/ground/fields.js';

const fields = fieldsFor('acme', FIELDS);
const known = (place: string): ReturnType<typeof fieldsFor> =>
  fields.filter((field) => field.place === place);

test('a key is a pointer, whatever it holds', () => {
  expect(pointerTo('a/b~"c')).toBe('/a~1b~0"c');
});

test('the word of the brand stands where it belongs, and shapes read what columns take as text', () => {
  expect(known('record').map(({ field }) => field)).toContain('acme_user_id');
  const shapes = shapesOf(fields);
  expect(JSON.parse(shapes['message_data:email'] ?? '')).toEqual({
    title: 'VARCHAR',
    'body.html': 'VARCHAR',
    'body.text': 'VARCHAR',
    body: { html: 'VARCHAR', text: 'VARCHAR' },
  });
  const places = new Set(fields.map(({ place }) => place));
  for (const { part } of fields) if (part !== null) expect(places).toContain(part);
});

describe('the statements that fill the tables of messages', () => {
  test('fill every column of their tables', () => {
    const schema = readFileSync('sql/streams/events/0005_messages.sql', 'utf8');
    const columnsOf = new Map(
      [...schema.matchAll(/create table (\w+) \(\n(.+?)\n\);/gs)].map(([, table = '', columns = '']) => [
        table,
        columns,
      ]),
    );
    for (const [, table = '', like = ''] of schema.matchAll(/create table (\w+) as\nfrom (\w+)/g))
      columnsOf.set(table, columnsOf.get(like) ?? '');
    for (const table of MESSAGE_TABLES.filter((one) => one !== OTHERS)) {
      const columns = columnsOf.get(table) ?? '';
      expect(columns).toContain('event_id');
      const filled = [...statement(`streams/events/messages/${table}`).matchAll(/ as (\w+),$/gm)].map(
        ([, column]) => column,
      );
      const expected = [...columns.matchAll(/^ {4}(\w+) /gm)].map(([, column]) => column);
      expect([...filled, 'event_id', 'date', 'export_date', 'position', 'extra']).toEqual(
        expect.arrayContaining(expected),
      );
    }
  });
});

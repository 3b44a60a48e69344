import { describe, expect, test } from 'vitest';
import { fieldsFor, oddKeys, pointerTo, shapesOf, type Alike } from '../../src/warehouse/fields.js';

const fields = fieldsFor('acme');
const known = (place: string): ReturnType<typeof fieldsFor> =>
  fields.filter((field) => field.place === place);
const push = known('message_data:push-notification');
const like = (
  keys: string[] | null,
  types: Record<string, string> = {},
  unreadable: string[] = [],
): Alike => ({
  keys,
  types: push.map(({ field }) => types[field] ?? null),
  unreadable,
});

describe('keys that no column takes', () => {
  test.each<[string, Alike[], string[] | undefined]>([
    ['none', [like(['title', 'body', 'link'], { title: 'VARCHAR', body: 'NULL' })], undefined],
    ['none, of nothing', [], undefined],
    ['unknown ones', [like(['title', 'badge'])], ['badge']],
    ['in the order in which they stand', [like(['z', 'title', 'a']), like(['a', 'b'])], ['z', 'a', 'b']],
    ['a value of another kind', [like(['title', 'body'], { title: 'OBJECT', body: 'UBIGINT' })], ['title']],
    ['a value that cannot be read', [like(['title'], {}, ['title'])], ['title']],
    ['all of what is no object', [like(null)], []],
  ])('%s', (_, alike, odd) => {
    expect(oddKeys(push, alike)).toEqual(odd);
  });

  test('an object with something odd inside', () => {
    const email = known('message_data:email');
    const alike = { keys: ['title', 'body'], types: email.map(() => null), unreadable: [] };
    expect(oddKeys(email, [alike], ['body'])).toEqual(['body']);
  });
});

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
    body: 'JSON',
  });
  const places = new Set(fields.map(({ place }) => place));
  for (const { part } of fields) if (part !== null) expect(places).toContain(part);
});

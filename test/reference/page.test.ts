/** The outside of a page of a list. */
import { describe, expect, test } from 'vitest';
import { agreed, listPage, nextCursor, rowsOf } from '../../src/reference/read-lists.js';

const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const ITEMS = { rows: [['data', 'items']] };

describe('a page', () => {
  test('has as many rows as its list, and no announced number where it has none', () => {
    const page = listPage(body({ data: { items: [{ id: 'a' }, { id: 'b' }] }, error: null }), ITEMS);
    expect(page).toMatchObject({ rows: 2, announced: null });
  });

  test('tells how many rows are announced', () => {
    const shape = { rows: [['data']], total: ['totalCount'] };
    expect(listPage(body({ totalCount: 3, data: [1] }), shape)?.announced).toBe(3);
    for (const total of ['3', 1.5, -1, null])
      expect(listPage(body({ totalCount: total, data: [1] }), shape)?.announced).toBeNull();
  });

  test('is none where no list is', () => {
    for (const given of [{ data: { items: {} } }, { data: null }, {}, [], { data: { items: 'x' } }])
      expect(listPage(body(given), ITEMS)).toBeUndefined();
  });

  test('may hold its list in one of several places', () => {
    const shape = { rows: [['data'], ['data', 'catalogs']] };
    expect(listPage(body({ data: [1, 2] }), shape)?.rows).toBe(2);
    expect(listPage(body({ data: { catalogs: [1] } }), shape)?.rows).toBe(1);
  });

  test('with half of a surrogate pair has rows that can be read', () => {
    const page = listPage(Buffer.from('{"data":{"items":[{"id":"\\ud800"}]}}'), ITEMS);
    expect(page && rowsOf(page)).toEqual([{ id: '\ufffd' }]);
  });
});

describe('the next page', () => {
  const page = (cursor: unknown, next: unknown): Buffer =>
    body({ data: { items: [], next_cursor: cursor, links: { next } } });
  const link = (cursor: string): string => `</v1/x/items?cursor=${encodeURIComponent(cursor)}>; rel="next"`;

  test('is what all three places name', () => {
    const said = nextCursor(page('a b/=', '/v1/x/items?cursor=a%20b%2F%3D'), link('a b/='));
    expect(agreed(said)).toEqual({ next: 'a b/=' });
  });

  test('is none when no place names one', () => {
    expect(agreed(nextCursor(page(null, null), null))).toEqual({ next: null });
    expect(agreed(nextCursor(body({ data: { items: [] } }), null))).toEqual({ next: null });
  });

  test('is found among other links', () => {
    const header = `</v1/x/items>; rel="first", ${link('c')}`;
    expect(agreed(nextCursor(page('c', '?cursor=c'), header))).toEqual({ next: 'c' });
  });

  test.each([
    ['the header names another', page('a', '?cursor=a'), link('b')],
    ['the header is missing', page('a', '?cursor=a'), null],
    ['the link names another', page('a', '?cursor=b'), link('a')],
    ['the link is missing', page('a', null), link('a')],
    ['the cursor says that it is the end', page(null, '?cursor=a'), link('a')],
  ])('is an error when %s', (_, given, header) => {
    expect(agreed(nextCursor(given, header))).toHaveProperty('reason');
  });
});

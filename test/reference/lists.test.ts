/** The outside of a page of a list, and whether a reading of a list counts as a snapshot. */
import { describe, expect, test } from 'vitest';
import { catalogsOn } from '../../src/streams/reference/pull.js';
import { listPage, nextCursor, rowsOn, whyAgain, type ReadList } from '../../src/streams/reference/lists.js';

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
    expect(page && rowsOn(page)).toEqual([{ id: '\ufffd' }]);
  });
});

test('the next page is the one that next_cursor names; without one the list ends', () => {
  const next = (data: object): string | undefined => nextCursor(body({ data: { items: [], ...data } }));
  expect(next({ next_cursor: 'a b/=' })).toBe('a b/=');
  for (const end of [{ next_cursor: null }, {}, { next_cursor: 5 }]) expect(next(end)).toBeUndefined();
});

test('a catalog whose number of items is none announces none', () => {
  const data = ['120', 1.5, -1, null, 3].map((num_items, at) => ({ name: String(at), num_items }));
  const page = listPage(body({ data }), { rows: [['data']] });
  expect(page && catalogsOn(page).map(([, items]) => items)).toEqual([null, null, null, null, 3]);
});

const list = (given: Partial<ReadList>): ReadList => ({
  rows: 10,
  repeated: 0,
  equal: 0,
  announced: 10,
  moved: false,
  ...given,
});
const TONIGHT = new Date('2026-11-20T22:30:00Z');
const FIRST = { stored: 0, short: [], pulledAt: TONIGHT, accepted: false };
/** A reading that did not count, so many hours before. */
const short = (rows: number, announced: number | null, hours = 24) => ({
  list: '*',
  rows,
  announced,
  pulledAt: new Date(TONIGHT.getTime() - hours * 3_600_000),
});
const kindOf = (
  given: Partial<ReadList>,
  before?: Partial<ReadList>,
  rest: Parameters<typeof whyAgain>[2] = FIRST,
): string => (whyAgain(list(given), before && list(before), rest) === undefined ? 'counts' : 'again');

describe('a reading', () => {
  test('counts when it has as many rows as are announced, or when no number is announced', () => {
    expect(kindOf({})).toBe('counts');
    expect(kindOf({ announced: null, rows: 3 })).toBe('counts');
    expect(kindOf({ announced: 0, rows: 0 })).toBe('counts');
  });

  test('is read again when a row stood on two pages, or when the number changed, even for a person who accepts', () => {
    const accepted = { ...FIRST, accepted: true };
    expect(kindOf({ repeated: 1 }, { repeated: 1 }, accepted)).toBe('again');
    expect(kindOf({ moved: true }, { moved: true }, accepted)).toBe('again');
  });

  test('with equal rows counts when it holds still, and not when a row of one id comes again', () => {
    const equal = { rows: 10, repeated: 1, equal: 2 };
    expect(kindOf(equal)).toBe('again');
    expect(kindOf(equal, equal)).toBe('counts');
    expect(kindOf(equal, { ...equal, rows: 11 })).toBe('again');
    expect(kindOf({ ...equal, repeated: 3 }, { ...equal, repeated: 3 })).toBe('again');
    expect(kindOf({ equal: 2 })).toBe('counts');
  });

  test('with more rows than announced counts the second time, and the difference is reported', () => {
    expect(kindOf({ rows: 11 })).toBe('again');
    expect(kindOf({ rows: 11 }, { rows: 11 })).toBe('counts');
    expect(kindOf({ rows: 11 }, { rows: 12 })).toBe('again');
  });

  test('with fewer rows than announced takes two nights that lack as many, or a person', () => {
    expect(whyAgain(list({ rows: 8 }), list({ rows: 8 }), FIRST)).toMatchObject({ isShort: true });
    const lastNight = { ...FIRST, short: [short(7, 9)] };
    expect(kindOf({ rows: 8 }, { rows: 8 }, lastNight)).toBe('counts');
    expect(kindOf({ rows: 7 }, { rows: 7 }, lastNight)).toBe('again');
    expect(kindOf({ rows: 8 }, { rows: 8 }, { ...FIRST, short: [short(7, 9, 1)] })).toBe('again');
    expect(kindOf({ rows: 8 }, undefined, { ...FIRST, accepted: true })).toBe('counts');
  });

  test('with less than half of the rows that are stored takes two nights that are alike, or a person', () => {
    const stored = { ...FIRST, stored: 21 };
    for (const announced of [10, null]) {
      expect(whyAgain(list({ announced }), list({ announced }), stored)).toMatchObject({ isShort: true });
      expect(kindOf({ announced }, {}, { ...stored, stored: 20 })).toBe('counts');
      expect(kindOf({ announced }, {}, { ...stored, short: [short(12, null)] })).toBe('counts');
      expect(kindOf({ announced }, {}, { ...stored, short: [short(12, null, 2)] })).toBe('again');
      expect(kindOf({ announced }, {}, { ...stored, short: [short(12, null, -24)] })).toBe('again');
      expect(kindOf({ announced }, {}, { ...stored, short: [short(0, null)] })).toBe('again');
      expect(kindOf({ announced }, {}, { ...stored, accepted: true })).toBe('counts');
    }
    const empty = { rows: 0, announced: 0 };
    expect(kindOf(empty, empty, stored)).toBe('again');
    expect(kindOf(empty, empty, { ...stored, short: [short(0, 0)] })).toBe('counts');
    expect(kindOf(empty, empty, FIRST)).toBe('counts');
  });
});

/** Catalogs (E2), rule by rule. `~` is a catalog of the rule's own with a field of each type. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CATALOGS,
  closeAll,
  dataOf,
  each,
  type Expected,
  play,
  type Service,
  start,
  type Step,
} from './support.js';

let there: Service;
let own = '';
let made = 0;
beforeAll(async () => {
  there = await start({ catalogItems: 1_000_000 });
});
afterAll(closeAll);

const TYPES = {
  text: 'string',
  number: 'number',
  flag: 'boolean',
  at: 'time',
  list: 'array',
  more: 'object',
  place: 'geo',
};
const EMPTY = { text: null, number: null, flag: null, at: null, list: null, more: null, place: null };
const DONE: Expected = [200, { data: null, error: null }];
const LONGEST = 'n'.repeat(250);
const ID = { name: 'id', type: 'string' };
const MORE = { name: 'x', type: 'string' };

/** The body that makes a catalog with these fields beside `id`. */
function catalog(name: unknown, types: Record<string, string> = {}, rest: object = {}) {
  const fields = Object.entries(types).map(([field, type]) => ({ name: field, type }));
  return {
    name,
    description: 'For a test',
    data_classification: 'non_personal',
    fields: [ID, ...fields],
    ...rest,
  };
}

const MADE = { ...catalog('made', TYPES), num_items: 0 };

const pathOf = (path: string) => CATALOGS + path.replace('~', own).replace(/^\/$/, '');

const run = (...steps: Step[]) => play(there, steps, pathOf);

/** A catalog of its own for what follows. */
async function begin(): Promise<void> {
  own = `own-${(made += 1)}`;
  await run(['POST /', catalog(own, TYPES), 201]);
}

function rules(table: Record<string, Step[]>): void {
  test.each(Object.entries(table))('%s', async (_, steps) => {
    await begin();
    await run(...steps);
  });
}

const list = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const strings = (count: number) => list(count, (i) => `s${i}`);
const texts = (count: number) => Object.fromEntries(strings(count).map((one) => [one, 'string'] as const));
const numbered = (count: number) => list(count, (i) => ({ id: `i${i}`, number: i }));

const create = (expected: Expected, name: unknown, rest: object = {}): Step => [
  'POST /',
  catalog(name, {}, rest),
  expected,
];
const add = (expected: Expected, ...fields: unknown[]): Step => ['POST /~/fields', { fields }, expected];
const item = (method: string, expected: Expected, ...items: unknown[]): Step => [
  `${method} /~/items/a`,
  { items },
  expected,
];
const items = (method: string, expected: Expected, ...some: unknown[]): Step => [
  `${method} /~/items`,
  { items: some },
  expected,
];
const put = (expected: Expected, ...some: unknown[]): Step[] => some.map((one) => item('PUT', expected, one));
const data = (values: object) => ({ data: expect.objectContaining(values) as unknown });
/** All items of the own catalog, as far as they are given. */
const holds = (...some: object[]): Step => ['GET /~/items', undefined, { data: { items: some } }];
/** Values of a field that are stored as they are given, or as another value. */
const keeps = (field: string, ...values: [given: unknown, kept?: unknown][]): Step[] =>
  values.flatMap(([given, kept = given]): Step[] => [
    ...put(data({ [field]: kept }), { [field]: given }),
    ['GET /~/items/a', undefined, data({ [field]: kept })],
  ]);
const EVERY = ['POST', 'PUT', 'PATCH', 'DELETE'];

// Catalogs and their fields.
rules({
  'E2.1 create: 201 with the catalog in data; the list then includes it': [
    ['POST /', catalog('made', TYPES), [201, { data: MADE, error: null }]],
    ['GET /', undefined, { data: { catalogs: expect.arrayContaining([MADE]) as unknown } }],
  ],
  'E2.2 name, pattern: letters, digits, _ and - are accepted; other characters and an empty name are refused':
    [
      create(201, 'A-z_09'),
      ...['', 'a b', 'a.b', 'a/b', '가', 'a\n', 'a$'].map((name) => create('name invalid-pattern', name)),
      create('name invalid-type', 7),
      create('name required', undefined),
    ],
  'E2.3 name, length: 250 characters are accepted, 251 refused': [
    create(201, LONGEST),
    create('name too-long', `${LONGEST}n`),
  ],
  'E2.4 name, unique per project: a second catalog with the same name is a conflict; names are case-sensitive':
    [create(201, 'twice'), create('409 ALREADY_EXISTS', 'twice'), create(201, 'Twice')],
  'E2.6 data_classification: required, and only non_personal': [
    create('data_classification invalid-value', 'classified', { data_classification: 'personal' }),
    create('data_classification required', 'classified', { data_classification: undefined }),
  ],
  'E2.7 fields: the first is id of type string, and no other is called id': [
    create('fields[0] invalid-fields', 'first', { fields: [{ name: 'price', type: 'number' }, ID] }),
    create('fields[0] invalid-fields', 'first', { fields: [{ name: 'id', type: 'number' }] }),
    create('fields[1].name not-unique', 'first', { fields: [ID, ID] }),
    create('fields too-few', 'first', { fields: [] }),
    create('fields required', 'first', { fields: undefined }),
    create('fields invalid-type', 'first', { fields: { id: 'string' } }),
  ],
  'E2.8 fields, number: 500 with id are accepted, 501 refused': [
    ['POST /', catalog('widest', texts(499)), 201],
    ['POST /', catalog('wider', texts(500)), 'fields too-many'],
  ],
  'E2.9 delete: 200 without data; the items are deleted, and a new catalog of that name starts empty, also on later days':
    [
      ...put(200, {}),
      ['DELETE /~', undefined, DONE],
      ['GET /~/items', undefined, '404 NOT_FOUND'],
      ['DELETE /~', undefined, '404 NOT_FOUND'],
      ['DELETE /stores', undefined, DONE],
      ['POST /', catalog('stores'), { data: { num_items: 0 } }],
      { now: '2026-11-21T01:00:00Z' },
      ['GET /stores/items', undefined, { data: { items: [] } }],
      { now: '2026-11-20T01:00:00Z' },
    ],
  'E2.10 field, name: pattern, 250 characters, and not __proto__': [
    ...['a b', '', 'a.b'].map((name) => add('fields[0].name invalid-pattern', { name, type: 'string' })),
    add('fields[0].name too-long', { name: `${LONGEST}n`, type: 'string' }),
    add('fields[0] invalid-type; fields[1].name required', '{"name":1}', { type: 'string' }),
    ['POST /~/fields', '{"fields":[{"name":"__proto__","type":"string"}]}', 'fields[0].name reserved'],
    create('fields[1].name reserved', 'proto', { fields: [ID, { name: '__proto__', type: 'string' }] }),
    add(DONE, { name: LONGEST, type: 'string' }),
  ],
  'E2.11 field, name, when added: not id, not an existing name, and unique in the request': [
    add('fields[0].name reserved', ID),
    add('409 ALREADY_EXISTS', { name: 'number', type: 'number' }),
    add('fields[1].name not-unique', MORE, MORE),
  ],
  'E2.12 field, type: one of seven': [
    add(DONE, ...Object.values(TYPES).map((type) => ({ name: `a-${type}`, type }))),
    ...['text', 'String', '', null, 1].map((type) => add('fields[0].type invalid-type', { name: 'x', type })),
    add('fields[0].type required', { name: 'x' }),
  ],
  'E2.13 field, properties: only name and type': [
    add('fields[0].required unknown-property', { ...MORE, required: true }),
    ['POST /~/fields', { fields: [MORE], dry: 1 }, 'dry unknown-property'],
    create('fields[1].note unknown-property', 'stricter', { fields: [ID, { ...MORE, note: '' }] }),
  ],
  'E2.14 field, add: 1 to 50 in a request; one invalid field rejects all': [
    add('fields too-few'),
    add('fields too-many', ...list(51, (i) => ({ name: `f${i}`, type: 'string' }))),
    add('fields[1].type invalid-type', MORE, { name: 'y', type: 'nothing' }),
    add(DONE, ...list(50, (i) => ({ name: `f${i}`, type: 'string' }))),
  ],
  'E2.16 field, delete: 200 without data; the values are deleted, even if the field is added again; id cannot be deleted':
    [
      ...put(200, { number: 1, text: 'n' }),
      ['DELETE /~/fields/number', undefined, DONE],
      add(DONE, { name: 'number', type: 'number' }),
      ['GET /~/items/a', undefined, data({ text: 'n', number: null })],
      ['DELETE /~/fields/none', undefined, '404 NOT_FOUND'],
      ['DELETE /~/fields/id', undefined, 'fieldName reserved'],
      ['GET /products/items/kn-1024', undefined, data({ rank: expect.any(Number) as number })],
      ['DELETE /products/fields/rank', undefined, DONE],
      ['POST /products/fields', { fields: [{ name: 'rank', type: 'number' }] }, DONE],
      ['GET /products/items/kn-1024', undefined, data({ rank: null })],
    ],
});

// Values of items, by the type of their field.
rules({
  'E2.17 string: 5,000 characters are accepted, 5,001 refused': [
    ...keeps('text', [''], ['a'.repeat(5000)], ['가'.repeat(5000)], ['😀'.repeat(5000)], ['"\\\n\u0000']),
    ...put('items[0].text too-long', { text: 'a'.repeat(5001) }),
    ...put('items[0].text invalid-type', { text: 1 }),
  ],
  'E2.18 number and boolean: of the declared type, and finite': [
    ...keeps('number', [0], [-1.5], [1e300], [Number.MAX_SAFE_INTEGER]),
    ...keeps('flag', [false]),
    ...put(
      'items[0].number invalid-type',
      { number: '1' },
      { number: true },
      { number: [1] },
      { number: {} },
    ),
    ['PUT /~/items/a', '{"items":[{"number":1e999}]}', 'items[0].number invalid-type'],
    ...put('items[0].flag invalid-type', { flag: 0 }, { flag: 'true' }, { flag: [] }),
  ],
  'E2.19 array: up to 100 strings and nothing else; operators only in patches': [
    ...keeps('list', [strings(100)], [[]]),
    ...put('items[0].list too-many', { list: strings(101) }),
    ...put('items[0].list[1] invalid-type', { list: ['a', 1] }, { list: ['a', null] }),
    ...put('items[0].list invalid-type', { list: 'a' }, { list: { $add: ['a'] } }),
    ...put('items[0].list[0] too-long', { list: ['a'.repeat(5001)] }),
  ],
  'E2.20 geo: longitude, then latitude, each within its bounds': [
    ...keeps('place', [[127.0276, 37.4979]], [[-180, 90]]),
    ...put('items[0].place[1] out-of-range', { place: [37.4979, 127.0276] }),
    ...put('items[0].place[0] out-of-range', { place: [180.1, 0] }),
    ...[[1], [1, 2, 3], ['1', '2'], { longitude: 1, latitude: 2 }, '1,2'].flatMap((place) =>
      put('items[0].place invalid-type', { place }),
    ),
  ],
  'E2.21 time: ISO 8601 or Unix seconds, stored and returned in UTC': [
    ...keeps(
      'at',
      ['2026-11-21T10:00:00+09:00', '2026-11-21T01:00:00.000Z'],
      ['2026-11-21', '2026-11-21T00:00:00.000Z'],
      [1_795_226_400, '2026-11-21T02:00:00.000Z'],
      [-1.5, '1969-12-31T23:59:58.500Z'],
    ),
    ...put('items[0].at invalid-time', { at: '2026-02-30' }, { at: 'now' }, { at: 1e18 }, { at: {} }),
  ],
  'E2.22 object: no key contains . or $, at any depth': [
    ...keeps('more', [{ a: 1, '가 나': [{ b: null }], '': {}, __typename: 'x' }]),
    ...put('items[0].more["a.b"] invalid-key', { more: { 'a.b': 1 } }),
    ...put('items[0].more.$a invalid-key', { more: { $a: 1 } }),
    ...put('items[0].more.a[0].c$ invalid-key', { more: { a: [{ c$: 1 }] } }),
    ...put('items[0].more invalid-type', { more: [] }, { more: 'x' }, { more: 1 }),
  ],
  'E2.23 values: omitted or null means null; unknown fields are refused': [
    ...put([200, { data: { id: 'a', ...EMPTY }, error: null }], {}, { text: null }),
    ...put('items[0].colour invalid-fields', { colour: 'red' }),
    [
      'PUT /~/items/a',
      '{"items":[{"__proto__":1,"toString":2}]}',
      'items[0].__proto__ invalid-fields; items[0].toString invalid-fields',
    ],
  ],
  'E2.25 nesting: 50 levels are accepted, 51 and a hundred thousand refused': (
    [
      [50, 200],
      [51, 'items[0] too-deep'],
      [100_000, 'items[0] too-deep'],
    ] as const
  ).map(([levels, expected]): Step => {
    // The item is the first level, the object in the field the second.
    const nested = `{"a":`.repeat(levels - 2) + '{}' + '}'.repeat(levels - 2);
    return ['PUT /~/items/a', `{"items":[{"more":${nested}}]}`, expected];
  }),
});

test('E2.24 size: an item of 1 MiB is accepted, one byte more is refused', async () => {
  await begin();
  const room = 1024 * 1024 - JSON.stringify({ id: 'a', ...EMPTY, more: { a: '' } }).length;
  const sized = (size: number) => ({ more: { a: 'x'.repeat(size) } });
  await run(...put('items[0] too-large', sized(room + 1)), ...put(200, sized(room)), [
    'DELETE /~',
    undefined,
    DONE,
  ]);
});

// Items, one at a time and many.
rules({
  'E2.27 one item, create: 201 with the item and its id in data; an existing id is a conflict': [
    item('POST', [201, { data: { id: 'a', ...EMPTY, text: 'A', number: 1 }, error: null }], {
      text: 'A',
      number: 1,
    }),
    ['GET /~/items/a', undefined, { data: { id: 'a', ...EMPTY, text: 'A', number: 1 } }],
    item('POST', '409 ALREADY_EXISTS', { text: 'B' }),
    ['GET /~/items/a', undefined, data({ text: 'A' })],
  ],
  'E2.28 one item, replace: 200, even for a new item; omitted fields are removed': [
    ...put(data({ id: 'a', text: 'A', number: 1 }), { text: 'A', number: 1 }),
    ...put([200, { data: { id: 'a', ...EMPTY, list: ['x'] }, error: null }], { list: ['x'] }),
  ],
  'E2.29 one item, patch: changes only the given fields; 404 for an unknown item': [
    item('PATCH', '404 NOT_FOUND', { number: 2 }),
    holds(),
    ...put(200, { text: 'A', number: 1, list: ['x'] }),
    item('PATCH', data({ text: 'A', number: 2, list: ['x'] }), { number: 2 }),
    item('PATCH', data({ text: null, number: 2 }), { text: null }),
  ],
  'E2.31 one item, items: exactly one in create, replace and patch': [
    ...put(200, {}),
    ...['POST', 'PUT', 'PATCH'].flatMap((method): Step[] => [
      item(method, 'items too-few'),
      item(method, 'items too-many', {}, {}),
      item(method, 'items[0] invalid-type', 'text'),
      ...each(`${method} /~/items/a`, 'items required', {}, []),
    ]),
  ],
  'E2.32 one item, id in the path: matches the pattern, at most 250 characters': [
    [`POST /~/items/${LONGEST}`, { items: [{}] }, 201],
    ...[...EVERY, 'GET'].flatMap((method): Step[] => [
      [`${method} /~/items/${LONGEST}i`, { items: [{}] }, 'itemId too-long'],
      ...['a.b', '%EA%B0%80', '%zz'].map((id): Step => [
        `${method} /~/items/${id}`,
        { items: [{}] },
        'itemId invalid-pattern',
      ]),
    ]),
  ],
  'E2.33 one item, id in the body: equal to the one in the path, or omitted': [
    ...put(200, { id: 'a' }, {}),
    ...put('items[0].id mismatch', { id: 'b' }),
  ],
  'E2.35 patching arrays, $add and $remove: adds new elements once, removes the named ones': [
    ...put(200, { list: ['x', 'y'] }),
    item('PATCH', data({ list: ['x', 'z'] }), { list: { $add: ['z', 'x', 'z'], $remove: ['y', 'none'] } }),
    item('PATCH', data({ list: ['x', 'z', 'w'] }), { list: { $add: ['w'] } }),
    item('PATCH', data({ list: [] }), { list: { $remove: ['x', 'z', 'w'] } }),
  ],
  'E2.37 patching arrays, $add: beyond 100 elements nothing changes': [
    ...put(200, { list: strings(100), number: 1 }),
    item('PATCH', 'items[0].list too-many', { list: { $add: ['more'] }, number: 2 }),
    ['GET /~/items/a', undefined, data({ list: strings(100), number: 1 })],
    item('PATCH', data({ list: [...strings(100).slice(1), 'more'] }), {
      list: { $add: ['more'], $remove: ['s0'] },
    }),
  ],
  'E2.38 patching arrays, operators: only $add and $remove, only for array fields': [
    ...put(200, { list: [] }),
    item('PATCH', 'items[0].text invalid-type', { text: { $add: ['x'] } }),
    item('PATCH', 'items[0].list.$set invalid-operator', { list: { $set: [] } }),
    item('PATCH', 'items[0].list required', { list: {} }),
    item('PATCH', 'items[0].list.$add invalid-type', { list: { $add: 'x' } }),
    item('PATCH', 'items[0].list.$remove[0] invalid-type', { list: { $remove: [1] } }),
  ],
  'E2.39 many items: create, replace, patch, delete: 200 without data': [
    items('POST', DONE, ...numbered(3)),
    items('PUT', DONE, { id: 'i0', text: 'new' }, { id: 'x' }),
    items('PATCH', DONE, { id: 'i1', text: 'patched' }, { id: 'x', list: { $add: ['a'] } }),
    items('DELETE', DONE, { id: 'i2' }),
    holds(
      { id: 'i0', text: 'new', number: null },
      { id: 'i1', text: 'patched', number: 1 },
      { id: 'x', list: ['a'] },
    ),
  ],
  'E2.40 many items, number: 1 to 50': [
    ...EVERY.flatMap((method) => [
      items(method, 'items too-many', ...numbered(51)),
      items(method, 'items too-few'),
      items(method, DONE, ...numbered(50)),
    ]),
    holds(),
  ],
  'E2.41 many items, ids: required, matching the pattern, and unique in the request': EVERY.flatMap(
    (method) => [
      items(method, 'items[0].id required', { number: 1 }),
      items(method, 'items[0].id invalid-pattern', { id: 'a b' }),
      items(method, 'items[0].id invalid-type', { id: 1 }),
      items(method, 'items[0].id too-long', { id: `${LONGEST}i` }),
      items(method, 'items[2].id not-unique', { id: 'a' }, { id: 'b' }, { id: 'a' }),
    ],
  ),
  'E2.42 many items: one error rejects the whole request': [
    items('POST', DONE, ...numbered(2)),
    items('POST', '409 ALREADY_EXISTS', { id: 'new' }, { id: 'i1', number: 9 }),
    items('PUT', 'items[1].number invalid-type', { id: 'i0', number: 9 }, { id: 'i1', number: 'x' }),
    items('PATCH', '404 NOT_FOUND', { id: 'i0', number: 9 }, { id: 'none', number: 9 }),
    items('PATCH', DONE, { id: 'i1', list: strings(100) }),
    items('PATCH', 'items[1].list too-many', { id: 'i0', number: 9 }, { id: 'i1', list: { $add: ['more'] } }),
    items('DELETE', '404 NOT_FOUND', { id: 'i0' }, { id: 'none' }),
    holds({ id: 'i0', number: 0 }, { id: 'i1', number: 1 }),
  ],
});

// Pages.
const idOf = (number: number) => `i${String(number).padStart(4, '0')}`;

async function fill(count: number): Promise<void> {
  await begin();
  const all = list(count, (i) => ({ id: idOf(i) }));
  for (let from = 0; from < count; from += 50) await run(items('POST', DONE, ...all.slice(from, from + 50)));
}

test('E2.43 page, size: 50 items, the last page the rest; each item once, in order', async () => {
  await fill(120);
  const first = await there.page(own);
  const second = await there.page(own, first.next_cursor ?? '');
  expect([first.items.length, second.items.length]).toEqual([50, 50]);
  expect((await there.all(own)).map(({ id }) => id)).toEqual(list(120, idOf));
});

test('E2.45 page, next: next_cursor, links.next and the Link header have the same cursor, which leads to the next page', async () => {
  const got = await there.call('GET', pathOf('/products/items'));
  const { next_cursor: cursor, links, items: first } = dataOf(got) as Awaited<ReturnType<Service['page']>>;
  const url = new URL(links.next ?? '', there.sandbox.url);
  expect([url.pathname, url.searchParams.get('cursor')]).toEqual([pathOf('/products/items'), cursor]);
  expect(got.headers['link']).toBe(`<${links.next}>; rel="next"`);
  const next = await there.page('products', cursor ?? '');
  expect(dataOf(await there.call('GET', links.next ?? ''))).toEqual(next);
  expect(next.items[0]).not.toEqual(first[0]);
});

test('E2.46 page, cursor: an altered or empty one, or one of another catalog, is refused', async () => {
  const cursor = (await there.page('products')).next_cursor ?? '';
  const wrong = [`${cursor}x`, cursor.slice(1), '', 'MQ', '2', '../x'].map(
    (one) => `/products/items?cursor=${encodeURIComponent(one)}`,
  );
  const steps = [...wrong, `/stores/items?cursor=${cursor}`].map((path): Step => [
    `GET ${path}`,
    undefined,
    'cursor invalid-cursor',
  ]);
  await run(...steps);
});

test('E2.47 page, cursor: stays valid while items are added, changed and deleted, even its own item', async () => {
  await fill(100);
  const { next_cursor: cursor } = await there.page(own);
  const gone = [idOf(49), idOf(50), idOf(3)].map((id) => ({ id }));
  await run(
    items('DELETE', DONE, ...gone),
    items('PUT', DONE, { id: 'i0003a' }, { id: 'i0070a' }, { id: 'a' }),
  );
  const rest = list(49, (i) => idOf(51 + i));
  const ids = (await there.page(own, cursor ?? '')).items.map(({ id }) => id);
  expect(ids).toEqual([...rest.slice(0, 20), 'i0070a', ...rest.slice(20)]);
});

test('E2.49 page, a million items: writes apply, and both ends are available immediately', async () => {
  await run(
    ['DELETE /big/items/item-000000001', undefined, DONE],
    ['PUT /big/items/item-000000001a', { items: [{ name: 'between' }] }, 200],
    ['GET /big/items/item-000999999'],
    ['GET /big/items/item-001000000', undefined, '404 NOT_FOUND'],
  );
  const ids = (await there.page('big')).items.slice(0, 3).map(({ id }) => id);
  expect(ids).toEqual(['item-000000000', 'item-000000001a', 'item-000000002']);
});

rules({
  'E2.50 list: data.catalogs, or data itself (option)': [
    { options: { catalogList: 'plain' } },
    ['GET /', undefined, { data: [{ name: 'products' }, { name: 'stores' }, { name: 'a-b_C' }] }],
  ],
});

// Selections.
const filter = { field: 'number', operator: 'greater than', value: 10 };
const select = (expected: Expected, selection: unknown): Step => [
  'POST /~/selections',
  { selection },
  expected,
];
const filtered = (expected: string, part: object) =>
  select(expected, { name: 'x', filters: [{ ...filter, ...part }] });
const whole = {
  name: 'dear',
  description: 'd',
  filters: [filter],
  results_limit: 5,
  sort_field: 'number',
  sort_order: 'desc',
};

rules({
  'E2.51 selection, create and delete: 200 without data': [
    select(DONE, whole),
    select('409 ALREADY_EXISTS', whole),
    ['DELETE /~/selections/dear', undefined, DONE],
    ['DELETE /~/selections/dear', undefined, '404 NOT_FOUND'],
  ],
  'E2.54 selection, filters: existing fields and operators, a value that is not null, limited nesting': [
    filtered('selection.filters[0].value required', { value: null }),
    filtered('selection.filters[0].value required', { value: undefined }),
    filtered('selection.filters[0].field invalid-fields', { field: 'none' }),
    filtered('selection.filters[0].operator invalid-value', { operator: 'toString' }),
    select('selection.filters invalid-type', { name: 'x', filters: {} }),
    select('selection.filters[0] invalid-type', { name: 'x', filters: [1] }),
    [
      'POST /~/selections',
      `{"selection":{"name":"x","filters":[{"value":${'['.repeat(99)}${']'.repeat(99)}}]}}`,
      'selection too-deep',
    ],
  ],
});

/** The results of the selections of the own catalog. */
function results(): string[][] {
  const { changed } = (
    there.state() as unknown as {
      catalogs: { changed: { name: string; selections: { results: string[] }[] }[] };
    }
  ).catalogs;
  return changed.find(({ name }) => name === own)?.selections.map((one) => one.results) ?? [];
}

test('E2.56 selection, results: filtered, sorted or in random order, limited, recomputed after each change', async () => {
  await begin();
  await run(
    items('POST', DONE, ...list(40, (i) => ({ id: `i${i}`, number: i, list: i % 2 === 0 ? ['even'] : [] }))),
  );
  const even = [filter, { field: 'list', operator: 'contains', value: 'even' }];
  await run(
    select(DONE, { name: 'a', filters: even, results_limit: 3, sort_field: 'number', sort_order: 'desc' }),
    select(DONE, { name: 'b', filters: [{ ...filter, value: 37 }], sort_field: 'number' }),
    select(DONE, { name: 'c' }),
  );
  const [evens, dearest, all] = results();
  expect([evens, dearest]).toEqual([
    ['i38', 'i36', 'i34'],
    ['i38', 'i39'],
  ]);
  await run(items('PUT', DONE, { id: 'i1', number: 100 }));
  expect(results()[1]).toEqual(['i38', 'i39', 'i1']);
  expect(results()[2]).not.toEqual(all);
  expect(results()[2]?.toSorted()).toEqual(all?.toSorted());
  await run(items('DELETE', DONE, { id: 'i38' }));
  expect(results()[1]).toEqual(['i39', 'i1']);
  await run(['DELETE /~/fields/number', undefined, DONE]);
  expect(results()[1]).toEqual([]);
  await run(add(DONE, { name: 'number', type: 'number' }), items('PUT', DONE, { id: 'new', number: 50 }));
  expect(results()[1]).toEqual(['new']);
});

// Errors.
test('E2.57 error, details: exactly field, path, code and message; at most a hundred', async () => {
  await begin();
  const details = async (items: unknown[]) => {
    const { json } = await there.call('POST', pathOf('/~/items'), { items });
    return (json as unknown as { error: { details: object[] } }).error.details;
  };
  const message = expect.any(String) as string;
  expect(await details([{ id: 'a' }, { id: 'b', number: 'x', list: ['y', 1] }])).toEqual([
    { field: 'items[1].number', path: ['items', 1, 'number'], code: 'invalid-type', message },
    { field: 'items[1].list[1]', path: ['items', 1, 'list', 1], code: 'invalid-type', message },
  ]);
  expect(await details(list(50, (i) => ({ id: `i${i}`, number: 'x', text: 1, no: 0 })))).toHaveLength(100);
});

rules({
  'E2.58 error, 400: the body is not JSON, or is missing': [
    ...each('POST /', '400 INVALID_ARGUMENT', '{', 'no json', ''),
    ...each('POST /', ' invalid-type', 'null', '[]', '"x"', '1'),
  ],
  'E2.59 error, 400: a catalog name in the path breaks the rule for names': [
    ...['a.b', '%20', '%EA%B0%80'].map((name): Step => [
      `GET /${name}/items`,
      undefined,
      'catalogName invalid-pattern',
    ]),
    [`GET /${LONGEST}n/items`, undefined, 'catalogName too-long'],
  ],
  'E2.60 error, 404: every operation on an unknown catalog': [
    'DELETE /none',
    ...['GET', ...EVERY].map((method) => `${method} /none/items/i`),
    ...['GET', ...EVERY].map((method) => `${method} /none/items`),
    ...['POST /none/fields', 'DELETE /none/fields/f', 'POST /none/selections', 'DELETE /none/selections/s'],
  ].map((request): Step => [request, {}, '404 NOT_FOUND']),
  'E2.61 error, 413: a body over 4 MiB; exactly 4 MiB is read': [1, 0].map((more): Step => {
    const begun = JSON.stringify({ ...catalog('large'), pad: '' }).slice(0, -2);
    const body = `${begun}${'x'.repeat(4 * 1024 * 1024 + more - begun.length - 2)}"}`;
    return ['POST /', body, more === 1 ? '413 PAYLOAD_TOO_LARGE' : 201];
  }),
});

rules({
  'E2.63 world: written values override those that change from day to day': [
    { options: {} },
    ['PATCH /products/items/kn-1024', { items: [{ price: 1 }] }, 200],
    ['DELETE /products/items/ct-2210', undefined, DONE],
    { now: '2026-11-25T22:00:00Z' },
    ['GET /products/items/kn-1024', undefined, data({ price: 1 })],
    ['GET /products/items/ct-2210', undefined, '404 NOT_FOUND'],
  ],
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { catalogOf, DONE, expectError, expectRefused, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z') });
  service = await reference(sandbox);
});
afterAll(() => sandbox.close());

const create = (body: unknown) => service.catalogs('POST', '', body);
const LONGEST = 'n'.repeat(250);

describe('Catalog', () => {
  it('create: 201, the catalog is in data, and in the list from then on', async () => {
    const got = await create(catalogOf('made', { price: 'number' }));
    const made = {
      name: 'made',
      description: 'For a test',
      data_classification: 'non_personal',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'price', type: 'number' },
      ],
      num_items: 0,
    };
    expect(got.status).toBe(201);
    expect(got.json).toEqual({ data: made, error: null });
    expect(await service.listed('made')).toEqual(made);
  });

  it('name, pattern: letters, digits, _ and - pass, anything else and nothing do not', async () => {
    expect((await create(catalogOf('A-z_09'))).status).toBe(201);
    for (const name of ['', 'a b', 'a.b', 'a/b', '가', 'a\n', 'a$']) {
      expectRefused(await create(catalogOf(name)), 'name invalid-pattern');
    }
    expectRefused(await create(catalogOf(7)), 'name invalid-type');
    expectRefused(await create(catalogOf(undefined)), 'name required');
  });

  it('name, length: 250 characters pass, 251 do not', async () => {
    expect((await create(catalogOf(LONGEST))).status).toBe(201);
    expectRefused(await create(catalogOf(`${LONGEST}n`)), 'name too-long');
  });

  it('name, unique per project: a second catalog of the name is a conflict and changes nothing', async () => {
    await service.make('twice', { price: 'number' });
    expectError(await create(catalogOf('twice')), 409, 'ALREADY_EXISTS');
    expect((await service.listed('twice'))?.fields).toHaveLength(2);
    // Another case is another name.
    expect((await create(catalogOf('Twice'))).status).toBe(201);
  });

  it('description: a text, or none', async () => {
    expectRefused(await create({ ...catalogOf('described'), description: 1 }), 'description invalid-type');
    expect((await create({ ...catalogOf('described'), description: undefined })).status).toBe(201);
    expect(await service.listed('described')).toMatchObject({ description: '' });
  });

  it('data_classification: required, and only non_personal', async () => {
    const personal = { ...catalogOf('classified'), data_classification: 'personal' };
    expectRefused(await create(personal), 'data_classification invalid-value');
    expectRefused(
      await create({ ...catalogOf('classified'), data_classification: undefined }),
      'data_classification required',
    );
  });

  it('fields, the first: id of type string, and nowhere else', async () => {
    const withFields = (fields: unknown) => create({ ...catalogOf('first'), fields });
    const id = { name: 'id', type: 'string' };
    const price = { name: 'price', type: 'number' };
    expectRefused(await withFields([price, id]), 'fields[0] invalid-fields');
    expectRefused(await withFields([{ name: 'id', type: 'number' }]), 'fields[0] invalid-fields');
    expectRefused(await withFields([id, id]), 'fields[1].name not-unique');
    expectRefused(await withFields([]), 'fields too-few');
    expectRefused(await withFields(undefined), 'fields required');
    expectRefused(await withFields({ id: 'string' }), 'fields invalid-type');
  });

  it('fields, number: 500 with id pass, 501 do not', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'string']));
    expect((await create(catalogOf('widest', many(499)))).status).toBe(201);
    expectRefused(await create(catalogOf('wider', many(500))), 'fields too-many');
  });

  it('num_items: the list counts what is there', async () => {
    await service.make('counted');
    await service.catalogs('POST', '/counted/items', { items: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] });
    await service.catalogs('DELETE', '/counted/items/b');
    expect((await service.listed('counted'))?.num_items).toBe(2);
  });

  it('delete: 200 and no data, its items are gone, and a new one of its name begins empty', async () => {
    await service.make('gone');
    await service.catalogs('PUT', '/gone/items/a', { items: [{}] });
    expect((await service.catalogs('DELETE', '/gone')).json).toEqual(DONE);
    expectError(await service.catalogs('GET', '/gone/items'), 404, 'NOT_FOUND');
    expectError(await service.catalogs('DELETE', '/gone'), 404, 'NOT_FOUND');
    await service.make('gone');
    expect(await service.all('gone')).toEqual([]);
  });

  it('delete: one that was there from the beginning does not come back on another day', async () => {
    expect((await service.catalogs('DELETE', '/stores')).status).toBe(200);
    expect(await service.listed('stores')).toBeUndefined();
    await service.make('stores');
    expect(await service.all('stores')).toEqual([]);
  });
});

describe('Catalog field', () => {
  const add = (catalog: string, ...fields: unknown[]) =>
    service.catalogs('POST', `/${catalog}/fields`, { fields });

  it('name: pattern, 250 characters, and not __proto__', async () => {
    await service.make('named');
    for (const name of ['a b', '', 'a.b']) {
      expectRefused(await add('named', { name, type: 'string' }), 'fields[0].name invalid-pattern');
    }
    expectRefused(await add('named', { name: `${LONGEST}n`, type: 'string' }), 'fields[0].name too-long');
    expectRefused(
      await add('named', '{"name":1}', { type: 'string' }),
      'fields[0] invalid-type',
      'fields[1].name required',
    );
    const proto = '{"fields":[{"name":"__proto__","type":"string"}]}';
    expectRefused(await service.catalogs('POST', '/named/fields', proto), 'fields[0].name reserved');
    expectRefused(
      await create(catalogOf('proto', { ['__proto__x'.slice(0, 9)]: 'string' })),
      'fields[1].name reserved',
    );
    expect((await add('named', { name: LONGEST, type: 'string' })).status).toBe(200);
  });

  it('name, when added: not id, and none that is there', async () => {
    await service.make('extended', { price: 'number' });
    expectRefused(await add('extended', { name: 'id', type: 'string' }), 'fields[0].name reserved');
    expectError(await add('extended', { name: 'price', type: 'number' }), 409, 'ALREADY_EXISTS');
  });

  it('type: one of seven', async () => {
    const types = ['string', 'number', 'boolean', 'time', 'array', 'object', 'geo'];
    await service.make('typed');
    const all = types.map((type) => ({ name: `a-${type}`, type }));
    expect((await add('typed', ...all)).json).toEqual(DONE);
    expect((await service.listed('typed'))?.fields).toEqual([{ name: 'id', type: 'string' }, ...all]);
    for (const type of ['text', 'String', '', null, 1]) {
      expectRefused(await add('typed', { name: 'x', type }), 'fields[0].type invalid-type');
    }
    expectRefused(await add('typed', { name: 'x' }), 'fields[0].type required');
  });

  it('properties: none but name and type', async () => {
    await service.make('strict');
    expectRefused(
      await add('strict', { name: 'x', type: 'string', required: true }),
      'fields[0].required unknown-property',
    );
    expectRefused(
      await service.catalogs('POST', '/strict/fields', { fields: [{ name: 'x', type: 'string' }], dry: 1 }),
      'dry unknown-property',
    );
    const body = catalogOf('stricter');
    const fields = [...body.fields, { name: 'x', type: 'string', note: '' }];
    expectRefused(await create({ ...body, fields }), 'fields[1].note unknown-property');
  });

  it('add, number: 1 to 50 in a request', async () => {
    await service.make('grown');
    const some = (count: number, prefix = 'f') =>
      Array.from({ length: count }, (_, i) => ({ name: `${prefix}${i}`, type: 'string' }));
    expectRefused(await add('grown'), 'fields too-few');
    expectRefused(await add('grown', ...some(51)), 'fields too-many');
    expect((await add('grown', ...some(50))).status).toBe(200);
  });

  it('add, names: unique within the request', async () => {
    await service.make('repeated');
    const field = { name: 'x', type: 'string' };
    expectRefused(await add('repeated', field, field), 'fields[1].name not-unique');
  });

  it('add, in all: a catalog keeps to 500 fields', async () => {
    const types = Object.fromEntries(Array.from({ length: 498 }, (_, i) => [`f${i}`, 'string']));
    await service.make('full', types);
    const two = [
      { name: 'y', type: 'string' },
      { name: 'z', type: 'string' },
    ];
    expectRefused(await add('full', ...two), 'fields too-many');
    expect((await add('full', ...two.slice(1))).status).toBe(200);
    expect((await service.listed('full'))?.fields).toHaveLength(500);
  });

  it('add: one bad field, and none is added', async () => {
    await service.make('whole');
    await add('whole', { name: 'x', type: 'string' }, { name: 'y', type: 'nothing' });
    expect((await service.listed('whole'))?.fields).toHaveLength(1);
  });

  it('delete: 200 and no data, the values are gone also when it comes back, id stays', async () => {
    await service.make('shrunk', { price: 'number', name: 'string' });
    await service.catalogs('PUT', '/shrunk/items/a', { items: [{ price: 1, name: 'n' }] });
    expect((await service.catalogs('DELETE', '/shrunk/fields/price')).json).toEqual(DONE);
    expect(await service.all('shrunk')).toEqual([{ id: 'a', name: 'n' }]);
    await add('shrunk', { name: 'price', type: 'number' });
    expect(await service.all('shrunk')).toEqual([{ id: 'a', name: 'n', price: null }]);
    expectError(await service.catalogs('DELETE', '/shrunk/fields/none'), 404, 'NOT_FOUND');
    expectRefused(await service.catalogs('DELETE', '/shrunk/fields/id'), 'fieldName reserved');
  });

  it('delete: a field that was there from the beginning takes its values with it', async () => {
    await service.catalogs('DELETE', '/products/fields/rank');
    await add('products', { name: 'rank', type: 'number' });
    const { items } = await service.page('products');
    expect(items.map(({ rank }) => rank)).toEqual(items.map(() => null));
  });
});

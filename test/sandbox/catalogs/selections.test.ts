import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { Catalog } from '../../../sandbox/catalogs/catalog.js';
import { addFields, deleteField } from '../../../sandbox/catalogs/write-catalogs.js';
import { deleteItems, writeItems, createSelection } from '../../../sandbox/catalogs/endpoints.js';
import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { DONE, expectError, expectRefused, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z') });
  service = await reference(sandbox);
  await service.make('shop', { price: 'number', list: 'array' });
});
afterAll(() => sandbox.close());

const create = (selection: unknown) => service.catalogs('POST', '/shop/selections', { selection });
const filter = { field: 'price', operator: 'greater than', value: 10 };

describe('Catalog selection', () => {
  it('create and delete: 200 and no data', async () => {
    const whole = {
      name: 'dear',
      description: 'd',
      filters: [filter],
      results_limit: 5,
      sort_field: 'price',
      sort_order: 'desc',
    };
    expect((await create(whole)).json).toEqual(DONE);
    expectError(await create(whole), 409, 'ALREADY_EXISTS');
    expect((await service.catalogs('DELETE', '/shop/selections/dear')).json).toEqual(DONE);
    expectError(await service.catalogs('DELETE', '/shop/selections/dear'), 404, 'NOT_FOUND');
  });

  it('wrapped: in a selection object, with a name', async () => {
    expectRefused(await service.catalogs('POST', '/shop/selections', { name: 'x' }), 'selection required');
    expectRefused(await create([]), 'selection invalid-type');
    expectRefused(await create({}), 'selection.name required');
    expectRefused(await create({ name: 'a b' }), 'selection.name invalid-pattern');
  });

  it('properties: external_id and source are not accepted, nor are others', async () => {
    for (const key of ['external_id', 'source', 'colour']) {
      expectRefused(await create({ name: 'x', [key]: 'y' }), `selection.${key} unknown-property`);
    }
  });

  it('filters: of fields and operators that there are, with a value that is not null, not nested too deep', async () => {
    const at = (part: object) => create({ name: 'x', filters: [{ ...filter, ...part }] });
    expectRefused(await at({ value: null }), 'selection.filters[0].value required');
    expectRefused(await at({ value: undefined }), 'selection.filters[0].value required');
    expectRefused(await at({ field: 'none' }), 'selection.filters[0].field invalid-fields');
    expectRefused(await at({ operator: 'toString' }), 'selection.filters[0].operator invalid-value');
    expectRefused(await create({ name: 'x', filters: {} }), 'selection.filters invalid-type');
    expectRefused(await create({ name: 'x', filters: [1] }), 'selection.filters[0] invalid-type');
    const deep = `{"selection":{"name":"x","filters":[{"value":${'['.repeat(99)}${']'.repeat(99)}}]}}`;
    expectRefused(await service.catalogs('POST', '/shop/selections', deep), 'selection too-deep');
  });

  it('results_limit, sort_field, sort_order: whole, known, asc or desc', async () => {
    for (const limit of [0, 1.5, '5']) {
      expectRefused(
        await create({ name: 'x', results_limit: limit }),
        'selection.results_limit invalid-value',
      );
    }
    expectRefused(await create({ name: 'x', sort_field: 'none' }), 'selection.sort_field invalid-fields');
    expectRefused(await create({ name: 'x', sort_order: 'up' }), 'selection.sort_order invalid-value');
  });

  it('name: 404 for an unknown catalog, and no pattern but that of names in the path', async () => {
    expectError(await service.catalogs('POST', '/none/selections', { selection: {} }), 404, 'NOT_FOUND');
    expectRefused(await service.catalogs('DELETE', '/shop/selections/a.b'), 'selectionName invalid-pattern');
  });
});

describe('Selection results', () => {
  let catalog: Catalog;

  beforeEach(() => {
    catalog = Catalog.created(
      'shop',
      '',
      [
        { name: 'id', type: 'string' },
        { name: 'price', type: 'number' },
        { name: 'tags', type: 'array' },
      ],
      () => '2026-11-21',
    );
    put(
      ...Array.from({ length: 40 }, (_, i) => ({ id: `i${i}`, price: i, tags: i % 2 === 0 ? ['even'] : [] })),
    );
  });

  function put(...items: unknown[]): void {
    expect(writeItems(catalog, 'replace', null, { items }).status).toBe(200);
  }

  function resultsOf(selection: object): readonly string[] {
    const reply = createSelection(catalog, { selection: { name: 'x', ...selection } });
    expect(reply.status).toBe(200);
    return results();
  }

  function results(): readonly string[] {
    return catalog.selections.get('x')?.results ?? [];
  }

  it('filtered, sorted, limited: what fits, in the order, as many as wanted', () => {
    const filters = [filter, { field: 'tags', operator: 'contains', value: 'even' }];
    const sorted = { filters, results_limit: 3, sort_field: 'price', sort_order: 'desc' };
    expect(resultsOf(sorted)).toEqual(['i38', 'i36', 'i34']);
  });

  it('unsorted: the order is random', () => {
    const first = resultsOf({});
    catalog.recompute();
    expect([...first].sort()).toEqual([...results()].sort());
    expect(first).not.toEqual(results());
  });

  it('recomputed: within the request that changes items or fields', () => {
    resultsOf({ filters: [{ ...filter, value: 37 }], sort_field: 'price' });
    expect(results()).toEqual(['i38', 'i39']);
    put({ id: 'i1', price: 100 });
    expect(results()).toEqual(['i38', 'i39', 'i1']);
    deleteItems(catalog, { items: [{ id: 'i38' }] });
    expect(results()).toEqual(['i39', 'i1']);
    deleteField(catalog, 'price');
    expect(results()).toEqual([]);
    addFields(catalog, { fields: [{ name: 'price', type: 'number' }] });
    put({ id: 'new', price: 50 });
    expect(results()).toEqual(['new']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/index.js';
import { CATALOGS, dataOf, expectRefused, type ItemPage, reference, type Reference } from '../reference.js';

let sandbox: Sandbox;
let service: Reference;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => new Date('2026-11-21T01:00:00Z'), catalogItems: 1_000_000 });
  service = await reference(sandbox);
});
afterAll(() => sandbox.close());

async function fill(name: string, count: number): Promise<void> {
  await service.make(name);
  for (let from = 0; from < count; from += 50) {
    const items = Array.from({ length: Math.min(50, count - from) }, (_, i) => ({ id: idOf(from + i) }));
    expect((await service.catalogs('POST', `/${name}/items`, { items })).status).toBe(200);
  }
}

function idOf(number: number): string {
  return `i${String(number).padStart(4, '0')}`;
}

describe('Item page', () => {
  it('size: 50 items, the last page what is left, and each item once', async () => {
    await fill('pages', 120);
    const sizes = [];
    const ids = [];
    for (let cursor: string | undefined, more = true; more;) {
      const got = await service.page('pages', cursor);
      sizes.push(got.items.length);
      ids.push(...got.items.map(({ id }) => id));
      more = got.next_cursor !== null;
      cursor = got.next_cursor ?? undefined;
    }
    expect(sizes).toEqual([50, 50, 20]);
    expect(ids).toEqual(Array.from({ length: 120 }, (_, i) => idOf(i)));
  });

  it('end: next_cursor is null, links.next too, and there is no Link header', async () => {
    await fill('exactly-fifty', 50);
    for (const name of ['exactly-fifty', 'a-b_C']) {
      const got = await service.catalogs('GET', `/${name}/items`);
      expect(dataOf(got)).toMatchObject({ next_cursor: null, links: { next: null } });
      expect(got.headers['link']).toBeUndefined();
    }
    await service.make('without-any');
    expect(await service.page('without-any')).toEqual({
      items: [],
      next_cursor: null,
      links: { next: null },
    });
  });

  it('next: next_cursor, links.next and the Link header say the same, and lead on', async () => {
    const got = await service.catalogs('GET', '/products/items');
    const { next_cursor: cursor, links, items } = dataOf(got) as ItemPage;
    const url = new URL(links.next ?? '', sandbox.url);
    expect(url.pathname).toBe(`${CATALOGS}/products/items`);
    expect(url.searchParams.get('cursor')).toBe(cursor);
    expect(got.headers['link']).toBe(`<${links.next}>; rel="next"`);
    const next = dataOf(await service.call('GET', links.next ?? '')) as ItemPage;
    expect(next).toEqual(await service.page('products', cursor ?? ''));
    expect(next.items[0]).not.toEqual(items[0]);
  });

  it('cursor: one that is spoiled, of another catalog or empty is refused', async () => {
    const { next_cursor: cursor } = await service.page('products');
    for (const wrong of [`${cursor}x`, (cursor ?? '').slice(1), '', 'MQ', '2', '../x']) {
      const got = await service.catalogs('GET', `/products/items?cursor=${encodeURIComponent(wrong)}`);
      expectRefused(got, 'cursor invalid-cursor');
    }
    const other = await service.catalogs('GET', `/stores/items?cursor=${cursor}`);
    expectRefused(other, 'cursor invalid-cursor');
  });

  it('cursor: stays good while items come, change and go, its own included', async () => {
    await fill('changing', 100);
    const { next_cursor: cursor } = await service.page('changing');
    await service.catalogs('DELETE', '/changing/items', {
      items: [{ id: idOf(49) }, { id: idOf(50) }, { id: idOf(3) }],
    });
    await service.catalogs('PUT', '/changing/items', {
      items: [{ id: 'i0003a' }, { id: 'i0070a' }, { id: 'a' }],
    });
    const { items } = await service.page('changing', cursor ?? '');
    const rest = Array.from({ length: 49 }, (_, i) => idOf(51 + i));
    expect(items.map(({ id }) => id)).toEqual([...rest.slice(0, 20), 'i0070a', ...rest.slice(20)]);
  });

  it('order: what was written lies among what was there, and nothing comes twice', async () => {
    const before = (await service.all('products')).map(({ id }) => String(id));
    const gone = [before[0], before[50], before.at(-1)].map((id) => ({ id }));
    const fresh = ['aaa', 'kn-2000', 'zzz'].map((id) => ({ id }));
    await service.catalogs('DELETE', '/products/items', { items: gone });
    await service.catalogs('POST', '/products/items', { items: fresh });
    await service.catalogs('PATCH', '/products/items', { items: [{ id: before[1], price: 1 }] });
    const now = (await service.all('products')).map(({ id }) => String(id));
    const wanted = new Set([...before, ...fresh.map(({ id }) => id)]);
    for (const { id } of gone) wanted.delete(id ?? '');
    expect(now).toEqual([...wanted].sort());
    expect((await service.listed('products'))?.num_items).toBe(now.length);
  });

  it('a million items: the last page is there at once, and writes lie over them', async () => {
    expect((await service.listed('big'))?.num_items).toBe(1_000_000);
    await service.catalogs('DELETE', '/big/items/item-000000001');
    await service.catalogs('PUT', '/big/items/item-000000001a', { items: [{ name: 'between' }] });
    const { items } = await service.page('big');
    expect(items.slice(0, 3).map(({ id }) => id)).toEqual([
      'item-000000000',
      'item-000000001a',
      'item-000000002',
    ]);
    expect((await service.catalogs('GET', '/big/items/item-000999999')).status).toBe(200);
    expect((await service.catalogs('GET', '/big/items/item-001000000')).status).toBe(404);
    expect((await service.listed('big'))?.num_items).toBe(1_000_000);
  });

  it('list: data.catalogs, or data itself where that is chosen', async () => {
    const plain = await startSandbox({ catalogList: 'plain' });
    const list = dataOf(await (await reference(plain)).catalogs('GET', ''));
    expect((list as { name: string }[]).map(({ name }) => name)).toEqual(['products', 'stores', 'a-b_C']);
    await plain.close();
  });
});

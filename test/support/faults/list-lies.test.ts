/** Lists of the sandbox that are well formed and not true, and faults on the endpoints of lists. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { PROJECT } from '../../sandbox/http.js';
import { dataOf, type ItemPage, reference, type Reference } from '../../sandbox/reference.js';
import { startFaultySandbox, type Fault, type FaultySandbox } from './index.js';

let sandbox: FaultySandbox;
let service: Reference;

beforeEach(async () => {
  sandbox = await startFaultySandbox({ now: () => new Date('2026-11-24T01:00:00Z') });
  service = await reference(sandbox);
});
afterEach(() => sandbox.close());

const ITEMS = '/products/items';

/** Lists with numbered pages: the query of a page, and where the list and the total are. */
const LISTS = {
  E4: `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates?senderKey=9f2c4e6a8b0d1f3e5a7c&pageSize=2`,
  E10: `/projects/${PROJECT}/messages/chatapp-alimtalk/templates?pageSize=2`,
  E12: `/projects/${PROJECT}/messages/text-message/blockservice/recipients?pageSize=2`,
} as const;

async function listOf(endpoint: keyof typeof LISTS, page: number) {
  const { json } = await service.call('GET', `${LISTS[endpoint]}&pageNum=${page}`);
  const answer = json as unknown as Record<string, Record<string, unknown>>;
  const holder =
    endpoint === 'E4' ? answer['data'] : endpoint === 'E10' ? answer['templateListResponse'] : answer;
  return {
    list: (endpoint === 'E12' ? holder?.['data'] : holder?.['templates']) as unknown[],
    total: holder?.['totalCount'] as number,
  };
}

async function secondPage(): Promise<ItemPage> {
  const { next_cursor: cursor } = await service.page('products');
  return service.page('products', cursor ?? '');
}

it('a later page holds a record of the first again', async () => {
  for (const endpoint of ['E4', 'E10', 'E12'] as const) {
    sandbox.setFaults([]);
    const [first, second] = [await listOf(endpoint, 1), await listOf(endpoint, 2)];
    sandbox.setFaults([{ endpoint, kind: 'repeated-item' }]);
    expect((await listOf(endpoint, 1)).list).toEqual(first.list);
    expect((await listOf(endpoint, 2)).list).toEqual([first.list[0], ...second.list]);
    sandbox.setFaults([{ endpoint, kind: 'repeated-item', how: 'replaced' }]);
    expect((await listOf(endpoint, 2)).list).toEqual([first.list[0], ...second.list.slice(1)]);
  }
  const truth = await secondPage();
  sandbox.setFaults([{ endpoint: 'E2', kind: 'repeated-item' }]);
  const [first] = (await service.page('products')).items;
  expect((await secondPage()).items).toEqual([first, ...truth.items]);
});

it('the total moves from one page to the next', async () => {
  for (const endpoint of ['E4', 'E10', 'E12'] as const) {
    sandbox.setFaults([{ endpoint, kind: 'moving-total', by: -2 }]);
    const { total } = await listOf(endpoint, 1);
    expect((await listOf(endpoint, 2)).total).toBe(total - 2);
  }
});

it('the page parameter or the cursor is ignored', async () => {
  for (const endpoint of ['E4', 'E10', 'E12'] as const) {
    sandbox.setFaults([{ endpoint, kind: 'ignores-page-parameter' }]);
    expect(await listOf(endpoint, 2)).toEqual(await listOf(endpoint, 1));
    expect(await listOf(endpoint, 99)).toEqual(await listOf(endpoint, 1));
  }
  sandbox.setFaults([{ endpoint: 'E2', kind: 'ignores-page-parameter' }]);
  expect(await secondPage()).toEqual(await service.page('products'));
});

it('one of the three that lead on says something else, or nothing', async () => {
  const ways = async () => {
    const got = await service.catalogs('GET', ITEMS);
    const { next_cursor: cursor, links } = dataOf(got) as ItemPage;
    return { next_cursor: cursor, links: links.next, header: got.headers['link'] };
  };
  const truth = await ways();
  for (const where of ['next_cursor', 'links', 'header'] as const) {
    for (const how of ['changed', 'gone'] as const) {
      sandbox.setFaults([{ endpoint: 'E2', kind: 'other-cursor', where, how }]);
      const told = await ways();
      expect({ ...told, [where]: truth[where] }).toEqual(truth);
      expect(told[where]).not.toEqual(truth[where]);
      if (how === 'gone') expect(told[where] ?? null).toBeNull();
    }
  }
});

it('the cursor leads back to where it came from', async () => {
  sandbox.setFaults([{ endpoint: 'E2', kind: 'cursor-loop' }]);
  const { next_cursor: cursor } = await service.page('products');
  const got = await service.catalogs('GET', `${ITEMS}?cursor=${cursor}`);
  const page = dataOf(got) as ItemPage;
  expect(page.next_cursor).toBe(cursor);
  expect(page.links.next).toContain(`?cursor=${cursor}`);
  expect(got.headers['link']).toContain(`?cursor=${cursor}>`);
});

it('a cursor is refused after some pages, and good again for who begins anew', async () => {
  sandbox.setFaults([{ endpoint: 'E2', kind: 'refused-cursor', after: 2, times: 1 }]);
  const first = await service.page('products');
  const second = await service.page('products', first.next_cursor ?? '');
  const got = await service.catalogs('GET', `${ITEMS}?cursor=${second.next_cursor}`);
  expect(got.status).toBe(400);
  expect(got.json).toMatchObject({ data: null, error: { code: 'INVALID_ARGUMENT' } });
  expect(await service.all('products')).toHaveLength((await service.listed('products'))?.num_items ?? 0);
});

it('num_items is not the number of the items', async () => {
  const truth = (await service.listed('products'))?.num_items ?? 0;
  sandbox.setFaults([{ endpoint: 'E2', kind: 'other-num-items', by: 3 }]);
  expect((await service.listed('products'))?.num_items).toBe(truth + 3);
});

describe('faults that were there before', () => {
  const PATHS = {
    E2: `/v1/projects/${PROJECT}/catalogs${ITEMS}`,
    E5: `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates/x`,
    ...LISTS,
  } as const;

  it('strike the endpoints of lists', async () => {
    for (const [name, path] of Object.entries(PATHS)) {
      const endpoint = name as keyof typeof PATHS;
      const under = (fault: Partial<Fault>) => {
        sandbox.setFaults([{ ...fault, endpoint } as Fault]);
        return service.call('GET', path);
      };
      await expect(under({ kind: 'reset-after' })).rejects.toThrow();
      await expect(under({ kind: 'cut-with-length' })).rejects.toThrow();
      expect((await under({ kind: 'status', status: 503 })).status).toBe(503);
      expect((await under({ kind: 'other-shape-200' })).json).toEqual({ result: { items: [] }, ok: true });
      const error = await under({ kind: 'error-body-200', refusal: 'internal' });
      expect(error.status).toBe(200);
      expect(JSON.stringify(error.json)).toContain('"error":');
      expect(sandbox.faults()[0]?.struck).toBe(1);
    }
  });

  it('change the records of lists', async () => {
    sandbox.setFaults([{ endpoint: 'E2', kind: 'field-gone', field: 'price' }]);
    expect((await service.page('products')).items.some((item) => 'price' in item)).toBe(false);
    sandbox.setFaults([{ endpoint: 'E10', kind: 'extra-field', field: 'owner' }]);
    expect((await listOf('E10', 1)).list[0]).toHaveProperty('owner');
    sandbox.setFaults([{ endpoint: 'E4', kind: 'other-type', field: 'template.content.text' }]);
    expect((await listOf('E4', 1)).list[0]).toHaveProperty('template.content.text.text');
    sandbox.setFaults([{ endpoint: 'E12', kind: 'other-type', field: 'requestDate', value: 0 }]);
    expect((await listOf('E12', 1)).list[0]).toHaveProperty('requestDate', 0);
  });
});

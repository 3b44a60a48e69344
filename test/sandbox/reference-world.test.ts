/** Catalogs, templates and their changes fit the messages that the sandbox sends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { type Client, client, type EventRecord, exportAll, PROJECT } from './http.js';
import { dataOf, type Item, reference, type Reference } from './reference.js';

/** A Saturday, 07:00 in Korea. */
const MORNING = Date.parse('2026-11-20T22:00:00Z');
const SENDERS = ['9f2c4e6a8b0d1f3e5a7c', '4b7d9e1a2c5f80361d9e', 'c0ffee5e11e70000beef'];

let now = new Date(MORNING);
let sandbox: Sandbox;
let service: Reference;
let exports: Client;
let records: EventRecord[];

beforeAll(async () => {
  sandbox = await startSandbox({
    now: () => now,
    exportSeconds: 0,
    eventsPerDay: 3_000,
    tokenLifetimeSeconds: 86_400 * 100,
  });
  service = await reference(sandbox);
  exports = await client(sandbox);
  // A week, so that every campaign has its day.
  records = await exportAll(exports, '2026-11-13T15:00:00Z', '2026-11-20T15:00:00Z');
});
afterAll(() => sandbox.close());

interface Template {
  id: string;
  templateName: string;
  template: { content: { text: string } };
  updatedAt: string;
  status: string;
}

async function brandTemplates(): Promise<Template[]> {
  const all: Template[] = [];
  const path = `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates`;
  for (const senderKey of SENDERS) {
    const list = dataOf(await service.call('GET', `${path}?senderKey=${senderKey}&pageSize=1000`)) as {
      templates: Template[];
    };
    for (const template of list.templates) {
      const one = dataOf(await service.call('GET', `${path}/${template.id}?senderKey=${senderKey}`)) as {
        chatappTemplate: { status: string };
      };
      all.push({ ...template, status: one.chatappTemplate.status });
    }
  }
  return all;
}

async function alimtalkTemplates(): Promise<Record<string, string>[]> {
  const path = `/projects/${PROJECT}/messages/chatapp-alimtalk/templates?pageSize=1000`;
  const { json } = await service.call('GET', path);
  return (json as unknown as { templateListResponse: { templates: Record<string, string>[] } })
    .templateListResponse.templates;
}

/** What message data of one channel holds under a key, each value once. */
function sentValues(channel: string, key: string): Set<unknown> {
  const own = records.filter((record) => record.channel === channel);
  return new Set(own.map(({ message_data }) => message_data?.[key]));
}

describe('templates', () => {
  it('are there for all brand messages, and some more; one that is sent is suspended', async () => {
    const templates = await brandTemplates();
    const sent = sentValues('chatapp-brand-message', 'templateName');
    const names = templates.map(({ templateName }) => templateName);
    expect(sent.size).toBe(5);
    expect(names).toEqual(expect.arrayContaining([...sent]));
    expect(names.length).toBeGreaterThan(sent.size + 2);
    const bad = templates.filter(({ status }) => status === 'suspended' || status === 'rejected');
    expect(bad.map(({ templateName, status }) => [sent.has(templateName), status]).sort()).toEqual([
      [false, 'rejected'],
      [true, 'suspended'],
    ]);
  });

  it('are there for all alimtalk messages but one kind; one is refused, one suspended, both are sent', async () => {
    const templates = await alimtalkTemplates();
    const sent = sentValues('chatapp-alimtalk', 'templateCode');
    const codes = templates.map(({ templateCode }) => templateCode);
    expect([...sent].filter((code) => !codes.includes(code as string))).toEqual(['tpl-n2s2']);
    const status = Object.fromEntries(
      templates.map((one): [string, string] => [one['templateCode'] ?? '', one['templateStatusCode'] ?? '']),
    );
    expect(sent).toContain('tpl-u2NqA9');
    expect(sent).toContain('tpl-n2p7');
    expect(status).toMatchObject({ 'tpl-u2NqA9': 'REJ', 'tpl-n2p7': 'STP', 'tpl-promo-04': 'REJ' });
    expect(sent).not.toContain('tpl-promo-04');
  });

  it('change their status without their date where that is chosen', async () => {
    const at = { now: () => new Date('2026-11-21T01:00:00Z'), statusMovesUpdatedAt: false };
    const other = await startSandbox(at);
    const there = await reference(other);
    const path = `/v1/projects/${PROJECT}/messages/chatapp-brand-message/templates?senderKey=${SENDERS[1]}`;
    const list = dataOf(await there.call('GET', path)) as { templates: (Template & { createdAt: string })[] };
    const suspended = list.templates.find(({ templateName }) => templateName === '이탈 고객 되살리기 자유형');
    expect(suspended?.updatedAt).toBe(suspended?.createdAt);
    await other.close();
  });
});

describe('catalogs', () => {
  it('hold the products that messages link to', async () => {
    const ids = (await service.all('products')).map(({ id }) => id);
    const linked = new Set(
      [...JSON.stringify(records).matchAll(/\?p=([a-z]{2}-\d{4})/g)].map(([, code]) => code),
    );
    expect(linked.size).toBe(4);
    expect(ids).toEqual(expect.arrayContaining([...linked]));
    expect(ids.length).toBeGreaterThan(100);
  });

  it('use every type of field, and each value fits its type', async () => {
    const used = new Set<string>();
    for (const name of ['products', 'stores', 'a-b_C']) {
      const fields = (await service.listed(name))?.fields as { name: string; type: string }[];
      for (const { type } of fields) used.add(type);
      // Whatever the world holds could have been written through the interface.
      const items = await service.all(name);
      for (let from = 0; from < items.length; from += 50) {
        const got = await service.catalogs('PUT', `/${name}/items`, { items: items.slice(from, from + 50) });
        expect(got.text).toBe('{"data":null,"error":null}');
      }
      expect(await service.all(name)).toEqual(items);
    }
    expect([...used].sort()).toEqual(['array', 'boolean', 'geo', 'number', 'object', 'string', 'time']);
  });
});

describe('a fortnight', () => {
  it('changes prices, items, texts and statuses, and says the same when it is seen again', async () => {
    const other = await startSandbox({ now: () => now, tokenLifetimeSeconds: 86_400 * 100 });
    const fresh = await reference(other);
    const nights = [];
    for (let night = 0; night < 14; night += 1) {
      now = new Date(MORNING + night * 86_400_000);
      const items = await fresh.all('products');
      expect((await fresh.listed('products'))?.num_items).toBe(items.length);
      nights.push({
        items: new Map(items.map((item) => [item['id'], item])),
        stores: await fresh.listed('stores'),
        brand: new Map((await brandTemplates()).map((one) => [one.id, one])),
        alimtalk: new Map((await alimtalkTemplates()).map((one) => [one['templateCode'], one])),
      });
    }
    now = new Date(MORNING);
    expect(new Map((await fresh.all('products')).map((item) => [item['id'], item]))).toEqual(
      nights[0]?.items,
    );
    await other.close();

    const seen = {
      prices: 0,
      came: 0,
      went: 0,
      texts: 0,
      statuses: 0,
      brandCame: 0,
      brandWent: 0,
      alimtalk: 0,
      stores: 0,
    };
    for (const [place, night] of nights.entries()) {
      const before = nights[place - 1];
      if (before === undefined) continue;
      for (const [id, item] of night.items) {
        const old: Item | undefined = before.items.get(id);
        if (old === undefined) seen.came += 1;
        else if (old['sale_price'] !== item['sale_price']) seen.prices += 1;
      }
      for (const id of before.items.keys()) if (!night.items.has(id)) seen.went += 1;
      for (const [id, one] of night.brand) {
        const old = before.brand.get(id);
        if (old === undefined) seen.brandCame += 1;
        else if (old.template.content.text !== one.template.content.text) seen.texts += 1;
        if (old !== undefined && old.status !== one.status) seen.statuses += 1;
        // Whatever changed, it says so.
        const same = JSON.stringify(old) === JSON.stringify(one);
        if (old !== undefined) expect(old.updatedAt === one.updatedAt).toBe(same);
      }
      for (const id of before.brand.keys()) if (!night.brand.has(id)) seen.brandWent += 1;
      for (const [code, one] of night.alimtalk) {
        if (JSON.stringify(before.alimtalk.get(code)) !== JSON.stringify(one)) seen.alimtalk += 1;
      }
      if (JSON.stringify(before.stores) !== JSON.stringify(night.stores)) seen.stores += 1;
    }
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
    // A night changes some things, not most.
    expect(seen.prices / 13).toBeLessThan(30);
  });

  it('keeps what was written over what changes', async () => {
    await service.catalogs('PATCH', '/products/items/kn-1024', { items: [{ price: 1 }] });
    const [first] = await service.all('products');
    await service.catalogs('DELETE', `/products/items/${String(first?.['id'])}`);
    now = new Date(MORNING + 5 * 86_400_000);
    const items = await service.all('products');
    expect(items.find(({ id }) => id === 'kn-1024')).toMatchObject({ price: 1 });
    expect(items.some(({ id }) => id === first?.['id'])).toBe(false);
    now = new Date(MORNING);
  });
});

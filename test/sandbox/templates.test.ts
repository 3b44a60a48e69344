import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/index.js';
import { ask, logIn, PROJECT } from './http.js';
import { reference, type Reference } from './reference.js';

let now = new Date();
let sandbox: Sandbox;
let service: Reference;
const others: Sandbox[] = [];

beforeEach(async () => {
  now = new Date('2026-11-21T01:00:00Z');
  sandbox = await startSandbox({ now: () => now, tokenLifetimeSeconds: 86_400 * 30 });
  service = await reference(sandbox);
});
afterEach(() => sandbox.close());
afterAll(() => Promise.all(others.map((other) => other.close())));

const BRAND = `/v1/projects/${PROJECT}/messages/chatapp-brand-message`;
const ALIMTALK = `/projects/${PROJECT}/messages/chatapp-alimtalk/templates`;
const SENDER = '9f2c4e6a8b0d1f3e5a7c';

interface BrandTemplate {
  id: string;
  templateName: string;
  template: { type: string; content: { text: string }; senderKey: string };
  createdAt: string;
  updatedAt: string;
}

async function e4(query: string, from: Reference = service) {
  const got = await from.call('GET', `${BRAND}/templates?${query}`);
  expect(got.status, got.text).toBe(200);
  return (got.json as unknown as { data: { templates: BrandTemplate[]; totalCount: number } }).data;
}

async function e5(id: string, senderKey = SENDER) {
  const got = await service.call('GET', `${BRAND}/templates/${id}?senderKey=${senderKey}`);
  expect(got.status, got.text).toBe(200);
  return (got.json as unknown as { data: { template: BrandTemplate; chatappTemplate: { status: string } } })
    .data;
}

function refusal(message: unknown = expect.any(String)) {
  return { data: null, error: { code: 'INVALID_ARGUMENT', message } };
}

async function anotherSandbox(options: Parameters<typeof startSandbox>[0]): Promise<Reference> {
  const other = await startSandbox({ now: () => now, ...options });
  others.push(other);
  return reference(other);
}

describe('brand-message templates (E4)', () => {
  it('come by sender key, in pages whose first is 1', async () => {
    const all = await e4(`senderKey=${SENDER}&pageNum=1&pageSize=1000`);
    expect(all.totalCount).toBe(all.templates.length);
    expect(all.templates.every(({ template }) => template.senderKey === SENDER)).toBe(true);
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await e4(`senderKey=${SENDER}&pageNum=${page}&pageSize=2`));
    expect(pages.flatMap(({ templates }) => templates)).toEqual(all.templates);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([6, 6, 6, 6]);
    expect(pages[3]?.templates).toEqual([]);
    expect((await e4('senderKey=none')).templates).toEqual([]);
  });

  it('have pages of 1 to 1000, and page numbers from 1 on', async () => {
    for (const query of [
      'pageSize=0',
      'pageSize=1001',
      'pageSize=x',
      'pageNum=0',
      'pageNum=-1',
      'pageNum=',
    ]) {
      const got = await service.call('GET', `${BRAND}/templates?senderKey=${SENDER}&${query}`);
      expect(got.status, query).toBe(400);
      expect(got.json).toEqual(refusal());
    }
    expect((await service.call('GET', `${BRAND}/templates`)).json).toEqual(refusal('senderKey is required'));
  });

  it('read page and size from the parameters that are set, and page 1 without them', async () => {
    const other = await anotherSandbox({ pageParameters: { E4: { page: 'page', size: 'limit' } } });
    const first = await e4(`senderKey=${SENDER}&page=1&limit=2`, other);
    expect(first.templates).toHaveLength(2);
    expect(await e4(`senderKey=${SENDER}&pageNum=2&limit=2`, other)).toEqual(first);
    expect(await e4(`senderKey=${SENDER}&page=2&limit=2`, other)).not.toEqual(first);
  });

  it('carry the messenger as the deployment calls it, in paths and in the status', async () => {
    const other = await anotherSandbox({ messenger: 'talky' });
    expect((await other.call('GET', `${BRAND}/templates?senderKey=${SENDER}`)).status).toBe(404);
    const path = `${BRAND.replace('chatapp', 'talky')}/templates`;
    const [one] = (await e4(`senderKey=${SENDER}`)).templates;
    const got = await other.call('GET', `${path}/${one?.id}?senderKey=${SENDER}`);
    expect(got.json).toMatchObject({ data: { talkyTemplate: { status: 'approved' } } });
  });
});

describe('one brand-message template (E5)', () => {
  it('is the one of the list, with its status', async () => {
    for (const template of (await e4(`senderKey=${SENDER}`)).templates) {
      const got = await e5(template.id);
      expect(got.template).toEqual(template);
      expect(got.chatappTemplate.status).toBe('approved');
    }
  });

  it('is found with its own sender key only, in the query or, where that is chosen, in a header', async () => {
    const id = (await e4(`senderKey=${SENDER}`)).templates[0]?.id ?? '';
    for (const path of [`${id}?senderKey=other`, `none?senderKey=${SENDER}`]) {
      const got = await service.call('GET', `${BRAND}/templates/${path}`);
      expect(got.status).toBe(404);
      expect(got.json).toMatchObject({ data: null, error: { code: 'NOT_FOUND' } });
    }
    expect((await service.call('GET', `${BRAND}/templates/${id}`)).status).toBe(400);
    const other = await anotherSandbox({ senderKeyIn: 'header' });
    const at = `${BRAND}/templates/${id}`;
    expect((await other.call('GET', at, undefined, { senderKey: SENDER })).status).toBe(200);
    expect((await other.call('GET', `${at}?senderKey=${SENDER}`)).status).toBe(400);
  });
});

describe('a new brand-message template (E3)', () => {
  const create = (body: unknown) => service.call('POST', `${BRAND}/templates`, body);
  const plain = {
    senderKey: SENDER,
    templateName: '새 템플릿',
    template: { type: 'text', content: { text: '#{이름}' } },
  };
  const sms = { type: 'sms', body: 'b', senderPhoneNumber: '15440000' };

  it('is in the list at once, inspected for a day, then approved', async () => {
    const got = await create({ ...plain, failoverTextMessage: sms, unsubscribeNumber: '0800000000' });
    expect(got.status).toBe(200);
    const { templateId } = (got.json as unknown as { data: { templateId: string } }).data;
    const made = {
      ...plain.template,
      senderKey: SENDER,
      failoverTextMessage: sms,
      unsubscribeNumber: '0800000000',
    };
    const at = now.toISOString();
    const listed = (await e4(`senderKey=${SENDER}`)).templates.at(-1);
    expect(listed).toEqual({
      id: templateId,
      templateName: '새 템플릿',
      template: made,
      createdAt: at,
      updatedAt: at,
    });
    expect((await e5(templateId)).chatappTemplate.status).toBe('inspecting');
    now = new Date('2026-11-22T01:00:00Z');
    const later = await e5(templateId);
    expect(later.chatappTemplate.status).toBe('approved');
    expect(later.template.updatedAt).toBe(now.toISOString());
  });

  it('needs a sender key, a name, a type and a content', async () => {
    const wrong = [
      { ...plain, senderKey: '' },
      { ...plain, templateName: '' },
      { ...plain, template: { type: 'text' } },
      { ...plain, template: { content: {} } },
      {},
      `{"template":${'['.repeat(90_000)}${']'.repeat(90_000)}}`,
    ];
    for (const body of wrong) expect((await create(body)).json).toEqual(refusal());
  });

  it('needs a registered 080 number when it has a failover, and a title when that is long', async () => {
    const refused = async (rest: object) => {
      const got = await create({ ...plain, ...rest });
      expect(got.status).toBe(400);
      expect(got.json).toEqual(refusal());
    };
    const unsubscribeNumber = '0800000000';
    await refused({ failoverTextMessage: sms });
    await refused({ failoverTextMessage: sms, unsubscribeNumber: '0809999999' });
    await refused({ failoverTextMessage: { ...sms, type: 'lms' }, unsubscribeNumber });
    await refused({ failoverTextMessage: { ...sms, type: 'mms' }, unsubscribeNumber });
    await refused({ failoverTextMessage: { type: 'sms' }, unsubscribeNumber });
    const long = { ...sms, type: 'lms', title: 't' };
    expect((await create({ ...plain, failoverTextMessage: long, unsubscribeNumber })).status).toBe(200);
  });

  it('with an image needs one that was uploaded before', async () => {
    const withImage = (url: string) =>
      create({
        ...plain,
        template: { type: 'image', content: { text: 't', image: { url, link: 'https://a.test' } } },
      });
    expect((await create({ ...plain, template: { type: 'image', content: {} } })).status).toBe(400);
    expect((await withImage('https://img.shop.test/else.png')).json).toEqual(
      refusal('Images must be uploaded first'),
    );
    const { body, headers } = form([
      ['type', 'image'],
      ['file', png(800, 400)],
    ]);
    const got = await service.call('POST', `${BRAND}/images`, body, headers);
    const { images } = (got.json as unknown as { data: { images: { url: string }[] } }).data;
    expect((await withImage(images[0]?.url ?? '')).status).toBe(200);
  });
});

describe('brand-message images (E6)', () => {
  async function upload(...parts: [string, string | Buffer][]) {
    const { body, headers } = form(parts);
    return service.call('POST', `${BRAND}/images`, body, headers);
  }

  it('are one file or several images, by their type, and each gets an address', async () => {
    const ratios = {
      image: [800, 400],
      'wide-image': [800, 600],
      'wide-itemlist-first-image': [1000, 500],
      'wide-itemlist-image': [500, 500],
      'carousel-image': [800, 600],
      'carousel-commerce-image': [800, 400],
    };
    for (const [type, [width = 0, height = 0]] of Object.entries(ratios)) {
      const isOne = type === 'image' || type.startsWith('wide-image') || type.endsWith('first-image');
      const own = isOne ? 'file' : 'images';
      const got = await upload(['type', type], [own, png(width, height)]);
      expect(got.status, `${type} ${got.text}`).toBe(200);
      expect(got.json).toEqual({
        data: { images: [{ url: expect.stringMatching(/\.png$/) as string }] },
        error: null,
      });
      expect((await upload(['type', type], [isOne ? 'images' : 'file', png(width, height)])).status).toBe(
        400,
      );
      const two = await upload(['type', type], [own, png(width, height)], [own, jpg(width, height)]);
      expect(two.status).toBe(isOne ? 400 : 200);
      if (!isOne)
        expect((two.json as unknown as { data: { images: unknown[] } }).data.images).toHaveLength(2);
    }
  });

  it('are JPG or PNG, of at most 5 MB', async () => {
    expect((await upload(['type', 'image'], ['file', jpg(800, 400)])).status).toBe(200);
    expect((await upload(['type', 'image'], ['file', Buffer.from('GIF89a')])).json).toEqual(
      refusal('Files must be JPG or PNG'),
    );
    const sized = (size: number) => Buffer.concat([png(800, 400), Buffer.alloc(size - png(800, 400).length)]);
    expect((await upload(['type', 'image'], ['file', sized(5_000_000)])).status).toBe(200);
    expect((await upload(['type', 'image'], ['file', sized(5_000_001)])).json).toEqual(
      refusal('A file has at most 5 MB'),
    );
  });

  it('are at least 500 pixels wide, and of the ratio that their type wants', async () => {
    const wrong: [string, number, number][] = [
      ['image', 499, 400],
      ['image', 600, 900],
      ['image', 1100, 500],
      ['wide-image', 600, 700],
      ['wide-itemlist-first-image', 800, 500],
      ['wide-itemlist-image', 600, 500],
      ['carousel-image', 600, 900],
    ];
    for (const [type, width, height] of wrong) {
      const part = type === 'wide-itemlist-image' || type === 'carousel-image' ? 'images' : 'file';
      expect((await upload(['type', type], [part, png(width, height)])).status, `${type} ${width}`).toBe(400);
    }
    const mixed: [string, string | Buffer][] = [
      ['images', png(800, 400)],
      ['images', png(800, 600)],
    ];
    expect((await upload(['type', 'carousel-commerce-image'], ...mixed)).json).toEqual(
      refusal('All images must share one ratio'),
    );
    expect((await upload(['type', 'carousel-image'], ...mixed)).status).toBe(200);
  });

  it('come as multipart/form-data with a known type', async () => {
    expect((await upload(['type', 'gif'], ['file', png(800, 400)])).status).toBe(400);
    expect((await upload(['file', png(800, 400)])).status).toBe(400);
    expect((await service.call('POST', `${BRAND}/images`, { type: 'image' })).status).toBe(400);
    const { body, headers } = form([
      ['type', 'image'],
      ['file', png(800, 400)],
    ]);
    const cut = await service.call('POST', `${BRAND}/images`, body.subarray(0, -10), headers);
    expect(cut.status).toBe(400);
  });
});

describe('alimtalk templates (E10, E11)', () => {
  async function e10(query = '') {
    const got = await service.call('GET', `${ALIMTALK}?${query}`);
    expect(got.status, got.text).toBe(200);
    const json = got.json as unknown as {
      resultCode: number;
      templateListResponse: { templates: Record<string, string>[]; totalCount: number };
    };
    expect(json.resultCode).toBe(0);
    return json.templateListResponse;
  }

  it('come in pages, all or as they are filtered', async () => {
    const all = await e10('pageSize=1000');
    expect(all.totalCount).toBe(all.templates.length);
    const pages = [await e10('pageNum=1&pageSize=6'), await e10('pageNum=2&pageSize=6')];
    expect(pages.flatMap(({ templates }) => templates)).toEqual(all.templates);
    const filters = {
      channelId: 'channelId',
      templateCode: 'templateCode',
      templateName: 'templateName',
      templateStatus: 'templateStatusCode',
    };
    for (const [parameter, field] of Object.entries(filters)) {
      const value = all.templates[2]?.[field] ?? '';
      const wanted = all.templates.filter((template) => template[field] === value);
      expect(await e10(`${parameter}=${encodeURIComponent(value)}&pageSize=1000`)).toEqual({
        templates: wanted,
        totalCount: wanted.length,
      });
    }
    expect((await e10('templateCode=none')).templates).toEqual([]);
    for (const query of ['pageSize=1001', 'pageSize=0', 'pageNum=0']) {
      const got = await service.call('GET', `${ALIMTALK}?${query}`);
      expect(got.status).toBe(400);
      expect(got.json).toEqual({ error: expect.any(String) as string });
    }
  });

  it('are deleted by their code, and then gone', async () => {
    const { templates, totalCount } = await e10('pageSize=1000');
    const code = templates[0]?.['templateCode'] ?? '';
    const got = await service.call('DELETE', `${ALIMTALK}/${code}`);
    expect(got.json).toEqual({ resultCode: 0, resultMessage: 'SUCCESS' });
    expect((await e10()).totalCount).toBe(totalCount - 1);
    const again = await service.call('DELETE', `${ALIMTALK}/${code}`);
    expect(again.status).toBe(404);
    expect(again.json).toEqual({ error: 'The template does not exist.' });
  });
});

describe('access', () => {
  it('is refused in the shape of each family without a token and for another project', async () => {
    const token = await logIn(sandbox);
    const brand = [
      ['GET', `${BRAND}/templates`],
      ['POST', `${BRAND}/templates`],
      ['GET', `${BRAND}/templates/x`],
      ['POST', `${BRAND}/images`],
    ] as const;
    const plain = [
      ['GET', ALIMTALK],
      ['DELETE', `${ALIMTALK}/x`],
    ] as const;
    for (const [method, path] of [...brand, ...plain]) {
      const none = await ask(sandbox, { method, path });
      const other = await ask(sandbox, { method, path: path.replace(PROJECT, 'f'.repeat(32)), token });
      expect([none.status, other.status]).toEqual([401, 403]);
      const isBrand = path.startsWith('/v1');
      const message = 'Invalid Authorization Token';
      expect(none.json).toEqual(
        isBrand ? { data: null, error: { code: 'UNAUTHORIZED', message } } : { error: message },
      );
    }
  });
});

/** A form's body and header. */
function form(parts: [name: string, value: string | Buffer][]) {
  const boundary = '----for-a-test';
  const pieces = parts.flatMap(([name, value]) => {
    const file = typeof value === 'string' ? '' : '; filename="a.png"\r\ncontent-type: image/png';
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** As much of a PNG file as says how large it is. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(bytes);
  bytes.write('IHDR', 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** The same of a JPG file. */
function jpg(width: number, height: number): Buffer {
  const app = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1]);
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 17, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([app, frame]);
}

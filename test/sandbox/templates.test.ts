/** Brand-message templates and images (E3 to E6) and alimtalk templates (E10, E11), rule by rule. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANY_TEXT,
  closeAll,
  dataOf,
  each,
  type Expected,
  type Got,
  play,
  PROJECT,
  type Row,
  type Service,
  start,
  type Step,
} from './support.js';

let there: Service;
beforeEach(async () => {
  there = await start();
});
afterEach(closeAll);

const BRAND = `/v1/projects/${PROJECT}/messages/chatapp-brand-message`;
const ALIMTALK = `/projects/${PROJECT}/messages/chatapp-alimtalk/templates`;
const SENDER = '9f2c4e6a8b0d1f3e5a7c';
const OF_SENDER = `GET ${BRAND}/templates?senderKey=${SENDER}`;
const refusal = (message: string): Expected => [
  400,
  { data: null, error: { code: 'INVALID_ARGUMENT', message } },
];
const REFUSED = refusal(ANY_TEXT);

const CREATE = `POST ${BRAND}/templates`;
const plain = {
  senderKey: SENDER,
  templateName: '새 템플릿',
  template: { type: 'text', content: { text: '#{이름}' } },
};
const sms = { type: 'sms', body: 'b', senderPhoneNumber: '15440000' };
const unsubscribeNumber = '0800000000';
const withImage = (url: string) => ({
  ...plain,
  template: { type: 'image', content: { text: 't', image: { url, link: 'https://a.test' } } },
});

const RULES: Record<string, Step[]> = {
  'E3.1 senderKey and templateName are not empty; template has type and content (N3, N4)': each(
    CREATE,
    REFUSED,
    { ...plain, senderKey: '' },
    { ...plain, templateName: '' },
    { ...plain, template: { type: 'text' } },
    { ...plain, template: { content: {} } },
    {},
    `{"template":${'['.repeat(90_000)}${']'.repeat(90_000)}}`,
  ),
  'E3.2 failoverTextMessage needs a registered unsubscribeNumber; LMS needs title': [
    ...each(
      CREATE,
      REFUSED,
      { ...plain, failoverTextMessage: sms },
      { ...plain, failoverTextMessage: sms, unsubscribeNumber: '0809999999' },
      { ...plain, failoverTextMessage: { ...sms, type: 'lms' }, unsubscribeNumber },
      { ...plain, failoverTextMessage: { ...sms, type: 'mms' }, unsubscribeNumber },
      { ...plain, failoverTextMessage: { type: 'sms' }, unsubscribeNumber },
    ),
    [CREATE, { ...plain, failoverTextMessage: { ...sms, type: 'lms', title: 't' }, unsubscribeNumber }],
  ],
  'E4.1 page size 1 to 1000, page number from 1; senderKey is required': [
    ...['pageSize=0', 'pageSize=1001', 'pageSize=x', 'pageNum=0', 'pageNum=-1', 'pageNum='].map(
      (query): Step => [`${OF_SENDER}&${query}`, undefined, REFUSED],
    ),
    [`GET ${BRAND}/templates`, undefined, refusal('senderKey is required')],
    [`GET ${BRAND}/templates?senderKey=none`, undefined, { data: { templates: [] } }],
  ],
  'E11.1 response {resultCode: 0, resultMessage}; an unknown code is {error}': [
    [`DELETE ${ALIMTALK}/tpl-n2p7`, undefined, [200, { resultCode: 0, resultMessage: 'SUCCESS' }]],
    [`DELETE ${ALIMTALK}/tpl-n2p7`, undefined, [404, { error: 'The template does not exist.' }]],
    [
      `GET ${ALIMTALK}?templateCode=tpl-n2p7`,
      undefined,
      { templateListResponse: { templates: [], totalCount: 0 } },
    ],
  ],
};

test.each(Object.entries(RULES))('%s', (_, steps) => play(there, steps));

interface Template extends Row {
  id: string;
  template: Row;
  createdAt: string;
  updatedAt: string;
}

async function e4(query: string, from = there): Promise<{ templates: Template[]; totalCount: number }> {
  return dataOf(await from.call('GET', `${BRAND}/templates?${query}`)) as {
    templates: Template[];
    totalCount: number;
  };
}

async function e5(id: string) {
  const got = await there.call('GET', `${BRAND}/templates/${id}?senderKey=${SENDER}`);
  return dataOf(got) as { template: Template; chatappTemplate: { status: string } };
}

test('E4.2 response data.templates[] of the senderKey and data.totalCount, in pages', async () => {
  const all = await e4(`senderKey=${SENDER}&pageNum=1&pageSize=1000`);
  expect(all.templates.map(({ template }) => template['senderKey'])).toEqual(Array(6).fill(SENDER));
  const pages = [];
  for (const page of [1, 2, 3, 4]) pages.push(await e4(`senderKey=${SENDER}&pageNum=${page}&pageSize=2`));
  expect(pages.flatMap(({ templates }) => templates)).toEqual(all.templates);
  expect(pages.map(({ totalCount }) => totalCount)).toEqual([6, 6, 6, 6]);
  expect(pages[3]?.templates).toEqual([]);
});

test('E4.4 chatapp is the brand in paths and in the status', async () => {
  const [one] = (await e4(`senderKey=${SENDER}`)).templates;
  await play(there, [
    { options: { messenger: 'talky' } },
    [OF_SENDER, undefined, 404],
    [
      `GET ${BRAND.replace('chatapp', 'talky')}/templates/${one?.id}?senderKey=${SENDER}`,
      undefined,
      { data: { talkyTemplate: { status: 'approved' } } },
    ],
  ]);
});

test('E5.1 response data.template, as in the list, and data.chatappTemplate.status', async () => {
  for (const template of (await e4(`senderKey=${SENDER}`)).templates) {
    expect(await e5(template.id)).toEqual({ template, chatappTemplate: { status: 'approved' } });
  }
});

test('E5.2 senderKey is in the query or a header (N6), and belongs to the template', async () => {
  const id = (await e4(`senderKey=${SENDER}`)).templates[0]?.id ?? '';
  const at = `GET ${BRAND}/templates`;
  await play(there, [
    [`${at}/${id}?senderKey=other`, undefined, '404 NOT_FOUND'],
    [`${at}/none?senderKey=${SENDER}`, undefined, '404 NOT_FOUND'],
    [`${at}/${id}`, undefined, 400],
    { options: { senderKeyIn: 'header' } },
    [`${at}/${id}?senderKey=${SENDER}`, undefined, 400],
  ]);
  const other = await start({ senderKeyIn: 'header' });
  expect((await other.call('GET', `${BRAND}/templates/${id}`, undefined, { senderKey: SENDER })).status).toBe(
    200,
  );
});

test('E3.3 response {data: {templateId}, error}; the template is listed immediately, inspected for a day, then approved', async () => {
  const got = await there.call('POST', `${BRAND}/templates`, {
    ...plain,
    failoverTextMessage: sms,
    unsubscribeNumber,
  });
  const { templateId: id } = dataOf(got) as { templateId: string };
  const template = { ...plain.template, senderKey: SENDER, failoverTextMessage: sms, unsubscribeNumber };
  const at = there.clock.now.toISOString();
  const made = { id, templateName: '새 템플릿', template, createdAt: at, updatedAt: at };
  expect((await e4(`senderKey=${SENDER}`)).templates.at(-1)).toEqual(made);
  expect((await e5(id)).chatappTemplate.status).toBe('inspecting');
  there.clock.now = new Date('2026-11-21T01:00:00Z');
  expect(await e5(id)).toMatchObject({
    template: { updatedAt: '2026-11-21T01:00:00.000Z' },
    chatappTemplate: { status: 'approved' },
  });
});

function upload(...parts: [string, string | Buffer][]): Promise<Got> {
  const { body, headers } = form(parts);
  return there.call('POST', `${BRAND}/images`, body, headers);
}

test('E3.4 types with images need an upload before (E6)', async () => {
  await play(there, [
    ...['image', 'wide-image', 'wide_item_list', 'carousel', 'commerce', 'CAROUSEL_COMMERCE'].map(
      (type): Step => [CREATE, { ...plain, template: { type, content: {} } }, 400],
    ),
    [CREATE, { ...plain, template: { type: 'premium-video', content: {} } }],
    [CREATE, withImage('https://img.shop.test/else.png'), refusal('Images must be uploaded first')],
  ]);
  const { images } = dataOf(await upload(['type', 'image'], ['file', png(800, 400)])) as {
    images: { url: string }[];
  };
  await play(there, [[CREATE, withImage(images[0]?.url ?? '')]]);
});

test('E6.1 parts by purpose: type, one file or images; response data.images[].url', async () => {
  const ratios: [type: string, part: 'file' | 'images', width: number, height: number][] = [
    ['image', 'file', 800, 400],
    ['wide-image', 'file', 800, 600],
    ['wide-itemlist-first-image', 'file', 1000, 500],
    ['wide-itemlist-image', 'images', 500, 500],
    ['carousel-image', 'images', 800, 600],
    ['carousel-commerce-image', 'images', 800, 400],
  ];
  const image = { url: expect.stringMatching(/\.png$/) as string };
  for (const [type, part, ...size] of ratios) {
    const [one, wrong] = [
      await upload(['type', type], [part, png(...size)]),
      part === 'file' ? 'images' : 'file',
    ];
    expect([one.status, one.json], type).toEqual([200, { data: { images: [image] }, error: null }]);
    expect((await upload(['type', type], [wrong, png(...size)])).status).toBe(400);
    const two = await upload(['type', type], [part, png(...size)], [part, jpg(...size)]);
    if (part === 'file') expect(two.status).toBe(400);
    else expect((dataOf(two) as { images: unknown[] }).images).toHaveLength(2);
  }
});

const sized = (size: number) => Buffer.concat([png(800, 400), Buffer.alloc(size - png(800, 400).length)]);

test.each<[string, ...[expected: 200 | 400 | string, ...parts: [string, string | Buffer][]][]]>([
  [
    'E6.2 limit: 5 MB, JPG or PNG',
    [200, ['type', 'image'], ['file', jpg(800, 400)]],
    ['Files must be JPG or PNG', ['type', 'image'], ['file', Buffer.from('GIF89a')]],
    [200, ['type', 'image'], ['file', sized(5_000_000)]],
    ['A file has at most 5 MB', ['type', 'image'], ['file', sized(5_000_001)]],
  ],
  [
    'E6.3 width from 500 px, ratio by purpose, one ratio for a commerce carousel',
    [400, ['type', 'image'], ['file', png(499, 400)]],
    [400, ['type', 'image'], ['file', png(600, 900)]],
    [400, ['type', 'image'], ['file', png(1100, 500)]],
    [400, ['type', 'wide-image'], ['file', png(600, 700)]],
    [400, ['type', 'wide-itemlist-first-image'], ['file', png(800, 500)]],
    [400, ['type', 'wide-itemlist-image'], ['images', png(600, 500)]],
    [400, ['type', 'carousel-image'], ['images', png(600, 900)]],
    [200, ['type', 'carousel-image'], ['images', png(800, 400)], ['images', png(800, 600)]],
    [
      'All images must share one ratio',
      ['type', 'carousel-commerce-image'],
      ['images', png(800, 400)],
      ['images', png(800, 600)],
    ],
  ],
  [
    'E6.4 the body is multipart/form-data, with a known type',
    [400, ['type', 'gif'], ['file', png(800, 400)]],
    [400, ['file', png(800, 400)]],
  ],
])('%s', async (_, ...cases) => {
  for (const [expected, ...parts] of cases) {
    const got = await upload(...parts);
    expect(got.status, got.text).toBe(typeof expected === 'number' ? expected : 400);
    if (typeof expected === 'string') expect([400, got.json]).toEqual(refusal(expected));
  }
  const { body, headers } = form([
    ['type', 'image'],
    ['file', png(800, 400)],
  ]);
  expect((await there.call('POST', `${BRAND}/images`, body.subarray(0, -10), headers)).status).toBe(400);
  expect((await there.call('POST', `${BRAND}/images`, { type: 'image' })).status).toBe(400);
});

test('E10.2 response resultCode, templateListResponse, in pages, optionally filtered (N10)', async () => {
  const e10 = async (query: string) => {
    const { json } = await there.call('GET', `${ALIMTALK}?${query}`);
    const answer = json as unknown as {
      resultCode: number;
      templateListResponse: { templates: Row[]; totalCount: number };
    };
    expect(answer.resultCode).toBe(0);
    return answer.templateListResponse;
  };
  const all = await e10('pageSize=1000');
  expect(all.totalCount).toBe(all.templates.length);
  const pages = [await e10('pageNum=1&pageSize=6'), await e10('pageNum=2&pageSize=6')];
  expect(pages.flatMap(({ templates }) => templates)).toEqual(all.templates);
  for (const parameter of ['channelId', 'templateCode', 'templateName', 'templateStatus']) {
    const field = parameter === 'templateStatus' ? 'templateStatusCode' : parameter;
    const value = String(all.templates[2]?.[field]);
    const templates = all.templates.filter((template) => template[field] === value);
    const got = await e10(`${parameter}=${encodeURIComponent(value)}&pageSize=1000`);
    expect(got).toEqual({ templates, totalCount: templates.length });
  }
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

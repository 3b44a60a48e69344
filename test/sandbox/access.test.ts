/** Rules of all endpoints: who may ask, how each family says no, what the sandbox shows of itself. And the lists of rules and options. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { endpoint } from '../../sandbox/endpoint.js';
import { refuse } from '../../sandbox/family.js';
import { answerTo } from '../../sandbox/index.js';
import { settle } from '../../sandbox/options.js';
import { commandLine } from '../../src/commands/program.js';
import {
  DURABLE_STEPS,
  JOURNAL_STEPS,
  LAKE_POINTS,
  PUBLISH_POINTS,
  WAREHOUSE_POINTS,
} from '../support/points.js';
import { ANY_TEXT, ask, closeAll, KEYS, play, PROJECT, type Service, start, type Step } from './support.js';

let there: Service;
beforeEach(async () => {
  await closeAll();
  there = await start({ tokenLifetimeSeconds: 3600 });
});
afterAll(closeAll);

type Shape = (error: string, status: number, code: string) => unknown;
const coded: Shape = (message, _, code) => ({ data: null, error: { code, message } });
const plain: Shape = (error) => ({ data: null, error });
const alone: Shape = (error) => ({ error });

/** How each family says no. */
const SHAPES = {
  catalog: coded,
  'brand-message': coded,
  users: plain,
  campaign: plain,
  sending: plain,
  alimtalk: alone,
  'opt-out': alone,
  journey: (error, code) => ({ code, success: false, error }),
  statistics: (message, status) => ({
    error: status < 404 ? 'Unauthorized' : 'InternalServerError',
    message,
  }),
  'statistics-csv': (message, status) =>
    status < 404 ? { error: `Unauthorized: ${message}` } : { error: 'InternalServerError', message },
  export: (message) => ({ status: 'error', message }),
} satisfies Record<string, Shape>;

type Request = [family: keyof typeof SHAPES, request: string, body?: object];

const OWN = `/projects/${PROJECT}`;
const BRAND = `/v1${OWN}/messages/chatapp-brand-message`;
const ALIMTALK = `${OWN}/messages/chatapp-alimtalk/templates`;
const OPT_OUTS = `${OWN}/messages/text-message/blockservice/recipients`;
const EXPORTS = `${OWN}/campaign-event-data/exports`;
const CATALOG_OPERATIONS = [
  ...['GET ', 'POST ', 'DELETE /c', 'GET /c/items', 'POST /c/items', 'PUT /c/items', 'PATCH /c/items'],
  ...['DELETE /c/items', 'GET /c/items/i', 'POST /c/items/i', 'PUT /c/items/i', 'PATCH /c/items/i'],
  ...[
    'DELETE /c/items/i',
    'POST /c/fields',
    'DELETE /c/fields/f',
    'POST /c/selections',
    'DELETE /c/selections/s',
  ],
];
/** E7 to E9 and E13 to E16, which take a body of 4 MiB, and all but the last of which name the project in it. */
const ONE = { userId: 'bora', recipientNo: '01012345678', content: { text: 't' } };
const WRITES: Request[] = [
  [
    'sending',
    'POST /messages/chatapp-friendtalk',
    { messageType: 'text', isAd: false, recipientList: [ONE] },
  ],
  ['sending', 'POST /messages/text-message', { type: 'sms', body: 'b', recipientList: [ONE] }],
  ['sending', 'POST /messages/chatapp-alimtalk', { channelId: 'c', templateId: 't', recipientList: [ONE] }],
  ['users', 'POST /track-event', { ...ONE, eventName: 'viewed' }],
  ['users', 'POST /set-user-properties', { ...ONE, userProperties: {} }],
  ['users', 'DELETE /users', ONE],
  ['journey', `POST ${OWN}/user-journeys/uj-win02/enter`, { users: [ONE] }],
];
const REQUESTS: Request[] = [
  ...CATALOG_OPERATIONS.map((one): Request => ['catalog', one.replace(' ', ` /v1${OWN}/catalogs`)]),
  ...['GET /templates', 'POST /templates', 'GET /templates/x', 'POST /images'].map((one): Request => [
    'brand-message',
    one.replace(' ', ` ${BRAND}`),
  ]),
  ...WRITES,
  ...['GET ', 'DELETE /x'].map((one): Request => ['alimtalk', one.replace(' ', ` ${ALIMTALK}`)]),
  ...['GET ', 'POST ', 'DELETE /removes'].map((one): Request => [
    'opt-out',
    one.replace(' ', ` ${OPT_OUTS}`),
  ]),
  ['statistics', `POST /v1${OWN}/statistics`],
  ['statistics-csv', `GET /v1${OWN}/statistics.csv`],
  ['campaign', `GET ${OWN}/campaigns/a8LmZ2/stats`],
  ['export', `POST ${EXPORTS}`],
  ['export', `GET ${EXPORTS}/x/result`],
];
const STATISTICS: Step = [`POST /v1${OWN}/statistics`, { start: '2026-11-18', end: '2026-11-18' }];

const BEFORE_THE_END_OF_FRIENDTALK = new Date('2026-05-20T01:00:00Z');

async function answerOf(request: string, body: unknown, token: string | undefined): Promise<unknown[]> {
  const [method = '', path = ''] = request.split(' ');
  const { status, json } = await ask(there.sandbox, { method, path, body, token });
  return [status, json];
}

test('all.1 a missing, foreign or altered token is refused with 401 in the shape of each family', async () => {
  const other = await start();
  const text = 'Invalid Authorization Token';
  for (const [family, request] of REQUESTS) {
    for (const token of [undefined, other.token, `${there.token}x`, 'a.b.c']) {
      const answer = await answerOf(
        request,
        request.startsWith('GET') ? undefined : { projectId: PROJECT },
        token,
      );
      expect(answer, `${family} ${request}`).toEqual([401, SHAPES[family](text, 401, 'UNAUTHORIZED')]);
    }
  }
});

test('all.2 access to another project is refused with 403 in the shape of each family; E21 answers not_found', async () => {
  const projectId = 'f'.repeat(32);
  there.clock.now = BEFORE_THE_END_OF_FRIENDTALK;
  for (const [family, request, body] of REQUESTS) {
    const other = request.startsWith('GET') ? undefined : { ...body, projectId };
    const answer = await answerOf(request.replace(PROJECT, projectId), other, there.token);
    const wanted = SHAPES[family]('Project access denied', 403, 'FORBIDDEN');
    if (request.endsWith('/x/result')) expect(answer[1]).toMatchObject({ status: 'not_found' });
    else expect(answer, `${family} ${request}`).toMatchObject([403, wanted]);
  }
  expect(there.sandbox.bills()).toEqual([]);
});

test('all.3 projectId in a path is 32 lowercase hexadecimal digits', async () => {
  for (const wrong of ['x', PROJECT.toUpperCase(), `${PROJECT}0`]) {
    for (const [family, request] of REQUESTS.filter(([, one]) => one.includes(PROJECT))) {
      const [status, json] = await answerOf(request.replace(PROJECT, wrong), {}, there.token);
      expect(status, `${family} ${request}`).toBe(400);
      if (family === 'campaign') expect(json).toEqual({ data: null, error: 'Invalid project id' });
    }
  }
});

test('all.4 writes are JSON of at most 4 MiB, and an object or a list', async () => {
  there.clock.now = BEFORE_THE_END_OF_FRIENDTALK;
  for (const [family, request] of WRITES) {
    const shape = (error: string, status: number) => [status, SHAPES[family](error, status, '')];
    for (const wrong of ['{', '', 'null', '[]', '7', `${'['.repeat(60)}${']'.repeat(60)}`]) {
      expect(await answerOf(request, wrong, there.token)).toMatchObject(shape(ANY_TEXT, 400));
    }
    const large = `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}`;
    expect(await answerOf(request, large, there.token)).toEqual(shape('The request body is too large', 413));
  }
});

test('all.5 a failure of the service has the shape of each family', () => {
  const tokens = { issue: () => 'x', isValid: () => true };
  const asked = {
    query: new URLSearchParams(),
    headers: { authorization: 'Bearer x' },
    body: Buffer.alloc(0),
  };
  for (const [family, shapeOf] of Object.entries(SHAPES) as [keyof typeof SHAPES, Shape][]) {
    const broken = endpoint('E2', family, 'GET /', () => {
      throw new Error('a cause');
    });
    const { status, body } = answerTo(broken, [PROJECT], asked, settle({}), tokens);
    const shown = { success: false, error: 'Internal Server Error' };
    const wanted = family === 'sending' ? shown : shapeOf('Internal Server Error (a cause)', 500, 'INTERNAL');
    expect([status, JSON.parse(body.toString())], family).toEqual([500, wanted]);
  }
});

test('all.6 a body that is larger than any request is refused, and the service stays usable', async () => {
  await play(there, [
    [STATISTICS[0], { tags: ['x'.repeat(2_000_000)] }, [413, { error: 'InvalidRequest', message: ANY_TEXT }]],
    STATISTICS,
  ]);
});

test('all.7 unknown paths and methods get 404 and JSON', async () => {
  const requests = ['GET /', 'GET /authenticate', `PUT /v1${OWN}/statistics`, `GET /v1${OWN}/campaigns`];
  await play(
    there,
    requests.map((one): Step => [one, undefined, [404, { error: 'Not Found' }]]),
  );
  expect(there.sandbox.requests().other).toBe(4);
});

test('all.8 the header Date follows the clock of the sandbox', async () => {
  const { headers } = await ask(there.sandbox, { path: '/' });
  expect(headers.date).toBe('Fri, 20 Nov 2026 01:00:00 GMT');
});

test('all.9 /_sandbox/requests and /_sandbox/bills show other processes what was counted', async () => {
  const window = { start: '2026-11-18T15:00:00Z', end: '2026-11-18T15:10:00Z', isMessageDataIncluded: true };
  await play(there, [STATISTICS, [`POST ${EXPORTS}`, window]]);
  const { json } = await ask(there.sandbox, { path: '/_sandbox/requests' });
  const counts = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`E${i + 1}`, 0]));
  expect(json).toEqual({ ...counts, E1: 1, E17: 1, E20: 1, other: 0 });
  expect(json).toEqual(there.sandbox.requests());
  expect(there.sandbox.bills()).toHaveLength(1);
  expect((await ask(there.sandbox, { path: '/_sandbox/bills' })).json).toEqual(there.sandbox.bills());
});

test('all.10 /_sandbox/state starts empty and shows what was written: catalogs (E2), templates (E3), opt-outs (E12)', async () => {
  const catalogs = `/v1${OWN}/catalogs`;
  const filters = [{ field: 'name', operator: 'equals', value: '니트' }];
  const optOut = {
    unsubscribeNo: '0801234567',
    recipientNo: '01012345678',
    requestDate: '2026-11-20 10:00:00',
  };
  const products = { name: 'products', created: false, addedFields: [], deletedFields: ['rank'] };
  const items = [
    { id: 'kn-1024', item: { name: '니트' } },
    { id: 'ct-2210', item: null },
  ];
  const selections = [{ name: 's', results: ['kn-1024'] }];
  const empty = {
    ...{ users: [], deletedUsers: [], events: [], journeys: [], messages: [] },
    optOuts: { registered: [], removed: [] },
    catalogs: { changed: [], deleted: [] },
    ...{ brandTemplates: [], images: [], deletedAlimtalkTemplates: [] },
  };
  await play(there, [
    ['GET /_sandbox/state', undefined, [200, empty]],
    [`PATCH ${catalogs}/products/items`, { items: [{ id: 'kn-1024', name: '니트' }] }],
    [`DELETE ${catalogs}/products/items/ct-2210`],
    [`DELETE ${catalogs}/products/fields/rank`],
    [`POST ${catalogs}/products/selections`, { selection: { name: 's', filters } }],
    [`DELETE ${catalogs}/stores`],
    [`POST ${OPT_OUTS}`, { unsubscribeNo: '0801234567', recipientNoList: ['01012345678'] }],
    [
      `POST ${BRAND}/templates`,
      { senderKey: 'k', templateName: 't', template: { type: 'text', content: { text: 'b' } } },
    ],
    [
      'GET /_sandbox/state',
      undefined,
      {
        catalogs: { deleted: ['stores'], changed: [{ ...products, items, selections }] },
        optOuts: { registered: [optOut] },
        brandTemplates: [{ templateName: 't' }],
      },
    ],
  ]);
});

test('E1.1 response {data: token, error: null}; the token is a JWT, valid for 1 hour by the clock of the service', async () => {
  expect(there.token.split('.')).toHaveLength(3);
  await play(there, [
    { now: '2026-11-20T01:59:59Z' },
    STATISTICS,
    { now: '2026-11-20T02:00:00Z' },
    [...STATISTICS, 401] as unknown as Step,
  ]);
});

test('E1.2 wrong keys, missing keys or a body that is not JSON: data is null, error is a text', async () => {
  const request = 'POST /authenticate';
  await play(there, [
    [
      request,
      { ...KEYS, secretKey: 'wrong' },
      [401, { data: null, error: 'Invalid access key or secret key' }],
    ],
    [request, { accessKey: 'a' }, [400, { data: null, error: ANY_TEXT }]],
    [request, 'not json', [400, { data: null, error: ANY_TEXT }]],
  ]);
});

test('E18.1 a timeout advises a shorter date range; that of E17 does not', () => {
  const bodyOf = (family: 'statistics' | 'statistics-csv') =>
    JSON.parse(refuse(family, 'timeout', '').body.toString()) as unknown;
  expect(bodyOf('statistics')).toEqual({ error: 'Timeout' });
  expect(bodyOf('statistics-csv')).toEqual({ error: 'Timeout: please try again with a shorter date range.' });
});

test('sandbox/README.md lists every rule that is tested here in its words, for each of E1 to E21', () => {
  const readme = readFileSync('sandbox/README.md', 'utf8').replaceAll('`', '');
  const listed = [...readme.matchAll(/^\| ((?:all|E\d+)\.\d+) +\| (.*?) +\|$/gm)].map(
    ([, id, rule]) => `${id} ${rule}`,
  );
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const tested = files.flatMap((name) => {
    const source = readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll('`', '');
    return [...source.matchAll(/^ *(?:test\()?\s*'((?:all|E\d+)\.\d+ [^']*)'[,:]/gm)].map(
      ([, title]) => title,
    );
  });
  expect(listed.toSorted()).toEqual(tested.toSorted());
  expect(new Set(listed.map((rule) => rule.split(' ')[0])).size).toBe(listed.length);
  const endpoints = new Set(listed.map((rule) => rule.split('.')[0]));
  expect([...endpoints]).toEqual(['all', ...Array.from({ length: 21 }, (_, i) => `E${i + 1}`)]);
});

test('docs/sandbox.md names every option of the command with its default, the clock, and every crash point', () => {
  const page = readFileSync('docs/sandbox.md', 'utf8');
  const ownOfEveryCommand = ['--config', '--data-dir', '--log-format', '--verbose'];
  const command = commandLine('0').program.commands.find((sub) => sub.name() === 'sandbox');
  const options = (command?.options ?? []).filter(({ long }) => !ownOfEveryCommand.includes(long ?? ''));
  expect(options.length).toBeGreaterThan(3);
  for (const { flags, defaultValue } of options) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${flags}\``));
    expect(row, flags).toBeDefined();
    if (typeof defaultValue === 'string') expect(row).toContain(`\`${defaultValue}\``);
  }
  expect(page).toContain('DAWNLOAD_NOW=');
  const points = [
    ...DURABLE_STEPS.map((step) => `FILE/${step}`),
    ...JOURNAL_STEPS.map((step) => `journal/KIND/EVENT/${step}`),
    ...[WAREHOUSE_POINTS, PUBLISH_POINTS, LAKE_POINTS].flat(),
  ];
  expect(points.length).toBeGreaterThan(20);
  for (const point of points) expect(page).toContain(`\`${point}\``);
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { readAnswer, requestExport } from '../../src/exports/paid-request.js';
import type { ServiceClient } from '../../src/service/client.js';
import { clientFor, json, startDouble, type Double, type Handler } from '../support/service-double.js';

const WINDOW = { start: new Date('2026-11-19T15:00:00Z'), end: new Date('2026-11-20T15:00:00Z') };

const open: (Double | ServiceClient)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function setUp(handler: Handler): Promise<{ service: ServiceClient; double: Double }> {
  const double = await startDouble(handler);
  const service = clientFor(double.url);
  open.push(double, service);
  return { service, double };
}

describe('the paid request', () => {
  test('is sent once, with its window and the wish for messages', async () => {
    const { service, double } = await setUp((_, response) => {
      json(response, { export_id: 'abc' });
    });
    expect((await requestExport(await service.authorize(), WINDOW, true)).kind).toBe('accepted');
    const posts = double.received.filter(({ url }) => url.endsWith('/exports'));
    expect(posts).toHaveLength(1);
    expect(JSON.parse(posts[0]?.body ?? '')).toEqual({
      start: '2026-11-19T15:00:00.000Z',
      end: '2026-11-20T15:00:00.000Z',
      isMessageDataIncluded: true,
    });
  });

  test('is in doubt where its id is longer than the journal takes, and keeps the whole answer', () => {
    for (const id of ['한'.repeat(1366), `1${'0'.repeat(4096)}`]) {
      const body = id.startsWith('1') ? `{"export_id":${id}}` : JSON.stringify({ export_id: id });
      expect(readAnswer(200, Buffer.from(body))).toEqual({ kind: 'unknown' });
    }
    const id = '한'.repeat(1365);
    expect(readAnswer(200, Buffer.from(JSON.stringify({ export_id: id })))).toEqual({
      kind: 'accepted',
      exportId: id,
    });
  });

  /** The table of docs/money.md. */
  const table = [
    ...readFileSync('docs/money.md', 'utf8').matchAll(/^\| (\d{3}) +\| (?:`(.*)`|nothing) +\| (\w+) +\|$/gm),
  ].map(
    ([, status = '', body = '', outcome = '']) =>
      [Number(status), body.replaceAll('…', 'x'), outcome] as const,
  );

  test('has its outcomes in a table of the documents', () => {
    expect(table.length).toBeGreaterThan(40);
    expect(new Set(table.map(([, , outcome]) => outcome))).toEqual(
      new Set(['accepted', 'refused', 'ambiguous']),
    );
  });

  test.each(table)('answered with %i %s is %s', async (status, body, outcome) => {
    const { service, double } = await setUp((__, response) => {
      response.writeHead(status, { location: '/elsewhere' });
      response.end(status === 204 ? undefined : body);
    });
    const { kind } = await requestExport(await service.authorize(), WINDOW, true);
    expect(kind).toBe(outcome === 'ambiguous' ? 'unknown' : outcome);
    expect(double.received.filter(({ url }) => url.endsWith('/exports'))).toHaveLength(1);
  });

  test('answered by a server error is never a refusal, whatever the words', () => {
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ error: fc.string(), message: fc.string() }).map((error) => JSON.stringify(error)),
    );
    const status = fc.oneof(
      fc.integer({ min: 500, max: 599 }),
      fc.constantFrom(200, 201, 202, 204, 408, 409, 418),
    );
    fc.assert(
      fc.property(status, body, (code, text) => {
        expect(readAnswer(code, Buffer.from(text)).kind).not.toBe('refused');
      }),
    );
  });

  test.each(['9007199254740993', '0.10'])(
    'accepted with the number %s keeps its digits as they came',
    async (digits) => {
      const { service } = await setUp((_, response) => {
        response.end(`{"export_id": ${digits} }`);
      });
      expect(await requestExport(await service.authorize(), WINDOW, true)).toMatchObject({
        exportId: digits,
      });
    },
  );
});

test('a secret that the service repeats as an export_id leaves the outcome open: an id goes everywhere', async () => {
  const { service } = await setUp(({ headers }, response) => {
    json(response, { export_id: `job/${headers.authorization ?? ''}` });
  });
  expect(await requestExport(await service.authorize(), WINDOW, true)).toMatchObject({
    kind: 'unknown',
    note: 'the export_id repeats a key or the token',
  });
});

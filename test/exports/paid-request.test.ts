import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { nextMove, readAnswer, requestExport } from '../../src/exports/paid-request.js';
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

describe('the next move', () => {
  const decision = (day: string, verdict: 'request' | 'over_run_budget') => ({
    day,
    verdict,
    estimate: 1,
    left: 1,
  });
  const full = decision('2026-11-21', 'over_run_budget');
  const wanted = [full, decision('2026-11-20', 'request'), decision('2026-11-19', 'request')];
  const [accepted, refused, stop] = ['accepted', 'refused', 'stop'] as const;

  test.each([
    ['the first day that may be requested', wanted, [], {}, '2026-11-20'],
    ['a day beside two exports in progress', wanted, [accepted, accepted], { downloads: 2 }, '2026-11-20'],
    ['a day beside exports of earlier runs', wanted, [], { isResuming: true }, '2026-11-20'],
    ['no fourth export at the same time', wanted, [accepted], { downloads: 3 }, 'wait'],
    ['a day after one refusal', wanted, [refused], {}, '2026-11-20'],
    ['a day after refusals that are not in a row', wanted, [refused, accepted, refused], {}, '2026-11-20'],
    ['nothing after two refusals in a row', wanted, [accepted, refused, refused], {}, 'end'],
    ['the end of downloads after two refusals', wanted, [refused, refused], { downloads: 1 }, 'wait'],
    ['nothing after an unknown outcome', wanted, [stop], {}, 'end'],
    ['nothing after an unknown outcome, whatever came later', wanted, [stop, accepted], {}, 'end'],
    ['nothing after a failure', wanted, [], { isFailing: true }, 'end'],
    ['the end of downloads after a failure', wanted, [accepted], { isFailing: true, downloads: 1 }, 'wait'],
    ['the size of an export, which may leave budget', [full], [accepted], { downloads: 1 }, 'wait'],
    ['the size of an export of an earlier run', [full], [], { isResuming: true }, 'wait'],
    ['the end without a day', [full], [], {}, 'end'],
    ['the end without a decision', [], [accepted], {}, 'end'],
  ])('is %s', (_, decisions, answers, others, expected) => {
    const progress = { answers, isFailing: false, downloads: 0, isResuming: false, ...others };
    const move = nextMove(decisions, progress);
    expect(typeof move === 'string' ? move : move.day).toBe(expected);
  });
});

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

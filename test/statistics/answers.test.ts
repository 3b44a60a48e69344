import { afterEach, describe, expect, test } from 'vitest';
import { dayCount, type DayRange } from '../../src/ground/calendar.js';
import { extractCampaign } from '../../src/streams/campaigns/pull.js';
import { extractDaily, type DailySink, dayTotals } from '../../src/streams/statistics/pull.js';
import type { ServiceClient } from '../../src/service/client.js';
import { clientFor, json, startDouble, type Double, type Handler } from '../support/service-double.js';

const WEEK = { start: '2026-11-14', end: '2026-11-20' };

const open: (Double | ServiceClient)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function setUp(handler: Handler): Promise<{ client: ServiceClient; double: Double }> {
  const double = await startDouble(handler);
  const client = clientFor(double.url);
  open.push(double, client);
  return { client, double };
}

function sink(): DailySink & { accepted: DayRange[]; rejected: string[] } {
  const accepted: DayRange[] = [];
  const rejected: string[] = [];
  return {
    accepted,
    rejected,
    accept: (range) => {
      accepted.push(range);
      return Promise.resolve();
    },
    reject: (endpoint) => {
      rejected.push(endpoint);
      return Promise.resolve();
    },
  };
}

test.each([
  ['statistics', 1],
  ['statistics_by_subchannel', 7],
] as const)('tags are sent with each request for %s where there are any', async (stream, requests) => {
  const sent: unknown[] = [];
  const { client } = await setUp(({ body }, response) => {
    sent.push((JSON.parse(body) as { tags?: string[] }).tags);
    json(response, []);
  });
  await extractDaily(client, stream, WEEK, [], sink());
  await extractDaily(client, stream, WEEK, ['vip', '재구매'], sink());
  const both = [undefined, ['vip', '재구매']];
  expect(sent).toEqual(both.flatMap((tags) => Array<unknown>(requests).fill(tags)));
});

describe('daily statistics', () => {
  test('a range that times out is halved until the service can answer', async () => {
    const { client } = await setUp(({ body }, response) => {
      const range = JSON.parse(body) as DayRange;
      json(response, dayCount(range) > 2 ? { error: 'Timeout' } : []);
    });
    const into = sink();
    expect(await extractDaily(client, 'statistics', WEEK, [], into)).toEqual([]);
    expect(into.accepted).toEqual([
      { start: '2026-11-14', end: '2026-11-14' },
      { start: '2026-11-15', end: '2026-11-16' },
      { start: '2026-11-17', end: '2026-11-18' },
      { start: '2026-11-19', end: '2026-11-20' },
    ]);
  });

  test.each([
    [408, { error: 'Timeout' }],
    [500, { error: 'InternalServerError', message: 'no such row' }],
  ])('one day that is answered with %i is a gap, and the others come', async (status, answer) => {
    const { client } = await setUp(({ body }, response) => {
      const { start, end } = JSON.parse(body) as DayRange;
      if (start <= '2026-11-16' && end >= '2026-11-16') json(response, answer, status);
      else json(response, []);
    });
    const into = sink();
    const gaps = await extractDaily(client, 'statistics', WEEK, [], into);
    expect(gaps).toMatchObject([{ days: { start: '2026-11-16', end: '2026-11-16' } }]);
    expect(into.accepted.reduce((sum, range) => sum + dayCount(range), 0)).toBe(6);
  });

  test('an answer of another shape is kept aside and named', async () => {
    const { client } = await setUp((_, response) => {
      json(response, { data: [] });
    });
    const into = sink();
    const gaps = await extractDaily(client, 'statistics', WEEK, [], into);
    expect(gaps).toHaveLength(1);
    expect(into).toMatchObject({ accepted: [], rejected: ['E17'] });
  });

  test('E18 is asked for day by day', async () => {
    const { client, double } = await setUp((_, response) => {
      json(response, []);
    });
    const into = sink();
    await extractDaily(client, 'statistics_by_subchannel', WEEK, [], into);
    expect(into.accepted.map(({ start }) => start).sort()).toHaveLength(7);
    expect(double.received.filter(({ method }) => method === 'GET')).toHaveLength(7);
  });
});

test('the sums of a day leave out what is no count, as the load does', async () => {
  const { client } = await setUp((_, response) => {
    response.end(
      '\ufeff[{"message_sent":5,"message_failed":-1,"delivered":"7","click":9223372036854775807,"odd":1e999},' +
        '{"message_sent":-1e6,"message_failed":2,"delivered":"many","click":null},null,{"message_sent":1.5}]',
    );
  });
  expect(await dayTotals(client, '2026-11-20')).toEqual({
    rows: 4,
    sent: 5,
    failed: 2,
    delivered: 7,
    click: 0,
    nights: 1,
  });
});

describe('campaign statistics', () => {
  /** The parts of the week that a campaign came in, and its failure. */
  async function campaign(client: ServiceClient, id: string) {
    const parts: DayRange[] = [];
    const landing = { reject: () => Promise.resolve('') };
    const failure = await extractCampaign(client, id, WEEK, landing, (part) =>
      Promise.resolve(void parts.push(part)),
    );
    return { parts, failure };
  }

  test.each([
    '{"data":{"stats":null},"error":null}',
    '{"data":{"stats":{"a":1}},"error":null}',
    '{"data":{"stats":[],"stats":{}},"error":null}',
    '{"data":{"stats":[]},"data":{"stats":[]},"error":null}',
    '{"data":{"stats":[]},"error":null,"error":null}',
    '{"data":[],"error":null}',
    '{"data":null,"error":"Invalid campaign"}',
    '[]',
  ])('an answer that would stop the load of every campaign fails alone: %s', async (body) => {
    const { client } = await setUp(({ url }, response) => {
      response.end(url.includes('/odd/') ? body : '{"data":{"stats":[]},"error":null}');
    });
    expect(await campaign(client, 'odd')).toMatchObject({ parts: [], failure: { campaignId: 'odd' } });
    expect(await campaign(client, 'other')).toEqual({ parts: [WEEK], failure: undefined });
  });

  test('a window that times out is asked for in halves', async () => {
    const days = (url: string): number => {
      const query = new URL(url, 'http://x').searchParams;
      return (Date.parse(query.get('end') ?? '') - Date.parse(query.get('start') ?? '')) / 86_400_000;
    };
    const { client } = await setUp(({ url }, response) => {
      if (days(url) > 4) json(response, { error: 'Timeout' });
      else json(response, { data: { lastCollectedAt: '2026-11-21 07:00:00', stats: [] }, error: null });
    });
    expect(await campaign(client, 'a')).toEqual({
      failure: undefined,
      parts: [
        { start: '2026-11-14', end: '2026-11-16' },
        { start: '2026-11-17', end: '2026-11-20' },
      ],
    });
  });
});

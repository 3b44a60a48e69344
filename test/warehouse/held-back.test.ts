import { expect, test } from 'vitest';
import { contents, dayAfter, statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';
const NEXT = dayAfter(DAY);
const BOTH = { start: DAY, end: NEXT };
const night = (n: number): Date => new Date(Date.parse('2026-11-21T22:10:00Z') + n * 86_400_000);

const HELD = `select stream, date, campaign_id, rows::int as rows, messages::int as messages from ops.held_back order by all`;

test('of an answer to E17, the days that would be wiped stay, and the others are replaced', async () => {
  const workshop = new Workshop();
  const small = [statistic({ date: NEXT, message_sent: 12 })];
  const [, second] = await workshop.load(
    workshop.statistics(BOTH, [statistic(), statistic({ date: NEXT })], { pulledAt: night(0) }),
    workshop.statistics(BOTH, small, { pulledAt: night(1) }),
  );
  expect(second).toMatchObject({ days: [NEXT], held: [DAY], superseded: [], restatements: 1 });
  expect(
    await workshop.look('select date, message_sent::int as sent from daily_statistics order by date'),
  ).toEqual([
    { date: DAY, sent: 10 },
    { date: NEXT, sent: 12 },
  ]);
  expect(await workshop.look(HELD)).toEqual([
    { stream: 'statistics', date: DAY, campaign_id: null, rows: 0, messages: 0 },
  ]);
  expect(await workshop.with((warehouse) => warehouse.heldBack('statistics'))).toEqual([DAY]);
  expect(await workshop.with((warehouse) => warehouse.heldBack('statistics_by_subchannel'))).toEqual([]);
});

test.each<[string, { bodies: unknown[][]; accepted?: boolean }, number]>([
  ['one night', { bodies: [[]] }, 10],
  ['two nights that agree', { bodies: [[], []] }, 0],
  ['two nights that do not', { bodies: [[], [statistic({ message_sent: 3 })]] }, 10],
  ['a good answer between', { bodies: [[], [statistic()], []] }, 10],
  ['a person who accepts it', { bodies: [[]], accepted: true }, 0],
])('%s', async (_, { bodies, accepted = false }, sent) => {
  for (const stream of ['statistics', 'subchannels'] as const) {
    const workshop = new Workshop();
    const pulls = [[statistic()], ...bodies].map((body, n) =>
      workshop[stream](DAY, body, { pulledAt: night(n), accepted: n > 0 && accepted }),
    );
    await workshop.load(...pulls);
    const table = stream === 'statistics' ? 'daily_statistics' : 'daily_statistics_by_subchannel';
    expect(await workshop.look(`select coalesce(sum(message_sent), 0)::int as sent from ${table}`)).toEqual([
      { sent },
    ]);
    const held = await workshop.look('from ops.held_back');
    expect(held).toHaveLength(
      sent === 0
        ? 0
        : bodies.filter((body) => JSON.stringify(body) !== JSON.stringify([statistic()])).length -
            (bodies.length === 3 ? 1 : 0),
    );
  }
});

const metrics = (...dates: string[]): Row => ({
  data: {
    lastCollectedAt: '2026-11-21 07:05:09',
    stats: [{ metricName: 'send_success', dailyCounts: dates.map((date) => ({ date, count: 5 })) }],
  },
  error: null,
});
const EMPTY = { data: { lastCollectedAt: '2026-11-21 07:05:09', stats: [] }, error: null };
const METRICS = 'select campaign_id, date from campaign_metrics order by all';

test(
  'of an answer to E19, the days of a campaign that would be left empty stay',
  { tags: ['long'] },
  async () => {
    const workshop = new Workshop();
    const full = { c1: metrics(DAY, NEXT), c2: metrics(DAY, NEXT) };
    const [, second] = await workshop.load(
      workshop.campaigns(BOTH, full, { pulledAt: night(0) }),
      workshop.campaigns(BOTH, { c1: EMPTY, c2: metrics(DAY) }, { pulledAt: night(1) }),
    );
    expect(second?.held).toEqual([DAY, NEXT]);
    expect(await workshop.look(METRICS)).toHaveLength(4);
    expect(await workshop.look(HELD)).toMatchObject([
      { date: DAY, campaign_id: 'c1' },
      { date: NEXT, campaign_id: 'c1' },
      { date: NEXT, campaign_id: 'c2' },
    ]);
    await workshop.load(
      workshop.campaigns(BOTH, { c1: EMPTY, c2: metrics(DAY, NEXT) }, { pulledAt: night(2) }),
    );
    expect(await workshop.look(METRICS)).toEqual([
      { campaign_id: 'c2', date: DAY },
      { campaign_id: 'c2', date: NEXT },
    ]);
    expect(await workshop.look(HELD)).toEqual([]);
  },
);

test('what the warehouse holds of a campaign that is gone stays', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.campaigns(BOTH, { c1: metrics(DAY), c2: metrics(DAY) }, { pulledAt: night(0) }),
    workshop.campaigns(BOTH, { c2: metrics(DAY) }, { pulledAt: night(1), gone: ['c1'] }),
  );
  expect(await workshop.look(METRICS)).toEqual([
    { campaign_id: 'c1', date: DAY },
    { campaign_id: 'c2', date: DAY },
  ]);
});

test('one load after the other, or all again, ends in the same rows', { tags: ['long'] }, async () => {
  const bodies = [
    [statistic()],
    [],
    [statistic({ message_sent: 4 })],
    [statistic({ message_sent: 4 })],
    [],
    [],
  ];
  const make = (workshop: Workshop): ReturnType<Workshop['statistics']>[] =>
    bodies.map((body, n) => workshop.statistics(DAY, body, { id: `statistics/${n}`, pulledAt: night(n) }));
  const nights = new Workshop();
  for (const pull of make(nights)) await nights.load(pull);
  const rebuilt = new Workshop();
  await rebuilt.load(...make(rebuilt));
  expect(await contents(rebuilt)).toEqual(await contents(nights));
  expect(await rebuilt.look(HELD)).toEqual(await nights.look(HELD));
});

/** Free statistics: days replaced, restated and held back. Rows of E17, E18 and E19 are in test/golden/statistics. */
import { describe, expect, test } from 'vitest';
import { windowOf } from '../../src/ground/calendar.js';
import { dayFactsIn } from '../../src/night/wanted-days.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { replaces, type Candidate, type Size } from '../../src/streams/free.js';
import { dayAfter, record, shared, statistic, Workshop, type Row } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-20';
const BEFORE = dayAfter(DAY, -1);
const RANGE = { start: BEFORE, end: DAY };
const night = (n: number): Date => new Date(Date.parse('2026-11-21T22:10:00Z') + n * 86_400_000);

test('a day without a record is covered, its totals are zero, and the campaigns of days are known', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.statistics(RANGE, [
      statistic(),
      statistic({ campaign_id: 'a', channel: 'webhook', click: null }),
    ]),
  );
  await workshop.with(async (warehouse) => {
    const messages = await warehouse.messages();
    expect(messages.get(DAY)).toEqual({ rows: 2, sent: 20, failed: 2, delivered: 18, click: 2, nights: 1 });
    expect(messages.get(BEFORE)).toEqual({ rows: 0, sent: 0, failed: 0, delivered: 0, click: 0, nights: 1 });
    expect(messages.get(dayAfter(DAY))).toBeUndefined();
    expect(await warehouse.campaignsSeen(RANGE)).toEqual(['a', 'c1']);
    expect(await warehouse.campaignsSeen({ start: BEFORE, end: BEFORE })).toEqual([]);
    const covered = await warehouse.coverage('statistics');
    expect([...covered.keys()]).toEqual([BEFORE, DAY]);
    expect(covered.get(DAY)).toBe(2);
    expect(await warehouse.coverage('events')).toEqual(new Map());
    expect(await warehouse.loader.loaded()).toEqual(new Set(['statistics/0001']));
  });
});

long('a day that an answer leaves as it was is not computed again, and any difference is', async () => {
  const touched = 'select distinct stream, date::varchar from ops.touched_days order by all';
  const metric = (count: number) => ({
    data: { stats: [{ metricName: 'send_success', dailyCounts: [{ date: DAY, count }] }] },
    error: null,
  });
  const workshop = new Workshop();
  const night = async (given: Row, value: number): Promise<string[]> => {
    await workshop.load(
      workshop.statistics(RANGE, [statistic(given)]),
      workshop.subchannels(DAY, [statistic({ resource_id: 'c1', ...given })]),
      workshop.campaigns({ start: DAY, end: DAY }, { c1: metric(value) }),
    );
    const changed = await workshop.lines(touched);
    // As a night does that has modelled and checked them.
    await workshop.change('delete from ops.touched_days');
    return changed;
  };
  const all = [`campaigns | ${DAY}`, `statistics | ${BEFORE}`, `statistics | ${DAY}`];
  const both = [...all, `statistics_by_subchannel | ${DAY}`];
  expect(await night({}, 1)).toEqual(both);
  expect(await night({}, 1)).toEqual([]);
  expect(await night({ tags: ['gift'] }, 1)).toEqual([
    `statistics | ${DAY}`,
    `statistics_by_subchannel | ${DAY}`,
  ]);
  expect(await night({ tags: ['gift'] }, 2)).toEqual([`campaigns | ${DAY}`]);
  // A note alone is a difference.
  expect(await night({ tags: ['gift'], added: 1 }, 2)).toEqual([
    `statistics | ${DAY}`,
    `statistics_by_subchannel | ${DAY}`,
  ]);
});

long('a row that comes twice counts once, with the larger counts, and all are noted', async () => {
  const workshop = new Workshop();
  const conversion = [{ name: '구매', type: 'total_count_conversion', count: 3 }];
  const more = [{ ...conversion[0], count: 4 }];
  const row = { campaign_id: 'c9', message_sent: 100, delivered: 90, click: 9, conversion };
  const rows = [
    statistic(row),
    statistic({ ...row, message_sent: 70, delivered: 95 }),
    statistic(row),
    // Another message, and rows that nothing identifies; a goal of theirs is the main goal of nobody.
    statistic({ ...row, message: { title: 'B', body: 'C' }, message_sent: 50 }),
    // The same message in another order, and more conversions.
    statistic({ ...row, message: { body: 'C', title: 'B' }, message_sent: 50, conversion: more }),
    statistic({ ...row, campaign_id: null, message_sent: 1 }),
    statistic({ ...row, campaign_id: null, message_sent: 1 }),
  ];
  const parts = [{ resource_id: 'c9', channel: 'email', message_sent: 5, message_failed: 0 }];
  const both = workshop.subchannels(DAY, [...parts, { ...parts[0], message_sent: 6 }]);
  await workshop.load(workshop.statistics(DAY, rows), both);
  const sums =
    'select campaign_id, list(message_sent::integer order by message_sent desc) from daily_statistics group by 1 order by 1';
  expect(await workshop.lines(sums)).toEqual(['c9 | [100,50]', '- | [1,1]']);
  expect(await workshop.lines('select count(*) from daily_conversions')).toEqual(['4']);
  expect(await workshop.lines('select message_sent from daily_statistics_by_subchannel')).toEqual(['6']);
  expect(
    await workshop.lines(`select note, subject, records, given_rows ->> '$[1].message_sent' from ops.load_notes
      where note <> 'same_grain' order by 1, 2`),
  ).toEqual([
    'other_counts | campaign c9 push-notification | 1 | 50',
    'other_counts | campaign c9 push-notification | 2 | 100',
    'undecided | c9 email | 1 | 5',
  ]);
  expect((await workshop.findings()).map(({ finding }) => finding)).toContainEqual(
    expect.stringContaining('the largest one counts'),
  );
});

test.each([
  ['night by night', false],
  ['in one load, as a rebuild does', true],
])('a night without names keeps the last known ones, %s', async (_, together) => {
  const workshop = new Workshop();
  const ids = { campaign_id: 'new', variant_id: 'vA' };
  const named = { ...ids, campaign_name: '신규', variant_name: '변형 A' };
  const journey = {
    campaign_id: null,
    user_journey_id: 'j1',
    user_journey_node_id: 'n1',
    resource_type: 'user-journey',
  };
  const first = [
    statistic(named),
    statistic({ ...journey, user_journey_name: '여정', user_journey_node_name: '1단계' }),
  ];
  const nameless = { campaign_name: null, variant_name: '' };
  const later = [
    statistic({ ...ids, ...nameless, message_sent: 99 }),
    statistic({ ...journey, user_journey_name: '', user_journey_node_name: null, campaign_name: null }),
    statistic({ ...ids, ...nameless, channel: 'email' }),
    statistic({ campaign_id: 'never', campaign_name: null }),
  ];
  const parts = (resource_name: string | null): Row[] => [
    { resource_id: 'new', resource_name, channel: 'email', message_sent: 1, message_failed: 0 },
  ];
  const pulls = [
    workshop.statistics(DAY, first),
    workshop.subchannels(DAY, parts('신규')),
    workshop.statistics(DAY, later),
    workshop.subchannels(DAY, parts(null)),
  ];
  if (together) await workshop.with((warehouse) => warehouse.loader.loadAll(pulls, () => undefined, 'again'));
  else await workshop.load(...pulls);
  await workshop.with(refreshModels);
  expect(
    await workshop.lines(
      'select campaign_id, message_sent, campaign_name, variant_name from daily_statistics order by all',
    ),
  ).toEqual([
    'never | 10 | - | -',
    'new | 10 | - | -',
    'new | 99 | 신규 | 변형 A',
    expect.stringMatching(/^- \|/),
  ]);
  expect(await workshop.lines('select campaign_id, campaign_name from campaigns order by 1')).toEqual([
    'never | never',
    'new | 신규',
  ]);
  expect(
    await workshop.lines('select user_journey_id, user_journey_node_name from user_journey_nodes'),
  ).toEqual(['j1 | 1단계']);
  expect(await workshop.lines('select resource_name from daily_statistics_by_subchannel')).toEqual(['신규']);
  expect(
    await workshop.lines("select stream, records from ops.load_notes where note = 'no_names' order by 1"),
  ).toEqual(['statistics | 4', 'statistics_by_subchannel | 1']);
});

test('a new day without names is noted where names are known from other days, and not where there never was one', async () => {
  const workshop = new Workshop();
  const nameless = { campaign_name: null };
  await workshop.load(
    workshop.statistics(DAY, [statistic({ campaign_id: 'a', ...nameless })]),
    workshop.statistics('2026-11-10', [
      statistic({ date: '2026-11-10', campaign_id: 'b', campaign_name: '신규' }),
    ]),
    workshop.statistics('2026-11-12', [statistic({ date: '2026-11-12', campaign_id: 'b', ...nameless })]),
  );
  expect(await workshop.lines("select date, records from ops.load_notes where note = 'no_names'")).toEqual([
    '2026-11-12 | 1',
  ]);
});

describe('counts that the service changes afterwards', () => {
  const DAYS = [DAY, '2026-11-10', '2026-11-12', '2026-11-13'] as const;
  const reports: number[] = [];
  const ids: string[][] = [];
  const workshop = shared(async () => {
    const made = new Workshop();
    const conversion = (count: number): Row[] => [{ name: '구매', type: 'total_count_conversion', count }];
    const later = { click: 5, delivered: null, conversion: conversion(4), campaign_name: '새 이름' };
    const only = { date: DAYS[1], message_failed: null, delivered: null, click: null };
    for (const pull of [
      made.statistics(DAY, [statistic({ conversion: conversion(1) })]),
      made.statistics(DAY, [statistic(later)]),
      made.statistics(DAY, [statistic(later), statistic({ ...later, channel: 'email' })]),
      made.statistics(DAYS[1], [statistic({ ...only, message_sent: 1, channel: 'email' })]),
      made.statistics(DAYS[1], [statistic({ ...only, message_sent: 2, channel: 'webhook' })]),
      made.statistics(DAYS[2], [statistic({ date: DAYS[2] })]),
      // A day that was not covered before is no restatement.
      made.statistics({ start: DAYS[2], end: DAYS[3] }, [
        statistic({ date: DAYS[2] }),
        statistic({ date: DAYS[3] }),
      ]),
    ]) {
      const [report] = await made.load(pull);
      const ofPull = `from ops.restatements where pull = '${report?.pull ?? ''}'`;
      reports.push(...(await made.lines(`select count(*) ${ofPull}`)).map(Number));
      ids.push(
        await made.lines(`select statistic_id from daily_statistics where date = '${DAY}' order by channel`),
      );
    }
    return made;
  });

  test('are kept with what stood there before, and rows that appear and vanish are told', async () => {
    expect(
      await workshop.lines(
        'select date, counter, kind, before, after from ops.restatements order by date desc, counter, kind',
      ),
    ).toEqual([
      `${DAY} | click | appeared | - | 5`,
      `${DAY} | click | changed | 2 | 5`,
      `${DAY} | conversion:total_count_conversion:구매 | appeared | - | 4`,
      `${DAY} | conversion:total_count_conversion:구매 | changed | 1 | 4`,
      `${DAY} | delivered | changed | 9 | -`,
      `${DAY} | message_failed | appeared | - | 1`,
      `${DAY} | message_sent | appeared | - | 10`,
      '2026-11-10 | message_sent | appeared | - | 2',
      '2026-11-10 | message_sent | vanished | 1 | -',
    ]);
    expect(reports).toEqual([0, 3, 4, 0, 2, 0, 0]);
  });

  test('leave the id of a row as it was', () => {
    expect(ids[1]).toEqual(ids[0]);
    expect(ids[2]).toContain(ids[0]?.[0]);
    expect(new Set(ids[2]).size).toBe(2);
  });
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

describe('a pull of campaigns', () => {
  test('that is incomplete replaces its own campaigns alone, and covers nothing', async () => {
    const workshop = new Workshop();
    const alone = workshop.campaigns(
      { start: '2026-10-01', end: '2026-10-02' },
      { c1: metrics('2026-10-01') },
      { complete: false },
    );
    await workshop.load(
      workshop.campaigns(RANGE, { c1: metrics(DAY), c2: metrics(DAY) }),
      workshop.campaigns(RANGE, { c1: metrics(BEFORE, DAY) }, { complete: false }),
      alone,
    );
    expect(await workshop.lines(METRICS)).toEqual([
      'c1 | 2026-10-01',
      `c1 | ${BEFORE}`,
      `c1 | ${DAY}`,
      `c2 | ${DAY}`,
    ]);
    expect(await workshop.lines('select date, rows, pull from ops.coverage order by date')).toEqual([
      `${BEFORE} | 1 | campaigns/0002`,
      `${DAY} | 2 | campaigns/0002`,
    ]);
  });

  long('that is incomplete makes no other pull add up to less than its total', async () => {
    const workshop = new Workshop();
    const stats = (...dates: string[]): Row[] => [
      {
        metricType: 'standard',
        metricName: 'send_success',
        totalCount: 5 * dates.length,
        dailyCounts: dates.map((date) => ({ date, count: 5 })),
      },
    ];
    const of = (...dates: string[]): Row => ({
      data: { lastCollectedAt: '2026-11-22 07:05:09', stats: stats(...dates) },
      error: null,
    });
    await workshop.load(
      workshop.campaigns(RANGE, { c1: of(BEFORE, DAY), c2: of(BEFORE, DAY) }, { pulledAt: night(0) }),
      // On the next night c2 fails.
      workshop.campaigns(
        { start: DAY, end: dayAfter(DAY) },
        { c1: of(DAY, dayAfter(DAY)) },
        { complete: false, pulledAt: night(1) },
      ),
    );
    const found = async (): Promise<unknown[]> =>
      (await workshop.findings())
        .filter(({ name }) => name === 'campaign_totals')
        .map(({ subject }) => subject);
    expect(await found()).toEqual([]);
    await workshop.change('update campaign_metric_totals_history set total = 11');
    expect(await found()).toEqual(['c2']);
  });

  test('that is complete takes away campaigns that have nothing there any more', async () => {
    const workshop = new Workshop();
    await workshop.load(workshop.campaigns(RANGE, { c1: metrics(DAY) }), workshop.campaigns(RANGE, {}));
    expect(await workshop.look('from campaign_metrics')).toEqual([]);
    expect(await workshop.lines('select rows from ops.coverage')).toEqual(['0', '0']);
  });

  test('leaves what the warehouse holds of a campaign that is gone', async () => {
    const workshop = new Workshop();
    await workshop.load(
      workshop.campaigns(RANGE, { c1: metrics(DAY), c2: metrics(DAY) }, { pulledAt: night(0) }),
      workshop.campaigns(RANGE, { c2: metrics(DAY) }, { pulledAt: night(1), gone: ['c1'] }),
    );
    expect(await workshop.lines(METRICS)).toEqual([`c1 | ${DAY}`, `c2 | ${DAY}`]);
    // Of each campaign the latest pull; the earlier ones are history.
    const latest = ['c1 | campaigns/0001', 'c2 | campaigns/0002'];
    expect(await workshop.lines('select campaign_id, pull from campaign_collections order by 1')).toEqual(
      latest,
    );
    expect(await workshop.lines('select campaign_id, pull from campaign_metric_totals order by 1')).toEqual(
      latest,
    );
    expect(await workshop.lines('select count(*) from campaign_metric_totals_history')).toEqual(['3']);
  });
});

long('the totals of a window that timed out and was asked for in parts belong to those parts', async () => {
  const workshop = new Workshop();
  const part = (date: string, totalCount: number): Row => ({
    data: { stats: [{ metricName: 'send_success', totalCount, dailyCounts: [{ date, count: 5 }] }] },
    error: null,
  });
  const answers = [BEFORE, DAY].map((day) => {
    const { start: windowStart, end: windowEnd } = windowOf(day);
    return { campaignId: 'c1', windowStart, windowEnd };
  });
  const totals = async (ofDay: number): Promise<string[]> => {
    await workshop.load(
      workshop.campaigns(RANGE, { before: part(BEFORE, 5), day: part(DAY, ofDay) }, { answers }),
    );
    const found = await workshop.findings();
    return found.flatMap(({ name, finding }) => (name === 'campaign_totals' ? [finding] : []));
  };
  expect(await totals(5)).toEqual([]);
  expect(await totals(6)).toEqual(['The days do not add up to the total: send_success']);
  // Of the windows of a pull the last one is shown, in whatever order they were loaded.
  const end = windowOf(DAY).end.getTime() / 1000;
  expect(await workshop.lines('select epoch(window_end)::bigint from campaign_collections')).toEqual([
    String(end),
  ]);
});

describe('an answer that would wipe most of a day', () => {
  const HELD = 'select stream, date, campaign_id, rows, messages from ops.held_back order by all';

  test('to E17 leaves that day, and replaces the others', async () => {
    const workshop = new Workshop();
    const [, second] = await workshop.load(
      workshop.statistics(RANGE, [statistic(), statistic({ date: BEFORE })], { pulledAt: night(0) }),
      workshop.statistics(RANGE, [statistic({ message_sent: 12 })], { pulledAt: night(1) }),
    );
    expect(second).toMatchObject({ days: [DAY] });
    expect(await workshop.lines('select date, message_sent from daily_statistics order by date')).toEqual([
      `${BEFORE} | 10`,
      `${DAY} | 12`,
    ]);
    expect(await workshop.lines(HELD)).toEqual([`statistics | ${BEFORE} | - | 0 | 0`]);
    const warehouse = await workshop.open();
    expect(await warehouse.heldBack('statistics')).toEqual([BEFORE]);
    expect(await warehouse.heldBack('statistics_by_subchannel')).toEqual([]);
  });

  long('to E19 leaves the days of the campaign', async () => {
    const workshop = new Workshop();
    const of = (n: number, answers: Record<string, unknown>): ReturnType<Workshop['campaigns']> =>
      workshop.campaigns(RANGE, answers, { pulledAt: night(n) });
    await workshop.load(
      of(0, { c1: metrics(BEFORE, DAY), c2: metrics(BEFORE, DAY) }),
      of(1, { c1: EMPTY, c2: metrics(BEFORE) }),
    );
    expect(await workshop.look(METRICS)).toHaveLength(4);
    expect(await workshop.lines(HELD)).toEqual(
      ['c1', 'c1', 'c2'].map((id, n) => `campaigns | ${n === 0 ? BEFORE : DAY} | ${id} | 0 | 0`),
    );
    await workshop.load(of(2, { c1: EMPTY, c2: metrics(BEFORE, DAY) }));
    expect(await workshop.lines(METRICS)).toEqual([`c2 | ${BEFORE}`, `c2 | ${DAY}`]);
    expect(await workshop.look(HELD)).toEqual([]);
  });

  type Nights = readonly [
    name: string,
    bodies: readonly Row[][],
    accepted: boolean,
    sent: number,
    held: number,
  ];
  const NIGHTS: readonly Nights[] = [
    ['one night', [[]], false, 10, 1],
    ['two nights that agree', [[], []], false, 0, 0],
    ['two nights that do not', [[], [statistic({ message_sent: 3 })]], false, 10, 2],
    ['a good answer between', [[], [statistic()], []], false, 10, 1],
    ['a person who accepts it', [[]], true, 0, 0],
  ];
  const days = NIGHTS.map((_, at) => dayAfter(DAY, at));
  const workshop = shared(async () => {
    const made = new Workshop();
    const pulls = NIGHTS.flatMap(([, bodies, accepted], at) =>
      [[statistic()], ...bodies].flatMap((body, n): Pull[] => {
        const day = days[at] ?? DAY;
        const rows = body.map((row) => ({ ...row, date: day }));
        const more = { pulledAt: night(n), accepted: n > 0 && accepted };
        return [made.statistics(day, rows, more), made.subchannels(day, rows, more)];
      }),
    );
    await made.loadTogether(...pulls);
    return made;
  });
  test.each(NIGHTS.map(([name, , , sent, held], at) => [name, sent, held, days[at]] as const))(
    '%s',
    async (_, sent, held, day) => {
      const of = (from: string): Promise<string[]> => workshop.lines(`select ${from} where date = '${day}'`);
      for (const table of ['daily_statistics', 'daily_statistics_by_subchannel'])
        expect(await of(`coalesce(sum(message_sent), 0) from ${table}`)).toEqual([String(sent)]);
      expect(await of('count(*) from ops.held_back')).toEqual([String(2 * held)]);
    },
  );

  const answer = (rows: number, messages: number, nth = 0, hours = 0): Candidate => ({
    rows,
    messages,
    pulledAt: new Date(Date.parse('2026-11-20T22:10:00Z') + (24 * nth + hours) * 3_600_000),
  });
  const BEFORE_IT = { rows: 10, messages: 100 };
  test.each<[string, Size | undefined, Candidate, Candidate[], boolean]>([
    ['of a day not held replaces', undefined, answer(0, 0), [], true],
    ['of a day held without rows replaces', { rows: 0, messages: 0 }, answer(0, 0), [], true],
    ['that holds as much replaces', BEFORE_IT, answer(10, 100), [], true],
    ['that holds just half replaces', BEFORE_IT, answer(1, 50), [], true],
    ['that holds less than half is held back', BEFORE_IT, answer(10, 49), [], false],
    ['that is empty is held back', BEFORE_IT, answer(0, 0), [], false],
    ['where no message was counted is held back', { rows: 3, messages: 0 }, answer(0, 0), [], false],
    [
      'that agrees with one of the same night is held back',
      BEFORE_IT,
      answer(0, 0, 0, 1),
      [answer(0, 0)],
      false,
    ],
    ['that agrees with one of another night replaces', BEFORE_IT, answer(0, 0, 1), [answer(0, 0)], true],
    ['about as small as one of another night replaces', BEFORE_IT, answer(4, 30, 1), [answer(4, 40)], true],
    ['smaller still than that one is held back', BEFORE_IT, answer(4, 19, 1), [answer(4, 40)], false],
    ['small where the other was empty is held back', BEFORE_IT, answer(4, 40, 1), [answer(0, 0)], false],
    [
      'like the night before last replaces',
      BEFORE_IT,
      answer(0, 0, 2),
      [answer(0, 0), answer(4, 40, 1)],
      true,
    ],
    [
      'on both sides of midnight is held back',
      BEFORE_IT,
      answer(0, 0, 0, 17.5),
      [answer(0, 0, 0, 16.5)],
      false,
    ],
  ])('%s', (_, before, candidate, held, expected) => {
    expect(replaces(before, candidate, held)).toBe(expected);
  });
});

long('a day that the service had not collected to its end is asked again, until it has', async () => {
  const workshop = new Workshop();
  const collected = (text: string): unknown => ({
    data: {
      lastCollectedAt: text,
      stats: [{ metricName: 'send_success', dailyCounts: [{ date: DAY, count: 5 }] }],
    },
    error: null,
  });
  const range = { start: BEFORE, end: DAY };
  const again = async (): Promise<string[]> =>
    workshop.with(async ({ session }) => {
      const { doubtful } = await dayFactsIn((name, shape) => session.rows(name, shape), DAY);
      return doubtful.map(({ stream, date }) => `${stream} ${date}`);
    });
  await workshop.load(
    workshop.statistics(range, [
      ...[BEFORE, DAY].map((date) => statistic({ date, campaign_id: 'c1' })),
      statistic({ date: DAY, campaign_id: 'quiet', message_sent: 0, click: 0 }),
    ]),
    workshop.campaigns(range, { c1: collected(`${DAY} 23:00:00`), quiet: collected(`${BEFORE} 01:00:00`) }),
  );
  expect(await again()).toEqual([`campaigns ${DAY}`]);
  expect(await workshop.findings()).toContainEqual(
    expect.objectContaining({ name: 'campaigns_unfinished', subject: 'c1', date: DAY }),
  );
  await workshop.load(
    workshop.campaigns({ start: DAY, end: DAY }, { c1: collected(`${dayAfter(DAY)} 07:00:00`) }),
  );
  expect(await again()).toEqual([]);
});

long(
  'an empty id or name is none: a journey stays itself, and no campaign is asked for by an empty id',
  async () => {
    const empty = (row: Row, ...keys: string[]): Row => ({
      ...row,
      ...Object.fromEntries(keys.map((key) => [key, ''])),
    });
    const node = { user_journey_id: 'j1', user_journey_node_id: 'n1' };
    const journey = { resource_type: 'user-journey', ...node, channel: 'email' };
    const variant = ['variant_id', 'variant_name'];
    const ids = ['user_journey_id', 'user_journey_name', 'user_journey_node_id', 'user_journey_node_name'];
    const eventIds = ['user_journey_id', 'user_journey_node_id', 'experiment_group_name', 'failure_reason'];
    const persons = ['user_id', 'service_user_id', 'device_id', 'service_device_id'];
    const part = { resource_name: 'n', channel: 'email', tags: [], message_sent: 1, message_failed: 0 };
    const workshop = new Workshop();
    await workshop.load(
      workshop.statistics(DAY, [
        empty(statistic({ tags: ['', 'sale', ''] }), ...variant, ...ids),
        empty(statistic({ variant_id: 'v9' }), 'channel'),
        empty(statistic(journey), ...variant, 'campaign_id', 'campaign_name'),
      ]),
      workshop.subchannels(DAY, [
        empty(
          { date: DAY, resource_type: 'campaign', resource_id: 'c1', ...part },
          ...variant,
          'node_id',
          'node_mane',
        ),
        empty(
          { date: DAY, resource_type: 'campaign', ...part },
          'resource_id',
          'channel_sub',
          'brand_message_target',
        ),
      ]),
      workshop.events(DAY, [
        [
          empty(record({ channel_metadata: { channel_subtype: '', brand_message_target: '' } }), ...eventIds),
          empty(record({ id: 'e2', ...journey }), 'campaign_id', 'experiment_group_name'),
          // Records without an id are not known to be one, and those without a person are not of one.
          empty(record({}), 'id', 'resource_title', ...persons),
          empty(record({}), 'id', 'event_name', ...persons),
          empty(record({ id: 'e3' }), 'channel'),
        ],
      ]),
    );
    await workshop.with(refreshModels);
    for (const table of ['daily_statistics', 'daily_statistics_by_subchannel', 'events'])
      expect(
        await workshop.lines(
          `from (select to_json(t)::varchar as row from ${table} as t) where contains(row, ':""') or contains(row, '[""')`,
        ),
      ).toEqual([]);
    await workshop.with(async (warehouse) => {
      expect(await warehouse.campaignsSeen(RANGE)).toEqual(['c1']);
    });
    expect(await workshop.lines('select user_journey_id from user_journeys')).toEqual(['j1']);
  },
);

/** Rows of E17 and E18 that have one key: whether they add up is decided by the statistics that the service gives separately. */
import { expect, test } from 'vitest';
import { statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

const campaign = (message_sent: number, more: Row = {}): Row =>
  statistic({ channel: 'email', message_failed: 0, delivered: 90, click: 9, message_sent, ...more });

const part = (message_sent: number, more: Row = {}): Row => ({
  ...{ resource_id: 'c1', channel: 'email', message_failed: 0, delivered: 90, click: 9, message_sent },
  ...more,
});

/** A row of the same counts but for those sent, of another text. */
const edited = (message_sent: number): Row =>
  campaign(message_sent, { message: { subject: 'B' }, delivered: 0, click: 0 });

const sends = (value: number): Row => ({
  metricType: 'standard',
  metricName: 'send_success',
  totalCount: value,
  dailyCounts: [{ date: DAY, count: value }],
});

interface World {
  readonly statistics: readonly Row[];
  readonly subchannels: readonly Row[];
  readonly campaigns?: readonly Row[];
  /** The messages of each stream, and what is noted of their rows. */
  readonly sent: readonly [statistics: number, subchannels: number];
  readonly notes: readonly string[];
}

const noDetails = { delivered: 0, click: 0 };

const WORLDS: Readonly<Record<string, World>> = {
  'a text that was edited during the day adds up': {
    statistics: [campaign(500), edited(300)],
    subchannels: [part(500), part(300, noDetails)],
    sent: [800, 800],
    notes: ['statistics_by_subchannel | summed | 1 | 500,300'],
  },
  'a text that was edited adds up, with as many messages of each': {
    statistics: [campaign(400), edited(400)],
    subchannels: [part(400), part(400, noDetails)],
    sent: [800, 800],
    notes: ['statistics_by_subchannel | summed | 1 | 400,400'],
  },
  'a repeated row counts once': {
    statistics: [campaign(400)],
    subchannels: [part(400), part(400)],
    sent: [400, 400],
    notes: ['statistics_by_subchannel | repeated | 1 | 400,400'],
  },
  'the larger of a restated row counts': {
    statistics: [campaign(410)],
    subchannels: [part(400, { click: 8 }), part(410)],
    sent: [410, 410],
    notes: ['statistics_by_subchannel | other_counts | 1 | 410,400'],
  },
  'the largest counts where no other statistics agree, which is noted': {
    statistics: [campaign(700)],
    subchannels: [part(500), part(300)],
    sent: [700, 500],
    notes: ['statistics_by_subchannel | undecided | 1 | 500,300'],
  },
  'sub-channels are looked at together': {
    statistics: [campaign(1000)],
    subchannels: [
      part(500),
      part(300, noDetails),
      part(150, { channel_sub: 'x', ...noDetails }),
      part(50, { channel_sub: 'x', ...noDetails }),
    ],
    sent: [1000, 1000],
    notes: [
      'statistics_by_subchannel | summed | 1 | 150,50',
      'statistics_by_subchannel | summed | 1 | 500,300',
    ],
  },
  'clicks decide on a day without sends': {
    statistics: [campaign(0, { delivered: 0, click: 7 })],
    subchannels: [part(0, { delivered: 0, click: 4 }), part(0, { delivered: 0, click: 3 })],
    sent: [0, 0],
    notes: ['statistics_by_subchannel | summed | 1 | 0,0'],
  },
  'rows of the daily statistics add up where the sub-channels do': {
    statistics: [campaign(500), campaign(300, noDetails)],
    subchannels: [part(450), part(350, { channel_sub: 'x', ...noDetails })],
    sent: [800, 800],
    notes: ['statistics | summed | 1 | 500,300'],
  },
  'rows of the daily statistics count once where the sub-channels do': {
    statistics: [campaign(400), campaign(400)],
    subchannels: [part(400)],
    sent: [400, 400],
    notes: ['statistics | repeated | 1 | 400,400'],
  },
  'the detailed statistics decide where both have such rows': {
    statistics: [campaign(500), campaign(300, noDetails)],
    subchannels: [part(500), part(300, noDetails)],
    campaigns: [sends(800)],
    sent: [800, 800],
    notes: ['statistics | summed | 1 | 500,300', 'statistics_by_subchannel | summed | 1 | 500,300'],
  },
  'the largest count where both have such rows and nothing decides': {
    statistics: [campaign(500), campaign(300)],
    subchannels: [part(500), part(300)],
    sent: [500, 500],
    notes: ['statistics | other_counts | 1 | 500,300', 'statistics_by_subchannel | undecided | 1 | 500,300'],
  },
};

const SENT = `select (select sum(message_sent)::integer from daily_statistics),
  (select sum(message_sent)::integer from daily_statistics_by_subchannel)`;

/** Each world is a campaign. */
const CAMPAIGNS = Object.entries(WORLDS).map(([id, world]) => ({ id, ...world }));

test.each([
  ['in the order of a night', [0, 1, 2]],
  ['in another order', [2, 1, 0]],
])(
  'whether rows with one key add up is decided by other statistics, loaded %s',
  { tags: ['long'] },
  async (_, order) => {
    const workshop = new Workshop();
    const statistics = CAMPAIGNS.flatMap((one) =>
      one.statistics.map((row) => ({ ...row, campaign_id: one.id })),
    );
    const parts = CAMPAIGNS.flatMap((one) => one.subchannels.map((row) => ({ ...row, resource_id: one.id })));
    const answers = CAMPAIGNS.map(({ id, campaigns: stats = [] }): [string, unknown] => [
      id,
      { data: { lastCollectedAt: null, stats }, error: null },
    ]);
    const pulls = [
      workshop.statistics(DAY, statistics),
      workshop.subchannels(DAY, parts),
      workshop.campaigns({ start: DAY, end: DAY }, Object.fromEntries(answers)),
    ];
    await workshop.load(...order.map((at) => pulls[at]!));
    const found = async (): Promise<unknown> => {
      const rows = await workshop.look(`
      select id, list_value(
          (select sum(message_sent)::integer from daily_statistics where campaign_id = id),
          (select sum(message_sent)::integer from daily_statistics_by_subchannel where resource_id = id)
        ) as sent,
        (select list(concat_ws(' | ', stream, note, records, array_to_string(json_extract_string(given_rows, '$[*].message_sent'), ','))
            order by stream, given_rows::varchar)
          from ops.load_notes where given_rows is not null and contains(subject, id)) as notes
      from (select distinct campaign_id as id from daily_statistics)`);
      return Object.fromEntries(rows.map(({ id, ...row }) => [id, row]));
    };
    const wanted = Object.fromEntries(CAMPAIGNS.map(({ id, sent, notes }) => [id, { sent, notes }]));
    expect(await found()).toEqual(wanted);
    // Loaded again, the same rows give the same sums, and no restatement.
    await workshop.load(workshop.statistics(DAY, statistics), workshop.subchannels(DAY, parts));
    expect(await found()).toEqual(wanted);
    expect(await workshop.lines('select count(*) from ops.restatements')).toEqual(['0']);
    const undecided = (await workshop.findings()).filter(({ finding }) =>
      finding.includes('no other statistic shows'),
    );
    expect(undecided).toHaveLength(2);
  },
);

test('the conversions of rows that add up are all there, and go when the rows do not add up any more', async () => {
  const workshop = new Workshop();
  const bought = (count: number): Row => ({ conversion: [{ name: 'buy', type: 'direct', count }] });
  const conversions =
    'select statistic_id is not null, list(count::integer order by position) from daily_conversions_by_subchannel group by all';
  const twins = [part(500, bought(5)), part(300, { ...noDetails, ...bought(3) })];
  await workshop.load(workshop.statistics(DAY, [campaign(800)]), workshop.subchannels(DAY, twins));
  expect(await workshop.lines(conversions)).toEqual(['true | [5,3]']);
  await workshop.load(workshop.statistics(DAY, [campaign(500)]));
  expect(await workshop.lines(conversions)).toEqual(['true | [5]']);
  expect(await workshop.lines(SENT)).toEqual(['500 | 500']);
});

test(
  'a statistic that comes as several rows, now or before, is no restatement; a later change of one row is',
  { tags: ['long'] },
  async () => {
    const rows = [campaign(500), campaign(300, noDetails)];
    const nights = [
      [campaign(500)],
      rows,
      rows,
      [campaign(800)],
      [campaign(810)],
      [campaign(700), campaign(110, noDetails)],
    ];
    const restated = 'select counter, kind, before, after from ops.restatements';
    const sent = 'select message_sent from daily_statistics';
    const nightly = new Workshop();
    await nightly.load(nightly.subchannels(DAY, [part(800)]));
    const counted: unknown[] = [];
    for (const night of nights) {
      await nightly.load(nightly.statistics(DAY, night));
      counted.push(...(await nightly.lines(sent)));
    }
    // At last no other statistic shows that the rows add up.
    expect(counted).toEqual(['500', '800', '800', '800', '810', '700']);
    expect(await nightly.lines(restated)).toEqual(['message_sent | changed | 800 | 810']);
    const atOnce = new Workshop();
    await atOnce.load(
      atOnce.subchannels(DAY, [part(800)]),
      ...nights.map((night) => atOnce.statistics(DAY, night)),
    );
    for (const sql of [sent, restated]) expect(await atOnce.lines(sql)).toEqual(await nightly.lines(sql));
  },
);

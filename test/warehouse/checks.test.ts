import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/warehouse/rows.js';
import { statementsIn } from '../../src/warehouse/statements.js';
import { dayAfter, micros, record, statistic, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

/** What checks say after the closed file was changed behind the job's back. */
async function findingsAfter(workshop: Workshop, damage: string): Promise<Finding[]> {
  const instance = await DuckDBInstance.create(workshop.path);
  const connection = await instance.connect();
  await connection.run(damage);
  connection.closeSync();
  instance.closeSync();
  return workshop.with((warehouse) => warehouse.check());
}

const events = (count: number, more: Row = {}): Row[] =>
  Array.from({ length: count }, (_, i) =>
    record({ id: `${String(more['event_name'])}-${i}`, message_data: { title: 't' }, ...more }),
  );

/** A day whose statistics, sub-channels, campaign statistics and export agree. */
async function sound(): Promise<Workshop> {
  const workshop = new Workshop();
  const conversion = [{ name: '구매', type: 'total_count_conversion', count: 1 }];
  await workshop.load(
    workshop.statistics(DAY, [statistic({ message_sent: 5, message_failed: 2, click: 1, conversion })]),
    workshop.subchannels(DAY, [
      { resource_id: 'c1', channel: 'push-notification', message_sent: 5, message_failed: 2, conversion },
    ]),
    workshop.campaigns(
      { start: DAY, end: DAY },
      {
        c1: {
          data: {
            lastCollectedAt: '2026-11-21 07:00:00',
            stats: [
              {
                metricType: 'standard',
                metricName: 'send_success',
                totalCount: 3,
                dailyCounts: [{ date: DAY, count: 3 }],
              },
            ],
          },
          error: null,
        },
      },
    ),
    workshop.events(DAY, [
      [
        ...events(3, { event_name: 'send_success' }),
        ...events(2, { event_name: 'send_failure' }),
        ...events(1, { event_name: 'push_click' }),
        ...events(4, { event_name: 'close_button_click' }),
      ],
    ]),
  );
  return workshop;
}

test('a sound warehouse gives no finding', async () => {
  const workshop = await sound();
  expect(await workshop.with((warehouse) => warehouse.check())).toEqual([]);
});

const damages: [string, string, Partial<Finding>][] = [
  [
    'statistics_key',
    'insert into daily_statistics from daily_statistics',
    { severity: 'stop', expected: '1', actual: '2' },
  ],
  [
    'conversions_have_statistics',
    'delete from daily_statistics',
    { severity: 'stop', date: DAY, actual: '1' },
  ],
  [
    'coverage_rows',
    "delete from events where event_name = 'push_click'",
    { severity: 'stop', date: DAY, subject: 'events', expected: '10', actual: '9' },
  ],
  [
    'coverage_rows',
    `delete from ops.coverage where stream = 'statistics'`,
    { severity: 'stop', subject: 'statistics', expected: '0', actual: '1' },
  ],
  ['events_key', 'insert into events from events', { severity: 'stop', date: DAY, actual: '10' }],
  [
    'messages_key',
    'insert into sent_push_messages from sent_push_messages',
    { severity: 'stop', subject: 'push_messages', actual: '10' },
  ],
  ['messages_key', 'delete from events', { severity: 'stop', subject: 'push_messages', actual: '10' }],
  [
    'campaign_metrics_key',
    'insert into campaign_metrics from campaign_metrics',
    { severity: 'warn', date: DAY, subject: 'c1', actual: '2' },
  ],
  [
    'campaign_totals',
    'update campaign_metrics set value = 2',
    { severity: 'warn', subject: 'c1', expected: '3.0000', actual: '2.0000' },
  ],
  [
    'counters_plausible',
    'update daily_statistics set message_failed = 6',
    { severity: 'warn', expected: '5', actual: '6' },
  ],
  ['counters_plausible', 'update daily_statistics set click = -1', { severity: 'warn', actual: '-1' }],
  [
    'subchannels_agree',
    'update daily_statistics_by_subchannel set message_sent = 4',
    { severity: 'warn', date: DAY, subject: 'push-notification', expected: '5', actual: '4' },
  ],
  [
    'events_agree_sends',
    `delete from events where event_id = 'send_success-1'`,
    { severity: 'warn', date: DAY, subject: 'push-notification', expected: '3', actual: '2' },
  ],
  [
    'events_agree_clicks',
    `update daily_statistics set click = 2`,
    { severity: 'warn', date: DAY, expected: '2', actual: '1' },
  ],
];
test.each(damages)('%s finds: %s', async (name, damage, expected) => {
  const findings = await findingsAfter(await sound(), damage);
  expect(findings).toContainEqual(expect.objectContaining({ name, ...expected }));
});

test('what loads noted is told, and stays with the day', async () => {
  const workshop = new Workshop();
  await workshop.load(
    workshop.events(DAY, [
      [record(), record(), record({ id: 's', time: micros(dayAfter(DAY)) }), record({ novelty: 1, id: 'n' })],
    ]),
    workshop.events(dayAfter(DAY), [[record({ id: 's', time: micros(dayAfter(DAY)) })]]),
  );
  const findings = await workshop.with((warehouse) => warehouse.check());
  expect(findings.map(({ name, severity, date, finding }) => [name, severity, date, finding])).toEqual([
    ['load_notes', 'warn', DAY, expect.stringContaining('outside the window')],
    ['load_notes', 'warn', DAY, expect.stringContaining('have one id')],
    ['load_notes', 'warn', DAY, expect.stringContaining('more than once')],
    ['schema_drift', 'warn', DAY, expect.stringContaining('does not know this')],
    ['set_aside', 'warn', DAY, expect.stringContaining('another day')],
  ]);
  expect(
    await workshop.look(
      'select count(*)::integer as n, min(checked_at) = max(checked_at) as once from ops.checks',
    ),
  ).toEqual([{ n: 5, once: true }]);
  await workshop.load(workshop.events(DAY, [[record()]]));
  expect(await workshop.with((warehouse) => warehouse.check())).toEqual([]);
  expect(await workshop.look('from ops.checks')).toEqual([]);
});

test('every check has been seen to find something', () => {
  const seen = new Set([...damages.map(([name]) => name), 'load_notes', 'schema_drift', 'set_aside']);
  expect(statementsIn('checks').map((name) => name.slice('checks/'.length))).toEqual([...seen].sort());
});

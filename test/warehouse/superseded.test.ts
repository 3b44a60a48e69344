import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SubchannelPull } from '../../src/warehouse/pull.js';
import { dayAfter, NOW, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

const record = (node: string, more: Row = {}): Row => ({
  date: DAY,
  resource_type: 'campaign',
  resource_id: 'c1',
  node_id: node,
  channel: 'text-message',
  channel_sub: 'lms',
  message_sent: 10,
  message_failed: 1,
  conversion: [{ name: '구매', type: '전체 전환수', count: 3 }],
  ...more,
});

/** Four answers about one day, the first ones odd in ways that leave notes and drift behind as long as they count. */
function answers(workshop: Workshop): SubchannelPull[] {
  const bodies = [
    [record('n1'), record('n1'), record('n2', { surprise: true })],
    [record('n1', { date: dayAfter(DAY), message_sent: 30 }), record('n2', { message_sent: 'many' })],
    [record('n1'), record('n2'), record('n3')],
    [record('n1', { message_sent: 31 })],
  ];
  return bodies.map((body, i) =>
    workshop.subchannels(DAY, body, {
      id: `statistics_by_subchannel/${DAY}/${i}`,
      pulledAt: new Date(NOW.getTime() + i),
    }),
  );
}

/** Every table of data and of notes, and what was loaded. */
async function everything(workshop: Workshop): Promise<unknown> {
  return {
    loads: await workshop.look('select * from ops.loads order by pull'),
    coverage: await workshop.look('select * from ops.coverage'),
    rows: await workshop.look('select * from daily_statistics_by_subchannel order by all'),
    conversions: await workshop.look('select * from daily_conversions_by_subchannel order by all'),
    notes: await workshop.look('select * from ops.load_notes order by all'),
    drift: await workshop.look('select * from ops.drift_by_day order by all'),
  };
}

test('answers that a later one replaced are noted, and the file is as if they had been loaded one by one', async () => {
  const slow = new Workshop();
  await slow.load(...answers(slow));
  const quick = new Workshop();
  await quick.with(async (warehouse) => {
    const pulls = answers(quick);
    const superseded = await warehouse.supersededAmong(pulls);
    expect(superseded.map(({ pull }) => pull)).toEqual(pulls.slice(0, 3));
    await warehouse.load(pulls[3]!);
    await warehouse.passOver(superseded);
  });
  expect(await quick.look('select rows::int as rows from ops.loads order by pull')).toEqual([
    { rows: 3 },
    { rows: 2 },
    { rows: 3 },
    { rows: 1 },
  ]);
  expect(await everything(quick)).toEqual(await everything(slow));
});

test('an answer that nothing later replaced is left to be loaded', async () => {
  const workshop = new Workshop();
  const [first, second] = answers(workshop);
  if (first === undefined || second === undefined) throw new Error('no answer');
  await workshop.load(first);
  await workshop.with((warehouse) => warehouse.passOver([{ pull: second, rows: 2 }]));
  expect(await workshop.look('select pull from ops.loads')).toEqual([{ pull: first.id }]);
});

test('a day of which one cannot be read, or may be held back, has none: its answers are loaded one by one', async () => {
  const workshop = new Workshop();
  const pulls = answers(workshop);
  const shrunk = workshop.subchannels(DAY, []);
  await workshop.with(async (warehouse) => {
    expect(await warehouse.supersededAmong([...pulls, shrunk])).toEqual([]);
    expect(await warehouse.supersededAmong(pulls)).toHaveLength(3);
    writeFileSync(pulls[1]!.file, 'no gzip at all, and longer than a trailer');
    expect(await warehouse.supersededAmong(pulls)).toEqual([]);
    await warehouse.load(pulls[0]!);
    expect(await warehouse.supersededAmong([pulls[2]!, pulls[3]!])).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { groupsOf } from '../../src/warehouse/load.js';
import type { CampaignsPull, EventsPull, SubchannelPull } from '../../src/storage/pull.js';

const pulledAt = new Date(0);
const events = (id: string, day: string, records: EventsPull['records'] = 10): EventsPull => ({
  stream: 'events',
  id,
  day,
  window: windowOf(day),
  exportId: id,
  pulledAt,
  files: [],
  records,
});
const subchannels = (id: string): SubchannelPull => ({
  stream: 'statistics_by_subchannel',
  id,
  day: '2026-11-20',
  pulledAt,
  file: '',
});
const campaigns = (id: string, complete: boolean): CampaignsPull => ({
  stream: 'campaigns',
  id,
  range: { start: '2026-11-20', end: '2026-11-20' },
  complete,
  pulledAt,
  answers: [],
});
const ids = (pulls: Parameters<typeof groupsOf>[0]): string[] =>
  groupsOf(pulls).map((group) => group.map(({ id }) => id).join(' '));

test('pulls of a stream go together, wherever they stand', () => {
  expect(
    ids([subchannels('a'), events('b', '2026-11-19'), subchannels('c'), events('d', '2026-11-20')]),
  ).toEqual(['a c', 'b d']);
});

test('of one day there is one export in a group, and a large or an arriving one is alone', () => {
  expect(
    ids([
      events('a', '2026-11-19'),
      events('b', '2026-11-19'),
      events('large', '2026-11-18', 1_000_000),
      events('c', '2026-11-17'),
      events('arriving', '2026-11-16', Promise.resolve(1)),
    ]),
  ).toEqual(['a', 'b', 'large', 'c', 'arriving']);
});

test('an incomplete pull is alone, and parts those before it from those after it', () => {
  expect(
    ids([campaigns('a', true), campaigns('b', true), campaigns('c', false), campaigns('d', true)]),
  ).toEqual(['a b', 'c', 'd']);
});

test('groups end', () => {
  expect(
    groupsOf(Array.from({ length: 900 }, (_, i) => subchannels(String(i)))).map(({ length }) => length),
  ).toEqual([400, 400, 100]);
});

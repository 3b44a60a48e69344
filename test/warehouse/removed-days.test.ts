import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { long } from '../support/tags.js';
import type { Day } from '../../src/ground/calendar.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { Reader } from '../../src/warehouse/reader.js';
import type { Warehouse } from '../../src/warehouse/warehouse.js';
import { dayAfter, loadOne, micros, NOW, record, statistic, Workshop, type Row } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';

const FIRST = '2026-10-01';
const day = (n: number): Day => dayAfter(FIRST, n);

/** What stands in the file event by event, and what tells of when it was loaded. */
const OF_EVENTS = [
  'message_contents',
  'marts.event_people',
  'marts.messages',
  'marts.message_texts',
  'marts.person_ids',
  'marts.freshness',
  'ops.removed_days',
  'ops.checks',
];
const OF_LOADING = ['loaded_at', 'last_pulled_at', 'applied_at', 'checked_at', 'detected_at', 'pull'];

/** All rows of each relation that does not stand event by event. */
async function whole(workshop: Workshop): Promise<Record<string, string[]>> {
  await workshop.close();
  const reader = await Reader.open(workshop.path);
  try {
    const relations = await reader.objects(`
      select if(schema_name = 'main', '', schema_name || '.') || table_name as name,
        list(column_name order by column_index) as columns
      from duckdb_columns()
      where database_name = current_database() and schema_name in ('main', 'marts', 'ops') and not internal
      group by all having not bool_or(column_name = 'export_date') order by all`);
    const held: Record<string, string[]> = {};
    for (const { name, columns } of relations as { name: string; columns: string[] }[]) {
      if (OF_EVENTS.includes(name)) continue;
      const wanted = columns.filter((column) => !OF_LOADING.includes(column)).map((column) => `"${column}"`);
      const rows = await reader.objects(`select ${wanted.join(', ')} from ${name}`);
      held[name] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return held;
  } finally {
    await reader.close();
  }
}

/**
 * What one day brings: pushes, alimtalks and texts of two people and a device, clicks on the messages of days before, a
 * record of the day before, and of the day after.
 */
function exportOf(workshop: Workshop, n: number, extra: readonly Row[] = []): Pull {
  const date = day(n);
  const alimtalk = {
    senderKey: 's1',
    plusFriendId: '@f',
    templateCode: 't1',
    recipientNo: '01012345678',
    content: '안내',
  };
  const sent = (id: string, more: Row): Row => record({ id, time: micros(date, 40_000), ...more });
  const clicked = (of: number, id: string, more: Row): Row =>
    record({
      id: `${day(n - of)}-${id}`,
      event_name: 'push_click',
      time: micros(date, 50_000 + of),
      ...more,
    });
  const rows = [
    sent(`${date}-push`, { message_data: { title: `제목 ${n % 3}`, body: `본문 ${n}` } }),
    sent(`${date}-other`, { user_id: `u${n % 4}`, device_id: 'd9', service_device_id: `sd${n}` }),
    sent(`${date}-alimtalk`, { channel: 'chatapp-alimtalk', user_id: null, message_data: alimtalk }),
    sent(`${date}-failed`, { event_name: 'send_failure', failure_reason: 'NotRegistered' }),
    sent(`${date}-node`, {
      resource_type: 'user-journey',
      campaign_id: null,
      user_journey_id: 'j1',
      user_journey_node_id: `n${n % 2}`,
    }),
    ...[1, 3, 6].map((of) => clicked(of, 'push', { message_data: null })),
    clicked(2, 'alimtalk', { channel: 'chatapp-alimtalk', event_name: 'link_click', user_id: null }),
    sent(`${date}-late`, { time: micros(date, -50) }),
    sent(`${date}-early`, { time: micros(date, 86_500) }),
    ...extra,
  ];
  return workshop.events(date, [rows]);
}

function nightOf(workshop: Workshop, n: number): Pull[] {
  return [
    workshop.statistics(day(n), [statistic({ date: day(n), message_sent: 100 + n })]),
    exportOf(workshop, n),
  ];
}

/** Loads, models and checks; then all days before that one leave. */
async function night(workshop: Workshop, pulls: readonly Pull[], before?: Day): Promise<Day[]> {
  return workshop.with(async (warehouse) => {
    for (const pull of pulls) await loadOne(warehouse, pull);
    await refreshModels(warehouse);
    await runChecks(warehouse);
    return before === undefined ? [] : leaveIn(warehouse, before);
  });
}

async function leaveIn(warehouse: Warehouse, before: Day): Promise<Day[]> {
  const days = (await warehouse.removable(before)).map(({ day }) => day);
  const left = await warehouse.removeDays(days, NOW);
  return left.map(({ day }) => day);
}

/** So many nights after the first ones, which keep the events of so many days. */
async function nights(workshop: Workshop, first: number, count: number, keeping?: number): Promise<void> {
  for (let n = first; n < first + count; n += 1)
    await night(workshop, nightOf(workshop, n), keeping === undefined ? undefined : day(n - keeping + 1));
}

/** Two warehouses of the same days, which were brought forward in one night. */
async function twice(days: number): Promise<readonly [Workshop, Workshop]> {
  const [one, other] = [new Workshop(), new Workshop()];
  const pullsOf = (workshop: Workshop): Pull[] =>
    Array.from({ length: days }, (_, n) => nightOf(workshop, n)).flat();
  await night(one, pullsOf(one));
  await one.close();
  // Their ids are taken there, too.
  pullsOf(other);
  copyFileSync(one.path, other.path);
  return [one, other];
}

const held = (workshop: Workshop): Promise<Row[]> =>
  workshop.look('select distinct export_date::varchar as date from events order by all');

const findings = (workshop: Workshop): Promise<Row[]> =>
  workshop.look('select name, date, subject, finding, expected, actual from ops.checks order by all');

/** Relation by relation, so that a difference names its own. */
async function expectSame(removed: Workshop, kept: Workshop): Promise<void> {
  const [some, all] = [await whole(removed), await whole(kept)];
  for (const name of Object.keys(all)) expect({ [name]: some[name] }).toEqual({ [name]: all[name] });
  expect(await findings(removed)).toEqual(await findings(kept));
}

test(
  'a warehouse of which days leave night by night answers as one that has them all',
  { tags: ['extended'], timeout: 300_000 },
  async () => {
    const [kept, removed] = await twice(8);
    await nights(kept, 8, 2);
    await nights(removed, 8, 2, 8);
    expect(await held(removed)).toHaveLength(8);
    await expectSame(removed, kept);

    // Every model is made again: what cannot be computed any more is taken over, and noted anew.
    const renew = "update ops.models set fingerprint = 'of an older version'";
    for (const workshop of [kept, removed]) {
      await workshop.change(renew);
      await night(workshop, nightOf(workshop, 10));
    }
    await expectSame(removed, kept);
  },
);

long('a full refresh keeps what both versions of a model have of days that left', async () => {
  const workshop = new Workshop();
  await nights(workshop, 0, 3, 1);
  const days =
    'select date::varchar as date, events, kind from marts.daily_events where channel = $$push-notification$$ order by all';
  const before = await workshop.look(days);
  // As an older version made it: a column was text, one is new, one is gone.
  await workshop.change(`
    alter table marts.daily_events alter events type varchar;
    alter table marts.daily_events drop column kind;
    alter table marts.daily_events add column old integer;
    update ops.models set fingerprint = 'of an older version' where relation = 'marts.daily_events'`);
  await night(workshop, nightOf(workshop, 3));
  const after = await workshop.look(days);
  // The records of the last night count on the day before as well.
  const left = ({ date }: Row): boolean => String(date) < day(2);
  expect(after.filter(left)).toEqual(before.filter(left).map((row) => ({ ...row, kind: null })));
  expect(after.filter((row) => row['kind'] === null)).toEqual(after.filter(left));
});

/** On how many mornings the shipped query `campaigns-to-watch` names a campaign, where all campaigns are equal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { migrations } from '../../src/warehouse/opening.js';
import { statement } from '../../src/warehouse/session.js';
import { beta, chance } from './people.js';

interface WatchCell {
  readonly name: string;
  readonly campaigns: number;
  readonly people: number;
  /** How often a campaign sends to a person in four weeks, at most. */
  readonly messages: number;
  /** The correlation of two messages to one person. */
  readonly likeness: number;
  /** How many times as readily the first campaign is clicked; 1 for an equal one. */
  readonly lift?: number;
}

export const WATCH_CELLS: readonly WatchCell[] = [8, 20, 60].flatMap((campaigns) =>
  [
    { likeness: 0, people: 'people alike' },
    { likeness: 0.3, people: 'people who differ' },
    { likeness: 0.9, people: 'people who click all or none' },
  ].map(({ likeness, people }) => ({
    name: `${campaigns} campaigns, ${people}`,
    ...{ campaigns, likeness, people: 300, messages: 8 },
  })),
);

/** Eight campaigns of which the first is clicked 1.6 times as often. */
export const WATCH_BETTER: readonly WatchCell[] = [0, 0.1, 0.3].map((likeness) => ({
  name: `1.6 times as often, messages to a person correlate by ${likeness}`,
  ...{ campaigns: 8, likeness, people: 700, messages: 8, lift: 1.6 },
}));

/** The first day of the 28, of the week before, and of this week: days of sending. */
const DAYS = [0, 14, 21];

export async function namedMornings(cell: WatchCell, mornings: number, seed: number): Promise<number> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    await prepare(connection, cell);
    const query = readFileSync(join(PACKAGE_ROOT, 'sql', 'queries', 'campaigns-to-watch.sql'), 'utf8');
    const random = chance(seed);
    let named = 0;
    for (let morning = 0; morning < mornings; morning++) {
      await fill(connection, cell, random);
      if ((await connection.runAndReadAll(query)).currentRowCount > 0) named++;
    }
    return named / mornings;
  } finally {
    connection.closeSync();
  }
}

async function prepare(connection: DuckDBConnection, { campaigns }: WatchCell): Promise<void> {
  for (const { file } of migrations()) await connection.run(statement(file));
  await connection.run(
    `insert into ops.coverage (stream, date) select 'statistics', date '2026-01-01' + n::integer from range(28) as days (n)`,
  );
  await connection.run(
    `create table campaigns as select 'c' || n as campaign_id, campaign_id as campaign_name from range(${campaigns}) as all_of (n)`,
  );
  await connection.run('create table marts.people (weaker_id varchar, person varchar)');
  await connection.run(
    'create table marts.daily_response_times (date date, campaign_id varchar, channel varchar, response varchar, responses bigint, machine_clicks bigint)',
  );
  await connection.run(
    'create table sent (campaign integer, person integer, day integer, messages integer, clicks integer)',
  );
  await connection.run(`create view marts.daily_people as
    select
      date '2026-01-01' + day as date, person::varchar as person, 'push-notification' as channel,
      'c' || campaign as campaign_id, messages, 0 as shown, clicks as clicked
    from sent`);
  await connection.run(`create view marts.message_days as
    select
      date '2026-01-01' + day as date, 'push-notification' as channel, 'c' || campaign as campaign_id,
      sum(messages)::bigint as clickable, sum(clicks)::bigint as clicked
    from sent
    group by all`);
}

/** Campaigns differ in how many people they send to; everybody clicks all of them as readily. */
async function fill(connection: DuckDBConnection, cell: WatchCell, random: () => number): Promise<void> {
  await connection.run('delete from sent');
  const appender = await connection.createAppender('sent');
  const readiness = Array.from({ length: cell.people }, () => beta(0.05, cell.likeness, random));
  for (let campaign = 0; campaign < cell.campaigns; campaign++) {
    const share = 0.2 + 0.8 * random();
    for (const [person, rate] of readiness.entries()) {
      if (random() > share) continue;
      const days = DAYS.map(() => ({ messages: 0, clicks: 0 }));
      for (let left = 1 + Math.floor(random() * cell.messages); left > 0; left--) {
        const day = days[Math.floor(random() * days.length)];
        if (day === undefined) continue;
        day.messages++;
        if (random() < rate * (campaign === 0 ? (cell.lift ?? 1) : 1)) day.clicks++;
      }
      for (const [index, { messages, clicks }] of days.entries()) {
        if (messages === 0) continue;
        for (const value of [campaign, person, DAYS[index] ?? 0, messages, clicks]) {
          appender.appendInteger(value);
        }
        appender.endRow();
      }
    }
  }
  appender.closeSync();
}

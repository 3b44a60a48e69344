/**
 * How often the shipped query `opt-outs-after-messages` calls campaigns different that are not: worlds in which every message
 * is as likely to be followed by an opt-out as any other, or as its reader is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { PACKAGE_ROOT } from '../../src/ground/effects.js';
import { migrations } from '../../src/warehouse/opening.js';
import { statement } from '../../src/warehouse/session.js';
import { chance } from './people.js';

/** Messages of a campaign, and those that an opt-out follows. */
interface Counted {
  messages: number;
  optedOut: number;
}

interface OptOutCell {
  readonly name: string;
  readonly draw: (random: () => number) => Counted[];
}

/** Campaigns of those sizes, with one chance for all messages. */
function alike(sizes: (random: () => number) => number[], rate: number): OptOutCell['draw'] {
  return (random) =>
    sizes(random).map((messages) => ({ messages, optedOut: successes(messages, rate, random) }));
}

/** By the gaps between successes: few draws where they are rare. */
function successes(trials: number, rate: number, random: () => number): number {
  let found = 0;
  for (let at = 0; ; found++) {
    at += 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - rate));
    if (at > trials) return found;
  }
}

/**
 * People who differ a hundredfold in how readily they opt out, and who get nothing after they did. The opt-out comes hours
 * after the message that moved them, so a later one may get it.
 */
function readers(random: () => number): Counted[] {
  const campaigns = Array.from({ length: 12 }, () => ({
    messages: 0,
    optedOut: 0,
    share: 0.1 + 0.9 * random(),
  }));
  for (let person = 0; person < 1500; person++) {
    const readiness = 0.0001 * 100 ** random();
    let leaves = Infinity;
    let last: Counted | undefined;
    for (let day = 0; day < 14; day++) {
      const today = campaigns
        .filter(({ share }) => random() < share / 7)
        .map((campaign) => ({ campaign, at: 24 * (day + random()) }))
        .sort((one, other) => one.at - other.at);
      for (const { campaign, at } of today) {
        if (at > leaves) break;
        campaign.messages++;
        last = campaign;
        if (random() < readiness) leaves = Math.min(leaves, at - 8 * Math.log(1 - random()));
      }
    }
    if (leaves < Infinity && last !== undefined) last.optedOut++;
  }
  return campaigns;
}

export const OPT_OUT_CELLS: readonly OptOutCell[] = [
  { name: '10 campaigns of 2,000, 1 per thousand', draw: alike(() => Array<number>(10).fill(2000), 0.001) },
  {
    name: '40 campaigns of 100 to 50,000, 0.5 per thousand',
    draw: alike((random) => Array.from({ length: 40 }, () => Math.round(100 * 500 ** random())), 0.0005),
  },
  { name: '2 campaigns of 5,000, 10 per thousand', draw: alike(() => [5000, 5000], 0.01) },
  { name: '1 campaign of 300 among 100,000, 2 per thousand', draw: alike(() => [300, 99_700], 0.002) },
  { name: '12 campaigns to people who differ', draw: readers },
];

/** The share of the worlds in which any campaign is called different. */
export async function falseAlarms(cell: OptOutCell, worlds: number, seed: number): Promise<number> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    await prepare(connection);
    const query = readFileSync(join(PACKAGE_ROOT, 'sql', 'queries', 'opt-outs-after-messages.sql'), 'utf8');
    const random = chance(seed);
    let wrong = 0;
    for (let world = 0; world < worlds; world++) {
      await fill(connection, cell.draw(random));
      const rows = (await connection.runAndReadAll(query)).getRowObjectsJson();
      if (rows.some(({ verdict_code }) => verdict_code === 'more' || verdict_code === 'fewer')) wrong++;
    }
    return wrong / worlds;
  } finally {
    connection.closeSync();
  }
}

/** The shipped schema, with one complete day, and the two marts as tables. */
async function prepare(connection: DuckDBConnection): Promise<void> {
  for (const { file } of migrations()) await connection.run(statement(file));
  await connection.run(
    `insert into verdict_words from read_csv('${join(PACKAGE_ROOT, 'sql', 'seeds', 'verdict_words.csv')}', header = true, comment = '#')`,
  );
  await connection.run(
    `insert into ops.coverage (stream, date) select 'events', date '2026-01-01' + n::integer from range(4) as days (n)`,
  );
  await connection.run(`insert into ops.snapshots (stream, date) values ('opt_outs', '2026-01-05')`);
  await connection.run('create table campaigns (campaign_id varchar, campaign_name varchar)');
  await connection.run('create table user_journeys (user_journey_id varchar, user_journey_name varchar)');
  const columns = `channel varchar, resource_type varchar, campaign_id varchar, user_journey_id varchar,
    template_kind varchar, template varchar, hour integer`;
  await connection.run(
    `create table marts.recipient_messages (date date, messages bigint, counted_as varchar, ${columns})`,
  );
  await connection.run(
    `create table marts.opt_outs_after_messages (sent_date date, event_id varchar, ${columns})`,
  );
}

async function fill(connection: DuckDBConnection, cells: readonly Counted[]): Promise<void> {
  const values = cells.map(({ messages, optedOut }, i) => `('c${i}', ${messages}, ${optedOut})`).join(', ');
  await connection.run('delete from marts.recipient_messages');
  await connection.run('delete from marts.opt_outs_after_messages');
  await connection.run(
    `insert into marts.recipient_messages (date, channel, campaign_id, messages, counted_as)
    select date '2026-01-01', 'text-message', campaign, messages, 'sent'
    from (values ${values}) as given (campaign, messages, opted_out)`,
  );
  await connection.run(
    `insert into marts.opt_outs_after_messages (sent_date, channel, campaign_id, event_id)
    select date '2026-01-01', 'text-message', campaign, campaign || ' ' || unnest(range(opted_out))
    from (values ${values}) as given (campaign, messages, opted_out)`,
  );
}

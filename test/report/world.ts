/** A world that fills every part of the report: two weeks of statistics, one of events, one day restated, names that bite. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { Place } from '../support/dawnload.js';

export const NASTY = `<script>alert('하나')</script> & "둘" <img src=x onerror=alert(1)>`;

export async function makeReportWorld(): Promise<Place> {
  const place = await Place.make(
    `start_date: 2026-11-06
lookback_days: 3
exports:
  start_date: 2026-11-14
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
  price_per_record: 0.1
reference:
  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] }
  alimtalk_templates: true
  opt_outs: true
`,
    {
      eventsPerDay: 800,
      seed: 5,
      faults: [{ kind: 'restate', endpoint: '*', date: '2026-11-18' }],
    },
  );
  for (let night = 0; night < 2; night++) {
    const { code, stderr } = await place.run(['run']);
    if (code !== 0) throw new Error(`the world was not loaded: ${stderr}`);
  }
  await changed(place.published, async (connection) => {
    await connection.run(CLICKED_MORE);
    await connection.run(PUSHED);
  });
  return place;
}

/** The campaign with the most e-mails is clicked far more than chance explains. */
const CLICKED_MORE = `
  update daily_statistics set click = (message_sent - message_failed) * 9 // 10
  where channel = 'email' and campaign_id = (
    select campaign_id from daily_statistics where channel = 'email' and campaign_id is not null
    group by campaign_id order by sum(message_sent) desc limit 1
  )`;

/** Two pushes, of which one waits for a person. */
const PUSHED = `
  insert into ops.pushes values
    ('2026-11-20.1', 'journey uj-win02', 'lapsed', 'done', '2026-11-20 07:15:00+09', '2026-11-20 07:15:00+09', 90, 80, 8, 2, 0, 0, 1, null),
    ('2026-11-20.2', 'events bought', null, 'ambiguous', '2026-11-20 07:16:00+09', '2026-11-20 07:16:00+09', 9, 0, 0, 0, 9, 0, 1, 'why')`;

/** Changes a database that nobody else has open. */
async function changed(
  file: string,
  change: (connection: DuckDBConnection) => Promise<unknown>,
): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await change(connection);
  connection.closeSync();
  instance.closeSync();
}

/** A copy of the published file in which a campaign has a name that tries to be markup. */
export async function withNastyNames(place: Place): Promise<string> {
  const file = join(place.folder, 'nasty.duckdb');
  await copyFile(place.published, file);
  await changed(file, async (connection) => {
    const tables = await connection.runAndReadAll(
      `select table_schema || '.' || table_name, column_name from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_type = 'BASE TABLE' and data_type = 'VARCHAR'
         and column_name in ('campaign_name', 'variant_name', 'user_journey_name', 'user_journey_node_name', 'failure_reason')`,
    );
    for (const [table, column] of tables.getRows()) {
      await connection.run(`update ${String(table)} set ${String(column)} = $name || ${String(column)}`, {
        name: NASTY,
      });
    }
  });
  return file;
}

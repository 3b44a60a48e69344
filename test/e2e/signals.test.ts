// @module-tag long
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, expect, test } from 'vitest';
import { ended, Place } from '../support/dawnload.js';

const YAML = 'start_date: 2026-11-19\nlookback_days: 1\n';

let place: Place | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});

/** A warehouse whose models are to be made anew from so many events that it takes long. */
async function makeLarge(): Promise<Place> {
  const made = await Place.make(YAML);
  place = made;
  expect((await made.run(['run'])).code).toBe(0);
  const file = join(made.folder, 'data/private/warehouse.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(`
    insert into events (event_id, user_id, channel, event_name, campaign_id, occurred_at, date, export_date)
    select
      'e' || i, 'u' || (hash(i) % 1000000), 'push-notification', if(i % 3 = 0, 'push_click', 'send_success'), 'c1',
      timestamptz '2026-09-01 00:00:00+09' + to_seconds(i::bigint),
      date '2026-09-01' + (i // 86400)::integer,
      date '2026-09-01' + (i // 86400)::integer
    from range(3000000) as numbers (i);
    delete from ops.models;
    checkpoint;`);
  connection.closeSync();
  instance.closeSync();
  return made;
}

/** Resolves while the models are being made: a moment after the run has told that nothing more is pulled. */
async function modelling(child: ChildProcess): Promise<void> {
  let log = '';
  child.stderr?.on('data', (text: string) => (log += text));
  while (!log.includes('"stage":"pull"')) await new Promise((resolve) => setTimeout(resolve, 20));
  await new Promise((resolve) => setTimeout(resolve, 300));
}

test('SIGTERM while the models are made ends within seconds, and the next run makes them', async () => {
  const made = await makeLarge();
  for (const signals of [1, 2]) {
    const child = made.start(['run', '--log-format', 'json']);
    const result = ended(child);
    await modelling(child);
    const began = Date.now();
    for (let n = 0; n < signals; n++) child.kill('SIGTERM');
    const { code, signal, stderr } = await result;
    expect(Date.now() - began, stderr).toBeLessThan(signals === 1 ? 5_000 : 2_000);
    if (signals === 1) {
      expect(stderr).toMatch(/Interrupted\. The current step was: modelling\./);
      expect(code).toBe(130);
    } else {
      // For a shell both are 130.
      expect(code === 130 || signal === 'SIGINT', stderr).toBe(true);
    }
  }
  expect(await made.rows('select count(*)::int as n from marts.daily_events')).toEqual([{ n: 0 }]);
}, 120_000);

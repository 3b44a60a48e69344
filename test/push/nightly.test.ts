// @module-tag long
/** The pushes of a night: after publishing, in order; what fails withholds nothing. */
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, Place } from '../support/dawnload.js';
import { bytesOf, lines, push, written } from './support.js';
import { ends } from '../support/place.js';
import { extended } from '../support/tags.js';

const received: string[] = [];
const hook = createServer((request, response) => {
  request.setEncoding('utf8').on('data', (text: string) => received.push(text));
  request.on('end', () => response.end());
});

const YAML = `start_date: 2026-11-19
lookback_days: 1
report: en
queries: .
push: { rows_per_run: 100, rows_per_month: 1000 }
`;

const pushes = (sql: string) => `pushes:
  - name: tiers
    target: user-properties
    sql: ${sql}
    key: user_id
  - name: everyone
    target: journey uj-win02
    sql: select 'n-' || i as user_id from range(500) as r(i)
  - name: prices
    target: catalog-items products
    mode: patch
    query: own-prices
    key: id
  - name: welcome
    target: journey uj-win02
    sql: select 'night' as user_id, max(date)::varchar as day from ops.coverage
    key: user_id, day
    rows_per_run: 1
  - name: dates
    target: user-properties
    sql: select 'n-2' as user_id, ('geheim ' || name)::date as day from daily_conversions
`;
const GOOD = "select 'n-1' as user_id, 'gold' as tier";

const NIGHTS = [NOW, '2026-11-21T22:30:00Z', '2026-11-22T22:30:00Z'];

let place: Place;
let night = NOW;
beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  place = await Place.make(YAML + pushes(GOOD), {
    eventsPerDay: 60,
    now: () => new Date(night),
  });
  await writeFile(
    join(place.folder, 'own-prices.sql'),
    "-- title: Prices\n-- question: Which prices?\n-- params: none\n\nselect 'none' as id, 5 as price;\n",
  );
}, 60_000);
afterAll(async () => {
  hook.close();
  await place.remove();
});

const runOf = (index: number, ...args: readonly string[]) => {
  night = NIGHTS[index] ?? NOW;
  return place.run(['run', ...args], { DAWNLOAD_NOW: night });
};

const alerts = () =>
  `alerts: [{ url: "http://127.0.0.1:${(hook.address() as AddressInfo).port}/", on: [failure] }]\n`;

test('are made in order, and a failed one withholds nothing and is alerted', async () => {
  await place.configure(YAML + alerts() + pushes(GOOD));
  const run = await ends(
    runOf(0, '--json'),
    1,
    'tiers: Pushed 1 row',
    'The push everyone failed: push.rows_per_run leaves 99 rows, and the push has 500',
    'welcome: Pushed 1 row',
    'Incomplete: see above.',
  );
  expect(JSON.parse(run.stdout)).toMatchObject({
    exit_code: 1,
    after_publishing: [
      { step: 'push tiers', failed: false },
      { failed: true },
      { failed: false },
      { failed: false },
      { failed: true, sentence: expect.stringContaining('Conversion Error') as string },
      { step: 'page' },
    ],
  });
  expect(received.join('')).toContain('The push everyone failed');
  // A value of a row is nowhere: the query adds a space after the word.
  const said = run.stdout + run.stderr + received.join('') + (await bytesOf(place));
  expect(said).not.toContain('geheim ');
  expect(written(place).journeys).toMatchObject([{ userId: 'night', day: '2026-11-20' }]);
});

test('what did not change is left out the next night, and a push can be made by hand', async () => {
  const byHand = await push(place, 'tiers', '--json');
  expect(JSON.parse(byHand.stdout)).toMatchObject({ unchanged: 1, sent: 0 });
  await place.configure(YAML + pushes("select 'n-1' as user_id, 'red' as tier"));
  const run = await runOf(1);
  expect(run.stderr).toContain('tiers: Pushed 1 row');
  expect(run.stderr).toContain('welcome: Pushed 1 row');
});

test('the file of the next night tells of them', async () => {
  expect(
    await place.rows('select name, state, rows, sent, rejected from ops.pushes order by push_id'),
  ).toEqual([
    { name: 'tiers', state: 'done', rows: '1', sent: '1', rejected: '0' },
    { name: 'prices', state: 'done', rows: '1', sent: '0', rejected: '1' },
    { name: 'welcome', state: 'done', rows: '1', sent: '1', rejected: '0' },
    { name: 'tiers', state: 'done', rows: '1', sent: '0', rejected: '0' },
  ]);
  expect(await place.rows('select exit_code, outcome from ops.runs order by started_at limit 1')).toEqual([
    { exit_code: 1, outcome: 'incomplete' },
  ]);
});

extended('a night that is not complete pushes nothing', async () => {
  const before = (await lines(place)).length;
  place.sandbox.setFaults([{ endpoint: 'E17', kind: 'status', status: 500 }]);
  await ends(runOf(2), 1, 'The push tiers failed: The published file was not made by a run of');
  expect(await lines(place)).toHaveLength(before);
  place.sandbox.setFaults([]);
});

test('after `recover` agreed to lost rows, the night sends nobody again before a person says so', async () => {
  await place.configure(YAML + pushes(GOOD));
  const before = written(place).journeys.length;
  await rm(join(place.folder, 'data/ledger'), { recursive: true });
  expect((await place.run(['recover', '--yes'])).stderr).toContain('may send them again');
  const run = await runOf(2);
  expect(run.stderr).toMatch(
    /The push welcome failed: Nothing was sent\. .*`dawnload recover`.*`dawnload push welcome --yes`/s,
  );
  expect(written(place).journeys).toHaveLength(before);
  await ends(place.run(['push', 'welcome', '--yes'], { DAWNLOAD_NOW: night }), 0, 'Pushed 1 row');
  expect((await runOf(2)).stderr).not.toContain('The push welcome failed');
});

// @module-tag long
/** Commands and addresses of `after_publish`, after a night that published and after one that did not. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Place } from '../support/dawnload.js';
import { Hook, ends, makePlace } from '../support/place.js';

const make = (yaml: string): Promise<Place> =>
  makePlace(`start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n${yaml}`);

test('commands get the days and the file, and none of the keys; addresses get JSON', async () => {
  const hook = await Hook.listen();
  const place = await make(
    `after_publish: ['printenv > told.txt', '${hook.url}/hook?token=t0p']\nreference: { opt_outs: true }\n`,
  );
  expect((await place.run(['run'])).code).toBe(0);
  const told = await readFile(join(place.folder, 'told.txt'), 'utf8');
  expect(told).toContain(`DAWNLOAD_PUBLISHED=${join(place.folder, 'data', 'warehouse.duckdb')}\n`);
  expect(told).toContain('DAWNLOAD_DAYS=2026-11-20\n');
  expect(told).toContain('DAWNLOAD_COMMAND=run\n');
  expect(told).not.toMatch(/ACCESS_KEY|SECRET_KEY/);
  expect(hook.take()).toMatchObject([{ command: 'run', days: ['2026-11-20'] }]);
});

test('a failure is told and alerted, the next one follows, and the night is published', async () => {
  const [refusing, alerts] = [await Hook.listen(), await Hook.listen()];
  refusing.status = 500;
  const place = await make(
    `after_publish: ['exit 3', '${refusing.url}/hook?token=t0p', 'touch done.txt', 'kill -9 $$']\nalerts: [{ url: '${alerts.url}', on: [failure] }]\n`,
  );
  const run = await ends(
    place.run(['run', '--json']),
    1,
    'after_publish[0] failed: it ended with exit code 3.',
    'after_publish[1] failed: HTTP 500.',
    'after_publish[3] failed: it ended with SIGKILL.',
  );
  expect(run.stderr + run.stdout).not.toContain('t0p');
  expect(JSON.stringify(alerts.take())).toContain('after_publish[0] failed');
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(true);
  expect(existsSync(join(place.folder, 'data', 'warehouse.duckdb'))).toBe(true);
});

test('nothing follows a night that failed, nor a rebuild', async () => {
  const place = await make(`after_publish: ['touch done.txt']\n`);
  expect((await place.run(['run'], { DAWNLOAD_SECRET_KEY: 'wrong' })).code).toBe(1);
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(false);
  expect((await place.run(['backfill', '--start', '2026-11-20', '--end', '2026-11-20'])).code).toBe(0);
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(true);
});

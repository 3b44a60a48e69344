// @module-tag long
/** Commands and addresses of `after_publish`, after a night that published and after one that did not. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Place } from '../support/dawnload.js';
import { Hook, ends, makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const make = (yaml: string): Promise<Place> =>
  makePlace(`start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n${yaml}`);

test('commands get the days and the file, and none of the keys; addresses get JSON', async () => {
  const hook = await Hook.listen();
  const place = await make(
    `after_publish: ['printenv > told.txt', '${hook.url}/hook?token=t0p']\nreference: { opt_outs: true }\nalerts: [{ url_env: TEAM_HOOK }]\n`,
  );
  const secrets = {
    ...{ TEAM_HOOK: `${hook.url}/t0p`, DAWNLOAD_HEARTBEAT_URL: `${hook.url}/t0p` },
    ...{ DAWNLOAD_LAKE_TOKEN: 't0p', DAWNLOAD_LAKE_SECRET_ACCESS_KEY: 't0p', DAWNLOAD_LAKE_CLIENT_ID: 't0p' },
  };
  expect((await place.run(['run'], { ...secrets, OTHER: 'kept' })).code).toBe(0);
  const told = await readFile(join(place.folder, 'told.txt'), 'utf8');
  expect(told).toContain(`DAWNLOAD_PUBLISHED=${join(place.folder, 'data', 'warehouse.duckdb')}\n`);
  expect(told).toContain('DAWNLOAD_DAYS=2026-11-20\n');
  expect(told).toContain('DAWNLOAD_COMMAND=run\n');
  expect(told).toContain('OTHER=kept\n');
  expect(told).not.toMatch(/ACCESS_KEY|SECRET_KEY|t0p/);
  expect(hook.take()).toMatchObject([{ command: 'run', days: ['2026-11-20'] }, { outcome: 'done' }]);
});

test('a failure is told and alerted, the next one follows, and the night is published', async () => {
  const [refusing, alerts] = [await Hook.listen(), await Hook.listen()];
  refusing.status = 500;
  const place = await make(
    `after_publish: ['seq 999 >&2; printf "token \\033[31mred" >&2; exit 3', '${refusing.url}/hook?token=t0p', 'touch done.txt', 'kill -9 $$']\nalerts: [{ url: '${alerts.url}', on: [failure] }]\n`,
  );
  const run = await ends(
    place.run(['run', '--json']),
    1,
    // A warning, which --quiet shows. The terminal makes the control character visible.
    'warning: after_publish[0]: 999\nwarning: after_publish[0]: token \u001b[31mred',
    'after_publish[0] failed: it ended with exit code 3.',
    'after_publish[1] failed: HTTP 500.',
    'after_publish[3] failed: it ended with SIGKILL.',
  );
  expect(run.stderr + run.stdout).not.toContain('t0p');
  expect(run.stderr.match(/after_publish\[0\]: /g)).toHaveLength(10);
  expect(run.stdout).not.toContain('red');
  const told = JSON.stringify(alerts.take());
  expect(told).toContain('after_publish[0] failed');
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(true);
  expect(existsSync(join(place.folder, 'data', 'warehouse.duckdb'))).toBe(true);
  const failed = ['after_publish[0]', 'after_publish[1]', 'after_publish[3]'];
  expect(told).toContain('after_publish[3] failed');
  const status = await place.run(['status', '--json']);
  expect([status.code, JSON.parse(status.stdout)]).toMatchObject([1, { fresh: true, failed_steps: failed }]);
  expect((await place.run(['status'])).stdout).toContain(`after publishing: ${failed.join(', ')};`);
  // The next publication knows how the run ended.
  expect((await place.run(['backfill', '--start', '2026-11-20', '--end', '2026-11-20'])).code).toBe(1);
  const [first] = await place.rows(
    "select exit_code, outcome, summary ->> 'exit_code' as code, summary -> 'failed_steps' as steps from ops.runs where command = 'run'",
  );
  expect(first).toEqual({ exit_code: 1, outcome: 'incomplete', code: '1', steps: JSON.stringify(failed) });
});

extended('a step that fails in a night that failed is told, alerted and recorded', async () => {
  const alerts = await Hook.listen();
  const place = await make(`report: true\nalerts: [{ url: '${alerts.url}', on: [failure] }]\n`);
  expect((await place.run(['run'])).code).toBe(0);
  const page = join(place.folder, 'data', 'report.html');
  await rm(page);
  await mkdir(join(page, 'in-its-place'), { recursive: true });
  const run = await place.run(['run'], { DAWNLOAD_SECRET_KEY: 'wrong' });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('The report could not be written');
  expect(JSON.stringify(alerts.take())).toMatch(/The run failed\..*The report could not be written/);
  expect(JSON.parse((await place.run(['status', '--json'])).stdout)).toMatchObject({
    failed_steps: ['page'],
  });
});

extended('the page says that the disk stopped a run', async () => {
  const place = await make('report: true\n');
  expect((await place.run(['run'])).code).toBe(0);
  const page = (): Promise<string> => readFile(join(place.folder, 'data', 'report.html'), 'utf8');
  expect(await page()).not.toContain('role="status"');
  // An answer that cannot be loaded cannot be kept either.
  await writeFile(join(place.folder, 'data', 'landing', 'rejected'), '');
  place.sandbox.setFaults([{ endpoint: 'E17', kind: 'status', status: 200, body: { rows: [] } }]);
  expect((await place.run(['run'])).stderr).toContain('landing/rejected');
  expect(await page()).toContain('role="status"');
});

test('nothing follows a night that failed, nor a rebuild', async () => {
  const place = await make(`after_publish: ['touch done.txt']\n`);
  expect((await place.run(['run'], { DAWNLOAD_SECRET_KEY: 'wrong' })).code).toBe(1);
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(false);
  expect((await place.run(['backfill', '--start', '2026-11-20', '--end', '2026-11-20'])).code).toBe(0);
  expect(existsSync(join(place.folder, 'done.txt'))).toBe(true);
});

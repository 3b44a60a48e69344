/** The reader of what a command writes goes away: the command does its work to the end, and ends with its own exit code. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { CLI, ended, NOW, type Place } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import { extended, long } from '../support/tags.js';

const PAID =
  'start_date: 2026-11-19\nlookback_days: 2\nexports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n';

/** The exports of the ledger, each with the id that the service gave it. */
async function exportsOf(place: Place): Promise<unknown[]> {
  const { stdout } = await place.run(['exports', 'list', '--json']);
  return (JSON.parse(stdout) as { state: string; export_id: string }[]).map((one) => [
    one.state,
    one.export_id !== '',
  ]);
}

long('a paid night whose reader leaves between a paid request and its answer', async () => {
  const place = await makePlace(PAID);
  const night = place.start(['run', '--json', '--log-format', 'json']);
  const streams = [night.stdout, night.stderr];
  for (const stream of streams) stream?.resume();
  while (place.sandbox.bills().length === 0 && night.exitCode === null) await wait(1);
  for (const stream of streams) stream?.destroy();
  const { code, signal } = await ended(night);
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(await exportsOf(place)).toEqual([
    ['loaded', true],
    ['loaded', true],
  ]);
  expect(place.sandbox.bills()).toHaveLength(2);
});

extended('a full disk behind the output is told at the end, and the night is whole', async () => {
  const place = await makePlace(PAID);
  const night = spawn(process.execPath, [CLI, 'run', '--json'], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', DAWNLOAD_NOW: NOW, ...place.environment },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  const { code, stderr } = await ended(night);
  expect(stderr).toMatch(/dawnload: The output cannot be written \(ENOSPC[^)]*\)\.\n {2}Free disk space/);
  expect(code).toBe(1);
  expect(await exportsOf(place)).toHaveLength(2);
});

extended('a query whose reader stops ends promptly, with exit code 0', async () => {
  const place = await makePlace('start_date: 2026-11-19\nlookback_days: 2\n');
  expect((await place.execute(['run'])).code).toBe(0);
  for (const format of ['csv', 'json', 'table']) {
    const query = place.start([
      'query',
      '--sql',
      'select range, range from range(5000000)',
      '--format',
      format,
    ]);
    query.stdout?.once('data', () => query.stdout?.destroy());
    const began = performance.now();
    expect(await ended(query)).toMatchObject({ code: 0 });
    expect(performance.now() - began).toBeLessThan(10_000);
  }
  const full = spawn('sh', ['-c', `"${process.execPath}" "${CLI}" query --sql 'select 1' > /dev/full`], {
    cwd: place.folder,
  });
  const { code, stderr } = await ended(full);
  expect(stderr).toMatch(
    /^dawnload: The output cannot be written \(ENOSPC[^)]*\)\.\n {2}Free disk space[^\n]*\n$/,
  );
  expect(code).toBe(1);
});

// @module-tag long
/** Commands and addresses of `after_publish`, after a night that published and after one that did not. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function make(yaml: string): Promise<Place> {
  const place = await Place.make(`start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n${yaml}`);
  open.push({ close: () => place.remove() });
  return place;
}

async function receiver(status: number): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server: Server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
    request.on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t0p`, received };
}

test('commands get the days and the file, and none of the keys; addresses get JSON', async () => {
  const { url, received } = await receiver(204);
  const place = await make(`after_publish: ['printenv > told.txt', '${url}']\n`);
  expect((await place.run(['run'])).code).toBe(0);
  const told = await readFile(join(place.folder, 'told.txt'), 'utf8');
  expect(told).toContain(`DAWNLOAD_PUBLISHED=${join(place.folder, 'data', 'warehouse.duckdb')}\n`);
  expect(told).toContain('DAWNLOAD_DAYS=2026-11-20\n');
  expect(told).toContain('DAWNLOAD_COMMAND=run\n');
  expect(told).not.toMatch(/ACCESS_KEY|SECRET_KEY/);
  expect(JSON.parse(received.join(''))).toMatchObject({ command: 'run', days: ['2026-11-20'] });
});

test('a failure is told and alerted, the next one follows, and the night is published', async () => {
  const refusing = await receiver(500);
  const alerts = await receiver(204);
  const place = await make(
    `after_publish: ['exit 3', '${refusing.url}', 'touch done.txt']\nalerts: [{ url: '${alerts.url}', on: [failure] }]\n`,
  );
  const run = await place.run(['run', '--json']);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('after_publish[0] failed: it ended with exit code 3.');
  expect(run.stderr).toContain('after_publish[1] failed: HTTP 500.');
  expect(run.stderr + run.stdout).not.toContain('t0p');
  expect(alerts.received.join('')).toContain('after_publish[0] failed');
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

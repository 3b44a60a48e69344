// @module-tag long
/** The report of a run: written at its end, never in its way. */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';

const YAML = 'start_date: 2026-11-19\nlookback_days: 1\n';
let place: Place;
let page: string;

beforeEach(async () => {
  place = await Place.make(`${YAML}report: true\n`, { eventsPerDay: 50 });
  page = join(place.folder, 'data', 'report.html');
});
afterEach(() => place.remove());

test('each run and backfill writes it, in the language of the setting', async () => {
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(0);
  expect(stderr).toContain(`The report on it is ${page}.`);
  expect(await readFile(page, 'utf8')).toContain('<html lang="en">');
  await place.configure(`${YAML}report: ko\n`);
  const backfill = ['backfill', '--start', '2026-11-19', '--end', '2026-11-19', '--streams', 'statistics'];
  expect((await place.run(backfill)).code).toBe(0);
  expect(await readFile(page, 'utf8')).toContain('<html lang="ko">');
});

test('report: false writes none', async () => {
  await place.configure(`${YAML}report: false\n`);
  expect((await place.run(['run'])).code).toBe(0);
  await expect(stat(page)).rejects.toThrow('ENOENT');
});

test('a report that cannot be written is a warning, and the run is done', async () => {
  // A folder stands in its place.
  await mkdir(join(page, 'full'), { recursive: true });
  const { code, stderr } = await place.run(['run']);
  expect(code).toBe(0);
  expect(stderr).toContain('The report could not be written');
  expect(stderr).toContain('`dawnload report` writes it again.');
  await rm(page, { recursive: true });
});

test('after a run that failed the page begins with the failure', async () => {
  expect((await place.run(['run'])).code).toBe(0);
  const failed = await place.run(['run'], {
    DAWNLOAD_SECRET_KEY: 'wrong',
    DAWNLOAD_NOW: '2026-11-21T22:30:00Z',
  });
  expect(failed.code).toBe(1);
  expect(await readFile(page, 'utf8')).toMatch(/class="notice"[\s\S]{0,40}The last run \(dawnload run/);
});

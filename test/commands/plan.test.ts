import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/commands/plan.js';
import { KEYS, Place, PROJECT } from '../support/dawnload.js';

let place: Place;
beforeAll(async () => {
  place = await Place.make('');
});
afterAll(() => place.remove());

const exportsOf = (perRun: number, more = ''): string =>
  `exports:\n  budget: { records_per_run: ${perRun}, records_per_month: 1000000 }\n${more}`;

describe('before the first run, the plan of ten weeks', () => {
  test('is a few lines with ranges, and init suggests a budget', async () => {
    const other = join(place.folder, 'other.yaml');
    const args = ['init', '--config', other, '--base-url', place.sandbox.url, '--project-id', PROJECT];
    const keys = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };
    const init = await place.run([...args, '--start-date', '2026-09-15'], keys);
    // A person takes the suggested budget by removing the marks of comments.
    const written = await readFile(other, 'utf8');
    const section = /# exports:\n(?:#.*\n)+/.exec(written)?.[0] ?? '';
    await writeFile(
      other,
      written.replace(section, `${section.replaceAll(/^# /gm, '')}  price_per_record: 0.1\n`),
    );
    expect(init.code).toBe(0);
    expect(section).toMatch(/records_per_run: \d+ # a night is about [1-9]\d* records/);
    const before = place.sandbox.requests();
    const { stdout, code } = await place.run(['plan', '--config', other]);
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeLessThan(11);
    expect(stdout).toContain('events                    nothing can be estimated yet\n');
    expect(stdout).toContain(
      ' requested within the budget once `run` has the statistics: 2026-09-15..2026-11-20\n',
    );
    expect(stdout).toContain(
      ' to learn the size and the price first, at no cost: dawnload backfill --start 2026-09-15 --end 2026-11-20 --streams statistics\n',
    );
    expect(place.sandbox.requests()).toEqual(before);
    const { events } = JSON.parse((await place.run(['plan', '--config', other, '--json'])).stdout) as Plan;
    expect(events).toMatchObject({ to_request: [] });
    expect(events.not_requested).toHaveLength(67);
    expect(events.month).toMatchObject({ exports: 0, exports_of_unknown_size: 0 });
  });

  test('says where nothing is known of the size of a night', async () => {
    await place.configure(`start_date: 2026-09-15\n${exportsOf(1_000)}`);
    const { stdout } = await place.run(['plan']);
    expect(stdout).toContain('events                    nothing can be estimated yet');
    expect(stdout).toContain(' is new: days in another data folder are paid for again\n');
    expect(stdout.split('\n').length).toBeLessThan(11);
  });
});

test(
  'days that are over the budget of a run are ranges, with the limit, the need, and that no single day fits',
  { tags: ['long'] },
  async () => {
    await place.configure(`start_date: 2026-11-17\nlookback_days: 1\n${exportsOf(2)}`);
    const run = await place.run(['run']);
    const reason =
      /over exports\.budget for one run: 2026-11-17\.\.2026-11-20, about [\d,]+ records\. The limit is 2 records a run, and each day needs about \d+ to \d+, so no single day fits\./;
    expect(run.stderr).toMatch(reason);
    expect(run.code).toBe(3);
    // A stream that is wanted and of which nothing is held is as far behind as it is.
    expect(
      await place.rows(
        "select first_date, days_held::int as held, days_missing::int as missing, days_behind_newest::int as behind from marts.freshness where stream = 'events'",
      ),
    ).toEqual([{ first_date: null, held: 0, missing: 4, behind: 4 }]);
    const { stdout } = await place.run(['plan']);
    expect(stdout).not.toContain('is new');
    expect(stdout).toContain('events                    nothing to request');
    expect(stdout).toMatch(/ not requested, over .*: 2026-11-17\.\.2026-11-20, about [\d,]+ records\./);
    expect(stdout).toMatch(reason);
    // The next night pulls the statistics of its day before it decides, so the day is forecast from those before it.
    const next = { DAWNLOAD_NOW: '2026-11-21T22:30:00Z' };
    const tomorrow = await place.run(['plan'], next);
    expect(tomorrow.stdout).toContain('forecast until the run has pulled their statistics: 2026-11-21');
    expect(tomorrow.stdout).toMatch(
      / not requested, over .*: 2026-11-17\.\.2026-11-21, about [\d,]+ records\./,
    );
    const range = ['--start', '2026-11-21', '--end', '2026-11-21', '--streams', 'events', '--dry-run'];
    const alone = await place.run(['backfill', ...range], next);
    expect(alone.stdout).toContain(
      'no daily statistics to estimate from (`backfill --yes-paid` requests it anyway)',
    );
    expect(alone.stdout).toContain(
      'at no cost: dawnload backfill --start 2026-11-21 --end 2026-11-21 --streams statistics\n',
    );
    const paid = await place.run(['backfill', ...range, '--yes-paid'], next);
    expect(paid.stdout).toContain('request 1 day (2026-11-21), of unknown size');
    // Streams of which nothing is asked are not spoken of.
    expect(paid.stdout).not.toMatch(/statistics|campaigns/);
    const dates = ['--start', '2026-11-10', '--end', '2026-11-10'];
    expect((await place.run(['backfill', ...dates, '--dry-run'])).stdout).toContain(
      'once `backfill --yes-paid` has the statistics: 2026-11-10\n',
    );
    await place.configure(`start_date: 2026-11-17\nlookback_days: 1\n${exportsOf(100_000)}`);
    expect((await place.run(['backfill', ...dates])).stderr).toContain(
      'start the same backfill again with --yes-paid.',
    );
    await place.configure(`start_date: 2026-11-17\nlookback_days: 1\n${exportsOf(2)}`);
    const early = await place.run(['backfill', '--start', '2026-11-10', '--end', '2026-11-10', '--yes-paid']);
    expect(early.code).toBe(3);
    expect(early.stderr).toContain('To request the other days, start the same backfill again.');
    const { stdout: json } = await place.run(['backfill', ...range, '--yes-paid', '--json'], next);
    expect((JSON.parse(json) as Plan).events).toMatchObject({
      estimated_records: null,
      estimated_price: null,
    });
  },
);

test('the plan names days that lack the counts by sub-channel alone', { tags: ['long'] }, async () => {
  await place.configure('start_date: 2026-11-16\nlookback_days: 1\nretries: 0\n');
  place.sandbox.setFaults([{ endpoint: 'E18', kind: 'status', status: 403, body: { error: 'Forbidden' } }]);
  expect((await place.run(['run'])).code).toBe(1);
  place.sandbox.setFaults([]);
  expect((await place.run(['plan'])).stdout).toMatch(
    /^ {2}statistics +no day is missing; refresh 2026-11-20\n {2}statistics_by_subchannel +missing 2026-11-16; refresh/m,
  );
  const { stdout } = await place.run(['plan', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    statistics: { missing: [] },
    statistics_by_subchannel: { missing: ['2026-11-16'] },
  });
});

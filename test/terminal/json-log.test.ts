// @module-tag long
/** What a run writes with --log-format json. */
import { expect, test } from 'vitest';
import { extended } from '../support/tags.js';
import { makePlace } from '../support/place.js';

const BUDGET = 'exports: { budget: { records_per_run: 100000, records_per_month: 100000 } }\n';

test('with --log-format json each line of a run is an object with time, run id and event', async () => {
  const place = await makePlace(`start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n${BUDGET}`, {
    eventsPerDay: 200,
  });
  const { stderr, stdout, code } = await place.execute(['run', '--json', '--log-format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ command: 'run' });
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [run] = await place.rows('select run_id from ops.runs');
  for (const line of lines) {
    expect(line).toMatchObject({ run_id: run?.['run_id'], level: 'info' });
    expect(line['time']).toMatch(/^2026-11-20T22:\d\d:\d\d\.\d{3}Z$/);
  }
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'started', start: '2026-11-20', end: '2026-11-20' }),
  );
  expect(lines).toContainEqual(expect.objectContaining({ event: 'loaded', stream: 'statistics', days: 1 }));
  for (const stream of ['statistics', 'statistics_by_subchannel', 'campaigns', 'events']) {
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'day_finished',
        stream,
        date: '2026-11-20',
        rows: expect.any(Number) as number,
      }),
    );
  }
  const bill = place.sandbox.bills()[0]?.records;
  const billed = { records: bill, pages: 1, date: '2026-11-20' };
  expect(lines).toContainEqual(expect.objectContaining({ event: 'export_downloaded', ...billed }));
  const spent = { exports: 1, records_of_run: bill, records_of_month: bill, records_per_month: 100_000 };
  expect(lines).toContainEqual(expect.objectContaining({ event: 'spent', ...spent }));
  for (const stage of ['pull', 'model', 'check'])
    expect(lines).toContainEqual(expect.objectContaining({ event: 'stage_finished', stage }));
  expect(lines.at(-2)).toMatchObject({
    event: 'published',
    exit_code: 0,
    message: expect.stringMatching(/^Published /) as string,
  });
  const end = { event: 'run_ended', exit_code: 0, outcome: 'done', error: null, hint: null };
  expect(lines.at(-1)).toMatchObject(end);
});

test('an error is an object too, with its hint', async () => {
  const place = await makePlace('start_date: 2026-11-20\nretries: 0\n');
  const { stderr, code } = await place.execute(['run'], {
    DAWNLOAD_LOG_FORMAT: 'json',
    DAWNLOAD_SECRET_KEY: 'a-wrong-secret',
  });
  expect(code).not.toBe(0);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(stderr).not.toContain('a-wrong-secret');
  expect(stderr).not.toContain('Finished publishing');
  const end = { event: 'run_ended', exit_code: 1, outcome: 'failed', error: 'CredentialsError' };
  expect(lines.at(-1)).toMatchObject({ ...end, hint: expect.stringMatching(/\w/) as string });
});

extended(
  'text has its times where nobody adds them, and --quiet is silent unless something is wrong',
  async () => {
    const place = await makePlace('start_date: 2026-11-20\nretries: 0\n');
    const timed = await place.execute(['run', '--log-format', 'timed']);
    for (const line of timed.stderr.trim().split('\n')) expect(line).toMatch(/^2026-11-21 07:3\d:\d\d KST /);
    expect(await place.execute(['run', '--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const { stderr } = await place.execute(['run', '--quiet', '--log-format', 'json']);
    expect(JSON.parse(stderr)).toMatchObject({ event: 'run_ended', exit_code: 0 });
    const failed = await place.execute(['run', '--quiet'], { DAWNLOAD_SECRET_KEY: 'a-wrong-secret' });
    expect(failed.stderr).toMatch(/^dawnload: The service refuses.*\n {2}\w/);
    const mistyped = await place.execute(['run'], { DAWNLOAD_LOG_FORMAT: 'jsn' });
    expect(mistyped.code).toBe(2);
    expect(mistyped.stderr).toContain("from env 'DAWNLOAD_LOG_FORMAT' is invalid");
  },
);

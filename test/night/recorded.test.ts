// @module-tag long
/** How a run ended, as the journal, `status`, `doctor` and the published file tell it. */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Place } from '../support/dawnload.js';
import { NOW, start, ended, type Ended } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import { extended } from '../support/tags.js';

const DAYS = 'start_date: 2026-11-19\nlookback_days: 2\nretries: 0\n';
const PAID = `${DAYS}exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n`;

const data = (place: Place, ...names: string[]): string => join(place.folder, 'data', ...names);

interface Told {
  readonly last_run: { command: string; exit_code: number | null; outcome: string | null } | null;
  readonly running: { command: string; pid: number } | null;
  readonly failure: string | null;
  readonly under_way: readonly string[];
  readonly needs_attention: readonly { key: string; advice: string }[];
}

async function status(place: Place): Promise<Told & { code: number | null }> {
  const { stdout, code } = await place.run(['status', '--json']);
  return { ...(JSON.parse(stdout) as Told), code };
}

/** The last line of the journal. */
async function journalEnd(place: Place): Promise<unknown> {
  const lines = (await readFile(data(place, 'ledger', 'journal.jsonl'), 'utf8')).trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '');
}

/** The built command under an account without privileges, which owns the folder meanwhile. */
async function unprivileged(place: Place, args: readonly string[]): Promise<Ended> {
  const account = 65534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) spawnSync('chown', ['-R', `${account}:${account}`, place.folder]);
  const child = spawn(process.execPath, [join(process.cwd(), 'dist/src/cli.js'), ...args], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', DAWNLOAD_NOW: NOW, ...place.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: account, gid: account } : {}),
  });
  const result = await ended(child);
  if (isRoot) spawnSync('chown', ['-R', '0:0', place.folder]);
  return result;
}

test('a run that cannot publish is noticed before anything is paid for, and recorded as failed everywhere', async () => {
  const place = await makePlace(PAID);
  expect((await place.run(['run'])).code).toBe(0);
  const billed = place.sandbox.requests().E20;
  expect((await status(place)).code).toBe(0);
  await place.configure(PAID.replace('2026-11-19', '2026-11-14'));
  if (process.getuid?.() === 0) await unprivileged(place, ['--version']);
  await chmod(data(place), 0o555);
  const run = await unprivileged(place, ['run']);
  await chmod(data(place), 0o755);
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/warehouse\.duckdb cannot be written \(EACCES\)/);
  expect(place.sandbox.requests().E20).toBe(billed);
  expect(await journalEnd(place)).toMatchObject({ exitCode: 1, outcome: 'failed' });
  const told = await status(place);
  expect(told).toMatchObject({
    code: 1,
    last_run: { exit_code: 1, outcome: 'failed' },
    failure: expect.stringContaining('cannot be written') as string,
  });
  expect((await place.run(['doctor'])).stdout).toMatch(/warn {2}last run .*exit code 1 \(failed/);
  // The next run publishes, and the record of the failed one is right in the file too.
  expect((await place.run(['run'])).code).toBe(0);
  expect(await place.rows('select exit_code, outcome from ops.runs order by exit_code')).toEqual([
    { exit_code: 0, outcome: 'done' },
    { exit_code: 0, outcome: 'done' },
    { exit_code: 1, outcome: 'failed' },
  ]);
  expect(await status(place)).toMatchObject({ code: 0, failure: null });
});

extended('a published file that this account may not read is no damaged one', async () => {
  const place = await makePlace(DAYS);
  expect((await place.run(['run'])).code).toBe(0);
  if (process.getuid?.() === 0) await unprivileged(place, ['--version']);
  await chmod(data(place, 'warehouse.duckdb'), 0o200);
  for (const command of ['status', 'run', 'rebuild', 'doctor']) {
    const { code, stdout, stderr } = await unprivileged(place, [command]);
    expect([command, code]).toEqual([command, 1]);
    expect(stdout + stderr).toMatch(/Cannot read .*warehouse\.duckdb: permission is denied/);
    expect(stdout + stderr).not.toMatch(/is not a DuckDB file/);
  }
  await chmod(data(place, 'warehouse.duckdb'), 0o644);
  expect((await place.run(['run'])).code).toBe(0);
});

test('runs that fail at their end, or whose private warehouse is damaged, are recorded as failed, and the rebuilt file tells of them', async () => {
  const place = await makePlace(DAYS);
  const fails = async (): Promise<void> => {
    expect((await place.run(['run'])).code).toBe(1);
    expect(await journalEnd(place)).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(await status(place)).toMatchObject({ code: 1, last_run: { outcome: 'failed' } });
  };
  // A folder in the place of the log: what the free part of a run needs is found out at its end.
  await mkdir(data(place, 'warehouse.duckdb.wal'), { recursive: true });
  await writeFile(data(place, 'warehouse.duckdb.wal', 'x'), '');
  await fails();
  await rm(data(place, 'warehouse.duckdb.wal'), { recursive: true });
  expect((await place.run(['run'])).code).toBe(0);
  await writeFile(data(place, 'private', 'warehouse.duckdb'), 'no database');
  await fails();
  expect((await place.run(['rebuild'])).code).toBe(0);
  const outcomes = await place.rows('select outcome from ops.runs order by outcome');
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'failed', 'failed']);
});

extended(
  'a copy of the published file alone is shown to a reader without keys, without a word of the journal',
  async () => {
    const key = '';
    const place = await makePlace(PAID);
    expect((await place.run(['run'])).code).toBe(0);
    const reader = join(place.folder, 'reader');
    await mkdir(reader);
    await copyFile(data(place, 'warehouse.duckdb'), join(reader, 'warehouse.duckdb'));
    for (const command of [['status'], ['plan'], ['report', '--output', join(place.folder, 'page.html')]]) {
      const { code, stderr } = await place.run([...command, '--data-dir', reader], {
        DAWNLOAD_ACCESS_KEY: key,
      });
      expect(code).toBe(0);
      expect(stderr).not.toContain('journal');
    }
    // What the file says of exports is shown.
    const told = async (args: readonly string[], dir: string): Promise<string> =>
      (await place.run([...args, '--data-dir', dir], { DAWNLOAD_ACCESS_KEY: key })).stdout;
    expect(await told(['exports', 'list'], reader)).toMatch(/2026-11-20\.1 +│ +loaded/);
    const fees = async (dir: string): Promise<unknown> =>
      (JSON.parse(await told(['status', '--json'], dir)) as Record<string, unknown>)['export_fees'];
    expect(await fees(reader)).toEqual(await fees(data(place)));
    expect(await fees(reader)).not.toEqual([]);
    // In a folder in which runs work the same is a doubt.
    await rm(data(place, 'ledger'), { recursive: true });
    await rm(data(place, 'landing', 'ledger'), { recursive: true });
    const { code, stderr } = await place.run(['status']);
    expect(code).toBe(1);
    expect(stderr).toContain('The journal lacks line');
  },
);

describe('after a kill within a paid request', () => {
  async function killed(): Promise<Place> {
    const place = await makePlace(`${PAID}  price_per_record: 0.5\n`);
    place.sandbox.setFaults([{ endpoint: 'E20', kind: 'no-answer', billed: true, times: 1 }]);
    const child = start(['run'], place.folder, place.environment);
    const over = ended(child);
    while (place.sandbox.requests().E20 === 0) await new Promise((next) => setTimeout(next, 20));
    const during = await status(place);
    expect(during.running).toMatchObject({ command: 'dawnload run', pid: child.pid });
    expect(during.needs_attention).toEqual([]);
    const listed = await place.run(['exports', 'list']);
    expect(listed.code).toBe(0);
    child.kill('SIGKILL');
    await over;
    return place;
  }

  test('status, plan and exports list show the export as what it is, with advice', async () => {
    const place = await killed();
    const advice = /Export 2026-11-20\.1 .*may have been billed.*killed before it recorded.*attach/s;
    const told = await status(place);
    expect(told.code).toBe(1);
    expect(told.running).toBeNull();
    expect(told.needs_attention.map(({ key }) => key)).toEqual(['2026-11-20.1']);
    const list = await place.run(['exports', 'list']);
    expect(list.code).toBe(1);
    expect(list.stdout).toMatch(/2026-11-20\.1 .*intended/);
    const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
    expect(flat(list.stderr)).toMatch(advice);
    const plan = await place.run(['plan']);
    expect(plan.code).toBe(1);
    expect(plan.stdout).toMatch(/so far 1 export, ([\d,]+) records \(\1 of them expected\), price about /);
    expect(flat(plan.stderr)).toMatch(advice);
    const shown = await place.run(['exports', 'show', '2026-11-20.1']);
    expect(shown.stdout).toContain('window    2026-11-19T15:00:00.000Z to 2026-11-20T15:00:00.000Z (UTC)\n');
    expect(shown.code).toBe(1);
    expect(shown.stdout).toMatch(/^export +2026-11-20\.1, of the KST day 2026-11-20\nstate +intended: /);
    expect(shown.stdout).toMatch(/^billed +perhaps, price about [\d,]+$/m);
    const json = await place.run(['exports', 'show', '2026-11-20.1', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'intended', billed: 'maybe' });
    const { stdout } = await place.run(['status']);
    expect(stdout).toMatch(/^last run {2}run, killed, /m);
    expect(stdout).toMatch(
      /^fees +2026-11: 1 export, ([\d,]+) records \(\1 of them expected\), price about /m,
    );
  });
});

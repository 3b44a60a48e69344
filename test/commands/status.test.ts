// @module-tag long
/** What monitors ask: the status as metrics, and for an account that may not read the journal. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Journal } from '../../src/journal/journal.js';
import { CLI, ended, NOW, Place, type Environment } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';

const YAML = 'start_date: 2026-11-20\nretries: 0\n';

/** One world, in which each test leaves what the next one can begin with. */
let place: Place;
beforeAll(async () => {
  place = await Place.make(YAML);
  place.leavesStatus = true;
  expect((await place.run(['run'])).code).toBe(0);
});
afterAll(() => place.remove());

test('every command that changes what status shows leaves it for others', async () => {
  const file = join(place.folder, 'data/status.json');
  const withoutAge = (text: string): string => text.replace(/, [\d.]+ \w+ ago/, '');
  const read = vi.spyOn(Journal, 'read');
  for (const line of [
    'run',
    'exports decide 2026-11-20.1 --attach 8c1f0e2a --yes',
    'exports decide 2026-11-20.1 --abandon',
    'recover',
  ]) {
    rmSync(file, { force: true });
    read.mockClear();
    expect((await place.run(line.split(' '))).code, line).toBe(0);
    // A journal of years takes seconds to read: the one that the command had open is enough.
    expect(read, line).not.toHaveBeenCalled();
    const { text } = JSON.parse(readFileSync(file, 'utf8')) as { text: string };
    expect(withoutAge(text), line).toBe(withoutAge((await place.run(['status'])).stdout));
  }
});

test.skipIf(process.getuid?.() !== 0)(
  'an account that may not read the journal sees what the latest command left, until a day is complete that it lacks',
  async () => {
    for (const folder of ['', 'data']) chmodSync(join(place.folder, folder), 0o755);
    const file = join(place.folder, 'data/status.json');
    expect(statSync(file).mode & 0o777).toBe(0o644);
    const own = await place.run(['status']);
    const asOther = (now: string, ...words: readonly string[]) => {
      const account = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, CLI];
      const args = ['status', '--data-dir', join(place.folder, 'data'), ...words];
      const env = { PATH: process.env['PATH'], DAWNLOAD_NOW: now };
      return ended(spawn('setpriv', [...account, ...args], { cwd: '/', env }));
    };
    const seen = await ends(asOther(NOW), 0, 'by the last command.');
    const withoutAge = (text: string): string => text.replace(/, [\d.]+ \w+ ago/, '').trim();
    expect(withoutAge(seen.stdout)).toBe(withoutAge(own.stdout));
    expect(JSON.parse((await asOther(NOW, '--json')).stdout)).toMatchObject({ fresh: true });
    await ends(asOther('2026-11-21T22:30:00Z'), 1, 'No run has ended since 2026-11-21 became complete.');
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'status ends with 1 in a folder that the account of the job cannot write or read',
  async () => {
    const asOther = (environment: Environment) => {
      const account = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, CLI];
      const args = ['status', '--config', join(place.folder, 'dawnload.yaml')];
      const env = { PATH: process.env['PATH'], DAWNLOAD_NOW: NOW, ...environment };
      return ended(spawn('setpriv', [...account, ...args], { cwd: '/', env }));
    };
    for (const [file, mode] of [['', 0o755] as const, ['dawnload.yaml', 0o644] as const])
      chmodSync(join(place.folder, file), mode);
    await ends(asOther(place.environment), 1, /Cannot read \S+journal.jsonl: permission is denied/);
    const data = join(place.folder, 'data');
    await promisify(execFile)('chmod', ['-R', 'a+rX', data]);
    await ends(asOther({}), 1, `${data} cannot be written: permission is denied. Mount it writable, give it`);
    const { stdout } = await asOther(place.environment);
    expect(stdout).toContain('fresh     all days up to 2026-11-20 are complete');
    expect((await place.run(['status'])).code).toBe(0);
  },
);

test('status --format prometheus has the numbers of the latest run', async () => {
  const metrics = async (): Promise<unknown> => {
    const { stdout } = await place.run(['status', '--format', 'prometheus']);
    const lines = stdout.split('\n').filter((line) => !line.startsWith('# '));
    for (const line of lines) expect(line).toMatch(/^dawnload_[a-z_]+(\{stream="\w+"\})? [\d.]+$/);
    return Object.fromEntries(lines.map((line) => line.split(' ')));
  };
  const day = 'dawnload_missing_days{stream="statistics"}';
  // Each rule reads metrics that are there.
  const known = Object.keys((await metrics()) as object).map((name) => name.replace(/\{.*/, ''));
  const rules = readFileSync('deploy/prometheus.yml', 'utf8').match(/expr: .*/g) ?? [];
  expect(rules).toHaveLength(5);
  for (const name of rules.join().match(/dawnload_\w+/g) ?? []) expect(known).toContain(name);
  expect(await metrics()).toMatchObject({
    dawnload_sound: '1',
    dawnload_last_run_exit_code: '0',
    [day]: '0',
  });
  expect((await place.run(['run'], { DAWNLOAD_SECRET_KEY: 'a-wrong-secret' })).code).toBe(1);
  expect(await metrics()).toMatchObject({
    dawnload_sound: '0',
    dawnload_last_run_exit_code: '1',
    [day]: '0',
  });
});

test('status ends with 3 where only budget is lacking, which a health check allows', async () => {
  const place = await makePlace(`${YAML}exports: { budget: { records_per_run: 1 } }\n`);
  expect((await place.run(['run'])).code).toBe(3);
  const { code, stdout } = await place.run(['status', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([3, { fresh: false, over_budget: ['2026-11-20'] }]);
  expect((await place.run(['status'])).stdout).toContain('budget    does not allow 1 day, 2026-11-20:');
  expect((await place.run(['doctor'])).stdout).toMatch(/exit code 3 .*\n\s+Days wait for budget:/);
  expect((await place.run(['run'], { DAWNLOAD_SECRET_KEY: 'a-wrong-secret' })).code).toBe(1);
  expect((await place.run(['status'])).code).toBe(1);
  // The second copy of the journal is for the job's account alone.
  expect(statSync(join(place.folder, 'data/landing/ledger')).mode & 0o777).toBe(0o700);
});

test('a read-only root without a folder for temporary files says what to mount', async () => {
  const place = await makePlace(YAML);
  const { code, stderr } = await place.execute(['docs'], { TMPDIR: join(place.folder, 'none') });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^dawnload: Temporary files cannot be written to \S+none: .*\n {2}Set TMPDIR/);
});

// @module-tag long
/** What monitors ask: the exit code, the status as metrics, and what an account sees that may not read the journal. */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, ended, NOW, Place, type Environment } from '../support/dawnload.js';
import { ends, makePlace } from '../support/place.js';

const YAML = 'start_date: 2026-11-20\nretries: 0\n';

/** One world, in which each test leaves what the next one can begin with. */
let place: Place;
beforeAll(async () => {
  place = await Place.make(YAML);
  expect((await place.run(['run'])).code).toBe(0);
});
afterAll(() => place.remove());

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
    expect(stdout).toContain('fresh     every wanted day up to 2026-11-20 is there');
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

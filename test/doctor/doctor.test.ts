import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { check, ok, type Check, lock } from '../../src/operations/doctor.js';
import { RunLock } from '../../src/disk/run-lock.js';
import { KEYS, NOW, Place, type Environment } from '../support/dawnload.js';
import { extended, long } from '../support/tags.js';

const SETTINGS = 'start_date: 2026-11-20\nlookback_days: 1\nrequest_timeout_seconds: 1\n';

let place: Place;
beforeAll(async () => {
  place = await Place.make(SETTINGS, {
    eventsPerDay: 200,
  });
  expect((await place.run(['run'])).code).toBe(0);
});
afterAll(() => place.remove());
afterEach(() => {
  place.sandbox.setFaults([]);
});

interface Diagnosis {
  readonly checks: readonly Check[];
  readonly ok: boolean;
  readonly code: number | null;
  of(name: string): Check | undefined;
  /** The names of those that failed. */
  readonly failed: readonly string[];
}

async function diagnose(environment: Environment = {}, args: readonly string[] = []): Promise<Diagnosis> {
  const { stdout, stderr, code } = await place.run(['doctor', '--json', ...args], environment);
  expect(stderr).toBe('');
  for (const secret of Object.values(KEYS)) expect(stdout).not.toContain(secret);
  const { checks, ok } = JSON.parse(stdout) as { checks: Check[]; ok: boolean };
  // Each has a verdict, a reason, and a remedy where something is to be done; each name comes once.
  for (const { verdict, reason, remedy } of checks) {
    expect(reason).not.toBe('');
    expect(remedy === null).toBe(verdict === 'ok');
  }
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
  expect(ok).toBe(checks.every(({ verdict }) => verdict !== 'fail'));
  expect(code).toBe(ok ? 0 : 1);
  return {
    checks,
    ok,
    code,
    of: (name) => checks.find((check) => check.name === name),
    failed: checks.filter(({ verdict }) => verdict === 'fail').map(({ name }) => name),
  };
}

test('where all is well nothing fails, and what is free is all that is sent', async () => {
  const before = place.sandbox.bills().length;
  const result = await diagnose({}, ['--deep']);
  expect(result.checks.map(({ name }) => name).join()).toBe(
    'versions,settings,keys,access,project access,clock,permissions,disk,lock,project,ledger,' +
      'warehouse,days,erasures,last run,alerts,published file,private file,landing zone',
  );
  expect(result.failed).toEqual([]);
  expect(place.sandbox.bills()).toHaveLength(before);
});

const NOWHERE = 'https://no-such-host.invalid';
type Faults = Parameters<Place['sandbox']['setFaults']>[0];

const e1 = (answer: object): Faults => [{ endpoint: 'E1', kind: 'status', status: 200, ...answer }];
const e17 = (answer: object): Faults => [{ endpoint: 'E17', kind: 'status', status: 404, ...answer }];
const off = (seconds: number): Environment => ({
  DAWNLOAD_NOW: new Date(Date.parse(NOW) + seconds * 1000).toISOString(),
});
const url = (address: string): Environment => ({ DAWNLOAD_BASE_URL: address });
const NO_KEYS = { DAWNLOAD_ACCESS_KEY: '', DAWNLOAD_SECRET_KEY: '' };
const OTHER = { DAWNLOAD_PROJECT_ID: '1123456789abcdef0123456789abcdef' };
const LATER = { ...url('http://127.0.0.1:9'), DAWNLOAD_NOW: '2026-11-24T03:00:00Z' };
const UNFETCHED =
  /^warn last run: No run has fetched 2026-11-23, which has been complete since 2026-11-24 07:00 KST/m;
const SILENCE: Faults = [{ endpoint: 'E1', kind: 'no-answer', billed: false }];

test.each<[string, Environment, Faults, failed: string[], told: RegExp]>([
  ['keys that ended with a demo', NO_KEYS, [], [], /^warn keys: not set\. base_url points to this machine/m],
  [
    'a key with a blank that nobody sees',
    { DAWNLOAD_SECRET_KEY: `${KEYS.secretKey}\u00a0` },
    [],
    [],
    /^warn keys: Blank characters around DAWNLOAD_SECRET_KEY \(U\+00A0\) are ignored\. Remove them/m,
  ],
  [
    'nobody who hears of a night',
    {},
    [],
    [],
    /^warn alerts: Nobody gets an alert when a run fails\. Add alerts/m,
  ],
  ['no keys for a service elsewhere', { ...NO_KEYS, ...url(NOWHERE) }, [], ['keys'], /keys are not set/],
  ['an address without a host', url(NOWHERE), [], ['access'], /cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/],
  ['a service that is away', url('http://127.0.0.1:9'), [], ['access'], /cannot be reached \(ECONNREFUSED\)/],
  ['http beyond this machine', url('http://no.invalid'), [], ['access'], /^fail access: .*allow_http/m],
  [
    'keys that are refused',
    { DAWNLOAD_SECRET_KEY: 'x' },
    [],
    ['access'],
    /^fail access: .*DAWNLOAD_SECRET_KEY/m,
  ],
  ['the page of a proxy', {}, e1({ body: '<html>Log in</html>' }), ['access'], /^fail access: .*HTML page/m],
  ['silence', {}, SILENCE, ['access'], /^fail access: .*within 1 s/m],
  ['an unknown project', {}, e17({ body: { error: 'NotFound' } }), ['project access'], /refuses project/],
  [
    'an answer of another shape',
    {},
    e17({ status: 200, body: {} }),
    ['project access'],
    /something other than statistics/,
  ],
  ['the project of others', OTHER, [], ['project access', 'project'], /denies access to project 1123/],
  ['a day that nobody has fetched', LATER, [], ['access'], UNFETCHED],
  ['a clock three minutes behind', off(-180), [], [], /^warn clock: .*behind/m],
  ['a clock an hour behind', off(-3_600), [], ['clock'], /^fail clock: .*behind.*no paid request/m],
  // Not even root may write there.
  ['no place to write', { DAWNLOAD_DATA_DIR: '/proc/sys/kernel' }, [], ['permissions'], /cannot be written/],
])('the doctor finds %s, and looks at the rest', async (_, environment, faults, failed, told) => {
  place.sandbox.setFaults(faults);
  const result = await diagnose(environment);
  expect(result.failed).toEqual(failed);
  const lines = result.checks.map(
    ({ verdict, name, reason, remedy }) => `${verdict} ${name}: ${reason} ${remedy}`,
  );
  expect(lines.join('\n')).toMatch(told);
  expect(result.of('alerts')).toBeDefined();
});

test('says what is not noticed where the witness does not identify its file', async () => {
  await place.configure(`${SETTINGS}witness: head\n`);
  expect((await diagnose()).of('ledger')).toMatchObject({
    verdict: 'ok',
    reason: expect.stringContaining('a copied data folder is not recognized') as string,
  });
  await place.configure(SETTINGS);
});

test('a setting of privacy under which a run would stop fails before the night', async () => {
  await place.configure(`${SETTINGS}privacy: { recipients: drop }\n`);
  const result = await diagnose();
  expect(result.of('warehouse')).toMatchObject({
    verdict: 'fail',
    reason: 'The warehouse was made with privacy.recipients hash; the setting is now drop.',
  });
  const plan = await place.run(['plan']);
  expect([plan.code, plan.stderr]).toEqual([2, expect.stringContaining('the setting is now drop')]);
  await place.configure(SETTINGS);
});

test('a push that cannot be asked is named before the night', async () => {
  await place.configure(`${SETTINGS}pushes:
  - { name: one, target: user-properties, query: message-pressure, params: { start: 2026-11-18 } }
  - { name: two, target: user-properties, query: nosuch }
  - { name: three, target: user-properties, file: nofile.sql }
  - { name: sound, target: user-properties, sql: select 1 as user_id }
`);
  const { verdict, reason = '' } = (await diagnose()).of('settings') ?? {};
  expect(verdict).toBe('warn');
  expect(reason).toMatch(
    /The push one: .* has no parameter start.*The push two: .*nosuch.*The push three: .*nofile/,
  );
  expect(reason).not.toContain('sound');
  await place.configure(SETTINGS);
});

test('a .env that others can read is a warning', async () => {
  const env = join(place.folder, '.env');
  await writeFile(env, 'OTHER=1\n');
  for (const name of ['ledger', 'private', 'private/hmac.key', 'landing']) {
    const path = join(place.folder, 'data', name);
    const isFile = name.endsWith('.key');
    await chmod(path, isFile ? 0o640 : 0o750);
    const open = (await diagnose()).of('permissions');
    expect(open).toMatchObject({ verdict: 'warn', remedy: `Run \`chmod -R go= ${path}\`.` });
    await chmod(path, isFile ? 0o600 : 0o700);
  }
  await chmod(env, 0o640);
  const found = (await diagnose()).of('permissions');
  await rm(env);
  expect(found).toMatchObject({ verdict: 'warn', remedy: `Run \`chmod 600 ${env}\`.` });
});

describe('the service', () => {
  test('with a certificate of its own making is told of as that', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '3', '-subj', '/CN=127.0.0.1'],
    ]);
    if (made.status !== 0) context.skip('no openssl to make a certificate');
    const server = createHttps({ key: await readFile(key), cert: await readFile(cert) });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const address = { DAWNLOAD_BASE_URL: `https://127.0.0.1:${port}` };
    const result = await diagnose(address);
    expect(result.failed).toEqual(['access']);
    expect(result.of('access')?.reason).toMatch(
      /certificate of .* is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    );
    expect(result.of('access')?.remedy).toContain('NODE_EXTRA_CA_CERTS');
    server.close();
    await rm(folder, { recursive: true });
  });
});

describe('the data folder', () => {
  test('whose published file is gone is told of, here and by status', async () => {
    const aside = `${place.published}.aside`;
    await rename(place.published, aside);
    const result = await diagnose();
    const status = await place.run(['status']);
    await rename(aside, place.published);
    expect([result.of('warehouse')?.verdict, result.ok]).toEqual(['warn', true]);
    expect(result.of('warehouse')?.reason).toContain(`${place.published} does not exist`);
    expect(status.stdout).toContain('No warehouse was published yet; `dawnload run` creates it.');
  });

  test('whose ledger_copy cannot be written is found before the night', async () => {
    // Not even root may write there.
    await place.configure(`${SETTINGS}ledger_copy: /proc/sys/kernel/journal.jsonl\n`);
    const result = await diagnose();
    await place.configure(SETTINGS);
    expect(result.of('permissions')).toMatchObject({
      verdict: 'fail',
      remedy: expect.stringContaining('ledger_copy') as string,
    });
  });

  test('with the published file alone does not say that there was no run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dawnload-reader-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(place.published, join(folder, 'warehouse.duckdb'));
    const result = await diagnose({ DAWNLOAD_DATA_DIR: folder, ...NO_KEYS });
    expect(result.of('last run')?.reason).toContain('No run was recorded yet');
  });

  test('without a settings file fails in one check', async () => {
    const result = await place.run(['doctor', '--json', '--config', 'nowhere.yaml']);
    expect(result.code).toBe(1);
    const { checks } = JSON.parse(result.stdout) as { checks: Check[] };
    expect(checks.at(-1)).toMatchObject({ name: 'settings', verdict: 'fail' });
  });

  test('with a file that is no warehouse is told of', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'dawnload-schema-'));
    const path = join(copy, 'warehouse.duckdb');
    await writeFile(path, 'my diary');
    expect((await diagnose({ DAWNLOAD_DATA_DIR: copy })).failed).toEqual(['warehouse']);
    await rm(copy, { recursive: true });
  });

  test('names who has the lock, and knows a name that was left behind', async () => {
    const data = await mkdtemp(join(tmpdir(), 'dawnload-lock-'));
    const effects = { now: () => new Date(NOW), reach: () => undefined } as never;
    expect(await lock(data, new Date(NOW))).toEqual(ok('free'));
    const taken = await RunLock.take(data, 'dawnload run', effects);
    expect(await lock(data, new Date(NOW))).toMatchObject({
      verdict: 'warn',
      reason: expect.stringMatching(
        /Taken by process \d+, `dawnload run`, since 2026-11-21 07:30 KST/,
      ) as string,
    });
    const name = join(data, 'private', 'lock.json');
    const left = await readFile(name);
    await taken.release();
    await writeFile(name, left);
    expect(await lock(data, new Date(NOW))).toMatchObject({
      verdict: 'ok',
      reason: expect.stringMatching(/^free; .* was killed/) as string,
    });
    await rm(data, { recursive: true });
  });
});

test('a check that hangs or throws is a finding, and the next one runs', async () => {
  const told = [
    await check('hangs', () => new Promise<never>(() => undefined), 20),
    await check('throws', () => {
      throw new TypeError('so what');
    }),
    await check('works', () => ok('well')),
  ];
  expect(told.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['hangs', 'fail'],
    ['throws', 'fail'],
    ['works', 'ok'],
  ]);
  expect(told[0]?.reason).toMatch(/did not end within/);
});

describe('a first account', () => {
  const first = async (where: Place): Promise<Record<string, string>> => {
    const { stdout } = await where.run(['doctor', '--first', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return Object.fromEntries(
      checks.flatMap(({ name, verdict }) => (name.startsWith('first: ') ? [[name.slice(7), verdict]] : [])),
    );
  };

  test('is shown what is proven, and what is next', async () => {
    expect(await first(place)).toEqual({
      statistics: 'ok',
      messenger: 'ok',
      'first export': 'warn',
      'page parameter': 'warn',
      brand: 'warn',
      refusals: 'warn',
      properties: 'warn',
      events: 'warn',
    });
  });

  long('gets commands for pushes that work as they stand there', async () => {
    const file = join(place.folder, 'one.sql');
    await writeFile(file, "select 'u1' as user_id, 'e1' as id");
    const { checks } = await diagnose({}, ['--first']);
    const commands = checks.flatMap(({ remedy }) => [...(remedy ?? '').matchAll(/`dawnload (push [^`]+)`/g)]);
    expect(commands).toHaveLength(2);
    for (const [, command = ''] of commands) {
      const { code, stderr } = await place.run([...command.replace('one.sql', file).split(' '), '--dry-run']);
      expect([command, code, stderr]).toEqual([command, 0, expect.anything()]);
    }
  });

  extended('whose page parameter is wrong learns which setting to correct', async () => {
    const settings =
      'start_date: 2026-11-20\nexports: { page_parameter: wrong, budget: { records_per_run: 10000 } }\n';
    const paid = await Place.make(settings, { eventsPerDay: 2_500, pageParameter: 'page' });
    try {
      expect((await paid.run(['run'])).code).toBe(1);
      expect(await first(paid)).toMatchObject({ 'page parameter': 'fail' });
      await paid.configure(settings.replace('wrong', 'page'));
      expect((await paid.run(['run'])).code).toBe(0);
      expect(await first(paid)).toMatchObject({ 'page parameter': 'ok' });
    } finally {
      await paid.remove();
    }
  });

  test.each([['acme', { 'first export': 'ok', brand: 'fail', refusals: 'ok' }]])(
    'with brand: %s has proven this after a paid day: %j',
    { tags: ['long'] },
    async (brand, verdicts) => {
      const budget = 'exports: { budget: { records_per_run: 10000, records_per_month: 10000 } }';
      const paid = await Place.make(`start_date: 2026-11-20\nbrand: ${brand}\n${budget}\n`, {
        eventsPerDay: 200,
      });
      try {
        expect(await first(paid)).toEqual({ run: 'warn' });
        await paid.run(['run']);
        expect(await first(paid)).toMatchObject(verdicts);
      } finally {
        await paid.remove();
      }
    },
  );
});

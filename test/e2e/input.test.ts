// @module-tag long
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLI, ended, start, type Ended, type Environment } from '../support/dawnload.js';

const SETTINGS = `base_url: http://127.0.0.1:9
project_id: 0123456789abcdef0123456789abcdef
start_date: 2026-11-18
retries: 0
`;
const KEYS = { DAWNLOAD_ACCESS_KEY: 'a-key-that-is-secret', DAWNLOAD_SECRET_KEY: 'another-secret' };

/** Without a terminal and without a service. */
const INIT =
  'init --skip-checks --base-url http://127.0.0.1:9 --project-id 0123456789abcdef0123456789abcdef --start-date 2026-11-14';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-input-'));
  await writeFile(join(folder, 'dawnload.yaml'), SETTINGS);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function dawnload(args: string, environment: Environment = KEYS): Promise<Ended> {
  return ended(start(args.split(' '), folder, environment));
}

/** What a person sees: one sentence that begins with the command's name, then what to do; no stack, no secret. */
function expectSentence({ stderr }: Ended, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).toMatch(/^dawnload: /m);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr).not.toContain('secret');
}

describe('wrong input is answered with one sentence, what to do, and exit code 2', () => {
  test.each<[string, RegExp]>([
    ['backfill --start 2026-02-30 --end 2026-11-20', /--start 2026-02-30 is not a day that exists/],
    ['backfill --start 2026-11-20 --end yesterday', /--end yesterday is not a day that exists/],
    ['backfill --start 2026-11-20 --end 2026-11-10', /--end 2026-11-10 is before --start 2026-11-20/],
    ['backfill --start 2026-12-01 --end 2026-12-05', /2026-12-01 is in the future/],
    ['backfill --start 2026-11-19 --end 2027-01-05', /2027-01-05 is in the future/],
    ['backfill --start 2026-11-19', /required option '--end <day>'/],
    ['backfill --start 2026-11-19 --end 2026-11-19 --streams clicks', /There is no stream "clicks"/],
    ['backfill --start 2026-11-19 --end 2026-11-19 --streams event', /Did you mean events\?/],
    ['rum', /unknown command 'rum'\s+\(Did you mean run\?\)/],
    ['run --jsn', /unknown option '--jsn'\s+\(Did you mean --json\?\)/],
    ['run --log-format jsn', /Did you mean json\?/],
    ['exports lst', /unknown command 'lst'\s+\(Did you mean list\?\)/],
    ['schedule print systemd', /too many arguments for 'schedule'/],
    ['completion zhs', /Did you mean zsh\?/],
    ['docs --lang kr', /Did you mean ko\?/],
    ['schedule --at 06:59', /before yesterday/],
    ['schedule --at 25:99', /--at 25:99 is not a time of day/],
    [
      'backfill --start 2026-11-19 --end 2026-11-19 --streams opt_outs',
      /reference\.opt_outs is not set, so there is nothing to pull/,
    ],
    ['exports resume 2026-11-20.1', /There is no export 2026-11-20\.1/],
    ['run --config nowhere.yaml', /no configuration file/],
    ['query --format xml', /--format/],
  ])('dawnload %s', async (args, words) => {
    const result = await dawnload(args);
    expectSentence(result, words);
    expect(result.code).toBe(2);
  });

  test('an unknown key in the settings', async () => {
    await writeFile(join(folder, 'dawnload.yaml'), `${SETTINGS}lookback_day: 3\n`);
    const result = await dawnload('run');
    expectSentence(result, /unknown key "lookback_day"[\s\S]*lookback_days/);
    expect(result.code).toBe(2);
  });

  test('a project id that is not 32 hexadecimal digits', async () => {
    const result = await dawnload('run', { ...KEYS, DAWNLOAD_PROJECT_ID: 'my-project' });
    expectSentence(result, /DAWNLOAD_PROJECT_ID must be 32 lowercase hexadecimal digits/);
    expect(result.code).toBe(2);
  });

  test('no keys', async () => {
    const result = await dawnload('run', {});
    expectSentence(result, /access keys are not set[\s\S]*DAWNLOAD_ACCESS_KEY/);
    expect(result.code).toBe(2);
  });

  test('no settings at all', async () => {
    await rm(join(folder, 'dawnload.yaml'));
    const result = await dawnload('run');
    expectSentence(result, /There is no dawnload.yaml[\s\S]*dawnload init/);
    expect(result.code).toBe(2);
  });
});

describe('settings that are meant to do harm', () => {
  const ALIASES = ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'].map(
    ([name, of]) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(',')}]`,
  );

  test.each<[string, string, RegExp]>([
    ['aliases that multiply', ['a: &a [x]', ...ALIASES].join('\n'), /dawnload\.yaml cannot be understood/],
    ['a depth that no settings have', `exports: ${'['.repeat(50_000)}`, /dawnload\.yaml/],
    ['__proto__', `${SETTINGS}__proto__: { retries: 9 }\n`, /unknown key "__proto__"/],
    ['constructor', `${SETTINGS}exports: { constructor: { a: b } }\n`, /unknown key "exports\.constructor"/],
    ['http', SETTINGS.replace('127.0.0.1:9', '10.0.0.5'), /unencrypted[\s\S]*allow_http: true/],
  ])('%s: one sentence, exit code 2', async (_, yaml, words) => {
    await writeFile(join(folder, 'dawnload.yaml'), yaml);
    const result = await dawnload('run');
    expectSentence(result, words);
    expect(result.code).toBe(2);
  });

  test(
    'a .env in the working folder has no say in the settings of another folder',
    { tags: ['long'] },
    async () => {
      const elsewhere = await mkdtemp(join(tmpdir(), 'dawnload-elsewhere-'));
      try {
        await writeFile(
          join(elsewhere, '.env'),
          'DAWNLOAD_BASE_URL=http://127.0.0.1:10\nDAWNLOAD_DATA_DIR=books\n',
        );
        const args = ['run', '--config', join(folder, 'dawnload.yaml')];
        const result = await ended(start(args, elsewhere, KEYS));
        expect(result.stderr).toMatch(/127\.0\.0\.1:9 cannot be reached/);
        expect(await readdir(elsewhere)).toEqual(['.env']);
        expect(await readdir(folder)).toContain('data');
      } finally {
        await rm(elsewhere, { recursive: true });
      }
    },
  );

  test('init puts the keys beside the settings, where they are read', async () => {
    await mkdir(join(folder, 'etc'));
    const args = `${INIT} --config etc/dawnload.yaml`;
    expect((await dawnload(args)).code).toBe(0);
    expect((await readdir(join(folder, 'etc'))).sort()).toEqual(['.env', 'dawnload.yaml']);
  });
});

test('a process that may open too few files says so, exit code 1', async () => {
  const child = spawn('sh', ['-c', `ulimit -n 64; exec "${process.execPath}" "${CLI}" run`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result = await ended(child);
  expectSentence(result, /too many open files[\s\S]*ulimit -n/);
  expect(result.code).toBe(1);
});

describe('the calendar', () => {
  test('yesterday, asked for by name before 07:00 KST, is for later: exit code 75', async () => {
    const result = await dawnload('backfill --start 2026-11-20 --end 2026-11-20', {
      ...KEYS,
      DAWNLOAD_NOW: '2026-11-20T21:40:00Z',
    });
    expectSentence(result, /2026-11-20 is not complete before 2026-11-21 07:00 KST[\s\S]*20 min/);
    expect(result.code).toBe(75);
  });

  test('a start_date that is not complete yet leaves nothing to do', async () => {
    await writeFile(join(folder, 'dawnload.yaml'), SETTINGS.replace('2026-11-18', '2026-11-21'));
    const result = await dawnload('run');
    expect(result.stderr).toMatch(
      /Nothing to do yet: the start_date 2026-11-21 is complete from 2026-11-22 07:00 KST/,
    );
    expect(result.code).toBe(0);
  });
});

describe('the world outside', () => {
  test('a host that does not answer is named, exit code 1', { tags: ['long'] }, async () => {
    const result = await dawnload('run');
    expectSentence(result, /127\.0\.0\.1:9 cannot be reached/);
    expect(result.code).toBe(1);
  });

  test('a folder that cannot be written is named, exit code 1', async () => {
    // Not even root may make a folder there.
    const result = await dawnload('run', { ...KEYS, DAWNLOAD_DATA_DIR: '/proc/dawnload' });
    expectSentence(result, /Cannot create the folder \/proc\/dawnload/);
    expect(result.code).toBe(1);
  });

  test('a data folder that is a file is named, exit code 1', async () => {
    await writeFile(join(folder, 'data'), 'not a folder');
    const result = await dawnload('run');
    expectSentence(result, /data/);
    expect(result.code).toBe(1);
  });

  test('a warehouse that is not one is not touched', { tags: ['long'] }, async () => {
    await dawnload('run');
    await writeFile(join(folder, 'data', 'warehouse.duckdb'), 'this is my diary');
    for (const command of ['query --sql select', 'status', 'plan']) {
      const result = await dawnload(command);
      expectSentence(result, /warehouse\.duckdb is not a DuckDB file/);
      expect(result.code).toBe(1);
    }
    const run = await dawnload('run');
    expectSentence(run, /warehouse\.duckdb is not a DuckDB file[\s\S]*dawnload rebuild/);
    expect(run.code).toBe(1);
    expect(await readFile(join(folder, 'data', 'warehouse.duckdb'), 'utf8')).toBe('this is my diary');
  });

  test('a rebuild sets such a file aside', { tags: ['long'] }, async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(join(folder, 'data', 'warehouse.duckdb'), 'this is my diary');
    expect((await dawnload('rebuild')).code).toBe(0);
    const aside = (await readdir(join(folder, 'data'))).find((name) => name.includes('set-aside'));
    expect(await readFile(join(folder, 'data', aside ?? ''), 'utf8')).toBe('this is my diary');
  });

  test('asking a warehouse that is not there yet says how to make it', async () => {
    const result = await dawnload('query --sql select');
    expectSentence(result, /no warehouse[\s\S]*dawnload run/);
    expect(result.code).toBe(2);
  });
});

describe('help', () => {
  test('each command begins its help with examples', { tags: ['long'] }, async () => {
    const { stdout } = await dawnload('help');
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name]) => name ?? '');
    expect(commands).toEqual(
      expect.arrayContaining([
        'demo',
        'init',
        'doctor',
        'plan',
        'run',
        'backfill',
        'exports',
        'rebuild',
        'status',
        'query',
        'schedule',
        'sandbox',
      ]),
    );
    for (const command of ['', ...commands.filter((name) => name !== 'help')]) {
      const help = await dawnload(`${command} --help`);
      expect(help.stdout, command).toMatch(/^Examples:\n {2}dawnload /);
      expect(help.code).toBe(0);
    }
  });
});

describe('init', () => {
  test('writes settings that are understood and keeps what is there', { tags: ['long'] }, async () => {
    const refused = await dawnload(INIT);
    expectSentence(refused, /exists already[\s\S]*--force/);
    await rm(join(folder, 'dawnload.yaml'));
    expect((await dawnload(INIT)).code).toBe(0);
    const plan = await dawnload('plan --json', {});
    expect(plan.code).toBe(0);
    expect(JSON.parse(plan.stdout)).toMatchObject({ days: { start: '2026-11-14', end: '2026-11-20' } });
  });
});

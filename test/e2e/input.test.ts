// @module-tag long
/** What people may type, set or meet: one sentence, what to do, an exit code. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ended, executeEach, NOW, start, type Ended, type Environment } from '../support/dawnload.js';
import { performCommand } from '../support/in-process.js';
import { extended } from '../support/tags.js';

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

/** The built command, as a person starts it. */
function execute(args: string): Promise<Ended> {
  return ended(start(args.split(' '), folder, KEYS));
}

/** The command in this process, which takes a small part of the time; it ends with the same errors. */
async function dawnload(args: string, environment: Environment = KEYS, now = NOW): Promise<Ended> {
  const began = Date.now();
  const clock = {
    now: () => new Date(Date.parse(now) + Date.now() - began),
    moveTo: () => undefined,
  };
  return { ...(await performCommand(args.split(' '), folder, environment, clock)), signal: null };
}

/** What a person sees: one sentence that begins with the command's name, then what to do; no stack, no secret. */
function expectSentence({ stderr, code }: Ended, words: RegExp, exit: number): void {
  expect(stderr).toMatch(words);
  expect(stderr).toMatch(/^dawnload: /m);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr).not.toContain('secret');
  expect(code).toBe(exit);
}

/** What the parser of the command line refuses, and one error of each kind that comes later. */
const EXECUTED: [string, RegExp][] = [
  ['rum', /Unknown command 'rum'\.\s+Did you mean run\?/],
  ['help bakfill', /Unknown command: bakfill\.\s+Did you mean backfill\?/],
  ['run --jsn', /Unknown option '--jsn'\.\s+Did you mean --json\? `dawnload help run`/],
  ['backfill --start 2026-11-19', /--end <day> is missing\.\s+`dawnload help backfill` shows its options/],
  ['run --data-dir ', /--data-dir has no value\.\s+Name the data folder, or leave the option out/],
  ['lake plan --x', /Unknown option '--x'\.\s+`dawnload help lake` shows its options/],
  ['--data-dir status run --x', /Unknown option '--x'\.\s+`dawnload help run` shows its options/],
  ['schedule print systemd', /Too many arguments for 'schedule'/],
  ['completion zhs', /It must be one of bash, zsh, fish/],
  ['query --format xml', /--format/],
  ['sandbox --billing-journal nowhere/bills', /The sandbox cannot start \(ENOENT[^\n]*\)\.\s+Choose another/],
  ['forget -f nowhere', /nowhere cannot be read \(it does not exist\)\.\s+Use -f with a file/],
  ['exports decide 2026-11-20.1 --attach a-key-that-is-secret', /The export id is [^]*an access key/],
  ['run --config nowhere.yaml', /configuration file .* does not exist/],
  [INIT, /exists already[\s\S]*--force/],
];
const PERFORMED: [string, RegExp][] = [
  ['backfill --start 2026-11-20 --end 2026-11-10', /--end 2026-11-10 is before --start 2026-11-20/],
  [
    'query --sql select --output nowhere/x.csv',
    /the folder [^\n]*nowhere does not exist\.\s+Make the folder/,
  ],
  ['report --output nowhere/x.html', /the folder [^\n]*nowhere does not exist\.\s+Make the folder/],
  ['backfill --start 2026-11-19 --end 2026-11-19 --streams clicks', /"clicks" is not a stream/],
  ['backfill --start 2026-11-19 --end 2026-11-19 --streams event', /Did you mean events\?/],
  ['backfill --start 2026-11-19 --end 2026-11-19 --streams opt_outs', /reference\.opt_outs is not set/],
  ['exports resume 2026-11-20.1', /The ledger has no export 2026-11-20\.1/],
  ['exports decide 2026-11-20.1 --attach ..', /The export id is empty[^]*ask the operator of the service/],
  ['docs channel-sumary', /is not a table, a view or a question\.\s+Did you mean channel-summary\?/],
  ['exports decide 2026-11-20.1', /Exactly one decision is needed/],
  ['exports decide 2026-11-20.1 --abandon --pay-again', /Exactly one decision is needed/],
  ['run --config .', /cannot be read \(it is a folder, not a file\)/],
  ['query --sql select', /The warehouse .* does not exist yet[\s\S]*dawnload run/],
];
test('what is mistyped is answered with one sentence, what to do, and exit code 2', async () => {
  const typed = EXECUTED.map(([args]) => args.split(' '));
  const results = await executeEach(typed, folder, KEYS);
  for (const [nth, result] of results.entries()) expectSentence(result, EXECUTED[nth]?.[1] ?? /never/, 2);
});

test.each(PERFORMED)(
  'dawnload %s is answered with one sentence, what to do, and exit code 2',
  async (args, words) => {
    expectSentence(await dawnload(args), words, 2);
  },
);

test('without keys a run asks for them, but first for what is mistyped: one sentence, exit code 2', async () => {
  const unknown =
    /opt-out is neither a target nor a push of dawnload.yaml\.\s+Did you mean opt-outs\? Choose catalog-items/;
  expectSentence(await dawnload('push opt-out x', {}), unknown, 2);
  expectSentence(await dawnload('run', {}), /access keys are not set[\s\S]*DAWNLOAD_ACCESS_KEY/, 2);
});

test('all faults of the settings are named, each on its line', async () => {
  const wrong = { DAWNLOAD_BASE_URL: 'x', DAWNLOAD_PROJECT_ID: 'y' };
  const lines =
    /^dawnload: DAWNLOAD_BASE_URL must be .*\.\ndawnload: DAWNLOAD_PROJECT_ID must be .*\.\s+Correct it/;
  expectSentence(await dawnload('run', wrong), lines, 2);
});

describe('the world outside', () => {
  test('yesterday, asked for by name before 07:00 KST, is for later: exit code 75', async () => {
    const backfill = 'backfill --start 2026-11-20 --end 2026-11-20';
    const result = await dawnload(backfill, KEYS, '2026-11-20T21:40:00Z');
    expectSentence(result, /2026-11-20 is not complete before 2026-11-21 07:00 KST[\s\S]*20 min/, 75);
  });

  test('a start_date that is not complete yet leaves nothing to do', async () => {
    await writeFile(
      join(folder, 'dawnload.yaml'),
      `${SETTINGS.replace('2026-11-18', '2026-11-21')}reference: { opt_outs: true }\n`,
    );
    const { code, stderr } = await dawnload('run');
    expect(stderr).toContain(
      'Nothing to load yet: the start_date 2026-11-21 is complete from 2026-11-22 07:00 KST',
    );
    expect(code).toBe(0);
    const why = 'the start_date 2026-11-21 is complete from 2026-11-22 07:00 KST';
    const plan = await dawnload('plan');
    expect(plan.stdout).toContain('run: start_date is not complete yet\n');
    expect(plan.stdout).not.toContain('a snapshot');
    const status = await dawnload('status');
    expect(status.stdout).toContain(`waits     nothing to load yet: ${why}`);
    expect(status.stdout).not.toMatch(/fresh|missing|creates it/);
    expect(status.code).toBe(1);
    expect((await dawnload('doctor')).stdout).toContain(
      `warn  days            No day is wanted yet: ${why}.\n`,
    );
  });

  test('a rebuild in a folder without settings and data makes nothing, and doctor does not speak of days there', async () => {
    await rm(join(folder, 'dawnload.yaml'));
    for (const command of [
      'rebuild',
      'exports decide 2026-11-20.1 --attach abc --yes',
      'exports decide 2026-11-20.1 --abandon',
    ])
      expectSentence(await dawnload(command), /This folder has no dawnload\.yaml[^]*--config/, 2);
    expect(await readdir(folder)).toEqual([]);
    expect((await dawnload('doctor')).stdout).not.toMatch(/^ok {4}days/m);
  });

  extended('a file that an erasure published before any run is named by status', async () => {
    expect((await dawnload('forget --user-id user-1 --yes')).code).toBe(0);
    const { stdout } = await dawnload('status');
    expect(stdout).toContain(`warehouse ${join(folder, 'data', 'warehouse.duckdb')}\n`);
    expect(stdout).not.toContain('no published warehouse');
    await rm(join(folder, 'data'), { recursive: true });
  });

  test('a host, a folder that cannot be written and a data folder that is a file are named', async () => {
    expectSentence(await dawnload('run'), /127\.0\.0\.1:9 cannot be reached/, 1);
    // Not even root may make a folder there.
    const nowhere = await dawnload('run', { ...KEYS, DAWNLOAD_DATA_DIR: '/proc/dawnload' });
    expectSentence(nowhere, /Cannot create the folder \/proc\/dawnload/, 1);
    await rm(join(folder, 'data'), { recursive: true });
    await writeFile(join(folder, 'data'), 'not a folder');
    expectSentence(await dawnload('run'), /data/, 1);
  });

  test('an init whose service cannot be reached speaks of the address, and of no run', async () => {
    const { stderr, ...result } = await dawnload(INIT.replace('--skip-checks', '--force'));
    expectSentence({ stderr, ...result }, /cannot be reached[^]*Check base_url/, 1);
    expect(stderr).not.toContain('next run');
    expect((await dawnload('run')).stderr).toContain('Nothing is lost; the next run continues from here.');
    const again = 'Nothing is lost; start the same backfill again, and it continues from here.';
    expect((await dawnload('backfill --start 2026-10-01 --end 2026-10-01')).stderr).toContain(again);
  });

  test('a warehouse that is not one is not touched; a rebuild sets it aside', async () => {
    await dawnload('run');
    const file = join(folder, 'data', 'warehouse.duckdb');
    await writeFile(file, 'this is my diary');
    for (const command of ['query --sql select', 'status', 'plan', 'run']) {
      expectSentence(await dawnload(command), /warehouse\.duckdb is not a DuckDB file/, 1);
    }
    expect((await dawnload('run')).stderr).toContain('dawnload rebuild');
    expect(await readFile(file, 'utf8')).toBe('this is my diary');
    expect((await dawnload('rebuild')).code).toBe(0);
    const aside = (await readdir(join(folder, 'data'))).find((name) => name.includes('set-aside'));
    expect(await readFile(join(folder, 'data', aside ?? ''), 'utf8')).toBe('this is my diary');
  });
});

test('each command begins its help with examples', async () => {
  const { stdout } = await execute('help');
  const commands = [...stdout.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name]) => name ?? '');
  const known = 'demo init doctor plan run backfill exports rebuild status query schedule sandbox'.split(' ');
  expect(commands).toEqual(expect.arrayContaining(known));
  const names = ['', ...commands.filter((name) => name !== 'help')];
  const asked = names.map((name) => `${name} --help`.trim().split(' '));
  for (const [nth, help] of (await executeEach(asked, folder, KEYS)).entries()) {
    expect(help.stdout, names[nth]).toMatch(/^Examples:\n {2}dawnload /);
    const [examples = ''] = help.stdout.split('\n\n');
    expect(examples.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(help.code).toBe(0);
  }
});

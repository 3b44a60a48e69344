import { STREAMS } from '../../src/streams/index.js';
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { envFile, settingsFile } from '../../src/commands/init.js';
import { CLI, ended, KEYS, NOW, PROJECT } from '../support/dawnload.js';
import { startFaultySandbox, type FaultySandbox } from '../support/faults/index.js';
import { performCommand, type Performed } from '../support/in-process.js';
import { personWho, type Person } from '../support/person.js';
import { ends } from '../support/place.js';

const ENVIRONMENT = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };
const OTHER = '1123456789abcdef0123456789abcdef';

let sandbox: FaultySandbox;
let folder: string;
let yaml: string;
let env: string;
beforeAll(async () => {
  sandbox = await startFaultySandbox({
    now: () => new Date(NOW),
    projectId: PROJECT,
    eventsPerDay: 3_000,
    ...KEYS,
  });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-init-'));
  yaml = join(folder, 'dawnload.yaml');
  env = join(folder, '.env');
});
afterEach(async () => {
  sandbox.setFaults([]);
  await rm(folder, { recursive: true, force: true });
});

function init(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  person?: Person,
): Promise<Performed> {
  const clock = { now: () => new Date(NOW), moveTo: () => undefined };
  return performCommand(['init', '--config', yaml, ...args], folder, environment, clock, person?.terminal);
}

/** The options that say all, with other values for some of them. */
const FLAGS = (others: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries({
    '--base-url': sandbox.url,
    '--project-id': PROJECT,
    '--start-date': '2026-11-15',
    ...others,
  }).flat();
const files = (): Promise<string[]> => readdir(folder).then((names) => names.sort());
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('at a terminal', () => {
  test('asks, tries the answers, and writes both files', async () => {
    const person = personWho([
      `${sandbox.url}/\r`,
      `${PROJECT}\r`,
      `${KEYS.accessKey}\r`,
      `${KEYS.secretKey}\r`,
    ]);
    const result = await init([], {}, person);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    expect(person.screen()).toMatch(/accepts the keys and the project/);
    expect(person.screen()).toMatch(/doctor[\s\S]* plan [\s\S]* run [\s\S]* schedule /);
    for (const secret of Object.values(KEYS)) expect(person.screen()).not.toContain(secret);
    const config = loadConfig(STREAMS, { settingsFile: yaml }, {}, folder);
    expect(config).toMatchObject({ baseUrl: sandbox.url, projectId: PROJECT, startDate: '2026-11-14' });
    expect(config.exports.budget).toBeUndefined();
    expect(config.credentials?.reveal()).toEqual(KEYS);
    // The suggested budget is that of the night that was seen, and of no backlog.
    const text = await readFile(yaml, 'utf8');
    const [, run = '', night = ''] =
      /# +records_per_run: (\d+) +# a night is about ([\d,]+) records/.exec(text) ?? [];
    expect(Number(run) / Number(night.replaceAll(',', ''))).toBeCloseTo(1.5, 1);
    expect(text).not.toContain('price_per_record');
    expect(await modeOf(env)).toBe('600');
    expect(await files()).toEqual(['.env', 'dawnload.yaml']);
  });

  test('says what is wrong with an answer, and asks for it again', async () => {
    // A refused answer stays in its line, Ctrl-U clears it; a key that is refused is cleared already.
    const instead = (answer: string): string => `\u0015${answer}\r`;
    const person = personWho([
      'api.example.com\r',
      instead(sandbox.url),
      'ABC\r',
      instead(OTHER),
      `${KEYS.accessKey}\r`,
      'not-the-secret\r',
      `${KEYS.accessKey}\r`,
      `${KEYS.secretKey}\r`,
      `${PROJECT}\r`,
    ]);
    const result = await init([], {}, person);
    expect(result.code, result.stderr).toBe(0);
    for (const words of [
      /base URL must be an http or https address/,
      /project ID must be 32 lowercase hexadecimal digits/,
      /refuses the access keys/,
      new RegExp(`denies access to project ${OTHER}`),
    ])
      expect(person.screen()).toMatch(words);
    expect(person.screen()).not.toContain('not-the-secret');
    expect(loadConfig(STREAMS, { settingsFile: yaml }, {}, folder).projectId).toBe(PROJECT);
  });

  test('Ctrl-C at the last question writes nothing, also after refusals of the service', async () => {
    const address = `${sandbox.url}\r`;
    expect((await init([], {}, personWho([address, `${PROJECT}\r`, 'a\r', '\u0003']))).code).toBe(130);
    const keys = ['a\r', 'b\r'];
    const refused = [address, `${PROJECT}\r`, ...keys, ...keys, ...keys, '\u0003'];
    expect((await init([], {}, personWho(refused))).code).toBe(130);
    expect(await files()).toEqual([]);
  });
});

describe('without a terminal', () => {
  test('lists all that is missing, exit code 2', async () => {
    const { stderr, code } = await init([]);
    for (const name of ['--base-url', '--project-id', 'DAWNLOAD_ACCESS_KEY', 'DAWNLOAD_SECRET_KEY'])
      expect(stderr).toContain(name);
    expect(code).toBe(2);
    for (const [args, words] of [
      [FLAGS({ '--base-url': 'ftp://x' }), /base URL must be/],
      [FLAGS({ '--start-date': '2026-02-30' }), /--start-date must be a day that exists/],
      [
        [...FLAGS({ '--start-date': '2027-01-01' }), '--skip-checks'],
        /2027-01-01 is in the future\.\s+Give --start-date a day up to today/,
      ],
    ] as const) {
      await ends(init(args, ENVIRONMENT), 2, words);
    }
    expect(await files()).toEqual([]);
  });

  test('takes options, and keys from the environment', async () => {
    const result = await init(FLAGS(), ENVIRONMENT);
    expect(result.code).toBe(0);
    expect(loadConfig(STREAMS, { settingsFile: yaml }, {}, folder)).toMatchObject({
      startDate: '2026-11-15',
    });
  });

  test.each<[string, () => string[], Record<string, string>, RegExp]>([
    ['a wrong key', FLAGS, { ...ENVIRONMENT, DAWNLOAD_SECRET_KEY: 'x' }, /refuses the access keys/],
    ['another project', () => FLAGS({ '--project-id': OTHER }), ENVIRONMENT, /denies access to project/],
    [
      'no service',
      () => FLAGS({ '--base-url': 'http://127.0.0.1:9' }),
      ENVIRONMENT,
      /cannot be reached \(ECONNREFUSED\)/,
    ],
  ])('%s: nothing is written, unless the checks are skipped', async (_, args, environment, words) => {
    await ends(init(args(), environment), 1, words, /Nothing was written\. `--skip-checks`/);
    expect(await files()).toEqual([]);
    expect((await init([...args(), '--skip-checks'], environment)).code).toBe(0);
    expect(await files()).toEqual(['.env', 'dawnload.yaml']);
  });

  test('http beyond this machine needs a word', async () => {
    const args = [...FLAGS({ '--base-url': 'http://10.255.255.1' }), '--skip-checks'];
    await ends(init(args, ENVIRONMENT), 2, /unencrypted[\s\S]*--allow-http/);
    expect((await init([...args, '--allow-http'], ENVIRONMENT)).code).toBe(0);
    expect(loadConfig(STREAMS, { settingsFile: yaml }, {}, folder).allowHttp).toBe(true);
  });
});

describe('files that are there', () => {
  test('are left alone without --force', async () => {
    await writeFile(yaml, 'mine\n');
    await ends(init(FLAGS(), ENVIRONMENT), 2, /dawnload\.yaml exists already/);
    await rm(yaml);
    await writeFile(env, 'ALERT_URL=https://example.com\n');
    const kept = await init([...FLAGS(), '--skip-checks'], ENVIRONMENT);
    expect(kept.code, kept.stderr).toBe(0);
    expect(await readFile(env, 'utf8')).toContain('ALERT_URL=https://example.com');
  });

  test('a .env that holds the keys is used and kept, for its owner alone', async () => {
    const text = `# mine\nDAWNLOAD_ACCESS_KEY=${KEYS.accessKey}\nDAWNLOAD_SECRET_KEY=${KEYS.secretKey}\n`;
    await writeFile(env, text);
    await chmod(env, 0o644);
    await ends(init(FLAGS()), 0, `Kept ${env}, readable only by you.`);
    expect(await readFile(env, 'utf8')).toBe(text);
    expect(await modeOf(env)).toBe('600');
  });

  test('with --force they are replaced, copies stay, and other lines of .env too', async () => {
    await writeFile(yaml, 'mine\n');
    await writeFile(
      env,
      'DAWNLOAD_ACCESS_KEY=old\nALERT_URL=https://example.com\nexport DAWNLOAD_SECRET_KEY="old"\n',
      { mode: 0o644 },
    );
    for (const copy of ['.bak', '.bak2']) {
      const keys = { ...ENVIRONMENT, DAWNLOAD_SECRET_KEY: `new${copy}` };
      expect((await init([...FLAGS(), '--force', '--skip-checks'], keys)).code).toBe(0);
      expect(await modeOf(env + copy)).toBe('600');
    }
    expect(await readFile(`${yaml}.bak`, 'utf8')).toBe('mine\n');
    expect(await readFile(`${env}.bak`, 'utf8')).toContain('DAWNLOAD_ACCESS_KEY=old');
    const now = await readFile(env, 'utf8');
    expect(now.match(/ALERT_URL=/g)).toHaveLength(1);
    expect(now).not.toContain('old');
    expect(await modeOf(env)).toBe('600');
  });

  test.each([0o000, 0o077, 0o777])('.env is for its owner alone, whatever the umask (%o)', async (umask) => {
    const before = process.umask(umask);
    try {
      expect((await init([...FLAGS(), '--skip-checks'], ENVIRONMENT)).code).toBe(0);
    } finally {
      process.umask(before);
    }
    expect(await modeOf(env)).toBe('600');
  });

  test('a folder that cannot be written is told of', async () => {
    // Not even root may write there.
    const clock = { now: () => new Date(NOW), moveTo: () => undefined };
    const args = ['init', '--config', '/proc/dawnload.yaml', ...FLAGS()];
    const result = await performCommand(args, folder, ENVIRONMENT, clock);
    expect(result.stderr).toMatch(/\/proc\S* cannot be written/);
  });
});

describe('what is written is read again as it is', () => {
  test.each(['plain', "it's", 'say "so"', 'a # b', '$HOME \\n \\', '열쇠🔑', `'"`])('key %s', (key) => {
    const earlier = "OTHER='kept # so'\n";
    const text = envFile({ accessKey: key, secretKey: `${key}2` }, earlier);
    return writeFile(env, text).then(() => {
      const config = loadConfig(STREAMS, {}, {}, folder);
      expect(config.credentials?.reveal()).toEqual({ accessKey: key, secretKey: `${key}2` });
      expect(text).toContain(earlier);
    });
  });

  test('a key with every kind of quote cannot be written, and is told of', () => {
    expect(() => envFile({ accessKey: `'"\``, secretKey: 'b' })).toThrow(/cannot be written to \.env/);
  });

  test.each(['./다운로드 #1', '/srv/it\'s: a "folder"', '- x', 'true', '010', ' padded ', '{a}', '&b', '@c'])(
    'data folder %s',
    async (dataDir) => {
      const base = {
        baseUrl: 'https://예시.한국/api',
        allowHttp: false,
        projectId: '00000000000000000000000000000012',
        startDate: '2026-11-01',
      };
      await writeFile(yaml, settingsFile({ ...base, dataDir }));
      const config = loadConfig(STREAMS, {}, {}, folder);
      expect(config.dataDir).toBe(join(dataDir.startsWith('/') ? '/' : folder, dataDir));
      expect(config).toMatchObject({ baseUrl: base.baseUrl, projectId: base.projectId });
      expect(config.exports.budget).toBeUndefined();
    },
  );
});

test(
  'in a real terminal no key is ever on the screen, and Ctrl-C leaves nothing',
  { tags: ['long'] },
  async (context) => {
    const python = `
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:-1])
screen = b''
def until(words):
    global screen
    end = time.time() + 20
    while words not in screen and time.time() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try: screen += os.read(fd, 4096)
            except OSError: return
for words, keys in [(b'Base URL', sys.argv[-1].encode()), (b'Project ID', b'${PROJECT}'), (b'Access key', b'an-access-key'), (b'Secret key', b'a-secret')]:
    until(words)
    os.write(fd, keys + b'\\r')
until(b'refuses the access keys')
os.write(fd, b'\\x03')
_, status = os.waitpid(pid, 0)
until(b'never')
sys.stdout.buffer.write(screen)
sys.exit(os.waitstatus_to_exitcode(status))
`;
    if (spawnSync('python3', ['--version']).error !== undefined)
      context.skip('no python3 to make a terminal');
    // The last argument is for the script.
    const child = await ended(
      spawn('python3', ['-c', python, process.execPath, CLI, 'init', sandbox.url], { cwd: folder }),
    );
    expect(child.stdout).toContain('refuses the access keys');
    expect(child.stdout).not.toMatch(/an-access-key|a-secret/);
    expect(child.code).toBe(130);
    expect(await files()).toEqual([]);
  },
);

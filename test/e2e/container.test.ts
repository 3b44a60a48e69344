// @module-tag extended
/** The Dockerfile without Docker: its steps as scripts in an empty folder, and what they make, as its account, read-only. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEYS, NOW, Place, PROJECT } from '../support/dawnload.js';

interface Step {
  readonly word: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile, continued lines joined. */
const steps: Step[] = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .flatMap((line) => {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return word === undefined || rest === undefined ? [] : [{ word, rest }];
  });

const isRoot = process.getuid?.() === 0;
/** The account of the image where this process may become another, else its own. */
const account = isRoot ? { uid: 1000, gid: 1000 } : {};

/** The files that the build may see, by `.dockerignore`: nothing but what is named with `!`. */
const context = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

let root: string;
const environment: Record<string, string> = {};
const final: Record<string, string> = {};

/** A path of the image, in the folder that stands for it. */
const inRoot = (path: string): string => join(root, path);

/** A script in which the folders of the image are those of the test. */
function here(script: string): string {
  return script.replaceAll(
    /(?<=^|[\s'"=])\/(build|app|data|etc\/dawnload|usr\/local\/bin)(?=[/\s'"]|$)/g,
    (path) => inRoot(path),
  );
}

function copy(from: string, words: readonly string[], folder: string): void {
  const target = resolve(inRoot('/'), `.${resolve(folder, words.at(-1) ?? '')}`);
  for (const source of words.slice(0, -1)) {
    const isWhole = source === '.';
    for (const name of isWhole ? context : [source]) {
      const path = join(from, name);
      const isFolder = !isWhole && words.length === 2 && !(words.at(-1) ?? '').endsWith('/');
      cpSync(path, isFolder ? target : join(target, isWhole ? name : (name.split('/').at(-1) ?? '')), {
        recursive: true,
      });
    }
  }
}

beforeAll(() => {
  // As an image is built: a warehouse that was opened in this process leaves its own, which is for one account alone.
  process.umask(0o022);
  root = mkdtempSync(join(tmpdir(), 'dawnload-image-'));
  execFileSync('chmod', ['0755', root]);
  mkdirSync(inRoot('/usr/local/bin'), { recursive: true });
  let folder = '/';
  for (const { word, rest } of steps) {
    if (word === 'WORKDIR') {
      folder = rest;
      mkdirSync(inRoot(folder), { recursive: true });
    } else if (word === 'ENV') {
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) environment[name] = here(value);
    } else if (word === 'COPY') {
      const words = rest.split(' ');
      if (words[0] === '--from=build') copy(root, words.slice(1), folder);
      else copy(process.cwd(), words, folder);
    } else if (word === 'RUN') {
      // Only root may give files to another account.
      const script = isRoot ? here(rest) : here(rest).replaceAll(/-o \d+ -g \d+ /g, '');
      execFileSync('sh', ['-ec', script], {
        cwd: inRoot(folder),
        env: {
          PATH: process.env['PATH'],
          HOME: root,
          ...npmSettings(),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    } else final[word] = rest;
  }
  final['WORKDIR'] = folder;
  rmSync(inRoot('/build'), { recursive: true });
  // Nobody may write anywhere but into the volume.
  execFileSync('chmod', ['-R', 'a-w', inRoot('/app'), inRoot('/usr'), inRoot('/etc')]);
}, 300_000);

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', root]);
  rmSync(root, { recursive: true, force: true });
});

/** What tells npm of this machine where packages come from. */
function npmSettings(): Record<string, string> {
  const home = process.env['HOME'] ?? '';
  const names = [
    'npm_config_registry',
    'npm_config_cafile',
    'NODE_EXTRA_CA_CERTS',
    'HTTPS_PROXY',
    'https_proxy',
  ];
  return {
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(home, '.npmrc'),
    npm_config_cache: process.env['npm_config_cache'] ?? join(home, '.npm'),
    npm_config_prefer_offline: 'true',
    ...Object.fromEntries(
      names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
  };
}

/** The words of an instruction in its JSON form. */
function wordsOf(instruction: string): string[] {
  return (JSON.parse(final[instruction]?.replace(/^.*?(?=\[)/, '') ?? '[]') as string[]).map(here);
}

test('it is what a linter and a careful reader want', () => {
  expect(steps.filter(({ word }) => word === 'FROM')).toHaveLength(2);
  expect(final['USER']).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(final['VOLUME']).toBe('/data');
  expect(final['HEALTHCHECK']).toContain('status');
  const tree = execFileSync('find', [inRoot('/app'), '-maxdepth', '1', '-mindepth', '1', '-printf', '%f\n'], {
    encoding: 'utf8',
  });
  expect(tree.trim().split('\n').sort()).toEqual([
    'dist',
    'examples',
    'node_modules',
    'package.json',
    'sql',
    'src',
  ]);
  // No compiler, no test runner.
  for (const tool of ['typescript', 'vitest', 'oxlint'])
    expect(existsSync(inRoot(`/app/node_modules/${tool}`))).toBe(false);
  expect(context.filter((name) => /data|\.env|demo/.test(name))).toEqual([]);
});

const hasLinter = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'hadolint')));
test.skipIf(!hasLinter)('hadolint finds nothing wrong', () => {
  expect(spawnSync('hadolint', ['Dockerfile'], { encoding: 'utf8' }).stdout).toBe('');
});

test('the entry point runs a night and keeps the next, as its account, on a read-only root', async () => {
  const place = await Place.make('');
  try {
    const folder = inRoot(final['WORKDIR'] ?? '/');
    execFileSync('chmod', ['u+w', folder]);
    writeFileSync(
      join(folder, 'dawnload.yaml'),
      `base_url: ${place.sandbox.url}\nproject_id: ${PROJECT}\nstart_date: 2026-11-20\n`,
    );
    execFileSync('chmod', ['u-w', folder]);
    const options = {
      cwd: folder,
      env: {
        ...environment,
        // Neither a home nor a temporary folder that could be written to.
        HOME: inRoot('/app'),
        TMPDIR: inRoot('/app'),
        PATH: [inRoot('/usr/local/bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
        DAWNLOAD_NOW: NOW,
        DAWNLOAD_ACCESS_KEY: KEYS.accessKey,
        DAWNLOAD_SECRET_KEY: KEYS.secretKey,
      },
      ...account,
    };
    const [entry = '', ...words] = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')];
    const child = spawn(entry, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const over = new Promise<number | null>((done) => child.on('close', done));
    while (!said.includes('The next run is at') && child.exitCode === null)
      await new Promise((next) => setTimeout(next, 50));
    expect(said).toContain('The run ended with exit code 0.');

    const [program = '', ...probe] = wordsOf('HEALTHCHECK');
    expect(await exitCode(spawn(program, probe, options))).toBe(0);
    child.kill('SIGTERM');
    expect(await over).toBe(0);
    // A week later, without a run, the warehouse is not fresh.
    const later = { ...options, env: { ...options.env, DAWNLOAD_NOW: '2026-11-28T22:30:00Z' } };
    expect(await exitCode(spawn(program, probe, later))).toBe(1);

    // Other commands work in it, too.
    for (const command of [['status'], ['query', 'channel-summary'], ['--version']])
      expect(await exitCode(spawn(entry, command, options)), command.join(' ')).toBe(0);
    expect(existsSync(inRoot('/data/warehouse.duckdb'))).toBe(true);
    if (!isRoot) console.log('Not root: the image was tried as this account instead of 1000.');
  } finally {
    await place.remove();
  }
}, 120_000);

function exitCode(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
    child.stdout?.resume();
    child.stderr?.resume();
  });
}

/** The command on machines that cannot run it: one sentence with platform and remedy, and never a stack trace. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLI } from '../support/dawnload.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function node(...args: string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, args, { env: {}, cwd: tmpdir() }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('the built command can be executed, as `npm link` needs', () => {
  expect(statSync(CLI).mode & 0o111).toBe(0o111);
});

/** Makes every library unreadable, as they are for an old Node. */
const OLD = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process.versions,'node',{value:'18.20.8'});" +
    "import{register}from'node:module';register('data:text/javascript,'+encodeURIComponent(" +
    '"export const resolve=(name,context,next)=>{if(context.parentURL&&!name.startsWith(\'node:\'))throw new SyntaxError(name);return next(name,context)}"))',
)}`;

test.each([['run'], ['query', '--sql', 'select 1'], []])(
  'an old Node gets one sentence: %s',
  async (...words) => {
    const { code, stderr, stdout } = await node('--import', OLD, CLI, ...words);
    expect(stderr).toBe(
      `dawnload: Node 18.20.8 (${process.platform}-${process.arch}) is too old; dawnload needs Node 20.19 or newer.\n` +
        '  Install a newer Node (https://nodejs.org), then run the command again.\n',
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  },
);

test('an old Node shows the version', async () => {
  expect(await node('--import', OLD, CLI, '--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

/** A copy of the built package whose modules lack the native part of DuckDB, as `npm ci --omit=optional` leaves them. */
async function withoutBinding(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@duckdb'), { recursive: true });
  await cp('dist', join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'sql', 'src']) await symlink(resolve(name), join(folder, name));
  for (const name of await readdir('node_modules'))
    if (name !== '@duckdb') await symlink(resolve('node_modules', name), join(modules, name));
  for (const name of ['node-api', 'node-bindings'])
    await cp(join('node_modules/@duckdb', name), join(modules, '@duckdb', name), { recursive: true });
  return join(folder, 'dist/src/cli.js');
}

test(
  'without the native part of DuckDB a command says so, and version and help are shown',
  { tags: ['long'] },
  async () => {
    const command = await withoutBinding();
    for (const words of [['run'], ['status'], ['doctor'], ['query', '--sql', 'select 1']]) {
      const { code, stderr } = await node(command, ...words);
      expect(stderr).toMatch(
        new RegExp(
          `^dawnload: The native part of DuckDB for ${process.platform}-${process.arch}\\S* is not installed or cannot be loaded\\.\n` +
            '  Install on this machine, with optional packages \\(`npm ci`, without `--omit=optional`\\), or use the container image\\.\n$',
        ),
      );
      expect(code).toBe(1);
    }
    expect(await node(command, '--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    expect((await node(command, 'help', 'run')).code).toBe(0);
  },
);

// @module-tag long
/** Whatever file a person may name: what is no regular file, or cannot be read, is refused in one sentence. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLI, ended, NOW, start, type Environment } from '../support/dawnload.js';
import { performCommand } from '../support/in-process.js';
import { ends } from '../support/place.js';

const SETTINGS = `base_url: http://127.0.0.1:9
project_id: 0123456789abcdef0123456789abcdef
start_date: 2026-11-18
retries: 0
`;
const KEYS = { DAWNLOAD_ACCESS_KEY: 'a-key', DAWNLOAD_SECRET_KEY: 'another' };

/** A command that reads the file, the file, more lines of settings, and the environment. */
const NAMED: [command: string, file: string, yaml?: string, environment?: Environment][] = [
  ['run', 'secret', '', { DAWNLOAD_ACCESS_KEY: 'a-key', DAWNLOAD_SECRET_KEY_FILE: 'secret' }],
  ['run --config FILE', 'given.yaml'],
  ['run', 'dawnload.yaml'],
  ['status', '.env'],
  ['query -f FILE', 'given.sql'],
  ['query own', 'queries/own.sql', 'queries: ./queries\n'],
  ['push user-properties -f FILE --key user_id --dry-run', 'given.sql'],
  ['forget -f FILE --dry-run', 'ids'],
  ['run', 'copy.jsonl', 'ledger_copy: copy.jsonl\n'],
];

/** What is in place of the file. */
const KINDS: [kind: string, why: RegExp, make: (path: string) => void][] = [
  ['pipe', /is a pipe, not|not a second copy/, makePipe],
  ['folder', /is a folder, not|a folder is where a file/, mkdirSync],
  ['device', /is a device, not|not a second copy/, symlinkSync.bind(undefined, '/dev/zero')],
];

/** A pipe with a writer that ends once it is opened: a command that reads it fails here, and would hang elsewhere. */
function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
  const writer = spawn('sh', ['-c', 'exec 3>"$0"', path], { stdio: 'ignore' });
  onTestFinished(() => {
    writer.kill();
  });
}

function place(yaml = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-given-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'dawnload.yaml'), `${SETTINGS}${yaml}`);
  return folder;
}

test.each(KINDS)('a %s in place of a file is refused by each command that reads it', async (_, why, make) => {
  for (const [command, name, yaml, environment = KEYS] of NAMED) {
    const folder = place(yaml);
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    make(file);
    const words = command.split(' ').map((word) => (word === 'FILE' ? file : word));
    const clock = { now: () => new Date(NOW), moveTo: () => undefined };
    const { code, stderr } = await performCommand(words, folder, environment, clock);
    const isMatch = expect.stringMatching(why) as unknown;
    expect([code, stderr], `${command} ${name}`).toEqual([
      stderr.includes('attach its disk') ? 1 : 2,
      isMatch,
    ]);
  }
});

test('the built command does not wait for the writer of a pipe', async () => {
  const folder = place();
  execFileSync('mkfifo', [join(folder, 'secret')]);
  const environment = { DAWNLOAD_ACCESS_KEY: 'a-key', DAWNLOAD_SECRET_KEY_FILE: 'secret' };
  await ends(
    ended(start(['run'], folder, environment)),
    2,
    /SECRET_KEY_FILE points to \S+secret, which .* \(it is a pipe/,
  );
});

test('a folder of own questions that is a file is named', async () => {
  const folder = place('queries: dawnload.yaml\n');
  await ends(
    ended(start(['query'], folder, KEYS)),
    2,
    /The folder \S+dawnload.yaml cannot be read \(it is not a f/,
  );
});

test.skipIf(process.getuid?.() !== 0)('an account that may not read a key file is told which', async () => {
  const folder = place();
  for (const [file, mode] of [['', 0o777] as const, ['dawnload.yaml', 0o644] as const])
    chmodSync(join(folder, file), mode);
  writeFileSync(join(folder, 'secret'), 'another', { mode: 0 });
  const account = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, CLI];
  const asOther = (command: string, environment: Environment) => {
    const env = {
      PATH: process.env['PATH'],
      DAWNLOAD_NOW: NOW,
      DAWNLOAD_ACCESS_KEY: 'a-key',
      ...environment,
    };
    return ended(spawn('setpriv', [...account, ...command.split(' ')], { cwd: folder, env }));
  };
  const secret = { DAWNLOAD_SECRET_KEY_FILE: 'secret' };
  await ends(
    asOther('run', secret),
    2,
    /keys are not set: this account may not read \S+\/secret\.\s+Make it readable/,
  );
  await ends(
    asOther('forget -f secret --dry-run', KEYS),
    2,
    /secret cannot be read \(permission is denied\)/,
  );
});

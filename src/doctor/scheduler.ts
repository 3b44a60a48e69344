/** What starts the job every night: looks where schedulers keep their work, and never fails for want of one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../config/files.js';
import { ok, warn, type Finding } from './check.js';

export interface Places {
  /** The root of the file system, and the home folder. */
  readonly root: string;
  readonly home: string;
  readonly environment: Environment;
  /** The settings file that a running scheduler has to have. */
  readonly config: string | undefined;
  /** The output of a program; empty when it is missing, fails or hangs. */
  readonly output: (program: string, args: readonly string[]) => Promise<string>;
}

const PATIENCE_MS = 2_000;

/** The places of this machine. */
export function places(environment: Environment, config: string | undefined): Places {
  return {
    root: '/',
    home: homedir(),
    environment,
    config,
    output: (program, args) =>
      new Promise((resolve) => {
        execFile(program, args, { timeout: PATIENCE_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
          resolve(error === null ? stdout : '');
        });
      }),
  };
}

export async function scheduler(at: Places): Promise<Finding> {
  const found = [...(await crontabs(at)), ...timers(at), ...agents(at), ...running(at), ...elsewhere(at)];
  const idle = found.find(({ remedy }) => remedy !== undefined);
  if (found.length === 0) {
    return warn(
      'None was found on this machine, so nobody starts the job at night.',
      '`dawnload schedule print cron` prints one; also systemd, k8s, launchd. `dawnload schedule` is one itself.',
    );
  }
  const names = found.map(({ name }) => name).join(', ');
  return idle?.remedy === undefined ? ok(names) : warn(`${names}.`, idle.remedy);
}

interface Found {
  readonly name: string;
  /** What is left to do before it starts anything. */
  readonly remedy?: string;
}

/** Whether a line that is no comment speaks of this job. */
function mentions(text: string): boolean {
  return text.split('\n').some((line) => /dawnload/i.test(line) && !/^\s*#/.test(line));
}

async function crontabs({ root, output }: Places): Promise<Found[]> {
  const own = await output('crontab', ['-l']);
  const system = [join(root, 'etc/crontab'), ...filesIn(join(root, 'etc/cron.d'))];
  return [
    ...(mentions(own) ? [{ name: 'the crontab of this account' }] : []),
    ...system.filter((file) => mentions(read(file))).map((file) => ({ name: file })),
  ];
}

function timers({ root, home }: Places): Found[] {
  const folders = [
    { folder: join(root, 'etc/systemd/system'), user: '' },
    { folder: join(root, 'usr/lib/systemd/system'), user: '' },
    { folder: join(home, '.config/systemd/user'), user: '--user ' },
  ];
  return folders.flatMap(({ folder, user }) =>
    filesIn(folder)
      .filter((file) => /dawnload[^/]*\.(timer|service)$/i.test(file))
      .filter((file) => file.endsWith('.timer') || /cli\.js"? schedule|dawnload schedule/.test(read(file)))
      .map((file) => {
        const unit = file.slice(folder.length + 1);
        const enabled = ['timers.target.wants', 'multi-user.target.wants', 'default.target.wants'].some(
          (wants) =>
            folders.some(({ folder: base }) =>
              filesIn(join(base, wants)).some((link) => link.endsWith(`/${unit}`)),
            ),
        );
        return enabled
          ? { name: `systemd (${file})` }
          : {
              name: `systemd (${file}), which is not enabled`,
              remedy: `Run \`systemctl ${user}enable --now ${unit}\`.`,
            };
      }),
  );
}

function agents({ root, home }: Places): Found[] {
  const folders = [
    join(home, 'Library/LaunchAgents'),
    join(root, 'Library/LaunchAgents'),
    join(root, 'Library/LaunchDaemons'),
  ];
  return folders
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.plist') && /dawnload/i.test(read(file)))
    .map((file) => ({ name: `launchd (${file})` }));
}

/** A `dawnload schedule` that is running, where the kernel shows processes as files. */
function running({ root, config }: Places): Found[] {
  const folder = join(root, 'proc');
  return namesIn(folder)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [program = '', ...args] = read(join(folder, pid, 'cmdline')).split('\0');
      const script = args.findIndex((arg) => /(^|\/)(dawnload|cli\.js)$/.test(arg));
      const words = /(^|\/)dawnload$/.test(program) ? args : script === -1 ? [] : args.slice(script + 1);
      if (words[0] !== 'schedule' || words[1] === 'print') return [];
      const flag = words.find((_, index) => words[index - 1] === '--config') ?? 'dawnload.yaml';
      return settingsOf(join(folder, pid, 'cwd'), flag) === config
        ? [{ name: `\`dawnload schedule\` (process ${pid})` }]
        : [];
    });
}

/** The settings file of a process that was started in that folder. */
function settingsOf(cwd: string, flag: string): string | undefined {
  try {
    return resolve(readlinkSync(cwd), flag);
  } catch {
    return undefined;
  }
}

function elsewhere({ environment }: Places): Found[] {
  return [
    ...(environment['KUBERNETES_SERVICE_HOST'] === undefined
      ? []
      : [{ name: 'Kubernetes, where this process runs' }]),
    ...(environment['GITHUB_ACTIONS'] === undefined
      ? []
      : [{ name: 'GitHub Actions, where this process runs' }]),
  ];
}

function filesIn(folder: string): string[] {
  return namesIn(folder).map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  } catch {
    return [];
  }
}

/** The text of a file; empty when it cannot be read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

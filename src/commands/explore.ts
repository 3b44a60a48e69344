/** `dawnload explore`: serves the questions and the published file as pages in a browser. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, UsageError } from '../ground/errors.js';
import { Journal, RUN, runsOf, type PastRun } from '../journal/journal.js';
import { dataFiles } from '../disk/paths.js';
import { Guard, isLoopback } from '../readers/explore/guard.js';
import { startServer } from '../readers/explore/server.js';
import type { Language } from '../warehouse/dictionary.js';
import { Reader } from '../warehouse/reader.js';
import type { Command } from './shared.js';

interface ExploreFlags {
  readonly port: number;
  readonly host: string;
  readonly open?: boolean;
  readonly seconds: number;
  readonly lang?: Language;
}

const PASSWORD = 'DAWNLOAD_EXPLORE_PASSWORD';
const SHORTEST = 12;

/**
 * Serves until the command is interrupted.
 *
 * @throws UsageError for a port or host that cannot be used, or if the host needs a password and none is set
 * @throws ConfigError without a published file
 */
export const exploreCommand: Command<ExploreFlags> = async (flags, invocation) => {
  const { terminal, effects, signal, environment } = invocation;
  const config = invocation.loadConfig();
  const { dataDir, queries, mcp, reportIn } = config;
  const { published } = dataFiles(dataDir);
  const { host, port, seconds } = flags;
  const isLocal = isLoopback(host);
  const password = environment[PASSWORD];
  if (!isLocal && (password === undefined || password.length < SHORTEST))
    throw new UsageError('Other machines can reach this host, so a password is needed.', {
      hint: `Set ${PASSWORD} to at least ${SHORTEST} characters, or leave out --host.`,
    });
  // Without a published file, fail now, with a hint.
  await (await Reader.open(published)).close();
  const token = isLocal ? randomBytes(24).toString('base64url') : (password ?? '');
  const runs = (): Promise<readonly PastRun[]> =>
    Journal.read(config, effects).then(
      (journal) => runsOf(journal.of(RUN)),
      // Accounts that can read only the published file do not see the notice of the last run.
      () => [],
    );
  const server = await startServer({
    file: published,
    queries,
    host,
    port,
    guard: new Guard(host, token, !isLocal, () => effects.now().getTime()),
    language: flags.lang ?? (reportIn === 'ko' ? 'ko' : undefined),
    limits: { seconds, megabytes: mcp.memoryMegabytes },
    now: () => effects.now(),
    runs,
    sleep: (ms, until) => effects.sleep(ms, until),
    signal,
  });
  const at = `http://${isIPv6(host) ? `[${host}]` : host}:${server.port}/`;
  const address = isLocal ? `${at}?token=${token}` : at;
  terminal.out(address);
  if (!isLocal)
    terminal.warn(
      'Password and data travel unencrypted. Put a proxy with TLS in front of it, or use an SSH tunnel.',
    );
  terminal.note(
    isLocal
      ? 'Open this address in a browser of this machine; its token works until the command ends. Press Ctrl-C to stop it.'
      : `Open this address in a browser and enter the password of ${PASSWORD}. Press Ctrl-C to stop it.`,
  );
  const forward = flags.open === true ? await openInBrowser(address) : undefined;
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
  if (forward !== undefined) await rm(forward, { recursive: true, force: true });
  return EXIT.done;
};

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/**
 * Opens the address in the default browser. It is passed in a file that redirects to it, because every account can see program arguments,
 * and the address has the token. Returns the folder of the file. If no browser opens, the terminal shows the address.
 */
async function openInBrowser(address: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dawnload-explore-'));
  const file = join(folder, 'open.html');
  await writeFile(file, `<meta http-equiv="refresh" content="0; url=${address}">\n`, { mode: 0o600 });
  const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return folder;
}

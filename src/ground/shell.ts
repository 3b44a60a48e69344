/** Runs commands from the settings in a shell, without this program's keys and webhook addresses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { messageOf } from './errors.js';
import type { Effects, Environment } from './effects.js';

/** Maximum number of lines, and of characters, of a command's stderr in the log. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 2_000;

/** Our variables that a command may have. All others may be keys or webhook addresses. */
const HARMLESS = new Set([
  ...['DAWNLOAD_BASE_URL', 'DAWNLOAD_PROJECT_ID', 'DAWNLOAD_DATA_DIR'],
  ...['DAWNLOAD_LOG_FORMAT', 'DAWNLOAD_NOW'],
]);

/** The environment for a command, without secrets. */
export function harmless(environment: Environment, secrets: ReadonlySet<string | undefined>): Environment {
  const others = Object.entries(environment).filter(
    ([name]) => HARMLESS.has(name) || !(name.startsWith('DAWNLOAD_') || secrets.has(name)),
  );
  return Object.fromEntries(others);
}

interface ShellSettings {
  readonly cwd: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  readonly effects: Pick<Effects, 'sleep'>;
  /** Reads the command's stdout. Without it, stdout is closed. */
  readonly read?: (stdout: Readable) => Promise<void>;
}

/**
 * Runs a command, and everything that it starts, to the end. Resolves with the last lines of its stderr and, if it failed, with the reason
 * as a clause.
 *
 * @throws the reason of the signal, or the error of `read`
 */
export async function runShell(
  what: string,
  { cwd, environment, signal, patienceMs, effects, read }: ShellSettings,
): Promise<{ readonly failure: string | undefined; readonly output: readonly string[] }> {
  const child = spawn(what, {
    shell: true,
    detached: true,
    stdio: ['ignore', read === undefined ? 'ignore' : 'pipe', 'pipe'],
    env: { ...environment },
    cwd,
  });
  // The shell and everything it started are one process group.
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended already.
    }
  };
  const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  over.addEventListener('abort', end, { once: true });
  let text = '';
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (more: string) => (text = (text + more).slice(-MOST_CHARACTERS)));
  const ended = once(child, 'exit').then(() => undefined, messageOf);
  let error: string | undefined;
  try {
    const { stdout } = child;
    // Start reading now, because Node discards unread output when the process ends.
    if (stdout !== null) await read?.(stdout.pipe(new PassThrough()));
    error = await ended;
  } catch (cause) {
    end();
    await ended;
    signal.throwIfAborted();
    throw cause;
  } finally {
    // Don't kill the group any more; it may have ended with the command.
    over.removeEventListener('abort', end);
    // Read what is in the pipe without waiting for its end, because a background program may keep it open.
    if (child.stderr !== null) await Promise.race([once(child.stderr, 'close'), effects.sleep(100)]);
    child.stderr?.destroy();
  }
  const output = text
    .trim()
    .split('\n')
    .slice(-MOST_LINES)
    .filter((line) => line !== '');
  signal.throwIfAborted();
  const { exitCode, signalCode } = child;
  const failure =
    error !== undefined
      ? error.replaceAll(what, 'the command')
      : over.aborted
        ? `it did not end within ${patienceMs / 60_000} minutes`
        : exitCode === 0
          ? undefined
          : `it ended with ${signalCode ?? `exit code ${exitCode}`}`;
  return { failure, output };
}

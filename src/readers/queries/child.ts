/**
 * Runs a question in a process of its own, which is ended at its limit of time or of memory: a function of DuckDB may
 * notice no interruption, and DuckDB's own limit of memory does not see constants. The process gets no secrets of the
 * environment, and stdout only where an answer is streamed.
 */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  ConfigError,
  CorruptDatabaseError,
  DawnloadError,
  messageOf,
  StorageError,
  UsageError,
} from '../../ground/errors.js';
import { PACKAGE_ROOT } from '../../ground/package.js';

/** The work of a process: the function `perform` of a file beside this one, with values that JSON can hold. */
interface Task {
  readonly module: 'agent' | 'deliver';
  readonly input: object;
}

interface Bounds {
  readonly signal: AbortSignal;
  /** The largest resident size of the process. */
  readonly megabytes: number;
  readonly seconds?: number;
  /** Reads what the process writes to its stdout, after `told`; without it, stdout is closed. */
  readonly read?: (stdout: Readable) => Promise<void>;
  /** Shows the sentences that stand above an answer. */
  readonly told?: (said: readonly string[]) => void;
}

/** The share of the memory that DuckDB plans with; the rest is for JavaScript, and for what DuckDB does not count. */
const SHARE_OF_DUCKDB = 0.6;

const ENTRY = join(PACKAGE_ROOT, 'dist', 'src', 'readers', 'queries', 'child.js');
const CHECK_MS = 25;
const CLASSES = { UsageError, ConfigError, StorageError };

type Reply =
  | { readonly result: unknown }
  | { readonly error: string; readonly message: string; readonly hint?: string | undefined };

interface Told {
  readonly said: readonly string[];
}

/**
 * Returns what the task returns.
 *
 * @throws UsageError at a limit, or if the process ended by itself; the errors of the task
 */
export async function inChild(
  task: Task,
  { signal, megabytes, seconds, read, told }: Bounds,
): Promise<unknown> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [ENTRY], {
    stdio: ['ignore', read === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
    env: {},
  });
  let stopped: Error | undefined;
  const stop = (error: Error): void => {
    stopped ??= error;
    child.kill('SIGKILL');
  };
  const interrupt = (): void => {
    stop(signal.reason instanceof Error ? signal.reason : new Error('The question was given up.'));
  };
  signal.addEventListener('abort', interrupt);
  const hint = 'Ask for fewer days or columns, or a bundled question.';
  const late =
    seconds === undefined
      ? undefined
      : setTimeout(() => {
          stop(new UsageError(`There was no answer within ${seconds} seconds.`, { hint }));
        }, seconds * 1000);
  const watch = setInterval(() => {
    void residentMegabytes(child.pid).then((resident) => {
      const what = `The answer needs more than ${megabytes} MB of memory (mcp.memory_megabytes).`;
      if (resident > megabytes) stop(new UsageError(what, { hint }));
    });
  }, CHECK_MS);
  try {
    const replied = new Promise<Reply | undefined>((done) => {
      let reply: Reply | undefined;
      child.on('message', (message: Reply | Told) => {
        if ('said' in message) told?.(message.said);
        else reply = message;
      });
      child.once('error', (error) => {
        done({ error: 'Error', message: messageOf(error) });
      });
      child.once('close', () => {
        done(reply);
      });
    });
    child.send({ ...task, megabytes: Math.floor(megabytes * SHARE_OF_DUCKDB) }, () => undefined);
    const spoken = new Promise((done) => child.once('message', done).once('close', done));
    const { stdout } = child;
    const reading = stdout === null ? undefined : spoken.then(() => read?.(stdout));
    const [reply] = await Promise.all([replied, reading]);
    if (stopped !== undefined) throw stopped;
    // Ctrl-C at a terminal ends both processes.
    signal.throwIfAborted();
    if (reply === undefined)
      throw new UsageError('The process of the question ended before its answer.', { hint });
    if ('result' in reply) return reply.result;
    throw errorOf(reply);
  } finally {
    clearTimeout(late);
    clearInterval(watch);
    signal.removeEventListener('abort', interrupt);
    child.kill('SIGKILL');
  }
}

function errorOf({ error, message, hint }: Extract<Reply, { error: string }>): Error {
  if (error === 'CorruptDatabaseError') return new CorruptDatabaseError(message);
  const known = Object.entries(CLASSES).find(([name]) => name === error)?.[1];
  return known === undefined ? new Error(message) : new known(message, hint === undefined ? {} : { hint });
}

/** The resident size of a process; 0 if it is gone. */
async function residentMegabytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  if (process.platform === 'linux') {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }
  return new Promise((done) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (_, stdout) => {
      done(Number(stdout) / 1024 || 0);
    });
  });
}

const MODULES = { agent: () => import('./agent.js'), deliver: () => import('./deliver.js') };

/** The work of the process itself. */
async function perform({ module, input, megabytes }: Task & { megabytes: number }): Promise<Reply> {
  try {
    const { perform: work } = await MODULES[module]();
    const tell = (said: readonly string[]): boolean => process.send?.({ said }) === true;
    return { result: await work(input, megabytes, tell) };
  } catch (error) {
    const hint = error instanceof DawnloadError ? error.hint : undefined;
    return { error: error instanceof Error ? error.name : 'Error', message: messageOf(error), hint };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The process must not outlive its parent.
  process.once('disconnect', () => process.kill(process.pid));
  process.once('message', (task: Task & { megabytes: number }) => {
    void perform(task).then((reply) => {
      process.send?.(reply, () => {
        process.removeAllListeners('disconnect');
        process.disconnect();
      });
    });
  });
}

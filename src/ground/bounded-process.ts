/**
 * Runs work in a separate process with limits for time and memory: some DuckDB functions cannot be interrupted, DuckDB's memory limit does
 * not count constants, and a hostile file may crash the process that reads it. The process gets no environment, and therefore no secrets.
 */
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from './errors.js';

/** A failure that the process reports, or that this process notices about it. */
export interface Failed {
  readonly error: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface ProcessBounds<M> {
  readonly signal: AbortSignal;
  /** The largest resident size of the process. */
  readonly megabytes: number;
  readonly seconds?: number | undefined;
  /** Returns the error to throw at a limit. */
  readonly over: (limit: 'seconds' | 'megabytes') => Error;
  /** Reads what the process writes to its stdout, after its first message; without it, stdout is closed. */
  readonly read?: ((stdout: Readable) => Promise<void>) | undefined;
  readonly heard?: (message: M | Failed) => void;
}

const CHECK_MS = 25;

/**
 * Starts a file of this package as a process, sends it the task, and resolves with its last message; undefined if it sent none.
 *
 * @throws the error of the limit, or the reason of the signal
 */
export async function inProcess<M extends object>(
  entry: string,
  task: object,
  { signal, megabytes, seconds, over, read, heard }: ProcessBounds<M>,
): Promise<M | Failed | undefined> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const stopping = AbortSignal.any([signal, limit.signal]);
  const child = spawn(process.execPath, [entry], {
    stdio: ['ignore', read === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
    env: {},
    signal: stopping,
    killSignal: 'SIGKILL',
  });
  const stop = (which: 'seconds' | 'megabytes'): void => {
    limit.abort(over(which));
  };
  const late = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000, 'seconds');
  const watch = setInterval(() => {
    void residentMegabytes(child.pid).then((resident) => {
      if (resident > megabytes) stop('megabytes');
    });
  }, CHECK_MS);
  try {
    let last: M | Failed | undefined;
    const closed = new Promise((done) => child.once('close', done));
    const spoken = new Promise((done) => child.once('message', done).once('close', done));
    child.on('error', (error) => (last = { error: 'Error', message: messageOf(error), hint: undefined }));
    child.on('message', (message: M | Failed) => {
      last = message;
      heard?.(message);
    });
    child.send(task, () => undefined);
    const { stdout } = child;
    await Promise.all([closed, stdout === null ? undefined : spoken.then(() => read?.(stdout))]);
    // Ctrl-C at a terminal ends both processes.
    stopping.throwIfAborted();
    return last;
  } finally {
    clearTimeout(late);
    clearInterval(watch);
    child.kill('SIGKILL');
  }
}

/** The resident size of a process; 0 if it has ended. */
function residentMegabytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return Promise.resolve(0);
  const kilobytes = (text: string): number => Number(/\d+/.exec(/VmRSS.*/.exec(text)?.[0] ?? text)?.[0] ?? 0);
  if (process.platform === 'linux')
    return readFile(`/proc/${pid}/status`, 'latin1').then(
      (text) => kilobytes(text) / 1024,
      () => 0,
    );
  return new Promise((done) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (_, stdout) => {
      done(kilobytes(stdout) / 1024);
    });
  });
}

/**
 * Ends the process when its parent has ended, even by `kill -9`. A separate thread checks this, because DuckDB and long
 * texts may keep the main one busy for minutes, during which it sees no `disconnect`.
 */
const WATCH = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 250);
`;

/** What a task receives besides its input: `tell` messages the parent, `stdout` streams the answer. */
export interface Caller {
  readonly tell: (message: object) => void;
  readonly stdout: Writable;
}

/** Does the work of the process itself, if the module is its entry: performs the task that arrives, and sends the reply. */
export function servesTask(
  module: string,
  perform: (task: unknown, caller: Caller) => Promise<object>,
): void {
  if (process.argv[1] !== fileURLToPath(module)) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  new Worker(WATCH, { eval: true }).unref();
  process.once('message', (task: unknown) => {
    const { stdout } = process;
    void perform(task, { tell: (message) => process.send?.(message), stdout }).then((reply) => {
      process.send?.(reply, () => {
        process.removeAllListeners('disconnect');
        process.disconnect();
      });
    });
  });
}

/**
 * Runs work in a separate process with limits for time and memory. Some DuckDB functions cannot be interrupted, DuckDB's memory limit does
 * not count constants, and a hostile file may crash the process that reads it. The process gets no environment, so it has no secrets.
 */
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from './errors.js';

/** A failure that the process reports, or that was noticed about it. */
export interface Failed {
  readonly error: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface ProcessBounds<M> {
  readonly signal: AbortSignal;
  /** Maximum resident size of the process, in megabytes. */
  readonly megabytes: number;
  readonly seconds?: number | undefined;
  /** Returns the error to throw at a limit. */
  readonly over: (limit: 'seconds' | 'megabytes') => Error;
  /** Reads the stdout of the process, after the first message. Without it, stdout is closed. */
  readonly read?: ((stdout: Readable) => Promise<void>) | undefined;
  readonly heard?: (message: M | Failed) => void;
}

const CHECK_MS = 25;

/**
 * Starts a file of this package as a process and sends it the task. Resolves with its last message, or undefined if it sent none.
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
    // Ctrl-C at a terminal ends both processes, so report the interruption.
    stopping.throwIfAborted();
    return last;
  } finally {
    clearTimeout(late);
    clearInterval(watch);
    child.kill('SIGKILL');
  }
}

/** The resident size of a process in megabytes; 0 if the process has ended. */
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
 * Ends the process when its parent has ended, even by `kill -9`. This runs in a thread of its own. DuckDB and long texts may block the main
 * thread for minutes, and then it does not notice `disconnect`.
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

/** Makes a module the entry of such a process: performs the task that arrives, and sends the reply. */
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

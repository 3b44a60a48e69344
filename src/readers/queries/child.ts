/**
 * Runs a question in a process of its own, which is ended at its limit of time or of memory: a function of DuckDB may
 * notice no interruption, and DuckDB's own limit of memory does not see constants. The process gets no secrets of the
 * environment, and stdout only where an answer is streamed.
 */
import { execFile, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import {
  ConfigError,
  CorruptDatabaseError,
  DawnloadError,
  messageOf,
  StorageError,
  UsageError,
} from '../../ground/errors.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import { makeTemporary } from '../../landing/storage-error.js';
import { Reader } from '../../warehouse/reader.js';
import { asking, questionOf, type Asking } from './catalogue.js';
import type { Delivery } from './deliver.js';

interface Task {
  readonly module: keyof typeof MODULES;
  readonly input: z.input<typeof given>;
}

const MODULES = {
  agent: () => import('./agent.js'),
  deliver: () => import('./deliver.js'),
  explore: () => import('../explore/answer.js'),
};

/** A question about a published file, and more that `answer` reads; all of it is JSON. */
const given = z.looseObject({
  file: z.string(),
  asking,
  now: z.coerce.date<Date>(),
  /** True if the parent recorded this question about one person. */
  isRecorded: z.boolean().default(false),
});

interface Bounds {
  readonly signal: AbortSignal;
  readonly megabytes: number;
  readonly seconds?: number;
  /** Reads what the process writes to its stdout, after `told`; without it, stdout is closed. */
  readonly read?: (stdout: Readable) => Promise<void>;
  readonly told?: (said: readonly string[]) => void;
}

/** The share of the memory that DuckDB plans with; the rest is for JavaScript, and for what DuckDB does not count. */
const SHARE_OF_DUCKDB = 0.6;

const ENTRY = join(PACKAGE_ROOT, 'dist', 'src', 'readers', 'queries', 'child.js');
const CHECK_MS = 25;
const CLASSES = { UsageError, ConfigError, StorageError };
const HINT = { hint: 'Request fewer days or columns, or use a bundled question.' };

type Message =
  | { readonly said: readonly string[] }
  | { readonly result: unknown }
  | { readonly error: string; readonly message: string; readonly hint: string | undefined };

export async function inChild(
  task: Task,
  { signal, megabytes, seconds, read, told }: Bounds,
): Promise<unknown> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const over = AbortSignal.any([signal, limit.signal]);
  const child = spawn(process.execPath, [ENTRY], {
    stdio: ['ignore', read === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
    env: {},
    signal: over,
    killSignal: 'SIGKILL',
  });
  const stop = (why: string): void => {
    limit.abort(new UsageError(why, HINT));
  };
  const why = `There was no answer within ${seconds ?? 0} seconds.`;
  const late = seconds === undefined ? undefined : setTimeout(stop, seconds * 1000, why);
  const watch = setInterval(() => {
    void residentMegabytes(child.pid).then((resident) => {
      if (resident > megabytes)
        stop(`The answer needs more than ${megabytes} MB of memory (mcp.memory_megabytes).`);
    });
  }, CHECK_MS);
  try {
    const said: Message[] = [];
    const closed = new Promise((done) => child.once('close', done));
    const spoken = new Promise((done) => child.once('message', done).once('close', done));
    child.on('error', (error) => said.push({ error: 'Error', message: messageOf(error), hint: undefined }));
    child.on('message', (message: Message) => {
      said.push(message);
      if ('said' in message) told?.(message.said);
    });
    child.send({ ...task, megabytes: Math.floor(megabytes * SHARE_OF_DUCKDB) }, () => undefined);
    const { stdout } = child;
    await Promise.all([closed, stdout === null ? undefined : spoken.then(() => read?.(stdout))]);
    // Ctrl-C at a terminal ends both processes.
    over.throwIfAborted();
    const reply = said.at(-1);
    if (reply === undefined || 'said' in reply)
      throw new UsageError('The process of the question ended before its answer.', HINT);
    if ('result' in reply) return reply.result;
    const { error, message, hint } = reply;
    if (error === 'CorruptDatabaseError') throw new CorruptDatabaseError(message);
    const known = Object.entries(CLASSES).find(([name]) => name === error)?.[1];
    throw known === undefined ? new Error(message) : new known(message, hint === undefined ? {} : { hint });
  } finally {
    clearTimeout(late);
    clearInterval(watch);
    child.kill('SIGKILL');
  }
}

/** Writes all rows of an answer in a format to the stdout of the process; resolves with their number. */
export async function deliver(
  question: { readonly asking: Asking; readonly now: Date; readonly isRecorded: boolean },
  file: string,
  how: Omit<Delivery, 'scratch'>,
  bounds: Bounds,
): Promise<number> {
  // Only Parquet needs a place to write, which a container may lack.
  const scratch = how.format === 'parquet' ? makeTemporary('dawnload-') : '';
  try {
    const input = { ...question, file, ...how, scratch };
    return z.number().parse(await inChild({ module: 'deliver', input }, bounds));
  } finally {
    if (scratch !== '') await rm(scratch, { recursive: true, force: true });
  }
}

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

async function perform({ module, input, megabytes }: Task & { megabytes: number }): Promise<Message> {
  try {
    const { file, asking: asked, now, isRecorded, ...how } = given.parse(input);
    const question = questionOf(asked, now);
    if (question === undefined) throw new Error('The question is missing.');
    if (question.query?.isRecorded === true && !isRecorded)
      throw new UsageError(
        `The query ${question.query.name} shows one person's messages, and each use is recorded.`,
        {
          hint: `Ask it by \`dawnload query ${question.query.name}\`, where the job runs.`,
        },
      );
    const { answer } = await MODULES[module]();
    const tell = (said: readonly string[]): boolean => process.send?.({ said }) === true;
    const result = await Reader.using(file, async (reader) => {
      // The SQL may be pasted from an untrusted source: it may read the warehouse, but no file and no network.
      await reader.confine(megabytes);
      return answer(question, reader, { ...how, now }, tell);
    });
    return { result };
  } catch (error) {
    const hint = error instanceof DawnloadError ? error.hint : undefined;
    const [name] = Object.entries(CLASSES).find(([, known]) => error instanceof known) ?? [];
    const own = error instanceof Error ? error.name : 'Error';
    return { error: name ?? own, message: messageOf(error), hint };
  }
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  new Worker(WATCH, { eval: true }).unref();
  process.once('message', (task: Task & { megabytes: number }) => {
    void perform(task).then((reply) => {
      process.send?.(reply, () => {
        process.removeAllListeners('disconnect');
        process.disconnect();
      });
    });
  });
}

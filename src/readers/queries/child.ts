/** Runs a question in a separate process, which is stopped at its time or memory limit (`ground/bounded-process.ts`). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  inProcess,
  servesTask,
  type Caller,
  type Failed,
  type ProcessBounds,
} from '../../ground/bounded-process.js';
import {
  ConfigError,
  CorruptDatabaseError,
  DawnloadError,
  messageOf,
  StorageError,
  UsageError,
} from '../../ground/errors.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import { makeTemporary } from '../../disk/storage-error.js';
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

/** A question about a published file, with further input of `answer`. All of it is JSON. */
const given = z.looseObject({
  file: z.string(),
  asking,
  now: z.coerce.date<Date>(),
  /** True if the parent recorded this question about one person. */
  isRecorded: z.boolean().default(false),
});

interface Bounds extends Pick<ProcessBounds<Message>, 'signal' | 'megabytes' | 'seconds' | 'read'> {
  readonly told?: (said: readonly string[]) => void;
}

/** DuckDB's share of the memory. The rest is for JavaScript, and for memory that DuckDB does not count. */
const SHARE_OF_DUCKDB = 0.6;

const ENTRY = join(PACKAGE_ROOT, 'dist', 'src', 'readers', 'queries', 'child.js');
const CLASSES = { UsageError, ConfigError, StorageError };
const HINT = { hint: 'Request fewer days or columns, or use a bundled question.' };

type Message = { readonly said: readonly string[] } | { readonly result: unknown } | Failed;

/**
 * Runs a task in the process and returns its result.
 *
 * @throws UsageError at a limit, or if the process ends unexpectedly; and the errors of the task
 */
export async function inChild(
  task: Task,
  { signal, megabytes, seconds, read, told }: Bounds,
): Promise<unknown> {
  const reply = await inProcess<Message>(
    ENTRY,
    { ...task, megabytes: Math.floor(megabytes * SHARE_OF_DUCKDB) },
    {
      ...{ signal, megabytes, seconds, read },
      over: (limit) =>
        new UsageError(
          limit === 'seconds'
            ? `There was no answer within ${seconds ?? 0} seconds.`
            : `The answer needs more than ${megabytes} MB of memory (mcp.memory_megabytes).`,
          HINT,
        ),
      heard: (message) => {
        if ('said' in message) told?.(message.said);
      },
    },
  );
  if (reply === undefined || 'said' in reply)
    throw new UsageError('The process of the question ended before its answer.', HINT);
  if ('result' in reply) return reply.result;
  const { error, message, hint } = reply;
  if (error === 'CorruptDatabaseError') throw new CorruptDatabaseError(message);
  const known = Object.entries(CLASSES).find(([name]) => name === error)?.[1];
  throw known === undefined ? new Error(message) : new known(message, hint === undefined ? {} : { hint });
}

/** Writes all rows of an answer in a format to the stdout of the process. Resolves with their number. */
export async function deliver(
  question: { readonly asking: Asking; readonly now: Date; readonly isRecorded: boolean },
  file: string,
  how: Omit<Delivery, 'scratch'>,
  bounds: Bounds,
): Promise<number> {
  // Only Parquet needs a folder for temporary files, which a container may not have.
  const scratch = how.format === 'parquet' ? makeTemporary('dawnload-') : '';
  try {
    const input = { ...question, file, ...how, scratch };
    return z.number().parse(await inChild({ module: 'deliver', input }, bounds));
  } finally {
    if (scratch !== '') await rm(scratch, { recursive: true, force: true });
  }
}

/** Does the work of the process. */
export async function perform(asked: unknown, { tell, stdout }: Caller): Promise<Message> {
  try {
    // The parent is our own process, so this gives only a type.
    const { module, input, megabytes } = z.custom<Task & { readonly megabytes: number }>().parse(asked);
    const { file, asking: wanted, now, isRecorded, ...how } = given.parse(input);
    const question = questionOf(wanted, now);
    if (question === undefined) throw new Error('The question is missing.');
    if (question.query?.isRecorded === true && !isRecorded)
      throw new UsageError(
        `The query ${question.query.name} shows one person's messages, and each use is recorded.`,
        {
          hint: `Ask it by \`dawnload query ${question.query.name}\`, where the job runs.`,
        },
      );
    const { answer } = await MODULES[module]();
    const result = await Reader.using(file, async (reader) => {
      // Confined, because pasted SQL may come from an untrusted source. It may read the warehouse, but no file and no network.
      await reader.confine(megabytes);
      const say = (said: readonly string[]): void => {
        tell({ said });
      };
      return answer(question, reader, { ...how, now }, say, stdout);
    });
    return { result };
  } catch (error) {
    const hint = error instanceof DawnloadError ? error.hint : undefined;
    const [name] = Object.entries(CLASSES).find(([, known]) => error instanceof known) ?? [];
    const own = error instanceof Error ? error.name : 'Error';
    return { error: name ?? own, message: messageOf(error), hint };
  }
}

servesTask(import.meta.url, perform);

/**
 * Side effects other than files and the database: clock, waiting, randomness, the service, and crash points. All code gets them as a
 * parameter; this file has the real ones.
 */
import { existsSync, readFileSync } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Dispatcher } from 'undici';
import type { CrashPoint } from './crash-points.js';
import { InterruptedError } from './errors.js';

export interface Effects {
  now(): Date;
  /** Resolves after `ms` milliseconds; rejects with `InterruptedError` when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  /** Returns the inode and birth time of a file, given open or by path. A copy of the file has different ones. */
  readonly identify: (file: FileHandle | string) => Promise<FileIdentity>;
  /**
   * Marks a point just before or after a durable step. Normally does nothing. With `DAWNLOAD_CRASH_AT=point` (or `point:3` for its third
   * occurrence) the process kills itself there; tests use this to check recovery.
   */
  reach(point: CrashPoint): void;
  /** Replaces the connections to the service if the service runs in this process. */
  readonly service?: Dispatcher;
}

/** The inode and the birth time in nanoseconds of a file; `0` if the file system has none. */
export interface FileIdentity {
  readonly inode: string;
  readonly born: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `DAWNLOAD_NOW` (an ISO instant) sets the clock to that time at the start, for rehearsals and tests. */
export function realEffects(environment: Environment = process.env): Effects {
  return {
    now: clockFrom(environment['DAWNLOAD_NOW']),
    sleep: interruptibleSleep,
    random: () => Math.random(),
    identify: async (file) => {
      const { ino, birthtimeNs } = await (typeof file === 'string'
        ? stat(file, { bigint: true })
        : file.stat({ bigint: true }));
      return { inode: String(ino), born: String(birthtimeNs) };
    },
    reach: crashPoint(environment['DAWNLOAD_CRASH_AT']),
  };
}

function clockFrom(start: string | undefined): () => Date {
  const offset = start === undefined ? 0 : Date.parse(start) - Date.now();
  return () => new Date(Date.now() + (Number.isNaN(offset) ? 0 : offset));
}

async function interruptibleSleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? undefined : { signal });
  } catch (cause) {
    throw new InterruptedError('Interrupted while waiting.', { cause });
  }
}

function crashPoint(setting: string | undefined): (point: string) => void {
  if (setting === undefined || setting === '') return () => undefined;
  const [name = '', count = '1'] = setting.split(':');
  let left = Number(count);
  return (point) => {
    if (point !== name || --left > 0) return;
    // SIGKILL instead of exit, so that no handler runs and nothing is flushed, as in a power cut.
    process.kill(process.pid, 'SIGKILL');
  };
}

/** The folder with package.json: the parent of src/, or the grandparent of dist/src/. */
export const PACKAGE_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** Read without a schema, because help and version must not load the schema library. */
export function packageVersion(): string {
  const text = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8');
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}

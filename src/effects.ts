/**
 * The outside world of the job besides HTTP, files and the database: the clock, waiting, chance, and the
 * crash points. Everything takes them as a parameter; this file holds the real ones.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { InterruptedError } from './errors.js';

export interface Effects {
  /** The present instant. */
  now(): Date;
  /** Resolves after `ms` milliseconds; rejects with `InterruptedError` when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /**
   * Marks a place just before or after a durable step. Does nothing in ordinary life; with `DAWNLOAD_CRASH_AT=point`
   * (or `point:3` for its third passing) the process kills itself there, which is how recovery is tested.
   */
  reach(point: string): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The real effects. `DAWNLOAD_NOW` (an ISO instant) starts the clock there, from where it ticks on: for rehearsals
 * and tests.
 */
export function realEffects(environment: Environment = process.env): Effects {
  return {
    now: clockFrom(environment['DAWNLOAD_NOW']),
    sleep: interruptibleSleep,
    random: () => Math.random(),
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
    // SIGKILL, not exit: no handler, no flush, no goodbye, as when the plug is pulled.
    process.kill(process.pid, 'SIGKILL');
  };
}

/**
 * The scheduler of `dawnload schedule`: decides when the nightly job runs next, and runs it. The decision depends only on
 * the journal of runs, so the scheduler may be stopped and started at any time, and manual runs are taken into account.
 */
import { spawn } from 'node:child_process';
import { fromZonedTime } from 'date-fns-tz/fromZonedTime';
import { z } from 'zod';
import { NIGHTLY } from '../../jobs/nightly.js';
import { COMPLETE_FROM_HOUR, dayOf, formatKst, KST, shiftDay, type Window } from '../calendar.js';
import { EXIT, UsageError } from '../errors.js';
import type { PastRun } from '../journal/runs.js';
import type { Terminal } from '../terminal/terminal.js';

/** A time of day in KST. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/**
 * Parses `--at HH:MM`, in KST.
 *
 * @throws UsageError for an invalid time, or one before 07:00, when yesterday is not complete
 */
export function parseTime(text: string | undefined): TimeOfDay {
  if (text === undefined) return NIGHTLY;
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const time = { hour: Number(hour), minute: Number(minute) };
  if (hour === '' || time.hour > 23 || time.minute > 59) {
    throw new UsageError(`--at ${text} is not a time of day.`, {
      hint: 'Write it like 07:10, in Korean time.',
    });
  }
  if (time.hour < COMPLETE_FROM_HOUR) {
    throw new UsageError(`--at ${text} is before yesterday’s data is complete.`, {
      hint: 'Choose 07:00 KST or later.',
    });
  }
  return time;
}

export function clock({ hour, minute }: TimeOfDay): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** The night at an instant: from the nightly time of day in Korea to the same time on the next day. */
export function nightOf(now: Date, at: TimeOfDay): Window {
  const begins = (day: string): Date => fromZonedTime(`${day}T${clock(at)}:00`, KST);
  const today = dayOf(now);
  const first = now >= begins(today) ? today : shiftDay(today, -1);
  return { start: begins(first), end: begins(shiftDay(first, 1)) };
}

/**
 * The result of a run in the journal.
 *
 * - `done`: nothing is left to do
 * - `waiting`: the service is still generating an export; everything else is loaded
 * - `person`: only the user can resolve the problem: a wrong setting, no budget, an export in doubt
 * - `unfinished`: no end is recorded: the run is active or was killed
 * - `failed`: any other failure
 */
export type Verdict = 'done' | 'waiting' | 'person' | 'unfinished' | 'failed';

const summary = z.object({
  pending_exports: z.array(z.string()).default([]),
  gaps: z.array(z.unknown()).default([]),
  needs_attention: z.array(z.unknown()).default([]),
  findings: z.array(z.object({ severity: z.string() })).default([]),
  failure: z.string().optional(),
});

export function verdictOn({ over }: PastRun): Verdict {
  if (over === undefined) return 'unfinished';
  if (over.exitCode === EXIT.done) return 'done';
  if (over.exitCode === EXIT.usage || over.exitCode === EXIT.refused) return 'person';
  const told = summary.safeParse(over.summary);
  if (over.exitCode !== EXIT.incomplete || !told.success || told.data.failure !== undefined) return 'failed';
  const { pending_exports, gaps, needs_attention, findings } = told.data;
  if (pending_exports.length > 0) return 'waiting';
  const isWithheld = findings.some(({ severity }) => severity === 'stop');
  return needs_attention.length > 0 && gaps.length === 0 && !isWithheld ? 'person' : 'failed';
}

interface Decision {
  /** The instant of the next run; the job is due if it is not in the future. */
  readonly at: Date;
  /** The reason: the nightly time of day has come, the previous attempt failed, or an export is awaited. */
  readonly reason: 'night' | 'failed' | 'waiting';
}

/** Determines the next run from the runs in the journal. One run does the work of all missed nights. Pure. */
export function nextRun(now: Date, at: TimeOfDay, runs: readonly PastRun[]): Decision {
  const night = nightOf(now, at);
  // Runs with a date in the future come from a wrong clock and are ignored.
  const tonight = runs.filter(({ begun }) => begun.startedAt >= night.start && begun.startedAt < night.end);
  const [last] = tonight.slice(-1);
  if (last === undefined) return { at: night.start, reason: 'night' };
  const nextNight = { at: night.end, reason: 'night' } as const;
  const verdicts = tonight.map(verdictOn);
  const verdict = verdictOn(last);
  if (verdicts.includes('done') || verdict === 'person') return nextNight;
  const ended = last.over?.finishedAt ?? last.begun.startedAt;
  if (verdict === 'waiting') {
    const again = later(ended, NIGHTLY.exports.pauseMinutes);
    return again < morningEnd(night.start) ? { at: again, reason: 'waiting' } : nextNight;
  }
  const failures = verdicts.filter((one) => one === 'failed' || one === 'unfinished').length;
  const pause = NIGHTLY.retryPausesMinutes[failures - 1];
  const again = pause === undefined ? night.end : later(ended, pause);
  return again < night.end ? { at: again, reason: 'failed' } : nextNight;
}

/** The end of the morning: until then a night should be finished, and the scheduler retries exports that are not ready. */
export function morningEnd(start: Date): Date {
  return later(start, NIGHTLY.exports.untilHours * 60);
}

function later(instant: Date, minutes: number): Date {
  return new Date(instant.getTime() + minutes * 60_000);
}

interface Surroundings {
  readonly at: TimeOfDay;
  readonly signal: AbortSignal;
  readonly terminal: Pick<Terminal, 'note'>;
  readonly now: () => Date;
  /** The runs of the journal. */
  runs(): Promise<readonly PastRun[]>;
  /** Runs the job to its end. */
  readonly run: () => Promise<JobEnd>;
  /** Resolves at the given instant or earlier, and when the signal aborts. */
  readonly pause: (until: Date) => Promise<void>;
}

/** The sentences before a run and about the next run. */
const WORDS: Readonly<Record<Decision['reason'], readonly [now: string, later: string]>> = {
  night: ['Starting the nightly run.', 'The next run is at'],
  failed: ['Trying the night again.', 'The run failed. Trying again at'],
  waiting: ['Coming back for an export.', 'The service is still making an export. Coming back at'],
};

/** Delay in milliseconds from which a night counts as missed. */
const LATE_MS = 5 * 60_000;

/** Runs the job every night: determines what is due, runs it, and repeats. Only one run is active at a time. */
export class Nights {
  readonly #world: Surroundings;
  /** The recorded runs as last read. */
  #runs: readonly PastRun[] = [];
  /** The earliest instant of the next run; set after a run that was blocked by another one, or that left no record. */
  #notBefore = new Date(0);

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /**
   * Runs every night until the signal aborts.
   *
   * @param atOnce true to run first, even if no run is due
   */
  async keep(atOnce: boolean): Promise<void> {
    const { signal, terminal, now, at } = this.#world;
    if (atOnce) await this.#try();
    let announced = '';
    while (!signal.aborted) {
      const next = await this.#look();
      if (next.at <= now()) {
        const { start } = nightOf(now(), at);
        const isLate = next.reason === 'night' && now().getTime() - start.getTime() > LATE_MS;
        const words = isLate
          ? `The nightly run of ${formatKst(start)} has not happened. Starting it now.`
          : WORDS[next.reason][0];
        terminal.note(words, { event: 'scheduled_run', reason: next.reason });
        await this.#try();
        continue;
      }
      const isBusy = next.at.getTime() === this.#notBefore.getTime();
      const words = isBusy
        ? 'Another run is at work, or was stopped. Trying again at'
        : WORDS[next.reason][1];
      const announcement = `${words} ${formatKst(next.at)}.`;
      if (announcement !== announced)
        terminal.note(announcement, { event: 'next_run', at: next.at.toISOString(), reason: next.reason });
      announced = announcement;
      await this.#world.pause(next.at);
    }
  }

  /** Reads the recorded runs again before each decision, because the user may have started a run. */
  async #look(): Promise<Decision> {
    const { now, at } = this.#world;
    // If the journal cannot be read, the last known runs are used; the next run reports the error.
    const runs = await this.#world.runs().catch(() => this.#runs);
    this.#runs = runs.filter(({ begun }) => begun.command === 'run');
    const due = nextRun(now(), at, this.#runs);
    return due.at > this.#notBefore ? due : { ...due, at: this.#notBefore };
  }

  async #try(): Promise<void> {
    const { now, run, signal, terminal } = this.#world;
    const startedAt = now();
    const end = await run();
    if (end.exitCode === EXIT.tryLater) this.#notBefore = later(now(), NIGHTLY.busyMinutes);
    else if (!signal.aborted) await this.#waitUnlessRecorded(startedAt, end);
    if (!signal.aborted || end.exitCode !== EXIT.interrupted) {
      terminal.note(`The run ended with exit code ${end.exitCode}.`, {
        event: 'run_ended',
        exit_code: end.exitCode,
      });
    }
  }

  /** A run that ended before it recorded itself, such as by a wrong setting, would be due again immediately. */
  async #waitUnlessRecorded(startedAt: Date, { processId = 0 }: JobEnd): Promise<void> {
    const runs = await this.#world.runs().catch(() => this.#runs);
    const last = runs.at(-1)?.begun;
    if (last?.processId === processId && last.startedAt >= startedAt) return;
    this.#notBefore = later(this.#world.now(), NIGHTLY.retryPausesMinutes[0]);
  }
}

interface JobEnd {
  readonly processId: number | undefined;
  /** 1 if the process was killed or could not be started. */
  readonly exitCode: number;
}

/** Milliseconds after the first stop signal until the second signal is sent, and until the process is killed. */
const STOPPING = { secondSignalAfter: 7_000, killedAfter: 8_500 };

/**
 * Runs a command to its end in a separate process.
 *
 * @param signal stops the process. A run normally ends within moments. A run that waits for the answer to a paid request
 *   or for a large commit is killed after the time limit; its started work is on disk and the next run resumes it.
 */
export function runProcess(
  [program, ...args]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<JobEnd> {
  return new Promise((resolve) => {
    // The process has its own process group. Otherwise Ctrl-C at a terminal would reach it in addition to our SIGTERM,
    // and two signals end a run immediately.
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const timers: NodeJS.Timeout[] = [];
    const stop = (): void => {
      child.kill('SIGTERM');
      timers.push(
        setTimeout(() => child.kill('SIGTERM'), STOPPING.secondSignalAfter),
        setTimeout(() => child.kill('SIGKILL'), STOPPING.killedAfter),
      );
    };
    const end = (exitCode: number): void => {
      signal.removeEventListener('abort', stop);
      for (const timer of timers) clearTimeout(timer);
      resolve({ processId: child.pid, exitCode });
    };
    child.on('error', () => {
      end(EXIT.incomplete);
    });
    child.on('exit', (code) => {
      end(code ?? EXIT.incomplete);
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * `dawnload schedule`: a scheduler for machines without cron or systemd. It decides from the journal of runs, so you can restart it at any
 * time, and manual runs count.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fromZonedTime } from 'date-fns-tz/fromZonedTime';
import cron from 'node-cron';
import { NIGHTLY } from '../../jobs/nightly.js';
import { requireService } from '../config/config.js';
import { COMPLETE_FROM_HOUR, dayOf, formatKst, KST, shiftDay, type Window } from '../ground/calendar.js';
import { PACKAGE_ROOT } from '../ground/effects.js';
import { EXIT, UsageError } from '../ground/errors.js';
import { Journal, RUN, runsOf, type PastRun } from '../journal/journal.js';
import { assertSameProject } from '../night/data-folder.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Command, Options } from './shared.js';

/** Runs until stopped. Each run is a separate process, which reads the settings again. */
export const scheduleCommand: Command<Options<'at', 'now'>> = async (options, invocation) => {
  const { terminal, signal, effects, flags } = invocation;
  const at = parseTime(options.at ?? NIGHTLY.at);
  const config = requireService(invocation.loadConfig());
  const flagsOfRun = {
    '--config': flags.settingsFile,
    '--log-format': flags.logFormat,
    '--data-dir': flags.dataDir,
  };
  const run: [string, ...string[]] = [
    process.execPath,
    join(PACKAGE_ROOT, 'dist/src/cli.js'),
    'run',
    ...(flags.quiet === true ? ['--quiet'] : []),
    ...Object.entries(flagsOfRun).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
  const journal = (): Promise<Journal> => Journal.read(config, effects);
  assertSameProject(await journal(), config);
  const nights = new Nights({
    ...NIGHTLY,
    at,
    signal,
    terminal,
    now: () => effects.now(),
    runs: async () => runsOf((await journal()).of(RUN)),
    run: () => runProcess(run, config.requestTimeoutSeconds, signal),
  });
  terminal.note(`Scheduled daily at ${at} KST. Press Ctrl-C to stop.`);
  if (options.now === true) await nights.run();
  let active: Promise<void> | undefined;
  const tick = (): void => {
    active ??= nights.tick().finally(() => (active = undefined));
  };
  tick();
  // Check every minute, because a long timer stands still while the machine is suspended.
  const task = cron.schedule('* * * * *', tick, { timezone: KST, suppressMissedWarning: true });
  if (!signal.aborted) await once(signal, 'abort');
  await active;
  await task.destroy();
  return EXIT.done;
};

/**
 * Parses `--at`, a time of day in KST, to `HH:MM`.
 *
 * @throws UsageError for an invalid time, or one before 07:00, when yesterday is not complete
 */
export function parseTime(text: string): string {
  const time = text.padStart('HH:MM'.length, '0');
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(time) && Number(time.slice(0, 2)) >= COMPLETE_FROM_HOUR) return time;
  throw new UsageError(`--at ${text} is not a time of day from 07:00 to 23:59.`, {
    hint: 'Write it like 07:10, in Korean time. Before 07:00, yesterday’s data is not complete.',
  });
}

/** The night that contains an instant: from `at` (`HH:MM` in Korea) to the same time on the next day. */
export function nightOf(now: Date, at: string): Window {
  const begins = (day: string): Date => fromZonedTime(`${day}T${at}:00`, KST);
  const today = dayOf(now);
  const first = now >= begins(today) ? today : shiftDay(today, -1);
  return { start: begins(first), end: begins(shiftDay(first, 1)) };
}

/** Exit codes after which a retry does not help. */
const FINAL: ReadonlySet<number | undefined> = new Set([EXIT.done, EXIT.usage, EXIT.refused]);

/**
 * Decides when to run next from the runs in the journal. If that instant has passed, the job is due. One run catches up on all missed
 * nights. A run without an end counts as failed. Pure.
 */
export function nextRun(now: Date, { at, retryPausesMinutes }: Times, runs: readonly PastRun[]): Date {
  const night = nightOf(now, at);
  // Ignore runs dated in the future, which come from a wrong clock.
  const tonight = runs.filter(
    ({ begun: { command, at: began } }) => command === 'run' && began >= night.start && began < night.end,
  );
  const last = tonight.at(-1);
  if (last === undefined) return night.start;
  const pause = retryPausesMinutes[tonight.length - 1];
  if (pause === undefined || tonight.some(({ over }) => FINAL.has(over?.exitCode))) return night.end;
  const again = later(last.over?.at ?? last.begun.at, pause);
  return again < night.end ? again : night.end;
}

function later(instant: Date, minutes: number): Date {
  return new Date(instant.getTime() + minutes * 60_000);
}

const DAY_MS = 24 * 60 * 60_000;

interface Times {
  /** Time of day in KST, as `HH:MM`. */
  readonly at: string;
  /** The pause in minutes before each retry of a failed night. */
  readonly retryPausesMinutes: readonly number[];
}

interface Surroundings extends Times {
  readonly signal: AbortSignal;
  readonly terminal: Pick<Terminal, 'note'>;
  readonly now: () => Date;
  /** Reads the runs from the journal. */
  readonly runs: () => Promise<readonly PastRun[]>;
  /** Runs the job; resolves with its exit code. */
  readonly run: () => Promise<number>;
}

/** Runs the job when it is due. Calls must not overlap. */
export class Nights {
  #next = new Date(0);

  constructor(private readonly world: Surroundings) {}

  /** Runs the job if it is due. Call it every minute. */
  async tick(): Promise<void> {
    const { now, signal, terminal } = this.world;
    // If the next run is more than a day away, the clock was set back.
    const wait = this.#next.getTime() - now().getTime();
    if (signal.aborted || (wait > 0 && wait <= DAY_MS)) return;
    this.#next = await this.#plan();
    const isDue = this.#next <= now();
    const text = isDue ? 'Starting the run that was due at' : 'The next run is at';
    terminal.note(`${text} ${formatKst(this.#next)}.`);
    if (isDue) await this.run();
  }

  /** Runs the job immediately, whether it is due or not. */
  async run(): Promise<void> {
    const { now, run, signal, terminal, at, retryPausesMinutes } = this.world;
    const due = this.#next;
    const exitCode = await run();
    if (signal.aborted) return;
    this.#next = await this.#plan();
    // Without a record of the run (nothing to do, a wrong setting, another run's lock), the job would be due again immediately.
    if (this.#next <= now() && (exitCode !== EXIT.done || this.#next.getTime() === due.getTime()))
      this.#next = FINAL.has(exitCode) ? nightOf(now(), at).end : later(now(), retryPausesMinutes[0] ?? 0);
    const text = `The run ended with exit code ${exitCode}. The next run is at ${formatKst(this.#next)}.`;
    terminal.note(text, { event: 'next_run', exit_code: exitCode, next: this.#next.toISOString() });
  }

  /** Reads the journal each time, because of manual runs. If the journal is damaged, the next run reports it. */
  async #plan(): Promise<Date> {
    const { runs, now } = this.world;
    return nextRun(now(), this.world, await runs().catch(() => []));
  }
}

/** Milliseconds from the stop signal to the kill, in addition to a request's time limit, so that a large commit can end. */
const COMMIT_MS = 8_500;

/**
 * Runs a command in a separate process. Resolves with its exit code, or 1 if it was killed or could not start.
 *
 * @param signal stops the process. A paid request may use its whole time limit, because a kill would leave its outcome unknown.
 */
async function runProcess(
  [program, ...args]: readonly [string, ...string[]],
  requestTimeoutSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  // Started in its own process group, so that Ctrl-C reaches it only through our SIGTERM. Two signals would end a run immediately.
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), requestTimeoutSeconds * 1000 + COMMIT_MS);
  };
  signal.addEventListener('abort', stop);
  await once(child, 'exit').catch(() => undefined);
  signal.removeEventListener('abort', stop);
  clearTimeout(timer);
  return child.exitCode ?? EXIT.incomplete;
}

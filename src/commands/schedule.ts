/**
 * `dawnload schedule`: the long-lived scheduler, for machines without cron or systemd. When the nightly job runs next depends on the
 * journal of runs, so the scheduler may be stopped and started at any time, and manual runs are taken into account.
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

/** Runs until it is stopped. Each run is a process of its own, which reads the settings again. */
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
  // A look every minute, because the timer of a whole night does not advance while a machine is suspended.
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

/** The night at an instant: from the nightly time of day (`HH:MM`) in Korea to the same time on the next day. */
export function nightOf(now: Date, at: string): Window {
  const begins = (day: string): Date => fromZonedTime(`${day}T${at}:00`, KST);
  const today = dayOf(now);
  const first = now >= begins(today) ? today : shiftDay(today, -1);
  return { start: begins(first), end: begins(shiftDay(first, 1)) };
}

/** Exit codes after which no retry helps: nothing is left to do, or only the user can resolve the problem. */
const FINAL: ReadonlySet<number | undefined> = new Set([EXIT.done, EXIT.usage, EXIT.refused]);

/**
 * Determines the next run from the runs in the journal; the job is due if the instant is not in the future. One run does
 * the work of all missed nights. A run without an end is active or was killed, and counts as failed. Pure.
 */
export function nextRun(now: Date, { at, retryPausesMinutes }: Times, runs: readonly PastRun[]): Date {
  const night = nightOf(now, at);
  // Runs with a date in the future come from a wrong clock and are ignored.
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

/** When the job runs. */
interface Times {
  /** The time of day of the nightly run in KST, `HH:MM`. */
  readonly at: string;
  /** The pause before each retry of a failed night. */
  readonly retryPausesMinutes: readonly number[];
}

interface Surroundings extends Times {
  readonly signal: AbortSignal;
  readonly terminal: Pick<Terminal, 'note'>;
  readonly now: () => Date;
  /** The runs of the journal. */
  readonly runs: () => Promise<readonly PastRun[]>;
  /** Runs the job to its end; resolves to its exit code. */
  readonly run: () => Promise<number>;
}

/** Runs the job whenever it is due. Calls must not overlap. */
export class Nights {
  /** The next run, as last determined. */
  #next = new Date(0);

  constructor(private readonly world: Surroundings) {}

  /** Runs the job if it is due; to be called every minute. */
  async tick(): Promise<void> {
    const { now, signal, terminal } = this.world;
    // The next run is at most a day away, unless the clock was set back.
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
    // A run that left no record (nothing to do yet, a wrong setting, the lock of another run) would be due again immediately.
    if (this.#next <= now() && (exitCode !== EXIT.done || this.#next.getTime() === due.getTime()))
      this.#next = FINAL.has(exitCode) ? nightOf(now(), at).end : later(now(), retryPausesMinutes[0] ?? 0);
    const text = `The run ended with exit code ${exitCode}. The next run is at ${formatKst(this.#next)}.`;
    terminal.note(text, { event: 'next_run', exit_code: exitCode, next: this.#next.toISOString() });
  }

  /** Reads the journal each time, because the user may have started a run. The next run reports a damaged journal. */
  async #plan(): Promise<Date> {
    const { runs, now } = this.world;
    return nextRun(now(), this.world, await runs().catch(() => []));
  }
}

/** Milliseconds for a large commit, beyond the time limit of a request, from the stop signal until a run is killed. */
const COMMIT_MS = 8_500;

/**
 * Runs a command to its end in a process of its own; resolves to its exit code, 1 if it was killed or could not start.
 *
 * @param signal stops the process. A run normally ends within moments. A paid request gets its whole time limit,
 *   because killing the run would leave its outcome unknown.
 */
async function runProcess(
  [program, ...args]: readonly [string, ...string[]],
  requestTimeoutSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  // The process has its own process group. Otherwise Ctrl-C at a terminal would reach it in addition to our SIGTERM, and
  // two signals end a run immediately.
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

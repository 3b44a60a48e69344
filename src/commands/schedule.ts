/** `dawnload schedule`: the long-lived scheduler, for those without cron or systemd. */
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import cron from 'node-cron';
import { NIGHTLY } from '../../jobs/nightly.js';
import { requireService } from '../config.js';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { RunJournal } from '../run/journal.js';
import type { Invocation } from '../run/invocation.js';
import { healthOf, serveHealth } from '../schedule/health.js';
import { runJob } from '../schedule/job.js';
import { Nights } from '../schedule/nights.js';
import { isScheduler, printSchedule, SCHEDULERS } from '../schedule/print/index.js';
import { clock, parseTime } from '../schedule/time-of-day.js';
import { assertSameProject } from '../storage/project.js';
import { visibleLines } from '../terminal/visible.js';
import { oneOf } from './nearest.js';
import { commandLine } from './self.js';

export interface ScheduleOptions {
  readonly at?: string;
  /** Also run at once, whether anything is due or not. */
  readonly now?: boolean;
  readonly healthPort?: string;
}

/** Keeps running until it is stopped. Each run is a process of its own, which reads the settings anew. */
export async function scheduleCommand(options: ScheduleOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, signal, effects, flags } = invocation;
  const at = parseTime(options.at);
  const port = parsePort(options.healthPort);
  const config = requireService(invocation.loadConfig());
  await assertSameProject(config);
  const minute = everyMinute(signal);
  const nights = new Nights({
    at,
    signal,
    terminal,
    now: () => effects.now(),
    journal: new RunJournal(config.dataDir),
    run: () => runJob(commandLine('run', flags), signal),
    pause: () => minute.next(),
  });
  try {
    const health =
      port === undefined ? undefined : await serveHealth(port, () => healthOf(effects.now(), nights.state));
    terminal.note(`Scheduled daily at ${clock(at)} KST. Press Ctrl-C to stop.`);
    if (health !== undefined)
      terminal.note(`Health is at ${health.url}.`, { event: 'health', url: health.url });
    try {
      await nights.keep(options.now === true);
    } finally {
      health?.close();
    }
  } finally {
    await minute.stop();
  }
  return EXIT.done;
}

/**
 * Resolves at the beginning of each minute, and when the signal aborts. What is due is asked each time, so that a machine
 * that slept through a night, where timers stand still, finds it missing within a minute.
 */
function everyMinute(signal: AbortSignal): { next: () => Promise<void>; stop: () => Promise<void> } {
  let wake = (): void => undefined;
  const task = cron.schedule(
    '* * * * *',
    () => {
      wake();
    },
    { timezone: NIGHTLY.zone, suppressMissedWarning: true },
  );
  signal.addEventListener('abort', () => {
    wake();
  });
  return {
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      }),
    stop: async () => {
      await task.destroy();
    },
  };
}

function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--health-port ${text} is not a port.`, {
    hint: 'Write a number from 0 to 65535; 0 takes any free port.',
  });
}

/** `dawnload schedule print KIND`: the configuration for a machine's scheduler. */
export function schedulePrintCommand(
  kind: string,
  options: ScheduleOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  if (!isScheduler(kind)) {
    throw new UsageError(`There is no scheduler "${kind}" to print for.`, {
      hint: oneOf(kind, SCHEDULERS),
    });
  }
  const { flags, terminal, effects, version } = invocation;
  const config = resolve(flags.config ?? 'dawnload.yaml');
  const text = printSchedule(kind, parseTime(options.at), {
    command: commandLine('run', { ...flags, config }),
    folder: dirname(config),
    dataDir: () => invocation.loadConfig().dataDir,
    user: userInfo().username,
    version,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    now: effects.now(),
  });
  terminal.draw(visibleLines(text));
  return Promise.resolve(EXIT.done);
}

/** `dawnload schedule`: the long-lived scheduler, for machines without cron or systemd. */
import cron from 'node-cron';
import { KST } from '../calendar.js';
import { requireService } from '../config.js';
import { EXIT, type ExitCode } from '../errors.js';
import { clock, Nights, parseTime, runProcess, type TimeOfDay } from '../operations/schedule.js';
import { Journal } from '../journal/journal.js';
import { runsOf } from '../journal/runs.js';
import type { Invocation } from '../invocation.js';
import { assertSameProject } from '../run/data-folder.js';
import { ownCommand } from './shared.js';

export interface ScheduleOptions {
  readonly at?: string;
  /** True to run immediately, even if no run is due. */
  readonly now?: boolean;
}

/** Runs until it is stopped. Each run is a process of its own, which reads the settings again. */
export async function scheduleCommand(options: ScheduleOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, signal, effects, flags } = invocation;
  const at = parseTime(options.at);
  const config = requireService(invocation.loadConfig());
  assertSameProject(await Journal.read(config, effects), config);
  const now = (): Date => effects.now();
  const alarm = nightlyAlarm(at, signal, now);
  const nights = new Nights({
    at,
    signal,
    terminal,
    now,
    runs: async () => runsOf((await Journal.read(config, effects)).of('run')),
    run: () => runProcess(ownCommand('run', flags), signal),
    pause: alarm.pause,
  });
  try {
    terminal.note(`Scheduled daily at ${clock(at)} KST. Press Ctrl-C to stop.`);
    await nights.keep(options.now === true);
  } finally {
    await alarm.stop();
  }
  return EXIT.done;
}

/** Milliseconds after which the clock is read again, because timers do not advance while a machine is suspended. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** Creates pauses that end at the nightly time of day, at the given instant at the latest, or when the signal aborts. */
function nightlyAlarm(
  at: TimeOfDay,
  signal: AbortSignal,
  now: () => Date,
): { pause: (until: Date) => Promise<void>; stop: () => Promise<void> } {
  let end = (): void => undefined;
  const wake = (): void => {
    end();
  };
  const task = cron.schedule(`${at.minute} ${at.hour} * * *`, wake, { timezone: KST, noOverlap: true });
  task.on('execution:missed', wake);
  signal.addEventListener('abort', wake);
  return {
    pause: (until) =>
      new Promise((resolve) => {
        const timer = setTimeout(
          wake,
          Math.min(LOOK_AGAIN_MS, Math.max(0, until.getTime() - now().getTime())),
        );
        end = () => {
          clearTimeout(timer);
          resolve();
        };
        if (signal.aborted) end();
      }),
    stop: async () => {
      await task.destroy();
    },
  };
}

/** `dawnload schedule`: the long-lived scheduler, for those without cron or systemd. */
import { spawn } from 'node:child_process';
import cron from 'node-cron';
import { NIGHTLY } from '../../jobs/nightly.js';
import { COMPLETE_FROM_HOUR, formatKst } from '../calendar.js';
import { requireService } from '../config.js';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { assertSameProject } from '../landing/project.js';
import { visibleLines } from '../visible.js';
import type { CommandContext } from './context.js';
import { printSchedule, SCHEDULERS } from './schedule-print.js';
import { commandLine } from './self.js';

export interface ScheduleOptions {
  readonly at?: string;
  /** Run at once as well, before the first night. */
  readonly now?: boolean;
}

/** A time of day in KST. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export async function scheduleCommand(options: ScheduleOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal, effects } = context;
  const at = parseTime(options.at);
  await assertSameProject(requireService(context.loadConfig()));
  let running: Promise<void> | undefined;

  // A night that is still going on when the next one begins is not joined by a second run.
  const night = (): void => {
    if (running !== undefined) {
      terminal.note('the last run is still going on; this one is skipped');
      return;
    }
    running = runUntilDone(context).finally(() => (running = undefined));
  };
  const task = cron.schedule(`${at.minute} ${at.hour} * * *`, night, {
    timezone: NIGHTLY.zone,
    noOverlap: true,
  });
  const next = task.getNextRun();
  terminal.note(
    `scheduled daily at ${clock(at)} KST${next === null ? '' : `, next ${formatKst(next)}`}; Ctrl-C ends it`,
  );
  if (options.now === true) night();

  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  await task.destroy();
  if (running !== undefined) terminal.note(`stopping after the run in hand (${formatKst(effects.now())})`);
  await running;
  return EXIT.done;
}

/** `dawnload schedule print KIND`: what to give to the scheduler that the machine has. */
export function schedulePrintCommand(
  kind: string,
  options: ScheduleOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const scheduler = SCHEDULERS.find((known) => known === kind);
  if (scheduler === undefined) {
    throw new UsageError(`schedule print does not know "${kind}".`, {
      hint: `It takes one of ${SCHEDULERS.join(', ')}.`,
    });
  }
  const text = printSchedule(scheduler, parseTime(options.at), context.flags.config, context.effects.now());
  context.terminal.draw(visibleLines(text));
  return Promise.resolve(EXIT.done);
}

/** One night: the job in a process of its own, again after a while when it ended incomplete. */
async function runUntilDone(context: CommandContext): Promise<void> {
  const { terminal, effects, signal } = context;
  const { times, pauseMinutes } = NIGHTLY.retry;
  for (let attempt = 0; attempt <= times && !signal.aborted; attempt++) {
    const code = await runOnce(context);
    terminal.note(`run ended with exit code ${code}`);
    if (code !== EXIT.incomplete && code !== EXIT.tryLater) return;
    if (attempt === times) return;
    terminal.note(`trying again in ${pauseMinutes} minutes`);
    await effects.sleep(pauseMinutes * 60_000, signal).catch(() => undefined);
  }
}

function runOnce({ flags, signal }: CommandContext): Promise<number> {
  const [program, ...args] = commandLine('run', flags);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    const stop = (): void => {
      child.kill('SIGTERM');
    };
    signal.addEventListener('abort', stop, { once: true });
    const end = (code: number): void => {
      signal.removeEventListener('abort', stop);
      resolve(code);
    };
    child.on('error', () => {
      end(EXIT.incomplete);
    });
    child.on('exit', (code) => {
      end(code ?? EXIT.incomplete);
    });
  });
}

/** `--at HH:MM`, in KST; before 07:00 yesterday is not complete. */
function parseTime(text: string | undefined): TimeOfDay {
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

/** `dawnload schedule`: the long-lived scheduler, for those without cron or systemd. */
import { spawn } from 'node:child_process';
import cron from 'node-cron';
import { NIGHTLY } from '../../jobs/nightly.js';
import { formatKst } from '../calendar.js';
import { requireService } from '../config.js';
import { EXIT, UsageError, type ExitCode } from '../errors.js';
import { assertSameProject } from '../storage/project.js';
import { visibleLines } from '../terminal/visible.js';
import type { Invocation } from '../run/invocation.js';
import { oneOf } from './nearest.js';
import { printSchedule, SCHEDULERS } from './schedule-print.js';
import { commandLine } from './self.js';
import { clock, parseTime } from './time-of-day.js';

export interface ScheduleOptions {
  readonly at?: string;
  /** Also run at once, before the first night. */
  readonly now?: boolean;
}

export async function scheduleCommand(options: ScheduleOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, signal, effects } = invocation;
  const at = parseTime(options.at);
  await assertSameProject(requireService(invocation.loadConfig()));
  let running: Promise<void> | undefined;

  // A night that is still going on when the next one begins is not joined by a second run.
  const night = (): void => {
    if (running !== undefined) {
      terminal.note('The previous run is still active, so this one is skipped.');
      return;
    }
    running = runUntilDone(invocation).finally(() => (running = undefined));
  };
  const task = cron.schedule(`${at.minute} ${at.hour} * * *`, night, {
    timezone: NIGHTLY.zone,
    noOverlap: true,
  });
  const next = task.getNextRun();
  terminal.note(
    `Scheduled daily at ${clock(at)} KST${next === null ? '' : `, next ${formatKst(next)}`}. Press Ctrl-C to stop.`,
  );
  if (options.now === true) night();

  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  await task.destroy();
  if (running !== undefined) terminal.note(`Stopping after the current run (${formatKst(effects.now())}).`);
  await running;
  return EXIT.done;
}

/** `dawnload schedule print KIND`: the configuration for a machine's scheduler. */
export function schedulePrintCommand(
  kind: string,
  options: ScheduleOptions,
  invocation: Invocation,
): Promise<ExitCode> {
  const scheduler = SCHEDULERS.find((known) => known === kind);
  if (scheduler === undefined) {
    throw new UsageError(`There is no scheduler "${kind}" to print for.`, {
      hint: oneOf(kind, SCHEDULERS),
    });
  }
  const text = printSchedule(
    scheduler,
    parseTime(options.at),
    invocation.flags.config,
    invocation.effects.now(),
  );
  invocation.terminal.draw(visibleLines(text));
  return Promise.resolve(EXIT.done);
}

/** One night: the job in a process of its own, started again after a pause when it ended incomplete. */
async function runUntilDone(invocation: Invocation): Promise<void> {
  const { terminal, effects, signal } = invocation;
  const { times, pauseMinutes } = NIGHTLY.retry;
  for (let attempt = 0; attempt <= times && !signal.aborted; attempt++) {
    const code = await runOnce(invocation);
    terminal.note(`The run ended with exit code ${code}.`);
    if (code !== EXIT.incomplete && code !== EXIT.tryLater) return;
    if (attempt === times) return;
    terminal.note(`Trying again in ${pauseMinutes} minutes.`);
    await effects.sleep(pauseMinutes * 60_000, signal).catch(() => undefined);
  }
}

function runOnce({ flags, signal }: Invocation): Promise<number> {
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

/** `dawnload run`: runs the nightly job once. */
import { nightly } from '../../jobs/nightly.js';
import { withAlerts } from '../operations/delivery.js';
import { completeFrom, dayCount, dayOf, formatKst, shiftDay } from '../ground/calendar.js';
import { requireService } from '../config/config.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { dataFiles } from '../landing/paths.js';
import { runJob } from '../job/run.js';
import type { Invocation } from '../config/invocation.js';
import { newestDay } from '../job/published.js';
import { outcomeJson, summarise } from './summary.js';

export interface RunOptions {
  readonly json?: boolean;
}

export async function runCommand(options: RunOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = requireService(invocation.loadConfig());
  const now = effects.now();
  const job = nightly(config, now);
  const { start, end } = job.days;
  if (dayCount(job.days) <= 0) {
    terminal.note(
      `Nothing to do yet: the start_date ${start} is complete from ${formatKst(completeFrom(start))}.`,
    );
    if (options.json === true)
      terminal.out(JSON.stringify({ command: 'run', days: null, exit_code: EXIT.done }));
    return EXIT.done;
  }
  terminal.note(`Running for ${start} to ${end} (KST days).`, { event: 'started', start, end });
  const yesterday = shiftDay(dayOf(now), -1);
  if (end < yesterday) {
    terminal.note(`${yesterday} is not complete before ${formatKst(completeFrom(yesterday))}.`);
  }
  const { published } = dataFiles(config.dataDir);
  const outcome = await withAlerts(
    config,
    invocation,
    () => newestDay(published),
    () => runJob(job, config, invocation),
  );
  const exitCode = summarise(outcome, terminal, published, effects.now());
  if (options.json === true) terminal.out(outcomeJson('run', outcome.days ?? job.days, outcome));
  return exitCode;
}

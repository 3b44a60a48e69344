/** `dawnload run` and `dawnload backfill`: choose the days and run the steps of a night (`jobs/`). */
import { existsSync } from 'node:fs';
import { BACKFILL_STEPS, backfillJob } from '../../jobs/backfill.js';
import { nightSteps } from '../../jobs/nightly.js';
import { requireService } from '../config/config.js';
import { completeFrom, dayOf, formatKst, shiftDay } from '../ground/calendar.js';
import { ClockError, ConfigError, EXIT, RefusedError } from '../ground/errors.js';
import { dataFiles } from '../disk/paths.js';
import { RunReport } from '../night/report.js';
import { runNight } from '../night/step.js';
import { nightJob, notBegun } from '../night/wanted-days.js';
import { withAlerts } from '../operations/alerts.js';
import { SNAPSHOTS, snapshotsOn } from '../streams/index.js';
import { makePlan, printPlan } from './plan.js';
import type { Command, JsonOptions, Options } from './shared.js';
import { summarise } from './summary.js';

export const runCommand: Command<JsonOptions> = ({ json }, invocation) =>
  withAlerts(invocation, async (settings, report) => {
    const { terminal, effects } = invocation;
    const config = requireService(settings);
    const now = effects.now();
    const job = nightJob(config, now);
    const { start, end } = job.days;
    const waits = notBegun(start, now);
    if (waits !== undefined) {
      if (existsSync(dataFiles(config.dataDir).published))
        throw new ClockError(
          `This machine's clock shows ${formatKst(now)}, before start_date ${start}, but the warehouse has data.`,
          {
            hint: 'Correct the clock or start_date, then run again. `dawnload doctor` compares both clocks.',
          },
        );
      terminal.note(`Nothing to load yet: ${waits}.`);
      if (json === true) terminal.out(JSON.stringify({ command: 'run', days: null, exit_code: EXIT.done }));
      return EXIT.done;
    }
    terminal.note(`Running for ${start} to ${end} (KST days).`, { event: 'started', start, end });
    const yesterday = shiftDay(dayOf(now), -1);
    if (end < yesterday)
      terminal.note(`${yesterday} is not complete before ${formatKst(completeFrom(yesterday))}.`);
    await runNight({ command: 'run', steps: nightSteps(config), config, invocation, report, job });
    return summarise('run', report, json, config, invocation);
  });

type BackfillOptions = { readonly start: string; readonly end: string } & JsonOptions &
  Options<'streams', 'dryRun' | 'yesPaid' | 'acceptEmpty'>;

export const backfillCommand: Command<BackfillOptions> = async (options, invocation) => {
  const { terminal, effects } = invocation;
  const { json, yesPaid = false } = options;
  const settings = invocation.loadConfig();
  const job = backfillJob(options, settings.retention, effects.now());
  const { days, streams } = job;
  if (options.dryRun === true) return printPlan(await makePlan(job, settings, invocation), json, terminal);
  const config = requireService(settings);
  const isPaid = streams.has('events') && (options.streams !== undefined || yesPaid);
  if (isPaid && config.exports.budget === undefined)
    throw new RefusedError('Event exports cost money, and exports.budget is not set.', {
      hint: 'Set exports.budget in dawnload.yaml, or leave events out with --streams statistics,campaigns.',
    });
  const on = snapshotsOn(config);
  const off = SNAPSHOTS.find((stream) => streams.has(stream) && !on.includes(stream));
  if (off !== undefined)
    throw new ConfigError(`reference.${off} is not set, so ${off} cannot be pulled.`, {
      hint: `Set reference.${off} in dawnload.yaml, or leave ${off} out of --streams.`,
    });
  const text = `Backfilling ${days.start} to ${days.end} (KST days): ${[...streams].join(', ')}.`;
  terminal.note(text, { event: 'started', ...days });
  const report = new RunReport(() => effects.now());
  await runNight({ command: 'backfill', steps: BACKFILL_STEPS, config, invocation, report, job });
  return summarise('backfill', report, json, config, invocation);
};

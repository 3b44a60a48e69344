/**
 * A night is a list of steps. `runSteps` runs them in order; each step declares what happens if it fails. `runNight` opens the data folder
 * before, records the run, and closes the folder afterwards.
 */
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import {
  asError,
  CorruptDatabaseError,
  InterruptedError,
  sentencesOf,
  ServiceError,
  StorageError,
} from '../ground/errors.js';
import type { Job } from '../ground/streams.js';
import { DataFolder } from './data-folder.js';
import { recordBegin, recordEnd, type RunReport } from './report.js';
import type { OpenWarehouse } from './warehouse.js';

export interface Night {
  readonly config: Config;
  readonly invocation: Invocation;
  readonly folder: DataFolder;
  readonly warehouse: OpenWarehouse;
  /**
   * The days to request; undefined for offline commands. `authorize` removes days that are not complete according to the service's clock.
   */
  job: Job | undefined;
  readonly report: RunReport;
}

export interface Step {
  /** The stage to which the step's time is added; consecutive steps may share one. */
  readonly stage: string;
  /** What the step does, for progress and logs. */
  readonly doing?: string;
  wanted(night: Night): boolean;
  run(night: Night): Promise<void>;
  /**
   * What happens after a failure. `stop`: nothing more is computed or published, and only `go-on` steps follow. `no-money-no-deletion`:
   * nothing more is requested, deleted or pushed, but landed data is published. `go-on`: all steps follow, and the report lists the
   * failure.
   */
  readonly after: 'stop' | 'no-money-no-deletion' | 'go-on';
  /** The beginning of the failure sentence; by default the stage. */
  readonly failed?: string;
}

/**
 * Runs the wanted steps in order.
 *
 * @throws after all steps, the first failure of a step other than `go-on`
 * @throws InterruptedError after Ctrl-C, immediately
 */
export async function runSteps(night: Night, steps: readonly Step[]): Promise<void> {
  const { report, invocation } = night;
  const { terminal } = invocation;
  let isStopped = false;
  for (const [nth, step] of steps.entries()) {
    const isWanted: boolean = (!isStopped || step.after === 'go-on') && step.wanted(night);
    const failure: Error | undefined = isWanted ? await attempt(night, step) : undefined;
    if (failure !== undefined && step.after === 'go-on') {
      const sentence = `${step.failed ?? step.stage}: ${sentencesOf(failure)}`;
      report.steps.push({ step: step.stage, failed: true, sentence });
    } else if (failure !== undefined) {
      report.failure ??= failure;
      // After a disk error, the next run publishes. Only a rebuild can replace a damaged database file.
      isStopped ||=
        step.after === 'stop' || failure instanceof StorageError || failure instanceof CorruptDatabaseError;
    }
    const { stage, doing } = step;
    const isOver = steps[nth + 1]?.stage !== stage && !isStopped && stage in report.seconds;
    const isDone = stage !== 'publish' || report.publishedBytes !== undefined;
    if (doing !== undefined && isOver && isDone)
      terminal.record(`Finished ${doing}.`, {
        event: 'stage_finished',
        stage,
        seconds: report.seconds[stage],
      });
  }
  if (report.failure === undefined) return;
  // A failed run ends with its error and without a summary.
  for (const { step, sentence } of report.failedSteps)
    terminal.warn(sentence, { event: 'step_failed', step });
  throw report.failure;
}

/** How to continue after a failure. You have to repeat a backfill, because runs never request days before `start_date`. */
export const continuationOf = (command: string): string =>
  command === 'backfill'
    ? 'start the same backfill again, and it continues from here'
    : 'the next run continues from here';

async function attempt(night: Night, step: Step): Promise<Error | undefined> {
  if (step.doing !== undefined) night.invocation.terminal.progress(step.doing);
  try {
    await night.report.timed(step.stage, () => step.run(night));
    return undefined;
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    if (!(error instanceof ServiceError) || step.after === 'go-on') return asError(error);
    const again = continuationOf(night.folder.command);
    const hint = `${error.hint ?? ''} Nothing is lost; ${again}.`.trimStart();
    return new ServiceError(error.message, { hint, cause: error });
  }
}

interface Run {
  readonly command: string;
  readonly steps: readonly Step[];
  readonly config: Config;
  readonly invocation: Invocation;
  readonly report: RunReport;
  readonly job?: Job | undefined;
}

/**
 * Opens the data folder, runs the steps, records the run and closes the folder. The report is complete also after a failure.
 *
 * @throws the error that stopped the run; data loaded until then is published by this run or the next one
 */
export async function runNight({ command, steps, config, invocation, report, job }: Run): Promise<RunReport> {
  await using folder = await DataFolder.open(config, invocation, { command, needs: 'erasures' });
  await recordBegin(folder);
  report.days = job?.days;
  try {
    await using warehouse = await folder.warehouse('working', report);
    await runSteps({ config, invocation, folder, warehouse, job, report }, steps);
  } catch (error) {
    report.failure ??= asError(error);
  }
  await recordEnd(folder, report);
  if (report.failure !== undefined) throw report.failure;
  return report;
}

/** Flattens a night into the object that streams, exports, retention and erasures take. */
export const partsOf = ({ config, invocation, folder, warehouse, report }: Night) => ({
  ...{ config, invocation, report },
  ...{ files: folder.files, journal: folder.journal, landing: folder.landing, ledger: folder.ledger },
  ...{ warehouse: warehouse.file, erasures: warehouse.erasures, load: warehouse.load },
});

/**
 * What follows after publishing, in order. No step can undo or withhold what was published; what it writes into the
 * warehouse is seen in the next publication. A step that fails is reported, and the others follow.
 */
import { existsSync } from 'node:fs';
import { rangesOf } from '../calendar.js';
import type { Config } from '../config.js';
import { removeFolders, type DueFolder } from '../erasure/retention.js';
import { adviceOf, DawnloadError, InterruptedError, messageOf } from '../errors.js';
import type { Invocation } from '../invocation.js';
import type { Journal } from '../journal/journal.js';
import { runsOf, type RunOver } from '../journal/runs.js';
import { describePushed, pushLake, rowsAdded } from '../lake/push.js';
import type { OpenFolder } from './data-folder.js';
import type { StepOutcome } from './report.js';

/** Makes the pushes of a night under the lock. */
export type AfterPublishing = (journal: Journal) => Promise<StepOutcome[]>;

export interface Night {
  readonly command: string;
  readonly folder: OpenFolder;
  readonly config: Config;
  readonly invocation: Invocation;
  /** Size of the published file in bytes; undefined if readers keep the previous file. */
  readonly publishedBytes: number | undefined;
  /** The failure of the work before. */
  readonly failure: Error | undefined;
  /** The landed folders that retention removes. */
  readonly due: readonly DueFolder[];
  readonly pushes: AfterPublishing | undefined;
  /** The end of the run for the page. */
  over(): RunOver | undefined;
}

interface Step {
  readonly name: string;
  wanted(night: Night): boolean;
  /** A sentence on what was done, or the outcomes of several such steps; undefined if there is nothing to say. */
  run(night: Night): Promise<string | readonly StepOutcome[] | undefined>;
  /** A clause before the reason of a failure. */
  failed(night: Night): string;
}

const isWhole = ({ publishedBytes, failure }: Night): boolean =>
  publishedBytes !== undefined && failure === undefined;

const STEPS: readonly Step[] = [
  {
    name: 'lake',
    wanted: (night) =>
      night.config.lake !== undefined && /^(?:run|backfill)$/.test(night.command) && isWhole(night),
    async run({ command, folder, config: { dataDir, lake }, invocation }) {
      if (lake === undefined) return undefined;
      const commits = await pushLake({ dataDir, lake }, invocation, folder.journal, command);
      return describePushed({ commits: commits.length, rows: rowsAdded(commits) });
    },
    failed({ folder: { report } }) {
      const days = rangesOf(report.loadedDays).map(({ start, end }) =>
        start === end ? start : `${start} to ${end}`,
      );
      const what = days.length === 0 ? 'What is published' : `What was loaded of ${days.join(', ')}`;
      return `${what} is not in the lake`;
    },
  },
  {
    name: 'push',
    // Rows reach people, so none leaves while the journal may lack what was sent.
    wanted: (night) => night.pushes !== undefined && night.folder.doubt === undefined && isWhole(night),
    run: async ({ pushes, folder }) => pushes?.(folder.journal),
    failed: () => 'The pushes failed',
  },
  {
    name: 'landing',
    wanted: ({ due, publishedBytes }) => due.length > 0 && publishedBytes !== undefined,
    async run({ folder: { dataDir, journal }, invocation, due }) {
      await removeFolders(due, dataDir, journal, invocation.effects);
      return undefined;
    },
    failed: () => 'Landed pages past their retention could not be removed',
  },
  {
    name: 'page',
    wanted: ({ config, folder }) => config.reportIn !== undefined && existsSync(folder.files.published),
    async run(night) {
      const { config, folder, invocation } = night;
      const { dataDir, files, journal } = folder;
      if (config.reportIn === undefined) return undefined;
      invocation.terminal.progress('writing the report');
      const { writeReport } = await import('../report/report.js');
      await writeReport(files.report, {
        dataDir,
        language: config.reportIn,
        now: invocation.effects.now(),
        ending: night.over(),
        runs: runsOf(journal.of('run')),
      });
      return `The report on it is ${files.report}.`;
    },
    failed: () => 'The report could not be written, which `dawnload report` does again',
  },
];

/**
 * Takes the wanted steps; each outcome is in the report.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function afterRun(night: Night): Promise<void> {
  const { report } = night.folder;
  for (const step of STEPS) {
    if (!step.wanted(night)) continue;
    try {
      const done = await step.run(night);
      if (typeof done === 'string') report.steps.push({ step: step.name, failed: false, sentence: done });
      else for (const outcome of done ?? []) report.steps.push(outcome);
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      const advice = error instanceof DawnloadError ? adviceOf(error) : '';
      const sentence = `${step.failed(night)}: ${messageOf(error)} ${advice}`.trim();
      report.steps.push({ step: step.name, failed: true, sentence });
    }
  }
}

/**
 * The steps after publishing, in order. No step can undo or withhold what was published; what it writes into the
 * warehouse is seen in the next publication. A step that fails is reported, and the others follow.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { requireLake, requireService, type Config } from '../config/config.js';
import { removeFolders, type Removal } from '../erasure/retention.js';
import { DawnloadError, InterruptedError, messageOf } from '../ground/errors.js';
import { configuredPush } from '../push/targets.js';
import { requestWebhook } from '../service/webhook.js';
import type { OpenFolder } from './data-folder.js';
import { runsSoFar, type StepOutcome } from './report.js';

interface Night {
  readonly folder: OpenFolder;
  /** The failure of the work before. */
  readonly failure: Error | undefined;
  /** What retention removes of the landing zone. */
  readonly due: Removal | undefined;
}

interface Step {
  readonly name: string;
  wanted(night: Night): boolean;
  /** A sentence on what was done, or the outcomes of several such steps; undefined if there is nothing to say. */
  run(night: Night): Promise<string | readonly StepOutcome[] | undefined>;
  /** A clause before the reason of a failure. */
  readonly failed: string;
}

const isPublished = ({ folder }: Night): boolean => folder.report.publishedBytes !== undefined;

/** True for a run or a backfill that did all its work. */
const isWhole = (night: Night): boolean =>
  isPublished(night) && night.failure === undefined && /^(?:run|backfill)$/.test(night.folder.command);

const stepsOf = ({ pushes }: Config): readonly Step[] => [
  {
    name: 'lake',
    wanted: (night) => night.folder.config.lake !== undefined && isWhole(night),
    async run({ folder: { command, config, invocation, journal } }) {
      const { describePushed, pushLake } = await import('../lake/replicate.js');
      return describePushed(await pushLake(requireLake(config), invocation, journal, command));
    },
    failed: 'The lake lacks what was published',
  },
  ...pushes.map((settings): Step => ({
    name: `push ${settings.name}`,
    // Rows reach people, so none leaves while the journal may lack what was sent.
    wanted: (night) =>
      night.folder.command === 'run' && night.folder.ledger.doubt === undefined && isWhole(night),
    async run({ folder: { config, invocation, journal } }) {
      const { pushRows, sentenceOn } = await import('../push/push.js');
      const wanted = configuredPush(settings);
      const how = { standing: true };
      const pushed = await pushRows(wanted, requireService(config), invocation, journal, how);
      return `${settings.name}: ${sentenceOn(wanted, pushed)}`;
    },
    failed: `The push ${settings.name} failed`,
  })),
  {
    name: 'landing',
    wanted: (night) => (night.due?.days ?? 0) > 0 && isPublished(night),
    async run({ folder: { landing, journal, invocation }, due }) {
      if (due !== undefined) await removeFolders(due, landing.disk, journal, invocation);
      return undefined;
    },
    failed: 'Landed pages past their retention could not be removed',
  },
  {
    name: 'page',
    wanted: ({ folder: { config, files } }) => config.reportIn !== undefined && existsSync(files.published),
    async run({ folder, failure }) {
      const { config, files, invocation } = folder;
      invocation.terminal.progress('writing the report');
      const { writeReport } = await import('../readers/report/report.js');
      const { faults } = await writeReport(files.report, {
        dataDir: config.dataDir,
        language: config.reportIn ?? 'en',
        now: invocation.effects.now(),
        runs: runsSoFar(folder, failure),
        keeps: true,
      });
      const sentence = [`The report on it is ${files.report}.`, ...faults].join(' ');
      return [{ step: 'page', failed: faults.length > 0, sentence }];
    },
    failed: 'The report could not be written (`dawnload report` tries again)',
  },
  {
    name: 'after_publish',
    wanted: (night) => night.folder.config.afterPublish.length > 0 && isWhole(night),
    async run({ folder }) {
      const outcomes: StepOutcome[] = [];
      for (const [nth, what] of folder.config.afterPublish.entries()) {
        const step = `after_publish[${nth}]`;
        const failure = await tell(what, folder);
        const sentence = failure === undefined ? `Done: ${step}.` : `${step} failed: ${failure}.`;
        outcomes.push({ step, failed: failure !== undefined, sentence });
      }
      return outcomes;
    },
    failed: 'after_publish failed',
  },
];

/** Milliseconds after which a command or an address of `after_publish` is given up. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Runs a command in the folder of the settings, or posts JSON to an address. Resolves with the reason of a failure, a
 * clause that repeats no address, since it may be a secret.
 */
async function tell(what: string, folder: OpenFolder): Promise<string | undefined> {
  const { command, config, files, report } = folder;
  const { signal, environment, effects, terminal } = folder.invocation;
  const { published } = files;
  const days = report.loadedDays;
  terminal.progress('telling others of the publication');
  if (/^https?:/i.test(what)) {
    const at = effects.now().toISOString();
    const body = JSON.stringify({ tool: 'dawnload', command, published, days, published_at: at });
    const failure = await requestWebhook(what, body, PATIENCE_MS, signal);
    signal.throwIfAborted();
    return failure;
  }
  const { DAWNLOAD_ACCESS_KEY: _, DAWNLOAD_SECRET_KEY: __, ...others } = environment;
  const known = { DAWNLOAD_PUBLISHED: published, DAWNLOAD_DAYS: days.join(' '), DAWNLOAD_COMMAND: command };
  const child = spawn(what, {
    shell: true,
    detached: true,
    stdio: 'ignore',
    env: { ...others, ...known },
    cwd: config.file === undefined ? process.cwd() : dirname(config.file),
  });
  // The shell and what it started are one group.
  const end = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  const over = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  over.addEventListener('abort', end, { once: true });
  const error = await once(child, 'exit').then(() => undefined, messageOf);
  over.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (error !== undefined) return error.replaceAll(what, 'the command');
  if (over.aborted) return 'it did not end within ten minutes';
  const { exitCode, signalCode } = child;
  return exitCode === 0 ? undefined : `it ended with ${signalCode ?? `exit code ${exitCode}`}`;
}

/**
 * Takes the wanted steps; each outcome is in the report.
 *
 * @throws InterruptedError after Ctrl-C
 */
export async function afterRun(night: Night): Promise<void> {
  const { report } = night.folder;
  for (const step of stepsOf(night.folder.config)) {
    if (!step.wanted(night)) continue;
    try {
      const done = await report.timed(step.name, () => step.run(night));
      if (typeof done === 'string') report.steps.push({ step: step.name, failed: false, sentence: done });
      else for (const outcome of done ?? []) report.steps.push(outcome);
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      const why = error instanceof DawnloadError ? error.sentences : messageOf(error);
      const sentence = `${step.failed}: ${why}`;
      report.steps.push({ step: step.name, failed: true, sentence });
    }
  }
  // The last lines of a run that failed are its error alone.
  if (night.failure !== undefined)
    for (const { step, sentence } of report.failedSteps)
      night.folder.invocation.terminal.warn(sentence, { event: 'step_failed', step });
}

/** The steps after publishing. A failing step is reported and the others continue; the published file stays. */
import { existsSync } from 'node:fs';
import { requireLake, requireService, type Config, shellFor } from '../config/config.js';
import { removeFolders } from '../erasure/retention.js';
import { runShell } from '../ground/shell.js';
import { ASSIGNMENTS, OWN, ownStream } from '../ground/streams.js';
import { listPulls, type LandedPull } from '../landing/landing-zone.js';
import { configuredPush } from '../push/targets.js';
import { requestWebhook } from '../service/webhook.js';
import { runsSoFar } from './report.js';
import type { Night, Step } from './step.js';

const isPublished = ({ report }: Night): boolean => report.publishedBytes !== undefined;

const isWhole = (night: Night): boolean => isPublished(night) && night.report.failure === undefined;

export const lake: Step = {
  stage: 'lake',
  wanted: (night) => night.config.lake !== undefined && isWhole(night),
  async run({ config, invocation, report, folder: { command, journal } }) {
    const { describePushed, pushLake } = await import('../lake/replicate.js');
    const pushed = await pushLake(requireLake(config), invocation, journal, command);
    report.steps.push({ step: 'lake', failed: false, sentence: describePushed(pushed) });
  },
  after: 'go-on',
  failed: 'The published data is not in the lake yet',
};

/** A push from the settings. Nothing is sent while the journal may lack earlier pushes. */
export const push = (settings: Config['pushes'][number]): Step => ({
  stage: `push ${settings.name}`,
  wanted: (night) => night.folder.ledger.doubt === undefined && isWhole(night),
  async run({ config, invocation, report, folder: { journal } }) {
    const { pushRows, sentenceOn } = await import('../push/push.js');
    const wanted = configuredPush(settings);
    const service = requireService(config);
    const pushed = await pushRows(wanted, service, invocation, journal, { standing: true });
    const sentence = `${settings.name}: ${sentenceOn(wanted, pushed)}`;
    report.steps.push({ step: `push ${settings.name}`, failed: false, sentence });
  },
  after: 'go-on',
  failed: `The push ${settings.name} failed`,
});

export const prune: Step = {
  stage: 'landing',
  wanted: (night) => (night.report.due?.days ?? 0) > 0 && isPublished(night),
  async run({ folder: { landing, journal }, report: { due }, invocation }) {
    if (due !== undefined) await removeFolders(due, landing.disk, journal, invocation);
  },
  after: 'go-on',
  failed: 'Landed pages past their retention could not be removed',
};

/** Removes outdated copies of own tables, and copies of tables no longer in the settings. */
export const pruneCopies: Step = {
  stage: 'landing',
  wanted: isPublished,
  async run({ folder: { landing }, config: { tables }, report: { unloaded } }) {
    const own = (await listPulls(landing.folder)).filter(({ stream }) => stream.startsWith(OWN));
    // Latest last. Earlier copies that cannot be loaded, for example because of other privacy settings, are removed too.
    const pulls = await landing.pulls(own, () => undefined);
    const latest = new Map(pulls.map(({ stream, id }) => [stream, id]));
    const named = [...tables, { name: ASSIGNMENTS }].map(({ name }) => ownStream(name));
    const isOver = ({ stream, id }: LandedPull): boolean =>
      latest.get(stream) !== id || !named.includes(stream);
    await landing.removePulls(
      pulls.filter((one) => isOver(one) && !unloaded.has(latest.get(one.stream) ?? '')),
    );
  },
  after: 'go-on',
  failed: 'Earlier copies of your own tables could not be removed',
};

export const page: Step = {
  stage: 'page',
  wanted: ({ config, folder: { files } }) => config.reportIn !== undefined && existsSync(files.published),
  async run({ config, folder, invocation, report }) {
    const { files } = folder;
    invocation.terminal.progress('writing the report');
    const { writeReport } = await import('../readers/report/report.js');
    const { faults } = await writeReport(files.report, {
      dataDir: config.dataDir,
      language: config.reportIn ?? 'en',
      now: invocation.effects.now(),
      runs: runsSoFar(folder, report),
    });
    const sentence = [`The report on it is ${files.report}.`, ...faults].join(' ');
    report.steps.push({ step: 'page', failed: faults.length > 0, sentence });
  },
  after: 'go-on',
  failed: 'The report could not be written (`dawnload report` tries again)',
};

/** Runs the commands and calls the addresses in `after_publish`. */
export const afterPublish: Step = {
  stage: 'after_publish',
  wanted: (night) => night.config.afterPublish.length > 0 && isWhole(night),
  async run(night) {
    for (const [nth, what] of night.config.afterPublish.entries()) {
      const step = `after_publish[${nth}]`;
      const failure = await notify(what, night, step);
      const sentence = failure === undefined ? `Done: ${step}.` : `${step} failed: ${failure}.`;
      night.report.steps.push({ step, failed: failure !== undefined, sentence });
    }
  },
  after: 'go-on',
  failed: 'after_publish failed',
};

const PATIENCE_MS = 10 * 60_000;

/** Resolves with the reason for a failure, a clause without the address, which may be secret. */
async function notify(
  what: string,
  { config, folder, report, invocation }: Night,
  step: string,
): Promise<string | undefined> {
  const { signal, environment, effects, terminal } = invocation;
  const { command } = folder;
  const { published } = folder.files;
  const days = report.loadedDays;
  terminal.progress('notifying others of the publication');
  if (/^https?:/i.test(what)) {
    const at = effects.now().toISOString();
    const body = JSON.stringify({ tool: 'dawnload', command, published, days, published_at: at });
    const failure = await requestWebhook(what, body, PATIENCE_MS, signal);
    signal.throwIfAborted();
    return failure;
  }
  const about = { DAWNLOAD_PUBLISHED: published, DAWNLOAD_DAYS: days.join(' '), DAWNLOAD_COMMAND: command };
  const shell = shellFor(config, environment);
  const { failure, output } = await runShell(what, {
    ...shell,
    environment: { ...shell.environment, ...about },
    signal,
    patienceMs: PATIENCE_MS,
    effects,
  });
  for (const line of output)
    terminal[failure === undefined ? 'note' : 'warn'](`${step}: ${line}`, { event: 'step_said', step });
  return failure;
}

/** Alerts about a run, each with a sentence, numbers and the next command. A failed alert is only a warning and never fails a run. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { requestWebhook } from '../service/webhook.js';
import { dayCount, dayOf, lastCompleteDay, type Day } from '../ground/calendar.js';
import { heartbeatBefore, SettingsError, type AlertSettings, type Config } from '../config/config.js';
import type { AlertCause } from '../config/schema.js';
import {
  ClockError,
  ConfigError,
  endOf,
  EXIT,
  exitCodeOf,
  InterruptedError,
  messageOf,
  TryLaterError,
  type ExitCode,
} from '../ground/errors.js';
import { listed } from '../ground/text.js';
import type { Invocation } from '../config/invocation.js';
import { newestOf } from '../night/days-now.js';
import { describeGap, RunReport } from '../night/report.js';
import { DurableFolder } from '../disk/atomic-file.js';
import { dataFiles } from '../disk/paths.js';
import { bodyOf, type Alert, type Sender } from './alert.js';
import { coveredDay, Reader } from '../warehouse/reader.js';

/**
 * What is remembered between runs: for each receiver and cause, the KST day of the last alert (`told`); and the drift that was already
 * reported.
 */
const memoryShape = z.object({
  told: z.record(z.string(), z.string()),
  failing: z.boolean(),
  drift: z.array(z.string()),
});

export type Memory = z.infer<typeof memoryShape>;

export const NOTHING_TOLD: Memory = { told: {}, failing: false, drift: [] };

export interface Ended {
  readonly report: RunReport;
  readonly failure: unknown;
  /** The latest day of daily statistics in the published file, and the latest day that is complete at the service. */
  readonly newest: Day | undefined;
  readonly complete: Day;
}

/** Number of days by which data may lag before it counts as stale: a late night is fine, a missed night is not. */
const LATE_DAYS = 1;

/** The causes for alerts in a run, whoever has subscribed to them. */
export function causesOf(ended: Ended, memory: Memory): Alert[] {
  const { report, failure, newest, complete } = ended;
  const alerts: Alert[] = [];
  const add = (cause: AlertCause, message: string, numbers: Alert['numbers'], next: string): void => {
    alerts.push({ cause, message, numbers, next });
  };

  if (failure !== undefined && !isBusy(ended)) {
    const numbers = { exit_code: exitCodeOf(failure) };
    const message = [`The run failed. ${messageOf(failure)}`, ...failedSteps(report)].join(' ');
    add('failure', message, numbers, 'dawnload doctor');
  } else if (hasFailed(ended)) {
    const { gaps } = report;
    const numbers = { exit_code: EXIT.incomplete, ...(gaps.length > 0 && { gaps: gaps.length }) };
    add('failure', `The run is incomplete. ${whatIsMissing(report)}`, numbers, 'dawnload status');
  } else if (memory.failing && !isBusy(ended) && !isLimited(ended)) {
    const rows = report.totals().reduce((sum, total) => sum + total.rows, 0);
    add('recovery', 'The run is complete again.', { rows }, 'dawnload status');
  }

  const behind = newest === undefined ? 0 : dayCount({ start: newest, end: complete }) - 1;
  // If the clocks disagree, the latest complete day is unknown.
  if (newest !== undefined && behind > LATE_DAYS && !(failure instanceof ClockError)) {
    const message = `The latest daily statistics are those of ${newest}; ${complete} is complete at the service.`;
    add('stale', message, { days_behind: behind }, 'dawnload plan');
  }

  const actions = [...report.attention, ...report.notices];
  const [action] = actions;
  if (action !== undefined) add('needs_action', action.advice, { actions: actions.length }, action.list);

  const overBudget = report.unpaidDays.filter(({ verdict }) => verdict.startsWith('over_'));
  if (overBudget.length > 0) {
    const records = overBudget.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
    const message = 'Events were not requested because they are over the budget.';
    add('budget', message, { days: overBudget.length, estimated_records: records }, 'dawnload plan');
  }

  const drift = report.drift().filter((field) => !memory.drift.includes(field));
  if (drift.length > 0) {
    const message = `The service sends fields that differ from its specification: ${listed(drift)}. Their values are kept.`;
    add('drift', message, { fields: drift.length }, 'dawnload query drift');
  }

  if (report.withheld !== undefined && failure === undefined) {
    const message = `Not published: ${report.withheld}. Readers still see the previous file, if there is one.`;
    // A rebuild helps against failed checks, but not against missing data.
    const next = report.stops.length > 0 ? 'dawnload rebuild' : 'dawnload exports list';
    add('check_stop', message, { checks: report.stops.length }, next);
  }
  return alerts;
}

/** True if a run failed in the sense of alerts. A missing budget is not a failure. */
function hasFailed({ report, failure }: Pick<Ended, 'report' | 'failure'>): boolean {
  return (failure !== undefined && !isBusy({ failure })) || report.exitCode() === EXIT.incomplete;
}

/** True if days wait for budget or consent, which is neither a failure nor a recovery. */
function isLimited({ report }: Pick<Ended, 'report'>): boolean {
  return report.exitCode() === EXIT.refused;
}

/** True if another run has the lock. Its outcome is unknown here, but stale data is still reported. */
function isBusy({ failure }: Pick<Ended, 'failure'>): boolean {
  return failure instanceof TryLaterError;
}

/** The first gap, and each failed step after publishing, as sentences. */
function whatIsMissing(report: RunReport): string {
  const gap = report.gaps.slice(0, 1).map((one) => describeGap(one).replace(/[.]?$/, '.'));
  const all = [...gap, ...failedSteps(report)];
  return all.length === 0 ? 'Something needs action.' : all.join(' ');
}

const failedSteps = ({ failedSteps: steps }: RunReport): string[] => steps.map(({ sentence }) => sentence);

type Caller = Pick<Invocation, 'flags' | 'environment' | 'effects' | 'terminal' | 'runId'>;

/** Calls the heartbeat for a run that could not start, or could not report its end. Works with any settings. */
export async function reportUnstarted(
  invocation: Caller & Pick<Invocation, 'loadConfig'>,
  failure: unknown,
): Promise<void> {
  await callHeartbeat(settingsOf(invocation).forAlerts, invocation, exitCodeOf(failure), failure);
}

/** The settings; and the part for alerts and the heartbeat, which is read even if other settings are wrong. */
function settingsOf({ loadConfig }: Pick<Invocation, 'loadConfig'>): {
  readonly forAlerts: AlertSettings | undefined;
  readonly load: () => Config;
} {
  try {
    const config = loadConfig();
    return { forAlerts: config, load: () => config };
  } catch (error) {
    const forAlerts = error instanceof SettingsError ? error.alertSettings : undefined;
    const load = (): never => {
      throw error;
    };
    return { forAlerts, load };
  }
}

/** Calls the address of the heartbeat. Its monitor notices runs that never started. */
async function callHeartbeat(
  settings: AlertSettings | undefined,
  { flags, environment, effects, terminal, runId }: Caller,
  exitCode: ExitCode,
  failure?: unknown,
): Promise<void> {
  const address = heartbeatBefore(flags, environment) ?? settings?.heartbeat ?? '';
  if (address === '') return;
  const ended = endOf(exitCode, failure);
  const url = address.replaceAll(/\{(exit_code|outcome)\}/g, (_, name) =>
    String(name === 'outcome' ? ended.outcome : exitCode),
  );
  const sender = senderOf(settings ?? { dataDir: '' }, runId, effects.now());
  const body = { tool: 'dawnload', command: 'run', ...ended, ...sender };
  const refused = URL.canParse(url)
    ? await requestWebhook(url, JSON.stringify(body), DELIVERY_MS)
    : 'its address is not one';
  if (refused !== undefined) terminal.warn(`The heartbeat was not accepted: ${refused}.`);
}

/**
 * Reads the settings, does the work of a run, sends alerts about both, and calls the heartbeat. The work resolves with its exit code. Work
 * that does not start a run causes no alerts.
 *
 * @throws the errors of the settings and of the work, but never those of alerts
 */
export async function withAlerts(
  invocation: Invocation,
  work: (config: Config, report: RunReport) => Promise<ExitCode>,
): Promise<ExitCode> {
  const report = new RunReport(() => invocation.effects.now());
  const { forAlerts: settings, load } = settingsOf(invocation);
  try {
    const exitCode = await work(load(), report);
    if (settings !== undefined && report.days !== undefined)
      await sendAlerts(settings, invocation, report, undefined, load);
    await callHeartbeat(settings, invocation, exitCode);
    return exitCode;
  } catch (failure) {
    // No alert if you stopped the run yourself.
    if (settings !== undefined && !(failure instanceof InterruptedError))
      await sendAlerts(settings, invocation, report, failure);
    await callHeartbeat(settings, invocation, exitCodeOf(failure), failure);
    throw failure;
  }
}

/** Sends the alerts of a run that ended. A failure is only a warning. */
async function sendAlerts(
  settings: AlertSettings,
  invocation: Invocation,
  report: RunReport,
  failure: unknown,
  load?: () => Config,
): Promise<void> {
  if (settings.alerts.length === 0) return;
  const complete = lastCompleteDay(invocation.effects.now());
  const { published } = dataFiles(settings.dataDir);
  const coverage = Reader.using(published, (reader) => reader.rows('status/coverage', coveredDay));
  const newest = newestOf(await coverage.catch(() => []), 'statistics');
  const work = async (): Promise<void> => {
    const isPublished = load !== undefined && report.publishedBytes !== undefined;
    const news = isPublished
      ? await (await import('./news.js')).newsOf(load(), invocation, newest === complete)
      : [];
    await afterRun(settings, invocation, { report, failure, complete, newest }, news);
  };
  await work().catch((error: unknown) => {
    invocation.terminal.warn(`Alerts could not be sent: ${messageOf(error)}`);
  });
}

async function afterRun(
  settings: AlertSettings,
  invocation: Invocation,
  ended: Ended,
  news: readonly Alert[],
): Promise<void> {
  const { effects, terminal } = invocation;
  const { report, failure } = ended;
  const today = dayOf(effects.now());
  // If the settings are wrong, the data folder may belong to another project or account.
  const isOurs = report.days !== undefined || !(failure instanceof ConfigError);
  const { dataDir } = settings;
  const memory = isOurs ? await recall(dataDir) : NOTHING_TOLD;
  const sent = await deliver(
    settings,
    [...causesOf(ended, memory), ...news],
    invocation,
    (to, { cause, isOver = false }) => {
      const lastDay = memory.told[to];
      // Each receiver gets a recovery only once, even if another receiver rejects it for days.
      if (cause === 'recovery') return lastDay === undefined;
      return cause === 'question' ? isOver === (lastDay !== undefined) : lastDay !== today;
    },
  );
  if (!isOurs) return;
  const accepted = sent.filter(({ isAccepted }) => isAccepted);
  const drifted = sent.filter(({ cause }) => cause === 'drift');
  const isDriftSent = drifted.length > 0 && drifted.every(({ isAccepted }) => isAccepted);
  const isRecoveryOwed = sent.some(({ cause, isAccepted }) => cause === 'recovery' && !isAccepted);
  const failed = hasFailed(ended);
  const earlier = Object.entries(memory.told).filter(
    ([to, day]) => !failed || day === today || !to.endsWith(RECOVERY),
  );
  const over = new Set(accepted.filter(({ isOver }) => isOver).map(({ to }) => to));
  const all = [...earlier, ...accepted.map(({ to }) => [to, today] as const)];
  const next: Memory = {
    told: Object.fromEntries(all.filter(([to]) => !over.has(to))),
    failing: failed || (memory.failing && (isBusy(ended) || isLimited(ended) || isRecoveryOwed)),
    drift: [...new Set([...memory.drift, ...(isDriftSent ? report.drift() : [])])].sort(),
  };
  const folder = new DurableFolder(dataDir, effects);
  const text = `${JSON.stringify(next, null, 1)}\n`;
  await folder.write(memoryIn(dataDir), text, 'alerts').catch((error: unknown) => {
    terminal.warn(
      `The alerts were sent, but this cannot be noted, so the next run sends them again: ${messageOf(error)}`,
    );
  });
}

/** Sends a test alert. Resolves with the number of receivers that accepted it. */
export async function sendTestAlert(config: Config, invocation: Invocation): Promise<number> {
  const message = 'This is a test: alerts of this kind arrive here.';
  const alert: Alert = { cause: 'test', message, numbers: {}, next: 'dawnload status' };
  const sent = await deliver(config, [alert], invocation, () => true);
  return sent.filter(({ isAccepted }) => isAccepted).length;
}

/** An alert that was delivered; `to` identifies the receiver and the cause, for the memory. */
interface Delivery {
  readonly to: string;
  readonly cause: Alert['cause'];
  readonly isOver: boolean;
  readonly isAccepted: boolean;
}

const senderOf = (
  { projectId = '', dataDir }: Pick<AlertSettings, 'projectId' | 'dataDir'>,
  runId: string,
  time: Date,
): Sender => ({ project_id: projectId, host: hostname(), folder: dataDir, run_id: runId, time });

/** Sends each alert, at the same time, to the subscribers who should get it now. */
async function deliver(
  settings: AlertSettings,
  alerts: readonly Alert[],
  { terminal, effects, runId }: Invocation,
  isDue: (to: string, alert: Alert) => boolean,
): Promise<Delivery[]> {
  const sender = senderOf(settings, runId, effects.now());
  const sent = settings.alerts.flatMap(({ url, variable, format, on, question }, index) => {
    // Webhook addresses are secret, so a receiver is named by its variable or its position in the list.
    const name = variable ?? `alerts[${index}]`;
    return alerts.map(async (alert): Promise<Delivery[]> => {
      const { cause, about, isOver = false } = alert;
      const to = [name, cause, ...(about === undefined ? [] : [about])].join(' ');
      const isWanted = cause === 'test' || (on.includes(cause) && about === (about && question));
      if (!isWanted || !isDue(to, alert)) return [];
      const refused =
        url === undefined
          ? 'the variable is not set, or is not an address'
          : await requestWebhook(url, bodyOf(alert, sender, format), DELIVERY_MS);
      if (refused !== undefined)
        terminal.warn(`The alert "${cause}" was not accepted by ${name}: ${refused}.`);
      return [{ to, cause, isOver, isAccepted: refused === undefined }];
    });
  });
  return (await Promise.all(sent)).flat();
}

/** Maximum time in milliseconds for the alerts of a run, which are sent in parallel. */
const DELIVERY_MS = 10_000;

/** The suffix in the names of delivered recoveries. */
const RECOVERY = ' recovery';

const memoryIn = (dataDir: string): string => join(dataDir, 'alerts.json');

async function recall(dataDir: string): Promise<Memory> {
  try {
    return memoryShape.parse(JSON.parse(await readFile(memoryIn(dataDir), 'utf8')));
  } catch {
    return NOTHING_TOLD;
  }
}

/**
 * Delivers the alerts of a run and its pings of health checks. Errors here never fail a run: a refused alert is only a
 * warning.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestWebhook } from '../service/webhook.js';
import { dayOf, lastCompleteDay, type Day } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import { InterruptedError, messageOf } from '../ground/errors.js';
import type { Invocation } from '../config/invocation.js';
import type { RunReport } from '../job/report.js';
import { DurableFolder } from '../landing/atomic-file.js';
import {
  bodyOf,
  causesOf,
  hasFailed,
  isBusy,
  memoryShape,
  type Alert,
  type Ended,
  type Memory,
} from './alerts.js';

type AlertConfig = Pick<Config, 'alerts' | 'pingUrl' | 'dataDir' | 'projectId'>;

/**
 * Performs the work of a run, pings a health check before and after it, and sends the alerts that the run causes.
 *
 * @param newest returns the newest day of the daily statistics in the published file
 * @throws only the errors of the work
 */
export async function withAlerts<T extends { readonly report: RunReport }>(
  config: AlertConfig,
  invocation: Invocation,
  newest: () => Promise<Day | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  if (config.alerts.length === 0 && config.pingUrl === undefined) return work();
  const started = ping(config, '/start', invocation);
  const tell = async (report: RunReport | undefined, failure: unknown): Promise<void> => {
    await started;
    const complete = lastCompleteDay(invocation.effects.now());
    const ended = { report, failure, complete, newest: await newest().catch(() => undefined) };
    await afterRun(config, invocation, ended).catch((error: unknown) => {
      invocation.terminal.warn(`Alerts could not be sent: ${messageOf(error)}`);
    });
  };
  try {
    const outcome = await work();
    await tell(outcome.report, undefined);
    return outcome;
  } catch (failure) {
    // The user stopped the run, and knows it.
    if (!(failure instanceof InterruptedError)) await tell(undefined, failure);
    throw failure;
  }
}

async function afterRun(config: AlertConfig, invocation: Invocation, ended: Ended): Promise<void> {
  const { effects, terminal } = invocation;
  const today = dayOf(effects.now());
  const memory = await recall(config.dataDir);
  const alerts = causesOf(ended, memory).filter(({ cause }) => memory.told[cause] !== today);
  const [delivered] = await Promise.all([
    deliver(config, alerts, invocation),
    isBusy(ended) ? undefined : ping(config, hasFailed(ended) ? '/fail' : '', invocation),
  ]);
  const told = Object.fromEntries(delivered.map(({ cause }) => [cause, today]));
  const drift = told['drift'] === undefined ? [] : (ended.report?.drift() ?? []);
  const next: Memory = {
    told: { ...memory.told, ...told },
    failing: isBusy(ended) ? memory.failing : hasFailed(ended),
    drift: [...new Set([...memory.drift, ...drift])].sort(),
  };
  const folder = new DurableFolder(config.dataDir, effects);
  const text = `${JSON.stringify(next, null, 1)}\n`;
  await folder.write(memoryIn(config.dataDir), text, 'alerts').catch((error: unknown) => {
    terminal.warn(
      `The alerts were sent, but what was sent cannot be noted, so the next run sends them again: ${messageOf(error)}`,
    );
  });
}

/**
 * Sends a test alert.
 *
 * @returns the number of receivers that accepted it
 */
export async function sendTestAlert(config: AlertConfig, invocation: Invocation): Promise<number> {
  const message = 'This is a test: alerts of this kind arrive here.';
  const alert: Alert = { cause: 'test', message, numbers: {}, next: 'dawnload status' };
  return (await deliver(config, [alert], invocation)).length;
}

/**
 * Sends each alert to its subscribers, all at once.
 *
 * @returns one alert for each receiver that accepted it
 */
async function deliver(
  { alerts: receivers, projectId = '' }: AlertConfig,
  alerts: readonly Alert[],
  { terminal, effects, runId }: Invocation,
): Promise<Alert[]> {
  const signal = AbortSignal.timeout(DELIVERY_MS);
  const sender = { project_id: projectId, run_id: runId, time: effects.now() };
  const sent = receivers.flatMap(({ url, variable, format, on }, index) =>
    alerts
      .filter(({ cause }) => cause === 'test' || on.includes(cause))
      .map(async (alert) => {
        const refused =
          url === undefined
            ? 'the variable holds no address'
            : await send(url, bodyOf(alert, sender, format), signal);
        if (refused === undefined) return [alert];
        // Webhook addresses are secrets, so a receiver is named by its position, or by the variable with its address.
        const name = variable ?? `alerts[${index}]`;
        terminal.warn(`The alert "${alert.cause}" was not taken by ${name}: ${refused}.`);
        return [];
      }),
  );
  return (await Promise.all(sent)).flat();
}

/**
 * Pings a health check. The path is added before the query: `https://host/id` and `/fail` become `https://host/id/fail`.
 */
async function ping({ pingUrl }: AlertConfig, path: string, { terminal }: Invocation): Promise<void> {
  if (pingUrl === undefined) return;
  const address = new URL(pingUrl);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  const refused = await send(address.href, undefined, AbortSignal.timeout(DELIVERY_MS));
  if (refused !== undefined) terminal.warn(`The ping to ping_url was not taken: ${refused}.`);
}

/** Maximum time in milliseconds for all alerts of a run together. */
const DELIVERY_MS = 10_000;

/**
 * Sends one request.
 *
 * @returns the reason why the request failed, without the address, which may be a secret
 */
async function send(url: string, json: string | undefined, signal: AbortSignal): Promise<string | undefined> {
  try {
    const statusCode = await requestWebhook(url, json, signal);
    return statusCode >= 200 && statusCode < 300 ? undefined : `HTTP ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `no answer within ${DELIVERY_MS / 1000} seconds`;
    return messageOf(error).replaceAll(url, 'its address');
  }
}

const memoryIn = (dataDir: string): string => join(dataDir, 'alerts.json');

async function recall(dataDir: string): Promise<Memory> {
  try {
    return memoryShape.parse(JSON.parse(await readFile(memoryIn(dataDir), 'utf8')));
  } catch {
    return { told: {}, failing: false, drift: [] };
  }
}

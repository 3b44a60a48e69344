/** Tells people and health checks what a run came to. Nothing here ever fails a night: what is not taken is a warning. */
import { dayOf, lastCompleteDay, type Day } from '../calendar.js';
import type { Config } from '../config.js';
import { InterruptedError, messageOf, TryLaterError } from '../errors.js';
import type { Invocation } from '../run/invocation.js';
import type { RunReport } from '../run/report.js';
import { bodyOf, type Alert, type Sender } from './alert.js';
import { causesOf, hasFailed, type Memory } from './causes.js';
import { DELIVERY_MS, pathUnder, ping, post } from './delivery.js';
import { recall, remember } from './memory.js';
import type { Receiver } from './receiver.js';

type AlertConfig = Pick<Config, 'alerts' | 'pingUrl' | 'dataDir' | 'projectId'>;

/**
 * Does a run's work, pings a health check before and after it, and sends the alerts that it gives cause to.
 *
 * @param newest the newest day of the daily statistics that readers see
 * @throws what the work throws, and nothing else
 */
export async function withAlerts<T extends { readonly report: RunReport }>(
  config: AlertConfig,
  invocation: Invocation,
  newest: () => Promise<Day | undefined>,
  work: () => Promise<T>,
): Promise<T> {
  if (config.alerts.length === 0 && config.pingUrl === undefined) return work();
  const started = pinged(config, '/start', invocation);
  const tell = async (report: RunReport | undefined, failure: unknown): Promise<void> => {
    await started;
    await afterRun(config, invocation, { report, failure, newest });
  };
  try {
    const outcome = await work();
    await tell(outcome.report, undefined);
    return outcome;
  } catch (failure) {
    // A person who stopped the run knows; and a run that another one keeps waiting did nothing.
    if (!(failure instanceof InterruptedError) && !(failure instanceof TryLaterError))
      await tell(undefined, failure);
    throw failure;
  }
}

interface Run {
  readonly report: RunReport | undefined;
  readonly failure: unknown;
  readonly newest: () => Promise<Day | undefined>;
}

async function afterRun(
  config: AlertConfig,
  invocation: Invocation,
  { report, failure, newest }: Run,
): Promise<void> {
  const { effects, terminal } = invocation;
  try {
    const now = effects.now();
    const memory = await recall(config.dataDir);
    const ended = {
      report,
      failure,
      newest: await newest().catch(() => undefined),
      complete: lastCompleteDay(now),
    };
    const today = dayOf(now);
    const alerts = causesOf(ended, memory).filter(({ cause }) => memory.told[cause] !== today);
    const sender = { projectId: config.projectId ?? '', runId: invocation.runId, time: now };
    const [delivered] = await Promise.all([
      deliver(config.alerts, alerts, sender, invocation),
      pinged(config, hasFailed(ended) ? '/fail' : '', invocation),
    ]);
    const told = Object.fromEntries(delivered.map(({ cause }) => [cause, today]));
    await remember(config.dataDir, after(memory, told, ended), effects).catch((error: unknown) => {
      terminal.warn(
        `The alerts were sent, but what was sent cannot be noted, so the next run sends them again: ${messageOf(error)}`,
      );
    });
  } catch (error) {
    terminal.warn(`Alerts could not be sent: ${messageOf(error)}`);
  }
}

function after(memory: Memory, told: Memory['told'], ended: Pick<Run, 'report' | 'failure'>): Memory {
  const drift = told['drift'] === undefined ? [] : (ended.report?.drift() ?? []);
  return {
    told: { ...memory.told, ...told },
    failing: hasFailed(ended),
    drift: [...new Set([...memory.drift, ...drift])].sort(),
  };
}

/** Sends each alert to those who want it, all at once; returns the ones that somebody took. */
async function deliver(
  receivers: readonly Receiver[],
  alerts: readonly Alert[],
  sender: Sender,
  { terminal }: Pick<Invocation, 'terminal'>,
): Promise<Alert[]> {
  const signal = AbortSignal.timeout(DELIVERY_MS);
  const sent = receivers.flatMap((receiver, index) =>
    alerts
      .filter(({ cause }) => cause === 'test' || receiver.on.includes(cause))
      .map(async (alert) => {
        const refused =
          receiver.url === undefined
            ? 'the variable holds no address'
            : await post(receiver.url, bodyOf(alert, sender, receiver.format), signal);
        if (refused === undefined) return [alert];
        terminal.warn(`The alert "${alert.cause}" was not taken by ${nameOf(receiver, index)}: ${refused}.`);
        return [];
      }),
  );
  return (await Promise.all(sent)).flat();
}

/** Sends an alert that says that it is a test; returns how many receivers took it. */
export async function sendTestAlert(config: AlertConfig, invocation: Invocation): Promise<number> {
  const alert: Alert = {
    cause: 'test',
    message: 'This is a test: alerts of this kind arrive here.',
    numbers: {},
    next: 'dawnload status',
  };
  const sender = {
    projectId: config.projectId ?? '',
    runId: invocation.runId,
    time: invocation.effects.now(),
  };
  return (await deliver(config.alerts, [alert], sender, invocation)).length;
}

async function pinged({ pingUrl }: AlertConfig, path: string, { terminal }: Invocation): Promise<void> {
  if (pingUrl === undefined) return;
  const refused = await ping(pathUnder(pingUrl, path), AbortSignal.timeout(DELIVERY_MS));
  if (refused !== undefined) terminal.warn(`The ping to ping_url was not taken: ${refused}.`);
}

/** Addresses of webhooks are secrets: a receiver is told by its place, or by the variable that holds it. */
function nameOf({ variable }: Receiver, index: number): string {
  return variable ?? `alerts[${index}]`;
}

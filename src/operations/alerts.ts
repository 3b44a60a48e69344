/** Tells people and health checks what a run came to. Nothing here ever fails a night: what is not taken is a warning. */
import { dayOf, lastCompleteDay, type Day, dayCount } from '../calendar.js';
import type { Config } from '../config.js';
import { InterruptedError, messageOf, TryLaterError, EXIT, exitCodeOf } from '../errors.js';
import type { Invocation } from '../run/invocation.js';
import { type RunReport, describeGap, describeNotPushed } from '../run/report.js';
import { bodyOf, type Alert, type Sender, listed, type Receiver } from './alert-format.js';
import { request } from 'undici';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { DurableFolder } from '../storage/atomic-file.js';
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

/** All alerts of a run together must not hold it up for longer, in milliseconds. */
const DELIVERY_MS = 10_000;

/** Sends one body; returns why it was not taken, without the address, which may be a secret. */
async function post(url: string, body: string, signal: AbortSignal): Promise<string | undefined> {
  return send(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }, signal);
}

/** Tells a health check; returns why it was not taken. */
async function ping(url: string, signal: AbortSignal): Promise<string | undefined> {
  return send(url, { method: 'GET' }, signal);
}

/** `https://host/id` and `/fail` are `https://host/id/fail`, before a query. */
function pathUnder(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/+$/, '') + path;
  return address.href;
}

async function send(
  url: string,
  options: { method: 'GET' | 'POST'; body?: string; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, { ...options, signal });
    // Whatever it says is not read; that it is broken off is no error.
    body.on('error', () => undefined).destroy();
    return statusCode >= 200 && statusCode < 300 ? undefined : `HTTP ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `no answer within ${DELIVERY_MS / 1000} seconds`;
    return messageOf(error).replaceAll(url, 'its address');
  }
}

const shape = z.object({
  told: z.record(z.string(), z.string()),
  failing: z.boolean(),
  drift: z.array(z.string()),
});

const NOTHING: Memory = { told: {}, failing: false, drift: [] };

const fileIn = (dataDir: string): string => join(dataDir, 'alerts.json');

async function recall(dataDir: string): Promise<Memory> {
  try {
    return shape.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')));
  } catch {
    return NOTHING;
  }
}

/** Throws `StorageError`. */
async function remember(dataDir: string, memory: Memory, effects: Pick<Effects, 'reach'>): Promise<void> {
  const folder = new DurableFolder(dataDir, effects);
  await folder.write(fileIn(dataDir), `${JSON.stringify(memory, null, 1)}\n`, 'alerts');
}

/** The state of alerts between runs. */
export interface Memory {
  /** The KST day on which each cause was told last. */
  readonly told: Readonly<Record<string, Day>>;
  /** Whether the last run failed. */
  readonly failing: boolean;
  /** Drift that was told. */
  readonly drift: readonly string[];
}

export interface Ended {
  /** Undefined when the run failed before it could report. */
  readonly report: RunReport | undefined;
  readonly failure: unknown;
  /** The newest day of the daily statistics that readers see, and the newest that the service has completed. */
  readonly newest: Day | undefined;
  readonly complete: Day;
}

/** A night that is late is not stale yet; one that was missed is. */
const LATE_DAYS = 1;

/** Every cause that the run gives, whoever wants to hear of it. */
export function causesOf(ended: Ended, memory: Memory): Alert[] {
  const { report, failure } = ended;
  const alerts = [...outcomeOf(ended, memory), ...staleness(ended)];
  if (report === undefined) return alerts;
  const [action] = report.attention;
  const overBudget = report.unpaidDays.filter(({ verdict }) => verdict.startsWith('over_'));
  const drift = report.drift().filter((field) => !memory.drift.includes(field));
  if (action !== undefined) {
    alerts.push({
      cause: 'needs_action',
      message: action,
      numbers: { actions: report.attention.length },
      next: 'dawnload exports list',
    });
  }
  if (overBudget.length > 0) {
    alerts.push({
      cause: 'budget',
      message: 'Events were not requested because they are over the budget.',
      numbers: {
        days: overBudget.length,
        estimated_records: overBudget.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0),
      },
      next: 'dawnload plan',
    });
  }
  if (drift.length > 0) {
    alerts.push({
      cause: 'drift',
      message: `The service sends fields that differ from its specification: ${listed(drift)}. Their values are kept.`,
      numbers: { fields: drift.length },
      next: 'dawnload query drift',
    });
  }
  if (report.withheld !== undefined && failure === undefined) {
    alerts.push({
      cause: 'check_stop',
      message: `Not published: ${report.withheld}. Readers keep the previous warehouse.`,
      numbers: { checks: report.stops.length },
      next: 'dawnload rebuild',
    });
  }
  return alerts;
}

/** Whether a run failed, as alerts and pings understand it: a lack of budget is no failure. */
function hasFailed({ report, failure }: Pick<Ended, 'report' | 'failure'>): boolean {
  return failure !== undefined || report?.exitCode() === EXIT.incomplete;
}

function outcomeOf(ended: Ended, { failing }: Memory): Alert[] {
  const { report, failure } = ended;
  if (!hasFailed(ended)) {
    const recovery = {
      cause: 'recovery',
      message: 'The run is complete again.',
      numbers: { rows: (report?.totals() ?? []).reduce((sum, { rows }) => sum + rows, 0) },
      next: 'dawnload status',
    } as const;
    return failing ? [recovery] : [];
  }
  const gaps = report?.gaps ?? [];
  const [first] = gaps;
  const lake = report?.lakeOutcome;
  const [action] = report?.attention ?? [];
  const incomplete =
    first !== undefined
      ? describeGap(first).replace(/[.]?$/, '.')
      : action === undefined && lake?.pushed === false
        ? describeNotPushed(lake)
        : 'Something needs action.';
  return [
    {
      cause: 'failure',
      message:
        failure === undefined
          ? `The run is incomplete. ${incomplete}`
          : `The run failed. ${messageOf(failure)}`,
      numbers: {
        exit_code: failure === undefined ? EXIT.incomplete : exitCodeOf(failure),
        ...(gaps.length > 0 && { gaps: gaps.length }),
      },
      next: failure === undefined ? 'dawnload status' : 'dawnload doctor',
    },
  ];
}

function staleness({ newest, complete }: Ended): Alert[] {
  if (newest === undefined || newest >= complete) return [];
  const behind = dayCount({ start: newest, end: complete }) - 1;
  if (behind <= LATE_DAYS) return [];
  return [
    {
      cause: 'stale',
      message: `The newest daily statistics are those of ${newest}, and the service has completed ${complete}.`,
      numbers: { days_behind: behind },
      next: 'dawnload plan',
    },
  ];
}

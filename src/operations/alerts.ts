/**
 * Determines the alerts that a run causes, each with a sentence, numbers and the next command, and the request bodies for
 * the receivers. Pure.
 */
import { z } from 'zod';
import { dayCount, type Day } from '../ground/calendar.js';
import type { AlertCause, AlertFormat } from '../config/schema.js';
import { EXIT, exitCodeOf, messageOf, TryLaterError } from '../ground/errors.js';
import { describeGap, type RunReport } from '../job/report.js';
import { cut } from '../ground/text.js';

export interface Alert {
  readonly cause: AlertCause | 'test';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** The command that the reader should run next. */
  readonly next: string;
}

/** The state of alerts between runs: for each cause the KST day of the last alert, and the drift that was reported. */
export const memoryShape = z.object({
  told: z.record(z.string(), z.string()),
  failing: z.boolean(),
  drift: z.array(z.string()),
});

export type Memory = z.infer<typeof memoryShape>;

export interface Ended {
  /** Undefined if the run failed before it could report. */
  readonly report: RunReport | undefined;
  readonly failure: unknown;
  /** The newest day of the daily statistics in the published file, and the newest day that is complete at the service. */
  readonly newest: Day | undefined;
  readonly complete: Day;
}

/** Number of days by which the data may lag before it is stale: a late night is tolerated, a missed night is not. */
const LATE_DAYS = 1;

/** All causes of alerts in the run, regardless of subscriptions. */
export function causesOf(ended: Ended, memory: Memory): Alert[] {
  const { report, failure, newest, complete } = ended;
  const alerts: Alert[] = [];
  const add = (cause: AlertCause, message: string, numbers: Alert['numbers'], next: string): void => {
    alerts.push({ cause, message, numbers, next });
  };

  if (failure !== undefined && !isBusy(ended)) {
    const numbers = { exit_code: exitCodeOf(failure) };
    add('failure', `The run failed. ${messageOf(failure)}`, numbers, 'dawnload doctor');
  } else if (report !== undefined && hasFailed(ended)) {
    const { gaps } = report;
    const numbers = { exit_code: EXIT.incomplete, ...(gaps.length > 0 && { gaps: gaps.length }) };
    add('failure', `The run is incomplete. ${whatIsMissing(report)}`, numbers, 'dawnload status');
  } else if (memory.failing && !isBusy(ended)) {
    const rows = (report?.totals() ?? []).reduce((sum, total) => sum + total.rows, 0);
    add('recovery', 'The run is complete again.', { rows }, 'dawnload status');
  }

  const behind = newest === undefined ? 0 : dayCount({ start: newest, end: complete }) - 1;
  if (newest !== undefined && behind > LATE_DAYS) {
    const message = `The newest daily statistics are those of ${newest}, and the service has completed ${complete}.`;
    add('stale', message, { days_behind: behind }, 'dawnload plan');
  }
  if (report === undefined) return alerts;

  const [action] = report.attention;
  if (action !== undefined)
    add('needs_action', action, { actions: report.attention.length }, 'dawnload exports list');

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
    const message = `Not published: ${report.withheld}. Readers keep the previous warehouse.`;
    add('check_stop', message, { checks: report.stops.length }, 'dawnload rebuild');
  }
  return alerts;
}

/** True if a run failed, as defined for alerts and pings: a missing budget is not a failure. */
export function hasFailed({ report, failure }: Pick<Ended, 'report' | 'failure'>): boolean {
  return (failure !== undefined && !isBusy({ failure })) || report?.exitCode() === EXIT.incomplete;
}

/** True if another run holds the lock; its outcome is not known here, but that the data is old is. */
export function isBusy({ failure }: Pick<Ended, 'failure'>): boolean {
  return failure instanceof TryLaterError;
}

function whatIsMissing({ gaps: [gap], attention, steps }: RunReport): string {
  if (gap !== undefined) return describeGap(gap).replace(/[.]?$/, '.');
  const step = attention.length > 0 ? undefined : steps.find(({ failed }) => failed);
  return step?.sentence ?? 'Something needs action.';
}

/** The request body in the format of the receiver. */
export function bodyOf(
  alert: Alert,
  sender: { readonly project_id: string; readonly run_id: string; readonly time: Date },
  format: AlertFormat,
): string {
  const { cause, message, numbers, next } = alert;
  if (format === 'json')
    return JSON.stringify({ tool: 'dawnload', cause, message, numbers, next, ...sender });
  const counted = Object.entries(numbers).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`);
  const lines = [
    `*Dawnload* ${cause.replace('_', ' ')}: ${message}`,
    counted.join(', '),
    `Next: \`${next}\``,
  ];
  const text = lines.filter((line) => line !== '').join('\n');
  return JSON.stringify({ text: cut(escapeSlack(text), SLACK_LIMIT) });
}

/** Maximum length in characters of a text that Slack accepts. */
const SLACK_LIMIT = 40_000;

/** The names that fit into a Slack message after a sentence, and the number of omitted names. */
function listed(names: readonly string[]): string {
  const shown: string[] = [];
  let room = SLACK_LIMIT - 1_000;
  for (const name of names) {
    const length = escapeSlack(name).length + ', '.length;
    if (length > room) continue;
    room -= length;
    shown.push(name);
  }
  const left = names.length - shown.length;
  return [shown.join(', '), ...(left === 0 ? [] : [`and ${left} more`])].join(' ').trimStart();
}

/** Escapes a name from outside, so that it cannot mention a channel or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

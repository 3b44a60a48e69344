/** Which alerts a run gives cause for, each with a sentence, numbers and a next command, and the bodies that receivers take. Pure. */
import { z } from 'zod';
import { dayCount, type Day } from '../calendar.js';
import type { AlertCause, AlertFormat } from '../config/schema.js';
import { EXIT, exitCodeOf, messageOf } from '../errors.js';
import { describeGap, describeNotPushed, type RunReport } from '../run/report.js';
import { cut } from '../text.js';

export interface Alert {
  readonly cause: AlertCause | 'test';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** The command to run next. */
  readonly next: string;
}

/** The state of alerts between runs: the KST day on which each cause was last sent, and the drift that was sent. */
export const memoryShape = z.object({
  told: z.record(z.string(), z.string()),
  failing: z.boolean(),
  drift: z.array(z.string()),
});

export type Memory = z.infer<typeof memoryShape>;

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

/** Every cause that the run gives, whoever has subscribed to it. */
export function causesOf(ended: Ended, memory: Memory): Alert[] {
  const { report, failure, newest, complete } = ended;
  const alerts: Alert[] = [];
  const add = (cause: AlertCause, message: string, numbers: Alert['numbers'], next: string): void => {
    alerts.push({ cause, message, numbers, next });
  };

  if (failure !== undefined) {
    const numbers = { exit_code: exitCodeOf(failure) };
    add('failure', `The run failed. ${messageOf(failure)}`, numbers, 'dawnload doctor');
  } else if (report !== undefined && hasFailed(ended)) {
    const { gaps } = report;
    const numbers = { exit_code: EXIT.incomplete, ...(gaps.length > 0 && { gaps: gaps.length }) };
    add('failure', `The run is incomplete. ${whatIsMissing(report)}`, numbers, 'dawnload status');
  } else if (memory.failing) {
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

/** Whether a run failed, as alerts and pings understand it: a lack of budget is no failure. */
export function hasFailed({ report, failure }: Pick<Ended, 'report' | 'failure'>): boolean {
  return failure !== undefined || report?.exitCode() === EXIT.incomplete;
}

function whatIsMissing({ gaps: [gap], attention, lakeOutcome }: RunReport): string {
  if (gap !== undefined) return describeGap(gap).replace(/[.]?$/, '.');
  return attention.length === 0 && lakeOutcome?.pushed === false
    ? describeNotPushed(lakeOutcome)
    : 'Something needs action.';
}

/** The body that a receiver takes. */
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

/** Slack refuses a longer text, in characters. */
const SLACK_LIMIT = 40_000;

/** As many names as Slack takes beside a sentence, and how many are left out. */
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

/** A name from outside must not mention a channel or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

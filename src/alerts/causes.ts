/** What a run gives cause to tell. Pure. */
import { dayCount, type Day } from '../calendar.js';
import { EXIT, exitCodeOf, messageOf } from '../errors.js';
import { describeGap } from '../run/gap.js';
import { describeNotPushed } from '../run/lake-outcome.js';
import type { RunReport } from '../run/report.js';
import { listed, type Alert } from './alert.js';

/** What alerts remember from run to run. */
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
export function hasFailed({ report, failure }: Pick<Ended, 'report' | 'failure'>): boolean {
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

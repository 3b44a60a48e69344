/**
 * Which days are complete is decided by the earlier of two clocks, this machine's and the service's, which E1's answer
 * carries (`Date`). Where they are far apart one of them is wrong, and nothing is paid on the word of either.
 */
import { formatKst, lastCompleteDay } from '../calendar.js';
import { ClockError } from '../errors.js';
import type { RunContext } from './context.js';
import { until, type Job } from './job.js';
import { formatDuration } from '../terminal/terminal.js';

/** Clocks that are further apart than this are not both right, milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

type Clocks = Pick<RunContext, 'service' | 'effects'>;

/**
 * The job, without the days that are not complete by both clocks; says so where that takes days away, and where the
 * clocks are far apart. A service that does not tell its time leaves this machine's clock alone.
 *
 * @throws CredentialsError, ServiceError when E1 fails
 */
export async function untilComplete(job: Job, context: RunContext): Promise<Job> {
  const { service, effects, report, terminal } = context;
  await service.authorize();
  const trouble = clockTrouble(context);
  if (trouble !== undefined) report.needsAction(`${trouble} Nothing is paid for until they agree: ${REMEDY}`);
  const behind = Math.min(0, service.clockSkewMs ?? 0);
  const earlier = new Date(effects.now().getTime() + behind);
  const last = lastCompleteDay(earlier);
  if (job.days.end <= last) return job;
  terminal.note(
    `the service's clock says ${formatKst(earlier)}: ${last} is the last complete day, and nothing after it is asked for`,
  );
  return until(job, last);
}

/** One sentence about clocks that are too far apart, by the latest answer; undefined where they agree. */
export function clockTrouble({ service }: Clocks): string | undefined {
  const skew = service.clockSkewMs ?? 0;
  if (Math.abs(skew) <= MOST_SKEW_MS) return undefined;
  return `This machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} the service's.`;
}

/**
 * Before each paid request.
 *
 * @throws ClockError when the clocks are too far apart
 */
export function assertClocksAgree(clocks: Clocks): void {
  const trouble = clockTrouble(clocks);
  if (trouble !== undefined) throw new ClockError(`${trouble} Nothing was paid for.`, { hint: REMEDY });
}

const REMEDY = 'set this machine’s clock right (`dawnload doctor` compares them) and run again.';

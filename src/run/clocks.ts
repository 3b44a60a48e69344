/**
 * The earlier of two clocks decides which days are complete: this machine's, and the service's from the `Date` of E1's
 * answer. When they are far apart, one of them is wrong, and no paid request is sent.
 */
import { formatKst, lastCompleteDay } from '../calendar.js';
import { ClockError } from '../errors.js';
import type { RunContext } from './context.js';
import { until, type Job } from './job.js';
import { formatDuration } from '../terminal/terminal.js';

/** Clocks that are further apart than this are not both right, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

type Clocks = Pick<RunContext, 'service' | 'effects'>;

/**
 * The job without the days that are not complete by both clocks. Reports when this removes days, and when the clocks are
 * far apart. If the service sends no time, this machine's clock decides.
 *
 * @throws CredentialsError, ServiceError when E1 fails
 */
export async function untilComplete(job: Job, context: RunContext): Promise<Job> {
  const { service, effects, report, terminal } = context;
  await service.authorize();
  const trouble = clockTrouble(context);
  if (trouble !== undefined)
    report.needsAction(`${trouble} No paid request is sent until they agree. ${REMEDY}`);
  const behind = Math.min(0, service.clockSkewMs ?? 0);
  const earlier = new Date(effects.now().getTime() + behind);
  const last = lastCompleteDay(earlier);
  if (job.days.end <= last) return job;
  terminal.note(
    `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
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
  if (trouble !== undefined) throw new ClockError(`${trouble} No paid request was sent.`, { hint: REMEDY });
}

const REMEDY = 'Correct this machine’s clock (`dawnload doctor` compares both), then run again.';

/**
 * Decides which days are complete by the earlier of two clocks: this machine's, and the service's from the `Date` of
 * E1's answer. When they differ too much, one of them is wrong, and no paid request is sent.
 */
import { formatKst, lastCompleteDay } from '../calendar.js';
import { ClockError } from '../errors.js';
import type { RunContext } from './context.js';
import { until, type Job } from './invocation.js';
import { foundId, instantOfFound } from '../storage/landed-pulls.js';
import { formatDuration, plural } from '../terminal/terminal.js';
import { landedAtOf, loadLanded, pullId } from './load-landed.js';

/** Maximum difference of two right clocks, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

type Clocks = Pick<RunContext, 'service' | 'effects'>;

/**
 * Returns the job without the days that are not complete by both clocks. Reports removed days, and clocks that differ
 * too much. If the service sends no time, this machine's clock decides.
 *
 * @throws CredentialsError, ServiceError when E1 fails
 */
export async function untilComplete(job: Job, context: RunContext): Promise<Job> {
  const { service, effects, report, terminal } = context;
  await service.authorize();
  const trouble = clockTrouble(context);
  if (trouble !== undefined) {
    report.clockSkewMs = service.clockSkewMs;
    report.needsAction(`${trouble} No paid request is sent until they agree. ${REMEDY}`);
  }
  const behind = Math.min(0, service.clockSkewMs ?? 0);
  const earlier = new Date(effects.now().getTime() + behind);
  const last = lastCompleteDay(earlier);
  if (job.days.end <= last) return job;
  terminal.note(
    `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
  );
  return until(job, last);
}

/** The present instant: by the service's clock if this machine's differs too much from it. */
export function presentOf({ service, effects }: Clocks): Date {
  const skew = service.clockSkewMs ?? 0;
  return new Date(effects.now().getTime() + (Math.abs(skew) > MOST_SKEW_MS ? skew : 0));
}

/**
 * Corrects landed pulls that are dated in the future by a clock that was ahead: they count as pulled now, in the same
 * order. Otherwise, until that instant, each later pull would be dated a millisecond after them. Does nothing unless
 * both clocks agree.
 */
export async function redateFuture(context: RunContext): Promise<void> {
  const { service, landing, ledger, foundAtStart, terminal } = context;
  if (service.clockSkewMs === undefined || clockTrouble(context) !== undefined) return;
  const now = presentOf(context).getTime();
  const { instants } = landing;
  const ahead = [
    ...foundAtStart.map((found) => ({ id: foundId(found), at: instantOfFound(found, instants) })),
    ...ledger.entries().map((entry) => ({ id: pullId(entry), at: landedAtOf(entry, instants) })),
  ]
    .flatMap(({ id, at }) => (at !== undefined && at.getTime() > now + MOST_SKEW_MS ? [{ id, at }] : []))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1));
  if (ahead.length === 0) return;
  terminal.warn(
    `${plural(ahead.length, 'pull')} of a clock that ran ahead ${ahead.length === 1 ? 'is' : 'are'} dated back to now.`,
  );
  await landing.redate(new Map(ahead.map(({ id }, nth) => [id, new Date(now - ahead.length + nth)])));
  await loadLanded(context);
}

/** One sentence about clocks that differ too much, by the latest answer; undefined if they agree. */
export function clockTrouble({ service }: Clocks): string | undefined {
  const skew = service.clockSkewMs ?? 0;
  if (Math.abs(skew) <= MOST_SKEW_MS) return undefined;
  return `This machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? 'behind' : 'ahead of'} the service's.`;
}

/**
 * Checks the clocks before a paid request.
 *
 * @throws ClockError when the clocks differ too much
 */
export function assertClocksAgree(clocks: Clocks): void {
  const trouble = clockTrouble(clocks);
  if (trouble !== undefined) throw new ClockError(`${trouble} No paid request was sent.`, { hint: REMEDY });
}

const REMEDY = 'Correct this machine’s clock (`dawnload doctor` compares both), then run again.';

/**
 * The two clocks of a run: this machine's, and the service's from the `Date` of its answers. When they differ too much,
 * one of them is wrong: no paid request is sent then, and beyond an hour nothing lands. If the service sends no time, this
 * machine's clock decides.
 */
import type { ServiceConfig } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { ClockError } from '../ground/errors.js';
import { formatDuration } from '../terminal/text.js';
import type { ServiceClient } from './client.js';

/** The difference in milliseconds from which an incomplete day may be taken for a complete one. */
export const NOTABLE_SKEW_MS = 2 * 60_000;

/** The largest difference of two right clocks, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

/** The difference in milliseconds beyond which a run lands nothing: its days and instants would be wrong. */
const LANDS_NOTHING_MS = 60 * 60_000;

export interface Clocks {
  readonly service: Pick<ServiceClient, 'clockSkewMs'>;
  readonly effects: Pick<Effects, 'now'>;
  readonly config: Pick<ServiceConfig, 'serviceClock'>;
}

/** Milliseconds that the service's clock is ahead of this machine's; 0 if it is unknown, or known to be wrong. */
function skewOf({ service, config }: Clocks): number {
  return config.serviceClock === 'ignore' ? 0 : (service.clockSkewMs ?? 0);
}

/** The present instant: by the service's clock if this machine's differs too much from it. */
export function presentOf(clocks: Clocks): Date {
  const skew = skewOf(clocks);
  return new Date(clocks.effects.now().getTime() + (Math.abs(skew) > MOST_SKEW_MS ? skew : 0));
}

/** The earlier of the two clocks: a day is complete when both say so. */
export function earlierOf(clocks: Clocks): Date {
  return new Date(clocks.effects.now().getTime() + Math.min(0, skewOf(clocks)));
}

/** Describes the difference: `This machine's clock is 3 min ahead of the service's`. */
export function skewInWords(skewMs: number): string {
  return `This machine's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`;
}

/** One sentence about clocks that differ too much for a payment, by the latest answer; undefined if they agree. */
export function clockTrouble({ service }: Pick<Clocks, 'service'>): string | undefined {
  const skew = service.clockSkewMs ?? 0;
  if (Math.abs(skew) <= MOST_SKEW_MS) return undefined;
  return `${skewInWords(skew)}.`;
}

/**
 * @param consequence a sentence on what was not done
 * @throws ClockError when the clocks differ too much for a request that is billed or reaches people
 */
export function assertClocksAgree(clocks: Pick<Clocks, 'service'>, consequence: string): void {
  const trouble = clockTrouble(clocks);
  if (trouble === undefined) return;
  throw new ClockError(`${trouble} ${consequence}`, { hint: CLOCK_REMEDY });
}

/** @throws ClockError when the clocks differ by more than an hour */
export function assertMayLand(clocks: Clocks): void {
  const trouble = clockTrouble(clocks);
  if (trouble === undefined || Math.abs(skewOf(clocks)) <= LANDS_NOTHING_MS) return;
  throw new ClockError(`${trouble} Nothing more is pulled.`, {
    hint: `${CLOCK_REMEDY} If the service's clock is wrong, set service_clock: ignore; paid requests wait in any case.`,
  });
}

export const CLOCK_REMEDY =
  'Correct the clock that is wrong (`dawnload doctor` compares both), then run again.';

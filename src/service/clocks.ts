/**
 * The two clocks of a run: this machine's, and the service's from the `Date` of its answers. When they differ too much,
 * one of them is wrong: no paid request is sent then, and beyond an hour nothing lands. If the service sends no time, this
 * machine's clock decides.
 */
import { ClockError } from '../ground/errors.js';
import { formatDuration } from '../terminal/text.js';
import type { ServiceClient } from './client.js';

/** The difference in milliseconds from which an incomplete day may be taken for a complete one. */
export const NOTABLE_SKEW_MS = 2 * 60_000;

/** The largest difference of two right clocks, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

/** The difference in milliseconds beyond which a run lands nothing: its days and instants would be wrong. */
const LANDS_NOTHING_MS = 60 * 60_000;

/** The client knows both: its own, and the service's from the answers. */
type Clocks = Pick<ServiceClient, 'clockSkewMs' | 'now' | 'settings'>;

/** Milliseconds that the service's clock is ahead of this machine's; 0 if it is unknown, or known to be wrong. */
function skewOf({ clockSkewMs, settings }: Clocks): number {
  return settings.serviceClock === 'ignore' ? 0 : (clockSkewMs ?? 0);
}

/** The present instant: by the service's clock if this machine's differs too much from it. */
export function presentOf(service: Clocks): Date {
  const skew = skewOf(service);
  return new Date(service.now().getTime() + (Math.abs(skew) > MOST_SKEW_MS ? skew : 0));
}

/** The earlier of the two clocks: a day is complete when both say so. */
export function earlierOf(service: Clocks): Date {
  return new Date(service.now().getTime() + Math.min(0, skewOf(service)));
}

/** Describes the difference: `This machine's clock is 3 min ahead of the service's`. */
export function skewInWords(skewMs: number): string {
  return `This machine's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`;
}

/** One sentence about clocks that differ too much for a payment, by the latest answer; undefined if they agree. */
export function clockTrouble({ clockSkewMs: skew = 0 }: Pick<Clocks, 'clockSkewMs'>): string | undefined {
  if (Math.abs(skew) <= MOST_SKEW_MS) return undefined;
  return `${skewInWords(skew)}.`;
}

/**
 * @param consequence a sentence on what was not done
 * @throws ClockError when the clocks differ too much for a request that is billed or reaches people
 */
export function assertClocksAgree(service: Pick<Clocks, 'clockSkewMs'>, consequence: string): void {
  const trouble = clockTrouble(service);
  if (trouble === undefined) return;
  throw new ClockError(`${trouble} ${consequence}`, { hint: CLOCK_REMEDY });
}

/** @throws ClockError when the clocks differ by more than an hour */
export function assertMayLand(service: Clocks): void {
  const trouble = clockTrouble(service);
  if (trouble === undefined || Math.abs(skewOf(service)) <= LANDS_NOTHING_MS) return;
  throw new ClockError(`${trouble} Nothing more is pulled.`, {
    hint: `${CLOCK_REMEDY} If the service's clock is wrong, set service_clock: ignore; paid requests wait in any case.`,
  });
}

/** The present instant for an answer that lands. Throws as `assertMayLand`. */
export function landingTime(service: Clocks): Date {
  assertMayLand(service);
  return presentOf(service);
}

export const CLOCK_REMEDY =
  'Correct the clock that is wrong (`dawnload doctor` compares both), then run again.';

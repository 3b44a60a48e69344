/**
 * Compares this machine's clock with the `Date` header of the service's answers. If they differ by more than five minutes, no paid request
 * is sent; if by more than an hour, nothing lands. If the service sends no time, only this machine's clock is used.
 */
import type { Effects } from '../ground/effects.js';
import { ClockError } from '../ground/errors.js';
import { formatDuration } from '../terminal/text.js';

/** From this difference on, in milliseconds, a day may look complete before it is. */
export const NOTABLE_SKEW_MS = 2 * 60_000;

/** The largest difference that is accepted, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000;

/** Above this difference, in milliseconds, nothing lands, because days and instants would be wrong. */
const LANDS_NOTHING_MS = 60 * 60_000;

export const CLOCK_REMEDY = 'Correct the wrong clock (`dawnload doctor` compares both), then run again.';

/** Describes the difference: `This machine's clock is 3 min ahead of the service's`. */
export function skewInWords(skewMs: number): string {
  return `This machine's clock is ${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service's`;
}

export class Clocks {
  #skewMs: number | undefined;

  constructor(
    private readonly effects: Pick<Effects, 'now'>,
    /** `ignore` if the settings declare the service's clock wrong. Payments require agreeing clocks anyway. */
    private readonly serviceClock: 'obey' | 'ignore',
  ) {}

  /** Compares the clocks using the `Date` header of an answer that has just arrived. */
  observe(date: string | undefined): void {
    const serviceTime = instantOf(date);
    if (serviceTime !== undefined) this.#skewMs = serviceTime - this.effects.now().getTime();
  }

  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  /** The difference that matters: 0 if it is unknown, or if the settings declare the service's clock wrong. */
  get #skew(): number {
    return this.serviceClock === 'ignore' ? 0 : (this.#skewMs ?? 0);
  }

  /** The present instant. If this machine's clock differs too much, the service's is used. */
  present(): Date {
    return new Date(Number(this.effects.now()) + (Math.abs(this.#skew) > MOST_SKEW_MS ? this.#skew : 0));
  }

  /** The earlier of the two clocks' times. */
  earlier(): Date {
    return new Date(Number(this.effects.now()) + Math.min(0, this.#skew));
  }

  /** The present instant, for an answer about to land. Throws as `assertMayLand`. */
  landingTime(): Date {
    this.assertMayLand();
    return this.present();
  }

  /** A sentence if, according to the latest answer, the clocks differ too much for a payment; undefined if they agree. */
  get trouble(): string | undefined {
    const skew = this.#skewMs ?? 0;
    return Math.abs(skew) > MOST_SKEW_MS ? `${skewInWords(skew)}.` : undefined;
  }

  /**
   * @param consequence a sentence on what was not done
   * @throws ClockError when the clocks differ too much for a request that is billed or reaches people
   */
  assertAgree(consequence: string): void {
    const { trouble } = this;
    if (trouble !== undefined) throw new ClockError(`${trouble} ${consequence}`, { hint: CLOCK_REMEDY });
  }

  /** @throws ClockError when the clocks differ by more than an hour */
  assertMayLand(): void {
    const { trouble } = this;
    if (trouble === undefined || Math.abs(this.#skew) <= LANDS_NOTHING_MS) return;
    throw new ClockError(`${trouble} Nothing more is pulled.`, {
      hint: `${CLOCK_REMEDY} If the service's clock is wrong, set service_clock: ignore; paid requests wait in any case.`,
    });
  }
}

/** Parses a `Date` header into milliseconds. Accepts only the HTTP form, because Date.parse accepts nearly anything. */
function instantOf(date: string | undefined): number | undefined {
  if (date === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date))
    return undefined;
  const instant = Date.parse(date);
  return Number.isNaN(instant) ? undefined : instant;
}

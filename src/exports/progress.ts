/** The progress line of paid exports: pages, events, rate, time left, and the spent part of the budget. */
import type { Day } from '../calendar.js';
import type { Effects } from '../effects.js';
import { joinParts, type Part } from '../terminal/progress-line.js';
import { formatCount, plural, type Terminal } from '../terminal/terminal.js';
import { formatClock, formatRoughly } from '../terminal/text.js';
import { formatPrice } from '../price.js';
import type { Spending } from './budget.js';

/** Length in milliseconds of the recent period over which the rate is computed. */
const RATE_OVER_MS = 10_000;
const RATE_FROM_MS = 1_000;

interface UnderWay {
  readonly since: number;
  /** Expected number of events. */
  readonly estimate: number;
  /** The latest state reported by the service while the export is generated. */
  state: string;
  /** Undefined until the export is ready. */
  pages?: { done: number; total: number; events: number };
}

interface Outside {
  readonly terminal: Pick<Terminal, 'progress'>;
  readonly effects: Pick<Effects, 'now'>;
  /** Returns the spending so far; undefined without a budget. */
  readonly spent: () => Spending | undefined;
  readonly currency?: string | undefined;
}

export class ExportsProgress {
  readonly #outside: Outside;
  readonly #underWay = new Map<Day, UnderWay>();
  /** Expected events of the days that are requested later. */
  #queued = 0;
  #received = 0;
  #began: number | undefined;
  #samples: { readonly at: number; readonly events: number }[] = [];

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  /** @param estimates expected events of the days that are requested later */
  queued(estimates: readonly (number | undefined)[]): void {
    this.#queued = estimates.reduce<number>((all, estimate) => all + (estimate ?? 0), 0);
  }

  /**
   * Call when an export has been paid for.
   *
   * @param estimate in events
   */
  began(day: Day, estimate = 0): void {
    this.#began ??= this.#now();
    this.#underWay.set(day, { since: this.#now(), estimate, state: 'requested' });
    this.#show();
  }

  /** Call while the export is being generated. */
  waiting(day: Day, state: string): void {
    const under = this.#underWay.get(day);
    if (under !== undefined) under.state = state;
    this.#show();
  }

  /** Call when the pages of an export are ready to download; pages landed by an earlier run count as done. */
  ready(day: Day, total: number, done: number, events: number): void {
    const under = this.#underWay.get(day);
    if (under !== undefined) under.pages = { done, total, events };
    this.#show();
  }

  /** Call when a page is on disk. */
  page(day: Day, done: number, total: number, events: number): void {
    this.#received += events;
    this.ready(day, total, done, (this.#underWay.get(day)?.pages?.events ?? 0) + events);
  }

  /** Call when an export has been downloaded and loaded, or is left to a later run. */
  ended(day: Day): void {
    this.#underWay.delete(day);
    this.#show();
  }

  #now(): number {
    return this.#outside.effects.now().getTime();
  }

  #show(): void {
    this.#sample();
    const step = this.#step();
    if (step !== undefined) this.#outside.terminal.progress(step.long, (columns) => this.#line(columns));
  }

  #sample(): void {
    const at = this.#now();
    // While exports are generated no pages arrive, so the samples would distort the rate.
    if (this.#arriving().length === 0) this.#samples = [];
    else if (at - (this.#samples.at(-1)?.at ?? 0) >= RATE_FROM_MS / 4)
      this.#samples.push({ at, events: this.#received });
    while (at - (this.#samples[0]?.at ?? at) > RATE_OVER_MS) this.#samples.shift();
  }

  #line(columns: number): string {
    const step = this.#step();
    if (step === undefined) return '';
    return joinParts([step, ...this.#numbers(), ...this.#spent()], columns);
  }

  /** The days whose pages are arriving, merged into one; if there are none, the export that is awaited. */
  #step(): Part | undefined {
    const arriving = this.#arriving();
    const [first] = arriving;
    if (first !== undefined) {
      const { done, total } = sum(arriving);
      const [long, short] =
        arriving.length === 1
          ? [first.day, first.day]
          : Array<string>(2).fill(plural(arriving.length, 'day'));
      if (done >= total) return { long: `loading events of ${long}`, short: `${short} loading` };
      return {
        long: `events of ${long}: page ${formatCount(done)} of ${formatCount(total)}`,
        short: `${short} page ${done}/${total}`,
      };
    }
    const [oldest] = this.#underWay;
    if (oldest === undefined) return undefined;
    const [day] = oldest;
    return { long: `waiting for the export of ${day}`, short: `waiting for ${day}` };
  }

  #arriving(): { day: Day; done: number; total: number; events: number }[] {
    return [...this.#underWay].flatMap(([day, { pages }]) =>
      pages === undefined ? [] : [{ day, ...pages }],
    );
  }

  #numbers(): Part[] {
    const arriving = this.#arriving();
    const parts: Part[] = [];
    if (arriving.length === 0) {
      const [oldest] = this.#underWay.values();
      const { state = '', since = this.#now() } = oldest ?? {};
      const passed = formatClock(this.#now() - since);
      parts.push({ long: state, short: state }, { long: `${passed} so far`, short: passed });
    } else {
      const { events } = sum(arriving);
      parts.push({ long: plural(events, 'event'), short: `${formatRoughly(events)} events` });
    }
    const rate = this.#rate();
    if (rate !== undefined && arriving.length > 0)
      parts.push({ long: `${formatCount(Math.round(rate))} events/s`, short: `${formatRoughly(rate)}/s` });
    const left = arriving.length === 0 ? undefined : this.#left(rate);
    if (left !== undefined)
      parts.push({ long: `${formatClock(left)} left`, short: `${formatClock(left)} left` });
    return parts;
  }

  /** Events per second, computed from the pages of the last seconds. */
  #rate(): number | undefined {
    const [first] = this.#samples;
    if (first === undefined) return undefined;
    const ms = this.#now() - first.at;
    return ms < RATE_FROM_MS ? undefined : ((this.#received - first.events) * 1000) / ms;
  }

  /**
   * Milliseconds until all days are loaded. The missing pages are counted at the current rate; exports that are not ready
   * yet are counted at the average rate since the start, which includes the time in which the service generates exports.
   */
  #left(rate: number | undefined): number | undefined {
    const { done, total, events } = sum(this.#arriving());
    const missing = done === 0 ? 0 : ((total - done) * events) / done;
    const waiting = [...this.#underWay.values()].filter(({ pages }) => pages === undefined);
    const later = waiting.reduce((all, { estimate }) => all + estimate, this.#queued);
    // While no pages arrive the remaining time is unknown: an estimate from the elapsed time would only grow.
    if (missing + later === 0 || this.#received === 0 || rate === undefined || rate === 0) return undefined;
    const passed = this.#now() - (this.#began ?? this.#now());
    return (missing / rate) * 1000 + (later * passed) / this.#received;
  }

  #spent(): Part[] {
    const spent = this.#outside.spent();
    if (spent === undefined) return [];
    const { scope, records, limit, price } = spent;
    const part = {
      long: `spent ${formatCount(records)} of ${formatCount(limit)} records this ${scope}`,
      short: `paid ${formatRoughly(records)}/${formatRoughly(limit)}`,
    };
    if (price === 0) return [part];
    const cost = {
      long: ` (price ${formatPrice(price, this.#outside.currency)})`,
      short: ` (${formatRoughly(price)})`,
    };
    return [{ long: part.long + cost.long, short: part.short + cost.short }];
  }
}

function sum(arriving: readonly { done: number; total: number; events: number }[]): {
  done: number;
  total: number;
  events: number;
} {
  const all = { done: 0, total: 0, events: 0 };
  for (const { done, total, events } of arriving) {
    all.done += done;
    all.total += total;
    all.events += events;
  }
  return all;
}

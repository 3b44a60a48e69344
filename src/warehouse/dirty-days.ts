/**
 * Models and checks are brought forward by the dirty days: those that loads changed, and those that look back at them. So a
 * run costs what its days cost, however old the warehouse is.
 */
import { z } from 'zod';
import { STREAMS, type Stream } from '../storage/pull.js';
import { count, type Session } from './session.js';
import { listOf } from './statements.js';

export interface Dependence {
  /** The streams whose changes make days dirty. */
  readonly streams: readonly Stream[];
  /** How many days a day looks back at, and so how many days later a changed day still matters. */
  readonly lookback: number;
  /** A changed day matters on every later day that holds rows, however few of them it looks back at. */
  readonly allLater: boolean;
  /** Rows are replaced by the day, or by the week. */
  readonly partition: 'day' | 'week';
}

export interface Refresh extends Dependence {
  /** Every day that any row is about, not the dirty ones alone. */
  readonly full: boolean;
  /** What a batch never divides. */
  readonly unit: 'day' | 'week';
  /** Whether the rows of before are there, to stay on days whose events are archived. */
  readonly keepsRows: boolean;
}

/** `events, statistics`. */
export const dependsOn = z
  .string()
  .transform((list) => list.split(', '))
  .pipe(z.array(z.enum(STREAMS)).min(1));

/** `27 days`. */
export const lookback = z
  .string()
  .regex(/^\d+ days$/)
  .transform((text) => Number.parseInt(text, 10))
  .default(0);

/** `all later days`, or no such header. */
export const dirties = z
  .literal('all later days')
  .optional()
  .transform((text) => text !== undefined);

/**
 * Whether days whose events are archived are left as they are: where something is computed of events. What looks at all
 * streams takes each as it is.
 */
export function sparesArchived({ streams }: Dependence): boolean {
  return streams.includes('events') && streams.length < STREAMS.length;
}

/** What refreshes of the same days have in common. */
export function keyOf(refresh: Refresh): string {
  const { partition, spares, lookback, keeps } = namesOf(refresh);
  return JSON.stringify([candidatesOf(refresh), partition, spares === 'true' && [lookback, keeps]]);
}

/** The same before days whose events are archived are spared. */
function candidatesOf(refresh: Refresh): string {
  const { streams, lookback, all_later } = namesOf(refresh);
  return refresh.full ? 'every day' : JSON.stringify([streams, lookback, all_later]);
}

/** The dirty days of one refresh, in the temporary table `dirty_days`, and its batches. */
export class DirtyDays {
  readonly #session: Session;
  /** The streams that loads changed days of: without one of them, a refresh has no days. */
  readonly #touched: ReadonlySet<string>;
  /** What the temporary tables hold by now: refreshes of the same days, in the same batches, share them. */
  #candidates = '';
  #found = { key: '', days: 0 };
  #placed = { key: '', batches: 0 };
  #filled = '';

  private constructor(session: Session, touched: ReadonlySet<string>) {
    this.#session = session;
    this.#touched = touched;
  }

  /** Makes the temporary relations that statements are bound to before there is a batch. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/message_rows');
    await session.run('incremental/no_batch');
    const touched = await session.rows('incremental/touched_streams', z.object({ stream: z.string() }));
    return new DirtyDays(session, new Set(touched.map(({ stream }) => stream)));
  }

  /** Returns how many dirty days there are; where there are any, `dirty_days` holds them. */
  async find(refresh: Refresh): Promise<number> {
    if (!refresh.full && !refresh.streams.some((stream) => this.#touched.has(stream))) return 0;
    const key = keyOf(refresh);
    if (key !== this.#found.key) {
      const names = namesOf(refresh);
      if (candidatesOf(refresh) !== this.#candidates)
        await this.#session.run(`incremental/${refresh.full ? 'every_day' : 'dirty_days'}`, names);
      this.#candidates = candidatesOf(refresh);
      const { days } = await this.#session.row('incremental/spare_days', z.object({ days: count }), names);
      this.#found = { key, days };
      this.#placed = { key: '', batches: 0 };
    }
    return this.#found.days;
  }

  /** Does the work for each batch of the days, with `batch_days` and `lookback_days` filled. */
  async forEachBatch(refresh: Refresh, work: () => Promise<void>): Promise<void> {
    const names = namesOf(refresh);
    if (refresh.unit !== this.#placed.key) {
      const { batches } = await this.#session.row('incremental/batches', z.object({ batches: count }), names);
      this.#placed = { key: refresh.unit, batches };
      this.#filled = '';
    }
    for (let batch = 0; batch < this.#placed.batches; batch += 1) {
      const key = `${batch} ${refresh.lookback}`;
      if (key !== this.#filled)
        await this.#session.run('incremental/batch', { ...names, batch: String(batch) });
      this.#filled = key;
      await work();
    }
  }
}

function namesOf(refresh: Refresh): Record<string, string> {
  const { streams, lookback, allLater, partition, unit, full, keepsRows } = refresh;
  return {
    streams: listOf(streams),
    lookback: String(lookback),
    all_later: String(allLater),
    partition,
    unit,
    full: String(full),
    spares: String(sparesArchived(refresh)),
    keeps: String(keepsRows),
  };
}

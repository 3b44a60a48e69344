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

/** What one batch takes at most, so that it fits into memory: about a month. */
const MOST = { days: 31, records: 1_000_000 };

const state = z.object({ touched: z.array(z.string()), archived: z.boolean() });
const size = z.object({ days: count, records: count });
const placed = z.object({ batches: count });

/**
 * The dirty days of one refresh, in the temporary table `dirty_days`, and its batches. What the temporary tables hold is kept for
 * refreshes of the same days that follow: each statement costs some milliseconds, for however few days.
 */
export class DirtyDays {
  readonly #session: Session;
  readonly #state: z.infer<typeof state>;
  #candidates = '';
  #found = { key: '', days: 0, records: 0 };
  #placed = { unit: '', batches: 0 };
  #filled = '';

  private constructor(session: Session, held: z.infer<typeof state>) {
    this.#session = session;
    this.#state = held;
  }

  /** Makes the temporary relations that statements are bound to before there is a batch. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/message_rows');
    await session.run('incremental/no_batch');
    return new DirtyDays(session, await session.row('incremental/state', state));
  }

  /** Returns how many dirty days there are; where there are any, `dirty_days` holds them. */
  async find(refresh: Refresh): Promise<number> {
    if (!refresh.full && !refresh.streams.some((stream) => this.#state.touched.includes(stream))) return 0;
    const key = keyOf(refresh);
    if (key !== this.#found.key) {
      const names = namesOf(refresh);
      const candidates = candidatesOf(refresh);
      if (candidates !== this.#candidates)
        await this.#session.run(`incremental/${refresh.full ? 'every_day' : 'dirty_days'}`, names);
      this.#candidates = candidates;
      if (this.#state.archived) await this.#session.run('incremental/spare_days', names);
      this.#found = { key, ...(await this.#session.row('incremental/complete_days', size, names)) };
      this.#placed = { unit: '', batches: 0 };
    }
    return this.#found.days;
  }

  /** Does the work for each batch of the days, with `batch_days` and `lookback_days` filled. */
  async forEachBatch(refresh: Refresh, work: () => Promise<void>): Promise<void> {
    const batches = await this.#place(refresh);
    for (let batch = 0; batch < batches; batch += 1) {
      const key = `${batch} ${refresh.lookback}`;
      if (key !== this.#filled) {
        await this.#session.run('incremental/batch', {
          ...namesOf(refresh),
          batch: batches === 1 ? 'dirty_days' : `batches where batch = ${batch}`,
        });
      }
      this.#filled = key;
      await work();
    }
  }

  /** How many batches the days make. */
  async #place(refresh: Refresh): Promise<number> {
    if (refresh.unit === this.#placed.unit) return this.#placed.batches;
    const { days, records } = this.#found;
    const isOne = days <= MOST.days && records <= MOST.records;
    const { batches } = isOne
      ? { batches: Math.min(days, 1) }
      : await this.#session.row('incremental/batches', placed, namesOf(refresh));
    this.#placed = { unit: refresh.unit, batches };
    this.#filled = '';
    return batches;
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
    most_days: String(MOST.days),
    most_records: String(MOST.records),
  };
}

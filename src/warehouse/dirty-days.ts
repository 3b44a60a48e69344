/**
 * Finds the days to refresh: those that loads changed, and those that look back at them. So a run costs as much as its days need, however
 * old the warehouse is.
 */
import { z } from 'zod';
import { EVENTS, type StreamName } from '../ground/streams.js';
import { listOf, selectIn, statement, statementsIn, streamFolders, type Session } from './session.js';

/** The values of `depends_on` and `lookback` in the headers of models and checks. */
export const dependsOn = z
  .string()
  .transform((list) => list.split(', '))
  .pipe(z.array(z.string().regex(/^[a-z_]+$/)).min(1));
export const lookback = z
  .string()
  .regex(/^\d+ days$/)
  .transform((text) => Number.parseInt(text, 10))
  .default(0);

export interface Refresh {
  readonly streams: readonly StreamName[] | 'all';
  readonly partition: 'day' | 'week';
  readonly lookback: number;
  readonly allLater: boolean;
  /** True to compute all days; false to compute the dirty days. */
  readonly full: boolean;
  /** True to keep the old rows of days whose events were removed. */
  readonly keepsRows: boolean;
}

/** True to keep rows of days without events. A refresh that depends on all streams recomputes these days. */
export function sparesArchived({ streams }: Pick<Refresh, 'streams'>): boolean {
  return streams !== 'all' && streams.includes(EVENTS);
}

/** A select of every stream's rows with their day, from `rows.sql` in the stream's folder. */
export function streamRows(): string {
  const names = streamFolders().flatMap(statementsIn);
  const rows = names.filter((name) => name.endsWith('/rows'));
  return rows.map((name) => selectIn(statement(name))).join('\nunion all\n');
}

const changed = z.object({ streams: z.array(z.string()), any_removed: z.boolean() });
const batch = z.object({ days: z.array(z.string()) });

/** Finds dirty days and stores them in the tables `dirty_days` and `spared_days`. Refreshes of the same days share the tables. */
export class DirtyDays {
  /** Identifies the refresh for which the tables were filled. */
  #daysOf = '';
  #lookback = '0';
  #batches: readonly string[] = [];
  #filled = '';

  private constructor(
    private readonly session: Session,
    private readonly changes: z.output<typeof changed>,
  ) {}

  /** Creates empty temporary relations, because statements are bound to them before the first batch exists. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/no_batch');
    await session.run('streams/events/messages/rows');
    await session.run('incremental/for_checks', { stream_rows: streamRows() });
    return new DirtyDays(session, await session.row('incremental/changed', changed));
  }

  /** Finds the days of the refresh; returns false if no day is dirty. */
  async find({ streams, lookback, allLater, partition, full, keepsRows }: Refresh): Promise<boolean> {
    const { streams: touched } = this.changes;
    if (!full && streams !== 'all' && !streams.some((stream) => touched.includes(stream))) return false;
    const names = {
      streams: streams === 'all' ? 'select stream from ops.touched_days' : listOf(streams),
      lookback: String(lookback),
      all_later: String(allLater && streams.includes(EVENTS)),
      partition,
      days: partition === 'week' ? '7' : '1',
      full: String(full),
      keeps_rows: String(keepsRows),
      spares: String(sparesArchived({ streams })),
    };
    const { any_removed: anyRemoved } = this.changes;
    // A full refresh has the same days for all models, unless some days are spared.
    const key = full && !anyRemoved ? partition : JSON.stringify(names);
    if (this.#daysOf !== key) {
      if (full) await this.session.run('incremental/every_day');
      if (anyRemoved) await this.session.run('incremental/spared', names);
      const batches = await this.session.rows('incremental/dirty', batch, names);
      this.#batches = batches.map(({ days }) => listOf(days));
      this.#daysOf = key;
    }
    this.#lookback = String(lookback);
    return this.#batches.length > 0;
  }

  async forEachBatch(work: () => Promise<void>): Promise<void> {
    for (const days of this.#batches) {
      const filled = `${this.#lookback} ${days}`;
      if (this.#filled !== filled)
        await this.session.run('incremental/batch', { lookback: this.#lookback, days });
      this.#filled = filled;
      await work();
    }
  }
}

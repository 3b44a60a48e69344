/**
 * Models and checks are brought forward by the dirty days: those that loads changed, and those that look back at them. So a
 * run costs what its days cost, however old the warehouse is.
 */
import { z } from 'zod';
import { batchesOf, dirtyDays, sparedDays, type Changes, type DaysHeld, type Refresh } from './refresh.js';
import { count, type Session } from './session.js';

const changes: z.ZodType<Changes> = z.object({
  touched: z.array(z.object({ stream: z.string(), day: z.number() })),
  opt_outs_told: z.array(z.number()),
  covered: z.array(z.object({ day: z.number(), records: count })),
  archived: z.array(z.number()),
  strays: z.array(z.number()),
});

const dayHeld = z.object({ day: z.number() });

/**
 * The dirty days of one refresh, in the temporary table `dirty_days`, and its batches. What the temporary tables hold is kept for
 * refreshes of the same days that follow: each statement costs some milliseconds, for however few days.
 */
export class DirtyDays {
  readonly #session: Session;
  readonly #changes: Changes;
  #events: number[] | undefined;
  #every: number[] | undefined;
  #days: readonly number[] = [];
  /** What the temporary tables of days hold. */
  readonly #made = new Map<string, string>();

  private constructor(session: Session, held: Changes) {
    this.#session = session;
    this.#changes = held;
  }

  /** Makes the temporary relations that statements are bound to before there is a batch. */
  static async open(session: Session): Promise<DirtyDays> {
    await session.run('incremental/message_rows');
    await session.run('incremental/no_batch');
    return new DirtyDays(session, await session.row('incremental/changes', changes));
  }

  /** Returns how many dirty days there are; `dirty_days` and `spared_days` hold the days of the refresh. */
  async find(refresh: Refresh): Promise<number> {
    const { archived, touched } = this.#changes;
    const isTouched = touched.some(({ stream }) => refresh.streams.some((one) => one === stream));
    if (!refresh.full && !isTouched) return 0;
    this.#days = dirtyDays(refresh, this.#changes, await this.#held(refresh));
    await this.#make('dirty_days', this.#days);
    if (archived.length > 0) await this.#make('spared_days', sparedDays(refresh, this.#changes));
    return this.#days.length;
  }

  /** Does the work for each batch of the days that were found, with `batch_days` and `lookback_days` filled. */
  async forEachBatch({ partition, lookback }: Refresh, work: () => Promise<void>): Promise<void> {
    for (const batch of batchesOf(this.#days, partition, this.#changes)) {
      await this.#make('batch_days', batch, lookback);
      await work();
    }
  }

  async #held({ full, allLater, streams }: Refresh): Promise<DaysHeld> {
    if (full) this.#every ??= await this.#ask('every_day');
    else if (allLater && streams.includes('events')) this.#events ??= await this.#eventDays();
    return { events: this.#events ?? [], every: this.#every ?? [] };
  }

  async #eventDays(): Promise<number[]> {
    const { touched, opt_outs_told } = this.#changes;
    const first_dirty_day = Math.min(...touched.map(({ day }) => day), ...opt_outs_told);
    await this.#session.set({ first_dirty_day });
    return this.#ask('event_days');
  }

  async #ask(name: string): Promise<number[]> {
    return (await this.#session.rows(`incremental/${name}`, dayHeld)).map(({ day }) => day);
  }

  /** @param lookback of a batch: how far its days look back */
  async #make(relation: string, days: readonly number[], lookback?: number): Promise<void> {
    const key = [lookback, ...days].join(' ');
    if (this.#made.get(relation) === key) return;
    await this.#session.set({ [relation]: days.map(String) });
    await this.#session.run('incremental/days', { relation });
    if (lookback !== undefined) await this.#session.run('incremental/batch', { lookback: String(lookback) });
    this.#made.set(relation, key);
  }
}

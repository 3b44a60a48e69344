/** Which days a refresh computes again, and in which batches. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DirtyDays, type Refresh } from '../../src/warehouse/dirty-days.js';
import { shared, Workshop } from './support.js';

const DAILY: Refresh = {
  streams: ['events'],
  lookback: 0,
  allLater: false,
  partition: 'day',
  full: false,
  keepsRows: true,
};
/** A Monday, as the calendar of 2026 has it, in days since 1970. */
const MONDAY = Date.parse('2026-11-16') / 86_400_000;

/** What a file holds that decides: days, the streams of `touched` and the records of `covered` beside them. */
interface Held {
  readonly touched?: readonly number[];
  readonly covered?: readonly (readonly [day: number, records: number])[];
  readonly events?: readonly number[];
  readonly optOuts?: readonly number[];
  readonly removed?: readonly number[];
  readonly strays?: readonly number[];
}

const workshop = shared(async () => {
  const made = new Workshop();
  await made.open();
  return made;
});
const COVERED = Array.from({ length: 30 }, (_, step) => [MONDAY + step, 10] as const);
const date = (day: number): string => `date '1970-01-01' + (${day})`;

/** The days that a refresh finds, batch by batch, and those that it spares. */
async function found(
  refresh: Partial<Refresh>,
  { touched = [], covered = COVERED, events = [], optOuts = [], removed = [], strays = [] }: Held,
): Promise<{ batches: number[][]; spared: number[] }> {
  const { session } = await workshop.open();
  const fill = async (table: string, columns: string, values: readonly string[]): Promise<void> => {
    await session.runText(`delete from ${table}`);
    for (const value of values) await session.runText(`insert into ${table} (${columns}) values (${value})`);
  };
  await fill('ops.touched_days', 'stream, date', [
    ...touched.map((day) => `'events', ${date(day)}`),
    ...optOuts.map(() => `'opt_outs', ${date(MONDAY)}`),
  ]);
  await session.runText('delete from ops.coverage');
  if (covered.length > 0)
    await session.runText(
      `insert into ops.coverage (stream, date, rows) values ${covered.map(([day, rows]) => `('events', ${date(day)}, ${rows})`).join(', ')}`,
    );
  await fill('events', 'date', events.map(date));
  const told = optOuts.map((day) => `${date(MONDAY)}, (${date(day)})::timestamp at time zone 'Asia/Seoul'`);
  await fill('opt_outs_history', 'valid_from, requested_at', told);
  await fill('ops.removed_days', 'date', removed.map(date));
  const notes = strays.map((day) => `'events', ${date(day)}, 'stray'`);
  await fill('ops.load_notes', 'stream, date, note', notes);
  const dirty = await DirtyDays.open(session);
  await session.runText('create or replace table looked_at (batch integer, day integer)');
  const look = (batch: number, table: string): Promise<void> =>
    session.runText(`insert into looked_at select ${batch}, date - date '1970-01-01' from ${table}`);
  let batches = 0;
  if (await dirty.find({ ...DAILY, ...refresh }))
    await dirty.forEachBatch(() => look(batches++, 'batch_days'));
  await look(-1, 'spared_days');
  const shape = z.array(z.object({ batch: z.coerce.number(), day: z.coerce.number() }));
  const rows = shape.parse(await workshop.look('from looked_at order by all'));
  const daysOf = (nth: number): number[] => rows.flatMap(({ batch, day }) => (batch === nth ? [day] : []));
  return { batches: Array.from({ length: batches }, (_, nth) => daysOf(nth)), spared: daysOf(-1) };
}

async function dirty(refresh: Partial<Refresh>, held: Held): Promise<number[]> {
  return (await found(refresh, held)).batches.flat();
}

describe('dirty days', () => {
  test('are those that loads of the streams changed, in order and once each', async () => {
    const touched = [MONDAY + 2, MONDAY, MONDAY + 2];
    expect(await dirty({}, { touched })).toEqual([MONDAY, MONDAY + 2]);
    expect(await dirty({ streams: ['statistics'] }, { touched })).toEqual([]);
  });

  test('are also the days that look back at them, up to the last day that is covered', async () => {
    expect(await dirty({ lookback: 2 }, { touched: [MONDAY] })).toEqual([MONDAY, MONDAY + 1, MONDAY + 2]);
    expect(await dirty({ lookback: 7 }, { touched: [MONDAY + 28] })).toEqual([MONDAY + 28, MONDAY + 29]);
    expect(await dirty({ lookback: 7 }, { touched: [MONDAY + 40] })).toEqual([MONDAY + 40]);
  });

  test('are all later ones with events where a person is followed, and no earlier one', async () => {
    const events = [MONDAY - 1, MONDAY, MONDAY + 3, 2_932_896];
    const later = [MONDAY, MONDAY + 3, 2_932_896];
    expect(await dirty({ allLater: true }, { touched: [MONDAY], events })).toEqual(later);
  });

  test('include the days of opt-outs that a snapshot tells of, for what depends on opt-outs', async () => {
    const covered = [[MONDAY - 5, 1] as const, ...COVERED];
    const held = { touched: [MONDAY], optOuts: [MONDAY - 3], covered };
    expect(await dirty({ streams: ['events', 'opt_outs'] }, held)).toEqual([MONDAY - 3, MONDAY]);
    expect(await dirty({}, held)).toEqual([MONDAY]);
  });

  test('come by whole weeks from Monday where rows are replaced by the week, also before 1970', async () => {
    const week = (monday: number): number[] => Array.from({ length: 7 }, (_, step) => monday + step);
    expect(await dirty({ partition: 'week' }, { touched: [MONDAY + 6] })).toEqual(week(MONDAY));
    // 1969-12-31 was a Wednesday.
    expect(await dirty({ partition: 'week' }, { touched: [-1] })).toEqual(week(-3));
  });

  test('are also days without events that look back at a later day, which an earlier one changes', async () => {
    const refresh = { allLater: true, lookback: 2 };
    expect(await dirty(refresh, { touched: [MONDAY], events: [MONDAY, MONDAY + 5] })).toEqual(
      [0, 1, 2, 5, 6, 7].map((step) => MONDAY + step),
    );
  });

  test('are every day that any row is about in a full refresh', async () => {
    const held = { covered: [[5, 1] as const, [3, 1] as const], events: [2_932_896] };
    expect(await dirty({ full: true }, held)).toEqual([3, 5, 2_932_896]);
  });
});

describe('days whose events are removed', () => {
  const held: Held = { touched: [MONDAY + 1, MONDAY + 2], removed: [MONDAY] };

  test('stay, and so do days that look back at them, unless their own events changed', async () => {
    const { batches, spared } = await found({ lookback: 3 }, held);
    expect(spared).toEqual([MONDAY, MONDAY + 3]);
    expect(batches.flat()).toEqual([MONDAY + 1, MONDAY + 2, MONDAY + 4, MONDAY + 5]);
  });

  test('stay in a full refresh with the days near them that their records may count on', async () => {
    const strays = { removed: [MONDAY], strays: [MONDAY] };
    const { spared } = await found({ full: true }, strays);
    expect([spared[0], spared.at(-1), spared.length]).toEqual([MONDAY - 31, MONDAY + 31, 63]);
    expect((await found({ full: true, keepsRows: false }, strays)).spared).toEqual([MONDAY]);
  });

  test('are looked at where nothing is computed of events alone', async () => {
    const statistics = { touched: [], optOuts: [MONDAY], removed: [MONDAY] };
    expect((await found({ streams: ['opt_outs'] }, statistics)).spared).toEqual([]);
  });
});

test('batches hold each day once, in order, never divide a week, and stay within about a month and a million records', async () => {
  const days = fc.uniqueArray(fc.integer({ min: -400, max: 400 }), { minLength: 1, maxLength: 200 });
  const records = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 801, maxLength: 801 });
  await fc.assert(
    fc.asyncProperty(
      days,
      records,
      fc.constantFrom('day' as const, 'week' as const),
      async (some, sizes, partition) => {
        const covered = sizes
          .map((size, at) => [at - 400, size] as const)
          .filter(([day]) => some.includes(day));
        const { batches } = await found({ full: true, partition }, { covered });
        const unitOf = (day: number): number => (partition === 'week' ? Math.floor((day + 3) / 7) : day);
        const units = batches.map((batch) => [...new Set(batch.map(unitOf))]);
        expect(units.flat()).toEqual([...new Set(some.map(unitOf))].sort((a, b) => a - b));
        const held = new Map(covered);
        for (const [at, batch] of batches.entries()) {
          const sum = batch.reduce((all, day) => all + (held.get(day) ?? 0), 0);
          const first = batch.filter((day) => unitOf(day) === units[at]?.[0]);
          const most = 1_000_000 + first.reduce((all, day) => all + (held.get(day) ?? 0), 0);
          expect(batch.length <= 35 && sum <= most).toBe(true);
        }
      },
    ),
    { numRuns: 20 },
  );
});

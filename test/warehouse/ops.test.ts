import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { windowOf } from '../../src/calendar.js';
import { WAREHOUSE_POINTS } from '../../src/warehouse/warehouse.js';
import { record, Workshop, type Row } from './support.js';

const DAY = '2026-11-20';

test('the budget is that of the last run', async () => {
  const workshop = new Workshop();
  const settings = {
    recordsPerRun: 1000,
    recordsPerMonth: 5000,
    pricePerRecord: 0.25,
    currency: 'KRW',
    startDate: DAY,
  };
  await workshop.with(async (warehouse) => {
    await warehouse.noteBudget({ ...settings, recordsPerRun: undefined, recordsPerMonth: undefined });
    await warehouse.noteBudget(settings);
  });
  expect(
    await workshop.look('select * exclude (noted_at), noted_at is not null as noted from ops.budget'),
  ).toEqual([
    {
      records_per_run: '1000',
      records_per_month: '5000',
      price_per_record: 0.25,
      start_date: DAY,
      currency: 'KRW',
      noted: true,
    },
  ]);
});

test('the ledger is shown as it stands, and replaced whole', async () => {
  const workshop = new Workshop();
  const entry = { day: DAY, window: windowOf(DAY), messageData: true };
  await workshop.with(async (warehouse) => {
    await warehouse.replaceExports([{ key: 'old', state: 'intended', ...entry }]);
    await warehouse.replaceExports([
      { key: 'a', state: 'ambiguous', ...entry, note: '사람이 본다' },
      {
        ...entry,
        key: 'b',
        state: 'loaded',
        exportId: 'x1',
        records: 1200,
        pages: 2,
        estimate: 1000,
        pricePerRecord: 0.25,
        requestedAt: workshop.now,
        updatedAt: workshop.now,
        note: undefined,
      },
    ]);
  });
  expect(
    await workshop.look(`select key, state, epoch_ms(window_start) as start, date, export_id, message_data, records, pages,
                         estimated_records, price_per_record, epoch_ms(requested_at) as requested, note
                         from ops.exports order by key`),
  ).toEqual([
    {
      key: 'a',
      state: 'ambiguous',
      start: String(windowOf(DAY).start.getTime()),
      date: DAY,
      export_id: null,
      message_data: true,
      records: null,
      pages: null,
      estimated_records: null,
      price_per_record: null,
      requested: null,
      note: '사람이 본다',
    },
    expect.objectContaining({
      key: 'b',
      export_id: 'x1',
      records: '1200',
      pages: '2',
      estimated_records: '1000',
      price_per_record: 0.25,
      requested: String(workshop.now.getTime()),
    }),
  ]);
});

test('a run is noted when it begins, and completed when it ends', async () => {
  const workshop = new Workshop();
  const begun = { runId: 'r1', command: 'run', startedAt: workshop.now, version: '0.1.0', processId: 42 };
  await workshop.with((warehouse) => warehouse.startRun(begun));
  const run = (): Promise<Row> =>
    workshop.lookOne(`select run_id, command, version, process_id, finished_at is null as open, exit_code, outcome,
                      summary ->> '$.loaded' as loaded from ops.runs`);
  const noted = { run_id: 'r1', command: 'run', version: '0.1.0', process_id: '42' };
  expect(await run()).toEqual({ ...noted, open: true, exit_code: null, outcome: null, loaded: null });
  await workshop.with((warehouse) =>
    warehouse.finishRun({
      runId: 'r1',
      finishedAt: workshop.now,
      exitCode: 0,
      outcome: 'done',
      summary: { loaded: '많이' },
    }),
  );
  expect(await run()).toEqual({ ...noted, open: false, exit_code: 0, outcome: 'done', loaded: '많이' });
});

test(
  'a run passes the crash points in their order, and leaves no log behind',
  { tags: ['long'] },
  async () => {
    const workshop = new Workshop();
    await workshop.with(async (warehouse) => {
      await warehouse.loader.load(workshop.events(DAY, [[record()]]));
      await warehouse.replaceExports([]);
      await warehouse.model();
      await warehouse.check();
    });
    await workshop.close();
    expect(workshop.points).toEqual([...WAREHOUSE_POINTS]);
    expect(existsSync(`${workshop.path}.wal`)).toBe(false);
  },
);

test('closing twice does nothing', async () => {
  const warehouse = await new Workshop().open();
  await warehouse.close();
  await warehouse.close();
});

test('a load that is stopped before its end leaves nothing, and is done again', async () => {
  const workshop = new Workshop();
  const pull = workshop.events(DAY, [[record({ message_data: { title: 't' } })]]);
  const stopping = new Workshop({
    path: workshop.path,
    effects: {
      now: () => workshop.now,
      reach: (point) => {
        if (point === 'load/before-commit') throw new Error('stopped');
      },
    },
  });
  await expect(stopping.load(pull)).rejects.toThrow('stopped');
  await stopping.close();
  expect(await workshop.look('select event_id from events union all from ops.loads select pull')).toEqual([]);
  expect(await workshop.load(pull)).toMatchObject([{ changed: true, rows: 1 }]);
  expect(await workshop.lines('select title from push_messages')).toEqual(['t']);
});

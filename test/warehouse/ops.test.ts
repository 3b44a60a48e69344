import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { windowOf } from '../../src/ground/calendar.js';
import { exportsKnownBy, knownBy } from '../../src/warehouse/reader.js';
import { record, temporaryFolder, Workshop, type Row } from './support.js';
import { change } from '../support/dawnload.js';

const DAY = '2026-11-20';

test('the budget is that of the last run', async () => {
  const workshop = new Workshop();
  const settings = {
    budget: { recordsPerRun: 1000, recordsPerMonth: 5000 },
    pricePerRecord: 0.25,
    currency: 'KRW',
    startDate: DAY,
  };
  await workshop.with(async (warehouse) => {
    const notedAt = workshop.now;
    await warehouse.note({
      budget: { ...settings, budget: undefined, notedAt },
      prices: [{ channel: 'webhook', sub_channel: null, price: 2 }],
    });
    await warehouse.note({
      budget: { ...settings, notedAt },
      prices: [{ channel: 'email', sub_channel: null, price: 0.5 }],
    });
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
  expect(await workshop.look('from ops.message_prices')).toEqual([
    { channel: 'email', sub_channel: null, price: 0.5 },
  ]);
});

test('the ledger is shown as it stands, and replaced whole', async () => {
  const workshop = new Workshop();
  const entry = { day: DAY, messageData: true };
  await workshop.with(async (warehouse) => {
    await warehouse.note({ exports: [{ key: 'old', state: 'intended', ...entry }] });
    await warehouse.note({
      exports: [
        { key: 'a', state: 'ambiguous', ...entry, note: '사람이 본다' },
        {
          ...entry,
          key: 'b',
          state: 'loaded',
          // Half of a surrogate pair, which DuckDB rejects.
          exportId: 'x1\ud83d',
          records: 1200,
          pages: 2,
          estimate: 1000,
          pricePerRecord: 0.25,
          requestedAt: workshop.now,
          updatedAt: workshop.now,
          note: undefined,
        },
      ],
    });
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
      export_id: 'x1\ufffd',
      records: '1200',
      pages: '2',
      estimated_records: '1000',
      price_per_record: 0.25,
      requested: String(workshop.now.getTime()),
    }),
  ]);
});

test('missing records that are tolerated or accepted are noted with their day', async () => {
  const workshop = new Workshop();
  const one = { day: DAY, state: 'loaded' };
  await workshop.with((warehouse) =>
    warehouse.note({
      exports: [
        { ...one, key: 'a', tolerated: 3 },
        { ...one, key: 'b', accepted: true },
        { ...one, key: 'c' },
        { ...one, key: 'd', state: 'landed', tolerated: 5 },
      ],
    }),
  );
  expect(
    await workshop.lines('select stream, date, note, records from ops.load_notes order by note'),
  ).toEqual([`events | ${DAY} | accepted | -`, `events | ${DAY} | tolerated | 3`]);
});

test('a run is noted when it begins, and completed when it ends', async () => {
  const workshop = new Workshop();
  const begun = {
    ...{ runId: 'r1', command: 'run', at: workshop.now, version: '0.1.0', processId: 42 },
  };
  const end = { runId: 'r1', at: workshop.now, exitCode: 0, outcome: 'done' };
  await workshop.with((warehouse) => warehouse.note({ runs: [{ begun, over: undefined }] }));
  const run = (): Promise<Row> =>
    workshop.lookOne(`select run_id, command, version, process_id, finished_at is null as open, exit_code, outcome,
                      summary ->> '$.loaded' as loaded from ops.runs`);
  const noted = { run_id: 'r1', command: 'run', version: '0.1.0', process_id: '42' };
  expect(await run()).toEqual({ ...noted, open: true, exit_code: null, outcome: null, loaded: null });
  await workshop.with((warehouse) =>
    warehouse.note({ runs: [{ begun, over: { ...end, summary: { loaded: '많이' } } }] }),
  );
  const over = { ...noted, open: false, exit_code: 0, outcome: 'done', loaded: '많이' };
  expect(await run()).toEqual(over);
  // The journal holds less of a summary than the file.
  await workshop.with((warehouse) => warehouse.note({ runs: [{ begun, over: { ...end, summary: {} } }] }));
  expect(await run()).toEqual(over);
});

test('the runs of decades fit into the memory of an ordinary night', { tags: ['long'] }, async () => {
  const workshop = new Workshop();
  const at = '2026-11-20T22:30:00.000Z';
  const summary = { loaded: 'x'.repeat(1_500) };
  const runs = Array.from({ length: 40_000 }, (_, nth) => ({
    begun: { runId: `run ${nth}`, command: 'run', at, version: '0.1.0', processId: 1 },
    over: { at, exitCode: 0, outcome: 'done', summary },
  }));
  await workshop.with((warehouse) => warehouse.note({ runs }));
  expect(await workshop.look('select count(*)::integer as runs from ops.runs')).toEqual([{ runs: 40_000 }]);
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
  expect(await workshop.load(pull)).toMatchObject([{ rows: 1 }]);
  expect(await workshop.lines('select title from push_messages')).toEqual(['t']);
});

/** A database of those statements, closed. */
async function fileWith(sql: string): Promise<string> {
  const path = join(temporaryFolder(), 'some.duckdb');
  await change(path, sql);
  return path;
}

const EXPORTS = `create schema ops;
  create table ops.exports as
  select
    key, timestamptz '2026-11-18 15:00:00Z' as window_start, timestamptz '2026-11-19 15:00:00Z' as window_end,
    date '2026-11-19' as date, 'loaded' as state, 'yes' as billed, 'exp-1' as export_id, true as message_data, 10 as records, 1 as pages,
    10 as estimated_records, 0::double as price_per_record, null::timestamptz as requested_at, null::timestamptz as updated_at,
    null::varchar as note
  from (values ('2026-11-19.1'), ('2026-11-20.1')) as given (key)`;

describe('a file that is not open', () => {
  test('lists its exports', async () => {
    const keys = (await exportsKnownBy(await fileWith(EXPORTS))).map(({ key }) => key);
    expect(keys).toEqual(['2026-11-19.1', '2026-11-20.1']);
  });

  test('lists nothing if it does not exist, is no database, or is no warehouse', async () => {
    const garbage = join(temporaryFolder(), 'garbage.duckdb');
    writeFileSync(garbage, 'not a database');
    const foreign = await fileWith('create table t (i integer)');
    const other = await fileWith('create schema ops; create table ops.exports (key varchar)');
    for (const file of [join(temporaryFolder(), 'none.duckdb'), garbage, foreign, other]) {
      expect(await exportsKnownBy(file)).toEqual([]);
      expect(await knownBy(file)).toEqual([]);
    }
  });
});

/**
 * What paid requests and downloads may expect of a warehouse: the small file that lives are played over, and DuckDB, pass
 * the same cases.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headShape, type Head, type Pull } from '../../src/landing/landing-zone.js';
import type { Warehouse } from '../../src/warehouse/warehouse.js';
import { loadOne, micros, record, statistic, temporaryFolder, Workshop } from '../warehouse/support.js';
import { FakeWarehouse, type EventsPort } from './fake-warehouse.js';
import { long } from '../support/tags.js';

const DAYS = ['2026-11-19', '2026-11-20'] as const;
const SENT = 5;

class Killed extends Error {}

/** A warehouse whose daily statistics have five messages on each of the days. */
interface Store {
  /** Opens the file again, as the next command does. */
  port(): Promise<EventsPort>;
  load(pull: Pull): Promise<unknown>;
  loaded(): Promise<string[]>;
  note(head: Head): Promise<void>;
  heads(): Promise<Head[]>;
  /** The crash point at which the next load dies. */
  dying: string | undefined;
}

function fakeStore(): Store {
  const path = join(temporaryFolder(), 'fake.json');
  const reach = (point: string): void => {
    if (point === store.dying) throw new Killed(point);
  };
  const open = (): FakeWarehouse =>
    new FakeWarehouse(path, { effects: { reach } as never }, { days: DAYS, messages: SENT });
  const store: Store = {
    dying: undefined,
    port: () => Promise.resolve(open()),
    load: async (pull) => open().load([pull]),
    loaded: () => Promise.resolve([...open().loaded].sort()),
    note: (head) => {
      open().close(head);
      return Promise.resolve();
    },
    heads: () => Promise.resolve(open().heads),
  };
  return store;
}

function duckdbStore(): Store {
  const reach = (point: string): void => {
    if (point === store.dying) throw new Killed(point);
  };
  const workshop = new Workshop({ effects: { now: () => new Date(0), reach } });
  const statistics = DAYS.map((date) =>
    workshop.statistics(date, [statistic({ date, message_sent: SENT, message_failed: 0, click: 0 })]),
  );
  const open = async (): Promise<Warehouse> => {
    await workshop.close();
    const warehouse = await workshop.open();
    for (const pull of statistics) await loadOne(warehouse, pull);
    return warehouse;
  };
  const store: Store = {
    dying: undefined,
    port: open,
    load: async (pull) => loadOne(await open(), pull),
    loaded: async () =>
      [...(await (await open()).loader.loaded())].filter((id) => id.startsWith('events')).sort(),
    note: async (head) => (await open()).note({ head }),
    heads: async () => (await open()).session.rows('ops/journal', headShape),
  };
  return store;
}

describe.each([
  ['the fake warehouse', fakeStore],
  ['DuckDB', duckdbStore],
])('%s', (_, make) => {
  /** Exports of five records each; only DuckDB reads their pages. */
  const pulls = (): readonly [Pull, Pull] => {
    const workshop = new Workshop();
    const [one, two] = DAYS.map((day) =>
      workshop.events(day, [
        Array.from({ length: 5 }, (_, n) => record({ id: `${day}-${n}`, time: micros(day, 1_000 + n) })),
      ]),
    );
    if (one === undefined || two === undefined) throw new Error('There are two days.');
    return [one, two];
  };
  const coverage = async (store: Store): Promise<[string, number][]> =>
    [...(await (await store.port()).coverage('events'))].sort();

  test('has nothing at first but the daily statistics', async () => {
    const store = make();
    expect(await coverage(store)).toEqual([]);
    expect(await store.loaded()).toEqual([]);
    expect(await store.heads()).toEqual([]);
    const port = await store.port();
    expect(await port.removedDays()).toEqual([]);
    const messages = [...(await port.messages())].filter(([, { sent }]) => sent > 0);
    expect(messages.map(([day, { sent }]) => [day, sent])).toEqual(DAYS.map((day) => [day, SENT]));
  });

  long(
    'has the days of the exports that were loaded, in any order, also once it is opened again',
    async () => {
      for (const order of [pulls(), pulls().toReversed()]) {
        const store = make();
        for (const pull of order) await store.load(pull);
        expect(await coverage(store)).toEqual(DAYS.map((day) => [day, 5]));
        expect(await store.loaded()).toEqual(order.map(({ id }) => id).sort());
      }
    },
  );

  test('is the same after a pull is loaded again', async () => {
    const [store, [pull]] = [make(), pulls()];
    await store.load(pull);
    const before = [await coverage(store), await store.loaded()];
    await store.load(pull);
    expect([await coverage(store), await store.loaded()]).toEqual(before);
  });

  long('has all or nothing of a pull whose load dies', async () => {
    const [store, [first, second]] = [make(), pulls()];
    store.dying = 'load/before-commit';
    await expect(store.load(first)).rejects.toThrow(Killed);
    store.dying = undefined;
    expect([await coverage(store), await store.loaded()]).toEqual([[], []]);
    store.dying = 'load/after-commit';
    await expect(store.load(second)).rejects.toThrow(Killed);
    store.dying = undefined;
    expect([await coverage(store), await store.loaded()]).toEqual([[[DAYS[1], 5]], [second.id]]);
  });

  test('carries the last head of the journal that it was told', async () => {
    const store = make();
    const heads = [1, 7].map((seq) => ({ seq, sum: `${seq}`.repeat(32), erase: '' }));
    for (const head of heads) await store.note(head);
    expect(await store.heads()).toEqual(heads.slice(1));
  });

  test('finds nothing lacking in an export that is whole', async () => {
    const [store, [pull]] = [make(), pulls()];
    await store.load(pull);
    const lack = await (await store.port()).lackOf(DAYS[0]);
    expect(lack).toMatchObject({ repeated: 0, without_id: 0, erased: 0, missing: 0, empty: 0 });
  });
});

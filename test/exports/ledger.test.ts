import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DamageError, RefusedError, StorageError, UsageError } from '../../src/ground/errors.js';
import { actionsNeeded, adviceFor, EXPORT, needsPerson } from '../../src/exports/export.js';
import { spendOf } from '../../src/exports/budget.js';
import { untrackedIn } from '../../src/exports/untracked.js';
import { Doubt } from '../../src/journal/doubt.js';
import { Journal } from '../../src/journal/journal.js';
import { LandingZone } from '../../src/landing/landing-zone.js';
import type { ExportRow } from '../../src/warehouse/reader.js';
import {
  dataFolder,
  filesBelow,
  MORNING,
  openLedger,
  readLedger,
  rejection,
  testEffects,
} from '../landing/support.js';

const DAY = '2026-11-20';
const KEY = '2026-11-20.1';
const TERMS = { messageData: true, estimate: 3_000, pricePerRecord: 0.5 };
const INTENT = { day: DAY, ...TERMS };

async function opened() {
  const data = await dataFolder();
  const effects = testEffects();
  const ledger = await openLedger(data, effects);
  return { data, effects, ledger, path: join(data, 'ledger/journal.jsonl') };
}

describe('an export in the ledger', () => {
  it('goes from intent to loaded, and is the same after a restart at every step', async () => {
    const { data, effects, ledger } = await opened();
    const steps = [
      () => ledger.intend(INTENT),
      () => ledger.requested(KEY, 'exp-1'),
      () => ledger.record({ event: 'processing', key: KEY }),
      () => ledger.record({ event: 'troubled', key: KEY, note: 'error:\n  try later' }),
      () => ledger.record({ event: 'ready', key: KEY, pages: 3 }),
      () =>
        ledger.record({
          event: 'landed',
          key: KEY,
          pages: 3,
          records: 2_500,
          landedAt: new Date('2026-11-20T22:10:00Z'),
        }),
      () => ledger.record({ event: 'loaded', key: KEY }),
    ];
    for (const step of steps) {
      effects.time = new Date(effects.time.getTime() + 1_000);
      const entry = await step();
      expect((await readLedger(data)).find(KEY)).toEqual(entry);
      expect((await openLedger(data, effects)).find(KEY)).toEqual(entry);
    }
    expect(ledger.find(KEY)).toEqual({
      key: KEY,
      day: DAY,
      messageData: true,
      state: 'loaded',
      billed: 'yes',
      estimate: 3_000,
      pricePerRecord: 0.5,
      troubles: 0,
      doubted: false,
      requestedAt: new Date('2026-11-20T22:05:13.123Z'),
      updatedAt: new Date('2026-11-20T22:05:19.123Z'),
      exportId: 'exp-1',
      pages: 3,
      records: 2_500,
      landedAt: new Date('2026-11-20T22:10:00Z'),
      loadedAt: new Date('2026-11-20T22:05:19.123Z'),
      note: undefined,
    });
  });

  it('is written once when the same thing is said twice', async () => {
    const { ledger, path } = await opened();
    await ledger.intend(INTENT);
    await ledger.requested(KEY, 'exp-1');
    await ledger.record({ event: 'processing', key: KEY });
    for (let i = 0; i < 2; i++) await ledger.record({ event: 'ready', key: KEY, pages: 0 });
    expect(
      await ledger.record({ event: 'landed', key: KEY, pages: 0, records: 0, landedAt: MORNING }),
    ).toMatchObject({
      state: 'landed',
      records: 0,
    });
    for (let i = 0; i < 2; i++) await ledger.record({ event: 'loaded', key: KEY });
    expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toHaveLength(6);
  });

  it('refuses what cannot happen, and stays as it was', async () => {
    const { data, ledger } = await opened();
    await ledger.intend(INTENT);
    await expect(ledger.record({ event: 'loaded', key: KEY })).rejects.toThrow(UsageError);
    await expect(ledger.requested(KEY, '')).rejects.toThrow(UsageError);
    await expect(ledger.record({ event: 'ready', key: '2026-11-19.1', pages: 3 })).rejects.toThrow(
      'The ledger has no export 2026-11-19.1',
    );
    await ledger.requested(KEY, 'exp-1');
    await expect(ledger.record({ event: 'ready', key: KEY, pages: -1 })).rejects.toThrow(UsageError);
    await expect(ledger.record({ event: 'ready', key: KEY, pages: 1.5 })).rejects.toThrow(UsageError);
    await expect(ledger.record({ event: 'withdrawn', key: KEY, note: 'no' })).rejects.toThrow(
      'Export 2026-11-20.1 is requested, so it cannot change to withdrawn.',
    );
    expect((await readLedger(data)).get(KEY).state).toBe('requested');
  });
});

describe('a second request for the same day', () => {
  it('is refused as long as the first is paid, may be paid, or was given up', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    const refusal = await rejection(ledger.intend(INTENT));
    expect(refusal).toBeInstanceOf(RefusedError);
    expect(refusal.message).toBe('2026-11-20 is covered by export 2026-11-20.1, which is intended.');
    await ledger.record({ event: 'ambiguous', key: KEY, note: 'timeout' });
    expect((await rejection(ledger.intend(INTENT))).hint).toContain(
      'dawnload exports decide 2026-11-20.1 --attach',
    );
    await ledger.record({ event: 'abandoned', key: KEY, note: 'given up' });
    await expect(ledger.intend(INTENT)).rejects.toThrow(RefusedError);
  });

  it.each(['failed', 'withdrawn'] as const)('is a new attempt when the first one %s', async (end) => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.record({ event: end, key: KEY, note: 'HTTP 400: no' });
    expect(await ledger.intend(INTENT)).toMatchObject({ key: '2026-11-20.2', state: 'intended' });
    expect(ledger.get(KEY)).toMatchObject({ state: end, billed: 'no', note: 'HTTP 400: no' });
  });

  it('is refused when both are asked for at the same time', async () => {
    const { ledger } = await opened();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => ledger.intend(INTENT)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ledger.entries()).toHaveLength(1);
  });

  it('needs an estimate that is a whole number', async () => {
    const { ledger } = await opened();
    for (const estimate of [Number.NaN, 2.2])
      await expect(ledger.intend({ ...INTENT, estimate })).rejects.toThrow(UsageError);
  });
});

describe('what a person decides', () => {
  it('attach gives an ambiguous export its id, corrects one that was mistyped, but takes no id that another export has', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.record({ event: 'ambiguous', key: KEY, note: 'timeout' });
    const attached = await ledger.attach(KEY, 'exp-8');
    expect(attached).toMatchObject({ state: 'requested', billed: 'yes', exportId: 'exp-8', note: undefined });
    expect(needsPerson(attached)).toBe(false);
    await ledger.record({ event: 'troubled', key: KEY, note: 'not_found' });
    expect(await ledger.attach(KEY, 'exp-9')).toMatchObject({ exportId: 'exp-9', troubles: 0 });
    await ledger.intend({ ...INTENT, day: '2026-11-19' });
    await ledger.record({ event: 'ambiguous', key: '2026-11-19.1', note: 'timeout' });
    await expect(ledger.attach('2026-11-19.1', 'exp-9')).rejects.toThrow(
      'The export id belongs to export 2026-11-20.1',
    );
  });

  describe('attach to an export whose data has arrived', () => {
    const yes = (): Promise<boolean> => Promise.resolve(true);

    /** Two exports, both loaded, the first as exp-1, the second as exp-2. */
    async function loaded() {
      const { ledger, data } = await opened();
      for (const [i, day] of [DAY, '2026-11-19'].entries()) {
        const { key } = await ledger.intend({ ...INTENT, day });
        await ledger.requested(key, `exp-${i + 1}`);
        await ledger.record({ event: 'ready', key, pages: 1 });
        await ledger.record({ event: 'landed', key, pages: 1, records: 5, landedAt: MORNING });
        if (i === 0) await ledger.record({ event: 'loaded', key });
      }
      return { ledger, data };
    }

    it('is refused until a person agrees', async () => {
      const { ledger, data } = await loaded();
      for (const [key, state, id] of [
        [KEY, 'loaded', 'exp-1'],
        ['2026-11-19.1', 'landed', 'exp-2'],
      ] as const) {
        const refusal = await rejection(ledger.attach(key, `new-${id}`));
        expect(refusal).toBeInstanceOf(RefusedError);
        expect(refusal.message).toBe(`Export ${key} is ${state} as ${id}, and another id would replace it.`);
        expect(refusal.hint).toContain(`dawnload exports decide ${key} --attach=new-${id} --yes`);
        expect(ledger.get(key)).toMatchObject({ state, exportId: id });
        await ledger.attach(key, `new-${id}`, yes);
        await ledger.attach(key, `newer-${id}`);
        expect((await readLedger(data)).get(key)).toMatchObject({
          state: 'requested',
          exportId: `newer-${id}`,
        });
      }
    });

    it('takes the id of another export once a person agrees, and that one gets its own by a second attach', async () => {
      const { ledger, data } = await loaded();
      const refusal = await rejection(ledger.attach(KEY, 'exp-2'));
      await expect(ledger.attach('junk', 'exp-2')).rejects.toThrow('The ledger has no export junk');
      // Keys of other days are never suggested: to pay again for one is billed.
      const hint = (key: string) =>
        rejection(Promise.resolve().then(() => ledger.get(key))).then((e) => e.hint);
      expect(await hint(`${KEY}1`)).toMatch(`Did you mean ${KEY}?`);
      expect(await hint(KEY.slice(0, 10))).toMatch(`Did you mean ${KEY}?`);
      expect(await hint('2026-10-20.1')).toBe('`dawnload exports list` shows the exports and their keys.');
      expect(refusal).toBeInstanceOf(RefusedError);
      expect(refusal.message).toBe(
        'The export id belongs to export 2026-11-19.1, which needs another id then.',
      );
      await ledger.attach(KEY, 'exp-2', yes);
      // Until then the other one is named.
      await ledger.record({
        event: 'doubted',
        key: '2026-11-19.1',
        note: '5 of its 5 records happened on other days',
      });
      expect(actionsNeeded(ledger.entries(), undefined)[0]?.advice).toContain(
        `Export ${KEY} has the same id. `,
      );
      await ledger.attach('2026-11-19.1', 'exp-1', yes);
      const book = await readLedger(data);
      expect([book.get(KEY), book.get('2026-11-19.1')]).toMatchObject([
        { state: 'requested', exportId: 'exp-2' },
        { state: 'requested', exportId: 'exp-1' },
      ]);
    });
  });

  it('paying again gives the old export up by itself', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.requested(KEY, 'exp-1');
    await ledger.payAgain(KEY, TERMS);
    expect(ledger.get(KEY)).toMatchObject({ state: 'abandoned', billed: 'yes', exportId: 'exp-1' });
    expect(ledger.get('2026-11-20.2')).toMatchObject({ state: 'intended', estimate: 3_000 });
  });

  it('paying again needs a new consent when that attempt was refused', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.record({ event: 'ambiguous', key: KEY, note: 'timeout' });
    await ledger.payAgain(KEY, TERMS);
    await ledger.record({ event: 'failed', key: '2026-11-20.2', note: 'HTTP 403' });
    await expect(ledger.intend(INTENT)).rejects.toThrow(RefusedError);
    expect(await ledger.payAgain('2026-11-20.2', TERMS)).toMatchObject({ key: '2026-11-20.3' });
  });

  it('is asked for when a paid export was not delivered three times in a row', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.requested(KEY, 'exp-1');
    await ledger.record({ event: 'troubled', key: KEY, note: 'not_found' });
    await ledger.record({ event: 'troubled', key: KEY, note: 'not_found' });
    expect(adviceFor(ledger.get(KEY))).toBeUndefined();
    const third = await ledger.record({ event: 'troubled', key: KEY, note: 'not_found' });
    expect(third.state).toBe('requested');
    expect(adviceFor(third)).toContain(
      'has not delivered the paid export 2026-11-20.1 of 2026-11-20 in 3 attempts. Reason: not_found.',
    );
    expect(needsPerson(await ledger.record({ event: 'ready', key: KEY, pages: 4 }))).toBe(false);
  });
});

it('tells the id of an accepted export that cannot be written down', async () => {
  const { ledger, path } = await opened();
  await ledger.intend(INTENT);
  await rm(path);
  const error = await rejection(ledger.requested(KEY, 'exp-1'));
  expect(error).toBeInstanceOf(StorageError);
  expect(error.message).toContain('accepted the paid export 2026-11-20.1 as exp-1');
  expect(error.hint).toContain('dawnload exports decide 2026-11-20.1 --attach=exp-1');
});

describe('the ledger beside others', () => {
  it('is for its owner alone', async () => {
    const { data, ledger } = await opened();
    await ledger.intend(INTENT);
    expect((await stat(join(data, 'ledger'))).mode & 0o777).toBe(0o700);
    for (const file of await filesBelow(join(data, 'ledger'))) {
      expect((await stat(join(data, 'ledger', file))).mode & 0o777).toBe(0o600);
    }
  });
});

/** What a disk answers that has gone away. */
const GONE = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

/** While it works, no file can be synced or cut. */
async function withoutDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const probe = await open(folder);
  const handle = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const faults = [
    vi.spyOn(handle, 'sync').mockRejectedValue(GONE),
    vi.spyOn(handle, 'truncate').mockRejectedValue(GONE),
  ];
  try {
    return await work();
  } finally {
    for (const fault of faults) fault.mockRestore();
  }
}

it.each(['2026-11-20', '2026-11-20.0', '2026-02-30.1', 'day.1'])(
  'refuses a line whose key is none: %s',
  async (key) => {
    const { data, effects, ledger } = await opened();
    await ledger.intend(INTENT);
    const journal = await Journal.open({ dataDir: data }, effects);
    await expect(journal.append(EXPORT, { event: 'ready', key, pages: 1 })).rejects.toThrow(
      'This cannot be recorded as export.',
    );
  },
);

it('a line that could be neither synced nor cut off is followed by no other, and the next run reads what stands there', async () => {
  const { data, effects, ledger } = await opened();
  await ledger.intend(INTENT);
  const answered = () => ledger.requested(KEY, 'exp-1');
  expect(await withoutDisk(data, () => rejection(answered()))).toBeInstanceOf(StorageError);
  // The disk is back, but nobody knows what stands at the end of the file.
  expect(await rejection(answered())).toBeInstanceOf(StorageError);
  expect(await rejection(ledger.intend({ ...INTENT, day: '2026-11-19' }))).toBeInstanceOf(DamageError);

  const next = await openLedger(data, effects);
  await next.settle();
  expect(next.entries().map(({ key, state }) => [key, state])).toEqual([[KEY, 'requested']]);
});

it('attach enters a second export of a day after a yes alone, as billed, and none for a key that is none', async () => {
  const { ledger } = await opened();
  await ledger.intend(INTENT);
  await expect(ledger.attach('2026-11-20.2', 'exp-2')).rejects.toThrow(
    '2026-11-20 is covered by export 2026-11-20.1; 2026-11-20.2 would be a second one, billed too.',
  );
  expect(ledger.entries()).toHaveLength(1);
  const yes = (): Promise<boolean> => Promise.resolve(true);
  const second = await ledger.attach('2026-11-20.2', 'exp-2', yes, 0.1);
  expect(second).toMatchObject({ state: 'abandoned', billed: 'yes', exportId: 'exp-2' });
  expect(spendOf(ledger.entries())).toMatchObject([{ exports: 2, exports_of_unknown_size: 1 }]);
  expect(ledger.find('2026-11-20.1')?.state).toBe('intended');
  // Told again it stays what it is, another key makes no third export of it, and its id can be corrected.
  expect(await ledger.attach('2026-11-20.2', 'exp-2', yes)).toMatchObject({ state: 'abandoned' });
  await expect(ledger.attach('2026-11-20.3', 'exp-2', yes)).rejects.toThrow(
    'exp-2 is the id of export 2026-11-20.2, so it cannot be a second export of 2026-11-20.',
  );
  const corrected = await ledger.attach('2026-11-20.2', 'exp-9', yes);
  expect(corrected).toMatchObject({ state: 'abandoned', exportId: 'exp-9' });
  expect(ledger.entries()).toHaveLength(2);
  await expect(ledger.attach('2026-02-30.1', 'exp-2')).rejects.toThrow(UsageError);
  await expect(ledger.attach('nonsense', 'exp-2')).rejects.toThrow(UsageError);
  await expect(ledger.attach('2026-11-21.1', 'exp-3')).rejects.toThrow('2026-11-21 is not over');
});

it('folders of the landing zone that the journal lacks are found, among exports only', async () => {
  const { data, effects } = await opened();
  const landing = await LandingZone.open(data, effects, () => ({ seq: 0, sum: '', erase: '' }));
  await landing.reading({ day: DAY, key: KEY, exportId: 'Exp-1' });
  await mkdir(join(data, 'landing/events/2026-11-20/notes'), { recursive: true });
  await writeFile(join(data, 'landing/events/.DS_Store'), '');
  await writeFile(join(data, 'landing/events/2026-11-20/.DS_Store'), '');
  const found = await untrackedIn(data, await Journal.read({ dataDir: data }, effects), {});
  expect(found).toMatchObject([{ key: KEY, exportId: 'Exp-1', knownBy: 'landing zone', state: 'requested' }]);
});

describe('exports that a warehouse lists and the journal lacks', () => {
  const row: ExportRow = {
    key: KEY,
    day: '2026-11-20',
    state: 'loaded',
    exportId: 'exp-1',
    messageData: true,
    records: 4_000,
    pages: 4,
    estimate: 3_000,
    pricePerRecord: 2,
  };
  const untracked = async (data: string, rows: readonly ExportRow[]) =>
    untrackedIn(data, await Journal.read({ dataDir: data }, testEffects()), {
      'published warehouse': rows,
    });

  it.each<[string, string | undefined, string]>([
    ['loaded', 'exp-1', 'loaded'],
    ['landed', 'exp-1', 'landed'],
    ['processing', 'exp-1', 'requested'],
    ['requested', undefined, 'ambiguous'],
    ['ambiguous', undefined, 'ambiguous'],
    ['abandoned', 'exp-1', 'abandoned'],
  ])('one that was %s with the id %s is recovered as %s', async (state, exportId, after) => {
    const rows = [{ ...row, state, exportId }];
    // Also where the journal holds that nothing was billed.
    for (const before of [undefined, 'failed', 'withdrawn'] as const) {
      const { data, ledger } = await opened();
      if (before !== undefined) await ledger.intend(INTENT);
      if (before !== undefined) await ledger.record({ event: before, key: KEY, note: 'HTTP 400' });
      await ledger.recover(await untracked(data, rows));
      const { state: entered, billed } = ledger.get(KEY);
      expect(entered).toBe(after);
      expect(billed).toBe(exportId === undefined ? 'maybe' : 'yes');
      await expect(ledger.intend(INTENT)).rejects.toThrow(RefusedError);
      expect((await readLedger(data)).entries()).toEqual(ledger.entries());
    }
  });

  it('keep the instant of their request, whose month the fee counts in, and have a price where none is known', async () => {
    const { data, ledger } = await opened();
    const requestedAt = new Date('2026-10-31T14:59:59Z');
    const rows = [
      { ...row, requestedAt },
      { ...row, key: '2026-11-19.1', day: '2026-11-19', pricePerRecord: undefined },
    ];
    await ledger.recover(await untracked(data, rows), 0.5);
    expect(ledger.get(KEY)).toMatchObject({ requestedAt, pricePerRecord: 2 });
    expect(ledger.get('2026-11-19.1')).toMatchObject({ pricePerRecord: 0.5 });
    expect(spendOf((await readLedger(data)).entries()).map(({ month }) => month)).toEqual([
      '2026-10',
      '2026-11',
    ]);
  });

  it('are none if they were not billed, or the journal has them in whatever billed state', async () => {
    const { data, ledger } = await opened();
    for (const state of ['failed', 'withdrawn', 'a word of a later version'])
      expect(await untracked(data, [{ ...row, state }])).toEqual([]);
    await ledger.intend(INTENT);
    expect(await untracked(data, [row])).toEqual([]);
  });
});

it('nothing is intended while the journal may lack lines', async () => {
  const { data, effects } = await opened();
  const ledger = await openLedger(data, effects);
  ledger.doubt = new Doubt('It was lost.', 9);
  const error = await rejection(ledger.intend(INTENT));
  expect(error).toBeInstanceOf(DamageError);
  expect(error.message).toContain('It was lost.');
  expect(error.hint).toContain('dawnload recover');
});

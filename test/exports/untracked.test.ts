/** Exports that the data folder remembers and the ledger does not know. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamageError, RefusedError, UsageError } from '../../src/errors.js';
import { LandingZone } from '../../src/storage/landing-zone.js';
import { Ledger } from '../../src/exports/ledger.js';
import type { ExportRow } from '../../src/warehouse/rows.js';
import { dataFolder, rejection, testEffects } from '../storage/support.js';

const DAY = '2026-11-20';
const KEY = '2026-11-20.1';
const INTENT = { day: DAY, messageData: true, estimate: 3_000, pricePerRecord: 0.5 };

async function opened() {
  const data = await dataFolder();
  const effects = testEffects();
  return { data, effects, ledger: await Ledger.open(data, effects) };
}

describe('pages on disk that the ledger does not know', () => {
  async function lostLedger(...lost: string[]) {
    const { data, effects, ledger } = await opened();
    await ledger.intend(INTENT);
    await ledger.requested(KEY, 'Exp-1');
    const landing = await LandingZone.open(data, effects);
    const place = { day: DAY, key: KEY, exportId: 'Exp-1' };
    await landing.land({ stream: 'events', export: place, page: 0 }, Buffer.from('{}'));
    for (const folder of ['ledger', ...lost]) await rm(join(data, folder), { recursive: true });
    return { data, ledger: await Ledger.open(data, effects) };
  }

  it('stop every paid request: the ledger was lost', async () => {
    const { ledger } = await lostLedger();
    const error = await rejection(ledger.intend({ ...INTENT, day: '2026-11-10' }));
    expect(error).toBeInstanceOf(DamageError);
    expect(error.message).toContain('2026-11-20.1');
    expect(error.hint).toContain('dawnload exports recover');
  });

  it('are entered again by recovering them, with all that the second copy told', async () => {
    const { data, ledger } = await lostLedger();
    await ledger.recover();
    const next = await Ledger.open(data, testEffects());
    expect(next.doubt).toBeUndefined();
    expect(next.entries()).toMatchObject([
      { key: KEY, state: 'requested', exportId: 'Exp-1', estimate: 3_000 },
    ]);
    await next.intend({ ...INTENT, day: '2026-11-10' });
    await expect(next.intend(INTENT)).rejects.toThrow(RefusedError);
  });

  it('are entered again by attaching them, when the second copy is lost too', async () => {
    const { ledger } = await lostLedger('landing/ledger');
    expect(await ledger.attach(KEY, 'Exp-1')).toMatchObject({
      state: 'requested',
      exportId: 'Exp-1',
      day: DAY,
    });
    await ledger.intend({ ...INTENT, day: '2026-11-10' });
    await expect(ledger.intend(INTENT)).rejects.toThrow(RefusedError);
  });

  it('are looked for among exports only', async () => {
    const { data, effects } = await opened();
    await mkdir(join(data, 'landing/events/2026-11-20/notes'), { recursive: true });
    await writeFile(join(data, 'landing/events/.DS_Store'), '');
    await writeFile(join(data, 'landing/events/2026-11-20/.DS_Store'), '');
    await (await Ledger.open(data, effects)).intend(INTENT);
  });

  it('attach invents no export for a day that has one, nor for a key that is none', async () => {
    const { ledger } = await opened();
    await ledger.intend(INTENT);
    await expect(ledger.attach('2026-11-20.2', 'exp-2')).rejects.toThrow(UsageError);
    await expect(ledger.attach('2026-02-30.1', 'exp-2')).rejects.toThrow(UsageError);
    await expect(ledger.attach('nonsense', 'exp-2')).rejects.toThrow(UsageError);
    await expect(ledger.attach('2026-11-21.1', 'exp-2')).rejects.toThrow('2026-11-21 is not over');
  });
});

describe('exports that a warehouse remembers and the ledger does not know', () => {
  const row: ExportRow = {
    key: KEY,
    day: '2026-11-20',
    window: { start: new Date('2026-11-19T15:00:00Z'), end: new Date('2026-11-20T15:00:00Z') },
    state: 'loaded',
    exportId: 'exp-1',
    messageData: true,
    records: 4_000,
    pages: 4,
    estimate: 3_000,
    pricePerRecord: 2,
  };

  async function remembering(rows: readonly ExportRow[], before: (ledger: Ledger) => Promise<unknown>) {
    const { data, effects, ledger } = await opened();
    await before(ledger);
    return Ledger.open(data, effects, () => Promise.resolve({ 'published warehouse': rows }));
  }
  const nothing = (): Promise<void> => Promise.resolve();

  it.each<[string, string | undefined, string]>([
    ['loaded', 'exp-1', 'loaded'],
    ['landed', 'exp-1', 'landed'],
    ['ready', 'exp-1', 'requested'],
    ['processing', 'exp-1', 'requested'],
    ['requested', 'exp-1', 'requested'],
    ['ambiguous', undefined, 'ambiguous'],
    ['abandoned', 'exp-1', 'abandoned'],
  ])(
    'stop every paid request: one that was %s with the id %s is recovered as %s',
    async (state, exportId, after) => {
      const ledger = await remembering([{ ...row, state, exportId }], nothing);
      await expect(ledger.intend({ ...INTENT, day: '2026-11-10' })).rejects.toThrow(DamageError);
      await ledger.recover();
      expect(ledger.get(KEY)).toMatchObject({ state: after, estimate: 3_000, pricePerRecord: 2 });
      await expect(ledger.intend(INTENT)).rejects.toThrow(RefusedError);
    },
  );

  it.each(['failed', 'withdrawn', 'a word of a later version'])(
    'stop nothing when they were %s',
    async (state) => {
      const ledger = await remembering([{ ...row, state }], nothing);
      expect(ledger.doubt).toBeUndefined();
    },
  );

  it('stop nothing when the ledger knows the key, in whatever billed state', async () => {
    const ledger = await remembering([row], (earlier) => earlier.intend(INTENT));
    expect(ledger.doubt).toBeUndefined();
  });

  it('stop every paid request when the ledger holds that nothing was billed', async () => {
    const ledger = await remembering([row], async (earlier) => {
      await earlier.intend(INTENT);
      await earlier.failed(KEY, 'HTTP 400');
    });
    expect(ledger.doubt?.message).toContain(KEY);
  });

  describe.each(['failed', 'withdrawn'] as const)('and the ledger holds as %s', (before) => {
    it.each<[string, string | undefined, string]>([
      ['loaded', 'exp-1', 'loaded'],
      ['landed', 'exp-1', 'landed'],
      ['requested', 'exp-1', 'requested'],
      ['abandoned', 'exp-1', 'abandoned'],
      ['ambiguous', undefined, 'ambiguous'],
      ['requested', undefined, 'ambiguous'],
    ])('are entered by recovering them: %s with the id %s as %s', async (state, exportId, after) => {
      for (const lines of ['in the ledger', 'in its second copy alone']) {
        const { data, effects, ledger } = await opened();
        await ledger.intend(INTENT);
        await ledger[before](KEY, 'HTTP 400');
        if (lines !== 'in the ledger') await rm(join(data, 'ledger'), { recursive: true });
        const open = (): Promise<Ledger> =>
          Ledger.open(data, effects, () =>
            Promise.resolve({ 'published warehouse': [{ ...row, state, exportId }] }),
          );
        expect(await (await open()).recover()).toBe(1);
        const next = await open();
        expect(next.doubt).toBeUndefined();
        expect(next.get(KEY).state).toBe(after);
        expect(next.get(KEY).billed).not.toBe('no');
        expect(next.get(KEY).exportId).toBe(after === 'abandoned' ? undefined : exportId);
        await expect(next.intend(INTENT)).rejects.toThrow(RefusedError);
        await next.intend({ ...INTENT, day: '2026-11-10' });
      }
    });
  });
});

/** A disk that fails in the middle of a line: what the ledger says then, and what the next run finds. */
import { rmSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { StorageError } from '../../src/errors.js';
import { Ledger } from '../../src/exports/ledger.js';
import { dataFolder, rejection, testEffects } from '../storage/support.js';

const DAY = '2026-11-20';
const KEY = '2026-11-20.1';
const INTENT = { day: DAY, messageData: true, estimate: 3_000, pricePerRecord: 0.5 };

/** What a disk answers that has gone away. */
const GONE = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

async function opened() {
  const data = await dataFolder();
  const effects = testEffects();
  return { data, effects, ledger: await Ledger.open(data, effects) };
}

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

it('a line that could be neither synced nor cut off is followed by no other, and the next run reads what stands there', async () => {
  const { data, effects, ledger } = await opened();
  await ledger.intend(INTENT);
  const answered = () => ledger.requested(KEY, 'exp-1', '{"export_id":"exp-1"}');
  expect(await withoutDisk(data, () => rejection(answered()))).toBeInstanceOf(StorageError);
  // The disk is back, but nobody knows what stands at the end of the file.
  expect(await rejection(answered())).toBeInstanceOf(StorageError);
  expect(await rejection(ledger.intend({ ...INTENT, day: '2026-11-19' }))).toBeInstanceOf(StorageError);

  const next = await Ledger.open(data, effects);
  await next.settle();
  expect(next.entries().map(({ key, state }) => [key, state])).toEqual([[KEY, 'requested']]);
});

it('a second copy that cannot be written holds up no line, and is whole again as soon as it can be', async () => {
  const { data, effects, ledger } = await opened();
  const copy = join(data, 'landing/ledger/exports.jsonl');
  await ledger.intend(INTENT);
  await rm(copy);
  await mkdir(copy);
  await ledger.requested(KEY, 'exp-1', '{"export_id":"exp-1"}');
  await ledger.processing(KEY);
  await rm(copy, { recursive: true });
  await ledger.ready(KEY, 1);
  await rm(join(data, 'ledger/exports.jsonl'));
  expect((await Ledger.open(data, effects)).lost).toHaveLength(4);
});

it('a ledger that is removed under a run is an error, not a reason to go on', async () => {
  const { data, effects, ledger } = await opened();
  effects.onReach = (point) => {
    if (point === 'ledger/intended/durable') rmSync(join(data, 'ledger/exports.jsonl'));
  };
  expect(await rejection(ledger.intend(INTENT))).toBeInstanceOf(StorageError);
  effects.onReach = () => undefined;
  expect(await rejection(ledger.intend(INTENT))).toBeInstanceOf(StorageError);
});

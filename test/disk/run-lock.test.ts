import { chmod, chown, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT, StorageError, TryLaterError } from '../../src/ground/errors.js';
import { lockHolder, RunLock } from '../../src/disk/run-lock.js';
import { child, dataFolder, filesBelow, MORNING, rejection, testEffects } from '../landing/support.js';
import { long } from '../support/tags.js';

const HOLD = `
const lock = await RunLock.take(data, 'dawnload run', effects);
console.log('held');
setInterval(() => undefined, 1_000);
`;
const TRY = `
try {
  const lock = await RunLock.take(data, 'dawnload backfill', effects);
  console.log('held');
  await lock.release();
} catch (error) { tell(error); }
`;

/** Starts three processes at once, waits until each has tried, and counts those that hold the lock. */
async function heldByHowMany(data: string): Promise<number> {
  const script = `
await RunLock.take(data, 'dawnload run', effects).then(() => console.log('held'), tell);
console.log('tried');
setInterval(() => undefined, 1_000);
`;
  const children = [1, 2, 3].map(() => child(data, script));
  await Promise.all(children.map((one) => one.said('tried')));
  for (const one of children) one.process.kill('SIGKILL');
  const outs = (await Promise.all(children.map(({ ended }) => ended))).map(({ out }) => out);
  expect(outs.filter((out) => out.includes('TryLaterError'))).toHaveLength(2);
  return outs.filter((out) => out.startsWith('held')).length;
}

describe('the run lock', () => {
  it('turns a second process away with the first one named, and is free once that was killed', async () => {
    const data = await dataFolder();
    const first = child(data, HOLD, { env: { DAWNLOAD_NOW: MORNING.toISOString() } });
    await first.said('held');
    const turnedAway = (): Promise<Error> =>
      rejection(RunLock.take(data, 'dawnload backfill', testEffects()));
    const error = await turnedAway();
    expect(error).toBeInstanceOf(TryLaterError);
    expect(error).toMatchObject({ exitCode: EXIT.tryLater });
    expect(error.message).toBe(
      `Another run (process ${String(first.process.pid)}, \`dawnload run\`, since 2026-11-21 07:05 KST) has the lock of ${data}.`,
    );
    // As if an earlier run had left this, or the process id had been given out again: it is not believed.
    const other = { pid: process.pid, command: 'dawnload run', since: MORNING };
    await writeFile(join(data, 'private/lock.json'), JSON.stringify(other));
    expect((await turnedAway()).message).toBe(
      `Another run (process ${String(first.process.pid)}) has the lock of ${data}.`,
    );
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await lockHolder(data)).toMatchObject({ pid: process.pid });
    await (await RunLock.take(data, 'dawnload backfill', testEffects())).release();
  });

  long(
    'is not taken twice within one process, by whatever path, and can be taken again after release',
    async () => {
      const data = await dataFolder();
      const lock = await RunLock.take(data, 'dawnload run', testEffects());
      await expect(RunLock.take(data, 'dawnload run', testEffects())).rejects.toThrow(TryLaterError);
      await expect(RunLock.take(`${data}/../data`, 'dawnload run', testEffects())).rejects.toThrow(
        TryLaterError,
      );
      // The failed attempts must not have let go of the kernel's lock.
      expect((await child(data, TRY).ended).out).toContain('TryLaterError');
      await lock.release();
      await lock.release();
      expect(await lockHolder(data)).toBeUndefined();
      expect((await child(data, TRY).ended).out).toBe('held\n');
      await (await RunLock.take(data, 'dawnload run', testEffects())).release();
    },
  );

  it('is free again when taking it fails half way', async () => {
    const data = await dataFolder();
    const effects = testEffects();
    effects.onReach = () => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    await expect(RunLock.take(data, 'dawnload run', effects)).rejects.toThrow('the disk is full');
    expect((await child(data, TRY).ended).out).toBe('held\n');
    await (await RunLock.take(data, 'dawnload run', testEffects())).release();
  });

  it('does not grow, leaves no other file, and is private', async () => {
    const data = await dataFolder();
    await mkdir(join(data, 'private'), { recursive: true, mode: 0o700 });
    await writeFile(join(data, 'private/.tmp-1-0'), 'half of a key, by a process that died');
    const sizes = new Set<number>();
    for (let i = 0; i < 5; i++) {
      await (await RunLock.take(data, 'dawnload run', testEffects())).release();
      sizes.add((await stat(join(data, 'private/lock.duckdb'))).size);
    }
    expect(sizes.size).toBe(1);
    expect(await filesBelow(data)).toEqual(['private/lock.duckdb']);
    expect((await stat(join(data, 'private/lock.duckdb'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(data, 'private'))).mode & 0o777).toBe(0o700);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['empty', (path) => truncate(path, 0)],
    ['cut short', (path) => truncate(path, 5_000)],
    ['of other bytes', (path) => writeFile(path, 'garbage'.repeat(5_000))],
    [
      'changed by one bit',
      async (path) => {
        const bytes = await readFile(path);
        bytes.writeUInt8(bytes.readUInt8(4_200) ^ 1, 4_200);
        await writeFile(path, bytes);
      },
    ],
  ])('mends its file when that is %s, and holds it then', async (_what, harm) => {
    const data = await dataFolder();
    const path = join(data, 'private/lock.duckdb');
    await (await RunLock.take(data, 'dawnload run', testEffects())).release();
    const { ino } = await stat(path);
    await harm(path);
    const lock = await RunLock.take(data, 'dawnload run', testEffects());
    // The same file: another one under the same name would be a second lock.
    expect((await stat(path)).ino).toBe(ino);
    await lock.assertHeld();
    await lock.release();
    expect(await filesBelow(data)).toEqual(['private/lock.duckdb']);
  });

  it('lets one process in when several find it damaged at once', async () => {
    const data = await dataFolder();
    await mkdir(join(data, 'private'), { recursive: true });
    await writeFile(join(data, 'private/lock.duckdb'), 'garbage');
    expect(await heldByHowMany(data)).toBe(1);
  });

  long('lets one process in when several start together', async () => {
    expect(await heldByHowMany(await dataFolder())).toBe(1);
  });

  it('turns its own process away too, by any path, until it is released, once or twice', async () => {
    const data = await dataFolder();
    const lock = await RunLock.take(data, 'dawnload run', testEffects());
    for (const path of [data, join(data, '..', basename(data))]) {
      const error = await rejection(RunLock.take(path, 'dawnload push', testEffects()));
      expect(error.message).toMatch(/^This process already has the lock of /);
    }
    await lock.release();
    await lock.release();
    const next = await RunLock.take(data, 'dawnload push', testEffects());
    await next.assertHeld();
    await lock.release();
    await next.assertHeld();
    expect((await rejection(RunLock.take(data, 'dawnload push', testEffects()))).message).toMatch(
      /^This process/,
    );
    await next.release();
  });

  it('notices when its file is taken away', async () => {
    const data = await dataFolder();
    const path = join(data, 'private/lock.duckdb');
    const lock = await RunLock.take(data, 'dawnload run', testEffects());
    await lock.assertHeld();
    await rename(path, `${path}.old`);
    await expect(lock.assertHeld()).rejects.toThrow(StorageError);
    await writeFile(path, '');
    await expect(lock.assertHeld()).rejects.toThrow('was removed or replaced');
    await rm(path);
    await rename(`${path}.old`, path);
    await lock.assertHeld();
    await lock.release();
    await expect(lock.assertHeld()).rejects.toThrow(StorageError);
  });

  it('says whose permission is missing when the data folder cannot be written', async () => {
    const data = await dataFolder();
    await mkdir(join(data, 'private'), { recursive: true });
    await chmod(dirname(data), 0o755);
    for (const folder of [join(data, 'private'), data]) await chmod(folder, 0o555);
    // Root may write anywhere, so the child becomes someone else.
    const become = process.getuid?.() === 0 ? 'process.setgid(65534); process.setuid(65534);' : '';
    const { out } = await child(data, become + TRY).ended;
    expect(JSON.parse(out)).toMatchObject({
      name: 'StorageError',
      message: expect.stringContaining('permission is denied') as string,
    });
    for (const folder of [data, join(data, 'private')]) await chmod(folder, 0o755);
  });

  it('says so when the lock belongs to another account', async () => {
    if (process.getuid?.() !== 0) return;
    const data = await dataFolder();
    await (await RunLock.take(data, 'dawnload run', testEffects())).release();
    for (const folder of [dirname(data), data, join(data, 'private')]) await chmod(folder, 0o755);
    await chown(join(data, 'private'), 65_534, 65_534);
    const { out } = await child(data, 'process.setgid(65534); process.setuid(65534);' + TRY).ended;
    expect(JSON.parse(out)).toMatchObject({ name: 'StorageError', hint: expect.any(String) as string });
  });
});

it.runIf(process.getuid?.() === 0)(
  'refuses root in the folder of another account, and leaves nothing',
  async () => {
    const folder = dirname(await dataFolder());
    const data = join(folder, 'other', 'data');
    await mkdir(dirname(data));
    await chown(dirname(data), 65_534, 65_534);
    await expect(RunLock.take(data, 'dawnload run', testEffects())).rejects.toThrow(
      /belongs to account 65534, which could not read/,
    );
    expect(await filesBelow(dirname(data))).toEqual([]);
    await chown(dirname(data), 0, 0);
    await (await RunLock.take(data, 'dawnload run', testEffects())).release();
  },
);

import { readdirSync } from 'node:fs';
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi, type MockInstance } from 'vitest';
import { StorageError } from '../../src/ground/errors.js';
import { DurableFolder, sweepTemporaries, FolderSync } from '../../src/disk/atomic-file.js';
import { hmacKey } from '../../src/warehouse/privacy.js';
import { storageError } from '../../src/disk/storage-error.js';
import { DURABLE_STEPS } from '../support/points.js';
import { dataFolder, filesBelow, rejection, testEffects } from '../landing/support.js';

/** Runs the work, which is told how many files and folders were fsynced so far. */
async function countingSyncs(
  work: (times: () => number, synced: MockInstance<FileHandle['sync']>) => Promise<void>,
) {
  const handle = await open(import.meta.dirname);
  const synced = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync');
  await handle.close();
  try {
    await work(() => synced.mock.calls.length, synced);
  } finally {
    synced.mockRestore();
  }
}

async function written() {
  const data = await dataFolder();
  const effects = testEffects();
  return { data, effects, disk: new DurableFolder(data, effects) };
}

describe('writing a whole file', () => {
  it('makes the folders above it, for the owner alone but for the data folder itself, and leaves nothing beside it', async () => {
    const { data, disk, effects } = await written();
    await disk.write(join(data, 'a/b/file'), 'body', 'witness');
    expect(await readFile(join(data, 'a/b/file'), 'utf8')).toBe('body');
    expect(await filesBelow(data)).toEqual(['a/b/file']);
    for (const folder of [join(data, 'a'), join(data, 'a/b')]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
    // The published warehouse lies in it, for readers of other accounts.
    await mkdir(`${data}-beside`);
    expect((await stat(data)).mode).toBe((await stat(`${data}-beside`)).mode);
    expect((await stat(join(data, 'a/b/file'))).mode & 0o777).toBe(0o600);
    expect(effects.passed).toEqual(DURABLE_STEPS.map((step) => `witness/${step}`));
  });

  it('lets several that start together make the same folders', async () => {
    const { data, effects } = await written();
    const disks = [1, 2, 3, 4].map(() => new DurableFolder(data, effects));
    await Promise.all(disks.map((disk, n) => disk.write(join(data, 'a/b', `${n}`), 'body', 'witness')));
    expect(await filesBelow(data)).toEqual(['a/b/0', 'a/b/1', 'a/b/2', 'a/b/3']);
  });

  it('follows a data folder that is a link to another disk, and leaves its mode alone', async () => {
    const { data } = await written();
    await mkdir(`${data}-elsewhere`, { mode: 0o755 });
    await chmod(`${data}-elsewhere`, 0o755);
    await symlink(`${data}-elsewhere`, data);
    await new DurableFolder(data, testEffects()).write(join(data, 'a/file'), 'body', 'witness');
    expect(await filesBelow(`${data}-elsewhere`)).toEqual(['a/file']);
    expect((await stat(data)).mode & 0o777).toBe(0o755);
  });

  it('writes what is half done where a sweep finds it without looking into every folder', async () => {
    const { data, disk, effects } = await written();
    let half: string[] = [];
    effects.onReach = (point) => {
      if (point === 'witness/before-rename') half = readdirSync(join(data, 'a')).sort();
    };
    await disk.write(join(data, 'a/b/c/file'), 'body', 'witness');
    expect(half).toEqual([expect.stringMatching(/^\.tmp-\d+-\d+$/), 'b']);
    expect(await filesBelow(data)).toEqual(['a/b/c/file']);
  });

  it('fsyncs the file before it has its name, and the folder afterwards', async () => {
    const { data, disk, effects } = await written();
    await disk.makeFolder(data);
    await countingSyncs(async (times) => {
      const at = new Map<string, number>();
      effects.onReach = (point) => at.set(point, times());
      await disk.write(join(data, 'file'), 'body', 'witness');
      expect([...at]).toEqual([
        ['witness/before-write', 0],
        ['witness/before-fsync', 0],
        ['witness/before-rename', 1],
        ['witness/before-folder-fsync', 1],
        ['witness/durable', 2],
      ]);
    });
  });

  it('keeps the older file, and no half of the new one, when it fails on the way', async () => {
    const { data, disk, effects } = await written();
    const path = join(data, 'file');
    await disk.write(path, 'old', 'witness');
    for (const step of ['before-write', 'before-fsync', 'before-rename']) {
      effects.onReach = (point) => {
        if (point === `witness/${step}`) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      };
      const error = await rejection(disk.write(path, 'new', 'witness'));
      expect(error).toBeInstanceOf(StorageError);
      expect(error.message).toBe(`Cannot write ${path}: the disk is full.`);
      expect(error.hint).toContain('Free some space');
      expect(await readFile(path, 'utf8')).toBe('old');
      expect(await readdir(data)).toEqual(['file']);
    }
  });

  it('says so when a file is where a folder is needed, and tries again once it is gone', async () => {
    const { data, disk } = await written();
    await mkdir(data);
    await writeFile(join(data, 'a'), '');
    const error = await rejection(disk.write(join(data, 'a/b/file'), 'body', 'witness'));
    expect(error).toBeInstanceOf(StorageError);
    expect(error.message).toContain('is where a folder is needed');
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the filesystem is read-only'],
    ['EFBIG', 'the file would be larger than this account may write'],
  ])('explains %s in words and says what to do', (code, words) => {
    const error = storageError('write', '/data/x', Object.assign(new Error(code), { code }));
    expect(error.message).toBe(`Cannot write /data/x: ${words}.`);
    expect(error.hint).toBeTruthy();
  });

  it('sweeps what a dead process left half written, and nothing else', async () => {
    const { data } = await written();
    const files = ['a/.tmp-1-0', 'a/.tmp-99999-12', 'a/.tmp-notes', 'a/page-00000.json.gz', 'b/.tmp-7-7'];
    for (const file of files) {
      await mkdir(dirname(join(data, file)), { recursive: true });
      await writeFile(join(data, file), '');
    }
    await sweepTemporaries(join(data, 'a'));
    expect(await filesBelow(data)).toEqual(['a/.tmp-notes', 'a/page-00000.json.gz', 'b/.tmp-7-7']);
    await sweepTemporaries(join(data, 'nowhere'));
  });
});

describe('appending', () => {
  it('resolves after an fsync of the line, and of the folder of a new file; a line that cannot be fsynced is taken back', async () => {
    const { data, effects } = await written();
    const path = join(data, 'lines');
    const folder = new DurableFolder(data, effects);
    await folder.makeFolder(data);
    await countingSyncs(async (times, synced) => {
      await folder.append(path, Buffer.from('one\n'), 'pushed', 0);
      expect(times()).toBe(2);
      await folder.append(path, Buffer.from('two\n'), 'pushed', 4);
      expect(times()).toBe(3);
      synced.mockRejectedValueOnce(new Error('The disk refuses.'));
      await expect(folder.append(path, Buffer.from('three\n'), 'pushed', 8)).rejects.toThrow(
        'The disk refuses.',
      );
      expect(times()).toBe(5);
      expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    });
  });
});

describe('many renames and one fsync of their folder', () => {
  it('whoever asks while one fsync is under way waits for the next one, together', async () => {
    const { data } = await written();
    await mkdir(data);
    const sync = new FolderSync();
    const first = sync.sync(data);
    await Promise.resolve();
    const others = [sync.sync(data), sync.sync(data), sync.sync(data)];
    expect(new Set(others).size).toBe(1);
    expect(others[0]).not.toBe(first);
    await Promise.all([first, ...others]);
    expect(sync.count).toBe(2);
    await sync.sync(data);
    expect(sync.count).toBe(3);
  });

  it('a folder that cannot be fsynced fails all who wait for it, and not those who come later', async () => {
    const { data } = await written();
    const sync = new FolderSync();
    const waiting = [sync.sync(data), sync.sync(data)];
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await mkdir(data);
    await sync.sync(data);
  });
});

describe('the key for recipients', () => {
  it('is made once, kept, and private', async () => {
    const { data, effects } = await written();
    const key = await hmacKey(data, effects);
    expect(key).toHaveLength(32);
    expect(await hmacKey(data, effects)).toEqual(key);
    expect((await stat(join(data, 'private/hmac.key'))).mode & 0o777).toBe(0o600);
  });

  it('is not made anew when the file is damaged: every hash would change', async () => {
    const { data, effects } = await written();
    await hmacKey(data, effects);
    await writeFile(join(data, 'private/hmac.key'), 'short');
    await expect(hmacKey(data, effects)).rejects.toThrow('is not a valid key');
  });
});

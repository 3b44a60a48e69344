/** Whether a data folder is the one that its witness saw: silent after what keeps its files, noticed after a copy. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../src/ground/effects.js';
import { doubtIn, type KnownHead } from '../../src/journal/doubt.js';
import { Journal, PROJECT } from '../../src/journal/journal.js';
import { dataFolder, testEffects } from '../landing/support.js';

const run = promisify(execFile);
const effects = testEffects();

/** A data folder that a command has used. */
async function used(): Promise<string> {
  const dataDir = await dataFolder();
  const journal = await Journal.open({ dataDir }, effects);
  await journal.append(PROJECT, { event: 'made', folder: 'f' });
  await journal.close();
  return dataDir;
}

/** The reason for a doubt about a folder; undefined if there is none. */
async function doubtAbout(dataDir: string, witness: 'file' | 'head' = 'file'): Promise<string | undefined> {
  const place = { dataDir, witness };
  return (await doubtIn(place, await Journal.read(place, effects), [], effects, true))?.why;
}

const NOTICED = /was copied or restored/;

describe('the same folder', () => {
  it.each([
    ['after nothing', async (data: string) => Promise.resolve(data)],
    [
      'after mv',
      async (data: string) => {
        await rename(data, `${data}-moved`);
        return `${data}-moved`;
      },
    ],
    [
      'after chmod and chown of all files, as fsGroup does it',
      async (data: string) => {
        await run('chmod', ['-R', 'g+rwX', data]);
        await run('chown', ['-R', `${process.getuid?.() ?? 0}`, data]);
        return data;
      },
    ],
    [
      'after the folder above it was renamed',
      async (data: string) => {
        await chmod(dirname(data), 0o755);
        const above = `${dirname(data)}-renamed`;
        await rename(dirname(data), above);
        const moved = join(above, 'data');
        await mkdir(dirname(data));
        await rename(moved, data);
        await rm(above, { recursive: true });
        return data;
      },
    ],
  ])('is silent %s', async (_, change) => {
    const data = await change(await used());
    expect(await doubtAbout(data)).toBeUndefined();
  });
});

describe('a copied folder', () => {
  const copies: readonly [string, (from: string, to: string) => Promise<unknown>][] = [
    ['cp -a', (from, to) => run('cp', ['-a', from, to])],
    [
      'tar',
      async (from, to) => {
        await mkdir(to);
        await run('sh', ['-c', `tar -C ${from} -cf - . | tar -C ${to} -xf -`]);
      },
    ],
    [
      'a copy over its own files in place',
      async (from, to) => {
        await run('cp', ['-a', from, to]);
        const journal = await Journal.open({ dataDir: to }, effects);
        await journal.close();
        // The inode stays, and what is written into it says another one, or another time of birth.
        const witness = join(to, 'private/witness.json');
        await writeFile(witness, await readFile(join(from, 'private/witness.json')));
      },
    ],
  ];
  it.each(copies)('is noticed after %s, in each twin, until a command has used it', async (_, copy) => {
    const data = await used();
    for (const twin of [`${data}-one`, `${data}-two`]) {
      await copy(data, twin);
      expect(await doubtAbout(twin)).toMatch(NOTICED);
      expect(await doubtAbout(twin, 'head')).toBeUndefined();
      await (await Journal.open({ dataDir: twin }, effects)).close();
      expect(await doubtAbout(twin)).toBeUndefined();
    }
    expect(await doubtAbout(data)).toBeUndefined();
  });

  it('is noticed by its birth time alone where the inode was used again', async () => {
    const data = await used();
    const path = join(data, 'private/witness.json');
    const witness = JSON.parse(await readFile(path, 'utf8')) as { file: FileIdentity };
    expect(Number(witness.file.born)).toBeGreaterThan(0);
    const before = { ...witness, file: { ...witness.file, born: '1' } };
    await writeFile(path, JSON.stringify(before));
    expect(await doubtAbout(data)).toMatch(NOTICED);
  });
});

it.each([
  ['a birth time', (nth: number) => ({ inode: '5', born: String(nth) }), { inode: '5', born: '0' }],
  ['an inode', (nth: number) => ({ inode: String(nth), born: '5' }), { inode: '0', born: '5' }],
  ['both', (nth: number) => ({ inode: String(nth), born: String(nth) }), { inode: '0', born: '0' }],
  ['neither', () => ({ inode: '5', born: '6' }), { inode: '5', born: '6' }],
])('takes no evidence from what a file system makes up whenever it is asked: %s', async (_, of, evidence) => {
  const dataDir = await dataFolder();
  let nth = 7;
  const forgetful = { ...effects, identify: () => Promise.resolve(of(nth++)) };
  const journal = await Journal.open({ dataDir }, forgetful);
  await journal.append(PROJECT, { event: 'made', folder: 'f' });
  await journal.close();
  const { file } = JSON.parse(await readFile(join(dataDir, 'private/witness.json'), 'utf8')) as {
    file: FileIdentity;
  };
  expect(file).toEqual(evidence);
  expect(await doubtIn({ dataDir }, journal, [], forgetful, true)).toBeUndefined();
  await rm(join(dataDir, 'private/witness.json'));
  expect((await doubtIn({ dataDir }, journal, [], forgetful, true))?.why).toMatch(/witness\.json is missing/);
});

it('may be missing in a folder that is new, and in no other', async () => {
  const dataDir = await dataFolder();
  const journal = await Journal.open({ dataDir }, effects);
  const why = async (holds: boolean, ...heads: KnownHead[]): Promise<string | undefined> =>
    (await doubtIn({ dataDir }, journal, heads, effects, holds))?.why;
  expect(await why(false)).toBeUndefined();
  await journal.append(PROJECT, { event: 'made', folder: 'f' });
  expect(await why(false)).toBeUndefined();
  expect(await why(true)).toMatch(/witness\.json is missing/);
  expect(await why(false, { ...journal.head, place: 'a manifest' })).toMatch(/witness\.json is missing/);
  await journal.append(PROJECT, { event: 'made', folder: 'f' });
  expect(await why(false)).toMatch(/witness\.json is missing/);
});

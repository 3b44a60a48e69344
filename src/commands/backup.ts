/**
 * `dawnload backup FOLDER`: copies everything that a restore needs, under the lock, and verifies the copy. The witness is left out, so that
 * the copy counts as restored and pays for nothing until you agree.
 */
import { createHash } from 'node:crypto';
import { constants, createReadStream, existsSync, lstatSync } from 'node:fs';
import { copyFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { Pending } from '../erasure/erase.js';
import {
  DamageError,
  DawnloadError,
  EXIT,
  RefusedError,
  StorageError,
  UsageError,
} from '../ground/errors.js';
import { Journal } from '../journal/journal.js';
import { DurableFolder, fsync, fsyncFolder } from '../disk/atomic-file.js';
import { dataFiles } from '../disk/paths.js';
import { namesIn, nearestExisting, orStorageError } from '../disk/storage-error.js';
import { DataFolder } from '../night/data-folder.js';
import { landedDamage } from '../operations/landed.js';
import { formatBytes, plural } from '../terminal/terminal.js';
import { KEY_BYTES, storedKey } from '../warehouse/privacy.js';
import { readEveryBlock } from '../warehouse/reader.js';
import type { Command, JsonOptions } from './shared.js';

export const backupCommand: Command<JsonOptions, [string]> = async ({ json }, invocation, target) => {
  const { terminal } = invocation;
  const { folder, files, bytes, damaged } = await backUp(target, invocation.loadConfig(), invocation);
  if (json === true) terminal.out(JSON.stringify({ folder, files, bytes, damaged }));
  for (const sentence of damaged) terminal.warn(sentence);
  terminal.note(
    `Backed up ${plural(files, 'file')} (${formatBytes(bytes)}) to ${folder}, and verified them.`,
  );
  if (damaged.length > 0)
    terminal.warn(
      `The backup has ${plural(damaged.length, 'file')} that are already damaged in the data folder. See \`dawnload doctor --deep\`.`,
    );
  return damaged.length > 0 ? EXIT.incomplete : EXIT.done;
};

/** The published file is included because only it has the results for days whose pages retention removed. */
const COPIED = ['ledger', 'landing', 'private/hmac.key', 'private/receipts', 'warehouse.duckdb'];

/** Files in these folders that no command reads again, so they are not copied. */
const LEFT_OUT = /^(?:\.tmp-|journal\.reserve$)/;

/**
 * Copies the data folder into a new folder, and verifies every byte. The folder gets its name when it is complete. Returns its path, the
 * numbers of files and bytes, and a sentence about each damage, which the data folder and its copy have in common.
 *
 * @throws UsageError if the target is not empty, or is inside the data folder
 * @throws RefusedError before the first run has ended, and during an erasure, whose record has plain-text ids
 * @throws DamageError if a copy differs from its file, StorageError if writing fails; nothing is left then
 */
async function backUp(target: string, config: Config, invocation: Invocation) {
  const folder = await realPath(target);
  const dataDir = await realPath(config.dataDir);
  if (folder === dataDir || folder.startsWith(dataDir + sep))
    throw new UsageError(`${folder} is in the data folder.`, {
      hint: 'Name a folder elsewhere, ideally on another disk.',
    });
  const there = existsSync(folder) && (await orStorageError('read', folder, () => stat(folder)));
  if (there && (!there.isDirectory() || (await namesIn(folder)).length > 0))
    throw new UsageError(`${folder} is ${there.isDirectory() ? 'not empty' : 'a file'}.`, {
      hint: 'Name a new folder, such as one with the date.',
    });
  if (there && (await stat(folder)).dev !== (await stat(dirname(folder))).dev)
    throw new UsageError(`${folder} is a whole disk; a backup needs a folder of its own.`, {
      hint: `Name a folder on it, such as ${join(folder, 'dawnload')}.`,
    });
  if (!existsSync(dataDir))
    throw new UsageError(`The data folder ${dataDir} does not exist.`, {
      hint: 'Correct data_dir, or give --data-dir.',
    });
  await using opened = await DataFolder.open(config, invocation, { command: 'backup', needs: 'nothing' });
  if ((await new Pending(config.dataDir, invocation.effects).read()) !== undefined)
    throw new RefusedError('An erasure is unfinished. A backup would copy its record, which has plain ids.', {
      hint: '`dawnload forget` completes it. Then back up again.',
    });
  // Without a recorded run, a restored copy would look like a new folder and pay again.
  if (opened.journal.head.seq <= 1)
    throw new RefusedError(`No run has ended in ${dataDir} yet, so its backup would be empty.`, {
      hint: 'Run `dawnload run` first.',
    });
  // Only a backup that was killed leaves a folder with this name, so it may be removed.
  const partial = join(dirname(folder), `.${basename(folder)}.dawnload-backup`);
  try {
    await orStorageError('clean up', partial, () => rm(partial, { recursive: true, force: true }));
    const copied = await copyAll(dataDir, partial, invocation);
    const damaged = await damageIn(config, partial, invocation);
    const head = (await Journal.read({ dataDir: partial }, invocation.effects)).head;
    if (head.sum !== opened.journal.head.sum) throw differs(join(partial, 'ledger'));
    await orStorageError('rename', folder, () => rename(partial, folder));
    await orStorageError('write', folder, () => fsyncFolder(dirname(folder)));
    return { folder, ...copied, damaged };
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (!(error instanceof StorageError) || error.path?.startsWith(partial) !== true) throw error;
    throw new StorageError(error.message, {
      hint: 'No backup was made. Name a folder that this account may write, on a disk with enough space.',
      cause: error.cause,
    });
  }
}

/** Resolves links, even if the path does not exist yet. */
async function realPath(path: string): Promise<string> {
  const whole = resolve(path);
  const there = nearestExisting(whole);
  return join(await orStorageError('read', there, () => realpath(there)), relative(there, whole));
}

async function copyAll(dataDir: string, to: string, { signal, terminal, effects }: Invocation) {
  const disk = new DurableFolder(dirname(to), effects);
  const folders = new Set<string>();
  let [files, bytes] = [0, 0];
  await disk.makeFolder(to);
  for (const name of COPIED.filter((one) => lstatSync(join(dataDir, one), { throwIfNoEntry: false })))
    for (const from of await filesAt(join(dataDir, name))) {
      signal.throwIfAborted();
      const copy = join(to, relative(dataDir, from));
      terminal.progress(`copying ${relative(dataDir, from)}`);
      await disk.makeFolder(dirname(copy));
      await orStorageError('write', copy, async () => {
        await copyFile(from, copy, constants.COPYFILE_FICLONE);
        await fsync(copy);
      });
      folders.add(dirname(copy));
      if ((await hashOf(from)) !== (await hashOf(copy))) throw differs(copy);
      files++;
      bytes += (await stat(copy)).size;
    }
  for (const one of folders) await orStorageError('write', one, () => fsyncFolder(one));
  return { files, bytes };
}

const differs = (copy: string): DamageError =>
  new DamageError(`${copy} differs from what was copied.`, {
    hint: 'Check the backup disk, or use another one. No backup was made.',
  });

/** Lists the files at a path, following links. A broken or circular link is an error, because a file would be missing. */
async function filesAt(path: string): Promise<string[]> {
  const stats = await orStorageError('read', path, () => stat(path));
  if (!stats.isDirectory()) return stats.isFile() && !LEFT_OUT.test(basename(path)) ? [path] : [];
  const names = await orStorageError('list', path, () => readdir(path));
  return (await Promise.all(names.sort().map((name) => filesAt(join(path, name))))).flat();
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  return orStorageError('read', path, async () => {
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 20 });
    for await (const chunk of chunks) hash.update(chunk);
    return hash.digest('hex');
  });
}

/** Returns sentences about damaged or missing files in the data folder, and so in the copy. */
async function damageIn(config: Config, copy: string, { effects }: Invocation): Promise<string[]> {
  const { damage } = await landedDamage(config, effects);
  const sentences = damage.map(({ message }) => message);
  const { published } = dataFiles(copy);
  if (existsSync(published))
    await readEveryBlock(published).catch((error: unknown) => {
      if (!(error instanceof DawnloadError)) throw error;
      sentences.push(error.message);
    });
  if ((await storedKey(copy)).length !== KEY_BYTES)
    sentences.push(
      `${join(copy, 'private', 'hmac.key')} is missing or damaged: docs/recovery.md, A lost key.`,
    );
  return sentences.map((sentence) => sentence.replaceAll(copy, config.dataDir));
}

/** Writes the files of a new installation: all of them or none, and nothing that is there is lost. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  closeSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, StorageError } from '../errors.js';

export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** The exact mode, whatever the umask; undefined leaves it to the umask. */
  readonly mode: number | undefined;
}

/**
 * Writes the files; one that is there is kept beside it under a name that ends with `.bak`. Returns those names.
 *
 * @throws StorageError; then every file is as it was
 */
export function writeFiles(files: readonly NewFile[]): string[] {
  const next = ({ path }: NewFile): string => `${path}.new-${process.pid}`;
  const kept: string[] = [];
  let current = '';
  try {
    for (const file of files) {
      current = file.path;
      writeWhole(next(file), file);
    }
    for (const file of files) {
      current = file.path;
      if (existsSync(file.path)) kept.push(keep(file));
    }
    for (const file of files) {
      current = file.path;
      renameSync(next(file), file.path);
    }
    return kept;
  } catch (cause) {
    for (const file of files) rmSync(next(file), { force: true });
    throw cannotWrite(current, cause);
  }
}

/**
 * Makes sure that the folder takes files, before anybody is asked anything.
 *
 * @throws StorageError
 */
export function assertWritable(folder: string): void {
  const probe = join(folder, `.dawnload-${process.pid}`);
  try {
    // Asking for permission is not enough: /proc gives it to root, and takes no file.
    closeSync(openSync(probe, 'wx'));
    rmSync(probe);
  } catch (cause) {
    throw cannotWrite(folder, cause);
  }
}

function writeWhole(path: string, { text, mode }: NewFile): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', mode ?? 0o666);
  try {
    if (mode !== undefined) chmodSync(path, mode);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function keep({ path, mode }: NewFile): string {
  for (let n = 1; ; n++) {
    const copy = n === 1 ? `${path}.bak` : `${path}.bak${n}`;
    if (existsSync(copy)) continue;
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    if (mode !== undefined) chmodSync(copy, mode);
    return copy;
  }
}

function cannotWrite(path: string, cause: unknown): StorageError {
  const code = codeOf(cause) ?? 'unknown';
  const remedy = /^(ENOSPC|EDQUOT)$/.test(code)
    ? 'Free some disk space.'
    : 'Choose a folder that exists and that you may write to.';
  return new StorageError(`${path} cannot be written (${code}).`, {
    hint: `${remedy} Nothing was changed.`,
    cause,
  });
}

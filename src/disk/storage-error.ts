/** Converts failed file operations to errors with a cause and a remedy. */
import { constants, existsSync, mkdtempSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf, DamageError, DawnloadError, messageOf, StorageError } from '../ground/errors.js';
import { dataFiles, foldersOf } from './paths.js';

const KEPT = 'Landed data is kept, and the next run continues from there.';

const SENTENCES: Readonly<Record<string, readonly [clause: string, hint: string]>> = {
  ENOSPC: ['the disk is full', `Free some space. ${KEPT}`],
  EDQUOT: ['the disk quota is used up', `Free some space or raise the quota. ${KEPT}`],
  EFBIG: [
    'the file would be larger than this account may write',
    `Raise the file size limit (ulimit -f). ${KEPT}`,
  ],
  EACCES: [
    'permission is denied',
    'Give the account that runs dawnload read and write access to the data folder.',
  ],
  EPERM: [
    'the operation is not permitted',
    'Make the account that runs dawnload the owner of the data folder.',
  ],
  EROFS: ['the filesystem is read-only', 'Mount it writable, or choose another data_dir.'],
  ENOENT: [
    'the file or its folder does not exist',
    'Check whether the data folder was moved or removed, then run again.',
  ],
  ENOTDIR: ['a file is where a folder is needed', 'Move that file away, or choose another data_dir.'],
  EEXIST: [
    'a file, or a link that leads nowhere, is where a folder is needed',
    'Move it away, or choose another data_dir.',
  ],
  EISDIR: ['a folder is where a file is needed', 'Move that folder away, or choose another data_dir.'],
  ENAMETOOLONG: ['the path is too long', 'Choose a data_dir with a shorter path.'],
  ELOOP: ['its links lead in a circle', 'Remove the links, or choose another data_dir.'],
  EMFILE: ['too many files are open', 'Raise the limit of open files (ulimit -n).'],
  ENFILE: [
    'too many files are open on this machine',
    'Close other programs, or raise the limit of open files.',
  ],
  EIO: ['the disk reports an error', 'Check the disk and the system log before running again.'],
};

export function clauseOf(cause: unknown): string {
  return SENTENCES[codeOf(cause) ?? '']?.[0] ?? messageOf(cause);
}

/** Returns the error for a failed operation: `Cannot <doing> <path>: <why>.`; a `DawnloadError` is returned unchanged. */
export function storageError(doing: string, path: string, cause: unknown): DawnloadError {
  if (cause instanceof DawnloadError) return cause;
  const code = codeOf(cause) ?? '';
  const [clause, hint] = SENTENCES[code] ?? [messageOf(cause), 'See the cause with --verbose.'];
  return new StorageError(`Cannot ${doing} ${path}: ${clause}.`, { hint, cause }, path);
}

/**
 * Makes a folder for temporary files.
 *
 * @throws StorageError, for example if the file system of a container is read-only
 */
export function makeTemporary(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), name));
  } catch (cause) {
    throw new StorageError(`Temporary files cannot be written to ${tmpdir()}: ${clauseOf(cause)}.`, {
      hint: 'Set TMPDIR to a folder that can be written, or mount one there (`docker run --tmpfs /tmp`, an emptyDir in Kubernetes).',
      cause,
    });
  }
}

export function openElsewhere(published: string, cause: unknown): StorageError {
  return new StorageError(`${published} is open for writing in another program.`, {
    hint: 'Close it there, or open it read-only (`duckdb -readonly`), then run again. Loaded data is kept.',
    cause,
  });
}

/** Returns the error for a damaged landed file; `what` ends the sentence "The landed file … ". */
export function damaged(file: string, what: string, cause?: unknown): DamageError {
  return new DamageError(`The landed file ${file} ${what}.`, {
    hint:
      'Restore it from a backup. Without a backup, `dawnload exports resume KEY` downloads a page of an export again at no ' +
      'cost. For a free stream, remove its folder, then run `dawnload backfill` for its days.',
    cause,
  });
}

export function unreadable(file: string, cause: unknown): DawnloadError {
  const what = { ENOENT: 'is missing', EISDIR: 'is a folder' }[codeOf(cause) ?? ''];
  return what === undefined ? storageError('read', file, cause) : damaged(file, what, cause);
}

export function isFull(error: unknown): boolean {
  const code = codeOf(error instanceof StorageError ? error.cause : error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export async function orStorageError<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw storageError(doing, path, cause);
  }
}

/** Returns the bytes of a file; undefined if the file does not exist. Throws `StorageError`. */
export function readIfThere(path: string): Promise<Buffer | undefined> {
  return orStorageError('read', path, () => readFile(path).catch(unless('ENOENT', undefined)));
}

/** Returns the names in a folder; an empty list if it does not exist or is not a folder. Throws `StorageError`. */
export function namesIn(folder: string, how: { readonly recursive?: true } = {}): Promise<string[]> {
  return orStorageError('list', folder, () => readdir(folder, how).catch(unless('ENOENT ENOTDIR', [])));
}

export function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

export function unless<T>(codes: string, otherwise: T): (error: unknown) => T {
  return (error) => {
    if (codes.split(' ').includes(codeOf(error) ?? '')) return otherwise;
    throw error;
  };
}

/** Resolves with undefined, and calls `tell`, if a landed file is damaged. */
export async function unlessDamaged<T>(
  reading: Promise<T>,
  tell: (error: DamageError) => void = () => undefined,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    tell(error);
    return undefined;
  }
}

/**
 * Finds the first folder or file of a run that this account cannot write; returns the reason and the remedy as sentences, or undefined if
 * all can be written.
 */
export async function unwritable({
  dataDir,
  ledgerCopy = dataDir,
}: {
  readonly dataDir: string;
  readonly ledgerCopy?: string | undefined;
}): Promise<{ reason: string; remedy: string } | undefined> {
  const { working, published, journal } = dataFiles(dataDir);
  const folders = [nearestExisting(dataDir), ...Object.values(foldersOf(dataDir))];
  for (const path of [...folders, journal, working, published, nearestExisting(ledgerCopy)]) {
    if (!existsSync(path)) continue;
    try {
      await access(path, constants.W_OK);
    } catch (cause) {
      return {
        reason: `${path} cannot be written: ${clauseOf(cause)}.`,
        remedy:
          'Mount it writable, give it to the account that runs dawnload (chown -R), or correct data_dir and ledger_copy.',
      };
    }
  }
  return undefined;
}

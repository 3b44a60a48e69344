/** Reads files that the user names. */
import { readFileSync, statSync } from 'node:fs';
import { codeOf, messageOf, UsageError } from './errors.js';

/** Codes of errors that say that a path is no file; Node has the first one only for folders. */
export const NO_FILE = { folder: 'EISDIR', other: 'ENOTFILE' } as const;

/** The bytes of a regular file. A pipe would wait for its writer for ever, and a device may never end. */
export function readGiven(file: string): Buffer {
  const found = statSync(file);
  if (found.isFile()) return readFileSync(file);
  const kind = found.isDirectory()
    ? 'folder'
    : found.isFIFO()
      ? 'pipe'
      : found.isSocket()
        ? 'socket'
        : 'device';
  const code = kind === 'folder' ? NO_FILE.folder : NO_FILE.other;
  throw Object.assign(new Error(`it is a ${kind}, not a file`), { code });
}

/**
 * The text of a file that an option names.
 *
 * @throws UsageError with the hint, if it cannot be read
 */
export function textGiven(file: string, hint: string): string {
  try {
    return readGiven(file).toString('utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${whyUnread(cause)}).`, { hint, cause });
  }
}

/** Why a file could not be read, as a clause. */
export function whyUnread(cause: unknown): string {
  const code = codeOf(cause) ?? '';
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'ENOTDIR') return 'it is not a folder';
  if (code === 'EACCES') return 'permission is denied';
  return code === NO_FILE.folder || code === NO_FILE.other || code === '' ? messageOf(cause) : code;
}

/**
 * Writes an answer or a page to stdout, at the pace of its reader, or to a file, completely or not at all. Never overwrites files of the
 * job.
 */
import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Writable, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, DawnloadError, messageOf, StorageError, UsageError } from '../../ground/errors.js';
import { clauseOf } from '../../disk/storage-error.js';

/** Pieces of text or bytes, produced on demand. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/** Writes the pieces and leaves the stream open. If the reader closes its end early (`| head`), that is not a failure. */
export async function writeTo(stream: Writable, pieces: Pieces): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), stream, { end: false });
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
  }
}

/**
 * Lets `write` create a temporary file next to `file`, and renames it when it is complete.
 *
 * @throws StorageError if the file cannot be written
 */
export async function writeFileWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  // A pipe or device (/dev/stdout) must not be replaced by a file. Links are resolved, so that they stay.
  const target = isSpecial(file) ? undefined : realPlace(file);
  const partial = target === undefined ? file : `${target}.partial`;
  try {
    if (target !== undefined) await rm(partial, { force: true });
    await write(partial);
    if (target !== undefined) await rename(partial, target);
  } catch (cause) {
    if (target !== undefined) await rm(partial, { force: true }).catch(() => undefined);
    const isOfFile = codeOf(cause) !== undefined || messageOf(cause).startsWith('IO Error');
    if (cause instanceof DawnloadError || !isOfFile) throw cause;
    throw new StorageError(`${file} cannot be written: ${clauseOf(cause)}.`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}

function isSpecial(file: string): boolean {
  if (/^\/(?:dev(?!\/shm\/)|proc)\//.test(resolve(file))) return true;
  // Ignore errors here, such as a name that is too long. Writing the file reports them.
  return attempted(() => !statSync(file).isFile()) ?? false;
}

/** Returns the result of inspecting a file; undefined if that fails. */
function attempted<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The path of a file that may not exist yet, with all links resolved, including links to missing files. */
export function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(file) === file) return file;
  }
  const folder = realPlace(dirname(file));
  const place = join(folder, basename(file));
  const link = attempted(() => readlinkSync(place));
  return link === undefined ? place : realPlace(resolve(folder, link));
}

/**
 * Checks the path of an output file. Refuses paths inside the data folder (also behind its links to other disks), where the output could
 * overwrite the warehouse, the ledger or landed files. Also refuses settings files.
 *
 * @throws UsageError
 */
export function outsideOf(
  { dataDir, file = 'dawnload.yaml' }: { readonly dataDir: string; readonly file: string | undefined },
  output: string,
): string {
  const place = realPlace(output);
  if ([file, join(dirname(file), '.env')].some((settings) => realPlace(resolve(settings)) === place))
    throw new UsageError(`${output} is a settings file, so it is not overwritten.`, {
      hint: 'Choose another place for --output.',
    });
  const isWithin = (folder: string): boolean => place === folder || place.startsWith(`${folder}${sep}`);
  if (placesOf(dataDir).some(isWithin))
    throw new UsageError(`${output} is inside the data folder, where only the job may write.`, {
      hint: 'Choose another place for --output.',
    });
  const folder = dirname(resolve(output));
  if (!existsSync(folder))
    throw new UsageError(`${output} cannot be written, because the folder ${folder} does not exist.`, {
      hint: 'Make the folder, or choose another place for --output.',
    });
  return output;
}

/** The real paths of the data folder, of its entries, and of the entries in its subfolders: databases, ledger, streams. */
function placesOf(dataDir: string): string[] {
  const within = (folder: string): string[] =>
    (attempted(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
  const top = within(dataDir);
  return [...new Set([dataDir, ...top, ...top.flatMap(within)].map(realPlace))];
}

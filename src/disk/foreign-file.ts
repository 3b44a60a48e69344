/**
 * Reads untrusted files: only regular files, without following links, copied up to a maximum size, texts as UTF-8. An `Unusable` error
 * gives the reason why a file cannot be used.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { codeOf, DawnloadError } from '../ground/errors.js';
import { isEucKr } from '../ground/text.js';
import { whyUnread } from '../config/files.js';
import { FILE_MODE } from './atomic-file.js';
import { storageError } from './storage-error.js';

/** The reason why a file cannot be used, as a clause, and the setting of its table that may be wrong. */
export class Unusable extends Error {
  readonly setting: 'largest' | 'encoding' | undefined;

  constructor(why: string, { setting, cause }: { setting?: Unusable['setting']; cause?: unknown } = {}) {
    super(why, { cause });
    this.setting = setting;
  }
}

/** Opens a regular file only. A pipe would wait for its writer, and a link may point to any file of this machine. */
export async function openForeign(file: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((cause: unknown) => {
    const why = codeOf(cause) === 'ELOOP' ? 'it is a link; name the file itself' : whyUnread(cause);
    throw new Unusable(`${file} cannot be read (${why})`, { cause });
  });
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  const kind = stats.isDirectory() ? 'folder' : stats.isFIFO() ? 'pipe' : 'device';
  throw new Unusable(`${file} is a ${kind}, not a file`);
}

export const moreThan = (most: number): Unusable =>
  new Unusable(`it has more than ${Math.floor(most / 2 ** 20)} MiB`, { setting: 'largest' });

type Encoding = 'utf-8' | 'euc-kr';

/**
 * Copies bytes to a new file; text is converted to UTF-8 without a byte order mark. Resolves with the number of bytes.
 *
 * @param encoding the encoding of a text; undefined for other bytes
 * @throws Unusable after `most` bytes, and for a text in another encoding; StorageError if the copy cannot be written
 */
export async function copyForeign(
  bytes: AsyncIterable<Buffer>,
  to: string,
  most: number,
  encoding: Encoding | undefined,
): Promise<number> {
  const decoder = encoding && new TextDecoder(encoding, { fatal: true });
  const copy = await open(to, 'wx', FILE_MODE);
  let size = 0;
  let before: Buffer = Buffer.alloc(0);
  const write = async (piece?: Buffer): Promise<void> => {
    const text = decoder === undefined ? (piece ?? '') : decode(decoder, before, piece);
    if (typeof text === 'string' && text.includes('\0'))
      throw new Unusable('it has characters that no text has (NUL), as UTF-16 would');
    await copy.appendFile(text).catch((cause: unknown) => {
      throw storageError('write', to, cause);
    });
  };
  try {
    for await (const piece of bytes) {
      size += piece.length;
      if (size > most) throw moreThan(most);
      await write(piece);
      before = piece;
    }
    await write();
    return size;
  } catch (error) {
    if (error instanceof DawnloadError || error instanceof Unusable) throw error;
    throw new Unusable(`it could not be read to its end (${whyUnread(error)})`, { cause: error });
  } finally {
    await copy.close();
  }
}

function decode(decoder: TextDecoder, before: Buffer, piece?: Buffer): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (cause) {
    const bytes = piece === undefined ? before : Buffer.concat([before, piece]);
    const isOther = decoder.encoding === 'utf-8' && isEucKr(bytes);
    throw new Unusable(isOther ? 'it is in EUC-KR' : `it is not in ${decoder.encoding.toUpperCase()}`, {
      ...(isOther || decoder.encoding === 'euc-kr' ? { setting: 'encoding' as const } : {}),
      cause,
    });
  }
}

/** Reads the column names and the separator from the first line of a CSV file, because DuckDB's own guess may skip lines. */
export async function csvHeader(
  file: string,
): Promise<{ readonly names: string[]; readonly delimiter: string }> {
  const handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(2 ** 18), position: 0 });
  await handle.close();
  const text = buffer.toString('utf8', 0, bytesRead);
  const record = /^(?:[^"\r\n]|"(?:[^"]|"")*")*/.exec(text)?.[0] ?? '';
  const bare = record.replaceAll(/"(?:[^"]|"")*"/g, '');
  const times = (one: string): number => bare.split(one).length;
  const delimiter = [',', '\t', ';', '|'].sort((a, b) => times(b) - times(a))[0] ?? ',';
  const name = new RegExp(`\\${delimiter}(?:"((?:[^"]|"")*)"|([^\\${delimiter}]*))`, 'g');
  const fields = [...`${delimiter}${record}`.matchAll(name)];
  return {
    names: fields.map(([, text = '', plain = text]) => plain.replaceAll('""', '"').trim()),
    delimiter,
  };
}

/**
 * Reads the body of an answer, decoded, up to a limit; a small gzip can expand to hundreds of MB. A large body never is in
 * memory: it flows into a compressed file while its outside is read.
 */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Body } from '../ground/envelope.js';
import { LARGE, OutsideReader } from '../ground/large-body.js';
import { sizeInWords } from '../ground/text.js';

/** Where large bodies are stored. */
export interface Spool {
  /** Stores a text as a gzip file, and resolves with its path. Throws `StorageError`, and any error of the text. */
  store(text: AsyncIterable<Buffer>): Promise<string>;
  /** Removes a file if it is still in its place. */
  discard(file: string): Promise<void>;
}

/** The limit of a body in bytes, and the setting that raises it; bodies over 64 MiB need a spool, or memory. */
export interface Room {
  readonly most: number;
  readonly setting?: string | undefined;
  readonly spool?: Spool | undefined;
}

/** An HTTP answer with its body decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly body: Body;
}

/** The body is larger than the limit. */
export class TooLarge extends Error {
  /** @param length the size that the service announces, if it does */
  constructor({ most, setting }: Room, length?: number) {
    const size = length === undefined ? 'an answer that is' : `an answer of ${sizeInWords(length)},`;
    const remedy = setting === undefined ? '' : `; raise ${setting}`;
    super(`${size} larger than the limit of ${sizeInWords(most)}${remedy}`);
  }
}

/**
 * Returns the whole decoded body.
 *
 * @param chunks gets the pieces as they come, also of a body that breaks off; of a large body, it keeps the first
 * @throws TooLarge as soon as the body exceeds the limit
 * @throws StorageError
 */
export async function readBody(
  body: Readable,
  headers: { readonly encoding: string | undefined; readonly length: string | undefined },
  room: Room,
  chunks: Buffer[],
): Promise<Body> {
  const decoder = /^\s*(?:x-)?gzip\s*$/i.test(headers.encoding ?? '') ? createGunzip() : undefined;
  const source = decoder === undefined ? body : body.pipe(decoder);
  if (decoder !== undefined) body.on('error', (error) => decoder.destroy(error));
  const announced = decoder === undefined ? Number(headers.length ?? 0) : 0;
  try {
    if (announced > room.most) throw new TooLarge(room, announced);
    const pieces = limited(source, room);
    let length = 0;
    // No `for await`: leaving it would close the source, whose rest is read below.
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      chunks.push(next.value);
      length += next.value.length;
      if (room.spool !== undefined && length > LARGE) return await spooled(chunks, pieces, room.spool);
    }
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
  } finally {
    body.destroy();
  }
}

async function* limited(source: AsyncIterable<unknown>, room: Room): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of source) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    length += bytes.length;
    if (length > room.most) throw new TooLarge(room);
    yield bytes;
  }
}

async function spooled(chunks: Buffer[], rest: AsyncIterable<Buffer>, spool: Spool): Promise<Body> {
  const outside = new OutsideReader();
  async function* text(): AsyncGenerator<Buffer> {
    const held = chunks.splice(1);
    for (let chunk = chunks[0]; chunk !== undefined; chunk = held.shift()) {
      outside.push(chunk);
      yield chunk;
    }
    for await (const chunk of rest) {
      outside.push(chunk);
      yield chunk;
    }
  }
  const file = await spool.store(text());
  return outside.end(file);
}

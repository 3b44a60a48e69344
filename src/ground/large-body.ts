/**
 * A body too large for memory, stored as a gzip file in the landing zone. One pass reads everything except the list; a second pass streams
 * the list's elements.
 */
import { createHash, type Hash } from 'node:crypto';
import { EnvelopeScanner, type LargeBody, type Listener, type Part } from './envelope.js';

/** From this decoded size in bytes, a body is not kept in memory. */
export const LARGE = 64 * 1024 * 1024;

/** Maximum size of a value in the outside; and the size of the outside above which no more values are added. */
const MOST_OF_VALUE = 64 * 1024;
const MOST_OF_OUTSIDE = 8 * 1024 * 1024;

/** Number of bytes kept of a text that is not JSON. */
const BEGINNING = 1024 * 1024;

export class OutsideReader {
  readonly #scanner: EnvelopeScanner;
  readonly #parts = new Map<string, Part>();
  readonly #beginning: Buffer[] = [];
  readonly #outside: Buffer[] = [];
  #size = 0;
  #length = 0;
  #piece: Buffer = Buffer.alloc(0);
  /** The value being read: how much has been read, its hash, and its bytes unless there are too many. */
  #value: { from: number; hash: Hash; bytes: Buffer[] | undefined; opening: number } | undefined;

  constructor() {
    const listener: Listener = {
      partBegins: (_, at) => {
        const opening = this.#piece[at - this.#length] ?? 0;
        this.#value = { from: at, hash: createHash('sha256'), bytes: [], opening };
      },
      partEnds: (key, part) => {
        this.#read(part.end);
        if (key !== undefined) this.#keep(key, part);
        this.#value = undefined;
      },
    };
    this.#scanner = new EnvelopeScanner(listener);
  }

  get length(): number {
    return this.#length;
  }

  push(piece: Buffer): void {
    if (this.#length < BEGINNING) this.#beginning.push(Buffer.from(piece.subarray(0, BEGINNING)));
    this.#piece = piece;
    if (!this.#scanner.hasFailed) this.#scanner.push(piece);
    this.#read(this.#length + piece.length);
    this.#length += piece.length;
  }

  end(file: string): LargeBody {
    const envelope = this.#scanner.end();
    const { length } = this;
    if (envelope === undefined) return { length, outside: Buffer.concat(this.#beginning), envelope, file };
    if (envelope.kind === 'array') return { length, outside: Buffer.from('[]'), envelope, file };
    const outside = Buffer.concat([Buffer.from('{'), ...this.#outside, Buffer.from('}')]);
    return { length, outside, envelope: { ...envelope, parts: this.#parts }, file };
  }

  #read(end: number): void {
    const value = this.#value;
    if (value === undefined) return;
    const bytes = this.#piece.subarray(value.from - this.#length, end - this.#length);
    value.from = end;
    value.hash.update(bytes);
    value.bytes?.push(bytes);
    const size = value.bytes?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    if (size > MOST_OF_VALUE || this.#size > MOST_OF_OUTSIDE) value.bytes = undefined;
  }

  #keep(key: string, { elements }: Part): void {
    const { bytes, opening, hash } = this.#value ?? {};
    if (hash === undefined) return;
    const text = Buffer.from(`${this.#size === 0 ? '' : ','}${JSON.stringify(key)}:`);
    const value = bytes === undefined ? Buffer.from(EMPTY.get(opening ?? 0) ?? '0') : Buffer.concat(bytes);
    const start = 1 + this.#size + text.length;
    const part = { start, end: start + value.length, elements };
    this.#parts.set(key, bytes === undefined ? { ...part, digest: hash.digest('hex') } : part);
    this.#outside.push(text, value);
    this.#size += text.length + value.length;
  }
}

const EMPTY = new Map(['""', '[]', '{}', 'true', 'false', 'null'].map((text) => [text.charCodeAt(0), text]));

/** An element of a list; or bytes outside the list, including its brackets but not its commas. */
export interface Piece {
  readonly isElement: boolean;
  readonly bytes: Buffer;
}

/**
 * Splits a text that arrives in pieces into the elements of a list and the rest.
 *
 * @param key the key of the list in the outermost object; undefined if the text itself is the list
 */
export async function* elementsIn(
  text: AsyncIterable<Buffer>,
  key: string | undefined,
): AsyncGenerator<readonly Piece[]> {
  const isWhole = key === undefined;
  /** The position up to which the text was passed on, and the position at which the current piece starts. */
  let [from, before] = [0, 0];
  const at = { inList: isWhole, inElement: false, pastFirst: false };
  let current: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let pieces: Piece[] = [];
  const upTo = (end: number): Buffer => {
    const bytes = current.subarray(from - before, end - before);
    from = end;
    return bytes;
  };
  const scanner = new EnvelopeScanner({
    partBegins: (part) => {
      at.inList = isWhole || part === key;
    },
    partEnds: (_, { end }) => {
      // After the last element there is at most a comma; the bracket belongs to the text outside.
      if (at.pastFirst) upTo(end - 1);
      [at.inList, at.pastFirst] = [false, false];
    },
    elementBegins: (start) => {
      if (!at.inList) return;
      // Text before the first element, with the bracket, belongs to the outside. Before later elements there are only commas.
      const skipped = upTo(start);
      if (!at.pastFirst) pieces.push({ isElement: false, bytes: skipped });
      [at.pastFirst, at.inElement] = [true, true];
    },
    elementEnds: (end) => {
      if (!at.inElement) return;
      parts.push(upTo(end));
      pieces.push({
        isElement: true,
        bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts),
      });
      parts = [];
      at.inElement = false;
    },
  });
  for await (const piece of text) {
    current = piece;
    scanner.push(piece);
    const rest = upTo(before + piece.length);
    if (at.inElement) parts.push(rest);
    else if (rest.length > 0 && !(at.inList && at.pastFirst)) pieces.push({ isElement: false, bytes: rest });
    before += piece.length;
    yield pieces;
    pieces = [];
  }
}

/**
 * The one grammar of answers: what it reads is landed, and what is landed loads (storage/repair-json.ts mends what DuckDB
 * refuses of it). Only the outside of an answer is read: which keys it has, how many records its list holds, and whether
 * it is whole. A page of an export is most of a megabyte; making JavaScript objects of it would cost more than everything
 * else that happens to it, and only DuckDB needs to look within.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
/** From an opening bracket's code to that of its closing one. */
const BETWEEN_BRACKETS = CLOSE_BRACE - OPEN_BRACE;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Where a value lies in the body: bytes, `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value of the outermost object, or the outermost array itself. */
export interface Part extends Span {
  /** How many elements it has, if it is an array. */
  readonly elements: number | undefined;
}

export type Envelope =
  | { readonly kind: 'array'; readonly elements: number }
  | {
      readonly kind: 'object';
      /** By key; of a key that is given twice, the last. */
      readonly parts: ReadonlyMap<string, Part>;
      /** Every value, in the order of the text. */
      readonly members: readonly Part[];
      /** The keys that are given more than once: JSON leaves open what they mean, and DuckDB refuses some. */
      readonly twice: ReadonlySet<string>;
    };

/**
 * The outside of a JSON text. Faults inside of it, such as bytes that are not UTF-8, control characters and words that are
 * no values, reject no answer: it lands as it came, and the load repairs it. A comma behind the last value is no matter.
 *
 * @returns undefined when the body is not one whole JSON array or object: cut short, HTML, empty, with brackets that do
 *   not match, or with nothing between two commas of a list
 */
export function readEnvelope(body: Buffer): Envelope | undefined {
  const start = skipSpace(body, startsWithMark(body) ? BYTE_ORDER_MARK.length : 0);
  const opening = body[start];
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) return undefined;
  if (opening === OPEN_BRACKET) {
    const list = measure(body, start);
    if (list === undefined || skipSpace(body, list.end) !== body.length) return undefined;
    return { kind: 'array', elements: list.elements ?? 0 };
  }
  return readObject(body, start);
}

function startsWithMark(body: Buffer): boolean {
  return body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** The value of a small part, parsed, a text as whole Unicode; undefined when there is no such part or it is not valid JSON. */
export function partValue(body: Buffer, part: Part | undefined): unknown {
  if (part === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8', part.start, part.end));
    return typeof value === 'string' ? value.toWellFormed() : value;
  } catch {
    return undefined;
  }
}

/** The elements of a list of the body, in order. */
export function elementsOf(body: Buffer, list: Span): Span[] {
  const elements: Span[] = [];
  for (let at = list.start; at < list.end;) {
    const value = measure(body, skipSpace(body, at + 1));
    if (value === undefined) break;
    elements.push(value);
    at = skipSpace(body, value.end);
    if (body[at] !== COMMA) break;
  }
  return elements;
}

/** The JSON values that a body holds one after the other, as the pages of a packed list. */
export function valuesOf(body: Buffer): Span[] {
  const values: Span[] = [];
  const start = startsWithMark(body) ? BYTE_ORDER_MARK.length : 0;
  for (let at = skipSpace(body, start); at < body.length;) {
    const value = measure(body, at);
    if (value === undefined) break;
    values.push(value);
    at = skipSpace(body, value.end);
  }
  return values;
}

/** The member of a page that lists how many of its records were erased, when, and by which line of the register (src/erasure). */
export const ERASED = 'dawnload_erased';

export interface ErasedNote {
  readonly records: number;
  readonly at: string;
  readonly line: number;
}

/** The notes of a page about erased records. */
export function erasedNotes(body: Buffer, envelope: Envelope | undefined): ErasedNote[] {
  const value = envelope?.kind === 'object' ? partValue(body, envelope.parts.get(ERASED)) : undefined;
  return Array.isArray(value) ? value.filter(isErasedNote) : [];
}

/** How many records of a page were erased: with them it is as whole as it came. */
export function erasedIn(body: Buffer, envelope: Envelope | undefined): number {
  return erasedNotes(body, envelope).reduce((sum, { records }) => sum + records, 0);
}

function isErasedNote(value: unknown): value is ErasedNote {
  return typeof value === 'object' && value !== null && 'records' in value && Number.isInteger(value.records);
}

function readObject(body: Buffer, start: number): Envelope | undefined {
  const parts = new Map<string, Part>();
  const members: Part[] = [];
  const twice = new Set<string>();
  let at = skipSpace(body, start + 1);
  while (body[at] !== CLOSE_BRACE) {
    if (body[at] !== QUOTE) return undefined;
    const keyEnd = stringEnd(body, at);
    if (keyEnd === undefined) return undefined;
    const key = partValue(body, { start: at, end: keyEnd, elements: undefined });
    const colon = skipSpace(body, keyEnd);
    if (body[colon] !== COLON) return undefined;
    const value = measure(body, skipSpace(body, colon + 1));
    if (value === undefined) return undefined;
    members.push(value);
    // A key that cannot be read is none of ours.
    if (typeof key === 'string') {
      if (parts.has(key)) twice.add(key);
      parts.set(key, value);
    }
    at = skipSpace(body, value.end);
    if (body[at] === COMMA) at = skipSpace(body, at + 1);
    else if (body[at] !== CLOSE_BRACE) return undefined;
  }
  return skipSpace(body, at + 1) === body.length ? { kind: 'object', parts, members, twice } : undefined;
}

/** One value from its first byte to its last, with the elements of it if it is an array. */
function measure(body: Buffer, start: number): Part | undefined {
  const opening = body[start];
  if (opening === QUOTE) {
    const end = stringEnd(body, start);
    return end === undefined ? undefined : { start, end, elements: undefined };
  }
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) return scalar(body, start);

  const closing: number[] = [opening + BETWEEN_BRACKETS];
  const isList = opening === OPEN_BRACKET;
  let elements = 0;
  /** Whether anything stands behind the last comma of the list. */
  let filled = false;
  for (let at = start + 1; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      const end = stringEnd(body, at);
      if (end === undefined) return undefined;
      at = end - 1;
      filled = true;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      closing.push(byte + BETWEEN_BRACKETS);
      filled = true;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (closing.pop() !== byte) return undefined;
      if (closing.length > 0) continue;
      return { start, end: at + 1, elements: isList ? elements + (filled ? 1 : 0) : undefined };
    } else if (byte === COMMA && isList && closing.length === 1) {
      if (!filled) return undefined;
      elements++;
      filled = false;
    } else if (!isSpace(byte)) filled = true;
  }
  return undefined;
}

/** A number, `true`, `false` or `null`, or a word that is none: it costs no more than itself. */
function scalar(body: Buffer, start: number): Part | undefined {
  let end = start;
  while (end < body.length && !isSign(body[end]) && !isSpace(body[end])) end++;
  return end === start ? undefined : { start, end, elements: undefined };
}

function isSign(byte: number | undefined): boolean {
  return byte === COMMA || byte === COLON || byte === QUOTE || isBracket(byte);
}

function isBracket(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === CLOSE_BRACE || byte === OPEN_BRACKET || byte === CLOSE_BRACKET;
}

/** The index after a string's closing quote. Most strings are short: a native search for each would cost three times as much. */
function stringEnd(body: Buffer, start: number): number | undefined {
  for (let at = start + 1; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return undefined;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (isSpace(body[at])) at++;
  return at;
}

/**
 * Reads the outside of a JSON answer without parsing the inside: which keys it has, how many records its list holds,
 * and whether it is whole. A page of an export is most of a megabyte; making JavaScript objects of it would cost more
 * than everything else that happens to it, and only DuckDB needs to look within.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
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
  | { readonly kind: 'object'; readonly parts: ReadonlyMap<string, Part> };

/**
 * The outside of a JSON text. Faults inside of it, such as bytes that are not UTF-8 and control characters, reject no
 * answer: it lands as it came, and the load repairs it.
 *
 * @returns undefined when the body is not one whole JSON array or object: cut short, HTML, or empty.
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

function readObject(body: Buffer, start: number): Envelope | undefined {
  const parts = new Map<string, Part>();
  let at = skipSpace(body, start + 1);
  if (body[at] === CLOSE_BRACE)
    return skipSpace(body, at + 1) === body.length ? { kind: 'object', parts } : undefined;
  for (;;) {
    if (body[at] !== QUOTE) return undefined;
    const keyEnd = stringEnd(body, at);
    if (keyEnd === undefined) return undefined;
    const key = partValue(body, { start: at, end: keyEnd, elements: undefined });
    const colon = skipSpace(body, keyEnd);
    if (body[colon] !== COLON) return undefined;
    const value = measure(body, skipSpace(body, colon + 1));
    if (value === undefined) return undefined;
    // A key that cannot be read is none of ours.
    if (typeof key === 'string') parts.set(key, value);
    at = skipSpace(body, value.end);
    if (body[at] === CLOSE_BRACE) break;
    if (body[at] !== COMMA) return undefined;
    at = skipSpace(body, at + 1);
  }
  return skipSpace(body, at + 1) === body.length ? { kind: 'object', parts } : undefined;
}

/** One value from its first byte to its last, with the elements of it if it is an array. */
function measure(body: Buffer, start: number): Part | undefined {
  const opening = body[start];
  if (opening === QUOTE) {
    const end = stringEnd(body, start);
    return end === undefined ? undefined : { start, end, elements: undefined };
  }
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) return scalar(body, start);

  let depth = 0;
  let commas = 0;
  let at = start;
  while (at < body.length) {
    const byte = body[at];
    if (byte === QUOTE) {
      const end = stringEnd(body, at);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) {
        const empty = skipSpace(body, start + 1) === at;
        const elements = opening === OPEN_BRACKET ? (empty ? 0 : commas + 1) : undefined;
        return { start, end: at + 1, elements };
      }
    } else if (byte === COMMA && depth === 1) commas++;
    at++;
  }
  return undefined;
}

/** A number, `true`, `false` or `null`, or a number that JavaScript alone knows. */
function scalar(body: Buffer, start: number): Part | undefined {
  let end = start;
  while (end < body.length && !isDelimiter(body[end])) end++;
  const part = { start, end, elements: undefined };
  const isKnown =
    partValue(body, part) !== undefined || /^-?(NaN|Infinity)$/.test(body.toString('latin1', start, end));
  return isKnown ? part : undefined;
}

function isDelimiter(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte);
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

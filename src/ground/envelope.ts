/**
 * The single grammar of answers: every answer that it accepts is landed, and every landed answer can be loaded
 * (`repairedJson` repairs what DuckDB rejects). It reads only the outside of an answer: its keys, the number of
 * records in its list, and whether it is complete. A page of an export is most of a megabyte; parsing it into
 * JavaScript objects would cost more than all other steps, and only DuckDB needs the contents.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
/** The difference between the character codes of an opening bracket and its closing one. */
const BETWEEN_BRACKETS = CLOSE_BRACE - OPEN_BRACE;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The position of a value in the body, in bytes; `end` is excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value of the outermost object, or the outermost array itself. */
export interface Part extends Span {
  /** Number of elements if the value is an array. */
  readonly elements: number | undefined;
}

export type Envelope =
  | { readonly kind: 'array'; readonly elements: number }
  | {
      readonly kind: 'object';
      /** The values by key; for a duplicate key, the last value. */
      readonly parts: ReadonlyMap<string, Part>;
      /** The duplicate keys: JSON does not define their meaning, and DuckDB rejects some. */
      readonly twice: ReadonlySet<string>;
    };

/**
 * Reads the outside of a JSON text. Some faults do not reject the answer: a byte order mark, bytes that are not UTF-8,
 * control characters and unknown escapes in texts, needless commas. The answer lands as it came, and the load repairs it.
 *
 * @returns undefined when the body is anything else than one complete JSON array or object
 */
export function readEnvelope(body: Buffer): Envelope | undefined {
  const hasMark = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const start = skipSpace(body, hasMark ? BYTE_ORDER_MARK.length : 0);
  const opening = body[start];
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) return undefined;
  if (opening === OPEN_BRACKET) {
    const list = measure(body, start);
    if (list === undefined || skipSpace(body, list.end) !== body.length) return undefined;
    return { kind: 'array', elements: list.elements ?? 0 };
  }
  return readObject(body, start);
}

/** Parses the value of a small part, a text into well-formed Unicode; undefined if the part is missing or not valid JSON. */
export function partValue(body: Buffer, part: Span | undefined): unknown {
  const value = part && jsonOf(body.subarray(part.start, part.end));
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Returns the text of one of the outermost keys; undefined if the key is absent or its value is not text. */
export function textOf(envelope: Envelope, body: Buffer, key: string): string | undefined {
  const value = envelope.kind === 'object' ? partValue(body, envelope.parts.get(key)) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the elements of a list of the body, in order. */
export function elementsOf(body: Buffer, list: Span): Span[] {
  const elements: Span[] = [];
  for (let at = list.start; at < list.end;) {
    const value = measure(body, skipSpace(body, at + 1, true));
    if (value === undefined) break;
    elements.push(value);
    at = skipSpace(body, value.end);
    if (body[at] !== COMMA) break;
  }
  return elements;
}

function readObject(body: Buffer, start: number): Envelope | undefined {
  const parts = new Map<string, Part>();
  const twice = new Set<string>();
  let at = skipSpace(body, start + 1, true);
  while (body[at] !== CLOSE_BRACE) {
    const inner = valueAfterKey(body, at);
    const value = inner === undefined ? undefined : measure(body, inner);
    if (value === undefined) return undefined;
    const key = partValue(body, { start: at, end: stringEnd(body, at) ?? at });
    // A key that cannot be parsed is not one of the keys that this program reads.
    if (typeof key === 'string') {
      if (parts.has(key)) twice.add(key);
      parts.set(key, value);
    }
    at = skipSpace(body, value.end);
    if (body[at] === COMMA) at = skipSpace(body, at, true);
    else if (body[at] !== CLOSE_BRACE) return undefined;
  }
  return skipSpace(body, at + 1) === body.length ? { kind: 'object', parts, twice } : undefined;
}

/** The index of the value of a member whose key begins at `start`; undefined if there is no key and colon. */
function valueAfterKey(body: Buffer, start: number): number | undefined {
  const keyEnd = body[start] === QUOTE ? stringEnd(body, start) : undefined;
  const colon = keyEnd === undefined ? body.length : skipSpace(body, keyEnd);
  return body[colon] === COLON ? skipSpace(body, colon + 1) : undefined;
}

/** Measures one value from its first byte to its last, and counts its elements if it is an array. */
function measure(body: Buffer, start: number): Part | undefined {
  const opening = body[start];
  if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) {
    const end = scalarEnd(body, start);
    return end === undefined ? undefined : { start, end, elements: undefined };
  }
  const closing: number[] = [opening + BETWEEN_BRACKETS];
  let elements = 0;
  /** True if the innermost array or object has a value after its last comma. */
  let filled = false;
  let at = skipSpace(body, start + 1, true);
  while (at < body.length) {
    const byte = body[at];
    const close = closing[closing.length - 1];
    if (byte === close) {
      closing.pop();
      at++;
      if (closing.length === 0)
        return { start, end: at, elements: close === CLOSE_BRACKET ? elements : undefined };
      filled = true;
    } else if (filled) {
      if (byte !== COMMA) return undefined;
      at++;
      filled = false;
    } else {
      if (closing.length === 1) elements++;
      if (close === CLOSE_BRACE) {
        const inner = valueAfterKey(body, at);
        if (inner === undefined) return undefined;
        at = inner;
      }
      const first = body[at];
      if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        closing.push(first + BETWEEN_BRACKETS);
        at++;
      } else {
        const end = scalarEnd(body, at);
        if (end === undefined) return undefined;
        at = end;
        filled = true;
      }
    }
    at = skipSpace(body, at, !filled);
  }
  return undefined;
}

/** The words of JSON, by their first byte. */
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Returns the index after a text, a number or a word; undefined if there is none. */
function scalarEnd(body: Buffer, start: number): number | undefined {
  const byte = body[start];
  if (byte === QUOTE) return stringEnd(body, start);
  const word = WORDS.get(byte ?? 0);
  if (word !== undefined) {
    for (let i = 1; i < word.length; i++) if (body[start + i] !== word[i]) return undefined;
    return start + word.length;
  }
  let end = start;
  while (isOfNumber(body[end])) end++;
  NUMBER.lastIndex = 0;
  const text = body.toString('latin1', start, end);
  return end > start && NUMBER.test(text) && NUMBER.lastIndex === text.length ? end : undefined;
}

/** True for digits, signs, the point, and the letter of an exponent. */
function isOfNumber(byte = 0): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65
  );
}

/**
 * Returns the index after a string's closing quote. A loop is used, since most strings are short, and a native search
 * for each would cost three times as much.
 */
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

function skipSpace(body: Buffer, start: number, andCommas = false): number {
  let at = start;
  while (isSpace(body[at]) || (andCommas && body[at] === COMMA)) at++;
  return at;
}

// The repair of texts that a strict parser rejects: faulty characters are replaced in place, and the rest stays as received.

/** Matches a JSON string with its quotes, or a comma that is followed by no value or preceded by none. */
const STRINGS_AND_COMMAS = /"[^"\\]*(?:\\[^][^"\\]*)*"|,(?=[ \t\r\n]*[\]},])|(?<=[[{][ \t\r\n,]*),/g;

/** Matches inside a string: a surrogate pair, any other escaped code unit, any other escape, a control character. */
const TROUBLES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^]|[\u0000-\u001f]/g;

/**
 * Returns the repaired text: without a byte order mark and needless commas; halves of surrogate pairs become U+FFFD,
 * control characters and unknown escapes are escaped. Every text that `readEnvelope` accepts can be repaired.
 *
 * @returns undefined when the repaired text is still not JSON
 */
export function repairedJson(text: string): string | undefined {
  const given = text.startsWith('\ufeff') ? text.slice(1) : text;
  const repaired = given.replace(STRINGS_AND_COMMAS, (found) =>
    found === ',' ? '' : found.replace(TROUBLES, repairedCharacter),
  );
  return jsonOf(repaired) === undefined ? undefined : repaired;
}

function repairedCharacter(found: string): string {
  if (found.length >= 6) return found.length === 6 && /^\\u[dD][89a-fA-F]/.test(found) ? '\\ufffd' : found;
  // The escaped character may be a control character, or a letter that is not a valid escape.
  if (found.length === 2)
    return /["\\/bfnrt]/.test(found.charAt(1)) ? found : `\\\\${repairedControl(found.charAt(1))}`;
  return repairedControl(found);
}

function repairedControl(character: string): string {
  return character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
}

/** The value of a JSON text, also as bytes in UTF-8; undefined if it is not JSON. */
export function jsonOf(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

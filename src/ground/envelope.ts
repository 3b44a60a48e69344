/**
 * Parses the envelope of an answer: its keys, the number of records in its list, and whether it is complete. Every answer that this accepts
 * is landed and can be loaded (`repairedJson` repairs what DuckDB rejects). Parsing a whole page into JavaScript objects would cost more
 * than all other steps together, and only DuckDB needs the contents.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const BETWEEN_BRACKETS = CLOSE_BRACE - OPEN_BRACE;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export interface LargeBody {
  /** Size of the decoded body in bytes. */
  readonly length: number;
  /** The outermost object with its large values left empty. If the body is not JSON, its beginning. */
  readonly outside: Buffer;
  readonly envelope: Envelope | undefined;
  readonly file: string;
}

/** The decoded body of an answer: its bytes or, if it is large, its outside and a file. */
export type Body = Buffer | LargeBody;

/** The bytes of a body that are in memory. For a large body these are only its outside. */
export function bytesOf(body: Body): Buffer {
  return Buffer.isBuffer(body) ? body : body.outside;
}

/** The position of a value in the body in bytes, without the byte at `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Part extends Span {
  readonly elements: number | undefined;
  /** The SHA-256 of a value that was too large for the outside of a large body, which has an empty value instead. */
  readonly digest?: string;
}

export type Envelope =
  | { readonly kind: 'array'; readonly elements: number }
  | {
      readonly kind: 'object';
      /** The values by key; for a duplicate key, the last value. */
      readonly parts: ReadonlyMap<string, Part>;
      /** The keys that occur twice. JSON does not define their meaning, and DuckDB rejects some. */
      readonly twice: ReadonlySet<string>;
    };

/**
 * Reads the outside of a JSON text. Some faults are accepted: a byte order mark, bytes that are not UTF-8, control characters and unknown
 * escapes in texts, superfluous commas. Such an answer lands as it came, and the load repairs it.
 *
 * @returns undefined if the body is not one complete JSON array or object
 */
export function readEnvelope(body: Body): Envelope | undefined {
  if (!Buffer.isBuffer(body)) return body.envelope;
  const scanner = new EnvelopeScanner();
  scanner.push(body);
  return scanner.end();
}

/** Parses a small value; a text becomes well-formed Unicode. Undefined if the part is missing or not valid JSON. */
export function partValue(body: Body, part: Span | undefined): unknown {
  const value = part && jsonOf(bytesOf(body).subarray(part.start, part.end));
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Returns the text of an outermost key; undefined if the key is missing or its value is not text. */
export function textOf(envelope: Envelope, body: Body, key: string): string | undefined {
  const value = envelope.kind === 'object' ? partValue(body, envelope.parts.get(key)) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The callbacks get positions in bytes from the start of the text, in ascending order. */
export interface Listener {
  /** A value of the outermost object begins. `key` is undefined if the key cannot be parsed as text. */
  partBegins?(key: string | undefined, at: number): void;
  partEnds?(key: string | undefined, part: Part): void;
  /** An element begins: of the outermost array, or of an array that is directly in the outermost object. */
  elementBegins?(at: number): void;
  elementEnds?(at: number): void;
}

/**
 * The states of the scanner, named by what it expects next: the bytes of a byte order mark, the outermost bracket, an item or the closing
 * bracket …
 */
const MARK = 0;
const TOP = 1;
const ITEM = 2;
/** … a comma or the closing bracket, the colon after a key, the value after the colon … */
const AFTER = 3;
const AFTER_KEY = 4;
const VALUE = 5;
/** … more of a text, the escaped character, more of a number or a word, spaces until the end, nothing. */
const STRING = 6;
const ESCAPE = 7;
const NUMBER = 8;
const WORD = 9;
const END = 10;
const FAILED = 11;

const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));
const NO_WORD = Buffer.alloc(0);

const NUMBERS = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Maximum length of a key in bytes. Longer keys are not parsed, because this program reads none of them. */
const LONGEST_KEY = 64 * 1024;

export class EnvelopeScanner {
  readonly #parts = new Map<string, Part>();
  readonly #twice = new Set<string>();
  /** The closing brackets that are still expected, the outermost first. */
  readonly #closing: number[] = [];
  #state = MARK;
  /** Number of bytes before the current piece. */
  #before = 0;
  #isArray = false;
  #isKey = false;
  /** The key of the value that is being read. While the key is read, its parts so far, because a text may come in several pieces. */
  #key: string | undefined;
  #keyBytes: Buffer[] | undefined;
  #partStart = 0;
  #elements = 0;
  /** The part of a number that earlier pieces had; or a word, and how much of it has been read. */
  #digits = '';
  #word: Buffer = NO_WORD;
  #read = 0;

  constructor(private readonly listener?: Listener) {}

  get hasFailed(): boolean {
    return this.#state === FAILED;
  }

  /** Returns the envelope of the whole text; undefined if the text is not one complete array or object. */
  end(): Envelope | undefined {
    if (this.#state !== END) return undefined;
    if (this.#isArray) return { kind: 'array', elements: this.#elements };
    return { kind: 'object', parts: this.#parts, twice: this.#twice };
  }

  push(bytes: Buffer): void {
    const closing = this.#closing;
    const { length } = bytes;
    let state = this.#state;
    let keyStart = 0;
    let at = 0;
    while (at < length) {
      const byte = bytes[at] ?? 0;
      // Most frequent state first. Most texts are short, so a native search for the end of each would take three times as long.
      if (state === STRING) {
        let next = byte;
        while (next !== QUOTE && next !== BACKSLASH && ++at < length) next = bytes[at] ?? 0;
        if (at === length) break;
        at++;
        if (next === BACKSLASH) {
          if (at < length) at++;
          else state = ESCAPE;
        } else if (this.#isKey) {
          this.#isKey = false;
          if (closing.length === 1) this.#endKey(bytes.subarray(keyStart, at));
          state = AFTER_KEY;
        } else {
          state = AFTER;
          if (closing.length <= 2) this.#endValue(at);
        }
      } else if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        // JSON allows spaces everywhere except inside a text, a number or a word.
        if (state === NUMBER) state = this.#endNumber('', at);
        else if (state === ESCAPE) state = STRING;
        else if (state === WORD || state === MARK) state = this.#atOddSpace(state);
        at++;
      } else if (state === AFTER) {
        if (byte === COMMA) state = ITEM;
        else state = this.#close(byte, at + 1);
        at++;
      } else if (state === ITEM) {
        if (byte === COMMA) at++;
        else if (byte === closing[closing.length - 1]) state = this.#close(byte, ++at);
        else {
          const isArray = closing[closing.length - 1] === CLOSE_BRACKET;
          if (closing.length <= 2) this.#beginItem(isArray, at);
          if (isArray) state = VALUE;
          else if (byte === QUOTE) {
            state = STRING;
            this.#isKey = true;
            keyStart = at++;
            if (closing.length === 1) this.#keyBytes = [];
          } else state = FAILED;
        }
      } else if (state === AFTER_KEY) {
        state = byte === COLON ? VALUE : FAILED;
        at++;
      } else if (state === VALUE) {
        if (closing.length === 1 && !this.#isArray) this.#beginPart(at);
        if (byte === QUOTE) {
          state = STRING;
          at++;
        } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          closing.push(byte + BETWEEN_BRACKETS);
          state = ITEM;
          at++;
        } else {
          this.#word = WORDS.get(byte) ?? NO_WORD;
          this.#read = 0;
          if (this.#word !== NO_WORD) state = WORD;
          else state = isOfNumber(byte) ? NUMBER : FAILED;
        }
      } else if (state === NUMBER) {
        const start = at;
        while (at < length && isOfNumber(bytes[at])) at++;
        const digits = bytes.toString('latin1', start, at);
        if (at < length) state = this.#endNumber(digits, at);
        else this.#digits += digits;
      } else if (state === WORD) {
        if (byte !== this.#word[this.#read++]) state = FAILED;
        else if (this.#read === this.#word.length) {
          state = AFTER;
          if (closing.length <= 2) this.#endValue(at + 1);
        }
        at++;
      } else if (state === ESCAPE) {
        state = STRING;
        at++;
      } else if (
        state === MARK &&
        this.#read < BYTE_ORDER_MARK.length &&
        byte === BYTE_ORDER_MARK[this.#read]
      ) {
        this.#read++;
        if (this.#read === BYTE_ORDER_MARK.length) state = TOP;
        at++;
      } else if ((state === TOP || (state === MARK && this.#read === 0)) && isOpening(byte)) {
        this.#isArray = byte === OPEN_BRACKET;
        closing.push(byte + BETWEEN_BRACKETS);
        state = ITEM;
        at++;
      } else state = FAILED;
      if (state === FAILED) break;
    }
    if (this.#isKey && this.#keyBytes !== undefined) this.#keepKey(bytes.subarray(keyStart));
    this.#before += length;
    this.#state = state;
  }

  /** The next state after a space inside a word or a byte order mark. Spaces are allowed before the mark. */
  #atOddSpace(state: number): number {
    return state === MARK && this.#read === 0 ? TOP : FAILED;
  }

  #endNumber(digits: string, at: number): number {
    const isNumber = NUMBERS.test(this.#digits + digits);
    this.#digits = '';
    if (!isNumber) return FAILED;
    if (this.#closing.length <= 2) this.#endValue(at);
    return AFTER;
  }

  #close(byte: number, end: number): number {
    if (this.#closing.pop() !== byte) return FAILED;
    if (this.#closing.length === 0) return END;
    if (this.#closing.length <= 2) this.#endValue(end, byte === CLOSE_BRACKET);
    return AFTER;
  }

  #beginItem(isInArray: boolean, at: number): void {
    if (this.#closing.length !== (this.#isArray ? 1 : 2)) return;
    this.#elements++;
    if (isInArray) this.listener?.elementBegins?.(this.#before + at);
  }

  #beginPart(at: number): void {
    this.#partStart = this.#before + at;
    this.#elements = 0;
    this.listener?.partBegins?.(this.#key, this.#partStart);
  }

  #endValue(at: number, isArray = false): void {
    const depth = this.#closing.length;
    const end = this.#before + at;
    if (depth === (this.#isArray ? 1 : 2)) {
      if (this.#closing[depth - 1] === CLOSE_BRACKET) this.listener?.elementEnds?.(end);
      return;
    }
    if (depth !== 1) return;
    const key = this.#key;
    const part = { start: this.#partStart, end, elements: isArray ? this.#elements : undefined };
    // This program reads no key that cannot be parsed.
    if (key !== undefined) {
      if (this.#parts.has(key)) this.#twice.add(key);
      this.#parts.set(key, part);
    }
    this.listener?.partEnds?.(key, part);
  }

  #keepKey(bytes: Buffer): void {
    if (this.#keyBytes === undefined) return;
    this.#keyBytes.push(bytes);
    if (this.#keyBytes.reduce((sum, { length }) => sum + length, 0) > LONGEST_KEY) this.#keyBytes = undefined;
  }

  #endKey(bytes: Buffer): void {
    this.#keepKey(bytes);
    const key = this.#keyBytes && jsonOf(Buffer.concat(this.#keyBytes));
    this.#key = typeof key === 'string' ? key.toWellFormed() : undefined;
    this.#keyBytes = undefined;
  }
}

function isOpening(byte: number): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET;
}

function isOfNumber(byte = 0): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 0x20) === 0x65
  );
}

// Repairs texts that a strict parser rejects. Faulty characters are replaced in place, and everything else stays as received.

/** Matches a JSON string with its quotes, or a comma without a value before or after it. */
const STRINGS_AND_COMMAS = /"[^"\\]*(?:\\[^][^"\\]*)*"|,(?=[ \t\r\n]*[\]},])|(?<=[[{][ \t\r\n,]*),/g;

/** Matches inside a string: a surrogate pair, another escaped code unit, another escape, or a control character. */
const TROUBLES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^]|[\u0000-\u001f]/g;

/**
 * Repairs a JSON text: removes a byte order mark and superfluous commas, replaces half a surrogate pair by U+FFFD, and escapes control
 * characters and unknown escapes. Can repair every text that `readEnvelope` accepts.
 *
 * @returns undefined if the result is still not JSON
 */
export function repairedJson(text: string): string | undefined {
  const unmarked = text.startsWith('\ufeff') ? text.slice(1) : text;
  const repaired = unmarked.replace(STRINGS_AND_COMMAS, (piece) =>
    piece === ',' ? '' : piece.replace(TROUBLES, repairedCharacter),
  );
  return jsonOf(repaired) === undefined ? undefined : repaired;
}

function repairedCharacter(piece: string): string {
  if (piece.length >= 6) return piece.length === 6 && /^\\u[dD][89a-fA-F]/.test(piece) ? '\\ufffd' : piece;
  // The character after the backslash may be a control character, or a letter that is not a valid escape.
  if (piece.length === 2)
    return /["\\/bfnrt]/.test(piece.charAt(1)) ? piece : `\\\\${repairedControl(piece.charAt(1))}`;
  return repairedControl(piece);
}

function repairedControl(character: string): string {
  return character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
}

/** Parses JSON, given as text or UTF-8 bytes; undefined if it is not JSON. */
export function jsonOf(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

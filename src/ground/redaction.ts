/**
 * Removes the job's secrets and personal data from texts of the service: an error may repeat what it was sent. The
 * ledger, logs, alerts, and the tables of runs and exports store such texts, so each text is redacted when it arrives,
 * under every privacy setting.
 */
import { PATTERNS } from './patterns.js';
import { cut } from './text.js';

/** The replacement for a secret, a number or an address in a text. */
const HIDDEN = '…';

/**
 * Minimum length of a secret that is hidden anywhere. A shorter secret is hidden only as a separate word, since its
 * letters may occur in any text by chance.
 */
const TELLING_LENGTH = 8;

/** The secrets that a client holds: both keys, and every token that it received. */
export class Secrets {
  readonly #patterns = new Map<string, RegExp>();

  constructor(...secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    if (secret === '' || this.#patterns.has(secret)) return;
    const spelled = spellingsOf(secret);
    const pattern =
      secret.length < TELLING_LENGTH ? `(?<![\\p{L}\\p{N}])${spelled}(?![\\p{L}\\p{N}])` : spelled;
    this.#patterns.set(secret, new RegExp(pattern, 'giu'));
  }

  /** Returns the text without the secrets, also in their JSON, URL and base64 spellings. */
  hide(text: string): string {
    // No spelling is shorter than the secret. To compile the pattern of a token takes a tenth of a second.
    return [...this.#patterns].reduce(
      (left, [secret, pattern]) => (left.length < secret.length ? left : left.replace(pattern, HIDDEN)),
      text,
    );
  }

  holds(text: string): boolean {
    return this.hide(text) !== text;
  }
}

function spellingsOf(secret: string): string {
  const encoded = secret.length < TELLING_LENGTH ? [] : base64Of(secret);
  return `(?:${[spelled(secret), ...encoded].join('|')})`;
}

/**
 * A pattern for the secret: each character as it is, escaped by JSON (once, or twice for JSON inside a JSON text), or
 * escaped by a URL.
 */
function spelled(secret: string): string {
  return Array.from(secret, (letter) => {
    const units = Array.from({ length: letter.length }, (_, i) => hex(letter.charCodeAt(i), 4));
    const bytes = Array.from(Buffer.from(letter), (byte) => `%(?:25){0,3}${hex(byte, 2)}`);
    const plain = `\\\\{0,8}\\u{${hex(letter.codePointAt(0) ?? 0, 1)}}`;
    return `(?:${plain}|${units.map((unit) => `\\\\{1,8}u${unit}`).join('')}|${bytes.join('')})`;
  }).join('');
}

/**
 * Returns the parts of the secret's base64 that do not depend on the surrounding bytes, one for each offset within a
 * group of three bytes.
 */
function base64Of(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const own = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return own.replace(/[+/]/g, (sign) => (sign === '+' ? '(?:[+-]|%2b)' : '(?:\\\\{0,8}/|_|%2f)'));
  });
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/**
 * Returns the first characters of a text without e-mail addresses and mobile numbers, with the same patterns as the
 * load (`macros.redacted`): first in the original characters; then in normalised characters, whose result is used only
 * if it hid something more. The text is truncated, since the patterns take minutes in JavaScript for a megabyte, and
 * messages show only the beginning.
 */
export function withoutPeople(text: string, most = 4_096): string {
  const head = cut(text, most);
  // Drops the last word: a truncated number would not be recognised.
  const seen = withoutPieces(text.length <= most ? head : head.replace(/\S{0,100}$/, ''));
  const plain = seen.replace(/[\uff01-\uff5e]/g, (letter) => letter.normalize('NFKC')).replace(UNSEEN, '');
  const without = withoutPieces(plain);
  return without === plain ? seen : without;
}

function withoutPieces(text: string): string {
  return text.replace(PIECES, (piece) => {
    const key = WRITTEN_MEMBER.exec(piece)?.[0];
    if (key !== undefined) return key + HIDDEN;
    if (AT_SIGN.test(piece)) return PICTURE.test(piece) ? piece : HIDDEN;
    return MOBILE.test(piece) ? HIDDEN : piece;
  });
}

const PIECES = compiled(PATTERNS.pieces, 'g');
const UNSEEN = compiled(PATTERNS.unseen, 'g');
const WRITTEN_MEMBER = compiled(PATTERNS.written_member);
const AT_SIGN = compiled(PATTERNS.at_sign);
const PICTURE = compiled(PATTERNS.picture);
const MOBILE = compiled(`^(?:${PATTERNS.mobile})$`);

/** Converts an RE2 pattern to a JavaScript one, which writes code points and scripts differently and has no inner flags. */
function compiled(pattern: string, flags = ''): RegExp {
  const translated = pattern
    .replaceAll('\\x{', '\\u{')
    .replace(/\\p\{(Hangul|Han|Hiragana|Katakana|Cyrillic|Greek)\}/g, '\\p{Script=$1}')
    .replaceAll('(?i:', '(?:');
  return new RegExp(translated, `${flags}iu`);
}

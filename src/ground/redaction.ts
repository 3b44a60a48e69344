/**
 * Removes the job's secrets from the service's texts. An error may repeat a request, and the ledger, logs, alerts and tables store such
 * texts. Each text is redacted when it arrives, whatever the privacy settings.
 */

/** Replaces a secret, a number or an address in a text. */
export const HIDDEN = '…';

/** A secret shorter than this is hidden only if it is a separate word, because its letters may occur anywhere by chance. */
const TELLING_LENGTH = 8;

/** The secrets of a client: both keys, and every token it has received. */
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

  /** Removes the secrets from a text, also in their JSON, URL and base64 spellings. */
  hide(text: string): string {
    // Skip secrets longer than the text, because no spelling is shorter than its secret. Compiling a token's pattern takes a tenth of a
    // second.
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

/** A pattern for each character: verbatim, escaped by JSON (once or twice), or escaped by a URL. */
function spelled(secret: string): string {
  return Array.from(secret, (letter) => {
    const units = Array.from({ length: letter.length }, (_, i) => hex(letter.charCodeAt(i), 4));
    const bytes = Array.from(Buffer.from(letter), (byte) => `%(?:25){0,3}${hex(byte, 2)}`);
    const plain = `\\\\{0,8}\\u{${hex(letter.codePointAt(0) ?? 0, 1)}}`;
    return `(?:${plain}|${units.map((unit) => `\\\\{1,8}u${unit}`).join('')}|${bytes.join('')})`;
  }).join('');
}

/** Returns the parts of the secret's base64 that do not depend on neighboring bytes: one for each offset in a group of three bytes. */
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

/**
 * Removes the job's secrets and personal data from texts of the service: an error may repeat what it was sent. The
 * ledger, logs, alerts, and the tables of runs and exports store such texts, so each text is redacted when it arrives,
 * under every privacy setting.
 */
import { cut } from './text.js';

// The patterns of personal data and credentials, as regular expressions in the dialect of RE2: the load reads them from the
// session variable `patterns`, and some of them are compiled for JavaScript below.

// Disguises: full-width forms of ASCII, and invisible characters (format characters such as zero-width
// blanks, and fillers).
const unseen = String.raw`[\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]`;
const disguise = String.raw`[\x{FF01}-\x{FF5E}]|${unseen}`;

// Separators between the digits of a number: hyphens, dots, blanks, brackets, commas, slashes, underscores,
// and their forms in links and HTML.
const gap = String.raw`(?:[-.,/_\s()+\x{A0}\x{B7}\x{2010}-\x{2015}\x{3000}]|%2[0BbCcDdEeFf]|&nbsp;){0,3}`;

// A Korean mobile number, with a leading 0 or country code 82: 010 and eight digits, or 011, 016 to 019 and
// seven or eight digits. Service numbers (080, 15xx) and landlines do not match.
const mobile = String.raw`(?:(?:\+|00)?82${gap}0?${gap}|0)(?:10${gap}[0-9]{4}${gap}[0-9]{4}|1[16789]${gap}[0-9]{3,4}${gap}[0-9]{4})`;

// Any telephone number that is a whole value, and service numbers, which are not personal.
const telephone = String.raw`\+?\(?[0-9][0-9 ().\x{2010}-\x{2015}-]{5,18}[0-9]`;
const serviceNumber = String.raw`080[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[568][0-9]{2}[-. ]?[0-9]{4}`;

// The at sign of an e-mail address in texts, links and HTML.
const atSign = String.raw`(?:@|%40|&#0*64;|&#[xX]0*40;|&commat;|\x{FF20}|\\u0040)`;
const address = String.raw`(?:[A-Za-z0-9_](?:[A-Za-z0-9._+-]|'[A-Za-z0-9]|%2[Bb])*|[\p{L}\p{N}._+-]*[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Cyrillic}\p{Greek}\x{C0}-\x{24F}])${atSign}(?:(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:xn--[A-Za-z0-9-]+|[A-Za-z]{2,})|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})`;

// A value that is only an address may have any characters that addresses allow.
const loneAddress = String.raw`\s*(?:mailto:)?[!-9=?A-~]+@[!-.0-9A-~]+\.[!-.0-9A-~]+\s*`;

// Names of high-resolution pictures look like addresses: logo@2x.png.
const picture = String.raw`[0-9.]+x\.[A-Za-z]+$`;

// Keys of recipients' numbers: unambiguous keys, and keys whose value must look like a number too.
const recipientKey = String.raw`(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)`;
const telephoneKey = String.raw`(?i:to|hp|msisdn|recipients?|receivers?|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ ]?(?:no|num|number|list)?s?)`;

// Whether a text may hold an address or a mobile number: one pass, which most texts do not match.
const suspicion = String.raw`[^\s@]${atSign}[^\s@.\x{FF0E}]+[.\x{FF0E}]|${mobile}|[\x{FF10}-\x{FF19}]|[0-9]${gap}${unseen}|"${recipientKey}"\s*:`;

// JSON as DuckDB writes it, without blanks: a text, a number, a value with up to four levels.
const jsonText = String.raw`"(?:[^"\\]|\\.)*"`;
const jsonNumber = String.raw`-?[0-9][0-9.eE+-]*`;
const jsonLevel1 = String.raw`[[{](?:[^][{}"]|${jsonText})*[]}]`;
const jsonLevel2 = String.raw`[[{](?:[^][{}"]|${jsonText}|${jsonLevel1})*[]}]`;
const jsonLevel3 = String.raw`[[{](?:[^][{}"]|${jsonText}|${jsonLevel2})*[]}]`;
const jsonValue = String.raw`(?:${jsonText}|${jsonNumber}|${jsonLevel3})`;
const writtenMember = String.raw`"${recipientKey}"\s*:\s*"?`;

// A suspicious text is scanned from the left for: keys of recipients with their numbers, as in JSON;

// addresses; ids (UUIDs, long hexadecimal words) and escapes, which are skipped; mobile numbers; other
// digits, so that no number begins or ends within a longer one.
const plainId = String.raw`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}`;
const pieces = String.raw`${writtenMember}[+0-9(][0-9 ().-]{5,18}[0-9]|${address}|${plainId}|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|[4-9A-Fa-f][0-9A-Fa-f])|\\u[0-9A-Fa-f]{4}|${mobile}[0-9]*|[0-9]+`;
const sureKey = String.raw`^"${recipientKey}":$`;
const telephoneMember = String.raw`^"(?:${recipientKey}|${telephoneKey})":`;
const jsonScalars = String.raw`${jsonText}:?|${jsonNumber}`;
const jsonPieces = String.raw`"sendNo":${jsonText}|"(?:${recipientKey}|${telephoneKey})":${jsonValue}|${jsonScalars}`;
const jsonSuspicion = String.raw`${suspicion}|\\u(?:00[2-7aA]|[fF]{2}|[fF]eff|20[0-6]|034[fF]|11[56]|3164)|"(?:${recipientKey}|${telephoneKey})\\?"\s*:`;

// Names of headers, keys and query parameters that carry credentials.
const credential = String.raw`(?i:[^"\\:=&?#\s]*(?:authorization|cookie|token|secret|signature|password|passwd|credential|jwt|bearer|(?:api|access|private|auth|signing|encryption)[-_ ]?key|session[-_ ]?id|hmac)[^"\\:=&?#\s]*|(?:x-)?auth|x-[^"\\:=&?#\s]*(?:auth|key|sign)[^"\\:=&?#\s]*)`;
const credentialQuery = String.raw`[?&;#](?:${credential}|(?i:key|sig|sign|pwd|pass|sid|auth))=`;
const bearerWord = String.raw`(?i:\b(?:bearer|basic|digest|apikey)(?:\s|%20|\+)+)`;
const bearerValue = String.raw`[A-Za-z0-9._~+/-]*[0-9._~+/=-][A-Za-z0-9._~+/=-]*`;
const credentialSuspicion = String.raw`(?i)auth|cookie|token|secret|sign|passw|pwd|credential|jwt|bearer|basic|digest|hmac|session|key|[?&;#](?:pass|sid|sig)=|://[^/"]*@`;

/** The patterns by the names that the statements of the load use. */
export const PATTERNS = {
  unseen,
  disguise,
  gap,
  mobile,
  telephone,
  service_number: serviceNumber,
  at_sign: atSign,
  lone_address: loneAddress,
  picture,
  recipient_key: recipientKey,
  suspicion,
  json_text: jsonText,
  json_value: jsonValue,
  written_member: writtenMember,
  plain_id: plainId,
  pieces,
  sure_key: sureKey,
  telephone_member: telephoneMember,
  json_scalars: jsonScalars,
  json_pieces: jsonPieces,
  json_suspicion: jsonSuspicion,
  credential,
  credential_query: credentialQuery,
  bearer_word: bearerWord,
  bearer_value: bearerValue,
  credential_suspicion: credentialSuspicion,
} as const;

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

/**
 * Regular expressions (RE2) that select the texts and documents for the functions of this folder. Statements test each
 * text with them first, because most texts need no function. They match every text that a function would change.
 */

/** Characters allowed between two digits of a number. In JSON a line break and a tab are two characters. */
const GAP = String.raw`(?:[-.,/_\s()+~\x{A0}\x{B7}\x{1680}\x{2000}-\x{200A}\x{2010}-\x{2015}\x{2028}\x{2029}\x{202F}\x{205F}\x{2212}\x{3000}\x{301C}\x{3161}\x{FEFF}]|\\+[nrt/]){0,3}`;
const MOBILE = String.raw`(?:82${GAP}0?${GAP}|0)1[016789]${GAP}[0-9]{3,4}${GAP}[0-9]{4}`;
/** What hides a part of a number or address from a plain search: entities, percent-encoding, escapes, tags, folds, full-width and unseen characters. */
const DISGUISE = String.raw`&(?:#|(?i:[a-z]{2,6};))|%[2-7]|=(?:40|2[deDE])|\\+u|[0-9@.]\s*<|>\s*[0-9@.]|=?(?:\n|\\n)[ \t]|=(?:\r|\n|\\r|\\n)|[\x{FF01}-\x{FF5E}\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]`;
const KEY = String.raw`"(?i:to|hp|msisdn|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ a-z]*)\\*"\s*:`;

/** A value outside of any object: a whole document, or the message of a record. */
const KEYLESS = String.raw`(?:^|"message_data"\s*:\s*)["\[0-9]`;

/** What the name of a credential contains; the same in JavaScript. */
export const SECRET =
  'authorization|cookie|token|secret|signature|passw(?:or)?d|credential|jwt|bearer|hmac|(?:api|access|private|auth|signing|encryption)[-_ ]?key|session[-_ ]?id';

/** Matches texts that may contain a credential; the same in JavaScript. */
export const CREDENTIAL = `${SECRET}|auth|key|sign|pwd|basic|digest|(?:^|["?&;#])(?:pass|sid|sig)=|://`;

/** The sign of an address. A text of JSON that begins with the sign, as names of chat channels do, has none at it. */
const ADDRESS = String.raw`(?:[^"]|[^:,{\[]")@`;

/** The session variable `patterns` of the statements. */
export const PATTERNS = {
  /** Matches texts that may contain a number or an address of a person. */
  personal: `${ADDRESS}|${MOBILE}|${DISGUISE}|${KEY}|${KEYLESS}`,
  /** The key of a recipient's number, whose value is hashed at any depth. */
  recipient_key: '(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)',
  /** Matches texts that may contain a credential. */
  credential: `(?i)${CREDENTIAL}`,
} as const;

/**
 * Patterns of personal data and credentials, as regular expressions in the dialect of RE2: the load reads them from the
 * session variable `patterns`, and `redaction.ts` compiles some of them for JavaScript.
 */

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

/**
 * Finds people's numbers and addresses in texts, with the canonical form that is hashed. A text is searched twice: as received, and as a
 * reader sees it (`viewOf`), without tags and invisible characters and with escapes decoded. Overlapping findings are merged.
 */
import { HIDDEN } from '../ground/redaction.js';
import { cut } from '../ground/text.js';
import { edited, type Piece } from './json.js';

/** A number or an address in a text. `plain` is its canonical form. */
export interface Finding extends Piece {
  readonly plain: string;
}

// Patterns of numbers and addresses.

/** Characters between the digits of a number. All blanks are listed, because DuckDB's `\s` matches only ASCII. */
export const SEPARATORS = String.raw`-.,/_\s()+~\u00A0\u00B7\u1680\u2000-\u200A\u2010-\u2015\u2028\u2029\u202F\u205F\u2212\u3000\u301C\u3161\uFEFF`;
const GAP = `[${SEPARATORS}]{0,3}`;

/**
 * A Korean mobile number: 010 and eight digits, or 011, 016 to 019 and seven or eight, with a leading 0 or country code 82.
 *
 * @param gap a regular expression for what may be between two digits
 */
export const mobileWith = (gap: string): string =>
  `(?:(?:\\+|00)?82${gap}0?${gap}|0)(?:10${gap}[0-9]{4}|1[16789]${gap}[0-9]{3,4})${gap}[0-9]{4}`;
const MOBILE = mobileWith(GAP);
const IS_MOBILE = new RegExp(`^${MOBILE}$`);
/** A mobile number that is not part of a longer number, or of decimals such as 37.01055517772. */
const MOBILES = new RegExp(`(?<![0-9])(?<!\\d\\d\\.(?=\\d{10}))${MOBILE}(?![0-9])`, 'g');

/** Any telephone number that is a whole value; and service numbers (080, 15xx), which belong to no person. */
const TELEPHONE = /^\+?\(?[0-9][0-9 ().\u2010-\u2015-]{5,18}[0-9]$/;
const SERVICE_NUMBER = /^(?:080[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[568][0-9]{2}[-. ]?[0-9]{4})$/;

/** UUIDs and long hexadecimal words, whose digits may look like a number by chance. */
const ID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}';
const IDS = new RegExp(ID, 'g');
const IS_ID = new RegExp(`^(?:${ID})$`);

/** An address that is a whole value may have any character that addresses allow. */
const LONE_ADDRESS = /^\s*(?:mailto:)?[!-9=?A-~]+@[!-.0-9A-~]+\.[!-.0-9A-~]+\s*$/;

/** The domain after an at sign. Names of high-resolution pictures look like addresses: logo@2x.png. */
const DOMAIN =
  /^(?:(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:xn--[A-Za-z0-9-]+|[A-Za-z]{2,})|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/u;
const PICTURE = /^[0-9.]+x\.[A-Za-z]+$/;
const LOCAL = /[A-Za-z0-9_][A-Za-z0-9._+'-]*$/;
const LOCAL_OF_OTHER_SCRIPTS =
  /[\p{L}\p{N}._+-]*[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Cyrillic}\p{Script=Greek}\u00C0-\u024F]$/u;
/** A local part in quotes, which may contain blanks. */
const QUOTED_LOCAL = /"[^"@<>\\\r\n]{1,64}"$/;
/** Maximum length of a local part, domain or id. */
const LONGEST = 256;
/** The length of the shortest address, a@b.co. */
const SHORTEST = 6;

/** A key whose value is a recipient's number, whatever the value looks like. */
export const RECIPIENT_KEY = 'recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*';
export const IS_RECIPIENT_KEY = new RegExp(`^${RECIPIENT_KEY}$`, 'i');
const TELEPHONE_KEY =
  '(?:to|hp|msisdn|recipients?|receivers?|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ ]?(?:no|num|number|list)?s?|[가-힣_ ]*(?:전화|휴대폰|핸드폰|연락처|수신자?번호)[_ ]?(?:번호|목록)?)';
export const IS_TELEPHONE_KEY = new RegExp(`^${TELEPHONE_KEY}$`, 'i');
/** The keys of both kinds. */
export const KEYS = `${RECIPIENT_KEY}|${TELEPHONE_KEY}`;
/** Such a key and its number, in JSON inside a text. */
const WRITTEN_MEMBERS = new RegExp(`("(${KEYS})"\\s*:\\s*("?))([+0-9(][0-9 ().-]{5,18}[0-9])`, 'gi');

/** True if a whole value looks like a telephone number, but not like a service number or a day. */
function isTelephone(text: string): boolean {
  return TELEPHONE.test(text) && !SERVICE_NUMBER.test(text) && !/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text);
}

/**
 * True if the value under a telephone key is a person's number: text that looks like a telephone number, or the digits of a mobile number.
 */
export function isNumberOfSomebody(text: string, isText: boolean): boolean {
  return isTelephone(text) && (isText || /^(?:82)?10[0-9]{8}$/.test(text));
}

export function isId(text: string): boolean {
  return text.length >= 16 && IS_ID.test(text);
}

/** True if the whole value is an address. A redacted address no longer is one. */
export function isLoneAddress(text: string): boolean {
  if (!text.includes('@') || !LONE_ADDRESS.test(text)) return false;
  return !PICTURE.test(text.slice(text.indexOf('@') + 1)) && !/[0-9a-f]{64}/.test(text);
}

/** False if the text certainly contains no number and no address. */
export function mayHoldAny(text: string): boolean {
  return text.length >= SHORTEST && /[@0-9%&=\\\uFF10-\uFF20]/.test(text);
}

/** A text as a reader sees it, and the position of each of its characters in the original. */
interface View {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Characters without width. */
export const UNSEEN = String.raw`\p{Cf}\u034F\u115F\u1160\u3164\uFFA0`;

/**
 * Matches characters that a reader sees differently or not at all: entities, percent-encoding, quoted-printable (=40), escapes of JSON
 * inside a text, folded lines (vCard), full-width ASCII, invisible characters.
 */
const ESCAPES = new RegExp(
  [
    String.raw`&(?:amp;)*(?:#(\d{1,7});?|#x([0-9a-f]{1,6});?|([a-z]{2,6});)`,
    '%(?:25)*(2[0-9a-f]|3[0-9a-f]|[46][0-9a-f]|[57][0-9a])',
    '=(40|2[de])',
    String.raw`\\{1,8}u([0-9a-f]{4})|\\{1,8}(["/nrt])`,
    String.raw`=?\r?\n[ \t]|=\r?\n`,
    String.raw`[\uFF01-\uFF5E${UNSEEN}]`,
  ].join('|'),
  'giu',
);
/** Matches the escapes above, and HTML tags and comments. */
const UNITS = new RegExp(
  String.raw`${ESCAPES.source}|<\/?[a-z][a-z0-9]{0,15}(?:[\s/][^<>]{0,2000})?>|<!--[^<>]{0,500}-->`,
  ESCAPES.flags,
);
/** A fast first test that matches every character with which such a unit can begin. The flag `u` would be slow. */
const UNIT = /[&%=\\<\r\n\u00AD-\u206F\u3164\uD800-\uDFFF\uFEFF-\uFFFF]/;
const IS_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');

/** Tags that do not end a word for a reader. */
const INLINE = /^<\/?(?:a|abbr|b|bdi|bdo|big|em|font|i|mark|nobr|s|small|span|strong|sub|sup|u|wbr)\b/i;

const NAMED: Readonly<Record<string, string>> = {
  ...{ nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '', zwj: '', shy: '', lrm: '', rlm: '', wj: '' },
  ...{ commat: '@', period: '.', hyphen: '-', dash: '-', ndash: '-', mdash: '-', minus: '-', plus: '+' },
  ...{ lpar: '(', rpar: ')', comma: ',', sol: '/', lowbar: '_', middot: '·', quot: '"', lt: '<', gt: '>' },
};

function viewOf(original: string, units = UNITS): View | undefined {
  if (!UNIT.test(original)) return undefined;
  const [starts, ends]: [number[], number[]] = [[], []];
  let text = '';
  let at = 0;
  const copy = (until: number): void => {
    text += original.slice(at, until);
    for (; at < until; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
  };
  for (const unit of matchesOf(original, units)) {
    copy(unit.index);
    at += unit[0].length;
    for (const character of seenAs(unit)) {
      text += character;
      starts.push(unit.index);
      ends.push(at);
    }
  }
  if (at === 0) return undefined;
  copy(original.length);
  return { text, starts, ends };
}

/** Returns the matches of a global expression. `matchAll` would copy the expression for each text. */
function matchesOf(text: string, pattern: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) matches.push(match);
  return matches;
}

function seenAs([unit, decimal, hex, named, percent, printable, escaped, sign]: RegExpExecArray): string {
  if (decimal !== undefined) return characterOf(Number(decimal));
  const code = hex ?? percent ?? printable ?? escaped;
  if (code !== undefined) return characterOf(Number.parseInt(code, 16));
  if (named !== undefined) return NAMED[named.toLowerCase()] ?? unit;
  if (sign !== undefined) return /[nrt]/.test(sign) ? ' ' : sign;
  if (unit.startsWith('<')) return INLINE.test(unit) ? '' : ' ';
  return /^[\uFF01-\uFF5E]$/.test(unit) ? characterOf(unit.charCodeAt(0)) : '';
}

/** Converts a character to ASCII if it looks like ASCII. Empty if the character is invisible. */
function characterOf(code: number): string {
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (code > 0xffff || code === 0xa0) return ' ';
  const character = String.fromCharCode(code);
  return IS_UNSEEN.test(character) ? '' : character;
}

export function seen(text: string): string {
  return viewOf(text)?.text ?? text;
}

// Places of numbers and addresses in a text.

/** The numbers and addresses in a text, in order; none overlaps another. */
export function findingsIn(text: string): Finding[] {
  if (!mayHoldAny(text)) return [];
  const findings = findingsAsWritten(text);
  // Search without tags and with tags, because a tag may contain an address.
  for (const view of [viewOf(text), text.includes('<') ? viewOf(text, ESCAPES) : undefined])
    if (view !== undefined)
      findings.push(...findingsAsWritten(view.text).map((finding) => originalOf(finding, view, text)));
  return merged(findings);
}

function originalOf({ start, end, plain }: Finding, { starts, ends }: View, text: string): Finding {
  let from = starts[start] ?? 0;
  // Invisible characters before the number or address belong to it, such as a direction mark, which would stay open otherwise.
  while (/\p{Cf}/u.test(text.charAt(from - 1))) from--;
  return { start: from, end: ends[end - 1] ?? text.length, plain };
}

/** Merges overlapping findings. The result covers all of them and has the `plain` of the longest one. */
export function merged(findings: readonly Finding[]): Finding[] {
  if (findings.length < 2) return [...findings];
  const apart: Finding[] = [];
  for (const next of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || next.start >= last.end) apart.push(next);
    else if (next.end > last.end) {
      const longer = next.end - next.start > last.end - last.start ? next : last;
      apart[apart.length - 1] = { start: last.start, end: next.end, plain: longer.plain };
    }
  }
  return apart;
}

function findingsAsWritten(text: string): Finding[] {
  const findings: Finding[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1))
    findings.push(...addressAround(text, at));
  if (text.includes('"'))
    for (const { index, 0: whole, 1: before = '', 2: key = '', 3: quote, 4: number = '' } of text.matchAll(
      WRITTEN_MEMBERS,
    ))
      if (IS_RECIPIENT_KEY.test(key) || isNumberOfSomebody(number, quote === '"'))
        findings.push({
          start: index + before.length,
          end: index + whole.length,
          plain: plainNumber(number),
        });
  for (const { index: start, 0: number } of matchesOf(text, MOBILES)) {
    const end = start + number.length;
    if (!isPartOfId(text, start, end)) findings.push({ start, end, plain: koreanNumber(number) });
  }
  return findings;
}

function addressAround(text: string, at: number): Finding[] {
  let [start, end] = [at, at + 1];
  // People write blanks around the @ to hide the address from programs.
  while (at - start < 2 && /[ \t]/.test(text.charAt(start - 1))) start--;
  while (end - at < 3 && /[ \t]/.test(text.charAt(end))) end++;
  const domain = DOMAIN.exec(text.slice(end, end + LONGEST))?.[0];
  // Check the domain first, because finding the part before the sign takes longer.
  if (domain === undefined || PICTURE.test(domain)) return [];
  const before = text.slice(Math.max(0, start - LONGEST), start);
  const adjacent = start === at ? (LOCAL_OF_OTHER_SCRIPTS.exec(before) ?? QUOTED_LOCAL.exec(before)) : null;
  const [local] = LOCAL.exec(before) ?? adjacent ?? [];
  if (local === undefined) return [];
  return [
    { start: start - local.length, end: end + domain.length, plain: plainAddress(`${local}@${domain}`) },
  ];
}

/** True if the digits between the two positions belong to an id, or to hashes in a row. */
function isPartOfId(text: string, start: number, end: number): boolean {
  let [from, to] = [start, end];
  while (start - from < LONGEST && /[0-9A-Fa-f-]/.test(text.charAt(from - 1))) from--;
  while (to - end < LONGEST && /[0-9A-Fa-f-]/.test(text.charAt(to))) to++;
  if (to - from < 16) return false;
  return matchesOf(text.slice(from, to), IDS).some(({ index, 0: id }) => {
    const at = from + index;
    // The two or four digits of an escape such as %20 do not belong to the hash behind it.
    const escape = id.length > 64 && /[%=ux]/.test(text.charAt(at - 1)) ? id.length % 64 : 0;
    const [begins, ends] =
      escape === 2 || escape === 4 ? [at + escape, at + id.length] : [at, at + id.length];
    return (ends - begins) % 64 === 0 ? begins < end && ends > start : begins <= start && ends >= end;
  });
}

/** Finds every place of a number in a text, whatever separates its digits, also inside a longer number. `number` is in canonical form. */
export function placesOf(number: string, text: string): Finding[] {
  const core = number.replace(/^0+/, '');
  if (text.length < core.length) return [];
  const view = viewOf(text);
  const looked = view?.text ?? text;
  // The expression is compiled only for the few texts that contain the digits.
  if (!looked.replace(/[^0-9]+/g, '').includes(core)) return [];
  const spelled = new RegExp(
    `(?:\\+?82${GAP})?(?:0${GAP}){0,2}${core.replaceAll(/\d(?=\d)/g, `$&${GAP}`)}`,
    'g',
  );
  return [...looked.matchAll(spelled)].map(({ index, 0: place }) => {
    const finding = { start: index, end: index + place.length, plain: number };
    return view === undefined ? finding : originalOf(finding, view, text);
  });
}

// Canonical forms.

function koreanNumber(number: string): string {
  return number.replace(/[^0-9]/g, '').replace(/^(?:00)?820?/, '0');
}

/** The canonical form of a telephone number: only digits, with a leading 0 if Korean, otherwise with the country code. */
export function plainNumber(number: string): string {
  if (IS_MOBILE.test(number)) return koreanNumber(number);
  // In JSON, a telephone number written as a number has lost its leading zero.
  if (/^(?:10[0-9]{8}|1[16789][0-9]{7,8})$/.test(number)) return `0${number}`;
  if (!TELEPHONE.test(number)) return number;
  if (/^(?:\+|00)82/.test(number)) return koreanNumber(number);
  return number.replace(/[^0-9]/g, '').replace(/^00/, '');
}

export function plainAddress(address: string): string {
  return address
    .trim()
    .replace(/^mailto:/i, '')
    .replaceAll('%2B', '+')
    .toLowerCase();
}

/** The canonical form of a recipient's number or address; undefined if the value is empty. */
export function plainRecipient(value: string): string | undefined {
  if (/^010[0-9]{8}$/.test(value)) return value;
  const text = seen(value).trim();
  if (text === '') return undefined;
  return isLoneAddress(text) ? plainAddress(text) : plainNumber(text);
}

/**
 * The beginning of a text from the service, without e-mail addresses and mobile numbers. Errors, logs and the ledger use only this form.
 */
export function withoutPeople(text: string, most = 4_096): string {
  const head = cut(text, most);
  // Drop the last word, because a number that was cut off would not be recognized.
  const looked = text.length <= most ? head : head.replace(/\S{0,100}$/, '');
  return edited(looked, findingsIn(looked), () => HIDDEN);
}

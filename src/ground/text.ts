/**
 * Text helpers: cut and serialize text that may have half a surrogate pair (which DuckDB, URLs and UTF-8 reject), suggest words, format
 * prices and sizes. Pure.
 */
import { isUtf8 } from 'node:buffer';
import { closest, distance } from 'fastest-levenshtein';

/** Returns at most the first `most` characters of a text. A surrogate pair, such as an emoji, is never cut in two. */
export function cut(text: string, most: number): string {
  // A character has at most two units, so that only the beginning of a text of millions is read.
  const whole = text.slice(0, 2 * most + 2).toWellFormed();
  return whole.length <= most ? whole : Array.from(whole).slice(0, most).join('');
}

const HANGUL = /[\uAC00-\uD7A3]/;

/**
 * True if bytes are Korean in EUC-KR: as UTF-8 they are invalid and without Hangul, as EUC-KR they are valid and have Hangul. The first and
 * last character may be cut.
 */
export function isEucKr(bytes: Buffer): boolean {
  if (isUtf8(bytes) || HANGUL.test(bytes.toString('utf8'))) return false;
  const text = new TextDecoder('euc-kr').decode(bytes);
  return HANGUL.test(text) && !text.slice(1, -1).includes('\uFFFD');
}

/** Maximum number of characters of a value in text for people. JSON, CSV and Parquet have the whole value. */
const LONGEST_SHOWN = 1_000;

/** Shortens a value for people, with an ellipsis if something was removed. Fast for texts of any length. */
export function shownText(text: string, most = LONGEST_SHOWN): string {
  return text.length <= most ? text : `${cut(text, most - 1)}…`;
}

/** Maximum number of names that a sentence lists. */
const MOST_NAMES = 30;

/** Lists names as `a, b and 7 more`, however many or long they are. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => shownText(name, 200));
  const left = names.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** Serializes a value to JSON that DuckDB accepts: half a surrogate pair, in a text or a key, becomes U+FFFD. */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(?:u(d[89a-f]..)|.)/g, (escape, half?: string) =>
    half === undefined ? escape : '\ufffd',
  );
}

/** The form in which names are compared: without case, blanks, hyphens and underscores. */
export const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

/** `Did you mean X? ` if one of the words is similar; otherwise empty. */
export function didYouMean(word: string, words: readonly string[]): string {
  const near = nearWords(word, words);
  return near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `;
}

/** The words that contain the given one; otherwise the word that differs from it in at most a third of its letters. */
export function nearWords(word: string, words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const holding = words.filter((one) => word.length > 2 && one.includes(word));
  if (holding.length > 0) return holding.slice(0, 3);
  const nearest = closest(word, words);
  return distance(word, nearest) <= Math.ceil(word.length / 3) ? [nearest] : [];
}

/** Maximum number of decimal places of a price. */
const DIGITS = 12;

/** Number of digits of a sum of binary fractions that are certainly right. */
const SOUND_DIGITS = 14;

interface Priced {
  readonly records: number;
  readonly pricePerRecord: number;
}

/** Adds the records of each price first, because that is exact. */
export function priceOf(some: Iterable<Priced>): number {
  const records = new Map<number, number>();
  for (const { records: more, pricePerRecord: price } of some)
    records.set(price, (records.get(price) ?? 0) + Math.round(more));
  const sum = [...records].reduce((total, [price, count]) => total + price * count, 0);
  return Number(sum.toPrecision(SOUND_DIGITS));
}

/** Formats `13,918.5 KRW`, or only the number without a currency. */
export function formatPrice(amount: number, currency: string | undefined, language = 'en'): string {
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: DIGITS }).format(amount);
  return currency === undefined ? number : `${number}\u00a0${currency}`;
}

/** The clause `, price about 13,918.5 KRW`; empty if the price is unknown or 0 (no price set). */
export function pricePart(amount: number | null | undefined, currency?: string | null, about = ''): string {
  const isKnown = amount !== undefined && amount !== null && amount !== 0;
  return isKnown ? `, price ${about}${formatPrice(amount, currency ?? undefined)}` : '';
}

const SIZE = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB|KiB|MiB|GiB)$/i;
const UNITS: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
};

/** The number of bytes of a size such as `500MB` or `1.5 GiB`; undefined for other texts. */
export function bytesIn(size: string): number | undefined {
  const [, number, unit = ''] = SIZE.exec(size.trim()) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Math.round(Number(number) * factor);
}

/** A size as people write it: `1 GiB` or `500 MB` for whole numbers, otherwise `73.4 MB`. */
export function sizeInWords(bytes: number): string {
  for (const unit of ['GiB', 'MiB', 'GB', 'MB']) {
    const number = bytes / (UNITS[unit.toLowerCase()] ?? 1);
    if (number >= 1 && Number.isInteger(number)) return `${number} ${unit}`;
  }
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Quotes a word for the shell if necessary. */
export function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * True if the text ends with a consonant when spoken in Korean, which decides the form of the particle after it. A bracket after a word
 * does not count: ‘쿠폰’(email) takes the particle of 쿠폰. Numbers and single letters are spoken by name (3 is 삼, L is 엘), Latin words by
 * sound (coupon is 쿠폰, letter is 레터).
 *
 * @param isOpenAfterL true for 으로/로, for which ㄹ does not count as a consonant
 */
function endsClosed(text: string, isOpenAfterL: boolean): boolean {
  const spoken = text.replace(/(?<=[^\s(])\([^()]*\)[^\p{L}\p{N}%]*$/u, '');
  const [last = ''] = /[\p{L}\p{N}%](?=[^\p{L}\p{N}%]*$)/u.exec(spoken) ?? [];
  const syllable = last.charCodeAt(0) - 0xac00;
  if (syllable >= 0 && syllable < 11_172)
    return syllable % 28 !== 0 && !(isOpenAfterL && syllable % 28 === 8);
  if (/\d/.test(last)) return (isOpenAfterL ? /[036]/ : /[013678]/).test(last);
  const [word = ''] = /[A-Za-z]+(?=[^\p{L}\p{N}%]*$)/u.exec(spoken) ?? [];
  const isSpelled = word.length < 4 && word === word.toUpperCase();
  if (isSpelled) return (isOpenAfterL ? /[MN]$/ : /[LMNR]$/).test(word);
  return (isOpenAfterL ? /(ng|[mn]e?|[aeiou][pkc]|ck|lk)$/i : /(ng|[lmn]e?|[aeiou][pkc]|ck|lk)$/i).test(word);
}

/** Returns the form of a particle after a text: 이 after 쿠폰, 가 after 레터. */
export const particle = (before: string, closed: string, open: string): string =>
  endsClosed(before, closed.startsWith('으로')) ? closed : open;

/** Chooses the right particle where a Korean text has both forms: `쿠폰{이/가}` becomes 쿠폰이. */
export const withParticles = (text: string): string =>
  text.replaceAll(/\{([가-힣]+)\/([가-힣]+)\}/g, (_, closed: string, open: string, at: number) =>
    particle(text.slice(0, at), closed, open),
  );

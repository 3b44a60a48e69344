/** Finds people's numbers and addresses in running text, in every spelling that the redaction recognizes. */
import { findingsIn, SEPARATORS, UNSEEN } from '../documents/contacts.js';

interface Spelled {
  readonly start: number;
  readonly end: number;
  /** The plain spelling, whose digest the load stores. */
  readonly plain: string;
}

const DIGIT = '[0-9\uff10-\uff19]';

/** What may be between the digits of a number, also in links and HTML, and invisible characters. */
const GAP = String.raw`(?:[${SEPARATORS}${UNSEEN}\uff08-\uff0f]|%2[0BCDEF]|&nbsp;)`;

const RUN = new RegExp(`${GAP}?${DIGIT}(?:${DIGIT}|${GAP}){6,}`, 'giu');
const ONE_GROUP = new RegExp(`^${DIGIT}+$`);
const GROUP = new RegExp(`${GAP}|(${DIGIT}+)`, 'giu');

const AT = String.raw`(?:[@\uff20]|%40|&#0*64;|&#x0*40;|&commat;)`;
const AT_SIGN = new RegExp(AT, 'giu');
const LOCAL = /[^\s"<>(),;\\@]*$/u;
const DOMAIN = /^(?:[\p{L}\p{N}-]+\.)+(?:[A-Za-z]+|\p{L}+)/u;

/** Minimum and maximum number of digits of a telephone number. */
const FEWEST = 8;
const MOST = 15;

/**
 * Finds every piece of a text that may be a number or an address. Returns all candidates: a group of digits may be a number by itself or
 * with its neighbors, and an address may begin after any sign.
 */
export function* spelledIn(text: string): Generator<Spelled> {
  for (const { 0: run, index: from } of text.matchAll(RUN)) {
    // Most runs of digits are instants or ids, so they are skipped early.
    if (run.length > MOST && ONE_GROUP.test(run)) continue;
    const groups = [...run.matchAll(GROUP)].filter(([, digits]) => digits !== undefined);
    for (const [nth, { index: first }] of groups.entries()) {
      const start = from + first - (/[+\uff0b]/.test(text[from + first - 1] ?? '') ? 1 : 0);
      let digits = '';
      for (let last = nth; last < groups.length && digits.length <= MOST; last++) {
        const [group = '', index = 0] = [groups[last]?.[0], groups[last]?.index];
        digits += group.normalize('NFKC');
        if (digits.length < FEWEST || digits.length > MOST) continue;
        const plain = digits.replace(/^(?:00)?820?/, '0');
        yield { start, end: from + index + group.length, plain };
      }
    }
  }
  for (const { 0: sign, index } of text.matchAll(AT_SIGN)) {
    const [domain] = DOMAIN.exec(text.slice(index + sign.length, index + 256)) ?? [];
    if (domain === undefined) continue;
    const [local = ''] = LOCAL.exec(text.slice(Math.max(0, index - 128), index)) ?? [];
    const end = index + sign.length + domain.length;
    for (let nth = 0; nth < local.length; nth++) {
      if (nth > 0 && /[A-Za-z0-9]/.test(local[nth - 1] ?? '')) continue;
      const name = local.slice(nth).normalize('NFKC').replaceAll(/%2b/gi, '+');
      yield { start: index - local.length + nth, end, plain: `${name}@${domain}`.toLowerCase() };
    }
  }
  // Like the load, also find numbers that are interrupted by tags, entities or escapes.
  yield* findingsIn(text);
}

/** Replaces the numbers and addresses to erase by asterisks. */
export function blanked(text: string, isErased: (plain: string) => boolean): string {
  let blank = text;
  for (const { start, end, plain } of spelledIn(text))
    if (isErased(plain)) blank = blank.slice(0, start) + '*'.repeat(end - start) + blank.slice(end);
  return blank;
}

/**
 * Handles texts that may hold half of a surrogate pair, which JavaScript accepts, and DuckDB, URLs and UTF-8 reject, and
 * mistyped words. Pure.
 */
import { closest, distance } from 'fastest-levenshtein';

/** Returns at most the first `most` characters of a text; it never cuts a surrogate pair, such as an emoji, in two. */
export function cut(text: string, most: number): string {
  const whole = text.toWellFormed();
  return whole.length <= most ? whole : Array.from(whole).slice(0, most).join('');
}

/** Serialises a value to JSON that DuckDB accepts: half a surrogate pair, in a text or a key, becomes U+FFFD. */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(d[89a-f]..)|.)/g, (escape, half?: string) =>
    half === undefined ? escape : '\ufffd',
  );
}

/** `Did you mean X? ` for a word that is nearly one of the known ones; empty if none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(word, known);
  const most = Math.max(2, Math.ceil(0.4 * Math.max(word.length, nearest.length)));
  return distance(word, nearest) <= most ? `Did you mean ${nearest}? ` : '';
}

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

/** `Did you mean X? ` for a word that is near a known one; empty if it is near none. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearWords(word, known);
  return near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `;
}

/** The known words that hold the word, at most three of them; else the one that differs in a third of its letters or less. */
function nearWords(word: string, known: readonly string[]): string[] {
  if (known.length === 0) return [];
  const holding = known.filter((one) => word.length > 2 && one.includes(word));
  if (holding.length > 0) return holding.slice(0, 3);
  const nearest = closest(word, known);
  return distance(word, nearest) <= Math.ceil(word.length / 3) ? [nearest] : [];
}

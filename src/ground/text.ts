/**
 * Handles texts that may hold half of a surrogate pair, which JavaScript accepts, and DuckDB, URLs and UTF-8 reject.
 * Pure.
 */

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

/** Text that may hold half of a surrogate pair, which JavaScript takes and DuckDB, URLs and UTF-8 refuse. Pure. */

/** The first characters of a text, as many as given: whole ones, so that an emoji is never cut in two. */
export function cut(text: string, most: number): string {
  const whole = text.toWellFormed();
  return whole.length <= most ? whole : Array.from(whole).slice(0, most).join('');
}

/** A value as JSON that DuckDB takes: half a pair, in a text or a key, is U+FFFD. */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(d[89a-f]..)|.)/g, (escape, half?: string) =>
    half === undefined ? escape : '\ufffd',
  );
}

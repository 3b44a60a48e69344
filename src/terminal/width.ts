/**
 * How many columns of a terminal text takes. The library is loaded for the first text that is more than plain ASCII: loading
 * it takes longer than drawing most tables.
 */

const PLAIN = /^[\x20-\x7e]*$/;

let widthOfAny: ((text: string) => number) | undefined;

/** Before the width of any of these texts is asked for. */
export async function prepareWidths(texts: Iterable<string | null>): Promise<void> {
  if (widthOfAny !== undefined) return;
  for (const text of texts) {
    if (text === null || PLAIN.test(text)) continue;
    widthOfAny = (await import('string-width')).default;
    return;
  }
}

/** Wide letters, such as those of Korean, take two columns. The text was prepared, or is a part of one that was. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : (widthOfAny?.(text) ?? text.length);
}

/** The header of a SQL file that is a select with a few words on what it is: a model, a check. */

/**
 * The values of those keys: lines `-- key: value`, each with the lines that go on with it, which are indented. Keys are
 * words of this package.
 */
export function headerOf(text: string, keys: readonly string[]): Record<string, string> {
  const line = new RegExp(`^-- (${keys.join('|')}): (.+(?:\\n-- {3,}.+)*)`, 'gm');
  return Object.fromEntries(
    [...text.matchAll(line)].map(([, key = '', value = '']) => [key, value.replaceAll(/\n-- +/g, ' ')]),
  );
}

/** The select without its semicolon, to be put into another statement. */
export function selectIn(text: string): string {
  return text.trimEnd().replace(/;$/, '');
}

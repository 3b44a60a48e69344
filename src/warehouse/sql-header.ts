/** Reads the header of a SQL file that holds one select. The header is written for people and for this program. */

/**
 * Returns the comments at the top of a file, by key: `-- key: value`. Lines below that are indented by three blanks
 * continue the value. All other comment lines are ignored, and so is everything after an empty comment line.
 *
 *     -- title: Cohorts
 *     -- params:
 *     --   weeks (bigint, default 12): how many weeks to show
 */
export function headerOf(text: string): Record<string, string[]> {
  const header: Record<string, string[]> = {};
  let values: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('-- ')) break;
    const [, key, value] = /^-- ([a-z_]+):(?: (.+))?$/.exec(line) ?? [];
    const [, more] = /^-- {3}(.+)$/.exec(line) ?? [];
    if (key !== undefined) header[key] = values = value === undefined ? [] : [value];
    else if (more !== undefined) values.push(more);
    else values = [];
  }
  return header;
}

/** Returns the same header with each value joined to one line. */
export function fieldsOf(text: string): Record<string, string> {
  const lines = Object.entries(headerOf(text));
  return Object.fromEntries(lines.map(([key, values]) => [key, values.map((line) => line.trim()).join(' ')]));
}

/** Returns the select without its semicolon, so that it can be embedded in another statement. */
export function selectIn(text: string): string {
  return text.trimEnd().replace(/;$/, '');
}

/** The header of a SQL file that is one select, in lines that both people and this program read. */

/**
 * The comments at the top of a file, by key: `-- key: value`, and the lines below that go on with it, which are indented by
 * three blanks. Other lines are for people alone, and so is all that follows a line without words.
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

/** The same with each value on one line. */
export function fieldsOf(text: string): Record<string, string> {
  const lines = Object.entries(headerOf(text));
  return Object.fromEntries(lines.map(([key, values]) => [key, values.map((line) => line.trim()).join(' ')]));
}

/** The select without its semicolon, to be put into another statement. */
export function selectIn(text: string): string {
  return text.trimEnd().replace(/;$/, '');
}

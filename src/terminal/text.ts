/** Text for a terminal: formats numbers and times, escapes text from outside, measures widths, and wraps lines. */
import stringWidth from 'string-width';

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a size in bytes: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power] ?? 'B'}`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 48 * 60) return `${Math.floor(minutes / (24 * 60))} days`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Characters that could move the cursor, change colors, reverse the line or start a new one: C0, DEL and C1; direction marks, embeddings,
 * overrides and isolates; line and paragraph separators. They are escaped as in JSON (`\u001b`), so that a campaign's name cannot forge a
 * line of output.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes text to one line. In JSON the escapes mean the same characters, so programs read the original text. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Escapes text but keeps line breaks, for data and for text whose line breaks are our own. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : escaped(character)));
}

function escaped(character: string): string {
  return NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** ASCII and Korean syllables have a fixed width, so such text need not be split into graphemes, which takes 3 µs each. */
const SIMPLE = /^[ -~가-힣]*$/;

/** Width of a text in terminal columns; a wide letter, such as a Korean one, takes two. */
export function widthOf(text: string): number {
  return SIMPLE.test(text) ? text.length + (text.match(/[가-힣]/g)?.length ?? 0) : stringWidth(text);
}

/** Longer lines are left for the terminal to wrap, because measuring them takes too long. */
const LONGEST_WRAPPED = 20_000;

/**
 * Wraps the text at blanks to the width of the window. A longer word, such as a path or an address, is not broken.
 *
 * @param indent number of blanks before further lines; by default, they align with the text beside a label
 */
export function wrapLine(text: string, width: number | undefined, indent = indentOf(text)): string {
  if (width === undefined || text.length > LONGEST_WRAPPED || widthOf(text) <= width) return text;
  return packed(text.split(/(?<=[^ ])(?= )/), width, indent).join('\n');
}

/** Arranges words in lines of at most this width. A longer word gets its own line. */
export function packed(words: readonly string[], width: number, indent = 0): string[] {
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line === '' || widthOf((line + word).trimEnd()) <= width) lines[lines.length - 1] = line + word;
    else lines.push(' '.repeat(indent) + word.trimStart());
  }
  return lines.map((line) => line.trimEnd());
}

/** The column at which the text beside a label starts (`  label  text`), or two columns after the first word. */
function indentOf(text: string): number {
  // Only the beginning, because the pattern would exhaust the stack on millions of characters.
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(text.slice(0, 40))?.[0].length ?? Infinity;
  return label <= 30 ? label : (/^ */.exec(text)?.[0].length ?? 0) + 2;
}

/** Minimum width of text beside other cells. In a narrower window, its further lines start at the left. */
const NARROWEST = 24;

export function listed(rows: readonly (readonly string[])[], width: number): string {
  const leading = rows[0]?.slice(0, -1) ?? [];
  const widths = leading.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ''))));
  const indent = widths.reduce((total, cell) => total + cell + 2, 0);
  return rows
    .map((row) => {
      const cells = widths.map((cell, i) => `${row[i] ?? ''}${' '.repeat(cell - widthOf(row[i] ?? ''))}`);
      const line = [...cells, row.at(-1) ?? ''].join('  ').trimEnd();
      return wrapLine(line, width, width - indent < NARROWEST ? 4 : indent);
    })
    .join('\n');
}

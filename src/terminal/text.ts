/**
 * Text for a terminal: formats numbers and times, escapes text from outside, computes widths, and quotes words for a
 * shell.
 */
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
 * Characters that would move the cursor, change colors, reverse the line or start a new one: C0, DEL and C1; marks of
 * direction, embeddings, overrides and isolates; separators of lines and paragraphs. They are escaped as in JSON
 * (`\u001b`), so that a campaign's name cannot forge a line of output.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes text to one line. In JSON the escapes denote the same characters, so a program reads the original text. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Escapes text but keeps its line breaks, for data and for text whose line breaks come from Dawnload. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : escaped(character)));
}

function escaped(character: string): string {
  return NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** ASCII and Korean syllables have a fixed width, so the text need not be split into graphemes (3 µs each). */
const SIMPLE = /^[ -~가-힣]*$/;

/** The width in columns of a terminal; wide letters, such as Korean ones, take two. */
export function widthOf(text: string): number {
  return SIMPLE.test(text) ? text.length + (text.match(/[가-힣]/g)?.length ?? 0) : stringWidth(text);
}

/** Longer lines are not wrapped: the terminal breaks them itself, and measuring takes too long. */
const LONGEST_WRAPPED = 20_000;

/**
 * Wraps the text at blanks to the width of the window. A word that is longer, such as a path or an address, is not
 * broken.
 *
 * @param indent columns before the continuation lines; by default they are aligned with the text beside a label
 */
export function wrapLine(text: string, width: number | undefined, indent = indentOf(text)): string {
  if (width === undefined || text.length > LONGEST_WRAPPED || widthOf(text) <= width) return text;
  return packed(text.split(/(?<=[^ ])(?= )/), width, indent).join('\n');
}

/** Puts words into lines of at most this width. A longer word gets a line of its own. */
export function packed(words: readonly string[], width: number, indent = 0): string[] {
  const lines = [''];
  for (const word of words) {
    const line = lines.at(-1) ?? '';
    if (line === '' || widthOf((line + word).trimEnd()) <= width) lines[lines.length - 1] = line + word;
    else lines.push(' '.repeat(indent) + word.trimStart());
  }
  return lines.map((line) => line.trimEnd());
}

/** The column at which the text beside a label begins (`  label  text`), or two columns after the first word. */
function indentOf(text: string): number {
  // A pattern over millions of characters would exhaust the stack.
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(text.slice(0, 40))?.[0].length ?? Infinity;
  return label <= 30 ? label : (/^ */.exec(text)?.[0].length ?? 0) + 2;
}

/** Minimum width of the text beside other cells; in a narrower window its further lines begin at the left. */
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

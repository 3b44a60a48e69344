/** Text for a terminal: numbers and times for people, text from outside made safe, widths, and words for a shell. */

/** A count: `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** A count where there is little room: `950`, `12.3k`, `1.2M`. */
export function formatRoughly(count: number): string {
  // The next unit from where rounding reaches it.
  const thousands = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, count) * 1.0005) / 3)));
  const value = count / 1000 ** thousands;
  const text = thousands === 0 || value >= 99.95 ? value.toFixed(0) : String(Number(value.toFixed(1)));
  return `${text}${['', 'k', 'M', 'G'][thousands] ?? ''}`;
}

/** `1 day`, `2 days`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes: `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power] ?? 'B'}`;
}

/** A stretch of time: `3 days`, `2 h 13 min`, `42 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 48 * 60) return `${Math.floor(minutes / (24 * 60))} days`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A stretch of time as a clock shows it while it passes: `0:42`, `12:05`, `1:02:09`. */
export function formatClock(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first = 0, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':');
}

// Text from outside, made safe to print: what would move the cursor, change colours, reverse the line or begin another one
// is escaped as in JSON (`\u001b`), so that a campaign's name cannot forge a line of output.

/** C0, DEL and C1; marks of direction, embeddings, overrides and isolates; separators of lines and paragraphs. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** On one line. In JSON the escapes stand for the same characters, so a program reads the same text. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Keeps line breaks: for text whose lines are Dawnload's own, or for data. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? '\n' : escaped(character)));
}

function escaped(character: string): string {
  return NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// How many columns of a terminal text takes. The library is loaded for the first text that is more than plain ASCII: loading
// it takes longer than drawing most tables.

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

/** Wide letters, such as those of Korean, take two columns. Exact where the text was prepared, or is a part of one that was. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return widthOfAny?.(text) ?? text.length + (text.match(WIDE)?.length ?? 0);
}

/** The letters of Korean, Chinese and Japanese, and their full-width forms. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/**
 * The text in lines that are no wider than the window, broken at blanks. A longer word, such as a path or an address, stays
 * whole.
 *
 * @param indent the columns before the lines that follow; by default they stand below the text beside a label
 */
export function wrapLine(text: string, width: number | undefined, indent = indentOf(text)): string {
  if (width === undefined || widthOf(text) <= width) return text;
  const lines = [''];
  for (const word of text.match(/ *[^ ]+/g) ?? []) {
    const line = lines.at(-1) ?? '';
    if (line === '' || widthOf(line + word) <= width) lines[lines.length - 1] = line + word;
    else lines.push(' '.repeat(indent) + word.trimStart());
  }
  return lines.join('\n');
}

/** Where the text begins that stands beside a label (`  label  text`), or two columns behind the first word. */
function indentOf(text: string): number {
  const label = /^ *\S+(?: \S+){0,2} {2,}/.exec(text)?.[0].length ?? Infinity;
  return label <= 30 ? label : (/^ */.exec(text)?.[0].length ?? 0) + 2;
}

/** A word as it can be pasted into a shell, in quotes where it needs them. */
export function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Draws a result as a table for people: wide Korean letters line up, and control characters in cells are escaped. */
import Table from 'cli-table3';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

export interface Column {
  readonly name: string;
  /** Numbers are right-aligned and never cut. */
  readonly numeric: boolean;
}

/** Cells as text; null is a value of its own. */
export type Row = readonly (string | null)[];

export interface Drawing {
  /** Columns of the terminal, for cutting long cells; undefined where nothing may be cut. */
  readonly width?: number | undefined;
  readonly color: boolean;
}

/** No cell is cut shorter than this, so that days and short names stay whole. */
const NARROWEST = 12;

/** Up to this many rows that are too wide are drawn one below the other, not with columns left out. */
const FEW_ROWS = 3;

/** The table, without a line break at its end. On a terminal that is too narrow, names of columns wrap and text is cut. */
export async function drawTable(
  columns: readonly Column[],
  rows: readonly Row[],
  drawing: Drawing,
): Promise<string> {
  const heads = columns.map(({ name }) => printable(name));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : printable(cell))));
  await prepareWidths(heads);
  for (const row of cells) await prepareWidths(row);
  const measures = columns.map(({ numeric }, i) =>
    measure(
      heads[i] ?? '',
      cells.map((row) => row[i] ?? NULL),
      numeric,
    ),
  );
  const natural = measures.map(({ cell, head }) => Math.max(cell, head));
  const { width } = drawing;
  if (width === undefined || outerWidth(natural) <= width)
    return grid(columns, heads, cells, natural, drawing);

  const fitting = howManyFit(measures, width);
  if (fitting < columns.length && (rows.length <= FEW_ROWS || fitting < 2))
    return blocks(heads, cells, drawing);
  const shownColumns = columns.slice(0, fitting);
  const table = grid(shownColumns, heads, cells, widthsWithin(measures.slice(0, fitting), width), drawing);
  return fitting === columns.length
    ? table
    : `${table}\nToo narrow for: ${heads.slice(fitting).join(', ')}. A wider terminal or --format csv shows them.`;
}

const NULL = 'null';

/** The width that a column needs, in columns of the terminal. */
interface Measure {
  readonly cell: number;
  readonly head: number;
  /** At the very least: numbers whole, text cut, the name broken after each underscore. */
  readonly least: number;
  /** With all cells whole and the name broken. */
  readonly enough: number;
}

function measure(head: string, cells: readonly string[], numeric: boolean): Measure {
  const cell = Math.max(0, ...cells.map((text) => widthOf(text)));
  const word = Math.max(...wordsOf(head).map((part) => widthOf(part.trimEnd())));
  return {
    cell,
    head: widthOf(head),
    least: Math.max(word, numeric ? cell : Math.min(cell, NARROWEST)),
    enough: Math.max(word, cell),
  };
}

/** Each column has a border and two blanks, and one more border closes the line. */
function outerWidth(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width + 3, 1);
}

/** How many of the columns, from the left, have room at their narrowest. */
function howManyFit(measures: readonly Measure[], width: number): number {
  let count = measures.length;
  while (count > 0 && outerWidth(measures.slice(0, count).map(({ least }) => least)) > width) count--;
  return count;
}

/** The widths that fit, the widest columns of text cut first. */
function widthsWithin(measures: readonly Measure[], width: number): number[] {
  const atMost = (cap: number): number[] =>
    measures.map(({ least, enough }) => Math.max(least, Math.min(enough, cap)));
  let cap = width;
  while (outerWidth(atMost(cap)) > width) cap--;
  return atMost(cap);
}

function grid(
  columns: readonly Column[],
  heads: readonly string[],
  cells: readonly Row[],
  widths: readonly number[],
  drawing: Drawing,
): string {
  const table = new Table({
    head: columns.map((_, i) => wrapped(heads[i] ?? '', widths[i] ?? 0)),
    colAligns: columns.map(({ numeric }) => (numeric ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  table.push(...cells.map((row) => columns.map((_, i) => shown(row[i] ?? null, widths[i] ?? 0, drawing))));
  return table.toString();
}

function shown(cell: string | null, width: number, { color }: Drawing): string {
  if (cell !== null) return cut(cell, width);
  // Without colour it could not be told from the text "null".
  return color ? `\u001b[2m${NULL}\u001b[22m` : '';
}

/** A name in its parts, each with the underscore or blank that ends it. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[_ ])/);
}

/** A name in lines no wider than the column. */
function wrapped(name: string, width: number): string {
  const lines = [''];
  for (const word of wordsOf(name)) {
    const longer = `${lines.at(-1) ?? ''}${word}`;
    if (widthOf(longer.trimEnd()) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

/** One block per row, one line per column: `name  value`. */
function blocks(heads: readonly string[], cells: readonly Row[], drawing: Drawing): string {
  const labels = Math.max(0, ...heads.map((head) => widthOf(head)));
  const room = Math.max(NARROWEST, (drawing.width ?? Infinity) - labels - 2);
  return cells
    .map((row, number) =>
      [
        `── ${number + 1} ──`,
        ...heads.map((head, i) => {
          const pad = ' '.repeat(labels - widthOf(head));
          return `${head}${pad}  ${shown(row[i] ?? null, room, drawing)}`.trimEnd();
        }),
      ].join('\n'),
    )
    .join('\n');
}

/** Safe to print, and composed, since a Korean syllable in parts is counted as wider than it is drawn. */
function printable(text: string): string {
  return visible(text.normalize('NFC'));
}

let letters: Intl.Segmenter | undefined;

/** The text within so many columns, with an ellipsis where something was left out. */
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  letters ??= new Intl.Segmenter('ko', { granularity: 'grapheme' });
  let kept = '';
  let taken = 0;
  for (const { segment } of letters.segment(text)) {
    taken += widthOf(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

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

/** Wide letters, such as those of Korean, take two columns. The text was prepared, or is a part of one that was. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : (widthOfAny?.(text) ?? text.length);
}

/** A word as it can be pasted into a shell, in quotes where it needs them. */
export function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Narrower than this the right-hand column is not drawn: a line runs over instead. */
const NARROWEST_PARAGRAPH = 24;

/** The text in lines no wider than `width`; a word that is wider is broken. */
export function wrap(text: string, width: number): string[] {
  return text === '' ? [] : wrapAnsi(text, width, { hard: true }).split('\n');
}

/**
 * Rows of cells whose last one is text: the others stand in columns, the text beside them, or below where the window is
 * too narrow for that.
 */
export function listed(rows: readonly (readonly string[])[], width: number): string {
  const leading = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: leading }, (_, i) =>
    Math.max(0, ...rows.map((row) => stringWidth(row[i] ?? ''))),
  );
  const indent = widths.reduce((total, cell) => total + cell + 2, 0);
  return rows
    .flatMap((row) => {
      const cells = row.slice(0, -1).map((cell, i) => padded(cell, widths[i] ?? 0));
      const text = row.at(-1) ?? '';
      if (width - indent < NARROWEST_PARAGRAPH) {
        const given = row.slice(0, -1).map((cell) => cell.trim());
        return [
          ...wrap(given.join(' '), Math.max(1, width - 2)).map((line) => `  ${line}`),
          ...wrap(text, Math.max(1, width - 4)).map((line) => `    ${line}`),
        ];
      }
      const lines = wrap(text, width - indent);
      const [first = '', ...rest] = lines;
      return [
        `${cells.map((cell) => `${cell}  `).join('')}${first}`.trimEnd(),
        ...rest.map((line) => `${' '.repeat(indent)}${line}`),
      ];
    })
    .join('\n');
}

function padded(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(0, width - stringWidth(text)))}`;
}

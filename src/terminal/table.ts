/** Draws a result as a table for people: wide Korean letters line up, and control characters in cells are escaped. */
import Table from 'cli-table3';
import { prepareWidths, visible, widthOf } from './text.js';

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

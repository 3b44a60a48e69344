/** Draws a result as a table for people: wide Korean letters line up, and control characters in cells are escaped. */
import Table from 'cli-table3';
import { prepareWidths, visible, widthOf, wrapLine } from './text.js';

export interface Column {
  readonly name: string;
  /** Numbers are right-aligned and never cut. */
  readonly numeric: boolean;
  /** Sentences stand below their row, whole at any width. */
  readonly below?: boolean;
  /** Names of things are cut last. */
  readonly isName?: boolean;
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

/**
 * The table, without a line break at its end. On a terminal that is too narrow, names of columns wrap and text is cut, then
 * the last columns are left out, and only then the names of things are cut.
 */
export async function drawTable(
  columns: readonly Column[],
  rows: readonly Row[],
  drawing: Drawing,
): Promise<string> {
  const heads = columns.map(({ name }) => printable(name));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : printable(cell))));
  await prepareWidths(heads);
  for (const row of cells) await prepareWidths(row);
  const beside = columns.flatMap(({ below }, i) => (below === true ? [] : [i]));
  const notes = cells.map((row) => row.filter((cell, i) => cell !== null && !beside.includes(i)).join(' '));
  const at = <T>(list: readonly T[]): T[] => list.filter((_, i) => beside.includes(i));
  const table = { columns: at(columns), heads: at(heads), cells: cells.map(at), notes };
  const { width } = drawing;
  const natural = measured(table, true).map(({ cell, head }) => Math.max(cell, head));
  if (width === undefined || outerWidth(natural) <= width) return grid(table, natural, drawing);

  const whole = measured(table, true);
  const names = table.columns.findLastIndex(({ isName }) => isName === true) + 1;
  const measures = howManyFit(whole, width) > names ? whole : measured(table, false);
  const fitting = howManyFit(measures, width);
  const isWhole = fitting === beside.length;
  if (!isWhole && (rows.length <= FEW_ROWS || fitting < 2)) return blocks(table, drawing);
  const drawn = grid(table, widthsWithin(measures.slice(0, fitting), width), drawing);
  if (isWhole) return drawn;
  const left = `Too narrow for: ${table.heads.slice(fitting).join(', ')}. A wider terminal or --format csv shows them.`;
  return `${drawn}\n${wrapLine(left, width)}`;
}

/** A table in its parts, all of it safe to print. */
interface Parts {
  readonly columns: readonly Column[];
  readonly heads: readonly string[];
  readonly cells: readonly Row[];
  /** The sentence below each row; empty where there is none. */
  readonly notes: readonly string[];
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

/** @param wholeNames whether names of things are never cut */
function measured({ columns, heads, cells }: Parts, wholeNames: boolean): Measure[] {
  return columns.map((column, i) => {
    const head = heads[i] ?? '';
    const cell = Math.max(0, ...cells.map((row) => widthOf(row[i] ?? NULL)));
    const word = Math.max(...wordsOf(head).map((part) => widthOf(part.trimEnd())));
    const isWhole = column.numeric || (wholeNames && column.isName === true);
    return {
      cell,
      head: widthOf(head),
      least: Math.max(word, isWhole ? cell : Math.min(cell, NARROWEST)),
      enough: Math.max(word, cell),
    };
  });
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

/** As many columns as there are widths. */
function grid({ columns, heads, cells, notes }: Parts, widths: readonly number[], drawing: Drawing): string {
  const table = new Table({
    head: widths.map((width, i) => wrapped(heads[i] ?? '', width)),
    colAligns: widths.map((_, i) => (columns[i]?.numeric === true ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  const inner = outerWidth(widths) - 4;
  for (const [number, row] of cells.entries()) {
    table.push(widths.map((width, i) => shown(row[i] ?? null, width, drawing)));
    const note = notes[number] ?? '';
    if (note !== '') table.push([{ colSpan: widths.length, content: wrapLine(`  ${note}`, inner, 2) }]);
  }
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
function blocks({ heads, cells, notes }: Parts, drawing: Drawing): string {
  const labels = Math.max(0, ...heads.map((head) => widthOf(head)));
  const room = Math.max(NARROWEST, (drawing.width ?? Infinity) - labels - 2);
  return cells
    .flatMap((row, number) => [
      `── ${number + 1} ──`,
      ...heads.map((head, i) => {
        const pad = ' '.repeat(labels - widthOf(head));
        return `${head}${pad}  ${shown(row[i] ?? null, room, drawing)}`.trimEnd();
      }),
      ...[notes[number] ?? ''].filter((note) => note !== '').map((note) => wrapLine(note, drawing.width, 0)),
    ])
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

/** Draws an answer as a table. Wide Korean letters are aligned, and control characters are escaped. */
import { shownText } from '../ground/text.js';
import { listed, packed, visible, widthOf, wrapLine } from './text.js';

export interface Column {
  readonly name: string;
  readonly numeric: boolean;
  /** True for sentences, which are placed below their row and never cut. */
  readonly below?: boolean;
  /** True for names, which are cut last. */
  readonly isName?: boolean;
  /** Columns of the highest rank are left out first, from the right. The default is 0. */
  readonly rank?: number;
}

/** Cells as text; null differs from the text "null". */
export type Row = readonly (string | null)[];

export interface Drawing {
  /** Width of the terminal in columns, to which cells are cut; undefined for no limit. */
  readonly width?: number | undefined;
  readonly color: boolean;
  readonly lang?: 'en' | 'ko';
}

/** Minimum width of a cell that was cut, so that days and short names stay complete. */
const NARROWEST = 12;

/** Up to this number of rows, a table that is too wide is drawn as one block per row, with all columns. */
const FEW_ROWS = 3;

/**
 * Draws the table without a final line break. On a narrow terminal, column names are wrapped and texts are cut. If that is not enough,
 * columns are left out by rank, and names are cut last.
 */
export function drawTable(columns: readonly Column[], rows: readonly Row[], drawing: Drawing): string {
  const { width } = drawing;
  const named = columns.map((column) => ({ ...column, name: printable(column.name) }));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : printable(cell))));
  const beside = columns.flatMap(({ below }, i) => (below === true ? [] : [i]));
  const notes = cells.map((row) => row.filter((cell, i) => cell !== null && !beside.includes(i)).join(' '));
  const long = only({ columns: named, cells, notes }, beside);
  // Measure no more of a cell than the terminal can show.
  const table =
    width === undefined
      ? long
      : { ...long, cells: long.cells.map((row) => row.map((cell) => cell && shownText(cell, 4 * width))) };
  const whole = measured(table, true);
  const natural = whole.map((one) => one.natural);
  if (width === undefined || outerWidth(natural) <= width) return grid(table, natural, drawing);
  const names = table.columns.findLastIndex(({ isName }) => isName === true) + 1;
  const kept = fitting(table.columns, whole, width);
  const fewer = fitting(table.columns, measured(table, false), width);
  const isLosing = fewer.some((i) => (table.columns[i]?.rank ?? 0) < 2 && !kept.includes(i));
  const isNamed = kept.length > names && !isLosing;
  const shownAt = isNamed ? kept : fewer;
  const isWhole = shownAt.length === beside.length;
  const isFew = rows.length > 0 && rows.length <= FEW_ROWS;
  if (!isWhole && (isFew || shownAt.length < 2)) return blocks(long, drawing);
  const part = only(table, shownAt);
  const drawn = grid(part, widthsWithin(measured(part, isNamed), width), drawing);
  if (isWhole) return drawn;
  const left = table.columns.filter((_, i) => !shownAt.includes(i)).map(({ name }) => name);
  const sentence = TOO_NARROW[drawing.lang ?? 'en'].replace('{}', () => left.join(', '));
  return `${drawn}\n${wrapLine(sentence, width)}`;
}

const TOO_NARROW = {
  en: 'Too narrow for: {}. A wider terminal shows them, and so does JSON.',
  ko: '폭이 좁아 생략한 컬럼: {}. 터미널을 넓히거나 JSON으로 보면 모두 나옵니다.',
};

interface Parts {
  readonly columns: readonly Column[];
  readonly cells: readonly Row[];
  /** The sentences below each row; empty for a row without any. */
  readonly notes: readonly string[];
}

function only(table: Parts, shown: readonly number[]): Parts {
  const of = <T>(list: readonly T[]): T[] => list.filter((_, i) => shown.includes(i));
  return { ...table, columns: of(table.columns), cells: table.cells.map(of) };
}

const NULL = 'null';

interface Measure {
  readonly natural: number;
  /** The minimum width: complete numbers, texts cut, the column name broken after each underscore. */
  readonly least: number;
  /** The width with complete cells and a broken column name. */
  readonly enough: number;
}

/** @param wholeNames true if names must not be cut */
function measured({ columns, cells }: Parts, wholeNames: boolean): Measure[] {
  return columns.map((column, i) => {
    // Not Math.max(...), because a long list has more rows than a call may have arguments.
    const cell = cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? NULL)), 0);
    const word = Math.max(...wordsOf(column.name).map((part) => widthOf(part.trimEnd())));
    const isWhole = column.numeric || (wholeNames && column.isName === true);
    return {
      natural: Math.max(cell, widthOf(column.name)),
      least: Math.max(word, isWhole ? cell : Math.min(cell, NARROWEST)),
      enough: Math.max(word, cell),
    };
  });
}

function outerWidth(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width + 3, 1);
}

/** The columns that fit at their minimum widths, lowest rank first. */
function fitting(columns: readonly Column[], measures: readonly Measure[], width: number): number[] {
  const rankOf = (i: number): number => columns[i]?.rank ?? 0;
  const order = [...measures.keys()].sort((a, b) => rankOf(a) - rankOf(b) || a - b);
  const kept: number[] = [];
  for (const i of order)
    if (outerWidth([...kept, i].map((one) => measures[one]?.least ?? 0)) <= width) kept.push(i);
  return kept;
}

/** Widths that fit into `width`. The widest text columns are cut first. */
function widthsWithin(measures: readonly Measure[], width: number): number[] {
  const atMost = (cap: number): number[] =>
    measures.map(({ least, enough }) => Math.max(least, Math.min(enough, cap)));
  let cap = width;
  while (outerWidth(atMost(cap)) > width) cap--;
  return atMost(cap);
}

function grid({ columns, cells, notes }: Parts, widths: readonly number[], drawing: Drawing): string {
  const rule = (left: string, between: string, right: string): string =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(between)}${right}`;
  const line = (row: readonly string[]): string =>
    `│${row.map((text, i) => ` ${padded(text, widths[i] ?? 0, columns[i]?.numeric)} `).join('│')}│`;
  const heads = columns.map(({ name }, i) => packed(wordsOf(name), widths[i] ?? 0));
  const height = Math.max(...heads.map((lines) => lines.length));
  const lines = [rule('┌', '┬', '┐')];
  for (let i = 0; i < height; i++) lines.push(line(heads.map((head) => head[i] ?? '')));
  if (cells.length > 0) lines.push(rule('├', '┼', '┤'));
  const inner = outerWidth(widths) - 4;
  for (const [number, row] of cells.entries()) {
    lines.push(line(widths.map((width, i) => shown(row[i] ?? null, width, drawing))));
    const note = notes[number] ?? '';
    if (note !== '')
      for (const part of wrapLine(`  ${note}`, inner, 2).split('\n'))
        lines.push(`│ ${padded(cut(part, inner), inner)} │`);
  }
  lines.push(rule('└', notes.at(-1) ? '─' : '┴', '┘'));
  return lines.join('\n');
}

function padded(text: string, width: number, isNumber = false): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return isNumber ? blanks + text : text + blanks;
}

function shown(cell: string | null, width: number, { color }: Drawing): string {
  if (cell !== null) return cut(cell, width);
  // Without color, null would look like the text "null", so the cell stays empty.
  return color ? `\u001b[2m${NULL}\u001b[22m` : '';
}

/** Splits a name into parts that end with an underscore or a blank. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[_ ])/);
}

function blocks({ columns, cells, notes }: Parts, drawing: Drawing): string {
  const { width = Infinity } = drawing;
  return cells
    .flatMap((row, number) => [
      `── ${number + 1} ──`,
      listed(
        columns.map(({ name }, i) => [name, shown(row[i] ?? null, Infinity, drawing)]),
        width,
      ),
      ...[notes[number] ?? ''].filter((note) => note !== '').map((note) => wrapLine(note, width, 0)),
    ])
    .join('\n');
}

/**
 * Escapes control characters and composes letters, because the width of a decomposed Korean syllable is counted too high. Shortens text
 * first, because measuring a very long one takes minutes.
 */
function printable(text: string): string {
  return visible(shownText(text).normalize('NFC'));
}

const GRAPHEMES = new Intl.Segmenter();

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let room = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Draws a result as a table for people: wide Korean letters line up, nothing in a cell can upset the terminal. */
import Table from 'cli-table3';

export interface Column {
  readonly name: string;
  /** Numbers stand on the right and are never cut. */
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

/** The table, without a line break at its end. A table that fits in no way is drawn as one block per row. */
export function drawTable(columns: readonly Column[], rows: readonly Row[], drawing: Drawing): string {
  const heads = columns.map(({ name }) => printable(name));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? null : printable(cell))));
  const widths = heads.map((head, i) =>
    Math.max(displayWidth(head), ...cells.map((row) => displayWidth(row[i] ?? NULL))),
  );
  const fitting = drawing.width === undefined ? widths : fit(columns, heads, widths, drawing.width);
  if (fitting === undefined) return drawBlocks(heads, cells, drawing);
  const table = new Table({
    head: heads,
    colAligns: columns.map(({ numeric }) => (numeric ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  });
  table.push(...cells.map((row) => row.map((cell, i) => shown(cell, fitting[i] ?? 0, drawing))));
  return table.toString();
}

const NULL = 'null';

function shown(cell: string | null, width: number, { color }: Drawing): string {
  if (cell !== null) return cut(cell, width);
  // Without colour it could not be told from the text "null".
  return color ? `\u001b[2m${NULL}\u001b[22m` : '';
}

/** The widths that fit into the terminal, the widest columns of text cut first; undefined when none do. */
function fit(
  columns: readonly Column[],
  heads: readonly string[],
  widths: readonly number[],
  width: number,
): number[] | undefined {
  // Each column has a border and two blanks, and one more border closes the line.
  const room = width - 3 * columns.length - 1;
  const floors = columns.map(({ numeric }, i) =>
    Math.min(widths[i] ?? 0, numeric ? Infinity : Math.max(NARROWEST, displayWidth(heads[i] ?? ''))),
  );
  if (sum(floors) > room) return undefined;
  const atMost = (cap: number): number[] =>
    widths.map((own, i) => Math.max(floors[i] ?? 0, Math.min(own, cap)));
  let cap = Math.min(room, Math.max(0, ...widths));
  while (sum(atMost(cap)) > room) cap--;
  // Numbers have their own width as their floor, so the cap never touches them.
  return atMost(cap);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** One block per row, one line per column: `name  value`. */
function drawBlocks(heads: readonly string[], cells: readonly Row[], drawing: Drawing): string {
  const labels = Math.max(0, ...heads.map(displayWidth));
  const room = Math.max(NARROWEST, (drawing.width ?? Infinity) - labels - 2);
  return cells
    .map((row, number) =>
      [
        `── ${number + 1} ──`,
        ...heads.map((head, i) => {
          const pad = ' '.repeat(labels - displayWidth(head));
          return `${head}${pad}  ${shown(row[i] ?? null, room, drawing)}`.trimEnd();
        }),
      ].join('\n'),
    )
    .join('\n');
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Control characters written out, since a campaign's name must not be able to move the cursor or turn the line around;
 * letters composed, since a Korean syllable in parts is counted as wider than it is drawn.
 */
function printable(text: string): string {
  return text
    .normalize('NFC')
    .replace(
      /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
      (control) => NAMED[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/** What a terminal draws two columns wide: Hangul, Hanja, Kana, full-width forms, emoji. */
const WIDE =
  /^(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3040-\u3247\u3250-\u4dbf\u4e00-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{1b000}\u{1b001}\u{1f200}-\u{1f251}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;

const letters = new Intl.Segmenter('ko', { granularity: 'grapheme' });

function letterWidth(letter: string): number {
  return WIDE.test(letter) ? 2 : 1;
}

/** How many columns of a terminal the text takes. */
export function displayWidth(text: string): number {
  // Most cells are plain: only others need to be taken apart.
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of letters.segment(text)) width += letterWidth(segment);
  return width;
}

/** The text within so many columns, with an ellipsis where something was left out. */
function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const { segment } of letters.segment(text)) {
    taken += letterWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

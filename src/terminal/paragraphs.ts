/** Text for people in lines of a width: wrapped between words, wide Korean letters counted as drawn. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Narrower than this the right-hand column is not drawn: a line runs over instead. */
const NARROWEST = 24;

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
      if (width - indent < NARROWEST) {
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

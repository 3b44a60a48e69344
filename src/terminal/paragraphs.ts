/** Wraps text for people at word boundaries; wide Korean letters count as two columns. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Minimum width of the right-hand column; in a narrower window lines may overflow. */
const NARROWEST = 24;

/** Splits the text into lines no wider than `width`; a wider word is broken. */
export function wrap(text: string, width: number): string[] {
  return text === '' ? [] : wrapAnsi(text, width, { hard: true }).split('\n');
}

/**
 * Formats rows whose last cell is text: the other cells are aligned in columns, and the text is placed beside them, or
 * below them in a narrow window.
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

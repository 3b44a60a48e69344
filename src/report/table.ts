/**
 * Tables that fit the screen: on a phone charts are replaced by numbers. Sentences are placed below their rows at any
 * width.
 */
import { html, NOTHING, prose, type Html } from './page.js';

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Html | string | number;
  /** Small text below the first cell of a row, such as the channel. */
  readonly sub?: (row: Row) => string;
  /** A legend that explains the chart, shown next to it. */
  readonly legend?: string;
  /** True if the column is hidden on a phone because the value is also shown elsewhere. */
  readonly isExtra?: boolean;
  /**
   * Numbers are right-aligned so that their digits line up. Charts are hidden on a phone, except a `picture`, whose
   * points have no numbers beside them. A sentence is placed below its row; a sentence shared by several rows is placed
   * once below the table.
   */
  readonly kind?: 'number' | 'chart' | 'picture' | 'text' | 'sentence';
}

/** @param label distinguishes the table from other tables of the page if the caption does not */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  label = caption,
): Html {
  const inRow = columns.filter(({ kind }) => kind !== 'sentence');
  const below = columns.filter(({ kind }) => kind === 'sentence');
  const [first, ...others] = inRow;
  if (first === undefined) return NOTHING;
  const notes = sharedSentences(below, rows);
  const tableRow = (row: Row): Html => {
    const own = below.flatMap((column) => {
      const said = column.cell(row);
      return said === '' || (typeof said === 'string' && notes.includes(said)) ? [] : [{ column, said }];
    });
    const said = below.map((column) => column.cell(row)).filter((one) => typeof one === 'string');
    const marks = said.map((one) => notes.indexOf(one) + 1).filter((n) => n > 0);
    return html`<tr class="${own.length > 0 ? 'above' : ''}">
        <th scope="row" class="${classOf(first)}">
          <span>${first.cell(row)}${marks.map((n) => html`<sup>${n}</sup>`)}</span>
          ${first.sub === undefined ? undefined : html`<small>${first.sub(row)}</small>`}
        </th>
        ${others.map((column) => html`<td class="${classOf(column)}">${column.cell(row)}</td>`)}
      </tr>
      ${own.map(
        ({ column, said }) =>
          html`<tr class="below">
            <td colspan="${inRow.length}" class="${classOf(column)}">
              ${typeof said === 'string' ? prose(said) : said}
            </td>
          </tr>`,
      )}`;
  };
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">
      <table>
        <caption>
          <span>
            ${caption}${inRow.map(({ legend }) => (legend === undefined ? undefined : html`<span class="extra">; ${legend}</span>`))}
          </span>
        </caption>
        <thead>
          <tr>
            ${inRow.map((column) => html`<th scope="col" class="${classOf(column)}">${column.head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(tableRow)}
        </tbody>
      </table>
    </div>
    ${notes.map((note, i) => html`<p class="note"><sup>${i + 1}</sup> ${prose(note)}</p>`)}`;
}

function classOf<Row>({ kind = 'text', isExtra }: Column<Row>): string {
  return isExtra === true ? `${kind} extra` : kind;
}

/** Sentences that occur in more than one row. */
function sharedSentences<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const all = columns
    .flatMap(({ cell, isExtra }) => (isExtra === true ? [] : rows.map(cell)))
    .filter((said) => typeof said === 'string');
  return [...new Set(all)].filter((said) => said !== '' && all.filter((one) => one === said).length > 1);
}

/** Collapsed content. */
export function folded(summary: string, body: Html): Html {
  return html`<details>
    <summary>${summary}</summary>
    ${body}
  </details>`;
}

/** Tables: numbers beside each chart. One that is wider than a phone scrolls by itself, not the page. */
import { html, NOTHING, type Html } from './html.js';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Html | string | number;
  /** Numbers stand to the right, so that their digits align. */
  /** Not on a phone: another place has it too. */
  readonly isExtra?: boolean;
  readonly kind?: 'number' | 'chart' | 'text' | 'sentence';
}

/** @param label what sets it apart from other tables of the page, where the caption does not */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  label = caption,
): Html {
  const kindOf = ({ kind = 'text', isExtra }: Column<Row>): string =>
    isExtra === true ? `${kind} extra` : kind;
  const [first, ...others] = columns;
  if (first === undefined) return NOTHING;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">
    <table>
      <caption>
        <span>${caption}</span>
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" class="${kindOf(column)}">${column.head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row" class="${kindOf(first)}"><span>${first.cell(row)}</span></th>
              ${others.map((column) => html`<td class="${kindOf(column)}">${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** What need not be seen at once. */
export function folded(summary: string, body: Html): Html {
  return html`<details>
    <summary>${summary}</summary>
    ${body}
  </details>`;
}

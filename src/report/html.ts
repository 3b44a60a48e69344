/** Markup in which everything that is inserted is text, unless it is markup itself: a campaign named `<script>` is a name. */

export class Html {
  constructor(readonly markup: string) {}
}

type Insert = Html | string | number | undefined | readonly Insert[];

/** Markup with its inserts escaped. `undefined` inserts nothing. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(strings.reduce((text, string, i) => `${text}${markupOf(inserts[i - 1])}${string}`));
}

export const NOTHING = new Html('');

/** A sentence, with `commands` as such; lines are not broken within a day, nor before a per cent sign. */
export function prose(sentence: string): Html {
  const pieces = sentence.replace(/(\d) %/g, '$1\u00a0%').split(/(`[^`]+`|\d{4}-\d{2}-\d{2}\S*)/);
  return html`${pieces.map((piece, i) => {
    if (i % 2 === 0) return piece;
    return piece.startsWith('`')
      ? html`<code>${piece.slice(1, -1)}</code>`
      : html`<span class="day">${piece}</span>`;
  })}`;
}

function markupOf(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Html) return insert.markup;
  return typeof insert === 'object' ? insert.map(markupOf).join('') : escaped(String(insert));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
      // Control characters are no part of a name, and those that turn the direction of writing would turn the page's.
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  );
}

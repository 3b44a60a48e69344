/** Markup with escaped inserts, and sentences as markup. */

export class Html {
  constructor(readonly markup: string) {}
}

type Insert = Html | string | number | undefined | readonly Insert[];

/** Markup with escaped inserts. `undefined` inserts nothing. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const [first = '', ...others] = strings.map(withoutIndent);
  return new Html(others.reduce((text, string, i) => `${text}${markupOf(inserts[i])}${string}`, first));
}

/** The indentation of templates is for their readers, and would be a quarter of the page. */
function withoutIndent(text: string): string {
  return text.replace(/\n\s+/g, '\n');
}

export const NOTHING = new Html('');

/** Code between backticks, a short name in quotes with what is attached to it, and a number with its percent sign. */
const PIECES = /(`[^`]+`|[‘“][^’”]{1,24}[’”]\S*|\d[\d,.]*\u00a0?%\S*)/;

/** A sentence as markup. Lines are not broken inside of a short name, nor between a name and its particle. */
export function prose(sentence: string): Html {
  return html`${sentence
    .replaceAll('~', '\u2060~\u2060')
    .split(PIECES)
    .map((piece, i) => {
      if (i % 2 === 0) return piece;
      return piece.startsWith('`')
        ? html`<code>${piece.slice(1, -1)}</code>`
        : html`<span class="whole">${piece}</span>`;
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
      // Names contain no control characters, and direction marks would change the writing direction of the page.
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  );
}

/** Markup with escaped texts, and sentences as markup. */

export class Html {
  constructor(readonly markup: string) {}
}

export type Child = Html | string | number | undefined | readonly Child[];

/** Markup in a template: values are escaped, lists are joined, `undefined` is left out, and indented lines are one line. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Child[]): Html =>
  new Html(parts.map((part, i) => part.replace(/\n\s*/g, '') + textOf(values[i])).join(''));

/** Code between backticks, a short name in quotes with what is attached to it, and a number with its percent sign. */
const PIECES = /(`[^`]+`|[‘“][^’”]{1,24}[’”]\S*|\d[\d,.]*\u00a0?%\S*)/;

/** A sentence as markup. Lines are not broken inside of a short name, nor between a name and its particle. */
export function prose(sentence: string): Child {
  const pieces = sentence.replaceAll('~', '\u2060~\u2060').split(PIECES);
  return pieces.map((piece, i) => {
    if (i % 2 === 0) return piece;
    return piece.startsWith('`')
      ? markup`<code>${piece.slice(1, -1)}</code>`
      : markup`<span class="whole">${piece}</span>`;
  });
}

function textOf(child: Child): string {
  if (child === undefined) return '';
  if (child instanceof Html) return child.markup;
  return typeof child === 'object' ? child.map(textOf).join('') : escaped(String(child));
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

/** Markup of elements with escaped texts, and sentences as markup. */

export class Html {
  constructor(readonly markup: string) {}
}

export type Child = Html | string | number | undefined | readonly Child[];

/** An element of a name such as `p.note`, whose class follows the dot. `undefined` is nothing. */
export const tag = (name: string, ...children: readonly Child[]): Html => tagWith(name, {}, ...children);

/** An element with attributes; those that are undefined are left out. */
export function tagWith(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly Child[]
): Html {
  const [element = '', kind] = name.split('.');
  const given = Object.entries<string | number | undefined>({ class: kind, ...attributes }).flatMap(
    ([key, value]) => (value === undefined ? [] : ` ${key}="${escaped(String(value))}"`),
  );
  const end = /^(meta|link|br)$/.test(element) ? '' : `</${element}>`;
  return new Html(`<${element}${given.join('')}>${markupOf(children)}${end}`);
}

/** Code between backticks, a short name in quotes with what is attached to it, and a number with its percent sign. */
const PIECES = /(`[^`]+`|[‘“][^’”]{1,24}[’”]\S*|\d[\d,.]*\u00a0?%\S*)/;

/** A sentence as markup. Lines are not broken inside of a short name, nor between a name and its particle. */
export function prose(sentence: string): Child {
  const pieces = sentence.replaceAll('~', '\u2060~\u2060').split(PIECES);
  return pieces.map((piece, i) => {
    if (i % 2 === 0) return piece;
    return piece.startsWith('`') ? tag('code', piece.slice(1, -1)) : tag('span.whole', piece);
  });
}

function markupOf(child: Child): string {
  if (child === undefined) return '';
  if (child instanceof Html) return child.markup;
  return typeof child === 'object' ? child.map(markupOf).join('') : escaped(String(child));
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

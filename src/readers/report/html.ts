/** Builds markup with escaped texts, turns sentences into markup, and extracts readable text from HTML of others. */

export class Html {
  constructor(readonly markup: string) {}
}

export type Child = Html | string | number | undefined | readonly Child[];

/** Markup from a template: values are escaped, lists are joined, `undefined` is left out, and indented lines become one line. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Child[]): Html =>
  new Html(parts.map((part, i) => part.replace(/\n\s*/g, '') + textOf(values[i])).join(''));

/** Code in backticks, a short name in quotes with what follows it directly, days, a range, and a number with its percent sign. */
const WHOLE = [
  /`[^`]+`/,
  /[‘“][^’”]{1,24}[’”]\S*/,
  /\d{4}-\d\d-\d\d/,
  /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}(?:–(?:[A-Z][a-z]{2} )?\d)?\S*/,
  /\d{1,2}월 \d{1,2}일(?:\u2060~\u2060\d{1,2}월 \d)?\S*/,
  /\d[\d,]*–\d\S*/,
  /\d[\d,.]*\u00a0?%\S*/,
];
const PIECES = new RegExp(`(${WHOLE.map(({ source }) => source).join('|')})`);

/** A sentence as markup. Lines do not break inside a short name, or between a name and its particle. */
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

const BLOCKS = /^(?:p|div|br|hr|tr|table|li|ul|ol|h[1-6]|section|article|header|footer|blockquote)$/;
const HIDDEN = /^(?:style|script|head|title|template)$/;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The text that people read in HTML; an image becomes its name and address. A text without tags is unchanged. */
export function withoutTags(html: string): string {
  if (!/<[a-z!/]/i.test(html)) return html;
  // Only ASCII letters, because others may become two characters and move the positions.
  const lower = html.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let [text, at] = ['', 0];
  while (at < html.length) {
    const open = html.indexOf('<', at);
    text += html.slice(at, open < 0 ? undefined : open).replace(/\s+/g, ' ');
    if (open < 0) break;
    const tag = /^<(\/?)([a-z][a-z\d]*)|^<!/.exec(lower.slice(open, open + 24));
    if (tag === null) text += '<';
    const isComment = lower.startsWith('<!--', open);
    const close = tag === null ? open : html.indexOf(isComment ? '-->' : '>', open);
    if (close < 0) {
      text += html.slice(open);
      break;
    }
    at = close + (isComment ? 3 : 1);
    const [, slash, name = ''] = tag ?? [];
    if (BLOCKS.test(name)) text += '\n';
    if (name === 'img') text += ` ${imageIn(html.slice(open, at))} `;
    if (slash === '' && HIDDEN.test(name)) {
      const end = lower.indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    }
  }
  const lines = text
    .replace(/&(?:#(\d{1,7})|(\w{1,8}));/g, (whole, code?: string, name?: string) =>
      code === undefined ? (NAMED[name ?? ''] ?? whole) : characterOf(Number(code)),
    )
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n');
}

const characterOf = (code: number): string => (code <= 0x10_ffff ? String.fromCodePoint(code) : '');

function imageIn(tag: string): string {
  const valueOf = (name: string): string =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag)?.slice(1).join('') ?? '';
  return [valueOf('alt'), valueOf('src')].filter((one) => one !== '').join(': ');
}

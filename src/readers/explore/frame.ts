/** The frame of every view: its head, the bar with search and languages, and addresses that keep your choices. */
import { Dictionary, type Language } from '../../warehouse/dictionary.js';
import { formatKst } from '../../ground/calendar.js';
import { cut } from '../../ground/text.js';
import { Wording, type Row } from '../queries/wording.js';
import { filled } from '../queries/sentences.js';
import { Html, markup, prose, type Child } from '../report/html.js';
import { WORDS, type Word } from './words.js';

export class View {
  readonly wording: Wording;

  constructor(
    readonly language: Language,
    readonly url: URL,
    readonly publishedAt: number | undefined,
  ) {
    this.wording = new Wording(language);
  }

  word(word: Word, values: Row = {}): string {
    return filled(this.wording.say(WORDS[word]), values, this.wording);
  }

  /** The value of a field in the address; undefined if it is missing. */
  get(name: string): string | undefined {
    const value = this.url.searchParams.get(name)?.trim();
    return value === '' ? undefined : (value ?? undefined);
  }

  /** This address with other values for some fields; undefined removes a field. */
  address(fields: Readonly<Record<string, string | undefined>>): string {
    const search = new URLSearchParams(this.url.searchParams);
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) search.delete(name);
      else search.set(name, value);
    }
    return addressOf(this.url.pathname, search);
  }

  get published(): string {
    return this.publishedAt === undefined ? '' : formatKst(new Date(this.publishedAt));
  }
}

export function addressOf(path: string, fields: Iterable<readonly [string, string]>): string {
  const search = new URLSearchParams([...fields].map(([name, value]) => [name, value])).toString();
  return search === '' ? path : `${path}?${search}`;
}

export const questionAddress = (name: string, fields: Readonly<Record<string, string>> = {}): string =>
  addressOf(`/q/${encodeURIComponent(name)}`, Object.entries(fields));

/** Maximum length of a name on one line. */
export const shortName = (text: string, most = 80): string =>
  text.length <= most ? text : `${cut(text, most - 1)}…`;

/** The short name of a column's value, in the language of the page. */
export const nameOf = ({ language }: View, column: string, value: string): string =>
  shortName(Dictionary.load().value(column, value)?.[language] ?? value);

export const ASSETS = [
  '/assets/report.css',
  '/assets/explore.css',
  '/assets/page.js',
  '/assets/editor.js',
] as const;

/** Loaded before the answer is complete. */
const EDITOR = '/assets/editor.js';

export function framed(
  view: View,
  title: string,
  scripts: readonly (typeof ASSETS)[number][] = [],
): [start: Html, end: Html] {
  const { language } = view;
  const other = language === 'en' ? 'ko' : 'en';
  const here = (path: string): Html | undefined =>
    view.url.pathname === path ? new Html(' aria-current="page"') : undefined;
  const link = (path: string, word: Word): Html =>
    markup`<li><a href="${path}"${here(path)}>${view.word(word)}</a></li>`;
  const start = markup`<!doctype html>
    <html lang="${language}">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="/assets/report.css">
      <link rel="stylesheet" href="/assets/explore.css">
      ${scripts.map((src) => markup`<script type="module"${src === EDITOR ? new Html(' async') : undefined} src="${src}"></script>`)}
      <title>${shortName(title)} · Dawnload</title>
    </head>
    <body>
      <a class="skip" href="#content">${view.word('skip')}</a>
      <nav class="site" aria-label="Dawnload">
        <ul>
          ${link('/', 'today')}${link('/search', 'questions')}${link('/data', 'data')}${link('/sql', 'sqlTitle')}
        </ul>
        <form action="/search" role="search">
          <input type="search" name="q" aria-label="${view.word('search')}" placeholder="${view.word('searchFor')}" value="${view.url.pathname === '/search' ? view.get('q') : undefined}">
        </form>
        <a lang="${other}" hreflang="${other}" href="${view.address({ lang: other, token: undefined })}">${view.word('otherLanguage')}</a>
      </nav>`;
  const end = markup`</body></html>\n`;
  return [start, end];
}

export function pageOf(view: View, title: string, content: Child): string {
  const [start, end] = framed(view, title);
  return markup`${start}<main id="content" class="view">${content}</main>${end}`.markup;
}

export const notice = (said: string, more?: string): Html =>
  markup`<h1>${prose(said)}</h1>${more && markup`<p>${prose(more)}</p>`}`;

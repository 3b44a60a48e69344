/** The frame of the page: the first screen, the sections, and what concerns the data and the job. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import type { Said } from '../queries/sentences.js';
import { Html, prose, tag, tagWith } from './html.js';
import { folded, listed, type Answered, type Renderer } from './render.js';
import type { Word } from './words.js';

/** Style and behaviour of the page, which contains them. */
const FOLDER = join(PACKAGE_ROOT, 'src', 'readers', 'report');
const STYLE = readFileSync(join(FOLDER, 'report.css'), 'utf8');
const SCRIPT = readFileSync(join(FOLDER, 'sort.js'), 'utf8');
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** Nothing but the style and the one script that are in the page may apply. */
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${SCRIPT_HASH}'`;

/** The queries whose to-dos come first, the most urgent one first. */
const URGENT = [
  'failure-alarm',
  'opt-outs-after-messages',
  'ab-tests',
  'refused-templates',
  'campaigns-to-watch',
];
/** A longer list would not be read. */
const MOST_TO_DO = 3;
const MOST_FINDINGS = 5;

interface Circumstances {
  /** The newest day of the daily statistics; undefined if there is none. */
  readonly day: string | undefined;
  /** The mark of what the page shows; empty if parts of it could not be drawn. */
  readonly mark: string;
  /** The instant at which the page was made, in KST. */
  readonly madeAt: string;
  /** What the last run says of the numbers: a line at the top, and the whole reason. */
  readonly notice: { readonly word: Word; readonly reason: string } | undefined;
}

export function documentOf(renderer: Renderer, all: readonly Answered[], given: Circumstances): string {
  const { wording } = renderer;
  const shown = all.flatMap((answered) => {
    const drawn = renderer.section(answered);
    return drawn === undefined ? [] : [{ ...answered.section, drawn }];
  });
  const [first, ...others] = shown.filter(({ isAbout }) => isAbout !== true);
  const about = shown.filter(({ isAbout }) => isAbout === true);
  const commands = all.flatMap(({ answers }) => answers).map(({ command }) => `\`${command}\``);
  const day = given.day === undefined ? renderer.word('noDay') : wording.day(given.day, 'long');
  const title = renderer.word('title');
  const meta = { 'color-scheme': 'light dark', referrer: 'no-referrer', data: given.mark };
  const links = [...others.map(({ id }) => id), 'about' as const].map((id) =>
    tag('li', tagWith('a', { href: `#${id}` }, renderer.word(id))),
  );
  const { markup } = tagWith(
    'html',
    { lang: wording.language },
    tag(
      'head',
      tagWith('meta', { charset: 'utf-8' }),
      tagWith('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      Object.entries(meta).map(([name, content]) => tagWith('meta', { name, content })),
      tagWith('meta', { 'http-equiv': 'Content-Security-Policy', content: POLICY }),
      tagWith('link', { rel: 'icon', href: 'data:,' }),
      tag('title', `${title} ${given.day ?? ''}`),
      tag('style', new Html(STYLE)),
    ),
    tag(
      'body',
      tag(
        'header',
        tag('h1', `${title} `, tag('span', day)),
        tag('p', renderer.word('made', { made: given.madeAt })),
        alerts(renderer, all, given),
      ),
      tag(
        'main',
        first?.drawn,
        tag('div.reading', standsOut(renderer, all), toDo(renderer, all)),
        tagWith('nav', { 'aria-label': renderer.word('contents') }, tag('ul', links)),
        others.map(({ drawn }) => drawn),
        tagWith(
          'section',
          { id: 'about', 'aria-labelledby': 'about-title' },
          tagWith('h2', { id: 'about-title' }, renderer.word('about')),
          given.notice && tag('p', prose(given.notice.reason)),
          folded(
            about.map(({ id }) => renderer.word(id)).join(', '),
            about.map(({ drawn }) => drawn),
          ),
          folded(renderer.word('commands'), listed(commands)),
        ),
      ),
      tag('script', new Html(SCRIPT)),
    ),
  );
  return `<!doctype html>\n${markup}\n`;
}

/** The sentences of a role with their queries. */
const saidBy = (all: readonly Answered[], role: Said['as'], ofAbout: boolean) =>
  all
    .filter(({ section }) => (section.isAbout === true) === ofAbout)
    .flatMap(({ answers }) => answers)
    .flatMap(({ asked: { query }, said }) => said.map(({ as, text }) => ({ query, as, text })))
    .filter(({ as }) => as === role);

/** A line for each reason not to trust the numbers below. */
function alerts(renderer: Renderer, all: readonly Answered[], { notice }: Circumstances): Html[] {
  const said = [...saidBy(all, 'alert', true), ...saidBy(all, 'alert', false)].map(({ text }) => text);
  const lines = [...(notice === undefined ? [] : [renderer.word(notice.word)]), ...said];
  const more = tagWith('a', { href: '#about' }, renderer.word('seeAbout'));
  return lines.map((text) => tagWith('p.notice', { role: 'status' }, prose(text), ' ', more));
}

function standsOut(renderer: Renderer, all: readonly Answered[]): Html {
  const findings = saidBy(all, 'finding', false).slice(0, MOST_FINDINGS);
  return tagWith(
    'div',
    { role: 'region', 'aria-labelledby': 'stands-out' },
    tagWith('h2', { id: 'stands-out' }, renderer.word('standsOut')),
    findings.length === 0
      ? tag('p', renderer.word('nothingStandsOut'))
      : listed(findings.map(({ text }) => text)),
  );
}

/** What to change in campaigns, the most urgent first. What concerns the job is in its section. */
function toDo(renderer: Renderer, all: readonly Answered[]): Html {
  const place = ({ query }: { query: string }): number =>
    (URGENT.indexOf(query) + URGENT.length) % URGENT.length;
  const list = saidBy(all, 'to do', false).sort((a, b) => place(a) - place(b));
  const items = (some: typeof list, start: number): Html =>
    tagWith(
      'ol',
      { start },
      some.map(({ text }) => tag('li', prose(text))),
    );
  const left = list.slice(MOST_TO_DO);
  return tagWith(
    'div.to-do',
    { role: 'region', 'aria-labelledby': 'to-do' },
    tagWith('h2', { id: 'to-do' }, renderer.word('toDo')),
    list.length === 0 ? tag('p', renderer.word('nothingToDo')) : items(list.slice(0, MOST_TO_DO), 1),
    left.length === 0
      ? undefined
      : folded(renderer.word('moreToDo', { left: left.length }), items(left, MOST_TO_DO + 1)),
  );
}

/** The frame of the page: the first screen, the sections, and what concerns the data and the job. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import type { Said } from '../queries/sentences.js';
import { html, Html, prose } from './html.js';
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
  const { markup } = html`<html lang="${wording.language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
      <meta name="data" content="${given.mark}" />
      <link rel="icon" href="data:," />
      <title>${title} ${given.day ?? ''}</title>
      ${new Html(`<style>${STYLE}</style>`)}
    </head>
    <body>
      <header>
        <h1>${title} <span>${day}</span></h1>
        <p>${renderer.word('made', { made: given.madeAt })}</p>
        ${alerts(renderer, all, given)}
      </header>
      <main>
        ${first?.drawn}
        <div class="reading">${standsOut(renderer, all)}${toDo(renderer, all)}</div>
        <nav aria-label="${renderer.word('contents')}">
          <ul>
            ${[...others.map(({ id }) => id), 'about' as const].map((id) => html`<li><a href="#${id}">${renderer.word(id)}</a></li>`)}
          </ul>
        </nav>
        ${others.map(({ drawn }) => drawn)}
        <section id="about" aria-labelledby="about-title">
          <h2 id="about-title">${renderer.word('about')}</h2>
          ${given.notice === undefined ? undefined : html`<p>${prose(given.notice.reason)}</p>`}
          <details>
            <summary>${about.map(({ id }) => renderer.word(id)).join(', ')}</summary>
            ${about.map(({ drawn }) => drawn)}
          </details>
          ${folded(renderer.word('commands'), listed(commands))}
        </section>
      </main>
      ${new Html(`<script>${SCRIPT}</script>`)}
    </body>
  </html>`;
  return `<!doctype html>\n${markup}\n`;
}

const saidBy = (all: readonly Answered[], role: Said['as'], isAbout: boolean) =>
  all
    .filter(({ section }) => (section.isAbout === true) === isAbout)
    .flatMap(({ answers }) =>
      answers.flatMap(({ asked: { query }, said }) =>
        said.filter(({ as }) => as === role).map(({ text }) => ({ query, text })),
      ),
    );

/** A line for each reason not to trust the numbers below. */
function alerts(renderer: Renderer, all: readonly Answered[], { notice }: Circumstances): Html {
  const said = [...saidBy(all, 'alert', true), ...saidBy(all, 'alert', false)].map(({ text }) => text);
  const lines = [...(notice === undefined ? [] : [renderer.word(notice.word)]), ...said];
  return html`${lines.map(
    (text) =>
      html`<p class="notice" role="status">
        ${prose(text)} <a href="#about">${renderer.word('seeAbout')}</a>
      </p>`,
  )}`;
}

function standsOut(renderer: Renderer, all: readonly Answered[]): Html {
  const findings = saidBy(all, 'finding', false).slice(0, MOST_FINDINGS);
  return html`<div role="region" aria-labelledby="stands-out">
    <h2 id="stands-out">${renderer.word('standsOut')}</h2>
    ${findings.length === 0 ? html`<p>${renderer.word('nothingStandsOut')}</p>` : listed(findings.map(({ text }) => text))}
  </div>`;
}

/** What to change in campaigns, the most urgent first. What concerns the job is in its section. */
function toDo(renderer: Renderer, all: readonly Answered[]): Html {
  const place = ({ query }: { query: string }): number =>
    (URGENT.indexOf(query) + URGENT.length) % URGENT.length;
  const list = saidBy(all, 'to do', false).sort((a, b) => place(a) - place(b));
  const [first, left] = [list.slice(0, MOST_TO_DO), list.slice(MOST_TO_DO)];
  const items = (some: typeof list, start: number): Html =>
    html`<ol start="${start}">
      ${some.map(({ text }) => html`<li>${prose(text)}</li>`)}
    </ol>`;
  return html`<div role="region" class="to-do" aria-labelledby="to-do">
    <h2 id="to-do">${renderer.word('toDo')}</h2>
    ${first.length === 0 ? html`<p>${renderer.word('nothingToDo')}</p>` : items(first, 1)}
    ${
      left.length === 0
        ? undefined
        : folded(renderer.word('moreToDo', { left: left.length }), items(left, MOST_TO_DO + 1))
    }
  </div>`;
}

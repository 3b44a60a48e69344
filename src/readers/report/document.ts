/** The frame of the page: the first screen, the sections, and facts about the data and the job. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftDay, type Day } from '../../ground/calendar.js';
import { PACKAGE_ROOT } from '../../ground/effects.js';
import type { Said } from '../queries/sentences.js';
import type { Value } from '../queries/wording.js';
import { Html, markup, prose } from './html.js';
import { folded, listed, type Answer, type Answered, type Renderer } from './render.js';
import type { Word } from './words.js';

/** The folder with the style and the script that are embedded in the page. */
const FOLDER = join(PACKAGE_ROOT, 'src', 'readers', 'report');
export const STYLE = readFileSync(join(FOLDER, 'report.css'), 'utf8');
export const SCRIPT = readFileSync(join(FOLDER, 'page.js'), 'utf8');
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** Allows only the style and the one script that are in the page. */
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${SCRIPT_HASH}'`;

/** The queries whose findings and to-dos come first, most urgent first. */
const URGENT = [
  'compliance',
  'failure-alarm',
  'opt-outs-after-messages',
  'ab-tests',
  'refused-templates',
  'campaigns-to-watch',
];
export const MOST_TO_DO = 6;
const MOST_FINDINGS = 5;

interface Circumstances {
  /** The latest day of daily statistics; undefined without any. */
  readonly day: Day | undefined;
  /** When the page was made, in KST. For a served page, when its file was published. */
  readonly madeAt: string;
  /** The present instant, in KST. */
  readonly now: string;
  /** The state of the last run: a line for the top of the page, and the complete reason. */
  readonly notice: { readonly word: Word; readonly reason: string } | undefined;
}

export type Frame = (title: string, body: Html, renderer: Renderer, given: Circumstances) => string;

export function documentOf(
  renderer: Renderer,
  all: readonly Answered[],
  given: Circumstances,
  frame: Frame = selfContained,
): string {
  const { wording } = renderer;
  const shown = all.flatMap((answered) => {
    const section = renderer.section(answered);
    return section === undefined ? [] : [{ ...answered.section, drawn: section }];
  });
  const said = firstScreen(all);
  const [first, ...others] = shown.filter(({ isAbout }) => isAbout !== true);
  const about = shown.filter(({ isAbout }) => isAbout === true);
  const commands = all.flatMap(({ answers }) => answers).map(({ command }) => `\`${command}\``);
  const { day: last } = given;
  const days = last === undefined ? renderer.word('noDay') : wording.days(shiftDay(last, -6), last);
  const title = renderer.word('title');
  const [next = null, morning = null] = last === undefined ? [] : [shiftDay(last, 1), shiftDay(last, 2)];
  const isNextDue = morning !== null && given.now < `${morning} 07:00`;
  const links = [...others.map(({ id }) => id), 'about' as const].map(
    (id) => markup`<li><a href="#${id}">${renderer.word(id)}</a></li>`,
  );
  const names = about.map(({ id }) => renderer.word(id)).join(', ');
  const drawn = (some: typeof shown): Html[] => some.map((one) => one.drawn);
  const body = markup`
    <header>
      <h1>${title} <span>${days}</span></h1>
      <p>${prose(renderer.word('made', { made: given.madeAt }))} ${isNextDue ? markup`<span class="wide">${prose(renderer.word('next', { next_date: next, morning_date: morning }))}</span>` : ''}</p>
      ${alerts(renderer, said.alerts, given)}
    </header>
    <main>
      ${first?.drawn}
      <div class="reading">${standsOut(renderer, said.standsOut)}${toDo(renderer, said.toDo)}</div>
      <nav aria-label="${renderer.word('contents')}"><ul>${links}</ul></nav>
      ${drawn(others)}
      <section id="about" aria-labelledby="about-title">
        <h2 id="about-title">${renderer.word('about')}</h2>
        ${given.notice && markup`<p>${prose(given.notice.reason)}</p>`}
        ${folded(names, drawn(about))}
        ${folded(renderer.word('commands'), listed(commands))}
      </section>
    </main>`;
  return frame(title, body, renderer, given);
}

const selfContained: Frame = (title, body, { wording }, { day }) => {
  const page = markup`
    <html lang="${wording.language}">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="Content-Security-Policy" content="${POLICY}">
      <link rel="icon" href="data:,">
      <title>${title} ${day}</title>
      <style>${new Html(STYLE)}</style>
    </head>
    <body>
      ${body}
      <script>${new Html(SCRIPT)}</script>
    </body>
    </html>`;
  return `<!doctype html>\n${page.markup}\n`;
};

/** A sentence of the first screen, with its section and answer. */
interface Line extends Said {
  readonly section: Word;
  readonly answer: Answer;
}

/** What to do about one campaign: one or more sentences. */
type Item = readonly Line[];

/** The sentences of the first screen, in order. */
interface FirstScreen {
  readonly alerts: readonly Line[];
  readonly happened: readonly Line[];
  readonly standsOut: readonly Line[];
  /** What to change in campaigns, most urgent first; one item for each campaign. To-dos about the job are in its section. */
  readonly toDo: readonly Item[];
}

/** The position of a sentence by urgency. Sentences of queries that are not listed come last. */
const place = ({ answer: { asked } }: Line): number =>
  (URGENT.indexOf(asked.query) + URGENT.length) % URGENT.length;

export function firstScreen(all: readonly Answered[]): FirstScreen {
  const once = (said: readonly Line[]): Line[] =>
    said.filter(({ text }, i) => said.findIndex((one) => one.text === text) === i);
  const happened = all.filter(({ section }) => section.id === 'happened');
  const urgentFirst = (said: readonly Line[]): Line[] => once(said.toSorted((a, b) => place(a) - place(b)));
  const first = once([...saidBy(happened, 'finding', false), ...saidBy(happened, 'sentence', false)]);
  // Legal problems come first. Otherwise each query's first to-do comes before any query's second one.
  const nth = (one: Line, _: number, of: readonly Line[]) =>
    [place(one) === 0 ? 0 : of.filter(({ answer }) => answer === one.answer).indexOf(one), one] as const;
  const toDo = byCampaign(
    urgentFirst(saidBy(all, 'to do', false))
      .map(nth)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one),
  );
  const [seen, folded] = [toDo.slice(0, MOST_TO_DO).flat(), toDo.slice(MOST_TO_DO).flat()];
  // True if a to-do that is shown is about the same as the finding.
  const isToDo = (found: Line): boolean =>
    seen.some((one) => one.answer === found.answer && subjectOf(one) === subjectOf(found)) &&
    !folded.some(({ answer }) => answer === found.answer);
  const findings = urgentFirst(saidBy(all, 'finding', false)).filter(
    (found) => found.section !== 'happened' && !isToDo(found),
  );
  return {
    alerts: once([...saidBy(all, 'alert', true), ...saidBy(all, 'alert', false)]),
    happened: first,
    standsOut: findings.slice(0, MOST_FINDINGS),
    toDo,
  };
}

const campaignOf = ({ row }: Line): Value => row['campaign_id'] ?? row['resource_id'] ?? null;

const subjectOf = (one: Line): Value | undefined => campaignOf(one) ?? one.row['channel'];

/** Collects what is said about the same campaign, at the place of its first sentence. */
function byCampaign(lines: readonly Line[]): Item[] {
  const items = new Map<Value | Line, Line[]>();
  for (const one of lines) {
    const key = campaignOf(one) ?? one;
    items.set(key, [...(items.get(key) ?? []), one]);
  }
  return [...items.values()];
}

const saidBy = (all: readonly Answered[], role: Said['as'], ofAbout: boolean): Line[] =>
  all
    .filter(({ section }) => (section.isAbout === true) === ofAbout)
    .flatMap(({ section, answers }) =>
      answers.flatMap((answer) => answer.said.map((said) => ({ ...said, section: section.id, answer }))),
    )
    .filter(({ as }) => as === role);

function alerts(renderer: Renderer, said: readonly Line[], { notice }: Circumstances): Html[] {
  const lines = [
    ...(notice === undefined ? [] : [renderer.word(notice.word)]),
    ...said.map(({ text }) => text),
  ];
  const more = markup`<a href="#about">${renderer.word('seeAbout')}</a>`;
  return lines.map((text) => markup`<p class="notice" role="status">${prose(text)} ${more}</p>`);
}

/** Sentences about one subject, with a link to its campaign or question if the page is served. The same link is shown once. */
function item(renderer: Renderer, lines: Item): Html {
  const links = lines.map(
    ({ row, section, answer }) =>
      renderer.linkOf?.(answer, row) ?? markup`<a href="#${section}">${renderer.word(section)}</a>`,
  );
  const parts = lines.map(({ text }, i) => {
    const link = links[i]?.markup === links[i + 1]?.markup ? undefined : links[i];
    return markup`${prose(text)}${link && markup` ${link}`}`;
  });
  return markup`<li>${parts.map((part, i) => (i === 0 ? part : markup`<p>${part}</p>`))}</li>`;
}

function standsOut(renderer: Renderer, findings: readonly Line[]): Html {
  const list = findings.map((one) => item(renderer, [one]));
  return markup`<div role="region" aria-labelledby="stands-out">
    <h2 id="stands-out">${renderer.word('standsOut')}</h2>
    ${list.length === 0 ? markup`<p>${renderer.word('nothingStandsOut')}</p>` : markup`<ul>${list}</ul>`}
    </div>`;
}

function toDo(renderer: Renderer, items: readonly Item[]): Html {
  const list = items.map((one) => item(renderer, one));
  const left = list.slice(MOST_TO_DO);
  const more = markup`<ol start="${MOST_TO_DO + 1}">${left}</ol>`;
  return markup`<div class="to-do" role="region" aria-labelledby="to-do">
    <h2 id="to-do">${renderer.word('toDo')}</h2>
    ${list.length === 0 ? markup`<p>${renderer.word('nothingToDo')}</p>` : markup`<ol>${list.slice(0, MOST_TO_DO)}</ol>`}
    ${left.length > 0 ? folded(renderer.word('moreToDo', { left: left.length }), more) : ''}
    </div>`;
}

/** The HTML of the page: its head, its parts in order, what to do, and the notice about its days. */
import { html, Html, NOTHING, prose, type Page, type Text } from './page.js';
import { URGENCIES, type Asked, type ToDo } from './part.js';
import { folded } from './table.js';

export interface DrawnPart {
  readonly id: string;
  readonly title: Text;
  readonly queries: readonly (Asked & { readonly sql: string })[];
  readonly shown: {
    readonly sentence: string;
    readonly body?: Html;
    readonly note?: string | undefined;
    readonly toDo?: readonly ToDo[];
  };
}

interface Circumstances {
  /** The instant at which the page was made, in KST. */
  readonly madeAt: string;
  readonly notice: string | undefined;
  readonly toDo: readonly ToDo[];
}

/** Maximum number of things to do on the page; a longer list would not be read. */
const MOST_TO_DO = 3;

export function documentOf(
  page: Page,
  parts: readonly DrawnPart[],
  { madeAt, notice, toDo }: Circumstances,
): string {
  const title = page.say({ en: 'Message report', ko: '메시지 발송 리포트' });
  const day = page.day ?? page.say({ en: 'no day yet', ko: '데이터 없음' });
  const { markup } = html`<html lang="${page.language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta
        http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
      />
      <link rel="icon" href="data:," />
      <title>${title} ${day}</title>
      ${new Html(`<style>${STYLE}</style>`)}
    </head>
    <body>
      <header>
        <h1>${title} <span>${day}</span></h1>
        <p>
          ${page.say({
            en: `Days and times are Korean. Made by Dawnload on ${madeAt}.`,
            ko: `날짜와 시각은 한국 시간(KST) 기준입니다. Dawnload가 ${madeAt}에 만들었습니다.`,
          })}
        </p>
        ${notice === undefined ? NOTHING : html`<p class="notice" role="status">${prose(notice)}</p>`}
        ${toDoList(toDo, page)}
        <nav aria-label="${page.say({ en: 'Contents', ko: '목차' })}">
          <ul>
            ${parts.map((part) => html`<li><a href="#${part.id}">${page.say(part.title)}</a></li>`)}
          </ul>
        </nav>
      </header>
      <main>${parts.map((part) => section(part, page))}</main>
    </body>
  </html>`;
  return `<!doctype html>\n${markup}\n`;
}

/** The most urgent things to do, each with its reason and a command that shows details or resolves it. */
function toDoList(all: readonly ToDo[], page: Page): Html {
  const urgency = ({ urgency: of }: ToDo): number => URGENCIES.indexOf(of);
  const first = [...all].sort((a, b) => urgency(a) - urgency(b)).slice(0, MOST_TO_DO);
  const left = all.length - first.length;
  return html`<div class="to-do" role="region" aria-labelledby="to-do">
    <h2 id="to-do">${page.say({ en: 'To do', ko: '할 일' })}</h2>
    ${
      first.length === 0
        ? html`<p>${page.say({ en: 'Nothing to do.', ko: '할 일이 없습니다.' })}</p>`
        : html`<ol>
            ${first.map(({ reason, command }) => html`<li>${prose(reason)} <code>${command}</code></li>`)}
          </ol>`
    }
    ${
      left > 0
        ? html`<p>
            ${page.say({
              en: `${page.count(left)} more: see the parts below.`,
              ko: `그 밖에 ${page.count(left)}건이 더 있습니다. 아래 항목을 보세요.`,
            })}
          </p>`
        : undefined
    }
  </div>`;
}

function section({ id, title, queries, shown }: DrawnPart, page: Page): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${page.say(title)}</h2>
    <p class="sentence">${prose(shown.sentence)}</p>
    ${shown.body} ${shown.note === undefined ? undefined : html`<p class="note">${prose(shown.note)}</p>`}
    ${folded(
      page.say({ en: 'SQL behind this', ko: '이 결과의 SQL' }),
      html`${queries.map(({ query, parameters = {}, sql }) => source(query, parameters, sql, page))}`,
    )}
  </section>`;
}

/** A bundled query that can be pasted into any DuckDB client. */
function source(name: string, parameters: Readonly<Record<string, string>>, sql: string, page: Page): Html {
  const set = Object.entries(parameters).map(([key, value]) => `set variable "${key}" = '${value}';\n`);
  const given = Object.entries(parameters).map(([key, value]) => ` --param ${key}=${value}`);
  return html`<p><code>dawnload query ${name}${given}</code></p>
    <pre tabindex="0" aria-label="${page.say({ en: `SQL of ${name}`, ko: `${name}의 SQL` })}">
${set}${sql}</pre>`;
}

// The style of the page for light and dark mode, phones, wide screens and paper.

const LIGHT = {
  paper: '#ffffff',
  card: '#f6f7f9',
  ink: '#1a2230',
  quiet: '#4c586b',
  line: '#c3cad5',
  accent: '#1f63b0',
  bad: '#b3261e',
  notice: '#fff3d6',
};

const DARK = {
  paper: '#12161d',
  card: '#1a2029',
  ink: '#e7ebf1',
  quiet: '#a9b4c4',
  line: '#3c4757',
  accent: '#76b3f7',
  bad: '#ff9b90',
  notice: '#3a2f12',
} satisfies typeof LIGHT;

const PRINT = {
  ...LIGHT,
  card: '#ffffff',
  ink: '#000000',
  quiet: '#333333',
  line: '#999999',
  notice: '#ffffff',
};

/** The colours as CSS custom properties. */
const COLOURS = `
  :root { color-scheme: light dark; ${properties(LIGHT)} }
  @media (prefers-color-scheme: dark) { :root { ${properties(DARK)} } }
  @media print { :root { color-scheme: light; ${properties(PRINT)} } }
`;

function properties(colours: Readonly<Record<string, string>>): string {
  return Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}

const css = String.raw;

const STYLE = css`
  ${COLOURS}
  * {
    box-sizing: border-box;
  }
  html {
    scroll-behavior: smooth;
  }
  body {
    margin: 0 auto;
    padding: 1.25rem 1rem 4rem;
    max-width: 76rem;
    background: var(--paper);
    color: var(--ink);
    font:
      16px/1.55 system-ui,
      -apple-system,
      'Segoe UI',
      'Apple SD Gothic Neo',
      'Malgun Gothic',
      'Noto Sans KR',
      'Noto Sans CJK KR',
      sans-serif;
    /* A Korean word is broken only where it would not fit at all. */
    word-break: keep-all;
    overflow-wrap: anywhere;
  }
  h1 {
    margin: 0;
    font-size: 1.7rem;
    line-height: 1.25;
  }
  h1 span {
    color: var(--quiet);
    font-weight: 400;
    white-space: nowrap;
  }
  h2 {
    margin: 0 0 0.25rem;
    font-size: 1.25rem;
  }
  h3 {
    margin: 0.9rem 0 0.3rem;
    font-size: 1rem;
  }
  p {
    margin: 0.25rem 0;
  }
  header > p {
    color: var(--quiet);
  }
  .notice {
    margin: 0.8rem 0;
    padding: 0.6rem 0.8rem;
    border-left: 4px solid var(--bad);
    background: var(--notice);
    color: var(--ink);
  }
  nav ul {
    display: flex;
    flex-wrap: wrap;
    gap: 0.15rem 1rem;
    margin: 0.6rem 0 0;
    padding: 0;
    list-style: none;
  }
  a {
    display: inline-block;
    padding: 0.15rem 0;
    color: var(--accent);
  }
  section {
    margin-top: 2rem;
    padding-top: 1.1rem;
    border-top: 1px solid var(--line);
  }
  .sentence {
    max-width: 62rem;
    margin-bottom: 0.8rem;
  }
  .tiles,
  .cards {
    display: grid;
    gap: 0.8rem;
  }
  .tiles {
    grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
  }
  .cards {
    grid-template-columns: repeat(auto-fill, minmax(min(25rem, 100%), 1fr));
    align-items: start;
  }
  .tile,
  .card {
    min-width: 0;
    padding: 0.7rem 0.9rem;
    border-radius: 0.5rem;
    background: var(--card);
  }
  .tile h3,
  .card h3 {
    margin-top: 0;
  }
  .tile p {
    color: var(--quiet);
    font-size: 0.875rem;
  }
  .tile .big {
    color: var(--ink);
    font-size: 1.6rem;
    line-height: 1.2;
    font-variant-numeric: tabular-nums;
  }
  .figure {
    max-width: 30rem;
    margin: 0.4rem 0;
  }
  .scroll + .scroll {
    margin-top: 1.5rem;
  }
  .scroll {
    max-width: 100%;
    overflow-x: auto;
  }
  .day {
    white-space: nowrap;
  }
  code {
    font-size: 0.9em;
  }
  .card table {
    width: 100%;
  }
  .card caption {
    /* The heading of the card says it; this is for those who hear the page. */
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  table {
    border-collapse: collapse;
    font-size: 0.875rem;
    line-height: 1.4;
    font-variant-numeric: tabular-nums;
  }
  caption > span {
    /* It stays where it is while the table scrolls under it. */
    position: sticky;
    left: 0;
    display: inline-block;
    max-width: min(100%, calc(100vw - 2rem));
  }
  caption {
    padding-bottom: 0.3rem;
    color: var(--quiet);
    text-align: left;
  }
  th,
  td {
    padding: 0.3rem 0.6rem 0.3rem 0;
    border-bottom: 1px solid var(--line);
    text-align: left;
    vertical-align: middle;
    font-weight: 400;
  }
  thead th::first-letter {
    text-transform: uppercase;
  }
  thead th {
    color: var(--quiet);
    vertical-align: bottom;
  }
  tbody th {
    font-weight: 600;
  }
  tbody th span {
    display: inline-block;
    max-width: 20rem;
  }
  th,
  td {
    /* Words stay whole in a table: it scrolls. */
    overflow-wrap: break-word;
  }
  .number {
    text-align: right;
    white-space: nowrap;
  }
  thead .number {
    white-space: normal;
  }
  sup {
    font-size: 0.7em;
    line-height: 0;
  }
  small {
    display: block;
    color: var(--quiet);
    font-size: 0.8rem;
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  .above > * {
    border-bottom: 0;
    padding-bottom: 0;
  }
  .sentence:is(td, th) {
    max-width: none;
    margin: 0;
    padding-top: 0.1rem;
    color: var(--quiet);
  }
  .note {
    max-width: 62rem;
    color: var(--quiet);
    font-size: 0.875rem;
  }
  .to-do {
    margin: 0.8rem 0;
    padding: 0.7rem 0.9rem;
    border-radius: 0.5rem;
    background: var(--card);
  }
  .to-do ol {
    margin: 0.2rem 0;
    padding-left: 1.3rem;
  }
  .to-do li {
    margin: 0.3rem 0;
  }
  .to-do code {
    display: block;
  }
  .narrow {
    display: none;
  }
  .text {
    min-width: 4rem;
  }
  .chart {
    white-space: nowrap;
  }
  svg.plot-stretched {
    display: block;
    width: 100%;
    min-width: 7rem;
    height: 34px;
  }
  svg.plot-stretched path {
    vector-effect: non-scaling-stroke;
  }
  svg.plot {
    display: block;
    max-width: 100%;
    height: auto;
    overflow: visible;
    color: var(--ink);
    font:
      12px system-ui,
      'Apple SD Gothic Neo',
      'Malgun Gothic',
      'Noto Sans KR',
      'Noto Sans CJK KR',
      sans-serif;
  }
  td svg.plot {
    max-width: none;
  }
  .wide svg.plot,
  .narrow svg.plot {
    width: 100%;
  }
  th:last-child,
  td:last-child {
    padding-right: 0;
  }
  @media (max-width: 44rem) {
    .wide {
      display: none;
    }
    .narrow {
      display: block;
    }
  }
  @media (max-width: 30rem) {
    .extra,
    .chart:is(td, th) {
      display: none;
    }
    .tiles {
      grid-template-columns: repeat(2, minmax(0, 1fr));
    }
    .scroll table {
      width: 100%;
      font-size: 0.8125rem;
    }
    tbody th.text {
      min-width: 7rem;
      overflow-wrap: anywhere;
    }
    .card tbody th.text {
      min-width: 0;
      overflow-wrap: break-word;
    }
    th,
    td {
      padding-right: 0.4rem;
    }
    .number {
      /* A range breaks at its dots; the blanks inside of numbers do not break. */
      white-space: normal;
    }
    .card {
      padding: 0.6rem;
    }
    svg.plot-stretched {
      min-width: 4rem;
    }
  }
  details {
    margin-top: 0.6rem;
  }
  summary {
    width: fit-content;
    padding: 0.15rem 0;
    color: var(--accent);
    cursor: pointer;
  }
  pre {
    max-height: 26rem;
    margin: 0.3rem 0 0.8rem;
    padding: 0.7rem;
    overflow: auto;
    border-radius: 0.4rem;
    background: var(--card);
    font-size: 0.8rem;
    line-height: 1.45;
    word-break: normal;
    overflow-wrap: normal;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  @media (prefers-reduced-motion: reduce) {
    html {
      scroll-behavior: auto;
    }
  }
  @media print {
    body {
      max-width: none;
      padding: 0;
      font-size: 11px;
    }
    nav,
    details:not([open]) {
      display: none;
    }
    .scroll {
      overflow: visible;
    }
    tr,
    .card,
    .tile {
      break-inside: avoid;
    }
    h2,
    h3 {
      break-after: avoid;
    }
    * {
      print-color-adjust: exact;
    }
  }
`;

/** The page as a document: head, notice, contents, parts with the SQL behind them. Nothing in it refers to anywhere else. */
import { html, Html, NOTHING, prose } from './html.js';
import type { Page, Text } from './page.js';
import { URGENCIES, type Asked, type ToDo } from './part.js';
import { STYLE } from './style.js';
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
  /** When the page was made, in KST. */
  readonly madeAt: string;
  readonly notice: string | undefined;
  readonly toDo: readonly ToDo[];
}

/** More than three would be read by nobody. */
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

/** The most urgent things to do, each with its reason and the command that shows more or does it. */
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

/** A bundled query as it can be pasted into any DuckDB client. */
function source(name: string, parameters: Readonly<Record<string, string>>, sql: string, page: Page): Html {
  const set = Object.entries(parameters).map(([key, value]) => `set variable "${key}" = '${value}';\n`);
  const given = Object.entries(parameters).map(([key, value]) => ` --param ${key}=${value}`);
  return html`<p><code>dawnload query ${name}${given}</code></p>
    <pre tabindex="0" aria-label="${page.say({ en: `SQL of ${name}`, ko: `${name}의 SQL` })}">
${set}${sql}</pre>`;
}

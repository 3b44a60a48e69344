/** The other views, which are also made of questions: search, a campaign, a user journey, the data, and free SQL. */
import { daysOf } from '../../ground/calendar.js';
import { Dictionary, entriesOf, type SchemaEntry, type Language } from '../../warehouse/dictionary.js';
import { statement } from '../../warehouse/session.js';
import { searchQuestions, wordsOf, type QueryFile, type Chart } from '../queries/catalogue.js';
import { findWords } from '../queries/search.js';
import type { Said } from '../queries/sentences.js';
import type { Row } from '../queries/wording.js';
import { markup, prose, withoutTags, type Child, type Html } from '../report/html.js';
import { folded } from '../report/render.js';
import type { Known, Outcome, Part, Sheet } from './answer.js';
import { addressOf, nameOf, questionAddress, shortName, type View } from './frame.js';
import { titleOf } from './form.js';
import { failure, sentencesOf, chartOf, shownChart, table, block, downloads } from './question.js';
import { SUBJECTS, type Word } from './words.js';

// Search.

const MOST_FOUND = 20;

/** Everything that matches the words. Without words, all questions by subject. */
export function search(view: View, catalogue: readonly QueryFile[], known: Known): Html {
  const wanted = view.get('q');
  if (wanted === undefined) return markup`<h1>${view.word('questions')}</h1>${bySubject(view, catalogue)}`;
  const link = (address: string, name: string, about?: string): Html =>
    markup`<li><a href="${address}">${shortName(name, 120)}</a>${about && markup` <small>${shortName(about, 200)}</small>`}</li>`;
  // User journeys are also among the campaigns, so they are left out there.
  const isJourney = new Set(known.values['journey']?.map(({ value }) => value));
  const offer = (parameter: string, address: (value: string) => string): Group => {
    const values = (known.values[parameter] ?? []).filter(
      ({ value }) => parameter !== 'campaign' || !isJourney.has(value),
    );
    const { items, missing } = findWords(values, wanted, ({ value, name, channels }) => [
      name ?? '',
      value,
      channels.flatMap((channel) => Dictionary.load().namesOf('channel', channel)).join(' '),
    ]);
    const links = items.map(({ value, name }) =>
      link(address(value), name ?? value, name === null ? undefined : value),
    );
    return { links, missing };
  };
  const asked = searchQuestions(catalogue, wanted, view.language);
  const questions = asked.questions.map((one) =>
    link(questionAddress(one.name), titleOf(view, one), wordsOf(one, view.language).question),
  );
  const all: readonly (readonly [Word, Group])[] = [
    ['questions', { links: questions, missing: asked.missing }],
    ['campaigns', offer('campaign', (id) => `/campaign/${encodeURIComponent(id)}`)],
    ['journeys', offer('journey', (id) => `/journey/${encodeURIComponent(id)}`)],
    ['tags', offer('tag', (tag) => questionAddress('campaign-performance', { tag }))],
    ['templates', offer('template', (template) => questionAddress('template-performance', { template }))],
    ['columns', columnsAbout(view, wanted, known, link)],
  ];
  // If nothing has all the words, show what has some of them.
  const isWhole = ({ links, missing }: Group): boolean => links.length > 0 && missing.length === 0;
  const isPartial = !all.some(([, group]) => isWhole(group));
  const lacking = isPartial ? (all.find(([, { links }]) => links.length > 0)?.[1].missing ?? []) : [];
  const groups = all.map(([word, group]) => [word, isPartial || isWhole(group) ? group.links : []] as const);
  const nonempty = groups.filter(([, found]) => found.length > 0);
  const drawn = nonempty.map(([word, found]) => {
    const left = found.length - MOST_FOUND;
    const more = left > 0 ? note(view.word('moreFound', { left })) : undefined;
    const list = markup`<ul>${found.slice(0, MOST_FOUND)}</ul>${more}`;
    // Most people look for questions and campaigns; `failure_rate` can only be a column.
    return word === 'columns' && nonempty.length > 1 && !/[_.]/.test(wanted)
      ? folded(view.word(word), list)
      : markup`<h2>${view.word(word)}</h2>${list}`;
  });
  const partly = lacking.length === 0 ? [] : [note(view.word('partly', { words: lacking.join(', ') }))];
  const nothing = markup`<p>${view.word('noMatch')}</p>${bySubject(view, catalogue)}`;
  return markup`<h1>${view.word('found', { q: shortName(wanted) })}</h1>
    ${asked.limit && markup`<p class="notice">${prose(asked.limit)}</p>`}
    ${drawn.length === 0 ? nothing : [...partly, ...drawn]}`;
}

const note = (text: string): Html => markup`<p class="note">${text}</p>`;

interface Group {
  readonly links: readonly Html[];
  /** The searched words that these results do not have. */
  readonly missing: readonly string[];
}

/** The tables with the words in their name or description, or in those of a column. */
function columnsAbout(
  view: View,
  wanted: string,
  known: Known,
  link: (address: string, name: string, about?: string) => Html,
): Group {
  const dictionary = Dictionary.load();
  const relations = entriesOf(known.columns, dictionary, view.language).flatMap((one) => one.relations);
  const placesOf = (relation: (typeof relations)[number], column: string): string[] => {
    const words = dictionary.column(relation.name, column);
    return [column, [words?.label, words?.en, words?.ko].join('\n')];
  };
  const { items, missing } = findWords(relations, wanted, (relation) => {
    const words = dictionary.relation(relation.name);
    const columns = relation.columns.flatMap(({ name }) => placesOf(relation, name));
    return [relation.name, [words?.en, words?.ko].join('\n'), columns.join('\n')];
  });
  const links = items.map((relation) => {
    const columns = findWords(relation.columns, wanted, ({ name }) => placesOf(relation, name));
    const named = columns.missing.length === missing.length ? columns.items.map(({ name }) => name) : [];
    const about = named.length === 0 ? relation.description : named.join(', ');
    return link(addressOf('/data', [['table', relation.name]]), relation.name, about);
  });
  return { links, missing };
}

function bySubject(view: View, catalogue: readonly QueryFile[]): Html {
  const subjects = [...new Set(catalogue.map(({ subject }) => subject))];
  const name = (subject: string): string =>
    view.language === 'ko'
      ? (SUBJECTS[subject] ?? subject)
      : `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
  return markup`<div class="subjects">${subjects.map(
    (subject) => markup`<div><h2>${name(subject)}</h2>
    ${catalogue.filter((one) => one.subject === subject).map((one) => markup`<p><a href="${questionAddress(one.name)}">${titleOf(view, one)}</a><br>${wordsOf(one, view.language).question}</p>`)}</div>`,
  )}</div>`;
}

// A campaign, or a user journey.

interface Asked {
  readonly query: QueryFile;
  readonly fields: Readonly<Record<string, string>>;
  /** Replaces the title of the question; the order replaces its order. */
  readonly title?: Word;
  readonly by?: Part['by'];
}

const LATEST_FIRST = { title: 'byDay', by: { column: 'date', isDown: true } } as const;

/** The questions about one campaign or user journey, with the parameter that takes its id. */
const ASKED: Readonly<
  Record<
    'campaign' | 'journey',
    readonly (readonly [query: string, fields: Asked['fields'], shown?: Pick<Asked, 'title' | 'by'>])[]
  >
> = {
  campaign: [
    ['campaign-days', { campaign: 'id' }, LATEST_FIRST],
    ['template-performance', { campaign: 'id' }],
    ['revenue', { campaign: 'id' }],
    ['message-costs', { campaign: 'id' }],
    ['ab-tests', { campaign: 'id' }],
    ['best-hours', { campaign: 'id', top: '5' }],
    ['conversions', { campaign: 'id' }],
    ['opt-outs-after-messages', { campaign: 'id' }],
    ['duplicates', { campaign: 'id' }],
    ['fatigue', { campaign: 'id' }],
    ['compliance', { campaign: 'id' }],
    ['refused-templates', { campaign: 'id' }],
  ],
  journey: [
    ['campaign-days', { journey: 'id', by: 'variant_or_node' }, LATEST_FIRST],
    ['journey-funnel', { journey: 'id' }],
    ['template-performance', { campaign: 'id' }],
    ['message-costs', { campaign: 'id' }],
    ['best-hours', { campaign: 'id', top: '5' }],
    ['opt-outs-after-messages', { campaign: 'id' }],
    ['fatigue', { campaign: 'id' }],
    ['compliance', { campaign: 'id' }],
    ['refused-templates', { campaign: 'id' }],
  ],
};

/** The questions whose sentences make the summary. Findings and to-dos of all questions follow. */
const SUMMARY = ['campaign-days', 'revenue', 'message-costs'];

const FEW_ROWS = 6;

const own = (
  name: 'about' | 'texts' | 'causes' | 'days' | 'runs' | 'exports',
  id = '',
  rows = 2_000,
): Part => ({
  asking: { sql: statement(`explore/${name}`), param: [`id=${id}`] },
  rows,
});

function questionsOf(kind: keyof typeof ASKED, id: string, catalogue: readonly QueryFile[]): Asked[] {
  return ASKED[kind].flatMap(([name, takes, shown]) => {
    const query = catalogue.find((one) => one.name === name);
    const fields = Object.fromEntries(
      Object.entries(takes).map(([key, value]) => [key, value === 'id' ? id : value]),
    );
    return query === undefined ? [] : [{ query, fields, ...shown }];
  });
}

const partsAbout = (view: View, asked: readonly Asked[]): Part[] =>
  asked.map(({ query: { name }, fields, by }) => {
    const param = Object.entries(fields).map((pair) => pair.join('='));
    return { asking: { name, param, lang: view.language }, by, rows: FEW_ROWS };
  });

export const partsOf = (
  view: View,
  kind: keyof typeof ASKED,
  id: string,
  catalogue: readonly QueryFile[],
): Part[] => [
  own('about', id),
  own('texts', id),
  own('causes', id, FEW_ROWS),
  ...partsAbout(view, questionsOf(kind, id, catalogue)),
];

/** The sentences of an answer, if it has rows. */
const saidOf = (outcome: Outcome | undefined): readonly Said[] =>
  outcome !== undefined && 'sheet' in outcome && outcome.sheet.rows.length > 0 ? outcome.sheet.said : [];

const rowsOf = (outcome: Outcome | undefined): readonly Row[] =>
  outcome !== undefined && 'sheet' in outcome ? outcome.sheet.rows : [];

/** A table below a heading, with the column headings of a question. */
function fixedTable(
  view: View,
  word: Word,
  outcome: Outcome | undefined,
  catalogue: readonly QueryFile[],
  like: string,
  known: Known,
): Html | undefined {
  if (outcome === undefined || !('sheet' in outcome) || outcome.sheet.rows.length === 0) return undefined;
  const query = catalogue.find(({ name }) => name === like);
  const drawn = table(view, query, outcome.sheet, known, { isFixed: true, label: view.word(word) });
  return markup`<h2>${view.word(word)}</h2>${drawn}${moreOf(view, outcome.sheet)}`;
}

/** How many rows are shown, if some are hidden. */
const moreOf = (view: View, { rows, total }: Sheet, address?: string): Html | undefined =>
  total > rows.length
    ? markup`<p class="note">${view.word('rowsOf', { from: 1, to: rows.length, total })} ${address && markup`<a href="${address}">${view.word('every')}</a>`}</p>`
    : undefined;

/** A part of a view: a heading that links to the question, its answer, and those of its sentences that are not shown elsewhere. */
function section(
  view: View,
  { query, fields, title }: Asked,
  outcome: Outcome | undefined,
  known: Known,
  said: readonly Said[],
  without?: readonly string[],
): Html | undefined {
  if (outcome === undefined) return undefined;
  const address = questionAddress(query.name, fields);
  const name = title === undefined ? titleOf(view, query) : view.word(title);
  const heading = markup`<h2><a href="${address}">${name}</a></h2>`;
  if ('failure' in outcome) return markup`${heading}${failure(view, outcome)}`;
  const { sheet } = outcome;
  if (sheet.rows.length === 0) return said.length === 0 ? undefined : markup`${heading}${sentencesOf(said)}`;
  return markup`${heading}${sentencesOf(said)}${chartOf(view, query, sheet)}${table(view, query, sheet, known, { isFixed: true, without })}${moreOf(view, sheet, address)}`;
}

export function detail(
  view: View,
  kind: keyof typeof ASKED,
  id: string,
  [about, texts, causes, ...outcomes]: readonly Outcome[],
  catalogue: readonly QueryFile[],
  known: Known,
): Html {
  const [row = {}] = rowsOf(about);
  const names = (column: string, value: string): string =>
    (Array.isArray(row[column]) ? row[column] : []).map((one) => nameOf(view, value, String(one))).join(', ');
  const formerly = names('former_names', 'name');
  const days = view.wording.days(String(row['first_date']), String(row['last_date'])).replace(/^on /, '');
  const tags = (Array.isArray(row['tags']) ? row['tags'] : []).map(String);
  const facts = [names('channels', 'channel'), days, id]
    .filter((one) => one !== '')
    .map((one) => shortName(one, 120));
  const [summary, news]: [Said[], Said[]] = [[], []];
  const sections = questionsOf(kind, id, catalogue).map((asked, i) => {
    const said = saidOf(outcomes[i]).filter((one) => {
      const isNews = one.as === 'finding' || one.as === 'to do';
      const isOfSummary = one.as === 'sentence' && SUMMARY.includes(asked.query.name);
      if (isNews || isOfSummary) (isNews ? news : summary).push(one);
      return !isNews && !isOfSummary;
    });
    return section(view, asked, outcomes[i], known, said, ABOUT[kind]);
  });
  return markup`<h1>${shortName(String(row['name'] ?? id), 200)}</h1>
    <p class="note">${view.word(kind)} · ${facts.join(' · ')}${formerly === '' ? '' : ` · ${view.word('formerly', { names: formerly })}`}</p>
    ${tags.length === 0 ? undefined : markup`<ul class="links">${tags.map((tag) => markup`<li><a href="${questionAddress('campaign-performance', { tag })}">${shortName(tag)}</a></li>`)}</ul>`}
    <h2>${view.word('summary')}</h2>${sentencesOf(summary)}${sentencesOf(news)}
    <h2>${view.word('texts')}</h2>${messageTexts(view, rowsOf(texts))}
    ${sections}
    ${fixedTable(view, 'causes', causes, catalogue, 'failure-reasons', known)}`;
}

/** The columns that name the campaign or journey which the page is about. */
const ABOUT: Readonly<Record<keyof typeof ASKED, readonly string[]>> = {
  campaign: ['resource_name', 'resource_id', 'resource_type', 'campaign_name', 'campaign_id'],
  journey: ['resource_name', 'resource_id', 'resource_type', 'user_journey_name', 'user_journey_id'],
};

/** Maximum number of characters of a message's text. */
const MOST_LETTERS = 50_000;

/** The parts of a message as the service gave them. Images are shown as their address, HTML as readable text. */
function messageTexts(view: View, rows: readonly Row[]): Html {
  if (rows.length === 0) return markup`<p>${view.word('noTexts')}</p>`;
  const members = (text: string): Child => {
    const parsed: unknown = JSON.parse(text);
    const pairs = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [['', text]];
    return pairs.map(([key, value]) => {
      const given = shortName(typeof value === 'string' ? value : JSON.stringify(value), MOST_LETTERS);
      const text = withoutTags(given);
      const source = text === given ? undefined : folded(view.word('source'), markup`<pre>${given}</pre>`);
      return markup`<dt>${view.wording.value('message_part', key)}</dt><dd>${shortName(text, 4_000)}${source}</dd>`;
    });
  };
  const figures = rows.map((row) => {
    const { channel, variant_or_node: part, sent = null, message } = row;
    const name = part === null ? [] : [shortName(String(part))];
    const head = [nameOf(view, 'channel', String(channel)), ...name, view.wording.value('sent', sent)];
    return markup`<figure class="message">
    <figcaption>${head.filter((one) => one !== '').join(' · ')}</figcaption>
    <dl>${members(String(message))}</dl></figure>`;
  });
  return markup`<div class="messages">${figures}</div>`;
}

// The data.

const OF_DATA = ['freshness', 'missing-days', 'checks', 'budget', 'export-fees', 'restatements-by-age'];

const ofData = (catalogue: readonly QueryFile[]): Asked[] =>
  OF_DATA.flatMap((name) => catalogue.find((one) => one.name === name) ?? []).map((query) => ({
    query,
    fields: {},
  }));

export const dataParts = (view: View, catalogue: readonly QueryFile[]): Part[] => [
  own('days'),
  own('runs'),
  own('exports'),
  ...partsAbout(view, ofData(catalogue)),
];

export function data(
  view: View,
  [days, runs, exported, ...outcomes]: readonly Outcome[],
  catalogue: readonly QueryFile[],
  known: Known,
): Html {
  const sections = ofData(catalogue).map((asked, i) => {
    const outcome = outcomes[i];
    const said = outcome !== undefined && 'sheet' in outcome ? outcome.sheet.said : [];
    return section(view, asked, outcome, known, said);
  });
  const listed = (word: Word, outcome: Outcome | undefined, like: string): Html | undefined =>
    fixedTable(view, word, outcome, catalogue, like, known);
  const schemas = entriesOf(known.columns, Dictionary.load(), view.language);
  return markup`<h1>${view.word('data')}</h1>
    <h2>${view.word('coverage')}</h2>${calendar(view, rowsOf(days))}
    ${sections}${listed('exports', exported, 'pushes')}${listed('runs', runs, 'freshness')}
    <h2>${view.word('tables')}</h2>${schemas.filter(({ relations }) => relations.length > 0).map((schema) => tablesOf(schema))}`;
}

function calendar(view: View, rows: readonly Row[]): Html {
  const dates = rows.map((row) => String(row['date'])).sort();
  const [start, end] = [dates[0], dates.at(-1)];
  if (start === undefined || end === undefined) return markup`<p>${view.word('noRows')}</p>`;
  const days = daysOf({ start, end });
  const states = new Map(
    rows.map((row) => [`${String(row['stream'])} ${String(row['date'])}`, String(row['state'])]),
  );
  const streams = [...new Set(rows.map((row) => String(row['stream'])))];
  const used = [...new Set(states.values())];
  const named = (state: string): string => view.wording.say(STATES[state]?.[1] ?? { en: state, ko: state });
  const sign = (state: string | undefined): string =>
    state === undefined ? '' : (STATES[state]?.[0] ?? '?');
  const lines = streams.map(
    (stream) =>
      markup`<tr><th scope="row">${view.wording.value('stream', stream)}</th>${days.map((day) => {
        const state = states.get(`${stream} ${day}`);
        return markup`<td class="${state}">${state === undefined ? '' : markup`<abbr title="${view.wording.day(day)}: ${named(state)}">${sign(state)}</abbr>`}</td>`;
      })}</tr>`,
  );
  const heads = days.map(
    (day) => markup`<th scope="col"><abbr title="${view.wording.day(day)}">${day.slice(8)}</abbr></th>`,
  );
  return markup`<p class="note">${view.wording.days(start, end)}. ${used.map((state) => `${sign(state)} ${named(state)}`).join(', ')}</p>
    <div class="scroll" role="region" aria-label="${view.word('coverage')}" tabindex="0"><table class="calendar"><thead><tr><td></td>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

const STATES: Readonly<Record<string, readonly [string, { en: string; ko: string }]>> = {
  loaded: ['●', { en: 'available', ko: '있음' }],
  missing: ['○', { en: 'missing', ko: '누락' }],
  under_way: ['…', { en: 'under way', ko: '진행 중' }],
  waits: ['!', { en: 'needs your decision', ko: '담당자 확인 필요' }],
  given_up: ['✕', { en: 'given up', ko: '포기' }],
  removed: ['–', { en: 'removed by retention', ko: '보존 기간 지나 삭제' }],
};

const tablesOf = ({ name, description, relations }: SchemaEntry): Html =>
  folded(
    name,
    markup`<p>${description}</p><dl>${relations.map((one) => markup`<dt><a href="${addressOf('/data', [['table', one.name]])}">${one.name}</a></dt><dd>${one.description}</dd>`)}</dl>`,
  );

/** A table with its columns; undefined if the file has no such table. */
export function tableView(view: View, name: string, known: Known): Html | undefined {
  const schemas = entriesOf(known.columns, Dictionary.load(), view.language);
  const relation = schemas.flatMap(({ relations }) => relations).find((one) => one.name === name);
  if (relation === undefined) return undefined;
  const sql = `from ${name} limit 20`;
  const columns = relation.columns.map(({ name: column, type, label, description }) => {
    const head = view.language === 'ko' && label !== '' ? `${label}: ` : '';
    return markup`<dt><code>${column}</code> <small>${type}</small></dt><dd>${head}${description}</dd>`;
  });
  return markup`<h1>${name}</h1><p>${prose(relation.description)} ${view.word('rowPer', { grain: relation.grain })}</p>
    <p><a href="${addressOf('/sql', [['q', sql]])}">${view.word('openSql')}: <code>${sql}</code></a></p>
    <dl>${columns}</dl>`;
}

// Free SQL: an editor, the answer as a table and a chart, and a form to keep it as a question.

const FIRST = ['marts.channel_days', 'marts.campaign_days', 'marts.messages', 'daily_statistics', 'events'];

/** Maximum length of SQL in an address. Longer SQL is only in the form. */
export const LONGEST_ADDRESS = 4_000;

export function editor(view: View, sql: string): Html {
  const links = FIRST.map(
    (name) => markup`<li><a href="${addressOf('/sql', [['q', `from ${name}\nlimit 20`]])}">${name}</a></li>`,
  );
  return markup`<h1>${view.word('sqlTitle')}</h1>
    <form class="sql" method="post" action="/sql">
      <textarea name="q" rows="8" spellcheck="false" aria-label="${view.word('sqlLabel')}" required>${'\n'}${sql}</textarea>
      <p><button>${view.word('ask')}</button> <span class="note">${view.word('sqlLabel')}. ${view.word('sqlHint')}</span></p>
      <label hidden>${view.word('history')} <select class="history"><option></option></select></label>
    </form>
    ${sql === '' ? markup`<p>${view.word('tryOne')}:</p><ul class="links">${links}</ul>` : undefined}`;
}

export function sqlAnswer(
  view: View,
  sql: string,
  outcome: Outcome,
  known: Known,
  queries: string | undefined,
): Html {
  const file = (ending: string): string => addressOf(`/sql.${ending}`, [['q', sql]]);
  const links = sql.length <= LONGEST_ADDRESS ? downloads(view, file) : undefined;
  return markup`${block(view, undefined, outcome, known)}${'sheet' in outcome ? [links, keeping(view, sql, shownChart(view, undefined, outcome.sheet)?.chart, queries)] : undefined}`;
}

function keeping(view: View, sql: string, shown: Chart | undefined, queries: string | undefined): Html {
  if (queries === undefined) return markup`<p class="note">${prose(view.word('keepWhere'))}</p>`;
  const names =
    shown === undefined ? [] : [...shown.columns, ...(shown.by === undefined ? [] : ['by', shown.by])];
  // Not if a column's name has a blank or a comma, because the header uses these as separators.
  const chart = names.some((name) => /[\s,]/.test(name)) ? '' : [shown?.kind, ...names].join(' ');
  const field = (name: string, label: string): Html =>
    markup`<label>${label}<input name="${name}" required pattern=".*\\S.*" title="${label}"></label>`;
  const named = markup`<label>${view.word('keepName')}<input name="name" pattern="[a-z0-9가-힣]+(-[a-z0-9가-힣]+)*" title="${view.word('keepName')}"></label>`;
  return markup`<form class="keep" method="post" action="/keep">
    <input type="hidden" name="q" value="${sql}"><input type="hidden" name="chart" value="${chart}">
    ${field('title', view.word('keepTitle'))}${field('question', view.word('keepQuestion'))}${named}
    <button>${view.word('keep')}</button></form>`;
}

export function schemaJson({ columns, macros }: Known, language: Language): string {
  const relations = entriesOf(columns, Dictionary.load(), language).flatMap((schema) => schema.relations);
  return JSON.stringify({
    relations: relations.map((one) => ({
      name: one.name,
      about: one.description,
      columns: one.columns.map(({ name, type, description }) => ({ name, type, about: description })),
    })),
    macros,
  });
}

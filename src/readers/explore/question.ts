/** Shows an answer: its sentences, a chart, a table, and links for using it elsewhere. */
import { dayCount, type DayRange } from '../../ground/calendar.js';
import { quoteShell } from '../../ground/text.js';
import { firstOf, FOR_TILES, type Chart, type QueryFile } from '../queries/catalogue.js';
import type { Said } from '../queries/sentences.js';
import { currencyOf, unitOf, type Row, type Value } from '../queries/wording.js';
import { Html, markup, prose, type Child } from '../report/html.js';
import { folded, hasVerdict, listed, Renderer, WEEKDAYS } from '../report/render.js';
import { WEEK, type Failure, type Finding, type Known, type Outcome, type Sheet } from './answer.js';
import { givenIn, OWN, PAGE_ROWS, titleOf } from './form.js';
import { addressOf, questionAddress, shortName, type View } from './frame.js';
import { BASES, PARAMETERS } from './words.js';

export const DOWNLOADS = ['csv', 'xlsx', 'parquet', 'json'] as const;

export function answered(
  view: View,
  query: QueryFile | undefined,
  outcomes: readonly Outcome[],
  known: Known,
  other?: { readonly query: QueryFile; readonly outcome: Outcome },
): Html {
  const [first, before] = outcomes;
  if (first === undefined) return markup`<p>${view.word('cancelled')}</p>`;
  if (other !== undefined)
    return markup`<div class="pair">${[
      block(view, query, first, known),
      block(view, other.query, other.outcome, known, undefined, true),
    ]}</div>`;
  return block(view, query, first, known, before);
}

export function failure(view: View, { failure: said, hint }: Failure): Html {
  // Hints about options are for the command line, so they are left out; the form shows the parameters.
  const own = hint
    ?.split(/(?<=[.?]) /)
    .filter((sentence) => !/--|`dawnload query|^The query \S+ takes /.test(sentence));
  const texts = [shortName(said, 1_000), ...(own ?? [])].map((text) => view.wording.sentence(text));
  // The form shows parameters by their label, so errors name them by it.
  const labeled = texts
    .join(' ')
    .replace(/^파라미터 (\w+)(?=:)/, (whole, name: string) => PARAMETERS[name]?.[view.language] ?? whole);
  return markup`<p class="notice" role="alert">${prose(labeled)}</p>`;
}

/** A question with its answer. `isOther` is true for a second question that is compared with the one in the address. */
export function block(
  view: View,
  query: QueryFile | undefined,
  outcome: Outcome,
  known: Known,
  before?: Outcome,
  isOther = false,
): Html {
  const heading = isOther && query !== undefined ? markup`<h2>${titleOf(view, query)}</h2>` : undefined;
  if ('failure' in outcome) return markup`<div class="answer">${heading}${failure(view, outcome)}</div>`;
  const { sheet } = outcome;
  const earlier = before !== undefined && 'sheet' in before ? before.sheet : undefined;
  const isEmpty = sheet.rows.length === 0;
  const beforeDays = earlier?.about?.days;
  const pair =
    earlier === undefined
      ? undefined
      : markup`<div class="pair"><div><h2>${daysIn(view, sheet.about?.days)}</h2>${sentencesOf(sheet.said)}${chartOf(view, query, sheet)}</div>
          <div><h2>${daysIn(view, beforeDays)} <small>${view.word(beforeWord(sheet.about?.days))}</small></h2>${sentencesOf(earlier.said)}${chartOf(view, query, earlier)}</div></div>`;
  return markup`<div class="answer">${heading}
    ${pair ?? [sentencesOf(sheet.said), chartOf(view, query, sheet)]}
    ${before !== undefined && 'failure' in before ? failure(view, before) : undefined}
    ${isEmpty && sheet.said.length === 0 ? markup`<p>${view.word('noRows')}</p>` : undefined}
    ${isEmpty ? undefined : table(view, query, sheet, known, { earlier, isFixed: isOther })}
    ${covers(view, sheet)}
    ${query === undefined || isOther ? undefined : again(view, query, sheet)}
    </div>`;
}

/** Periods shorter than a week are compared with the same weekdays a week earlier. */
const beforeWord = (days: DayRange | undefined): 'before' | 'weekBefore' =>
  days !== undefined && dayCount(days) < WEEK ? 'weekBefore' : 'before';

const daysIn = (view: View, days: DayRange | undefined): string =>
  days === undefined ? '' : view.wording.days(days.start, days.end).replace(/^on /, '');

export function sentencesOf(said: readonly Said[]): Html {
  const of = (...roles: readonly string[]): string[] => [
    ...new Set(said.filter(({ as }) => roles.includes(as)).map(({ text }) => text)),
  ];
  const [toDo, note] = [of('to do'), of('note').join(' ')];
  return markup`<div class="says">
    ${of('alert').map((text) => markup`<p class="notice">${prose(text)}</p>`)}
    ${[...of('finding'), ...of('sentence')].length > 0 ? markup`<p class="sentence">${prose([...of('finding'), ...of('sentence')].join(' '))}</p>` : undefined}
    ${listed(toDo)}${note === '' ? undefined : markup`<p class="note">${prose(note)}</p>`}
    </div>`;
}

/** The first of the question's charts for which the answer has enough values. */
export function shownChart(view: View, query: QueryFile | undefined, sheet: Sheet) {
  for (const chart of sheet.charts) {
    const drawn = draw(view, query?.name ?? '', chart, sheet);
    if (drawn !== undefined) return { chart, drawn: markup`<div class="chart">${drawn}</div>` };
  }
  return undefined;
}

export const chartOf = (...of: Parameters<typeof shownChart>): Html | undefined => shownChart(...of)?.drawn;

function draw(
  view: View,
  query: string,
  { kind, columns, by }: Chart,
  { drawn, said, total, about }: Sheet,
): Html | undefined {
  const renderer = new Renderer(view.wording);
  const [name = '', measure = '', ...ends] = columns;
  // Leave out the total, because its parts would look tiny next to it.
  const parts = drawn.filter((row) => row[name] !== 'all' && (by === undefined || row[by] !== 'all'));
  // A campaign is the total of its variants. If there is only one campaign, its variants are drawn.
  const whole = by === 'variant_name' ? parts.filter((row) => row[by] === null) : [];
  const isOfWhole = whole.length > 1;
  const rows = isOfWhole ? whole : parts.length > 2 ? parts.filter((row) => !whole.includes(row)) : parts;
  const heading = (column: string): string => renderer.head(column, query);
  // Bars are named by their first column, lines by their series.
  const group = !isOfWhole && by !== undefined && (kind === 'line' || whole.length > 0) ? by : name;
  const measured = unitIn(view, query, measure, rows);
  const unit = measured === undefined || measured === heading(measure).toLowerCase() ? '' : ` (${measured})`;
  const label = [
    view.wording.say({
      en: `${heading(measure)}${unit} by ${heading(group).toLowerCase()}`,
      ko: `${heading(group)}별 ${heading(measure)}${unit}`,
    }),
    daysIn(view, about?.days),
  ]
    .filter((one) => one !== '')
    .join(' · ');
  if (kind === 'line') {
    const found = renderer.lines(label, rows, columns, by);
    const more =
      found !== undefined && found.left > 0
        ? markup`<p class="note">${view.word('othersOf', { left: found.left })}</p>`
        : undefined;
    return found && markup`${found.drawn}${more}`;
  }
  const asked = { query, fields: {}, command: '', said, rows: drawn };
  if (kind === 'tiles') return total === 0 ? undefined : renderer.shown({ ...asked, asked: { query, kind } });
  const caption = { en: label, ko: label };
  if (kind === 'heatmap') return renderer.shown({ ...asked, asked: { query, kind, caption: 'heatmap' } });
  const isNumber = (row: Row): boolean =>
    typeof row[measure] === 'number' &&
    (ends.length === 0 || (typeof row[ends[0] ?? ''] === 'number' && hasVerdict(row)));
  const some = rows.filter(isNumber).slice(0, MOST_BARS);
  // No chart if several bars would have the same name.
  const names = new Set(some.map((row) => JSON.stringify([row[name], by && row[by]])));
  if (some.length < 2 || names.size < some.length || some.every((row) => row[name] === null))
    return undefined;
  const sub = by === undefined ? {} : { sub: by };
  const units =
    kind === 'interval' && unitOf(measure, query) === 'points'
      ? { [measure]: 'points' as const, [ends[0] ?? '']: 'points' as const }
      : {};
  const shown = kind === 'bar' ? { bars: measure } : { interval: columns.slice(1).join(' ') };
  return renderer.shown({
    ...asked,
    rows: some,
    asked: {
      query,
      caption,
      ...shown,
      ...sub,
      units,
      columns: [name, measure, ...ends.slice(0, 1)].join(' '),
    },
  });
}

/** The unit of a measure, and what a rate is relative to; for an amount the currency, if there is only one. */
function unitIn(view: View, query: string, measure: string, rows: readonly Row[]): string | undefined {
  const named = BASES[`${query} ${measure}`] ?? BASES[measure];
  if (query === '') return undefined;
  if (named !== undefined) return view.wording.say(named);
  if (unitOf(measure, query) === 'points')
    return view.wording.say({ en: 'percentage points from the baseline', ko: '기준안 대비 %p' });
  if (unitOf(measure) === 'rate') return '%';
  const currency = unitOf(measure) === 'money' ? currencyOf(rows) : null;
  return currency === null ? undefined : view.wording.currency(currency);
}

const MOST_BARS = 12;

interface TableOptions {
  /** Columns left out because they only repeat what the page is about. */
  readonly without?: readonly string[] | undefined;
  readonly earlier?: Sheet | undefined;
  /** True if the address does not choose the order. */
  readonly isFixed?: boolean;
  readonly label?: string;
}

export function table(
  view: View,
  query: QueryFile | undefined,
  sheet: Sheet,
  known: Known,
  { earlier, isFixed = false, label, without = [] }: TableOptions = {},
): Html {
  const { rows, total } = sheet;
  const isVerdict = sheet.columns.some(({ name }) => name === 'verdict');
  // Hours by weekday are a grid, also on a phone.
  const isGrid = sheet.charts.some(({ kind }) => kind === 'heatmap');
  const all = sheet.columns.filter(
    ({ name }) =>
      !without.includes(name) &&
      // Tiles draw this column, or the verdict already says it in words.
      (query === undefined || !(name === FOR_TILES || (name === 'verdict_code' && isVerdict))),
  );
  const first = firstOf(
    all.map(({ name }) => name),
    query,
  );
  const isWhole = view.get('columns') === 'all' && !isFixed;
  const chosen = isWhole ? all : first.flatMap((name) => all.find((one) => one.name === name) ?? []);
  // Values that all rows share are shown once, above. A part of a view also leaves out empty columns.
  const isKnown = (name: string): boolean => rows.some((row) => (row[name] ?? null) !== null);
  const isSame = (name: string): boolean =>
    query !== undefined && earlier === undefined && sheet.same.includes(name);
  const columns = chosen.filter(({ name }) => !isSame(name) && (!isFixed || isKnown(name)));
  const sort = view.get('sort') ?? '';
  const headOf = (name: string): string =>
    query === undefined
      ? name
      : isGrid && WEEKDAYS.includes(name)
        ? view.wording.value('weekday_name', name, 'weekday_short')
        : view.wording.head(name === 'verdict_code' ? 'verdict' : name, query.name);
  const heads = columns.map(({ name, isNumber }) => {
    const isDown = sort === `-${name}`;
    const order = isDown ? 'descending' : sort === name ? 'ascending' : undefined;
    const next = isDown || (sort !== name && !isNumber) ? name : `-${name}`;
    const sorted = order === undefined ? undefined : new Html(` aria-sort="${order}"`);
    const content =
      isFixed || query === undefined
        ? headOf(name)
        : markup`<a href="${view.address({ sort: next, page: undefined })}">${headOf(name)}</a>`;
    return markup`<th scope="col"${isNumber ? new Html(' class="number"') : undefined}${sorted}>${content}</th>`;
  });
  const named = isGrid
    ? columns.findIndex(({ name }) => name === 'hour')
    : columns.findIndex(({ name, isNumber }) => !isNumber && !/date|day|month|week$/.test(name));
  const matched = earlier === undefined || earlier.rows.length === 0 ? undefined : matching(sheet, earlier);
  const lines = rows.map((row) => {
    const past = matched?.(row);
    const cells = columns.map(({ name, isNumber }, i) => {
      const content = cell(view, query, name, row, known);
      const small =
        isNumber && matched !== undefined && isComparable(name, query)
          ? markup`<small>${past === undefined ? view.word('newRow') : [written(view, query, name, past), changeIn(view, query, name, row, past)]}</small>`
          : undefined;
      if (i === named) return markup`<th scope="row">${content}</th>`;
      const length = isNumber ? 'number' : written(view, query, name, row).length > LONG ? 'long' : 'short';
      const kind = (row[name] ?? null) === null ? `${length} none` : length;
      // On a phone, each row is a block with a heading for each value.
      return markup`<td class="${kind}" data-head="${headOf(name)}">${content}${small}</td>`;
    });
    return markup`<tr>${cells}</tr>`;
  });
  const name = label ?? (query === undefined ? '' : titleOf(view, query));
  const [top = {}] = rows;
  const alike = chosen.filter(({ name }) => isSame(name) && isKnown(name));
  const notes = [
    earlier &&
      view.word(matched ? 'beforeBelow' : 'noBefore', {
        days: daysIn(view, earlier.about?.days),
        before: view.word(beforeWord(sheet.about?.days)),
      }),
    alike.length === 0
      ? undefined
      : `${view.word('inEach')}: ${alike.map(({ name }) => `${headOf(name)} ${written(view, query, name, top).replace(/\.$/, '')}`).join(' · ')}.`,
    isFixed || first.length === all.length
      ? undefined
      : markup`<a href="${view.address({ columns: isWhole ? undefined : 'all' })}">${view.word(isWhole ? 'fewColumns' : 'allColumns', { count: all.length })}</a>`,
  ].filter((one) => one !== undefined);
  const note = notes.length === 0 ? undefined : markup`<p class="note">${notes.map((one) => [one, ' '])}</p>`;
  return markup`${note}<div class="scroll" role="region" aria-label="${view.word('table')}: ${name}" tabindex="0">
    <table class="${isGrid ? 'rows grid' : 'rows'}"><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>
    ${isFixed ? undefined : pager(view, rows.length, total)}`;
}

function pager(view: View, shown: number, total: number): Html | undefined {
  if (shown === total) return undefined;
  const page = Math.max(1, Math.floor(Number(view.get('page') ?? 1)) || 1);
  const from = (page - 1) * PAGE_ROWS;
  const link = (to: number, word: 'previousRows' | 'nextRows'): Html =>
    markup`<a href="${view.address({ page: String(to) })}">${view.word(word)}</a>`;
  return markup`<p class="pager">${view.word('rowsOf', { from: from + 1, to: from + shown, total })}
    ${page > 1 ? link(page - 1, 'previousRows') : undefined} ${from + shown < total ? link(page + 1, 'nextRows') : undefined}</p>`;
}

/** Returns a function that finds the same row in the previous period: all texts are equal, except for verdicts and days. */
function matching(now: Sheet, before: Sheet): ((row: Row) => Row | undefined) | undefined {
  const names = now.columns
    .filter(({ name, isNumber }) => !isNumber && !/verdict|date|day|trend|goals/.test(name))
    .map(({ name }) => name);
  const keyOf = (row: Row): string => JSON.stringify(names.map((name) => row[name]));
  const found = new Map(before.rows.map((row) => [keyOf(row), row]));
  const isUnique = found.size === before.rows.length && new Set(now.rows.map(keyOf)).size === now.rows.length;
  return isUnique ? (row) => found.get(keyOf(row)) : undefined;
}

/** Columns with longer texts are wide, and their texts wrap. */
const LONG = 24;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Formats a value for people. Values of free SQL are unchanged. */
function written(view: View, query: QueryFile | undefined, name: string, row: Row): string {
  const value: Value = row[name] ?? null;
  if (value === null) return query?.name === 'revenue' && name === 'variant_name' ? view.word('every') : '–';
  if (query === undefined)
    return shortName(typeof value === 'object' ? JSON.stringify(value) : String(value), 500);
  if (name === 'verdict_code' && (value === 'better' || value === 'worse' || value === 'same'))
    return new Renderer(view.wording).word(value);
  if (typeof value === 'string' && INSTANT.test(value)) return value.slice(0, 16).replace('T', ' ');
  return shortName(view.wording.cell(query.name, name, row), 300);
}

/** False for a column that is itself a comparison, because the change of a change would have no label. */
const isComparable = (name: string, query: QueryFile | undefined): boolean =>
  !['change', 'points', 'probability'].includes(unitOf(name, query?.name) ?? '');

/** The change of a count or amount in percent, or of a rate in percentage points. Empty for other numbers. */
function changeIn(
  { wording }: View,
  query: QueryFile | undefined,
  name: string,
  row: Row,
  past: Row,
): string {
  const [now, before] = [row[name], past[name]];
  const own = unitOf(name, query?.name);
  const unit = name === 'value' && String(row['measure']).endsWith('_rate') ? 'rate' : own;
  if (typeof now !== 'number' || typeof before !== 'number') return '';
  if (unit === 'rate') return ` (${wording.points(now - before)})`;
  const isAmount = unit === undefined || unit === 'money' || unit === 'price' || unit === 'times';
  return isAmount && before > 0 ? ` (${wording.change(now / before - 1)})` : '';
}

/** The columns with the name of a campaign or journey, each with the columns that may have its id. */
const NAMES: readonly (readonly [name: RegExp, ids: readonly string[]])[] = [
  [/^(campaign_name|campaign_id|channel_or_campaign)$/, ['campaign_id']],
  [/^(user_journey_name|user_journey_id)$/, ['user_journey_id']],
  [/^(resource_name|resource_id|item)$/, ['resource_id', 'campaign_id', 'user_journey_id']],
];

function cell(view: View, query: QueryFile | undefined, name: string, row: Row, known: Known): Child {
  const text = written(view, query, name, row);
  const ids = NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? [];
  const id = ids.map((column) => row[column]).find((value) => typeof value === 'string');
  if (typeof id !== 'string' || text === '–') return text;
  const address = detailAddress(known, id);
  return address === undefined ? text : markup`<a href="${address}">${text}</a>`;
}

export function detailAddress({ values }: Known, id: string): string | undefined {
  const journeys = values['journey'] ?? [];
  const kind = journeys.some(({ value }) => value === id)
    ? 'journey'
    : values['campaign']?.some(({ value }) => value === id) === true
      ? 'campaign'
      : undefined;
  return kind && `/${kind}/${encodeURIComponent(id)}`;
}

function covers(view: View, { about }: Sheet): Html | undefined {
  if (about === undefined) return undefined;
  const { days, coverage, findings, meanings, notHeld } = about;
  // What is said about each stream; undefined if all its days are there.
  const streams = coverage.map((one) => {
    const stream = view.wording.value('stream', String(one['stream']));
    if (one['last_snapshot'] !== undefined)
      return { stream, said: view.word('snapshot', { stream, day: String(one['last_snapshot']) }) };
    const which = Object.entries(one).flatMap(([key, value]) =>
      ['missing', 'not_held', 'waits', 'given_up', 'under_way', 'removed_by_retention'].includes(key) &&
      value !== 'none'
        ? [
            String(value).replaceAll(
              /(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?/g,
              (_, first: string, last: string = first) => view.wording.days(first, last).replace(/^on /, ''),
            ),
          ]
        : [],
    );
    if (one['days'] === 0) return { stream, said: view.word('noStream', { stream }) };
    const days = which.join(', ');
    return { stream, said: days === '' ? undefined : view.word('missing', { stream, which: days }) };
  });
  const complete = streams.flatMap(({ stream, said }) => (said === undefined ? [stream] : []));
  const said = [
    days === undefined ? undefined : view.word('covers', { days: daysIn(view, days) }),
    ...(notHeld === undefined ? [] : [view.wording.sentence(notHeld)]),
    ...streams.map((one) => one.said),
    ...(complete.length > 0 ? [view.word('complete', { streams: complete.join(', ') })] : []),
    view.word('publishedAt', { at: view.published }),
  ].filter((one) => one !== undefined);
  const found = findings.map(
    (one) =>
      markup`<li>${view.wording.value('name', one.name)} (${view.wording.value('severity', one.severity)}): ${prose(shortName(findingOf(view, one), 500))}</li>`,
  );
  const meant = meanings.map(
    ([column, text]) => markup`<dt>${view.wording.head(column)} <code>${column}</code></dt><dd>${text}</dd>`,
  );
  return markup`<p class="note covers">${prose(said.join(' '))}</p>
    ${found.length === 0 ? undefined : folded(view.word('findings'), markup`<ul>${found}</ul>`)}
    ${meant.length === 0 ? undefined : folded(view.word('meanings'), markup`<dl>${meant}</dl>`)}`;
}

/** The finding of a check and its meaning, in the page's language. */
function findingOf({ wording, language }: View, { example, meaning }: Finding): string {
  const [, subject, said] = /^(?:(.*?): )?(.*)$/s.exec(example) ?? [];
  const meant = meaning === null ? [] : [wording.sentence(meaning)];
  if (language === 'en') return [example, ...meant].join(' ');
  const translated = [wording.sentence(example), wording.sentence(said ?? '')].find(
    (one) => /[가-힣]/.test(one) && one !== example,
  );
  const days = translated?.replace(/\d{4}-\d\d-\d\d/g, (day) => wording.day(day));
  const of = subject
    ?.split(' ')
    .map((word) => wording.value('template_kind', word))
    .join(' ');
  const found = [of, days].filter((one) => one !== undefined).join(': ');
  return [found, ...meant].filter((one) => one !== '').join(' ');
}

function again(view: View, query: QueryFile, { values }: Sheet): Html {
  const given = values.filter(([name]) => !OWN.includes(name));
  const file = (ending: string): string =>
    addressOf(`/q/${encodeURIComponent(query.name)}.${ending}`, [...givenIn(view, query)]);
  const params = given.map(([name, value]) => quoteShell(`${name}=${value}`));
  const command = ['dawnload query', query.name, ...params].join(' ');
  const sets = given.map(([name, value]) => `set variable "${name}" = '${value.replaceAll("'", "''")}';\n`);
  const sql = `${sets.join('')}${query.sql}`;
  const address = addressOf(view.url.origin + view.url.pathname, view.url.searchParams);
  const copy = (label: string, value: string): Html =>
    markup`<label>${label}<input readonly value="${value}"></label>`;
  return markup`${downloads(view, file)}
    ${folded(
      view.word('again'),
      markup`<div class="copy">${copy(view.word('link'), address)}${copy(view.word('command'), command)}
      <label>SQL<textarea readonly rows="12">${new Html('\n')}${sql}</textarea></label></div>`,
    )}`;
}

export const downloads = (view: View, file: (ending: string) => string): Html =>
  markup`<p class="downloads">${view.word('download')}: ${DOWNLOADS.map((one) => markup`<a href="${file(one)}" download>${one.toUpperCase()}</a> `)}</p>`;

/** A link to a question with the parameters that a section of today's page uses. */
export const questionLink = (
  query: QueryFile,
  title: string,
  fields: Readonly<Record<string, string>>,
): Html => markup`<a href="${questionAddress(query.name, fields)}">${title}</a>`;

/** The form of a question: its fields, their values from the address, and the default days. */
import { isDay, shiftDay, type Day } from '../../ground/calendar.js';
import { wordsOf, type Asking, type QueryFile } from '../queries/catalogue.js';
import { Html, markup, prose, type Child } from '../report/html.js';
import type { Known, Part } from './answer.js';
import { addressOf, nameOf, shortName, type View } from './frame.js';
import { CHOICES, PARAMETERS } from './words.js';

const FIELDS = ['lang', 'sort', 'page', 'columns', 'beside', 'run', 'token'];
export const PAGE_ROWS = 100;
/** Maximum number of values that a list offers before you type. */
const MOST_LISTED = 300;
/** A number of days that a calendar has. The question refuses or ignores any other text. */
const DAYS = /^[1-9]\d{0,4}$/;
/** Parameters that follow from the language and the clock, so the form does not show them. */
export const OWN = ['lang', 'now'];

type Parameter = QueryFile['params'][number];

export function givenIn(view: View, query: QueryFile, prefix = ''): [string, string][] {
  return query.params
    .filter(({ name }) => !OWN.includes(name))
    .flatMap(({ name }) => {
      const value = view.get(`${prefix}${name}`);
      return value === undefined ? [] : [[name, value]];
    });
}

export function askingOf(
  view: View,
  query: QueryFile,
  given: readonly (readonly [string, string])[],
): Asking {
  return { name: query.name, param: given.map((pair) => pair.join('=')), lang: view.language };
}

export function partOf(view: View, asking: Asking): Part {
  const sort = view.get('sort');
  const by =
    sort === undefined ? undefined : { column: sort.replace(/^-/, ''), isDown: sort.startsWith('-') };
  const page = Math.max(1, Math.floor(Number(view.get('page') ?? 1)) || 1);
  return { asking, by, from: (page - 1) * PAGE_ROWS, rows: PAGE_ROWS, isAbout: true };
}

/** The default days of a question, by form field. */
function usualDays(view: View, query: QueryFile, { streams }: Known, prefix: string): Map<string, Day> {
  // The period follows one stream, even if the question reads several.
  const readBy = (pattern: RegExp): string[] => [
    ...new Set([...query.sql.matchAll(pattern)].map(([, name = '']) => name)),
  ];
  const ofPeriod = readBy(/marts\.period\('(\w+)'/g);
  const [stream, other] = ofPeriod.length > 0 ? ofPeriod : readBy(/stream = '(\w+)'/g);
  const [events, optOuts] = [streams['events'], streams['opt_outs']];
  // Questions about responses end three days earlier, because later events and snapshots complete them.
  const followed =
    events && optOuts && query.name === 'opt-outs-after-messages'
      ? { start: events.start, end: [shiftDay(events.end, -3), shiftDay(optOuts.end, -4)].sort()[0] ?? '' }
      : undefined;
  const held = followed ?? (stream === undefined || other !== undefined ? undefined : streams[stream]);
  const days = new Map<string, Day>();
  if (held === undefined) return days;
  const end = view.get(`${prefix}end`) ?? held.end;
  for (const { name, type, default: usual } of query.params) {
    const back = /^last_date - (\d+)$/.exec(usual)?.[1];
    if (type !== 'date' || !isDay(end)) continue;
    const asked = name === 'start' ? DAYS.exec(view.get(`${prefix}days`) ?? '')?.[0] : undefined;
    const length = asked ?? (back === undefined ? undefined : Number(back) + 1);
    const first = length === undefined ? undefined : shiftDay(end, 1 - Number(length));
    if (usual === 'max(date)') days.set(prefix + name, held.end);
    else if (usual === 'min(date)' && asked === undefined) days.set(prefix + name, held.start);
    else if (first !== undefined) days.set(prefix + name, first < held.start ? held.start : first);
  }
  return days;
}

/** The address without empty fields and without fields that the question does not have; undefined if nothing changes. */
export function cleanAddress(
  view: View,
  query: QueryFile,
  known: Known,
  other?: QueryFile,
): string | undefined {
  // Default days are left out of the address, so that it shows the latest days later, too.
  const usual = new Set(
    [usualDays(view, query, known, ''), ...(other === undefined ? [] : [usualDays(view, other, known, 'b.')])]
      .filter((days) => [...days].every(([name, day]) => (view.get(name) ?? day) === day))
      .flatMap((days) => [...days.keys()]),
  );
  const names = [
    ...FIELDS,
    ...query.params.map(({ name }) => name),
    ...(other?.params ?? []).map(({ name }) => `b.${name}`),
  ];
  const all = [...view.url.searchParams];
  // Another first day replaces the number of days.
  const isMoved = (name: string): boolean => {
    const start = name.replace(/days$/, 'start');
    return /^(b\.)?days$/.test(name) && view.get(start) !== undefined && !usual.has(start);
  };
  const kept = all.filter(
    ([name, value]) => value.trim() !== '' && names.includes(name) && !usual.has(name) && !isMoved(name),
  );
  return kept.length === all.length ? undefined : addressOf(view.url.pathname, kept);
}

export const titleOf = ({ language }: View, query: QueryFile): string => wordsOf(query, language).title;

export function head(
  view: View,
  query: QueryFile,
  known: Known,
  all: readonly QueryFile[],
  other?: QueryFile,
): Html {
  const asked = wordsOf(query, view.language).question;
  const beside = view.get('beside');
  const hasDays = ['start', 'end'].every((name) => query.params.some((one) => one.name === name));
  // Only questions of the same subject are offered, because they have much in common. An address may name any other.
  const near = all.filter((one) => one !== query && (one.subject === query.subject || one.name === beside));
  const options = [
    option('', view.word('nothing'), beside ?? ''),
    ...(hasDays ? [option('before', view.word('before'), beside ?? '')] : []),
    option(query.name, view.word('sameQuestion'), beside ?? ''),
    markup`<optgroup label="${view.word('another')}">${near.map((one) => option(one.name, titleOf(view, one), beside ?? ''))}</optgroup>`,
  ];
  return markup`<h1>${titleOf(view, query)}</h1><p class="question">${prose(asked)}</p>
    <form class="ask" action="/q/${encodeURIComponent(query.name)}">
      ${fields(view, query, known, '')}
      <label>${view.word('beside')}<select name="beside">${options}</select></label>
      ${other && markup`<fieldset><legend>${titleOf(view, other)}</legend>${fields(view, other, known, 'b.')}</fieldset>`}
      ${['sort', 'columns'].map((name) => view.get(name) && markup`<input type="hidden" name="${name}" value="${view.get(name)}">`)}
      <button>${view.word('ask')}</button>
    </form>
    ${hasDays ? presets(view, query, known) : undefined}`;
}

const option = (value: string, label: string, chosen: string): Html =>
  markup`<option value="${value}"${value === chosen ? new Html(' selected') : undefined}>${label}</option>`;

/** The fields of a question: the most used ones first, and the others folded. */
function fields(view: View, query: QueryFile, known: Known, prefix: string): Child {
  const shown = query.params.filter(({ name }) => !OWN.includes(name));
  const isRare = ({ name, type }: Parameter): boolean =>
    type === 'bigint' && view.get(`${prefix}${name}`) === undefined;
  const rare = shown.filter(isRare);
  const draw = (some: readonly Parameter[]): Html[] =>
    some.map((one) => field(view, query, one, known, prefix));
  return [
    ...draw(shown.filter((one) => !isRare(one))),
    rare.length === 0
      ? undefined
      : markup`<details class="rare"><summary>${view.word('more')}</summary>${draw(rare)}</details>`,
  ];
}

function field(view: View, query: QueryFile, parameter: Parameter, known: Known, prefix: string): Html {
  const { name, type, choices, description, least } = parameter;
  const value = view.get(`${prefix}${name}`) ?? '';
  const named = PARAMETERS[name];
  const label = named === undefined ? view.wording.head(name) : view.wording.say(named);
  const full = `${prefix}${name}`;
  const about = view.language === 'en' ? description : undefined;
  const wrap = (input: Html): Html => markup`<label title="${about}">${label}${input}</label>`;
  if (type === 'date') {
    const { start, end } = known.days ?? {};
    const usual = value === '' ? usualDays(view, query, known, prefix).get(full) : value;
    return wrap(markup`<input type="date" name="${full}" value="${usual}" min="${start}" max="${end}">`);
  }
  if (type === 'bigint' && choices.length === 0)
    return wrap(
      markup`<input type="number" name="${full}" value="${value}" min="${least}" placeholder="${/^\d+$/.test(parameter.default) ? parameter.default : undefined}">`,
    );
  const values = choices.length > 0 ? choices.map((one) => ({ value: one, name: null })) : known.values[name];
  if (values === undefined || values.length > MOST_LISTED) {
    const list =
      values &&
      markup`<datalist id="${full}-list">${values.slice(0, 5000).map((one) => option(one.value, shortName(one.name ?? one.value), ''))}</datalist>`;
    return wrap(
      markup`<input name="${full}" value="${value}"${list && new Html(` list="${prefix}${name}-list"`)}>${list}`,
    );
  }
  const isKnown = value === '' || values.some((one) => one.value === value);
  const sorted = values
    .map((one) => ({
      value: one.value,
      label:
        choices.length > 0
          ? choiceOf(view, name, one.value)
          : one.name === null
            ? nameOf(view, name, one.value)
            : shortName(one.name),
    }))
    .sort((a, b) => (choices.length > 0 ? 0 : a.label.localeCompare(b.label, view.language)));
  const usual = parameter.default.replaceAll("'", '');
  const byDefault = choices.includes(usual)
    ? `${choiceOf(view, name, usual)} (${view.word('byDefault')})`
    : view.word(name === 'goal' || choices.length > 0 ? 'byDefault' : 'every');
  // The empty choice means the default.
  const others = sorted.filter((one) => choices.length === 0 || one.value !== usual);
  const chosen = choices.length > 0 && value === usual ? '' : value;
  return wrap(markup`<select name="${full}">
    ${option('', byDefault, chosen)}${isKnown ? undefined : option(value, shortName(value), value)}
    ${others.map((one) => option(one.value, one.label, chosen))}
    </select>`);
}

function choiceOf(view: View, parameter: string, choice: string): string {
  const words = CHOICES[choice];
  const named = view.wording.value(parameter, choice);
  return named !== choice ? named : words === undefined ? view.wording.head(choice) : view.wording.say(words);
}

function presets(view: View, query: QueryFile, known: Known): Html | undefined {
  const { days } = known;
  if (days === undefined) return undefined;
  const usual = usualDays(view, query, known, '');
  const { end } = days;
  const month = `${end.slice(0, 7)}-01`;
  const before = shiftDay(month, -1);
  // The address of a number of days shows the latest days later, too.
  const ranges = [
    ['lastDay', end, end, '1'],
    ['last7', shiftDay(end, -6), end, '7'],
    ['last28', shiftDay(end, -27), end, '28'],
    ['thisMonth', month, end, undefined],
    ['lastMonth', `${before.slice(0, 7)}-01`, before, undefined],
  ] as const;
  const links = ranges
    .filter(([, , last]) => last >= days.start)
    .map(([word, start, last, number]) => {
      const [from, to] = ['start', 'end'].map((name) => view.get(name) ?? usual.get(name));
      const isRelative = number !== undefined && query.params.some(({ name }) => name === 'days');
      const range = isRelative
        ? { start: undefined, end: undefined, days: number }
        : { start, end: last, days: undefined };
      const isChosen = (from === start && to === last) || (isRelative && view.get('days') === number);
      const current = isChosen ? new Html(' aria-current="true"') : undefined;
      return markup`<li><a href="${view.address({ ...range, page: undefined, run: undefined })}"${current}>${view.word(word)}</a></li>`;
    });
  return markup`<nav class="presets" aria-label="${view.word('presets')}"><ul>${links}</ul></nav>`;
}

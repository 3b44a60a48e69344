/** Draws sections: sentences, and blocks of tables and charts. What they show is data, in `sections.ts`. */
import { daysOf } from '../../ground/calendar.js';
import { filled, type Said } from '../queries/sentences.js';
import type { Row, Value, Wording } from '../queries/wording.js';
import { bar, interval, line, stepOf } from './chart.js';
import { prose, tag, tagWith, type Child, type Html } from './html.js';
import type { Asked, Heatmap, Section, Series, Table } from './sections.js';
import { HEADS, WORDS, type Word } from './words.js';

/** The answer to one query of a section. */
export interface Answer {
  readonly asked: Asked;
  /** The command that asks the query again. */
  readonly command: string;
  readonly rows: readonly Row[];
  readonly said: readonly Said[];
}

/** A section with its answers; `failure` says why they are missing. */
export interface Answered {
  readonly section: Section;
  readonly answers: readonly Answer[];
  readonly failure?: string;
}

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** The number of days of the week that is marked in a line of 28 days. */
const MARKED = 7;

const known = (row: Row, column: string): Value => row[column] ?? null;
const numberIn = (value: Value | undefined): number | null => (typeof value === 'number' ? value : null);
const numberOf = (row: Row, column: string): number | null => numberIn(row[column]);
const textOf = (row: Row, column: string): string => String(row[column] ?? '–');
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);
const highestOf = (values: readonly (number | null)[]): number =>
  Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));

export class Renderer {
  constructor(readonly wording: Wording) {}

  word(word: Word, values: Row = {}): string {
    return filled(this.wording.say(WORDS[word]), values, this.wording);
  }

  /** The section with its sentences, or nothing if its queries have nothing to say. */
  section({ section: { id, isAbout = false }, answers, failure }: Answered): Html | undefined {
    const said = answers.flatMap((answer) => answer.said);
    if (failure === undefined && said.length === 0 && answers.every(({ rows }) => rows.length === 0))
      return undefined;
    const texts = (...roles: readonly Said['as'][]) =>
      // Two queries of a section may say the same.
      [...new Set(said.filter(({ as }) => roles.includes(as)).map(({ text }) => text))];
    return tagWith(
      'section',
      { id, 'aria-labelledby': `${id}-title` },
      tagWith(isAbout ? 'h3' : 'h2', { id: `${id}-title` }, this.word(id)),
      tag(
        'div.says',
        failure === undefined
          ? paragraph('p.sentence', texts('finding', 'sentence'))
          : tag('p', prose(this.word('notDrawn', { reason: failure }))),
        isAbout ? listed(texts('to do')) : undefined,
        paragraph('p.note', texts('note')),
      ),
      tag(
        'div.shows',
        answers.map((answer) => this.#shown(answer)),
      ),
    );
  }

  #shown({ asked, rows, said }: Answer): Html | undefined {
    if (rows.length === 0) return undefined;
    if ('columns' in asked) return this.#table(asked, rows);
    if ('counters' in asked) return this.#series(asked, rows);
    if (asked.kind === 'heatmap') return this.#heatmap(asked, rows, said);
    if (asked.kind !== 'tiles') return undefined;
    return tag(
      'div.tiles',
      rows.map((row) => this.#tile(row)),
    );
  }

  #value(row: Row, column: string, unit?: string): string {
    const currency = typeof row['currency'] === 'string' ? row['currency'] : null;
    return this.wording.value(column, known(row, column), unit, currency);
  }

  #tile(row: Row): Html {
    const figure = textOf(row, 'figure');
    const name = this.wording.value('figure', figure);
    const show = (value: Value): string => this.#value({ ...row, value }, 'value', figure);
    const [value, previous] = [numberOf(row, 'value'), numberOf(row, 'previous')];
    const list = row['daily_values'];
    const days = Array.isArray(list) ? list.map(numberIn) : [];
    const verdict = (['better', 'worse', 'same'] as const).find((code) => code === row['verdict_code']);
    const change =
      verdict === undefined
        ? this.#value(row, 'change')
        : [
            tag(`span.${verdict}`, this.word(verdict)),
            ` ${this.wording.points((value ?? 0) - (previous ?? 0))}`,
          ];
    const [first, last] = [days.at(0), days.at(-1)].map((day) => show(day ?? null));
    const trend = { name, day: known(row, 'last_date'), first: first ?? null, last: last ?? null };
    const compared = [change, tag('br'), this.word('weekBefore', { value: show(previous) })];
    const before =
      numberOf(row, 'days_held') !== MARKED
        ? this.word('partOfWeek', { days: known(row, 'days_held') })
        : previous === null
          ? this.word('noWeekBefore')
          : compared;
    return tag(
      'div.tile',
      tag('h3', name),
      tag('p.big', show(value).replaceAll('\u00a0', ' ')),
      tag('p', before),
      line(this.word('trend', trend), days, highestOf(days), MARKED),
    );
  }

  #table(block: Table & Asked, all: readonly Row[]): Html | undefined {
    const { by, below = '', caption, interval: ends } = block;
    const pivoted = block.pivot === undefined ? all : pivot(all, block.pivot);
    const kept = pivoted.filter(block.where ?? (() => true));
    const rows = by === undefined ? kept : kept.toSorted((a, b) => descending(a[by], b[by]));
    if (rows.length === 0) return undefined;
    const columns = block.columns
      .filter((column) => rows.some((row) => known(row, column) !== null))
      .map((column) => this.#column(block, column, rows));
    const [named = ''] = block.columns;
    const verdicts = rows.map((row) => row[below]).filter((text) => typeof text === 'string');
    const shared = [...new Set(verdicts)].filter(
      (text) => verdicts.indexOf(text) !== verdicts.lastIndexOf(text),
    );
    const legend = ends && this.word(ends.length === 2 ? 'readCompared' : 'readInterval');
    const rowOf = (row: Row): Child => {
      const text = row[below];
      const own = typeof text === 'string' ? text : undefined;
      const mark = own === undefined ? 0 : shared.indexOf(own) + 1;
      const small = (block.sub ?? []).flatMap((name) =>
        known(row, name) === null ? [] : shortened(this.#value(row, name)),
      );
      const beside = [
        mark > 0 ? tag('sup', mark) : undefined,
        small.length > 0 ? tag('small', small.join(' · ')) : undefined,
      ];
      const cells = columns.map(({ column, kind, content }) =>
        column === named
          ? tagWith('th', { scope: 'row', class: kind }, content(row), beside)
          : tagWith('td', { class: kind, 'data-value': numberOf(row, column) ?? undefined }, content(row)),
      );
      if (own === undefined || mark > 0) return tag('tr', cells);
      const said = tagWith('td', { colspan: columns.length }, prose(this.wording.sentence(own)));
      return [tag('tr.above', cells), tag('tr.below', said)];
    };
    const told = [this.word(caption), ...(legend === undefined ? [] : [legend])].join('; ');
    const heads = columns.map(({ kind, head }) => tagWith('th', { scope: 'col', class: kind }, head));
    const sheet = (some: readonly Row[]): Html => tableOf('sortable', told, heads, some.map(rowOf));
    const notes = shared.map((note, i) =>
      tag('p.note', tag('sup', i + 1), ' ', prose(this.wording.sentence(note))),
    );
    return this.#sheets(caption, rows, block.most ?? rows.length, sheet, notes);
  }

  /** A column with its class, its heading, and the content of its cells. Digits of numbers line up. */
  #column(block: Table & Asked, column: string, rows: readonly Row[]) {
    const [named = ''] = block.columns;
    const unit = block.units?.[column];
    const ends = block.interval ?? [];
    const isNumber = rows.some((row) => numberOf(row, column) !== null);
    const draw =
      ends[0] === column
        ? intervalOf(ends, rows)
        : block.bars?.includes(column)
          ? barOf(column, rows)
          : undefined;
    const kind = [
      isNumber ? 'number' : 'text',
      ...(draw === undefined ? [] : ['picture']),
      ...(block.wide?.includes(column) ? ['wide'] : []),
    ].join(' ');
    const written = [column, ...(ends[1] === column ? ends.slice(2, 3) : [])];
    const content = (row: Row): string | Html => {
      if (known(row, column) === null) return '–';
      const text = written.map((name) => this.#value(row, name, unit)).join(' … ');
      if (draw === undefined) return text;
      const all = ends[0] === column ? ends : [column];
      const label = [this.#value(row, named), ...all.map((one) => this.#value(row, one, unit))].join(', ');
      return tag('span.drawn', draw(label, row), tag('span', text));
    };
    return { column, kind, head: this.#head(column, block.query), content };
  }

  /** The first rows in a table, and the others in one that is folded. */
  #sheets<R>(
    caption: Word,
    rows: readonly R[],
    most: number,
    sheet: (some: readonly R[]) => Html,
    notes: readonly Html[] = [],
  ): Html {
    const label = this.word(caption);
    const more = this.word('moreRows', { left: rows.length - most });
    return tag(
      'div.block',
      scrolling(label, sheet(rows.slice(0, most))),
      notes,
      rows.length > most ? folded(more, scrolling(`${label} (${more})`, sheet(rows.slice(most)))) : undefined,
    );
  }

  #head(column: string, query: string): string {
    const head = HEADS[column];
    return head === undefined ? this.wording.head(column, query) : this.wording.say(head);
  }

  #series({ by, named = by, sub, counters, caption, most }: Series, rows: readonly Row[]): Html {
    const dates = rows.map((row) => textOf(row, 'date')).sort();
    const [start = '', end = ''] = [dates[0], dates.at(-1)];
    const days = daysOf({ start, end });
    const keys = new Set(rows.map((row) => textOf(row, by)));
    const series = [...keys].map((key) => {
      const own = rows.filter((row) => textOf(row, by) === key);
      // Conversions to several goals are not added up.
      const goals = new Set(own.map((row) => known(row, 'goals')).filter((goal) => goal !== null));
      const unknown = own.some((row) => known(row, 'goals') !== null && row['conversions'] === null);
      const values = counters.map((counter) =>
        days.map((day) =>
          counter === 'conversions' && (goals.size > 1 || unknown)
            ? null
            : sumOf(own.filter((row) => row['date'] === day).map((row) => numberOf(row, counter))),
        ),
      );
      const name = own.map((row) => this.wording.value(named, textOf(row, named)))[0] ?? '';
      const small = sub && [...new Set(own.map((row) => this.#value(row, sub)))].join(', ');
      return { name, small, values, totals: values.map(sumOf) };
    });
    const sorted = series.sort((a, b) => (b.totals[0] ?? 0) - (a.totals[0] ?? 0));
    const highest = counters.map((_, i) => highestOf(series.flatMap(({ values }) => values[i] ?? [])));
    const [first, last] = [this.wording.day(start), this.wording.day(end)];
    const range = this.word('readDays', { first, last });
    const total = sumOf(series.map(({ totals }) => totals[0] ?? null)) ?? 0;
    const cell = (counter: string, i: number, { name, values, totals }: (typeof series)[number]): Html => {
      const sum = totals[i] ?? null;
      if (sum === null) return tag('td.picture', '–');
      const count = this.wording.count(sum);
      const label = [name, this.wording.head(counter), range, count].join(', ');
      const share = i === 0 ? ` · ${this.wording.rate(sum / (total || 1))}` : '';
      return tag(
        'td.picture',
        line(label, values[i] ?? [], highest[i] ?? 0),
        tag('small', `${count}${share}`),
      );
    };
    const rowOf = (one: (typeof series)[number]): Html =>
      tag(
        'tr',
        tagWith('th', { scope: 'row' }, one.name, one.small && tag('small', one.small)),
        counters.map((counter, i) => cell(counter, i, one)),
      );
    const heads = [named, ...counters].map((column) =>
      tagWith('th', { scope: 'col' }, this.#head(column, '')),
    );
    const axis = counters.map(() => tag('td.axis', tag('span', first), tag('span', last)));
    const sheet = (some: readonly (typeof series)[number][]): Html =>
      tableOf('series', `${this.word(caption)}, ${range}`, heads, some.map(rowOf), axis);
    return this.#sheets(caption, sorted, most, sheet);
  }

  #heatmap({ caption }: Heatmap, rows: readonly Row[], said: readonly Said[]): Html | undefined {
    const isKnown = (row: Row): boolean => WEEK.some((day) => numberOf(row, day) !== null);
    const used = rows.slice(rows.findIndex(isKnown), rows.findLastIndex(isKnown) + 1);
    if (!used.some(isKnown)) return undefined;
    const highest = highestOf(used.flatMap((row) => WEEK.map((day) => numberOf(row, day))));
    const named = said.map(({ row }) => row).find((row) => row['hour'] !== undefined);
    const channel = this.wording.value('channel', known(used[0] ?? {}, 'channel'));
    const words = [caption, 'readHeatmap' as const, ...(named === undefined ? [] : ['readNamed' as const])];
    const cell = (row: Row, day: string): Html => {
      const rate = numberOf(row, day);
      const isNamed = named?.['hour'] === row['hour'] && named?.['weekday'] === day;
      const kind = `${rate === null ? 'none' : 'step'}${isNamed ? ' named' : ''}`;
      const step = { class: kind, style: `--step:${stepOf(rate, highest)}` };
      return tagWith('td', step, rate === null ? '–' : (rate * 100).toFixed(1));
    };
    const heads = WEEK.map((day) =>
      tagWith('th', { scope: 'col' }, this.wording.value('weekday_name', day, 'weekday_short')),
    );
    const told = [tag('b', channel), `, ${words.map((word) => this.word(word)).join('; ')}`];
    const hours = used.map((row) =>
      tag(
        'tr',
        tagWith('th', { scope: 'row' }, this.#value(row, 'hour')),
        WEEK.map((day) => cell(row, day)),
      ),
    );
    const label = `${this.word(caption)}, ${channel}`;
    return scrolling(label, tableOf('heatmap', told, [tag('td'), ...heads], hours));
  }
}

function tableOf(kind: string, caption: Child, heads: Child, rows: Child, axis?: Child): Html {
  return tag(
    `table.${kind}`,
    tag('caption', caption),
    tag('thead', tag('tr', heads)),
    tag('tbody', rows),
    axis && tag('tfoot', tag('tr', tag('td'), axis)),
  );
}

type Draw = (label: string, row: Row) => Html;

function barOf(column: string, rows: readonly Row[]): Draw {
  const longest = highestOf(rows.map((row) => numberOf(row, column)));
  return (label, row) => bar(label, Math.abs(numberOf(row, column) ?? 0), longest);
}

function intervalOf(columns: readonly string[], rows: readonly Row[]): Draw {
  const isBare = columns.length === 2;
  const bounds = rows.flatMap((row) => columns.slice(0, 3).map((name) => Math.abs(numberOf(row, name) ?? 0)));
  // One very wide interval would squeeze the others; it is cut at the end of the scale, and its bounds are in the row.
  const widest = bounds.sort((a, b) => a - b)[Math.floor((bounds.length - 1) * (isBare ? 1 : 0.9))] ?? 1;
  return (label, row) => {
    const [value = null, first = null, second = null, third = null] = columns.map((name) =>
      numberOf(row, name),
    );
    const reference = isBare ? first : columns.length === 3 ? 0 : third;
    const ends = isBare ? [null, null] : [first, second];
    return interval(label, [value, ...ends, reference], [reference === 0 ? -widest : 0, widest]);
  };
}

const paragraph = (name: string, texts: readonly string[]): Html | undefined =>
  texts.length === 0 ? undefined : tag(name, prose(texts.join(' ')));

/** Sentences as a list; nothing if there are none. */
export function listed(texts: readonly string[]): Html | undefined {
  if (texts.length === 0) return undefined;
  return tag(
    'ul',
    texts.map((text) => tag('li', prose(text))),
  );
}

/** Longer texts in small print are cut. */
function shortened(text: string): string {
  const letters = Array.from(text.replace(/\s+/g, ' '));
  return letters.length > 60 ? `${letters.slice(0, 60).join('')}…` : letters.join('');
}

function descending(a: Value | undefined, b: Value | undefined): number {
  return (a ?? -Infinity) < (b ?? -Infinity) ? 1 : (a ?? -Infinity) > (b ?? -Infinity) ? -1 : 0;
}

/** One row of several for each name, with the measures as columns. */
function pivot(rows: readonly Row[], names: readonly string[]): Row[] {
  const found = new Map<string, Record<string, Value>>();
  for (const row of rows) {
    const key = JSON.stringify(names.map((name) => row[name]));
    const one = found.get(key) ?? Object.fromEntries(names.map((name) => [name, known(row, name)]));
    const measure = textOf(row, 'measure');
    const [value, previous] = [numberOf(row, 'value'), numberOf(row, 'previous')];
    one[measure] = value;
    one[`${measure}_change`] = known(row, 'change');
    one[`${measure}_points`] = value === null || previous === null ? null : value - previous;
    found.set(key, one);
  }
  return [...found.values()];
}

const scrolling = (label: string, table: Html): Html =>
  tagWith('div.scroll', { role: 'region', 'aria-label': label, tabindex: 0 }, table);

export const folded = (summary: string, ...body: readonly Child[]): Html =>
  tag('details', tag('summary', summary), body);

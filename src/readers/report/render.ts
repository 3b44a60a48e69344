/** Draws sections: sentences, tables and charts. What they show is data in `sections.ts`. */
import { daysOf, isDay, shiftDay } from '../../ground/calendar.js';
import { filled, type Said } from '../queries/sentences.js';
import { currencyOf, type Row, type Value, type Wording } from '../queries/wording.js';
import { bar, interval, line, lines, stepOf } from './chart.js';
import { markup, prose, type Child, type Html } from './html.js';
import type { Asked, Caption, Columns, Heatmap, Section, Series, Table } from './sections.js';
import { HEADS, WORDS, type Word } from './words.js';

export interface Answer {
  readonly asked: Asked;
  /** The parameters of the question. */
  readonly fields: Readonly<Record<string, string>>;
  readonly command: string;
  readonly rows: readonly Row[];
  readonly said: readonly Said[];
}

export interface Answered {
  readonly section: Section;
  readonly answers: readonly Answer[];
  readonly failure?: string;
}

export const WEEKDAYS: readonly string[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
];
const VERDICTS = ['better', 'worse', 'same', 'more', 'fewer'] as const;
const MOST_SUBJECTS = 3;
/** How many of the last days in a line of 28 days are highlighted. */
const MARKED = 7;

const MOST_LINES = 6;
/** Maximum number of sentences on the first screen; its figures say the rest. */
const MOST_CLAIMS = 7;

/** What each figure of the first screen counts. */
const BASES: Readonly<Record<string, Word>> = {
  revenue: 'ofRevenue',
  conversions: 'ofConversions',
  message_cost: 'ofPriced',
  sent: 'ofSent',
  people: 'ofPeople',
  delivery_rate: 'ofDeliveries',
  click_rate: 'ofClicks',
  open_rate: 'ofOpenings',
  failure_rate: 'ofFailures',
  opt_outs: 'ofOptOuts',
};

const namesIn = (columns: Columns | undefined): string[] => columns?.split(' ') ?? [];
const known = (row: Row, column: string): Value => row[column] ?? null;
const numberIn = (value: Value | undefined): number | null => (typeof value === 'number' ? value : null);
const numberOf = (row: Row, column: string): number | null => numberIn(row[column]);
const textOf = (row: Row, column: string): string => String(row[column] ?? '–');
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);
const highestOf = (values: readonly (number | null)[]): number =>
  Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));

export class Renderer {
  /** @param linkOf if the page is served, returns a link to the question behind an answer, or to the campaign of a row */
  constructor(
    readonly wording: Wording,
    readonly linkOf?: (answer: Answer, row?: Row) => Html,
  ) {}

  word(word: Word, values: Row = {}): string {
    return filled(this.wording.say(WORDS[word]), values, this.wording);
  }

  #caption(caption: Caption): string {
    return typeof caption === 'string' ? this.word(caption) : this.wording.say(caption);
  }

  section({
    section: { id, isAbout = false, isOpen = false },
    answers,
    failure,
  }: Answered): Html | undefined {
    const said = answers.flatMap((answer) => answer.said);
    if (failure === undefined && said.length === 0 && answers.every(({ rows }) => rows.length === 0))
      return undefined;
    // Roles in this order. Two queries of a section may say the same.
    const texts = (...roles: readonly Said['as'][]): string[] => [
      ...new Set(roles.flatMap((role) => said.filter(({ as }) => as === role).map(({ text }) => text))),
    ];
    const title = isAbout
      ? markup`<h3 id="${id}-title">${this.word(id)}</h3>`
      : markup`<h2 id="${id}-title">${this.word(id)}</h2>`;
    // A folded section has its most important sentence next to its title.
    const claims = texts('finding', 'sentence');
    const [headline] = claims;
    const isFirst = id === 'happened';
    const sentences =
      failure === undefined
        ? isFirst
          ? // Show earnings first.
            [paragraph('sentence lead', claims.slice(0, 1)), listed(claims.slice(1, MOST_CLAIMS))]
          : paragraph('sentence', claims)
        : markup`<p>${prose(this.word('notDrawn', { reason: failure }))}</p>`;
    const toDo = isAbout ? listed(texts('to do')) : undefined;
    const notes = texts('note');
    // On the first screen, findings matter more than how figures are counted.
    const note =
      isFirst && notes.length > 0
        ? folded(this.word('howCounted'), markup`<div class="note">${listed(notes)}</div>`)
        : paragraph('note', notes);
    const body = markup`<div class="says">${sentences}${toDo}${note}${this.#links(answers)}</div>
      <div class="shows">${answers.map((answer) => this.shown(answer))}</div>`;
    const isFixed = isAbout || isFirst;
    return markup`<section id="${id}" aria-labelledby="${id}-title">
      ${
        isFixed
          ? markup`${title}${body}`
          : markup`<details${isOpen ? ' open' : ''}><summary>${title} <span class="headline">${headline && prose(headline)}</span></summary>
            <div class="body">${body}</div></details>`
      }
      </section>`;
  }

  #links(answers: readonly Answer[]): Html | undefined {
    const asked = answers.map(({ asked: { query } }) => query);
    const first = answers.filter((_, i) => asked.indexOf(asked[i] ?? '') === i);
    return (
      this.linkOf &&
      markup`<ul class="links">${first.map((one) => markup`<li>${this.linkOf?.(one)}</li>`)}</ul>`
    );
  }

  shown({ asked, rows, said }: Answer): Html | undefined {
    if (rows.length === 0) return undefined;
    if ('columns' in asked) return this.#table(asked, rows);
    if ('counters' in asked) return this.#series(asked, rows);
    if (asked.kind === 'heatmap') return this.#heatmap(asked, rows, said);
    if (asked.kind === 'lines') {
      const currency = currencyOf(rows);
      const unit = currency === null ? '' : ` (${this.wording.currency(currency)})`;
      return this.lines(this.#caption(asked.caption) + unit, rows, namesIn(asked.axes))?.drawn;
    }
    if (asked.kind !== 'tiles') return undefined;
    return markup`<div class="tiles">${rows.map((row) => this.#tile(row))}</div>`;
  }

  #value(row: Row, column: string, unit?: string): string {
    return this.wording.value(column, known(row, column), unit, currencyOf([row]));
  }

  #tile(row: Row): Html {
    const figure = textOf(row, 'figure');
    const name = this.wording.value('figure', figure);
    const show = (value: Value): string => this.#value({ ...row, value }, 'value', figure);
    const [value, previous] = [numberOf(row, 'value'), numberOf(row, 'previous')];
    const list = row['daily_values'];
    const days = Array.isArray(list) ? list.map(numberIn) : [];
    const verdict = VERDICTS.find((code) => code === row['verdict_code']);
    const difference = this.wording.cell('key-figures', 'change', row);
    const change =
      verdict === undefined
        ? difference
        : markup`<span class="${verdict}">${this.word(verdict)}</span> ${difference}`;
    const [first = '', last = ''] = [days.at(0), days.at(-1)].map((day) => show(day ?? null));
    const trend = this.word('trend', { name, day: known(row, 'last_date'), first, last });
    const before = (): Child => {
      if (numberOf(row, 'days_held') !== MARKED)
        return this.word('partOfWeek', { days: known(row, 'days_held') });
      if (previous !== null)
        return markup`${change}<br>${this.word('weekBefore', { value: show(previous) })}`;
      // A week without all texts sent instead of failed messages cost at least what its days show.
      const isCost = figure === 'message_cost' && numberOf(row, 'previous_days_held') === MARKED;
      const least = isCost ? sumOf(days.slice(-2 * MARKED, -MARKED)) : null;
      return least === null
        ? this.word('noWeekBefore')
        : this.word('weekBeforeAtLeast', { value: show(least) });
    };
    const seen = days.filter((day) => day !== null);
    const scale =
      seen.length < 2
        ? undefined
        : markup`<span class="wide"><br>${this.word('eachDay', { low: show(Math.min(...seen)), high: show(Math.max(...seen)) })}</span>`;
    const isAllPriced = figure === 'message_cost' && known(row, 'channels') === null;
    const base = isAllPriced ? 'ofAllPriced' : BASES[figure];
    const of =
      base === undefined || (WORDS[base].en.includes('{channels}') && known(row, 'channels') === null)
        ? undefined
        : this.word(base, row);
    return markup`<div class="tile">
      <h3>${name}</h3>${of && markup`<p>${of}</p>`}<p class="big">${show(value).replaceAll('\u00a0', ' ')}</p><p>${before()}${scale}</p>
      ${line(trend, days, highestOf(days), MARKED)}
      </div>`;
  }

  #table(block: Table & Asked, all: readonly Row[]): Html | undefined {
    const { per } = block;
    if (per === undefined) return this.#oneTable(block, all);
    const subjects = [...new Set(all.map((row) => textOf(row, per)))];
    const tables = subjects.map((subject) =>
      this.#oneTable(
        block,
        all.filter((row) => textOf(row, per) === subject),
        this.wording.value(per, subject),
      ),
    );
    const more = this.word('moreRows', { left: tables.length - MOST_SUBJECTS });
    return markup`${tables.slice(0, MOST_SUBJECTS)}
      ${tables.length > MOST_SUBJECTS ? folded(more, tables.slice(MOST_SUBJECTS)) : ''}`;
  }

  #oneTable(block: Table & Asked, all: readonly Row[], subject?: string): Html | undefined {
    const { by, below = '', caption } = block;
    const pivoted = block.pivot === undefined ? all : pivot(all, namesIn(block.pivot));
    const kept = pivoted.filter(block.where ?? (() => true));
    const rows = by === undefined ? kept : kept.toSorted((a, b) => descending(a[by], b[by]));
    if (rows.length === 0) return undefined;
    const [named = '', ...others] = namesIn(block.columns);
    const [name, ...columns] = [named, ...others]
      .filter((column) => column === named || rows.some((row) => known(row, column) !== null))
      .map((column) => this.#column(block, column, rows));
    const verdicts = rows.map((row) => row[below]).filter((text) => typeof text === 'string');
    const shared = [...new Set(verdicts)].filter(
      (text) => verdicts.indexOf(text) !== verdicts.lastIndexOf(text),
    );
    const rowOf = (row: Row): Html => {
      const text = row[below];
      const own = typeof text === 'string' ? text : undefined;
      const mark = own === undefined ? 0 : shared.indexOf(own) + 1;
      const small = namesIn(block.sub)
        .filter((column) => known(row, column) !== null)
        .map((column) =>
          column === 'holdout' ? this.word('ofHoldout', row) : shortened(this.#value(row, column)),
        )
        .join(' · ');
      // If the name of a row is a number, it needs its heading.
      const heading = /^[\d+-]+$/.test(textOf(row, named)) ? markup` data-head="${name?.head}"` : undefined;
      const head = markup`<th scope="row" class="${name?.kind}"${heading}>
        ${name?.content(row)}${mark > 0 ? markup`<sup>${'*'.repeat(mark)}</sup>` : ''}${small && markup`<small>${small}</small>`}
        </th>`;
      const cells = columns.map(({ column, kind, head: label, content }) => {
        const number = numberOf(row, column);
        const value = number === null ? '' : markup` data-value="${number}"`;
        const none = known(row, column) === null ? ' none' : '';
        return markup`<td class="${kind}${none}" data-head="${label}"${value}>${content(row)}</td>`;
      });
      if (own === undefined || mark > 0) return markup`<tr>${head}${cells}</tr>`;
      const said = prose(this.wording.sentence(own));
      return markup`<tr class="above">${head}${cells}</tr>
        <tr class="below"><td colspan="${columns.length + 1}">${said}</td></tr>`;
    };
    const ends = namesIn(block.interval);
    const legend = [
      ...(ends.length === 0
        ? []
        : [this.word(ends.length === 2 ? 'readCompared' : 'readInterval'), this.#scale(block, ends, rows)]),
      ...(columns.some(({ column }) => rows.some((row) => verdictIn(row, column) === 'same'))
        ? [this.word('same')]
        : []),
    ];
    const about = subject === undefined ? this.#caption(caption) : `${subject}: ${this.#caption(caption)}`;
    const told = [about, ...legend].join('; ');
    const heads = [name, ...columns].map(
      (one) => markup`<th scope="col" class="${one?.kind}">${one?.head}</th>`,
    );
    const notes = shared.map(
      (note, i) =>
        markup`<p class="note"><sup>${'*'.repeat(i + 1)}</sup> ${prose(this.wording.sentence(note))}</p>`,
    );
    const sheet = (some: readonly Row[]): Html => tableOf('sortable', told, heads, some.map(rowOf));
    return this.#sheets(about, rows, block.most ?? rows.length, sheet, notes);
  }

  /** The ends of the scale for intervals, in words that also fit on a phone. */
  #scale({ units }: Table, ends: readonly string[], rows: readonly Row[]): string {
    const [column = ''] = ends;
    const [low = '', high = ''] = scaleOf(ends, rows).map((end) =>
      end === 0 ? '0' : this.#value({ [column]: end }, column, units?.[column]),
    );
    return this.word('readScale', { low, high });
  }

  /** A column with its class, its heading, and the content of its cells. Digits of numbers are aligned. */
  #column(block: Table & Asked, column: string, rows: readonly Row[]) {
    const [named = ''] = namesIn(block.columns);
    const unit = block.units?.[column];
    const ends = namesIn(block.interval);
    const isInterval = ends[0] === column;
    const draw = isInterval
      ? intervalOf(ends, rows)
      : namesIn(block.bars).includes(column)
        ? barOf(column, rows)
        : undefined;
    const kind = [
      rows.some((row) => numberOf(row, column) !== null) ? 'number' : 'text',
      ...(draw === undefined ? [] : ['picture']),
      ...(namesIn(block.wide).includes(column) ? ['wide'] : []),
    ].join(' ');
    const written = [column, ...(ends[1] === column ? ends.slice(2, 3) : [])];
    const head = this.head(column, block.query);
    const content = (row: Row): Child => {
      if (known(row, column) === null) return '–';
      const text = written.map((name) => this.#value(row, name, unit)).join(' … ');
      const verdict = verdictIn(row, column);
      if (verdict === 'same') return `≈\u00a0${text}`;
      if (verdict !== undefined) return markup`<span class="${verdict}">${this.word(verdict)} ${text}</span>`;
      if (draw === undefined) return text;
      if (isInterval && !hasVerdict(row)) return text;
      const all = isInterval ? ends : [column];
      const label = [this.#value(row, named), ...all.map((one) => this.#value(row, one, unit))].join(', ');
      return markup`<span class="drawn">${draw(label, row)}<span data-head="${head}">${text}</span></span>`;
    };
    return { column, kind, head, content };
  }

  /** The first rows as a table, and the others as a folded table. */
  #sheets<R>(
    label: string,
    rows: readonly R[],
    most: number,
    sheet: (some: readonly R[]) => Html,
    notes: readonly Html[] = [],
  ): Html {
    const more = this.word('moreRows', { left: rows.length - most });
    const rest = folded(more, scrolling(`${label} (${more})`, sheet(rows.slice(most))));
    return markup`<div class="block">
      ${scrolling(label, sheet(rows.slice(0, most)))}${notes}${rows.length > most ? rest : ''}
      </div>`;
  }

  head(column: string, query: string): string {
    const head = HEADS[column];
    return head === undefined ? this.wording.head(column, query) : this.wording.say(head);
  }

  #series(block: Series, rows: readonly Row[]): Html {
    const { by, named = by, sub, caption, most } = block;
    const counters = namesIn(block.counters).filter((counter) =>
      rows.some((row) => known(row, counter) !== null),
    );
    // In an answer by day, the day is in `date`, or in the first day of a row.
    const dayOf = (row: Row): string => textOf(row, 'date' in row ? 'date' : 'first_date');
    const dates = rows.map(dayOf).sort();
    const [start = '', end = ''] = [dates[0], dates.at(-1)];
    const days = daysOf({ start, end });
    const keys = new Set(rows.map((row) => textOf(row, by)));
    const series = [...keys].map((key) => {
      const own = rows.filter((row) => textOf(row, by) === key);
      // Conversions to different goals are not added.
      const goals = new Set(own.map((row) => known(row, 'goals')).filter((goal) => goal !== null));
      const isMixed =
        goals.size > 1 || own.some((row) => known(row, 'goals') !== null && row['conversions'] === null);
      const values = counters.map((counter) =>
        days.map((day) =>
          counter === 'conversions' && isMixed
            ? null
            : sumOf(
                own.filter((row) => dayOf(row) === day && isSent(row)).map((row) => numberOf(row, counter)),
              ),
        ),
      );
      const name = own.map((row) => this.wording.value(named, textOf(row, named)))[0] ?? '';
      const small = sub && [...new Set(own.map((row) => this.#value(row, sub)))].join(', ');
      const totals = counters.map((counter, i) =>
        (values[i] ?? []).some((value) => value !== null)
          ? sumOf(own.map((row) => numberOf(row, counter)))
          : null,
      );
      return { name, small, values, totals, isMixed };
    });
    const sorted = series.sort((a, b) => (b.totals[0] ?? 0) - (a.totals[0] ?? 0));
    const highest = counters.map((_, i) => highestOf(series.flatMap(({ values }) => values[i] ?? [])));
    const [first, last] = [this.wording.day(start), this.wording.day(end)];
    const range = this.word('readDays', { first, last });
    const total = sumOf(series.map(({ totals }) => totals[0] ?? null)) ?? 0;
    const cell = (
      counter: string,
      i: number,
      { name, values, totals, isMixed }: (typeof series)[number],
    ): Html => {
      const sum = totals[i] ?? null;
      const head = this.head(counter, '');
      if (sum === null && isMixed && counter === 'conversions')
        return markup`<td class="picture"><small data-head="${head}">${this.word('severalGoals')}</small></td>`;
      if (sum === null) return markup`<td class="picture none">–</td>`;
      const count = this.wording.count(sum);
      const label = [name, this.wording.head(counter), range, count].join(', ');
      const share = i === 0 ? ` · ${this.wording.rate(sum / (total || 1))}` : '';
      const drawn = line(label, values[i] ?? [], highest[i] ?? 0);
      return markup`<td class="picture">${drawn}<small data-head="${head}">${count}${share}</small></td>`;
    };
    const rowOf = (one: (typeof series)[number]): Html => {
      const small = one.small && markup`<small>${one.small}</small>`;
      const cells = counters.map((counter, i) => cell(counter, i, one));
      return markup`<tr><th scope="row">${one.name}${small}</th>${cells}</tr>`;
    };
    const heads = [named, ...counters].map((one, i) => {
      const most = i === 0 ? '' : this.word('mostADay', { most: highest[i - 1] ?? 0 });
      return markup`<th scope="col">${this.head(one, '')}${most && markup`<small>${most}</small>`}</th>`;
    });
    const axis = counters.map(() => markup`<td class="axis"><span>${first}</span><span>${last}</span></td>`);
    const foot = markup`<tfoot><tr><td></td>${axis}</tr></tfoot>`;
    const sheet = (some: readonly (typeof series)[number][]): Html =>
      tableOf('series', `${this.#caption(caption)}, ${range}`, heads, some.map(rowOf), foot);
    return this.#sheets(this.#caption(caption), sorted, most, sheet);
  }

  /** Draws up to six rows as lines of one measure, in the order of their positions. Undefined if there are fewer than two positions. */
  lines(caption: string, rows: readonly Row[], [at = '', measure = '']: readonly string[], by?: string) {
    const found = [...new Set(rows.map((row) => textOf(row, at)))];
    if (rows.every((row) => /^[\d.:T -]+$/.test(textOf(row, at))))
      found.sort((a, b) => Number(a) - Number(b) || 0 || (a < b ? -1 : 1));
    const places = withEachDay(found);
    const names = [...new Set(rows.map((row) => (by === undefined ? '' : textOf(row, by))))];
    if (places.length < 2 || rows.every((row) => numberOf(row, measure) === null)) return undefined;
    // Shares are not added.
    const isShare = /rate|share|retention|rise/.test(measure);
    const all = names.map((name) => {
      const own = rows.filter((row) => by === undefined || textOf(row, by) === name);
      const values = places.map((place) => {
        const here = own
          .filter((row) => textOf(row, at) === place && isSent(row))
          .map((row) => numberOf(row, measure));
        return here.length > 1 && isShare ? null : sumOf(here);
      });
      return {
        name: by === undefined ? '' : this.wording.value(by, name),
        values,
        total: sumOf(values) ?? 0,
      };
    });
    const sorted = all.filter(({ values }) => values.some((value) => value !== null));
    sorted.sort((a, b) => b.total - a.total);
    const shown = sorted.slice(0, MOST_LINES);
    const write = (value: number): string => this.wording.value(measure, value);
    const named = places.map((place) => this.wording.value(at, place));
    return { drawn: lines(caption, named, shown, write), left: sorted.length - shown.length };
  }

  #heatmap({ caption }: Heatmap, rows: readonly Row[], said: readonly Said[]): Html | undefined {
    const isKnown = (row: Row): boolean => WEEKDAYS.some((day) => numberOf(row, day) !== null);
    const used = rows.slice(rows.findIndex(isKnown), rows.findLastIndex(isKnown) + 1);
    if (!used.some(isKnown)) return undefined;
    const highest = highestOf(used.flatMap((row) => WEEKDAYS.map((day) => numberOf(row, day))));
    const named = said.map(({ row }) => row).find((row) => row['hour'] !== undefined);
    if (said.some(({ row }) => row['not_compared'] === true)) return undefined;
    const channel = this.wording.value('channel', known(used[0] ?? {}, 'channel'));
    const words = [caption, 'readHeatmap' as const, ...(named === undefined ? [] : ['readNamed' as const])];
    const cell = (row: Row, day: string): Html => {
      const rate = numberOf(row, day);
      const isNamed = named?.['hour'] === row['hour'] && named?.['weekday'] === day;
      const kind = `${rate === null ? 'none' : `step step${stepOf(rate, highest)}`}${isNamed ? ' named' : ''}`;
      const text = rate === null ? '–' : (rate * 100).toFixed(1);
      return markup`<td class="${kind}">${text}</td>`;
    };
    const heads = WEEKDAYS.map((day) => this.wording.value('weekday_name', day, 'weekday_short'));
    const told = markup`<b>${channel}</b>, ${words.map((word) => this.word(word)).join('; ')}`;
    const hours = used.map((row) => {
      const cells = WEEKDAYS.map((day) => cell(row, day));
      return markup`<tr><th scope="row">${this.#value(row, 'hour')}</th>${cells}</tr>`;
    });
    const top = markup`<td></td>${heads.map((head) => markup`<th scope="col">${head}</th>`)}`;
    return scrolling(`${this.word(caption)}, ${channel}`, tableOf('heatmap', told, top, hours));
  }
}

/** Adds missing days, which become gaps, unless the positions are weeks or months. */
function withEachDay(places: readonly string[]): readonly string[] {
  const [start = '', end = start] = [places[0], places.at(-1)];
  const isDaily =
    places.every(isDay) && places.some((day, nth) => nth > 0 && day < shiftDay(places[nth - 1] ?? '', 7));
  return isDaily ? daysOf({ start, end }) : places;
}

const tableOf = (kind: string, caption: Child, heads: Child, rows: Child, foot?: Child): Html =>
  markup`<table class="${kind}">
    <caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody>${foot}
    </table>`;

/** With fewer intervals than this, the scale includes all of them. */
const FEW = 6;

/** Verdicts of rows that cannot be compared, so their interval is not drawn. */
const UNJUDGED =
  /^(?:alone|hold_out|baseline|unequal_groups|shares_moved|people_\w+|converters_unknown|too_early|too_few|unknown|none)$/;

/** False if the verdict of a row says that it cannot be compared. */
export const hasVerdict = ({ verdict_code: code }: Row): boolean => !UNJUDGED.test(String(code ?? ''));

type Draw = (label: string, row: Row) => Html;

function barOf(column: string, rows: readonly Row[]): Draw {
  const longest = highestOf(rows.map((row) => numberOf(row, column)));
  return (label, row) => bar(label, Math.abs(numberOf(row, column) ?? 0), longest);
}

function scaleOf(columns: readonly string[], rows: readonly Row[]): [number, number] {
  const isBare = columns.length === 2;
  const bounds = rows
    .filter(hasVerdict)
    .flatMap((row) => columns.slice(0, 3).map((name) => Math.abs(numberOf(row, name) ?? 0)));
  // One very wide interval would squeeze the others, so it is cut at the end of the scale. Its bounds are in the row.
  const usual =
    bounds.sort((a, b) => a - b)[Math.floor((bounds.length - 1) * (isBare || rows.length < FEW ? 1 : 0.9))] ??
    1;
  const widest = Math.max(usual, 1.1 * highestOf(rows.map((row) => numberOf(row, columns[0] ?? ''))));
  const isNegative = rows.some((row) => columns.slice(0, 3).some((name) => (numberOf(row, name) ?? 0) < 0));
  const isAroundZero = columns.length === 3 && isNegative;
  return [isAroundZero ? -widest : 0, widest];
}

function intervalOf(columns: readonly string[], rows: readonly Row[]): Draw {
  const isBare = columns.length === 2;
  const scale = scaleOf(columns, rows);
  return (label, row) => {
    const [value = null, first = null, second = null, third = null] = columns.map((name) =>
      numberOf(row, name),
    );
    const reference = isBare ? first : columns.length === 3 ? 0 : third;
    const ends = isBare ? [null, null] : [first, second];
    return interval(label, [value, ...ends, reference], scale);
  };
}

/** Whether the change of a measure is significant; undefined if unknown. */
function verdictIn(row: Row, column: string): (typeof VERDICTS)[number] | undefined {
  const code = column.endsWith('_points') ? row[column.replace(/_points$/, '_verdict')] : undefined;
  return VERDICTS.find((known) => known === code);
}

const paragraph = (kind: string, texts: readonly string[]): Html | undefined =>
  texts.length === 0 ? undefined : markup`<p class="${kind}">${prose(texts.join(' '))}</p>`;

/** Sentences as a list; undefined without any. */
export const listed = (texts: readonly string[]): Html | undefined =>
  texts.length === 0 ? undefined : markup`<ul>${texts.map((text) => markup`<li>${prose(text)}</li>`)}</ul>`;

/** The first 60 letters; of a list, the parts that fit. */
function shortened(text: string): string {
  const letters = Array.from(text.replace(/\s+/g, ' '));
  if (letters.length <= 60) return letters.join('');
  const first = letters.slice(0, 60).join('');
  return `${first.replace(/ · [^·]*$/, ' · ')}…`;
}

function descending(a: Value | undefined, b: Value | undefined): number {
  return (a ?? -Infinity) < (b ?? -Infinity) ? 1 : (a ?? -Infinity) > (b ?? -Infinity) ? -1 : 0;
}

/** False for a day without sends: what people did on it belongs to messages of other days. */
const isSent = ({ sent }: Row): boolean => sent !== 0;

/** Combines the rows of a name into one row that has the measures as columns. */
function pivot(rows: readonly Row[], names: readonly string[]): Row[] {
  const found = new Map<string, Record<string, Value>>();
  for (const row of rows) {
    const key = JSON.stringify(names.map((name) => row[name]));
    const one = found.get(key) ?? Object.fromEntries(names.map((name) => [name, known(row, name)]));
    const measure = textOf(row, 'measure');
    one[measure] = numberOf(row, 'value');
    one[`${measure}_${measure.endsWith('_rate') ? 'points' : 'change'}`] = known(row, 'change');
    one[`${measure}_verdict`] = known(row, 'verdict_code');
    found.set(key, one);
  }
  return [...found.values()];
}

const scrolling = (label: string, table: Html): Html =>
  markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`;

export const folded = (summary: string, body: Child): Html =>
  markup`<details><summary>${summary}</summary>${body}</details>`;

/** Draws sections: sentences, and blocks of tables and charts. What they show is data, in `sections.ts`. */
import { daysOf } from '../../ground/calendar.js';
import { filled, type Said } from '../queries/sentences.js';
import type { Row, Value, Wording } from '../queries/wording.js';
import { bar, interval, line, stepOf } from './chart.js';
import { html, NOTHING, prose, type Html } from './html.js';
import type { Asked, Heatmap, Section, Series, Shown, Table } from './sections.js';
import { WORDS, type Word } from './words.js';

/** The answer to one query of a section. */
export interface Answer {
  readonly asked: Asked;
  /** The command that asks the query again, and its text. */
  readonly command: string;
  readonly sql: string;
  readonly rows: readonly Row[];
  readonly said: readonly Said[];
}

/** A section with its answers; `failure` says why they are missing. */
export interface Answered {
  readonly section: Section;
  readonly answers: readonly Answer[];
  readonly failure?: string;
}

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** The number of days of the week that is marked in a line of 28 days. */
const MARKED = 7;

const numberOf = (row: Row, column: string): number | null => {
  const value = row[column];
  return typeof value === 'number' ? value : null;
};
const textOf = (row: Row, column: string): string =>
  row[column] === null ? '–' : String(row[column] ?? '–');
const currencyOf = (row: Row): string | null =>
  typeof row['currency'] === 'string' ? row['currency'] : null;
const sumOf = (values: readonly (number | null)[]): number | null =>
  values.every((value) => value === null)
    ? null
    : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const highestOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((highest, value) => Math.max(highest, Math.abs(value ?? 0)), 0);

export class Renderer {
  constructor(readonly wording: Wording) {}

  word(word: Word, values: Row = {}): string {
    return filled(this.wording.say(WORDS[word]), values, this.wording);
  }

  /** The section with its sentences, or nothing if its queries have nothing to say. */
  section({ section, answers, failure }: Answered): Html | undefined {
    const said = answers.flatMap((answer) => answer.said);
    if (failure === undefined && said.length === 0 && answers.every(({ rows }) => rows.length === 0))
      return undefined;
    const texts = (...roles: readonly Said['as'][]) =>
      // Two queries of a section may say the same.
      [...new Set(said.filter(({ as }) => roles.includes(as)).map(({ text }) => text))];
    const title = html`${this.word(section.id)}`;
    const head =
      section.isAbout === true
        ? html`<h3 id="${section.id}-title">${title}</h3>`
        : html`<h2 id="${section.id}-title">${title}</h2>`;
    return html`<section id="${section.id}" aria-labelledby="${section.id}-title">
      ${head}
      <div class="says">
        ${
          failure === undefined
            ? paragraph('sentence', texts('finding', 'sentence'))
            : html`<p>${prose(this.word('notDrawn', { reason: failure }))}</p>`
        }
        ${section.isAbout === true ? listed(texts('to do')) : undefined} ${paragraph('note', texts('note'))}
      </div>
      <div class="shows">${answers.map((answer) => this.#shown(answer))}</div>
    </section>`;
  }

  #shown({ asked, rows, said }: Answer): Html {
    if (rows.length === 0) return NOTHING;
    if ('columns' in asked) return this.#table(asked, rows, asked.query);
    if ('counters' in asked) return this.#series(asked, rows);
    if (asked.kind === 'heatmap') return this.#heatmap(asked, rows, said);
    return asked.kind === 'tiles' ? this.#tiles(rows) : NOTHING;
  }

  // Tiles.

  #tiles(rows: readonly Row[]): Html {
    return html`<div class="tiles">${rows.map((row) => this.#tile(row))}</div>`;
  }

  #tile(row: Row): Html {
    const figure = textOf(row, 'figure');
    const name = this.wording.value('figure', figure);
    const show = (value: Value): string => this.wording.value(figure, value, figure, currencyOf(row));
    const [value, previous] = [numberOf(row, 'value'), numberOf(row, 'previous')];
    const list = row['daily_values'];
    const days = (Array.isArray(list) ? list : []).map((day) => (typeof day === 'number' ? day : null));
    const verdict = textOf(row, 'verdict_code');
    const isJudged = verdict === 'better' || verdict === 'worse' || verdict === 'same';
    const change = isJudged
      ? html`<span class="${verdict}">${this.word(verdict)}</span>
          ${this.wording.points((value ?? 0) - (previous ?? 0))}`
      : html`${this.#value(row, 'change')}`;
    const trend = this.word('trend', {
      name,
      day: row['last_date'] ?? null,
      first: show(days[0] ?? null),
      last: show(days[days.length - 1] ?? null),
    });
    return html`<div class="tile">
      <h3>${name}</h3>
      <p class="big">${show(value).replaceAll('\u00a0', ' ')}</p>
      <p>
        ${
          numberOf(row, 'days_held') !== MARKED
            ? this.word('partOfWeek', { days: row['days_held'] ?? null })
            : previous === null
              ? this.word('noWeekBefore')
              : html`${change}<br />${this.word('weekBefore', { value: show(previous) })}`
        }
      </p>
      ${line(trend, days, highestOf(days), MARKED)}
    </div>`;
  }

  // Tables.

  #table(block: Table, all: readonly Row[], query: string): Html {
    const pivoted = block.pivot === undefined ? all : pivot(all, block.pivot);
    const kept = block.where === undefined ? pivoted : pivoted.filter(block.where);
    const { by } = block;
    const rows = by === undefined ? kept : [...kept].sort((a, b) => descending(a[by], b[by]));
    if (rows.length === 0) return NOTHING;
    const columns = block.columns
      .map((column): Shown => (typeof column === 'string' ? { column } : column))
      .filter((column) => column.below === true || rows.some((row) => (row[column.column] ?? null) !== null));
    const inRow = columns.filter(({ below }) => below !== true);
    const below = columns.filter((column) => column.below === true);
    const most = block.most ?? rows.length;
    const shared = sharedTexts(below, rows);
    const legends = inRow.flatMap(({ legend }) => (legend === undefined ? [] : [this.word(legend)]));
    const caption = [this.word(block.caption), ...legends].join('; ');
    const sheet = (some: readonly Row[]): Html =>
      html`<table class="sortable">
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${inRow.map((column) => html`<th scope="col" class="${kindOf(column, rows)}">${this.#head(column, query)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${some.map((row) => this.#row(row, inRow, below, shared, rows))}
        </tbody>
      </table>`;
    const notes = shared.map(
      (note, i) => html`<p class="note"><sup>${i + 1}</sup> ${prose(this.wording.sentence(note))}</p>`,
    );
    return this.#sheets(block.caption, rows, most, sheet, notes);
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
    return html`<div class="block">
      ${scrolling(label, sheet(rows.slice(0, most)))} ${notes}
      ${rows.length > most ? folded(more, scrolling(`${label} (${more})`, sheet(rows.slice(most)))) : undefined}
    </div>`;
  }

  #head({ column, head }: { column: string; head?: Word | undefined }, query: string): string {
    return head === undefined ? this.wording.head(column, query) : this.word(head);
  }

  #row(
    row: Row,
    inRow: readonly Shown[],
    below: readonly Shown[],
    shared: readonly string[],
    rows: readonly Row[],
  ): Html {
    const texts = below.map(({ column }) => textOf(row, column)).filter((text) => text !== '–');
    const own = texts.filter((text) => !shared.includes(text));
    const marks = texts.map((text) => shared.indexOf(text) + 1).filter((mark) => mark > 0);
    const name = this.#value(row, inRow[0]?.column ?? '');
    const cells = inRow.map((shown, i) => {
      const { column, chart, unit } = shown;
      const kind = kindOf(shown, rows);
      const value = row[column] ?? null;
      const small = (shown.sub ?? []).flatMap((name) => {
        const text = row[name] ?? null;
        return text === null ? [] : [shortened(this.wording.value(name, text))];
      });
      const columns = chart === undefined ? [column, ...(shown.with ?? [])] : [column];
      const written = value === null ? '–' : columns.map((name) => this.#value(row, name, unit)).join(' … ');
      const content =
        chart === undefined || value === null
          ? written
          : html`<span class="drawn">${this.#chart(name, shown, row, rows)}<span>${written}</span></span>`;
      const inside = html`${content}${i === 0 ? marks.map((mark) => html`<sup>${mark}</sup>`) : undefined}${small.length === 0 ? undefined : html`<small>${small.join(' · ')}</small>`}`;
      if (i === 0) return html`<th scope="row" class="${kind}">${inside}</th>`;
      return typeof value === 'number'
        ? html`<td class="${kind}" data-value="${value}">${inside}</td>`
        : html`<td class="${kind}">${inside}</td>`;
    });
    return html`<tr class="${own.length > 0 ? 'above' : ''}">
        ${cells}
      </tr>
      ${own.map(
        (text) =>
          html`<tr class="below">
            <td colspan="${inRow.length}">${prose(this.wording.sentence(text))}</td>
          </tr>`,
      )}`;
  }

  #value(row: Row, column: string, unit?: string): string {
    return this.wording.value(column, row[column] ?? null, unit, currencyOf(row));
  }

  /** @param name the first cell of the row, for the text that stands for the chart */
  #chart(name: string, shown: Shown, row: Row, rows: readonly Row[]): Html {
    const { column, chart, unit, with: others = [] } = shown;
    const value = numberOf(row, column) ?? 0;
    const label = [name, ...[column, ...others].map((one) => this.#value(row, one, unit))].join(', ');
    const [first = null, second = null, third = null] = others.map((name) => numberOf(row, name));
    if (chart === 'interval') {
      // Another rate alone, both ends of an interval around nothing, or of one around another rate.
      const isBare = others.length === 1;
      const reference = isBare ? first : others.length === 2 ? 0 : third;
      const [low, high] = isBare ? [null, null] : [first, second];
      const bounds = rows.flatMap((one) =>
        [column, ...others.slice(0, 2)].map((name) => Math.abs(numberOf(one, name) ?? 0)),
      );
      // One very wide interval would squeeze the others; it is cut at the end of the scale, and its bounds are in the row.
      const widest = bounds.sort((a, b) => a - b)[Math.floor((bounds.length - 1) * (isBare ? 1 : 0.9))] ?? 1;
      return interval(label, [value, low, high, reference], [reference === 0 ? -widest : 0, widest]);
    }
    return bar(label, Math.abs(value), highestOf(rows.map((one) => numberOf(one, column))));
  }

  // Series of days.

  #series(block: Series, rows: readonly Row[]): Html {
    const { by, named = by, sub, counters } = block;
    const dates = rows.map((row) => textOf(row, 'date')).sort();
    const [start = '', end = ''] = [dates[0], dates.at(-1)];
    const days = daysOf({ start, end });
    const keys = [...new Set(rows.map((row) => textOf(row, by)))];
    const series = keys.map((key) => {
      const own = rows.filter((row) => textOf(row, by) === key);
      const name = own.map((row) => textOf(row, named))[0] ?? key;
      // Conversions to several goals are not added up.
      const goals = new Set(own.map((row) => row['goals'] ?? null).filter((goal) => goal !== null));
      const unknown = own.some((row) => (row['goals'] ?? null) !== null && row['conversions'] === null);
      const values = counters.map((counter) =>
        days.map((day) =>
          counter === 'conversions' && (goals.size > 1 || unknown)
            ? null
            : sumOf(own.filter((row) => row['date'] === day).map((row) => numberOf(row, counter))),
        ),
      );
      return { name, own, values, totals: values.map(sumOf) };
    });
    const sorted = series.sort((a, b) => (b.totals[0] ?? 0) - (a.totals[0] ?? 0));
    const highest = counters.map((_, i) => highestOf(series.flatMap(({ values }) => values[i] ?? [])));
    const range = this.word('readDays', { first: this.wording.day(start), last: this.wording.day(end) });
    const total = sumOf(series.map(({ totals }) => totals[0] ?? null)) ?? 0;
    const cell = (counter: string, i: number, { name, values, totals }: (typeof series)[number]): Html => {
      const known = totals[i] ?? null;
      if (known === null) return html`<td class="picture">–</td>`;
      const label = `${this.wording.value(named, name)}, ${this.wording.head(counter)}, ${range}, ${this.wording.count(known)}`;
      const drawn = line(label, values[i] ?? [], highest[i] ?? 0);
      const share = i === 0 ? ` · ${this.wording.rate(known / (total || 1))}` : '';
      return html`<td class="picture">${drawn}<small>${this.wording.count(known)}${share}</small></td>`;
    };
    const sheet = (some: readonly (typeof series)[number][]): Html =>
      html`<table class="series">
        <caption>
          ${this.word(block.caption)}, ${range}
        </caption>
        <thead>
          <tr>
            <th scope="col">${this.#head({ column: named, head: block.head }, '')}</th>
            ${counters.map((counter) => html`<th scope="col">${this.wording.head(counter)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${some.map(
            (one) =>
              html`<tr>
                <th scope="row">
                  ${this.wording.value(named, one.name)}${sub === undefined ? undefined : html`<small>${[...new Set(one.own.map((row) => this.#value(row, sub)))].join(', ')}</small>`}
                </th>
                ${counters.map((counter, i) => cell(counter, i, one))}
              </tr>`,
          )}
        </tbody>
        <tfoot>
          <tr>
            <td></td>
            ${counters.map(() => html`<td class="axis"><span>${this.wording.day(start)}</span><span>${this.wording.day(end)}</span></td>`)}
          </tr>
        </tfoot>
      </table>`;
    return this.#sheets(block.caption, sorted, block.most, sheet);
  }

  // The heatmap of a channel.

  #heatmap(block: Heatmap, rows: readonly Row[], said: readonly Said[]): Html {
    const isKnown = (row: Row): boolean => WEEK.some((day) => numberOf(row, day) !== null);
    const from = rows.findIndex(isKnown);
    if (from === -1) return NOTHING;
    const used = rows.slice(from, rows.findLastIndex(isKnown) + 1);
    const highest = highestOf(used.flatMap((row) => WEEK.map((day) => numberOf(row, day))));
    const named = said.map(({ row }) => row).find((row) => row['hour'] !== undefined);
    const channel = this.wording.value('channel', rows[0]?.['channel'] ?? null);
    const cell = (row: Row, day: (typeof WEEK)[number]): Html => {
      const rate = numberOf(row, day);
      const isNamed = named?.['hour'] === row['hour'] && named?.['weekday'] === day;
      const step = rate === null ? 'none' : `step${stepOf(rate, highest)}`;
      return html`<td class="${step}${isNamed ? ' named' : ''}">
        ${rate === null ? '–' : (rate * 100).toFixed(1)}
      </td>`;
    };
    return scrolling(
      `${this.word(block.caption)}, ${channel}`,
      html`<table class="heatmap">
        <caption>
          <b>${channel}</b
          >,
          ${[block.caption, 'readHeatmap' as const, ...(named === undefined ? [] : ['readNamed' as const])].map((word) => this.word(word)).join('; ')}
        </caption>
        <thead>
          <tr>
            <td></td>
            ${WEEK.map((day) => html`<th scope="col">${this.wording.value('weekday_name', day, 'weekday_short')}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${used.map(
            (row) =>
              html`<tr>
                <th scope="row">${this.#value(row, 'hour')}</th>
                ${WEEK.map((day) => cell(row, day))}
              </tr>`,
          )}
        </tbody>
      </table>`,
    );
  }
}

function paragraph(kind: string, texts: readonly string[]): Html {
  return texts.length === 0 ? NOTHING : html`<p class="${kind}">${prose(texts.join(' '))}</p>`;
}

/** Sentences as a list; nothing if there are none. */
export function listed(texts: readonly string[]): Html {
  return texts.length === 0
    ? NOTHING
    : html`<ul>
        ${texts.map((text) => html`<li>${prose(text)}</li>`)}
      </ul>`;
}

/** Longer texts in small print are cut. */
function shortened(text: string): string {
  const letters = Array.from(text.replace(/\s+/g, ' '));
  return letters.length > 60 ? `${letters.slice(0, 60).join('')}…` : letters.join('');
}

function descending(a: Value | undefined, b: Value | undefined): number {
  return (a ?? -Infinity) < (b ?? -Infinity) ? 1 : (a ?? -Infinity) > (b ?? -Infinity) ? -1 : 0;
}

/** The class of a column: numbers are aligned so that their digits line up. */
function kindOf({ column, chart, wide }: Shown, rows: readonly Row[]): string {
  const isNumber = rows.some((row) => typeof row[column] === 'number');
  const kind = `${isNumber ? 'number' : 'text'}${chart === undefined ? '' : ' picture'}`;
  return wide === true ? `${kind} wide` : kind;
}

/** Texts that stand in more than one row are said once. */
function sharedTexts(below: readonly Shown[], rows: readonly Row[]): string[] {
  const all = below
    .flatMap(({ column }) => rows.map((row) => row[column]))
    .filter((text) => typeof text === 'string');
  return [...new Set(all)].filter((text) => all.filter((one) => one === text).length > 1);
}

/** One row of several for each name, with the measures as columns. */
function pivot(rows: readonly Row[], names: readonly string[]): Row[] {
  const found = new Map<string, Record<string, Value>>();
  for (const row of rows) {
    const key = JSON.stringify(names.map((name) => row[name]));
    const one = found.get(key) ?? Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
    const measure = textOf(row, 'measure');
    const [value, previous] = [numberOf(row, 'value'), numberOf(row, 'previous')];
    one[measure] = value;
    one[`${measure}_change`] = row['change'] ?? null;
    one[`${measure}_points`] = value === null || previous === null ? null : value - previous;
    found.set(key, one);
  }
  return [...found.values()];
}

function scrolling(label: string, table: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`;
}

export function folded(summary: string, body: Html): Html {
  return html`<details>
    <summary>${summary}</summary>
    ${body}
  </details>`;
}

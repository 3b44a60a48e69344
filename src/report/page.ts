/** Shared by all parts of a page: the language, the day, the formatting of numbers and names, and markup. */
import type { Day } from '../calendar.js';
import { Dictionary, type Language } from '../dictionary/dictionary.js';
import { formatPrice } from '../price.js';

/** A text in both languages. */
export interface Text {
  readonly en: string;
  readonly ko: string;
}

const PER_CENT = 100;

export class Page {
  /** The channels that count clicks, the largest first. */
  readonly channels: readonly string[];
  /** True if the last run did not load everything that it should have loaded. */
  readonly isIncomplete: boolean;
  readonly #numbers: Intl.NumberFormat;
  readonly #tenths: Intl.NumberFormat;
  readonly #hundredths: Intl.NumberFormat;

  constructor(
    readonly language: Language,
    /** The newest day of the daily statistics; undefined if the warehouse has none. */
    readonly day: Day | undefined,
    /** The last complete day at the time of the report. */
    readonly complete: Day,
    {
      channels = [],
      isIncomplete = false,
    }: { readonly channels?: readonly string[]; readonly isIncomplete?: boolean } = {},
  ) {
    this.channels = channels;
    this.isIncomplete = isIncomplete;
    this.#numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    this.#tenths = withDigits(language, 1);
    this.#hundredths = withDigits(language, 2);
  }

  say(text: Text): string {
    return text[this.language];
  }

  /** Formats a count as `1,234`; an unknown count as a dash. */
  count(value: number | null): string {
    return value === null ? '–' : this.#numbers.format(value);
  }

  /** Formats the price of records, with the currency if one is configured. */
  price(amount: number | null, currency: string | null): string {
    return amount === null ? '–' : formatPrice(amount, currency ?? undefined, this.language);
  }

  /** Formats a share as a percentage: `4.4 %`, `0.35 %`. */
  rate(value: number | null): string {
    return value === null ? '–' : `${this.#percent(value)}\u00a0%`;
  }

  /** Formats a difference of shares in percentage points, with its sign: `+2.3 pp`. */
  points(value: number | null): string {
    if (value === null) return '–';
    const unit = this.say({ en: '\u00a0pp', ko: '%p' });
    return `${value > 0 ? '+' : value < 0 ? '−' : ''}${this.#percent(Math.abs(value))}${unit}`;
  }

  #percent(value: number): string {
    const percent = value * PER_CENT;
    return (Math.abs(percent) < 1 ? this.#hundredths : this.#tenths).format(percent);
  }

  /** Formats a relative change as a percentage with an arrow: `▲ 3.2 %`. */
  change(value: number | null): string {
    if (value === null) return '–';
    return `${value > 0 ? '▲' : value < 0 ? '▼' : '='}\u00a0${this.rate(Math.abs(value))}`;
  }

  /** Formats a duration with one unit: `40 s`, `3.5 h`. */
  duration(seconds: number | null): string {
    if (seconds === null) return '–';
    const [size, en, ko] = UNITS.find(([size]) => seconds >= size) ??
      UNITS[UNITS.length - 1] ?? [1, 's', '초'];
    return `${this.count(seconds / size)}\u00a0${this.language === 'ko' ? ko : en}`;
  }

  /** The display name of a value of a column: `Daily statistics` for the stream `statistics`. */
  value(column: string, value: string): string {
    return Dictionary.load().value(column, value)?.[this.language] ?? value;
  }

  /** A sentence of an answer, translated to the language of the page if the dictionary contains it. */
  sentence(text: string): string {
    return this.language === 'ko' ? Dictionary.load().korean(text) : text;
  }

  /** The display name of a column; the Korean one comes from the dictionary. */
  head(column: string): string {
    if (this.language === 'ko') return Dictionary.load().label(column) ?? column;
    const words = column.replace(/_kst$/, ' (KST)').replaceAll('_', ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
  }
}

function withDigits(language: Language, digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const UNITS: readonly (readonly [number, string, string])[] = [
  [86_400, 'd', '일'],
  [3600, 'h', '시간'],
  [60, 'min', '분'],
  [1, 's', '초'],
];

export class Html {
  constructor(readonly markup: string) {}
}

type Insert = Html | string | number | undefined | readonly Insert[];

/** Markup with escaped inserts. `undefined` inserts nothing. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(strings.reduce((text, string, i) => `${text}${markupOf(inserts[i - 1])}${string}`));
}

export const NOTHING = new Html('');

/**
 * A sentence as markup. Text in backticks becomes code, and lines are not broken inside a day or before a percent sign.
 */
export function prose(sentence: string): Html {
  const pieces = sentence.replace(/(\d) %/g, '$1\u00a0%').split(/(`[^`]+`|\d{4}-\d{2}-\d{2}\S*)/);
  return html`${pieces.map((piece, i) => {
    if (i % 2 === 0) return piece;
    return piece.startsWith('`')
      ? html`<code>${piece.slice(1, -1)}</code>`
      : html`<span class="day">${piece}</span>`;
  })}`;
}

function markupOf(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Html) return insert.markup;
  return typeof insert === 'object' ? insert.map(markupOf).join('') : escaped(String(insert));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return (
    text
      .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
      // Names contain no control characters, and direction marks would change the writing direction of the page.
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  );
}

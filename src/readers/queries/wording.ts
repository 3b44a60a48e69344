/** Formats numbers, days and names in a language, for sentences and the report. */
import { Dictionary, type Language, type Words } from '../../warehouse/dictionary.js';
import { DawnloadError } from '../../ground/errors.js';
import { formatPrice, shownText } from '../../ground/text.js';

/** The unit of a number. A share is stored as a number from 0 to 1. */
export type Unit =
  | 'count'
  | 'rate'
  | 'points'
  | 'change'
  | 'times'
  | 'duration'
  | 'probability'
  | 'money'
  | 'price'
  | 'estimate'
  | 'day'
  | 'hour';

/** The unit of a column, by its name. Any other number is a count. */
const UNITS: readonly (readonly [RegExp, Unit])[] = [
  [/_points$/, 'points'],
  [/(^|_)change(_|$)/, 'change'],
  [/(^|_)(rate|share|retention)(_|$)|^drop_off$/, 'rate'],
  [/_seconds(_of_all)?$/, 'duration'],
  [/^cost_return$/, 'times'],
  [/^price$/, 'price'],
  [/(^|_)p_value$/, 'probability'],
  [/(^|_)(cost|revenue)(_per_\w+|_\d+d)?$/, 'money'],
  [/^hour$/, 'hour'],
  [/(^|_)(date|day|month)$/, 'day'],
];

/** Units of columns that depend on the query, too. */
const UNITS_OF_QUERIES: readonly (readonly [query: string, column: RegExp, Unit])[] = [
  ['ab-tests', /^difference/, 'points'],
  ['ab-tests', /^lift$/, 'change'],
  ['pooled-tests', /^lift/, 'change'],
  ['send-heatmap', /day$/, 'rate'],
];

/** The unit of a column; undefined for counts and text. */
export const unitOf = (column: string, query = ''): Unit | undefined =>
  UNITS_OF_QUERIES.find(([of, pattern]) => of === query && pattern.test(column))?.[2] ??
  UNITS.find(([pattern]) => pattern.test(column))?.[1];

/** The label of the values that all rows of an answer share. */
export const IN_EACH = { en: 'Same in all rows', ko: '모든 행 공통' };

/** The currency of the rows if there is only one, otherwise null. */
export function currencyOf(rows: readonly Row[]): string | null {
  const all = new Set(rows.flatMap((row) => [row['currency'] ?? row['currencies'] ?? []].flat()));
  const [only] = all;
  return all.size === 1 && typeof only === 'string' ? only : null;
}

const DURATIONS: readonly (readonly [number, string, string])[] = [
  [86_400, 'd', '일'],
  [3600, 'h', '시간'],
  [60, 'min', '분'],
  [0, 's', '초'],
];

/** A value of an answer. A list has names, which a sentence joins. */
export type Value = string | number | boolean | null | readonly Value[];

export type Row = Readonly<Record<string, Value>>;

/** Answers have six decimals. 0.0515 is 5.15% and becomes 5.2%; the binary product is 5.1499…, so it is rounded to eight decimals. */
const percentOf = (share: number): number => Number((share * 100).toFixed(8));

export class Wording {
  readonly #numbers: Intl.NumberFormat;
  readonly #tenths: Intl.NumberFormat;
  readonly #hundredths: Intl.NumberFormat;
  readonly #dates: Readonly<Record<'short' | 'long', Intl.DateTimeFormat>>;

  constructor(readonly language: Language) {
    const digits = (count: number) =>
      new Intl.NumberFormat(language, { minimumFractionDigits: count, maximumFractionDigits: count });
    this.#numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    this.#tenths = digits(1);
    this.#hundredths = digits(2);
    const dates = (month: 'short' | 'long', year?: 'numeric') =>
      new Intl.DateTimeFormat(this.say({ en: 'en-US', ko: 'ko' }), {
        year,
        month,
        day: 'numeric',
        timeZone: 'UTC',
      });
    this.#dates = { short: dates(language === 'ko' ? 'long' : 'short'), long: dates('long', 'numeric') };
  }

  say(text: Words): string {
    return text[this.language];
  }

  /** `1,234`. */
  count(value: number): string {
    return this.#numbers.format(value).replace('-', '−');
  }

  /** A share as a percentage: `4.4%`. Below 1%, with two decimals: `0.35%`. */
  rate(value: number): string {
    return `${this.#percent(value)}%`;
  }

  /** A difference of shares in percentage points, with its sign: `+2.3 pp`. */
  points(value: number): string {
    const sign = value > 0 ? '+' : value < 0 ? '−' : '';
    return `${sign}${this.#percent(Math.abs(value))}${this.say({ en: '\u00a0pp', ko: '%p' })}`;
  }

  /** A relative change with its sign: `+3.2%`, `−0.4%`. */
  change(value: number): string {
    const tenths = Math.round(10 * percentOf(value)) / 10;
    return `${tenths > 0 ? '+' : tenths < 0 ? '−' : '±'}${this.#tenths.format(Math.abs(tenths))}%`;
  }

  /** A multiple: `30.5×`, `30.5배`. */
  times(value: number): string {
    return `${this.count(value)}${this.say({ en: '×', ko: '배' })}`;
  }

  /** A duration in one unit: `40 s`, `3.5 h`. */
  duration(seconds: number): string {
    const [size, en, ko] = DURATIONS.find(([least]) => seconds >= least) ?? [0, 's', '초'];
    return `${this.count(seconds / (size || 1))}${this.say({ en: `\u00a0${en}`, ko })}`;
  }

  /** A probability: `0.042`, or `<0.001`, because it is never zero. */
  probability(value: number): string {
    return value < 0.001 ? '<0.001' : String(Number(value.toFixed(3)));
  }

  /** An amount; without decimals from 100 on. */
  money(amount: number, currency?: string | null): string {
    return this.price(Math.abs(amount) >= 100 ? Math.round(amount) : amount, currency);
  }

  /** An amount with all digits. In Korean, won follows the number. */
  price(amount: number, currency?: string | null): string {
    return this.#inCurrency(this.#digits(amount), currency);
  }

  /** An estimated amount, with three significant digits: `84 million KRW`, `12,300 KRW`, `1억 3,700만원`. */
  estimate(amount: number, currency?: string | null): string {
    const rounded = Number(Math.abs(amount).toPrecision(3));
    const sign = amount < 0 ? '−' : '';
    return this.#inCurrency(
      sign + (this.language === 'ko' ? this.#inTenThousands(rounded) : this.#inMillions(rounded)),
      currency,
    );
  }

  #digits(amount: number): string {
    return formatPrice(amount, undefined, this.language);
  }

  #inCurrency(written: string, currency?: string | null): string {
    const name = this.currency(currency ?? '');
    return name === '원' || name === '' ? written + name : `${written}\u00a0${name}`;
  }

  /** A currency for a caption; in Korean, KRW is 원. */
  currency(code: string): string {
    return this.language === 'ko' && code === 'KRW' ? '원' : code;
  }

  #inMillions(amount: number): string {
    if (amount >= 1e9) return `${this.#digits(amount / 1e9)}\u00a0billion`;
    return amount >= 1e6 ? `${this.#digits(amount / 1e6)}\u00a0million` : this.#digits(amount);
  }

  #inTenThousands(amount: number): string {
    if (amount < 1e4) return this.#digits(amount);
    const parts = [
      [Math.trunc(amount / 1e8), '억'],
      [(amount % 1e8) / 1e4, '만'],
    ] as const;
    return parts.flatMap(([count, word]) => (count > 0 ? this.#digits(count) + word : [])).join('\u00a0');
  }

  /** `Nov 19–25`, `Nov 28 – Dec 4`, `on Nov 19`; `11월 19일~25일`, `11월 28일~12월 4일`, `11월 19일`. */
  days(first: string, last: string): string {
    const form = first.slice(0, 4) === last.slice(0, 4) ? 'short' : 'long';
    const [start, end] = [this.day(first, form), this.day(last, form)];
    if (start === end) return this.say({ en: `on ${start}`, ko: start });
    if (first.slice(0, 7) !== last.slice(0, 7))
      return this.say({ en: `${start} – ${end}`, ko: `${start}~${end}` });
    const within = end.slice(end.indexOf('\u00a0') + 1);
    return this.say({ en: `${start}–${within}`, ko: `${start}~${within}` });
  }

  /** `Nov 25` or `11월 25일`; for a month `November 2026`. The long form has the year. Other texts are unchanged. */
  day(day: string, form: 'short' | 'long' = 'short'): string {
    if (/^\d{4}-\d{2}$/.test(day)) return this.day(`${day}-01`, 'long').replace(/\u00a01,|\u00a01일$/, '');
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return day;
    return this.#dates[form].format(new Date(day)).replaceAll(' ', '\u00a0');
  }

  hour(hour: number): string {
    return this.say({ en: `${hour}:00`, ko: `${hour}시` });
  }

  #percent(value: number): string {
    const percent = percentOf(value);
    return (Math.abs(percent) < 1 ? this.#hundredths : this.#tenths).format(percent);
  }

  /**
   * Formats a value of a column for people: a number in its unit, a code by its name in the dictionary, an unknown value as a dash.
   *
   * @param kind a unit, or another column whose names in the dictionary apply
   */
  value(column: string, value: Value, kind: string = column, currency?: string | null): string {
    const unit = unitOf(kind) ?? kind;
    if (value === null) return '–';
    if (typeof value === 'boolean')
      return this.say(value ? { en: 'yes', ko: '예' } : { en: 'no', ko: '아니요' });
    if (typeof value === 'object') return value.map((one) => this.value(column, one, kind)).join(', ');
    if (typeof value === 'number') {
      if (unit === 'money' || unit === 'price' || unit === 'estimate') return this[unit](value, currency);
      if (unit === 'rate' || unit === 'points' || unit === 'change' || unit === 'times')
        return this[unit](value);
      if (unit === 'duration' || unit === 'hour' || unit === 'probability') return this[unit](value);
      return this.count(value);
    }
    if (unit === 'day') return this.day(value);
    return Dictionary.load().word(kind, value, this.language) ?? shownText(value);
  }

  /**
   * Formats a value for the table of a query's answer. A measure has its unit in its row, the change of a rate is in percentage points, and
   * a small count keeps three digits.
   */
  cell(query: string, column: string, row: Row): string {
    const value = row[column] ?? null;
    const measure = [row['measure'], row['figure']].find((one) => typeof one === 'string');
    const isMeasured = measure !== undefined && /^(?:value|previous|year_before)$/.test(column);
    const isChange = measure?.endsWith('_rate') === true && column.startsWith('change');
    const kind = isMeasured ? measure : isChange ? 'points' : unitOf(column, query);
    const isSmall = typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < 10;
    if (isSmall && kind === undefined) return String(Number(value.toPrecision(3)));
    return this.value(column, value, typeof value === 'number' ? kind : undefined, currencyOf([row]));
  }

  /** A sentence of a check, or the text of an error or its hint. */
  sentence(text: string): string {
    return this.language === 'ko' ? Dictionary.load().koreanText(text) : text;
  }

  /** Returns the error with its text and hint in the language. */
  error(error: unknown): unknown {
    if (!(error instanceof DawnloadError) || this.language === 'en') return error;
    const { message, lines, hint } = error;
    return Object.assign(error, {
      message: this.sentence(message),
      lines: lines.map((line) => this.sentence(line)),
      ...(hint === undefined ? {} : { hint: this.sentence(hint) }),
    });
  }

  head(column: string, query = ''): string {
    if (this.language === 'ko') return Dictionary.load().label(column, query) ?? column;
    const words = column.replace(/_kst$/, ' (KST)').replaceAll('_', ' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
  }
}

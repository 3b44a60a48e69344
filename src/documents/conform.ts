/**
 * Compares a document with its stream's list of fields. Members without a column go into `extra` and are recorded as drift. Used for
 * records, messages, buttons, attachments, statistics and reference items.
 */
import { TEXTS, type Field, type Kind } from '../ground/fields.js';
import { encoded, nodesOf, textAt, type Node } from './json.js';

interface Conformance {
  /**
   * Usually the members without a column. If a value does not fit its column: every member, except lists with rows of their own. If the
   * document is not an object: the whole document.
   */
  readonly extra: string;
  /** The values that fit a column; null if the document is not an object. */
  readonly fitting: string | null;
}

/** A difference from the specification. `type` is the type of the value: VARCHAR, UBIGINT, OBJECT … */
export interface Oddity {
  readonly place: string;
  readonly field: string;
  readonly kind: 'unknown' | 'type';
  readonly type: string;
}

/** The members of an object, by what happens to them. */
interface Division {
  /** Members without a column, or with inner members that have no column. */
  readonly unknown: Member[];
  /** All members except those with rows of their own. */
  readonly whole: Member[];
  /** Members whose values go into columns. */
  readonly fitting: Member[];
  readonly oddities: Oddity[];
  isRepeated: boolean;
}

type Member = readonly [name: string, json: string];

/** Other spellings of fields. If a record has both, the column gets the value of the specified one. */
const SPELLINGS: Readonly<Record<string, string>> = { 'statistic_by_subchannel.node_name': 'node_mane' };

/** The values that models compare. Other spellings are accepted but count as drift. */
const VALUES: Readonly<Record<string, RegExp>> = { resource_type: /^(?:campaign|user[-_]journey)$/ };

/** The fields of all places, for `conform` and `odditiesIn`. */
export class Places {
  readonly #places = new Map<string, Map<string, Field>>();

  constructor(fields: readonly Field[]) {
    for (const field of fields) {
      const place = this.#places.get(field.place) ?? new Map<string, Field>();
      place.set(field.field, field);
      this.#places.set(field.place, place);
    }
  }

  /** Returns the part of a document that fits no column; undefined if the document conforms. */
  conform(json: string, place: string): Conformance | undefined {
    const division = this.#divided(json, place);
    if (division === undefined) return { extra: json, fitting: null };
    const { unknown, whole, fitting, oddities, isRepeated } = division;
    const isMisfit = oddities.some(({ kind }) => kind === 'type');
    if (unknown.length === 0 && !isMisfit) return undefined;
    return {
      extra: objectOf(isMisfit ? whole : unknown),
      fitting: isMisfit || isRepeated ? objectOf(fitting) : json,
    };
  }

  /** Lists the differences that an `extra` shows: unknown keys, and values of another type. */
  odditiesIn(extra: string, place: string): readonly Oddity[] {
    return this.#divided(extra, place)?.oddities ?? [];
  }

  #divided(json: string, place: string): Division | undefined {
    const [root] = nodesOf(json);
    return root?.kind === 'object' ? this.#division(json, root, place) : undefined;
  }

  #division(json: string, { children }: Node, place: string): Division {
    const division: Division = { unknown: [], whole: [], fitting: [], oddities: [], isRepeated: false };
    const seen = new Map<string, number>();
    let names: Set<string | undefined> | undefined;
    for (const node of children) {
      const { key = '' } = node;
      const value = json.slice(node.start, node.end);
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      const other = SPELLINGS[`${place}.${key}`];
      const isRepeated =
        times > 1 || (other !== undefined && children.some((one) => one.key === other && !isNull(json, one)));
      const field = isRepeated ? undefined : this.#places.get(place)?.get(key);
      if (field === undefined) {
        // Keep a repeated key under another name, because JSON does not define which of its values counts.
        let name = key;
        if (isRepeated) {
          names ??= new Set(children.map((one) => one.key));
          do name += ` (${Math.max(times, 2)})`;
          while (names.has(name));
          names.add(name);
        }
        division.isRepeated ||= isRepeated;
        division.unknown.push([name, value]);
        division.whole.push([name, value]);
        division.oddities.push({ place, field: name, kind: 'unknown', type: typeOf(node, value) });
        continue;
      }
      const text = textAt(json, node);
      const isFitting = fits(field.kind, node, text, value);
      const isConforming = isFitting && conforms(field, node, text, value);
      if (!isConforming)
        division.oddities.push({ place, field: key, kind: 'type', type: typeOf(node, value) });
      const inner =
        field.part !== null && node.kind === 'object' ? this.#division(json, node, field.part) : undefined;
      if (inner !== undefined) {
        division.oddities.push(...inner.oddities);
        division.isRepeated ||= inner.isRepeated;
        if (inner.unknown.length > 0) division.unknown.push([key, objectOf(inner.unknown)]);
      }
      const hasRows =
        field.kind === 'texts' ? isConforming : isFitting && ['list', 'document'].includes(field.kind);
      if (!hasRows) division.whole.push([key, value]);
      if (isFitting)
        division.fitting.push([
          key,
          inner === undefined ? columnValue(field.kind, value) : objectOf(inner.fitting),
        ]);
    }
    return division;
  }
}

function objectOf(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${encoded(name)}:${json}`).join(',')}}`;
}

function isNull(json: string, { start, end }: Node): boolean {
  return json.slice(start, end) === 'null';
}

/**
 * Converts a value for its column: a number in a text column becomes its digits, so that 10001.0 and 10001 are one id; tags become their
 * names.
 */
function columnValue(kind: Kind, value: string): string {
  if (kind === 'texts') {
    const tags = nodesOf(value)[0]?.children.map((tag) => {
      const name = tag.children.find(({ key, kind: of }) => key === 'name' && of === 'text');
      const { start, end } = (tag.kind === 'object' ? name : undefined) ?? tag;
      return value.slice(start, end);
    });
    return tags === undefined ? value : `[${tags.join(',')}]`;
  }
  const isDecimal = (kind === 'string' || kind === 'recipient') && /^-?\d.*[.eE]/.test(value);
  return isDecimal && Number.isSafeInteger(Number(value)) ? String(Number(value)) : value;
}

function typeOf({ kind }: Node, value: string): string {
  if (kind === 'word') return value === 'null' ? 'NULL' : 'BOOLEAN';
  if (kind !== 'number') return { text: 'VARCHAR', object: 'OBJECT', list: 'ARRAY' }[kind];
  if (!/^-?[0-9]{1,20}$/.test(value)) return 'DOUBLE';
  return value.startsWith('-') ? 'BIGINT' : 'UBIGINT';
}

function fits(kind: Kind, node: Node, text: string, value: string): boolean {
  if (['any', 'content', 'text', 'document'].includes(kind) || value === 'null') return true;
  if (node.kind === 'list') return kind === 'list' || kind === 'texts';
  if (node.kind === 'object') return kind === 'object';
  return !['object', 'list', 'texts'].includes(kind) && isReadable(kind, text);
}

/** True if a value also has the specified type: text is text, a count is a number, and no digit would be lost. */
function conforms({ field, kind }: Field, node: Node, text: string, value: string): boolean {
  if (value === 'null') return true;
  if (VALUES[field]?.test(text) === false) return false;
  if (kind === 'content') return node.kind === 'object';
  if (kind === 'texts') return !nodesOf(value).slice(1).some(isNested);
  if (TEXTS.includes(kind)) return node.kind === 'text';
  if (kind === 'counter') return node.kind !== 'text';
  return (kind !== 'number' && kind !== 'quantity') || !/\.[0-9]{4}[0-9]*[1-9]/.test(text);
}

const isNested = ({ kind }: Node): boolean => kind === 'object' || kind === 'list';

const NUMBER = /^\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*$/;

/** The ranges of numbers. */
const RANGES: Readonly<Partial<Record<Kind, readonly [least: number, most: number]>>> = {
  whole: [-(2 ** 31), 2 ** 31 - 1],
  counter: [0, 1e15],
  epoch: [0, 253_402_300_799_000_000],
  number: [-99_999_999_999_999.98, 99_999_999_999_999.98],
  quantity: [0, 99_999_999_999_999.98],
};

/** True if the statements of the load can read the text as this kind (`sql/shared/macros`). */
function isReadable(kind: Kind, text: string): boolean {
  const range = RANGES[kind];
  if (range !== undefined) {
    const number = NUMBER.test(text) ? Number(text) : NaN;
    const isWhole = kind !== 'number' && kind !== 'quantity';
    return number >= range[0] && number <= range[1] && (!isWhole || Number.isInteger(number));
  }
  if (kind === 'boolean') return /^(?:true|false|t|f|yes|no|y|n|0|1)$/i.test(text);
  if (kind === 'day') return dayIn(text) !== undefined;
  return kind !== 'time' || isTime(text);
}

const COMPACT_DAY = /^\s*(\d{4})(\d{2})(\d{2})(?:[T ]+\d.*)?\s*$/;
const SEPARATED_DAY = /^\s*(\d{4})(?:-|\.\s*|\/)(\d{1,2})(?:-|\.\s*|\/)(\d{1,2})\.?(?:[T ]+\d.*)?\s*$/;

/** Returns a day such as 2026-11-27, 20261127 or 2026. 11. 27. in the first of these forms; undefined for any other text. */
export function dayIn(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = COMPACT_DAY.exec(text) ?? SEPARATED_DAY.exec(text) ?? [];
  const plain = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${plain}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(plain) ? plain : undefined;
}

/** A day, with or without a time and a zone. */
const TIME =
  /^\s*(\d{4}[-/]\d{1,2}[-/]\d{1,2})(?:[T ]+(?:[01]?\d|2[0-4]):[0-5]?\d(?::[0-5]?\d(?:\.\d+)?)?)?\s*(?:Z|UTC|[+-]\d\d(?::?\d\d)?)?\s*$/i;

function isTime(text: string): boolean {
  const date = dayIn(TIME.exec(text)?.[1] ?? '') ?? '';
  return date >= '0001-01-02' && date < '9999-12-30';
}

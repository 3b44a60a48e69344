/**
 * Compares a document with its stream's list of fields. Members without a column go into `extra`, and each is recorded
 * as drift. The same code serves records, messages, buttons, attachments, statistics and reference items.
 */
import type { Field, Kind } from '../ground/fields.js';
import { TEXTS } from '../ground/fields.js';
import { childrenOf, encoded, nodesOf, textAt, type Node } from './json.js';

/** The part of a document that no column takes. */
export interface Conformance {
  /**
   * The contents of `extra`: the members without a column. If a value has another kind, the document without its rows
   * in other tables. If the document is not an object, all of it.
   */
  readonly extra: string;
  /** The document without the values that no column can take; null if it is not an object. */
  readonly fitting: string | null;
}

/** A difference from the specification. `type` is that of the value: VARCHAR, UBIGINT, OBJECT … */
export interface Oddity {
  readonly place: string;
  readonly field: string;
  readonly kind: 'unknown' | 'type';
  readonly type: string;
}

/** Spellings of one field, of which the first that is present has the column. */
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  statistic_by_subchannel: { node_name: ['node_mane'] },
};

/** The values of a field that models compare; another spelling of one is read and is drift. */
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

  /** Returns the part of a document that no column takes; undefined if the document conforms. */
  conform(json: string, place: string): Conformance | undefined {
    const nodes = nodesOf(json);
    const [root] = nodes;
    if (root?.kind !== 'object') return { extra: json, fitting: null };
    const found = this.#membersOf(json, nodes, root, place);
    const unknown = found.filter(({ isKnown }) => !isKnown);
    const misfits = found.filter(({ isKnown, fits, conforms }) => isKnown && !(fits && conforms));
    if (unknown.length === 0 && misfits.length === 0) return undefined;
    const extra =
      misfits.length > 0
        ? objectOf(found.filter((member) => member.node.parent === root && !hasRows(member)))
        : objectOf(this.#unknownOf(found, root));
    return {
      extra,
      fitting:
        misfits.length === 0 && unknown.every(({ isRepeated }) => !isRepeated)
          ? json
          : fittingOf(found, root),
    };

    function hasRows({ kind, isKnown, fits, conforms }: Member): boolean {
      if (kind === 'texts') return isKnown && conforms;
      return isKnown && fits && (kind === 'list' || kind === 'document');
    }

    function objectOf(members: readonly Member[]): string {
      return `{${members.map(({ name, node, text }) => `${encoded(name)}:${text ?? json.slice(node.start, node.end)}`).join(',')}}`;
    }

    function fittingOf(members: readonly Member[], parent: Node): string {
      const kept = members
        .filter(({ node, isKnown, fits }) => node.parent === parent && isKnown && fits)
        .map(({ node, field, name }) => {
          const isPart = node.kind === 'object' && field?.part !== undefined && field.part !== null;
          return `${encoded(name)}:${isPart ? fittingOf(members, node) : columnValue(field?.kind, json.slice(node.start, node.end))}`;
        });
      return `{${kept.join(',')}}`;
    }
  }

  /** The unknown members. Those of a nested object are in an object of the same name. */
  #unknownOf(found: readonly Member[], root: Node): Member[] {
    return found.flatMap((member) => {
      if (member.node.parent !== root) return [];
      if (!member.isKnown) return [member];
      if (member.node.kind !== 'object') return [];
      const inner = found.filter(({ node, isKnown }) => node.parent === member.node && !isKnown);
      if (inner.length === 0) return [];
      const text = `{${inner.map(({ name, text: own, given }) => `${encoded(name)}:${own ?? given}`).join(',')}}`;
      return [{ ...member, text }];
    });
  }

  #membersOf(json: string, nodes: readonly Node[], parent: Node, place: string): Member[] {
    const fields = this.#places.get(place) ?? new Map<string, Field>();
    const spellings = SPELLINGS[place] ?? {};
    const seen = new Map<string, number>();
    const children = childrenOf(nodes, parent);
    const members: Member[] = [];
    for (const node of children) {
      const key = node.key ?? '';
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      const field = fields.get(key);
      const given = json.slice(node.start, node.end);
      const other = spellings[key]?.find((spelling) =>
        children.some(
          ({ key: one, kind, start }) =>
            one === spelling && !(kind === 'word' && json.startsWith('null', start)),
        ),
      );
      const isRepeated = times > 1 || other !== undefined;
      const isKnown = field !== undefined && !isRepeated;
      const text = textAt(json, node);
      members.push({
        node,
        // A repeated key is kept under another name, because JSON does not define which value counts.
        name: isRepeated ? `${key} (${Math.max(times, 2)})` : key,
        given,
        field,
        kind: field?.kind,
        isKnown,
        isRepeated,
        fits: field === undefined || fits(field.kind, node, text, given),
        conforms: field === undefined || conforms(field, node, text, given),
        text: undefined,
      });
      if (isKnown && node.kind === 'object' && field.part !== null)
        members.push(...this.#membersOf(json, nodes, node, field.part));
    }
    return members;
  }

  /** The differences that an `extra` reveals: keys that are not in the list, and values of another kind. */
  odditiesIn(extra: string, place: string): Oddity[] {
    const nodes = nodesOf(extra);
    const [root] = nodes;
    if (root?.kind !== 'object') return [];
    return this.#odditiesOf(extra, nodes, root, place);
  }

  #odditiesOf(extra: string, nodes: readonly Node[], parent: Node, place: string): Oddity[] {
    return childrenOf(nodes, parent).flatMap((node) => {
      const field = this.#places.get(place)?.get(node.key ?? '');
      const given = extra.slice(node.start, node.end);
      const isOdd = field === undefined || !conforms(field, node, textAt(extra, node), given);
      const kind = field === undefined ? 'unknown' : 'type';
      const own: Oddity[] = isOdd ? [{ place, field: node.key ?? '', kind, type: typeOf(node, given) }] : [];
      if (field?.part === undefined || field.part === null || node.kind !== 'object') return own;
      return [...own, ...this.#odditiesOf(extra, nodes, node, field.part)];
    });
  }
}

interface Member {
  readonly node: Node;
  readonly name: string;
  readonly given: string;
  readonly field: Field | undefined;
  readonly kind: Kind | undefined;
  readonly isKnown: boolean;
  readonly isRepeated: boolean;
  readonly fits: boolean;
  readonly conforms: boolean;
  /** The text in `extra` that replaces the value; undefined for the value itself. */
  readonly text: string | undefined;
}

/**
 * Converts a fitting value for its column. A number in a text column becomes its digits, so 10001.0 and 10001 are one
 * id. Tags that are objects become their names.
 */
function columnValue(kind: Kind | undefined, given: string): string {
  if ((kind === 'string' || kind === 'recipient') && /^-?\d/.test(given)) {
    const number = Number(given);
    return Number.isSafeInteger(number) && /[.eE]/.test(given) ? String(number) : given;
  }
  if (kind !== 'texts') return given;
  const nodes = nodesOf(given);
  const [root] = nodes;
  const tags = childrenOf(nodes, root).map((tag) => {
    const name = childrenOf(nodes, tag).find(({ key, kind: of }) => key === 'name' && of === 'text');
    const { start, end } = tag.kind === 'object' && name !== undefined ? name : tag;
    return given.slice(start, end);
  });
  return `[${tags.join(',')}]`;
}

/** The type of a value as DuckDB names it. */
function typeOf({ kind }: Node, given: string): string {
  if (kind === 'text') return 'VARCHAR';
  if (kind === 'object') return 'OBJECT';
  if (kind === 'list') return 'ARRAY';
  if (kind === 'word') return given === 'null' ? 'NULL' : 'BOOLEAN';
  if (!/^-?[0-9]{1,20}$/.test(given)) return 'DOUBLE';
  return given.startsWith('-') ? 'BIGINT' : 'UBIGINT';
}

/** True if a column of the kind can take the value. */
function fits(kind: Kind, node: Node, text: string, given: string): boolean {
  if (kind === 'any' || kind === 'content' || kind === 'text' || kind === 'document' || given === 'null')
    return true;
  if (node.kind === 'list') return kind === 'list' || kind === 'texts';
  if (node.kind === 'object') return kind === 'object';
  const read = READ[kind];
  return kind !== 'object' && kind !== 'list' && kind !== 'texts' && (read === undefined || read(text));
}

/** True if the value also has the specified type: text is text, a count is a number, and no digit is lost. */
function conforms({ field, kind }: Field, node: Node, text: string, given: string): boolean {
  if (!fits(kind, node, text, given)) return false;
  if (given === 'null') return true;
  if (VALUES[field]?.test(text) === false) return false;
  if (kind === 'content') return node.kind === 'object';
  if (kind === 'texts')
    return !nodesOf(given)
      .slice(1)
      .some(({ kind: of }) => of === 'object' || of === 'list');
  if (TEXTS.includes(kind)) return node.kind === 'text';
  if (kind === 'counter') return node.kind !== 'text';
  return (kind !== 'number' && kind !== 'quantity') || !/\.[0-9]{4}[0-9]*[1-9]/.test(text);
}

/** Whether the texts of a kind can be read; the statements of the load read them (`sql/shared/macros`). Others are taken as they are. */
const READ: Readonly<Partial<Record<Kind, (text: string) => boolean>>> = {
  whole: (text) => isWhole(text, -(2 ** 31), 2 ** 31 - 1),
  counter: (text) => isWhole(text, 0, 1e15),
  number: (text) => isNumber(text) && Math.abs(Number(text)) < 1e14,
  quantity: (text) => isNumber(text) && Number(text) >= 0 && Number(text) < 1e14,
  boolean: (text) => /^(?:true|false|t|f|yes|no|y|n|0|1)$/i.test(text),
  day: (text) => dayIn(text) !== undefined,
  time: (text) => isTime(text),
  epoch: (text) => isWhole(text, 0, 253_402_300_799_000_000),
};

function isNumber(text: string): boolean {
  return /^\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*$/.test(text);
}

function isWhole(text: string, least: number, most: number): boolean {
  return isNumber(text) && Number.isInteger(Number(text)) && Number(text) >= least && Number(text) <= most;
}

/** A day as 2026-11-27, 20261127 or 2026. 11. 27., in the first of these forms; undefined for any other text. */
export function dayIn(text: string): string | undefined {
  const [, year = '', month = '', day = ''] =
    /^\s*(\d{4})(?:-|\.\s*|\/)?(\d{1,2})(?:-|\.\s*|\/)?(\d{1,2})\.?(?:[T ].*)?\s*$/.exec(text) ?? [];
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const read = new Date(`${found}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(found) ? found : undefined;
}

/** A day, with or without a time and a zone. */
function isTime(text: string): boolean {
  const [, day = '', hour = '0', minute = '0', second = '0'] =
    /^\s*(\d{4}[-/]\d{1,2}[-/]\d{1,2})(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d+)?)?)?\s*(?:Z|UTC|[+-]\d\d(?::?\d\d)?)?\s*$/i.exec(
      text,
    ) ?? [];
  const date = dayIn(day) ?? '';
  return (
    date >= '0001-01-02' &&
    date < '9999-12-30' &&
    Number(hour) <= 24 &&
    Number(minute) < 60 &&
    Number(second) < 60
  );
}

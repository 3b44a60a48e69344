/** A stored selection of items: its definition, and the items that it finds. */
import type { Json } from '../world/messages/json.js';
import { isList } from '../json.js';

/** The specification does not list the operators (R2); these are the sandbox's. */
const OPERATORS: Readonly<Record<string, (value: Json, wanted: Json) => boolean>> = {
  equals: (value, wanted) => value === wanted,
  'does not equal': (value, wanted) => value !== wanted,
  'greater than': (value, wanted) => compare(value, wanted) > 0,
  'greater than or equal to': (value, wanted) => compare(value, wanted) >= 0,
  'less than': (value, wanted) => compare(value, wanted) < 0,
  'less than or equal to': (value, wanted) => compare(value, wanted) <= 0,
  contains: holds,
  'does not contain': (value, wanted) => !holds(value, wanted),
};

export interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly value: Json;
}

export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly filters: readonly Filter[];
  /** Infinity without a limit. */
  readonly limit: number;
  readonly sort: { readonly field: string; readonly descending: boolean } | null;
}

export interface Selection {
  readonly definition: Definition;
  /** Its results as of the last change of items or fields. */
  results: readonly string[];
}

export function isOperator(name: string): boolean {
  return Object.hasOwn(OPERATORS, name);
}

type Entry = readonly [id: string, valueOf: (field: string) => Json];

/** The ids of the selected items, in random order if unsorted. */
export function resultsOf({ filters, limit, sort }: Definition, entries: Iterable<Entry>): string[] {
  const found: [id: string, key: Json][] = [];
  for (const [id, valueOf] of entries) {
    const fits = filters.every(({ field, operator, value }) => {
      const own = valueOf(field);
      // No filter finds an item without a value.
      return own !== null && OPERATORS[operator]?.(own, value) === true;
    });
    if (fits) found.push([id, sort === null ? Math.random() : valueOf(sort.field)]);
  }
  const direction = sort?.descending === true ? -1 : 1;
  found.sort(([, a], [, b]) => {
    const order = compare(a, b);
    // Values that cannot be compared, such as missing ones, come last either way.
    if (Number.isNaN(order)) return a === b ? 0 : a === null ? 1 : -1;
    return direction * order;
  });
  return found.slice(0, limit).map(([id]) => id);
}

/** Negative, zero or positive; NaN if they cannot be compared. */
function compare(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return Number.NaN;
}

function holds(value: Json, wanted: Json): boolean {
  if (isList(value)) return value.includes(wanted);
  return typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted);
}

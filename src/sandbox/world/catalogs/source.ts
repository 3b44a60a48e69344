/** A catalog as the world has it, before anyone writes to it: a function of the KST day. */
import type { Day } from '../../../calendar.js';
import type { Json } from '../messages/json.js';

export const FIELD_TYPES = ['string', 'number', 'boolean', 'time', 'array', 'object', 'geo'] as const;

export interface Field {
  readonly name: string;
  readonly type: (typeof FIELD_TYPES)[number];
}

/** An item's values by field, without its id; a field that is not there has no value. */
export type Values = ReadonlyMap<string, Json>;

/** Items in the order of their ids, never all of them at once. */
export interface ItemSource {
  count(day: Day): number;
  valuesOf(id: string, day: Day): Values | undefined;
  /** Up to `limit` ids after the given one, or the first ones. */
  idsAfter(id: string | null, limit: number, day: Day): string[];
}

export interface CatalogSource {
  readonly name: string;
  descriptionOn(day: Day): string;
  /** The first is `id`. */
  fieldsOn(day: Day): readonly Field[];
  readonly items: ItemSource;
}

export const ID_FIELD: Field = { name: 'id', type: 'string' };

export function fields(types: Readonly<Record<string, Field['type']>>): readonly Field[] {
  return [ID_FIELD, ...Object.entries(types).map(([name, type]) => ({ name, type }))];
}

export function valuesOf(entries: Readonly<Record<string, Json>>): Values {
  return new Map(Object.entries(entries));
}

/** A source of few items, made once for each day. */
export function listed(itemsOn: (day: Day) => Iterable<readonly [id: string, values: Values]>): ItemSource {
  let made: { day: Day; ids: string[]; items: Map<string, Values> } | null = null;
  function on(day: Day) {
    if (made?.day === day) return made;
    const items = new Map(itemsOn(day));
    made = { day, ids: [...items.keys()].sort(), items };
    return made;
  }
  return {
    count: (day) => on(day).ids.length,
    valuesOf: (id, day) => on(day).items.get(id),
    idsAfter(id, limit, day) {
      const { ids } = on(day);
      const first = id === null ? 0 : ids.findIndex((other) => other > id);
      return first < 0 ? [] : ids.slice(first, first + limit);
    },
  };
}

/** What differs from the specification: found by lists of keys, and split off only where there is any. */
import { z } from 'zod';
import { nonconforming, pointerTo, type Field, type Nonconforming } from './fields.js';
import type { Session } from './session.js';

const alike = z.object({
  keys: z.array(z.string()).nullable(),
  types: z.array(z.string().nullable()).nullable(),
  unreadable: z.array(z.string()),
});

/** Documents to look at, in words of SQL from a fixed list: a table, two of its columns, and which of its rows. */
export interface Documents {
  readonly relation: string;
  readonly document: string;
  /** What is taken out of a document goes there. */
  readonly extra: string;
  readonly condition: string;
}

/** The `documents` of free streams. */
export const DOCUMENTS: Documents = {
  relation: 'documents',
  document: 'document',
  extra: 'extra',
  condition: 'true',
};

/** A list of keys that documents of a place have; null of documents that are no objects. */
export interface KeysFound {
  readonly place: string;
  readonly keys: readonly string[] | null;
}

/** The places of one connection's documents. */
export class UnknownFields {
  readonly #session: Session;
  readonly #fields: readonly Field[];

  constructor(session: Session, fields: readonly Field[]) {
    this.#session = session;
    this.#fields = fields;
  }

  /**
   * Of the keys that the documents of places hold: the places with unknown ones, and those, of a part that of the whole, where
   * more may be odd.
   */
  placesOf(found: readonly KeysFound[]): { withUnknown: string[]; odd: string[] } {
    const [withUnknown, odd] = [new Set<string>(), new Set<string>()];
    for (const { place, keys } of found) {
      const known = this.#fieldsOf(place);
      if (keys?.every((key) => known.some(({ field }) => field === key)) === true) continue;
      const whole = this.#fields.find(({ part }) => part === place)?.place;
      if (keys === null || whole !== undefined) odd.add(whole ?? place);
      else withUnknown.add(place);
    }
    return { withUnknown: [...withUnknown].filter((place) => !odd.has(place)), odd: [...odd] };
  }

  /** Leaves in the documents of a place only what conforms to the specification; the rest goes into `extra`. */
  async split(place: string, documents: Documents): Promise<void> {
    const part = this.#fields.find((field) => field.place === place && field.part !== null);
    const pointer = part === undefined ? '' : pointerTo(part.field);
    const inner = part === undefined ? undefined : await this.#look(part.part ?? '', documents);
    const found = await this.#look(
      place,
      documents,
      part !== undefined && inner !== undefined ? [part.field] : [],
    );
    if (found === undefined) return;
    if (found.unknownOnly && inner === undefined) {
      await this.splitKeys(`'${place}'`, documents);
      return;
    }
    await this.#session.set({
      ...this.#variables('split', place, found.keys),
      inside: pointer,
      inside_key: part?.field ?? '',
      ...this.#variables('inner', part?.part ?? '', inner?.keys ?? [], pointer),
    });
    await this.#session.run('load/split_nonconforming', { ...documents });
  }

  /**
   * The same where keys are unknown and nothing else is odd.
   *
   * @param place in words of SQL, of which each document may have its own
   */
  async splitKeys(place: string, documents: Documents): Promise<void> {
    await this.#session.run('load/split_unknown_keys', { ...documents, place });
  }

  /** The nonconforming keys of documents, or of an object inside of them. */
  async #look(
    place: string,
    documents: Documents,
    inParts: readonly string[] = [],
  ): Promise<Nonconforming | undefined> {
    const found = await this.#session.rows('load/shapes_found', alike, { ...documents, place });
    return nonconforming(this.#fieldsOf(place), found, inParts);
  }

  #fieldsOf(place: string): Field[] {
    return this.#fields.filter((field) => field.place === place);
  }

  #variables(
    name: string,
    place: string,
    keys: readonly string[],
    inside = '',
  ): Record<string, readonly string[]> {
    const kindOf = (key: string): string =>
      this.#fields.find((field) => field.place === place && field.field === key)?.kind ?? '';
    return {
      [`${name}_keys`]: keys,
      [`${name}_pointers`]: keys.map((key) => inside + pointerTo(key)),
      [`${name}_kinds`]: keys.map(kindOf),
    };
  }
}

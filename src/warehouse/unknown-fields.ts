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

/** The `documents` of statistics and campaigns. */
export const DOCUMENTS: Documents = {
  relation: 'documents',
  document: 'document',
  extra: 'extra',
  condition: 'true',
};

/** The places of one connection's documents. */
export class UnknownFields {
  readonly #session: Session;
  readonly #fields: readonly Field[];

  constructor(session: Session, fields: readonly Field[]) {
    this.#session = session;
    this.#fields = fields;
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
    await this.#session.set(this.#variables('split', place, found.keys));
    if (found.unknownOnly && inner === undefined) {
      await this.#session.run('load/split_unknown_keys', { ...documents });
      return;
    }
    await this.#session.set({
      inside: pointer,
      inside_key: part?.field ?? '',
      ...this.#variables('inner', part?.part ?? '', inner?.keys ?? [], pointer),
    });
    await this.#session.run('load/split_nonconforming', { ...documents });
  }

  /** The nonconforming keys of documents, or of an object inside of them. */
  async #look(
    place: string,
    documents: Documents,
    inParts: readonly string[] = [],
  ): Promise<Nonconforming | undefined> {
    const known = this.#fields.filter((field) => field.place === place);
    const found = await this.#session.rows('load/shapes_found', alike, { ...documents, place });
    return nonconforming(known, found, inParts);
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

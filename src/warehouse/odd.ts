/** What differs from the specification: found by looking at lists of keys, and only where there is any, taken apart. */
import { z } from 'zod';
import { oddKeys, pointerTo, type Field } from './fields.js';
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

export class OddPlaces {
  readonly #fields: readonly Field[];

  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  /** Leaves in the documents of a place only what the specification knows, as it knows it; the rest goes beside them. */
  async setApart(session: Session, place: string, documents: Documents): Promise<void> {
    const part = this.#fields.find((field) => field.place === place && field.part !== null);
    const inner =
      part === undefined
        ? undefined
        : await this.#look(session, part.part ?? '', documents, pointerTo(part.field));
    const inParts = part !== undefined && inner !== undefined ? [part.field] : [];
    const odd = await this.#look(session, place, documents, '', inParts);
    if (odd === undefined) return;
    await session.set({
      inside: part === undefined ? '' : pointerTo(part.field),
      inside_key: part?.field ?? '',
      ...this.#variables('odd', place, odd),
      ...this.#variables('inner', part?.part ?? '', inner ?? [], pointerTo(part?.field ?? '')),
    });
    await session.run('load/take_apart', { ...documents });
  }

  /** The odd keys of documents, or of an object inside of them. */
  async #look(
    session: Session,
    place: string,
    documents: Documents,
    inside: string,
    inParts: readonly string[] = [],
  ): Promise<string[] | undefined> {
    const known = this.#fields.filter((field) => field.place === place);
    const readable = known.filter(({ kind }) => !['scalar', 'list', 'object', 'any'].includes(kind));
    await session.set({
      inside,
      pointers: known.map(({ field }) => pointerTo(field)),
      readable: readable.map(({ field }) => field),
      readable_pointers: readable.map(({ field }) => pointerTo(field)),
      readable_kinds: readable.map(({ kind }) => kind),
    });
    return oddKeys(known, await session.rows('load/look', alike, { ...documents }), inParts);
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

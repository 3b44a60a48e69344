/** What differs from the specification: found by lists of keys, and split off only where there is any. */
import { z } from 'zod';
import { isReadAs, nonconforming, pointerTo, type Field, type Nonconforming } from './fields.js';
import type { Session } from './session.js';
import { dayOf } from '../calendar.js';

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
interface KeysFound {
  readonly place: string;
  readonly keys: readonly string[] | null;
}

/** The places of one connection's documents. */
export class UnknownFields {
  readonly #session: Session;
  readonly fields: readonly Field[];

  constructor(session: Session, fields: readonly Field[]) {
    this.#session = session;
    this.fields = fields;
  }

  /**
   * Splits places into those with unknown keys only and those that need a full check (for a part, its parent).
   */
  placesOf(found: readonly KeysFound[]): { withUnknown: string[]; odd: string[] } {
    const [withUnknown, odd] = [new Set<string>(), new Set<string>()];
    for (const { place, keys } of found) {
      const known = this.#fieldsOf(place);
      if (keys?.every((key) => known.some(({ field }) => field === key)) === true) continue;
      const whole = this.fields.find(({ part }) => part === place)?.place;
      if (keys === null || whole !== undefined) odd.add(whole ?? place);
      else withUnknown.add(place);
    }
    return { withUnknown: [...withUnknown].filter((place) => !odd.has(place)), odd: [...odd] };
  }

  /** Leaves in the documents of a place only what conforms to the specification; the rest goes into `extra`. */
  async split(place: string, documents: Documents): Promise<void> {
    const part = this.fields.find((field) => field.place === place && field.part !== null);
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
      split: {
        ...this.#members('', place, found.keys),
        inside: pointer,
        inside_key: part?.field ?? '',
        ...this.#members('inner_', part?.part ?? '', inner?.keys ?? [], pointer),
      },
    });
    await this.#session.run('load/documents/split_nonconforming', { ...documents });
  }

  /**
   * The same where keys are unknown and nothing else is odd.
   *
   * @param place in words of SQL, of which each document may have its own
   */
  async splitKeys(place: string, documents: Documents): Promise<void> {
    await this.#session.run('load/documents/split_unknown_keys', { ...documents, place });
  }

  /** The nonconforming keys of documents, or of an object inside of them. */
  async #look(
    place: string,
    documents: Documents,
    inParts: readonly string[] = [],
  ): Promise<Nonconforming | undefined> {
    const known = this.#fieldsOf(place);
    const readable = known.filter(({ kind }) => isReadAs(kind));
    const parent = this.fields.find(({ part }) => part === place);
    const asked = {
      // Where the place lies inside of another one.
      inside: parent === undefined ? '' : pointerTo(parent.field),
      pointers: known.map(({ field }) => pointerTo(field)),
      // Those fields whose values have to be readable as something.
      readable: readable.map(({ field }) => field),
      readable_pointers: readable.map(({ field }) => pointerTo(field)),
      kinds: readable.map(({ kind }) => kind),
    };
    const found = await this.#session.rowsWith('load/documents/shapes_found', alike, asked, { ...documents });
    return nonconforming(known, found, inParts);
  }

  #fieldsOf(place: string): Field[] {
    return this.fields.filter((field) => field.place === place);
  }

  #members(
    prefix: string,
    place: string,
    keys: readonly string[],
    inside = '',
  ): Record<string, readonly string[]> {
    const kindOf = (key: string): string =>
      this.fields.find((field) => field.place === place && field.field === key)?.kind ?? '';
    return {
      [`${prefix}keys`]: keys,
      [`${prefix}pointers`]: keys.map((key) => inside + pointerTo(key)),
      [`${prefix}kinds`]: keys.map(kindOf),
    };
  }
}

// Whether an answer may replace a day that the warehouse holds. An answer that lacks most of the day is held back: the
// service may be incomplete for a while. It is accepted when answers of two nights agree, or when a person accepts it.
// Pure: the same answers in the same order always give the same rows, in a rebuild too.

/** The size of a day in the warehouse, or in an answer. */
export interface Size {
  readonly rows: number;
  /** The sum of `message_sent`; 0 where nothing is counted. */
  readonly messages: number;
}

/** An answer, and when it came. */
export interface Candidate extends Size {
  readonly pulledAt: Date;
}

/** A run around midnight (KST) asks on two days; that does not count as two nights. In hours. */
const APART = 6;

/**
 * Whether the candidate replaces what is there.
 *
 * @param before what the warehouse holds; undefined when it does not hold the day
 * @param held the answers that were held back since the day was last replaced
 */
export function replaces(
  before: Size | undefined,
  candidate: Candidate,
  held: readonly Candidate[],
): boolean {
  if (before === undefined || !isLoss(before, candidate)) return true;
  return held.some(
    (other) =>
      areNightsApart(other.pulledAt, candidate.pulledAt) &&
      !isLoss(other, candidate) &&
      !isLoss(candidate, other),
  );
}

/** Nothing where there was something, or less than half of the messages. */
export function isLoss(before: Size, after: Size): boolean {
  return before.rows > 0 && (after.rows === 0 || after.messages * 2 < before.messages);
}

export function areNightsApart(one: Date, other: Date): boolean {
  const hours = Math.abs(one.getTime() - other.getTime()) / 3_600_000;
  return dayOf(one) !== dayOf(other) && hours >= APART;
}

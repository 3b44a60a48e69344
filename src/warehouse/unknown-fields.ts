/**
 * Finds members of documents that differ from the specification, by comparing lists of keys; splits them off only if
 * there are any.
 */
import { z } from 'zod';
import { isReadAs, nonconforming, pointerTo, type Field, type Nonconforming } from '../fields.js';
import type { Session } from './session.js';
import { dayOf } from '../calendar.js';

const alike = z.object({
  keys: z.array(z.string()).nullable(),
  types: z.array(z.string().nullable()).nullable(),
  unreadable: z.array(z.string()),
});

/** A set of documents, as SQL from a fixed list: a table, two of its columns, and a condition on its rows. */
export interface Documents {
  readonly relation: string;
  readonly document: string;
  /** The column that takes the members removed from a document. */
  readonly extra: string;
  readonly condition: string;
}

/** The table `documents` of the free streams. */
export const DOCUMENTS: Documents = {
  relation: 'documents',
  document: 'document',
  extra: 'extra',
  condition: 'true',
};

/** A list of keys that occurs in documents of a place; null for documents that are not objects. */
interface KeysFound {
  readonly place: string;
  readonly keys: readonly string[] | null;
}

/** Checks and splits the documents of one connection, by place. */
export class UnknownFields {
  readonly #session: Session;
  readonly fields: readonly Field[];

  constructor(session: Session, fields: readonly Field[]) {
    this.#session = session;
    this.fields = fields;
  }

  /**
   * Divides places into those with unknown keys only and those that need a full check. For an object inside a document,
   * the place of the whole document is checked.
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

  /** Reduces the documents of a place to their conforming members; moves the other members into `extra`. */
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
   * As `split`, for documents whose only deviation is unknown keys.
   *
   * @param place a SQL expression, which may differ for each document
   */
  async splitKeys(place: string, documents: Documents): Promise<void> {
    await this.#session.run('load/documents/split_unknown_keys', { ...documents, place });
  }

  /** Finds the nonconforming keys of documents, or of an object inside them. */
  async #look(
    place: string,
    documents: Documents,
    inParts: readonly string[] = [],
  ): Promise<Nonconforming | undefined> {
    const known = this.#fieldsOf(place);
    const readable = known.filter(({ kind }) => isReadAs(kind));
    const parent = this.fields.find(({ part }) => part === place);
    const asked = {
      // The pointer to the enclosing object, if the place is inside another one.
      inside: parent === undefined ? '' : pointerTo(parent.field),
      pointers: known.map(({ field }) => pointerTo(field)),
      // The fields whose values must be readable as a type.
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

// Decides whether an answer may replace a day that the warehouse holds. An answer that lacks most of the day is held
// back, since the service may be incomplete for a while. It is accepted when the answers of two nights agree, or when a
// person accepts it. Pure: the same answers in the same order always give the same rows, in a rebuild too.

/** The size of a day in the warehouse, or in an answer. */
export interface Size {
  readonly rows: number;
  /** The sum of `message_sent`; 0 if the stream counts no messages. */
  readonly messages: number;
}

/** An answer, and the instant at which it arrived. */
export interface Candidate extends Size {
  readonly pulledAt: Date;
}

/**
 * Minimum distance of two nights, in hours: the answers of a run around midnight (KST) have two dates, but count as one
 * night.
 */
const APART = 6;

/**
 * True if the candidate replaces the rows of the day.
 *
 * @param before the day as the warehouse holds it; undefined if the warehouse does not hold the day
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

/** True if the new answer is empty where there were rows, or has less than half of the messages. */
export function isLoss(before: Size, after: Size): boolean {
  return before.rows > 0 && (after.rows === 0 || after.messages * 2 < before.messages);
}

export function areNightsApart(one: Date, other: Date): boolean {
  const hours = Math.abs(one.getTime() - other.getTime()) / 3_600_000;
  return dayOf(one) !== dayOf(other) && hours >= APART;
}

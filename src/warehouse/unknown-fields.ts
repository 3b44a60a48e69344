/** Moves what a column cannot take into `extra`, and decides whether an answer may replace a day. */
import type { Session } from './session.js';
import { dayOf } from '../ground/calendar.js';

/** A set of documents, as SQL from a fixed list: a table, two of its columns, and a condition on its rows. */
export interface Documents {
  readonly relation: string;
  readonly document: string;
  /** The column that takes what no other column can. */
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

/**
 * Moves into `extra` the members with unknown keys, or the whole text of a document with a value of another kind; the
 * document then lacks the values of another kind.
 */
export function split(session: Session, place: string, documents: Documents = DOCUMENTS): Promise<void> {
  return session.run('load/documents/split', { ...documents, place });
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
 * @param heldBack the answers that were held back since the day was last replaced
 */
export function replaces(
  before: Size | undefined,
  candidate: Candidate,
  heldBack: readonly Candidate[],
): boolean {
  if (before === undefined || !isLoss(before, candidate)) return true;
  return heldBack.some(
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

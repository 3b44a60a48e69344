/**
 * Whether an answer may replace a day that the warehouse holds. An answer that lacks most of the day is held back: the
 * service may be incomplete for a while. It is accepted when answers of two nights agree, or when a person accepts it.
 * Pure: the same answers in the same order always give the same rows, in a rebuild too.
 */
import { dayOf } from '../calendar.js';

/** What the warehouse, or an answer, holds of a day. */
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

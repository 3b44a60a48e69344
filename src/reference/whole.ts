/**
 * Whether a reading of a list counts as a snapshot. Rows that are missing from a snapshot are closed in the history, so a list
 * that changed while it was read must not count, nor one that lost most of its rows for a night. Pure.
 */
import type { ShortList } from '../storage/pull.js';
import { areNightsApart, isLoss } from '../warehouse/holding.js';

/** What one reading of a list came to. */
export interface ReadList {
  /** All rows, equal ones among them. */
  readonly rows: number;
  /** Rows that stood on a page before. */
  readonly repeated: number;
  /** Rows that are equal to another one: they are one row. */
  readonly equal: number;
  /** What the service announced; null where it announces nothing. */
  readonly announced: number | null;
  /** Whether what it announced changed on the way. */
  readonly moved: boolean;
}

export type Verdict =
  | { readonly kind: 'whole' }
  /** It counts, and the difference is reported. */
  | { readonly kind: 'differs' }
  /** Read it again; if it stays so, it does not count. `reason` is a clause. `isShort`: a second night may agree. */
  | { readonly kind: 'again'; readonly reason: string; readonly isShort: boolean };

/** What is known of a list before it is read. */
export interface Known {
  /** How many rows its last snapshot has; none where it has none. */
  readonly held: number;
  /** Its readings that did not count since then. */
  readonly short: readonly ShortList[];
  readonly pulledAt: Date;
  /** Whether a person accepts the list, however little it holds. */
  readonly accepted: boolean;
}

/** @param before the reading before this one, in the same run */
export function judgeReading(
  list: ReadList,
  before: ReadList | undefined,
  { held, short, pulledAt, accepted }: Known,
): Verdict {
  const { rows, repeated, equal, announced, moved } = list;
  const again = (reason: string, isShort = false): Verdict => ({ kind: 'again', reason, isShort });
  const stays = before?.rows === rows && before.announced === announced && before.repeated === repeated;
  // A list that holds still has equal rows; in one that moves a row comes again, or one with the same id.
  if (repeated > 0 && !(stays && equal >= repeated)) return again('a row stood on two pages');
  if (moved) return again('the number of rows changed');
  const lastNights = short.filter(
    (night) => night.pulledAt < pulledAt && areNightsApart(night.pulledAt, pulledAt),
  );
  const isLost = isLoss(size(held), size(rows - equal));
  if (isLost && !accepted && !lastNights.some((night) => isAlike(night.rows, rows))) {
    const reason = `the service gives ${rows} rows, less than half of the ${held} before, which two nights must agree on`;
    return again(reason, true);
  }
  if (announced === null || rows === announced) return { kind: 'whole' };
  // More rows than announced lose nothing; fewer may be missing, so that takes two nights.
  const missing = announced - rows;
  const agrees = lastNights.some(
    (night) => night.announced !== null && night.announced - night.rows === missing,
  );
  if (accepted || (stays && (missing < 0 || agrees))) return { kind: 'differs' };
  return again(`the service announces ${announced} rows and gave ${rows}`, missing > 0);
}

/** Neither is a loss beside the other. */
function isAlike(rows: number, others: number): boolean {
  return !isLoss(size(rows), size(others)) && !isLoss(size(others), size(rows));
}

function size(rows: number): { rows: number; messages: number } {
  return { rows, messages: rows };
}

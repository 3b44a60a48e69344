/**
 * Whether a reading of a list counts as a snapshot. Rows that are missing from a snapshot are closed in the history, so a list
 * that changed while it was read must not count. Pure.
 */

/** What one reading of a list came to. */
export interface ReadList {
  readonly rows: number;
  /** Rows that stood on a page before. */
  readonly repeated: number;
  /** What the service announced; null where it announces nothing. */
  readonly announced: number | null;
  /** Whether what it announced changed on the way. */
  readonly moved: boolean;
}

/** A reading that did not count, since rows were missing. */
export interface Shortage {
  readonly rows: number;
  readonly announced: number;
}

export type Verdict =
  | { readonly kind: 'whole' }
  /** It counts, and the difference is reported. */
  | { readonly kind: 'differs' }
  /** Read it again; if it stays so, it does not count. `reason` is a clause. */
  | { readonly kind: 'again'; readonly reason: string; readonly shortage?: Shortage };

/**
 * @param before the reading before this one, in the same run
 * @param lastNight what was missing at the pull before
 */
export function judgeReading(
  list: ReadList,
  before: ReadList | undefined,
  { lastNight, accepted }: { lastNight: Shortage | undefined; accepted: boolean },
): Verdict {
  const { rows, repeated, announced, moved } = list;
  if (repeated > 0) return { kind: 'again', reason: 'a row stood on two pages' };
  if (moved) return { kind: 'again', reason: 'the number of rows changed' };
  if (announced === null || rows === announced) return { kind: 'whole' };
  const reason = `the service announces ${announced} rows and gave ${rows}`;
  const stays = before?.rows === rows && before.announced === announced && before.repeated === 0;
  // More rows than announced lose nothing; fewer may be missing, so that takes two nights.
  if (accepted || (stays && (rows > announced || agrees({ rows, announced }, lastNight))))
    return { kind: 'differs' };
  return { kind: 'again', reason, ...(rows < announced ? { shortage: { rows, announced } } : {}) };
}

function agrees({ rows, announced }: Shortage, lastNight: Shortage | undefined): boolean {
  return lastNight !== undefined && lastNight.announced - lastNight.rows === announced - rows;
}

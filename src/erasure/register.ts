/**
 * The register of erasures: journal lines with keyed digests of persons. Everything that arrives later is compared with it, so that erased
 * persons don't return.
 */
import { z } from 'zod';
import { ConfigError } from '../ground/errors.js';
import { type Journal, event, Kind, type Entry, type LineOf } from '../journal/journal.js';
import { wholeNumber } from '../ground/shapes.js';

const text = z.string();

/** Journal lines about an erasure. `of` is the number of its `begun` line. */
export const ERASE = new Kind(
  'erase',
  z.discriminatedUnion('event', [
    /** Written before anything is erased. `entered` means that `recover` wrote it, because the original line was lost. */
    z.object({
      ...event('begun'),
      key: text,
      persons: wholeNumber,
      ids: z.array(text),
      entered: z.boolean().optional(),
    }),
    /** Written before the first page of a pull is rewritten. From then on, the pull may have fewer records than `records`. */
    z.object({ ...event('cutting'), pull: text, records: wholeNumber }),
    z.object({ ...event('cut'), of: wholeNumber, records: wholeNumber, rows: wholeNumber }),
    z.object({ ...event('done'), of: wholeNumber }),
    /** The number of records that arrived after the erasure and were cut. */
    z.object({ ...event('late'), records: wholeNumber }),
    /** Rows were deleted. Free blocks of the private file still have their bytes until the file is rewritten. */
    z.object(event('rows-deleted')),
    z.object(event('rewritten')),
  ]),
);
type Line = LineOf<typeof ERASE>;

/** Builds the erasures from journal lines, oldest first, with the columns of `ops.erasures`. Pure. */
export function erasuresOf(lines: readonly Line[]) {
  const begun = lines.flatMap((line) => (line.event === 'begun' ? [line] : []));
  return begun.map(({ seq, key, at: erasedAt, persons, ids }, nth) => {
    const end = begun[nth + 1]?.seq ?? Number.POSITIVE_INFINITY;
    const isLate = (line: Line) => line.event === 'late' && line.seq > seq && line.seq < end;
    const cut = lines.flatMap((line) => (line.event === 'cut' && line.of === seq ? [line] : [])).at(-1);
    return {
      /** The number of its journal line, and the keyed digests of the erased ids. */
      line: seq,
      ids,
      key,
      erasedAt,
      persons,
      /** Numbers of records removed from landed pages, of deleted rows, and of records that arrived later. */
      records: cut?.records ?? 0,
      rows: cut?.rows ?? 0,
      lateRecords: lines.reduce(
        (sum, line) => sum + (isLate(line) && 'records' in line ? line.records : 0),
        0,
      ),
      done: lines.some((line) => line.event === 'done' && line.of === seq),
    };
  });
}

type Erasure = ReturnType<typeof erasuresOf>[number];

/** True if an erasure changed the pull, or if lost journal lines may have named it. */
export function mayBeCut(lines: readonly Line[], pull: string): boolean {
  return cutPulls(lines).has(pull) || lines.some((line) => line.event === 'begun' && line.entered === true);
}

/** The pulls that erasures after line `since` have changed, each with its original number of records. */
export function cutPulls(lines: readonly Line[], since = 0): ReadonlyMap<string, number> {
  return new Map(
    lines.flatMap((line) =>
      line.event === 'cutting' && line.seq > since ? [[line.pull, line.records] as const] : [],
    ),
  );
}

/**
 * Throws ConfigError if the digests of erasures were made with another key, because this key would not recognize any erased person.
 *
 * @param fingerprint the fingerprint of private/hmac.key
 */
export function assertKeyOf(
  erasures: readonly { readonly line: number; readonly key: string }[],
  fingerprint: string,
): void {
  const other = erasures.find(({ key }) => key !== fingerprint);
  if (other === undefined) return;
  throw new ConfigError(
    `The erasure in line ${other.line} of the journal was made with another key than private/hmac.key.`,
    { hint: 'Restore private/hmac.key from the backup that has the erasure, then run again.' },
  );
}

export class Register {
  /**
   * @param fingerprint the fingerprint of the hash key
   * @throws ConfigError when the register was made with another key
   */
  constructor(
    private readonly journal: Journal,
    fingerprint: string,
  ) {
    assertKeyOf(erasuresOf(this.lines), fingerprint);
  }

  get lines(): readonly Line[] {
    return this.journal.of(ERASE);
  }

  get ids(): string[] {
    return [...new Set(this.erasures.flatMap(({ ids }) => ids))];
  }

  get erasures(): Erasure[] {
    return erasuresOf(this.lines);
  }

  get unfinished(): Erasure | undefined {
    return this.erasures.find(({ done }) => !done);
  }

  /** The last erasure; undefined without erasures. */
  get last(): Erasure | undefined {
    return this.erasures.at(-1);
  }

  /** True if the private file must be rewritten, because its free blocks contain bytes of erased rows. */
  get holdsErasedBytes(): boolean {
    const last = this.lines.findLast(({ event }) => event === 'rows-deleted' || event === 'rewritten');
    return last?.event === 'rows-deleted';
  }

  /** Appends a line; resolves with its number once it is durable. Throws `StorageError`. */
  async append(entry: Entry<Line>): Promise<number> {
    return (await this.journal.append(ERASE, entry)).seq;
  }
}

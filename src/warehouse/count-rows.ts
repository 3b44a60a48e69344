/** The rows of the pages of a list, counted before they are loaded: a list that changed while it was read must not count. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { asPattern, repair, SMALLEST_BUFFER } from './landed-files.js';
import { isRefusal, loadError } from './load-error.js';
import { count, type Session } from './session.js';

export interface ListPages {
  readonly files: readonly string[];
  /** A JSON pointer to what tells rows apart; '' for the whole row. */
  readonly id: string;
  readonly largestPage: number;
  /** For repaired copies of files that DuckDB refuses. */
  readonly tempDirectory: string;
}

const counted = z.object({ rows: count, repeated: count, equal: count });

export interface CountedRows {
  readonly rows: number;
  /** Rows that stood on a page before. */
  readonly repeated: number;
  /** Rows without an id that are equal to another one, on whatever page. */
  readonly equal: number;
}

/** Throws DamageError for a file that is not JSON, even when repaired. */
export async function countRows(
  session: Session,
  { files, id, largestPage, tempDirectory }: ListPages,
): Promise<CountedRows> {
  const countIn = async (some: readonly string[]): Promise<CountedRows> => {
    await session.set({
      files: some.map(asPattern),
      id_pointer: id,
      largest_object: Math.max(SMALLEST_BUFFER, largestPage),
    });
    return session.row('ops/count_rows', counted);
  };
  try {
    return await countIn(files);
  } catch (error) {
    if (!isRefusal(error)) throw loadError(error, files[0] ?? '');
  }
  const copies: string[] = [];
  try {
    for (const file of files) copies.push(await repair(file, tempDirectory));
    return await countIn(copies);
  } finally {
    await Promise.all(copies.map((file) => rm(file, { force: true })));
  }
}

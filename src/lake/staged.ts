/** Relations that are compared by their rows: those of each day where they have days, all of them where not. */
import { z } from 'zod';
import { count } from '../warehouse/session.js';
import type { Lake } from './lake.js';
import { CONTENTS, nameOf, placeholders, type Relation } from './relations.js';
import { inDays } from './sql.js';

const part = z.object({ date: z.string().nullable(), rows: count, changed: z.boolean() });
type Part = z.infer<typeof part>;

/**
 * Replaces what differs, within a transaction of the catalog. Returns how many rows it wrote; undefined where nothing differs.
 *
 * @param archived whether days of events have left the file: the lake then keeps contents that the file has not
 */
export async function replaceStaged(
  lake: Lake,
  relation: Relation,
  archived: boolean,
): Promise<number | undefined> {
  const { session } = lake;
  const name = nameOf(relation);
  const names = { ...placeholders(lake, relation), name };
  await session.run('lake/stage_relation', names);
  const parts = await session.rows('lake/staged_parts', part);
  const changed = parts.filter((each) => each.changed);
  if (changed.length === 0) return undefined;
  // Where no part stands, rows that no part tells of go too.
  const chosen = changed.length === parts.length ? 'true' : inParts(relation.day ?? 'null', changed);
  const isKept = archived && name === CONTENTS;
  const which = isKept ? 'content_id in (select content_id from staged)' : chosen;
  await session.run('lake/replace_staged', { ...names, which, chosen });
  await session.run('lake/note_staged', { name });
  return changed.reduce((sum, { rows }) => sum + rows, 0);
}

/** The rows of these parts, as a condition. */
function inParts(day: string, parts: readonly Part[]): string {
  const days = parts.flatMap(({ date }) => date ?? []);
  return inDays(day, days) + (days.length < parts.length ? ` or ${day} is null` : '');
}

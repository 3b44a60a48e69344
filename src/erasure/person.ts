/** The ids of a person, and what the warehouse holds under them. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { EVENT_TABLES } from '../warehouse/messages.js';
import { count, type Session } from '../warehouse/session.js';

/** An id that a person was named by. */
export interface Given {
  readonly kind: 'user_id' | 'service_user_id' | 'device_id' | 'service_device_id' | 'recipient';
  readonly value: string;
}

/** An id of a person as the warehouse holds it, under the digest of the id that the person was named by. */
const personId = z.object({
  origin: z.string(),
  id: z.string(),
  kind: z.string().nullable(),
  value: z.string().nullable(),
  shared: z.boolean(),
});

export type PersonId = z.infer<typeof personId>;

export interface Persons {
  /** The digest of each id that was given, in that order. */
  readonly origins: readonly string[];
  /** The digests of all ids that belong to these persons. */
  readonly ids: readonly string[];
  /** The ids as the warehouse holds them; shared ones were not followed and are not erased. */
  readonly found: readonly PersonId[];
}

/** Follows the ids that records have together, from the given ones on. `include_shared` follows those of more than three persons too. */
export async function findPersons(
  session: Session,
  given: readonly Given[],
  { includeShared, also = [] }: { readonly includeShared: boolean; readonly also?: readonly Given[] },
): Promise<Persons> {
  const all = [...given, ...also];
  await session.set({ kinds: all.map(({ kind }) => kind), given: all.map(({ value }) => value) });
  const digests = await session.rows(
    'erasure/digests',
    z.object({ given: z.string(), ids: z.array(z.string()) }),
  );
  const start = digests.flatMap(({ ids }, nth) =>
    ids.map((id) => ({ id, origin: digests[nth]?.ids[0] ?? id })),
  );
  await session.set({
    origins: start.map(({ origin }) => origin),
    erased_ids: start.map(({ id }) => id),
    include_shared: includeShared,
  });
  await session.run('erasure/links');
  for (let step = 1; ; step++) {
    await session.set({ step });
    const { found } = await session.row('erasure/follow', z.object({ found: count }));
    if (found === 0) break;
  }
  const found = await session.rows('erasure/person', personId);
  const ids = new Set([
    ...start.map(({ id }) => id),
    ...found.filter(({ shared }) => !shared).map(({ id }) => id),
  ]);
  const origins = digests.slice(0, given.length).map(({ ids: [id = ''] }) => id);
  return { origins, ids: [...ids], found };
}

/** The days of exports whose events an erased person still has in the file, and the first opt-out. */
const held = z.object({ days: z.array(z.string()), first_opt_out: z.string().nullable() });

export async function heldBy(session: Session): Promise<{ days: Day[]; firstOptOut: Day | undefined }> {
  await session.set({ origins: [], include_shared: true });
  await session.run('erasure/links');
  const { days, first_opt_out } = await session.row('erasure/held', held);
  return { days: days.sort(), firstOptOut: first_opt_out ?? undefined };
}

/** The tables with rows of persons, and which of their rows are those of `held`. */
const TABLES = [
  ...EVENT_TABLES.map(({ name }) => ({
    table: name,
    condition:
      name === 'events'
        ? 'rowid in (select row_id from held_events)'
        : 'event_id in (select event_id from held_events)',
  })),
  { table: 'opt_outs_history', condition: 'rowid in (select row_id from held_opt_outs)' },
];

/** The rows of `held` by table, as JSON; tables without one are left out. */
export async function rowsHeld(session: Session): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>();
  for (const names of TABLES) {
    const rows = await session.rows('erasure/held_rows', z.object({ row: z.string() }), names);
    if (rows.length > 0)
      found.set(
        names.table,
        rows.map(({ row }): unknown => JSON.parse(row)),
      );
  }
  return found;
}

/** How many rows of `held` each table has. */
export async function countHeld(session: Session): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const names of TABLES) {
    const { rows } = await session.row('erasure/held_count', z.object({ rows: count }), names);
    if (rows > 0) counts.set(names.table, rows);
  }
  return counts;
}

/** Writes them as a CSV file for each table. */
export async function copyRows(
  session: Session,
  tables: Iterable<string>,
  folder: string,
): Promise<string[]> {
  const files: string[] = [];
  const wanted = new Set(tables);
  for (const names of TABLES.filter(({ table }) => wanted.has(table))) {
    const file = join(folder, `${names.table}.csv`);
    await session.set({ file });
    await session.run('erasure/copy_rows', names);
    files.push(file);
  }
  return files;
}

/** Deletes the rows of `held` that no load could take away, since their pages are gone. */
export async function deleteHeld(session: Session, days: readonly Day[]): Promise<void> {
  await session.transaction(async () => {
    await session.set({ days });
    await session.run('erasure/touch');
    for (const names of [...TABLES].reverse()) await session.run('erasure/delete_rows', names);
  });
}

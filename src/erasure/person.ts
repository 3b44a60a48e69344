/** Finds all ids of a person in the warehouse, and the rows with these ids. */
import { z } from 'zod';
import type { KeyKind } from '../ground/fields.js';
import type { Day } from '../ground/calendar.js';
import { PERSON_COLUMNS } from '../ground/fields.js';
import { EVENT_TABLES } from '../streams/events/messages.js';
import { count, listOf, type Session } from '../warehouse/session.js';
import { addOwnLinks, ownRows, type Rows } from './own.js';

export interface NamedId {
  readonly kind: KeyKind;
  readonly value: string;
}

/** An id as the warehouse stores it; `origin` is the digest of the requested id from which it was found. */
const personId = z.object({
  origin: z.string(),
  id: z.string(),
  kind: z.string().nullable(),
  value: z.string().nullable(),
  /** The digest that models use for the number. */
  person: z.string().nullable(),
  shared: z.boolean(),
});

type PersonId = z.infer<typeof personId>;

export interface Persons {
  /** The digest of each requested id, in the same order. */
  readonly origins: readonly string[];
  readonly ids: readonly string[];
  /** The ids as the warehouse stores them. Shared ids are neither followed nor erased. */
  readonly stored: readonly PersonId[];
}

/** The Unicode forms in which an id may be stored: as given, composed (NFC), and decomposed (NFD). */
export function formsOf(value: string): string[] {
  return [...new Set([value, value.normalize('NFC'), value.normalize('NFD')])];
}

export async function readLinks(session: Session): Promise<void> {
  await session.run('erasure/links');
  await addOwnLinks(session);
  await session.run('erasure/link_ids');
}

/** The ids in a landed record, by kind. */
export type Linked = Partial<Record<NamedId['kind'], string>>;

/** Adds sets of ids that occur together in a landed record. */
export async function addLinks(session: Session, sets: readonly Linked[]): Promise<void> {
  await session.run('erasure/landed_links', { landed_ids: JSON.stringify(sets) });
  await session.run('erasure/link_ids');
}

/**
 * Finds all ids of persons by following ids that occur in the same record. Ids of more than three persons are followed only if
 * `includeShared`.
 */
export async function findPersons(
  session: Session,
  ids: readonly NamedId[],
  includeShared: boolean,
): Promise<Persons> {
  const named = ids.flatMap(({ kind, value }) => formsOf(value).map((form) => ({ kind, value, form })));
  const searched = { kinds: named.map(({ kind }) => kind), named: named.map(({ value }) => value) };
  const origins = await session.rows('erasure/origins', z.object({ origin: z.string() }), searched);
  const forms = named.map(({ form }) => form);
  await session.run('erasure/follow', { ...searched, forms, include_shared: includeShared });
  const stored = await session.rows('erasure/person', personId);
  const digests = stored.flatMap(({ id, person, shared }) => (shared ? [] : [id, person ?? id]));
  const own = origins.filter((_, nth) => named[nth]?.form === named[nth]?.value);
  return { origins: own.map(({ origin }) => origin), ids: [...new Set(digests)], stored };
}

const foundDays = z.object({ days: z.array(z.string()), first_opt_out: z.string().nullable() });

/** The days with events of an erased person, and the day of the first opt-out. Call `readLinks` before. */
export async function findDays(session: Session): Promise<{ days: Day[]; firstOptOut: Day | undefined }> {
  const { days, first_opt_out } = await session.row('erasure/found', foundDays);
  return { days: days.sort(), firstOptOut: first_opt_out ?? undefined };
}

const TABLES: readonly Rows[] = [
  ...EVENT_TABLES.map(({ name }) => ({
    table: name,
    condition:
      name === 'events'
        ? 'rowid in (select row_id from found_events)'
        : 'event_id in (select event_id from found_events)',
  })),
  { table: 'opt_outs_history', condition: 'rowid in (select row_id from found_opt_outs)' },
];

/** The name of a table, for people. */
const shown = ({ table }: Rows): string => table.replaceAll('"', '');

const asJson = z.object({ row: z.string() }).transform(({ row }): unknown => JSON.parse(row));

export async function rowsFound(session: Session): Promise<Map<string, unknown[]>> {
  const all = new Map<string, unknown[]>();
  for (const names of [...TABLES, ...(await ownRows(session)), ...(await computedRows(session))]) {
    const rows = await session.rows('erasure/found_rows', asJson, names);
    if (rows.length > 0) all.set(shown(names), rows);
  }
  return all;
}

export async function countFound(session: Session): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const names of [...TABLES, ...(await ownRows(session)), ...(await computedRows(session))]) {
    const { rows } = await session.row('erasure/found_count', z.object({ rows: count }), names);
    if (rows > 0) counts.set(shown(names), rows);
  }
  return counts;
}

const computedColumns = z.object({ table: z.string(), persons: z.array(z.string()), day: z.string() });

/** Rows that models computed about the erased persons on removed days. */
async function computedRows(session: Session): Promise<Rows[]> {
  const persons = listOf(PERSON_COLUMNS);
  const tables = await session.rows('erasure/computed_columns', computedColumns, { persons });
  if (tables.length === 0) return [];
  const left = (day: string): string =>
    `${day} in (select date_trunc('${day === 'week' ? 'week' : 'day'}', date)::date from ops.removed_days)`;
  const numbers = tables.flatMap(({ table, persons, day }) =>
    persons.map((column) => `select "${column}" as number from ${table} where ${left(day)}`),
  );
  await session.run('erasure/computed', { numbers: numbers.join(' union ') });
  return tables.map(({ table, persons, day }) => ({
    table,
    condition: `${left(day)} and (${persons.map((one) => `"${one}" in (from erased_numbers)`).join(' or ')})`,
  }));
}

/** Deletes rows about erased persons that models cannot recompute. */
export async function deleteComputed(session: Session): Promise<void> {
  const tables = await computedRows(session);
  if (tables.length === 0) return;
  await session.transaction(async () => {
    await session.run('erasure/computed_relinked');
    for (const names of tables) {
      await session.run('erasure/delete_rows', names);
      const column = names.condition.startsWith('week') ? 'week' : 'date';
      const rows = { relation: names.table, column, partition: 'day', full: 'true' };
      await session.run('refresh/note_days', rows);
    }
  });
}

/** Deletes rows of erased persons from own tables: a table cannot be loaded again if its landed copy is lost. */
export async function deleteOwn(session: Session): Promise<void> {
  for (const names of await ownRows(session)) await session.run('erasure/delete_rows', names);
}

/** Deletes the persons' rows that loading again cannot remove, because their pages are missing. */
export async function deleteFound(session: Session, days: readonly Day[]): Promise<void> {
  await session.transaction(async () => {
    await session.run('erasure/touch', { days });
    for (const names of [...TABLES].reverse()) await session.run('erasure/delete_rows', names);
    await session.run('erasure/recount', { days });
  });
}

/** Removes erased persons from the landed copies of own tables, and from the tables of the schema `own`. */
import { z } from 'zod';
import { KEY_KINDS } from '../ground/fields.js';
import { escaped } from '../disk/duckdb.js';
import type { DurableFolder } from '../disk/atomic-file.js';
import { listPulls, readPull, streamFolders } from '../landing/landing-zone.js';
import { OWN } from '../ground/streams.js';
import { ownTables, rowsIn } from '../warehouse/describe.js';
import { erasedWords, isErased } from '../warehouse/privacy.js';
import { asPattern } from '../warehouse/pages.js';
import { quoted, type Session } from '../warehouse/session.js';

/** A table, and the condition that selects the rows of the found persons. */
export type Rows = Readonly<Record<'table' | 'condition', string>>;

/** The landed copies of own tables. */
export async function ownPulls(landing: string): Promise<string[]> {
  const streams = (await streamFolders(landing)).filter((stream) => stream.startsWith(OWN));
  return (await listPulls(landing, streams)).map(({ id }) => id);
}

const textColumn = z.object({ name: z.string(), is_document: z.boolean() });
const written = z.object({ written: z.array(z.string()) });

/** The result of searching one landed copy of an own table. */
interface FoundCopy {
  /** Number of rows about the persons, and of all rows. */
  readonly own: number;
  readonly rows: number;
  /** Number of other rows whose texts mention one of the persons. */
  readonly mentions: number;
  /** The ids of the persons, as the copy writes them. */
  readonly written: readonly string[];
  /** Durably replaces the copy by one without the persons. */
  cut(disk: DurableFolder): Promise<unknown>;
}

/** Searches a landed copy for erased persons, using the table `erased_ids`. Resolves with undefined if it finds none. */
export async function findInCopy(
  session: Session,
  landing: string,
  id: string,
): Promise<FoundCopy | undefined> {
  const pull = await readPull(landing, id);
  const [page] = pull?.files ?? [];
  const keys = pull?.facts.own?.keys ?? [];
  if (page === undefined) return undefined;
  const file = escaped(asPattern(page.file));
  const columns = await session.rows('erasure/own_columns', textColumn, { file });
  const texts = columns.filter(({ name }) => !KEY_KINDS.some((kind) => kind === name));
  const ids = await erasedWords(
    session,
    asPattern(page.file),
    texts.map(({ name }) => name),
  );
  const cleaned = texts.map(({ name, is_document }) => ({
    name: quoted(name),
    value: `without_erased(${quoted(name)}::varchar, ${is_document}, '${ids}')`,
    type: is_document ? 'json' : 'varchar',
  }));
  const own = isErased(keys);
  const mentions = cleaned
    .map(({ name, value }) => `${value} is distinct from ${name}::varchar`)
    .join(' or ');
  const counts = {
    own: await rowsIn(session, page.file, own),
    rows: await rowsIn(session, page.file),
    mentions: mentions === '' ? 0 : await rowsIn(session, page.file, `not (${own}) and (${mentions})`),
  };
  if (counts.own + counts.mentions === 0) return undefined;
  const list = keys.map(({ kind }) => `"${kind}"`).join(', ');
  const spelled = await session.row('erasure/own_written', written, {
    file,
    keys: list || 'null::varchar',
    own,
  });
  const replaced = cleaned.map(({ name, value, type }) => `(${value})::${type} as ${name}`).join(', ');
  return {
    ...counts,
    written: spelled.written,
    cut: (disk) =>
      disk.make(page.file, 'erasures/page', (to) =>
        session.run('streams/own/pull/copy', {
          columns: replaced === '' ? '*' : `* replace (${replaced})`,
          from: file,
          erased: own,
          to: escaped(to),
        }),
      ),
  };
}

/** The key columns of each own table in the file. */
async function keysIn(session: Session): Promise<{ table: string; keys: string[] }[]> {
  const tables = await ownTables(session);
  return tables.map(({ name, columns }) => ({
    table: `own.${quoted(name)}`,
    keys: KEY_KINDS.filter((kind) => columns.some((one) => one.name === kind)),
  }));
}

/** Adds ids that occur in the same row of an own table to the links of `findPersons`. */
export async function addOwnLinks(session: Session): Promise<void> {
  for (const { table, keys } of await keysIn(session)) {
    const columns = KEY_KINDS.map(
      (kind) => `${keys.includes(kind) ? `"${kind}"` : 'null::varchar'} as ${kind}`,
    );
    if (keys.length > 0) await session.run('erasure/own_links', { table, columns: columns.join(', ') });
  }
}

/** The own tables, each with a condition for the rows of the persons in `erased_ids`. */
export async function ownRows(session: Session): Promise<Rows[]> {
  return (await keysIn(session))
    .filter(({ keys }) => keys.length > 0)
    .map(({ table, keys }) => ({
      table,
      condition: keys
        .map((kind) => `coalesce(stored_digest('${kind}', "${kind}") in (from erased_ids), false)`)
        .join(' or '),
    }));
}

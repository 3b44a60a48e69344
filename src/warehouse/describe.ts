/**
 * Writes the texts of this package into the file: a comment on every table, view and column, the dictionary in `ops.dictionary`, and the
 * rows of seed tables. Unchanged texts are not written again.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { PACKAGE_ROOT } from '../ground/effects.js';
import { escaped, faultIn } from '../disk/duckdb.js';
import { Dictionary, relationName, type Words } from './dictionary.js';
import { asPattern } from './pages.js';
import { count, quoted, type Session } from './session.js';

const describedThing = z.object({
  kind: z.enum(['schema', 'table', 'view', 'column']),
  schema_name: z.string(),
  relation_name: z.string().nullable(),
  column_name: z.string().nullable(),
  comment: z.string().nullable(),
});
type DescribedThing = z.infer<typeof describedThing>;

const SEEDS = join(PACKAGE_ROOT, 'sql', 'seeds');

/**
 * Writes the texts of the dictionary and the seeds into the file, unless it has them. Call inside a transaction.
 *
 * @param models the fingerprints of the models, because a recreated model has lost its comments
 */
export async function describeAll(session: Session, models: readonly string[]): Promise<void> {
  const files = readdirSync(SEEDS).map((file) => join(SEEDS, file));
  const texts = [Dictionary.fingerprint(), ...files.map((file) => readFileSync(file, 'utf8')), ...models];
  const fingerprint = createHash('sha256').update(texts.join('\0')).digest('hex');
  const [noted] = await session.rows('describe/noted', z.object({ fingerprint: z.string() }));
  if (noted?.fingerprint === fingerprint) return;
  await writeWords(session, Dictionary.load());
  const seeds = files.map((file) => ({ relation: basename(file, '.csv'), file: escaped(file) }));
  await session.runForEach('describe/seed', seeds);
  await session.run('describe/note', { fingerprint });
}

async function writeWords(session: Session, dictionary: Dictionary): Promise<void> {
  const things = await session.rows('describe/relations', describedThing);
  const entries: object[] = [];
  const comments: Record<string, string>[] = [];
  for (const thing of things) {
    const words = wordsFor(dictionary, thing);
    if (words === undefined) continue;
    const { schema_name, relation_name, column_name } = thing;
    entries.push({ schema_name, relation_name, column_name, ...words });
    if (thing.kind !== 'schema' && thing.comment !== words.en) comments.push(commentOn(thing, words.en));
  }
  await session.runForEach('describe/comment', comments);
  await session.run('describe/replace_words', { which: 'true', words: JSON.stringify(entries) });
}

function wordsFor(
  dictionary: Dictionary,
  { schema_name, relation_name, column_name }: DescribedThing,
): (Words & { label: string | null }) | undefined {
  if (relation_name === null) {
    const words = dictionary.schema(schema_name);
    return words && { ...words, label: null };
  }
  const relation = relationName(schema_name, relation_name);
  const described = dictionary.relation(relation);
  // A column without a dictionary entry, such as one of a catalog's view, is described elsewhere.
  if (described === undefined) return undefined;
  if (column_name === null) return { ...Dictionary.commentOf(described), label: null };
  return dictionary.column(relation, column_name);
}

/** Values for the placeholders of the section `comment` in `sql/describe.sql`. */
function commentOn(thing: DescribedThing, text: string): Record<string, string> {
  const names = [thing.schema_name, thing.relation_name, thing.column_name].filter((name) => name !== null);
  return {
    kind: thing.kind,
    name: names.map(quoted).join('.'),
    text: escaped(text),
  };
}

/**
 * Creates a view for each catalog. If a view cannot be created, it is left out and noted. Call inside a transaction, which survives errors
 * of DuckDB's parser, binder and catalog.
 */
export async function makeCatalogViews(session: Session): Promise<void> {
  const making = z.object({ catalog_name: z.string(), statement: z.string() });
  for (const { statement } of await session.rows('catalog_views/drop', making.pick({ statement: true })))
    await session.runText(statement);
  const left: string[] = [];
  for (const { catalog_name, statement } of await session.rows('catalog_views/create', making)) {
    try {
      await session.runText(statement);
    } catch (error) {
      if (!['Parser', 'Binder', 'Catalog'].includes(faultIn(error).kind ?? '')) throw error;
      left.push(catalog_name);
    }
  }
  await session.run('catalog_views/note', { left_out: left });
}

// Own tables.

/** Writes descriptions of a new table or view in the schema `own`. Call inside a transaction. */
export async function describeOwn(session: Session, table: string): Promise<void> {
  const dictionary = Dictionary.load();
  const all = await session.rows('describe/relations', describedThing);
  const described = all
    .filter((one) => one.schema_name === 'own' && one.relation_name === table)
    .flatMap((thing) => {
      const own = wordsFor(dictionary, thing);
      return own === undefined ? [] : [{ thing, own }];
    });
  const comments = described.map(({ thing, own }) => commentOn(thing, own.en));
  await session.runForEach('describe/comment', comments);
  const words = described.map(({ thing: { schema_name, relation_name, column_name }, own }) => ({
    ...{ schema_name, relation_name, column_name },
    ...own,
  }));
  const which = `schema_name = 'own' and relation_name = '${table}'`;
  await session.run('describe/replace_words', { which, words: JSON.stringify(words) });
}

const ownTable = z.object({
  name: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});

/** Lists the own tables in the file. */
export const ownTables = (session: Session): Promise<z.infer<typeof ownTable>[]> =>
  session.rows('streams/own/load/tables', ownTable);

/** Counts the rows of a landed copy that fulfil a condition, by default all rows. */
export async function rowsIn(session: Session, file: string, condition = 'true'): Promise<number> {
  const path = escaped(asPattern(file));
  const shape = z.object({ rows: count });
  return (await session.row('streams/own/load/rows', shape, { file: path, condition })).rows;
}

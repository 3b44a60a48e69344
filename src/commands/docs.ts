/**
 * `dawnload docs`: describes tables and the columns of bundled questions, from the dictionary in this package. It needs no warehouse; own
 * tables are described from the published file, if there is one.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../disk/storage-error.js';
import { z } from 'zod';
import { Dictionary, columnRow, entriesOf } from '../warehouse/dictionary.js';
import type { Language, RelationEntry, SchemaEntry } from '../warehouse/dictionary.js';
import { formatKst } from '../ground/calendar.js';
import { DawnloadError, EXIT, UsageError } from '../ground/errors.js';
import { didYouMean } from '../ground/text.js';
import { contextOf } from '../readers/queries/agent.js';
import { ask } from '../readers/queries/ask.js';
import {
  describeQuery,
  isBundled,
  loadCatalogue,
  queryNamed,
  type QueryFile,
} from '../readers/queries/catalogue.js';
import { skill } from '../readers/queries/contracts.js';
import { unitOf, Wording } from '../readers/queries/wording.js';
import { Reader } from '../warehouse/reader.js';
import { Warehouse } from '../warehouse/warehouse.js';
import type { Invocation } from '../config/invocation.js';
import type { Command, JsonOptions } from './shared.js';
import { listed, wrapLine } from '../terminal/text.js';
import { dataFiles } from '../disk/paths.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { refreshModels } from '../warehouse/models.js';

export interface DocsOptions extends JsonOptions {
  readonly format?: 'text' | 'json' | 'skill';
  readonly lang?: Language;
}

/**
 * Describes the warehouse, one of its tables, or a bundled question.
 *
 * @throws UsageError for an unknown name
 */
export const docsCommand: Command<DocsOptions, [string?]> = async (
  { format: wanted = 'text', json, lang: language = 'en' },
  invocation,
  table,
) => {
  const { terminal } = invocation;
  const dictionary = Dictionary.load();
  const own = await ownTables(invocation);
  const query = table !== undefined && isBundled(table) ? queryNamed(table) : undefined;
  const empty = await emptyWarehouse(invocation, query, language);
  const schemas = entriesOf([...empty.columns, ...own.columns], dictionary, language);
  // Exact names only, because a question may have a name similar to a table's.
  const find = query === undefined ? findRelation : relationNamed;
  const relation = table === undefined ? undefined : find(schemas, table, loadCatalogue());
  const copied = own.tables.find(({ name }) => `own.${name}` === relation?.name);
  const format = json === true ? 'json' : wanted;
  if (table !== undefined && format === 'skill')
    throw new UsageError('The format skill describes the whole warehouse.', { hint: 'Leave the name out.' });
  // Lines of more than 120 columns are hard to read.
  const width = Math.min(120, terminal.width ?? 100);
  const text = {
    skill: () => skill(schemas, dictionary.of('traps'), language),
    json: () =>
      JSON.stringify(
        relation ? { ...relation, ...copied } : (empty.question ?? { language, schemas }),
        null,
        2,
      ),
    text: () =>
      [
        ...(relation === undefined ? [] : [relationText(relation, language, width, copied)]),
        ...(empty.question === undefined ? [] : [questionText(empty.question, language, width)]),
      ].join('\n\n') || overviewText(schemas, width),
  }[format]();
  terminal.draw(text);
  if (format === 'text' && table === undefined)
    terminal.note(
      '`dawnload docs NAME` describes the columns of a table or a question; `--lang ko` writes in Korean.',
    );
  return EXIT.done;
};

/** Reads the columns from a new, empty warehouse, so that they match this version. */
async function emptyWarehouse({ effects }: Invocation, query: QueryFile | undefined, language: Language) {
  const folder = makeTemporary('dawnload-docs-');
  try {
    const path = join(folder, 'empty.duckdb');
    const warehouse = await Warehouse.open({
      path,
      tempDirectory: join(folder, 'tmp'),
      brand: 'service',
      fields: [],
      messenger: 'chatapp',
      privacy: { recipients: 'drop', key: new Uint8Array(16) },
      effects,
    });
    try {
      await refreshModels(warehouse);
    } finally {
      await warehouse.close();
    }
    return {
      columns: await columnsIn(path),
      question: query && (await Reader.using(path, (reader) => questionEntry(reader, query, language))),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Describes a question with its parameters, and the columns of its answer. */
async function questionEntry(reader: Reader, query: QueryFile, language: Language) {
  const question = { sql: query.sql, values: new Map(), subject: `The query ${query.name}`, query };
  const { columns } = await ask(reader, question);
  const names = columns.map(({ name }) => name);
  const meanings = new Map((await contextOf(reader, question, names, language)).meanings);
  const wording = new Wording(language);
  return {
    ...query,
    columns: columns.map(({ name, type }) => ({
      name,
      unit: unitOf(name, query.name) ?? String(type).toLowerCase(),
      label: wording.head(name, query.name),
      description: meanings.get(name) ?? '',
    })),
  };
}

const ownTable = z.object({
  name: z.string(),
  rows: z.number(),
  copied_at: z.number().transform((instant) => new Date(instant)),
});
type OwnTable = z.output<typeof ownTable>;

/** Your own tables in the published file, with their columns. Empty without that file, or without settings that name it. */
async function ownTables(invocation: Invocation) {
  try {
    const { published } = dataFiles(invocation.loadConfig().dataDir);
    if (!existsSync(published)) return { columns: [], tables: [] };
    const columns = await columnsIn(published);
    const tables = await Reader.using(published, (reader) =>
      reader.rowsIfAny('describe/own_tables', ownTable),
    );
    const isOwn = (one: z.infer<typeof columnRow>): boolean =>
      one.schema_name === 'own' && tables.some(({ name }) => name === one.relation_name);
    return { columns: columns.filter(isOwn), tables };
  } catch (error) {
    // The built-in tables are described even if settings or files are invalid.
    if (error instanceof DawnloadError) return { columns: [], tables: [] };
    throw error;
  }
}

export function columnsIn(path: string): Promise<z.infer<typeof columnRow>[]> {
  return Reader.using(path, (reader) => reader.rows('describe/columns', columnRow));
}

function relationNamed(schemas: readonly SchemaEntry[], wanted: string): RelationEntry | undefined {
  const relations = schemas.flatMap((schema) => schema.relations);
  const name = wanted.toLowerCase().replace(/^main\./, '');
  return (
    relations.find((relation) => relation.name === name) ??
    relations.find((relation) => relation.name.endsWith(`.${name}`))
  );
}

/** @throws UsageError that suggests similar names */
export function findRelation(
  schemas: readonly SchemaEntry[],
  wanted: string,
  questions: readonly { readonly name: string }[] = [],
): RelationEntry {
  const match = relationNamed(schemas, wanted);
  if (match !== undefined) return match;
  const relations = schemas.flatMap((schema) => schema.relations);
  const bare = (one: string): string => one.replace(/^.*\./, '');
  const names = [...relations, ...questions].map((one) => bare(one.name));
  const lists = `\`dawnload docs\` lists the tables${questions.length > 0 ? ', `dawnload query` the questions' : ''}.`;
  throw new UsageError(`${wanted} is not a table, a view or a question.`, {
    hint: `${didYouMean(bare(wanted.toLowerCase()), names)}${lists}`,
  });
}

export function overviewText(schemas: readonly SchemaEntry[], width: number): string {
  return schemas
    .filter(({ relations }) => relations.length > 0)
    .map(({ name, description, relations }) =>
      [
        wrapLine(`${name}: ${description}`, width, 0),
        listed(
          relations.map((relation) => [`  ${relation.name}`, relation.description]),
          width,
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

export function relationText(
  { name, kind, description, grain, columns }: RelationEntry,
  language: Language,
  width: number,
  copied?: OwnTable,
): string {
  const per = language === 'ko' ? '행 단위:' : 'One row per';
  return [
    ...[`${name} (${kind})`, description, `${per} ${grain}`].map((line) => wrapLine(line, width, 0)),
    ...(copied === undefined ? [] : [copiedText(copied, language)]),
    '',
    listed(
      columns.map(({ name: column, type, description: meaning, label }) =>
        language === 'ko' ? [`  ${column}`, label, type, meaning] : [`  ${column}`, type, meaning],
      ),
      width,
    ),
  ].join('\n');
}

function questionText(
  { columns, ...query }: Awaited<ReturnType<typeof questionEntry>>,
  language: Language,
  width: number,
): string {
  const rows = columns.map(({ name, unit, label, description }) => [
    `  ${name}`,
    unit,
    language === 'en' ? description || label : labeled(label, description),
  ]);
  const head = { en: 'Columns of the answer:', ko: '답변의 컬럼:' }[language];
  return `${describeQuery(query, width, language)}\n\n${head}\n${listed(rows, width)}`;
}

/** A description after its label. Some descriptions begin with the label already, as in `채널. …` and `추세: …`. */
function labeled(label: string, description: string): string {
  const hasLabel = [': ', '. '].some((end) => description.startsWith(label + end));
  return hasLabel ? description : [label, description].filter((text) => text !== '').join(': ');
}

function copiedText({ rows, copied_at: at }: OwnTable, language: Language): string {
  const when = formatKst(at);
  return language === 'ko'
    ? `${formatCount(rows)}행, ${when} 복사`
    : `${plural(rows, 'row')}, copied ${when}`;
}

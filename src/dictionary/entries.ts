/** What there is, in words: the tables and views of a warehouse, each with what the dictionary says of it. */
import { z } from 'zod';
import { relationName, type Dictionary, type Language } from './dictionary.js';

/** A row of `the section columns of sql/describe.sql`. */
export const columnRow = z.object({
  schema_name: z.string(),
  relation_name: z.string(),
  kind: z.enum(['table', 'view']),
  column_name: z.string(),
  data_type: z.string(),
});

export interface ColumnEntry {
  readonly name: string;
  /** As people write it in SQL: `varchar`, `timestamptz`. */
  readonly type: string;
  readonly description: string;
  /** The Korean head. */
  readonly label: string;
}

export interface RelationEntry {
  /** As people write it: `events`, `marts.channel_days`. */
  readonly name: string;
  readonly schema: string;
  readonly kind: 'table' | 'view';
  readonly description: string;
  /** What one row is. */
  readonly grain: string;
  readonly columns: readonly ColumnEntry[];
}

export interface SchemaEntry {
  readonly name: string;
  readonly description: string;
  readonly relations: readonly RelationEntry[];
}

/** The schemas in the order of the dictionary, their tables and views by name. */
export function entriesOf(
  rows: readonly z.infer<typeof columnRow>[],
  dictionary: Dictionary,
  language: Language,
): SchemaEntry[] {
  const names = Object.keys(dictionary.document.schemas);
  return names.map((schema) => ({
    name: schema,
    description: dictionary.schema(schema)?.[language] ?? '',
    relations: [
      ...new Set(rows.filter((row) => row.schema_name === schema).map((row) => row.relation_name)),
    ].flatMap(
      (relation) =>
        relationEntry(
          rows.filter((row) => row.schema_name === schema && row.relation_name === relation),
          dictionary,
          language,
        ) ?? [],
    ),
  }));
}

function relationEntry(
  rows: readonly z.infer<typeof columnRow>[],
  dictionary: Dictionary,
  language: Language,
): RelationEntry | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const name = relationName(first.schema_name, first.relation_name);
  const found = dictionary.relation(name);
  return {
    name,
    schema: first.schema_name,
    kind: first.kind,
    description: found?.[language] ?? '',
    grain: found?.grain[language] ?? '',
    columns: rows.map(({ column_name, data_type }) => {
      const column = dictionary.column(name, column_name);
      return {
        name: column_name,
        type: data_type.toLowerCase().replaceAll('timestamp with time zone', 'timestamptz'),
        description: column?.[language] ?? '',
        label: column?.label ?? '',
      };
    }),
  };
}

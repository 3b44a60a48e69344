/** What goes into the lake: every table and view of the published file's schemas main, ops and marts. */
import { z } from 'zod';
import type { Lake } from './lake.js';
import { lakeType } from './types.js';

export interface Column {
  readonly name: string;
  /** In the lake. */
  readonly type: string;
  /** In the file. */
  readonly fileType: string;
}

export interface Relation {
  readonly schema: 'main' | 'ops' | 'marts';
  readonly name: string;
  readonly columns: readonly Column[];
  /** The stream whose coverage says which days of it changed. */
  readonly stream: 'events' | 'statistics' | 'statistics_by_subchannel' | undefined;
  /** An incremental model: `ops.model_days` says which days of it changed. */
  readonly incremental: boolean;
  /** The column whose days are replaced. */
  readonly day: 'export_date' | 'date' | 'week' | undefined;
}

const row = z
  .object({
    schema: z.enum(['main', 'ops', 'marts']),
    name: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    stream: z.enum(['events', 'statistics', 'statistics_by_subchannel']).nullable(),
    incremental: z.boolean(),
    day: z.enum(['export_date', 'date', 'week']).nullable(),
  })
  .transform(({ columns, stream, day, ...relation }) => ({
    ...relation,
    stream: stream ?? undefined,
    day: day ?? undefined,
    columns: columns.map(({ name, type }) => ({ name, type: lakeType(type), fileType: type })),
  }));

/** Tables of the lake that the file does not have: each commit, and what the lake holds of each relation. */
const column = (name: string, type: string): Column => ({ name, type, fileType: type });
export const LAKE_TABLES: readonly Relation[] = [
  {
    schema: 'ops',
    name: 'lake_commits',
    columns: [
      column('number', 'BIGINT'),
      column('commit_id', 'VARCHAR'),
      column('writer', 'VARCHAR'),
      column('committed_at', 'TIMESTAMP WITH TIME ZONE'),
      column('command', 'VARCHAR'),
      column('version', 'VARCHAR'),
      column('days', 'BIGINT'),
      column('rows', 'BIGINT'),
    ],
    stream: undefined,
    incremental: false,
    day: undefined,
  },
  {
    schema: 'ops',
    name: 'lake_parts',
    columns: [column('relation', 'VARCHAR'), column('date', 'DATE'), column('version', 'VARCHAR')],
    stream: undefined,
    incremental: false,
    day: undefined,
  },
];

/** It is told with the days of the streams, and not as a table of its own. */
export const COVERAGE = 'ops.coverage';

/** The texts of messages, once each, by `content_id`. */
export const CONTENTS = 'message_contents';

/** Whether days of events have left the file: the lake then holds contents that the file does not. */
export async function hasArchived(lake: Lake): Promise<boolean> {
  return (await lake.session.rows('lake/archived_days', z.object({ date: z.string() }))).length > 0;
}

export function relationsOf(lake: Lake): Promise<Relation[]> {
  return lake.session.rows('lake/relations', row);
}

/** As models and readers name it: `marts.channel_days`, `events`. */
export function nameOf({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
  return schema === 'main' ? name : `${schema}.${name}`;
}

/** The model whose days say which days of the relation changed. The people of events have no table of their own. */
export function sourceOf(relation: Relation): string {
  const name = nameOf(relation);
  return name === 'marts.event_people' ? 'marts.daily_people' : name;
}

/** Placeholders of a relation for statements: its names here and there, its columns, and their values for the lake. */
export function placeholders(lake: Lake, relation: Relation): Record<string, string> {
  const { schema, name, columns, day } = relation;
  const quoted = columns.map((column) => `"${column.name}"`);
  return {
    relation: `warehouse.${schema}."${name}"`,
    table: lake.tableOf(relation),
    day: day ?? 'null',
    names: quoted.join(', '),
    values: columns.map(valueOf).join(', '),
    // Readers of one channel or campaign find their rows side by side, and the files are a fifth smaller.
    order: columns.some((column) => column.name === 'campaign_id') ? 'order by channel, campaign_id' : '',
  };
}

/** The value of a column for the lake. Iceberg knows no infinity, which DuckDB reads in a date or an instant. */
function valueOf({ name, type, fileType }: Column): string {
  if (/^(?:DATE|TIMESTAMP)/.test(type)) return `if(isfinite("${name}"), "${name}", null) as "${name}"`;
  return type === fileType ? `"${name}"` : `"${name}"::${type} as "${name}"`;
}

/** Compares counts and sums by day and table between the file and the lake; they must be equal. */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { count } from '../warehouse/session.js';
import { changesOf } from './transaction.js';
import {
  type Lake,
  daysList,
  inDays,
  CONTENTS,
  COVERAGE,
  hasRemoved,
  nameOf,
  placeholders,
  relationsOf,
  type Relation,
  isExactNumber,
} from './lake.js';

export interface Difference {
  readonly table: string;
  /** Undefined if the table has no days. */
  readonly day: Day | undefined;
  readonly fileRows: number;
  readonly lakeRows: number;
  /** The first column with different sums. */
  readonly column: string | undefined;
}

interface Verified {
  /** One entry per table. */
  readonly tables: readonly {
    readonly table: string;
    readonly days: number;
    readonly fileRows: number;
    readonly lakeRows: number;
    readonly equal: boolean;
  }[];
  readonly differences: readonly Difference[];
  /** Days that differ because they wait for a push; they are not compared. */
  readonly unpushed: readonly Day[];
}

const compared = z.object({
  date: z.string().nullable(),
  file_rows: count,
  lake_rows: count,
  file_sums: z.array(z.string().nullable()),
  lake_sums: z.array(z.string().nullable()),
  equal: z.boolean(),
});

/**
 * Compares every table of the published file with its copy in the lake.
 *
 * @throws the errors of the catalog
 */
export async function verify(lake: Lake, progress: (table: string) => void): Promise<Verified> {
  const { streams, models } = await changesOf(lake);
  const tables: Verified['tables'][number][] = [];
  const differences: Difference[] = [];
  const unpushed = [...new Set([...streams.values()].flat())].sort();
  for (const relation of await relationsOf(lake)) {
    const table = nameOf(relation);
    // Tables that are replaced completely always differ while a day waits for a push, so they are skipped.
    if (unpushed.length > 0 && relation.stream === undefined && !relation.incremental) continue;
    progress(table);
    const rows = await compare(lake, relation, await whichOf(lake, relation, models.get(table) ?? []));
    tables.push({
      table,
      days: rows.filter(({ date }) => date !== null).length,
      fileRows: sum(rows.map(({ file_rows }) => file_rows)),
      lakeRows: sum(rows.map(({ lake_rows }) => lake_rows)),
      equal: rows.every(({ equal }) => equal),
    });
    differences.push(...rows.filter(({ equal }) => !equal).map((row) => differenceOf(relation, row)));
  }
  return { tables, differences, unpushed };
}

/** Returns the days whose events and messages are equal on both sides in all tables. */
export async function verifiedEvents(lake: Lake, days: readonly Day[]): Promise<Day[]> {
  const covered = new Set(await coveredDays(lake, 'events'));
  const asked = days.filter((day) => covered.has(day));
  if (asked.length === 0) return [];
  const unequal = new Set<Day | null>();
  for (const relation of await relationsOf(lake)) {
    if (relation.day !== 'export_date') continue;
    const rows = await compare(lake, relation, `export_date in (${daysList(asked)})`);
    for (const { date, equal } of rows) if (!equal) unequal.add(date);
  }
  return asked.filter((day) => !unequal.has(day));
}

/** A SQL condition that selects the rows of a relation that the lake should hold. */
async function whichOf(lake: Lake, relation: Relation, unpushed: readonly Day[]): Promise<string> {
  const { stream, day } = relation;
  if (nameOf(relation) === CONTENTS && (await hasRemoved(lake)))
    return 'content_id in (select content_id from warehouse.main.message_contents)';
  if (day === undefined) return 'true';
  // The lake may cover days that the file has lost.
  if (nameOf(relation) === COVERAGE)
    return '(stream, date) in (select (stream, date) from warehouse.ops.coverage)';
  if (stream !== undefined && day !== 'date') return inDays(day, await coveredDays(lake, stream));
  const without = unpushed.length === 0 ? 'true' : `${day} not in (${daysList(unpushed)})`;
  if (stream === undefined) return without;
  const covered = inDays(day, await coveredDays(lake, stream));
  return `${covered} and ${without}`;
}

async function coveredDays(lake: Lake, stream: NonNullable<Relation['stream']>): Promise<Day[]> {
  const rows = await lake.session.rows('lake/covered_days', z.object({ date: z.string() }), {
    ...lake.ops,
    stream,
  });
  return rows.map(({ date }) => date);
}

async function compare(lake: Lake, relation: Relation, which: string): Promise<z.infer<typeof compared>[]> {
  const sums = exactColumns(relation).map((name) => `sum("${name}")::varchar`);
  return lake.session.rows('lake/compare_days', compared, {
    ...placeholders(lake, relation),
    which,
    sums: sums.join(', '),
  });
}

function differenceOf(relation: Relation, row: z.infer<typeof compared>): Difference {
  const columns = exactColumns(relation);
  return {
    table: nameOf(relation),
    day: row.date ?? undefined,
    fileRows: row.file_rows,
    lakeRows: row.lake_rows,
    column: columns.find((_, i) => row.file_sums[i] !== row.lake_sums[i]),
  };
}

function exactColumns({ columns }: Relation): string[] {
  return columns.filter(({ type }) => isExactNumber(type)).map(({ name }) => name);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

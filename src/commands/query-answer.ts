/** Delivers the answer of a query as a table, CSV, JSON or Parquet, on standard output or in a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { QueryResult } from '../queries/answer.js';
import { csvText } from '../queries/csv.js';
import { jsonRows } from '../queries/json.js';
import { writeParquet } from '../queries/parquet.js';
import { bytesOf, writeFileWhole, writePieces, writeTo, type Pieces } from '../queries/sink.js';
import { cellText, isNumeric } from '../queries/values.js';
import { visibleLines } from '../terminal/visible.js';
import { drawTable, type Drawing, type Row } from '../terminal/table.js';

export const FORMATS = ['table', 'csv', 'json', 'parquet'] as const;

export type Format = (typeof FORMATS)[number];

/** Standard output, or what a test looks at instead. */
export type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>>;

export interface CountedAnswer extends QueryResult {
  /** How many rows have come so far. */
  rows(): number;
}

/** The same answer; counts its rows as they pass. */
export function counted({ columns, chunks }: QueryResult): CountedAnswer {
  let rows = 0;
  return {
    columns,
    rows: () => rows,
    chunks: {
      async *[Symbol.asyncIterator]() {
        for await (const chunk of chunks) {
          rows += chunk.rowCount;
          yield chunk;
        }
      },
    },
  };
}

export interface Delivery {
  readonly format: Format;
  /** Absolute; undefined for standard output. */
  readonly output: string | undefined;
  readonly stdout: Output;
  /** Rows that a table shows at most. */
  readonly limit: number;
  /** Whether a CSV begins with a byte order mark, for Excel. */
  readonly bom: boolean;
  /** What a column of a table or CSV is called. */
  readonly head: (name: string) => string;
  /** What a text in a column of a table or CSV is called. */
  readonly word?: (column: string, text: string) => string;
}

/**
 * Writes the whole answer to its output.
 *
 * @throws StorageError when the output cannot be written
 */
export async function deliver(answer: QueryResult, delivery: Delivery): Promise<void> {
  const { format, output, stdout } = delivery;
  if (format === 'parquet') {
    await deliverParquet(answer, output, stdout);
    return;
  }
  const pieces = (drawing: Drawing): Pieces => {
    if (format === 'json') return jsonRows(answer);
    const heads = answer.columns.map(({ name }) => delivery.head(name));
    return format === 'csv'
      ? csvText(answer, { heads, ...delivery })
      : tableText(answer, heads, delivery, drawing);
  };
  if (output === undefined) {
    const drawn = pieces(drawingFor(stdout));
    // Data stays what it is for programs; a person at a terminal is shown it. Tables are safe already, and coloured.
    await writeTo(stdout, stdout.isTTY === true && format !== 'table' ? shown(drawn) : drawn);
  } else await writeFileWhole(output, (path) => writePieces(path, pieces({ color: false })));
}

async function* shown(pieces: Pieces): Pieces {
  for await (const piece of pieces)
    yield typeof piece === 'string' ? visibleLines(piece.replaceAll('\r\n', '\n')) : piece;
}

async function deliverParquet(
  answer: QueryResult,
  output: string | undefined,
  stdout: Output,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-'));
  try {
    const scratch = join(folder, 'answer.duckdb');
    if (output === undefined) {
      const file = join(folder, 'answer.parquet');
      await writeParquet(answer, file, scratch);
      await writeTo(stdout, bytesOf(file));
    } else {
      await writeFileWhole(output, (path) => writeParquet(answer, path, scratch));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Only a terminal is narrow, and only one that says so has colours. */
export function drawingFor(stdout: Output): Drawing {
  return stdout.isTTY === true
    ? { width: stdout.columns, color: stdout.hasColors?.() === true }
    : { color: false };
}

async function* tableText(
  { columns, chunks }: QueryResult,
  names: readonly string[],
  { limit, word = (_, text) => text }: Pick<Delivery, 'limit' | 'word'>,
  drawing: Drawing,
): AsyncGenerator<string> {
  const rows: Row[] = [];
  for await (const chunk of chunks) {
    for (const row of chunk.getRows().slice(0, limit - rows.length)) {
      rows.push(
        columns.map(({ name, type }, i) => {
          const value = row[i] ?? null;
          if (value === null) return null;
          return typeof value === 'string' ? word(name, value) : cellText(value, type);
        }),
      );
    }
  }
  const heads = columns.map(({ name, type }, i) => ({ name: names[i] ?? name, numeric: isNumeric(type) }));
  yield `${await drawTable(heads, rows, drawing)}\n`;
}

/** Helpers of several commands. */
import { windowOf } from '../ground/calendar.js';
import { UsageError } from '../ground/errors.js';
import { drawTable } from '../terminal/table.js';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import type { ExportRow } from '../warehouse/rows.js';

/** The options of a command: those with a text, and switches. */
export type Options<Text extends string, Switch extends string> = Readonly<
  Partial<Record<Text, string> & Record<Switch, boolean>>
>;

export type JsonOptions = Options<never, 'json'>;

export function numberIn(flag: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < low || value > high) {
    throw new UsageError(`${flag} must be a number from ${low} to ${formatCount(high)}, not "${text}".`);
  }
  return value;
}

/** An export that the ledger or another file knows. */
type Known = Pick<ExportRow, 'key' | 'day' | 'state' | 'exportId' | 'records' | 'estimate'>;

/** The first columns of `ops.exports`, for JSON. */
export function knownOf({ key, day, state, exportId, records, estimate }: Known): object {
  const { start, end } = windowOf(day);
  return {
    key,
    date: day,
    window_start: start,
    window_end: end,
    state,
    export_id: exportId ?? null,
    records: records ?? null,
    estimated_records: estimate ?? null,
  };
}

/** The number of records of an export, or else the estimate: `~1,200`. */
export function sizeOf(one: Pick<Known, 'records' | 'estimate'>): string | number {
  return one.records ?? (one.estimate === undefined ? '' : `~${formatCount(one.estimate)}`);
}

/**
 * Draws records, if there are any, as a table whose heads are their keys.
 *
 * @param numeric columns that are aligned as numbers although they may hold texts
 */
export function showTable(
  terminal: Terminal,
  records: readonly Readonly<Record<string, string | number>>[],
  ...numeric: readonly string[]
): void {
  if (records.length === 0) return;
  const columns = Object.entries(records[0] ?? {}).map(([name, cell]) => ({
    name,
    numeric: typeof cell === 'number' || numeric.includes(name),
  }));
  const rows = records.map((record) =>
    Object.values(record).map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)),
  );
  terminal.draw(drawTable(columns, rows, terminal));
}

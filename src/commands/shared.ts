/** Helpers that several commands use. */
import type { Invocation } from '../config/invocation.js';
import { formatKst, windowOf } from '../ground/calendar.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { drawTable } from '../terminal/table.js';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import type { ExportRow } from '../warehouse/reader.js';

export type Command<O extends object = object, A extends (string | undefined)[] = []> = (
  options: O,
  invocation: Invocation,
  ...args: A
) => ExitCode | Promise<ExitCode>;

export type Options<Text extends string, Switch extends string> = Readonly<
  Partial<Record<Text, string> & Record<Switch, boolean>>
>;

export type JsonOptions = Options<never, 'json'>;

/** The first columns of `ops.exports` as JSON, for an export of the ledger or of another file. */
export function exportColumns(
  one: Pick<ExportRow, 'key' | 'day' | 'state' | 'exportId' | 'records' | 'estimate'>,
) {
  const { start, end } = windowOf(one.day);
  return {
    key: one.key,
    date: one.day,
    window_start: start,
    window_end: end,
    state: one.state,
    export_id: one.exportId ?? null,
    records: one.records ?? null,
    estimated_records: one.estimate ?? null,
  };
}

type Value = string | number | boolean | Date | null;

function shown(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatCount(value);
  return value instanceof Date ? formatKst(value) : value;
}

/** Prints records as a table with all their values; `named` lists the first columns in order. */
export function showTable(
  terminal: Terminal,
  records: readonly Readonly<Record<string, Value>>[],
  named?: string,
): void {
  if (records.length === 0) return;
  const names = named?.split(' ') ?? Object.keys(records[0] ?? {});
  const present = names.filter((name) => records.some((record) => (record[name] ?? null) !== null));
  const columns = present.map((name) => ({
    name,
    numeric: records.some((record) => typeof record[name] === 'number'),
  }));
  const rows = records.map((record) => present.map((name) => shown(record[name] ?? null)));
  terminal.draw(drawTable(columns, rows, terminal));
}

/** Prints records as JSON, or as a table with the columns `named`. Without records, prints the note `none`. */
export function showAll(
  terminal: Terminal,
  json: boolean | undefined,
  records: readonly Readonly<Record<string, Value>>[],
  named?: string,
  none?: string,
): void {
  if (json === true) terminal.out(JSON.stringify(records));
  else if (records.length === 0 && none !== undefined) terminal.note(none);
  else showTable(terminal, records, named);
}

/** Prints a warning for each pending decision; returns the exit code for monitors. */
export function warnAll(terminal: Terminal, needed: readonly { readonly advice: string }[]): ExitCode {
  for (const { advice } of needed) terminal.warn(advice);
  return needed.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** Values as SQL text, for statements that take no parameters: `attach`, `create secret`, lists of days. Pure. */
import type { Day } from '../calendar.js';

/** A text as a SQL literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Days as literals: `date '2026-11-01', date '2026-11-02'`. */
export function daysList(days: readonly Day[]): string {
  return days.map((day) => `date '${day}'`).join(', ');
}

/** The rows of these days, as a condition. */
export function inDays(column: string, days: readonly Day[]): string {
  return days.length === 0 ? 'false' : `${column} in (${daysList(days)})`;
}

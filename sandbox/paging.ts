/** Lists by page number and size: the first page is 1. */
import type { PageParameters } from './options.js';

/** Maximum entries per page, in all such lists. */
const MOST = 1000;

/** The requested page number and size; an error text if out of bounds. */
export function pageOf(
  query: URLSearchParams,
  names: PageParameters,
  defaultSize: number,
): { number: number; size: number } | string {
  const number = wholeNumber(query.get(names.page) ?? '1');
  if (!(number >= 1)) return `${names.page} must be a whole number from 1 on`;
  const size = wholeNumber(query.get(names.size) ?? String(defaultSize));
  if (!(size >= 1 && size <= MOST)) return `${names.size} must be a whole number from 1 to ${MOST}`;
  return { number, size };
}

export function entriesOf<T>(list: readonly T[], { number, size }: { number: number; size: number }): T[] {
  return list.slice((number - 1) * size, number * size);
}

function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

/** The parts of a progress line, and how they fit into a window. Pure. */

/** One part: as it reads best, and as it reads where there is little room. */
export interface Part {
  readonly long: string;
  readonly short: string;
}

/**
 * The parts in one line: all of them long, or else all of them short. Where that is still too wide, the last ones are left
 * out, so that the most important ones come first in `parts`.
 */
export function joinParts(parts: readonly Part[], columns: number): string {
  const line = (some: readonly Part[], form: 'long' | 'short'): string =>
    some.map((part) => part[form]).join(', ');
  const long = line(parts, 'long');
  if (long.length <= columns) return long;
  let kept = parts.length;
  while (kept > 1 && line(parts.slice(0, kept), 'short').length > columns) kept--;
  return line(parts.slice(0, kept), 'short');
}

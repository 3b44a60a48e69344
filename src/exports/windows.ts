/** Which windows are paid for, or may be, and which days of a range no export covers. Pure. */
import { dayOf, daysOf, type Day, type DayRange, type Window } from '../calendar.js';
import type { ExportEntry } from './entry.js';
import { blocksRuns } from './state.js';

/** Whether two windows share an instant; adjacent windows do not. */
export function overlap(a: Window, b: Window): boolean {
  return a.start < b.end && b.start < a.end;
}

/** The KST days that a window covers, also in part, oldest first. */
export function daysTouched({ start, end }: Window): Day[] {
  return daysOf({ start: dayOf(start), end: dayOf(new Date(end.getTime() - 1)) });
}

/** The days that no run may request, oldest first: paid, perhaps paid, or given up by a person. */
export function coveredDays(entries: Iterable<ExportEntry>): Day[] {
  const days = new Set<Day>();
  for (const entry of entries) {
    if (blocksRuns(entry.state)) for (const day of daysTouched(entry.window)) days.add(day);
  }
  return [...days].sort();
}

/**
 * The days of a range that a run may request, oldest first. A day that is covered in part is not among them: it can
 * only be requested whole, and the covered part would be paid for twice.
 */
export function missingDays(range: DayRange, entries: Iterable<ExportEntry>): Day[] {
  const covered = new Set(coveredDays(entries));
  return daysOf(range).filter((day) => !covered.has(day));
}

/** What became of the push after publishing. */
import { rangesOf, type Day } from '../calendar.js';

export type LakeOutcome =
  | { readonly pushed: true; readonly commits: number; readonly rows: number }
  /** Days that this run loaded and the lake may lack; whole sentences. */
  | { readonly pushed: false; readonly days: readonly Day[]; readonly reason: string };

/** A push that failed, as a line for people. */
export function describeNotPushed({ days, reason }: LakeOutcome & { readonly pushed: false }): string {
  const ranges = rangesOf(days).map(({ start, end }) => (start === end ? start : `${start} to ${end}`));
  const what = days.length === 0 ? 'What is published' : `What was loaded of ${ranges.join(', ')}`;
  return `${what} is not in the lake: ${reason}`;
}

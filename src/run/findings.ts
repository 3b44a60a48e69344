/** What checks found, for people. */
import { plural } from '../terminal/terminal.js';
import type { FindingGroup } from '../warehouse/findings.js';

/** One line of a terminal. */
export function describeGroup(group: FindingGroup): string {
  const { name, severity, findings, first_date: first, last_date: last, example, meaning } = group;
  const days = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${String(last)}`;
  const such = findings === 1 ? '' : 'such as ';
  const stop = /[.!?]$/.test(example) ? '' : '.';
  return `${name} (${severity}): ${plural(findings, 'finding')}${days}, ${such}${example}${stop} ${meaning ?? ''}`.trimEnd();
}

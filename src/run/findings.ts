/** What checks found, for people: one entry per check with its meaning, however many rows it returned. */
import { z } from 'zod';
import { plural } from '../terminal/terminal.js';
import type { Finding } from '../warehouse/rows.js';

/** All findings of one check; its keys are those of `--json`. */
export const findingGroup = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  findings: z.number(),
  /** The days concerned, where they are days. */
  first_date: z.string().nullable(),
  last_date: z.string().nullable(),
  /** One of them, in a sentence. */
  example: z.string(),
  /** What a finding means, and what to do. */
  meaning: z.string().nullable(),
});

export type FindingGroup = z.infer<typeof findingGroup>;

/** One group per check, in the order of the findings: those that forbid publishing come first. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const names = [...new Set(findings.map(({ name }) => name))];
  return names.flatMap((name) => {
    const own = findings.filter((finding) => finding.name === name);
    const dates = own.flatMap(({ date }) => date ?? []).sort();
    return own.slice(0, 1).map(({ severity, meaning, subject, finding }) => ({
      name,
      severity,
      findings: own.length,
      first_date: dates[0] ?? null,
      last_date: dates.at(-1) ?? null,
      example: [subject, finding].filter(Boolean).join(': '),
      meaning,
    }));
  });
}

/** One line of a terminal. */
export function describeGroup(group: FindingGroup): string {
  const { name, severity, findings, first_date: first, last_date: last, example, meaning } = group;
  const days = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${String(last)}`;
  const such = findings === 1 ? '' : 'such as ';
  const stop = /[.!?]$/.test(example) ? '' : '.';
  return `${name} (${severity}): ${plural(findings, 'finding')}${days}, ${such}${example}${stop} ${meaning ?? ''}`.trimEnd();
}

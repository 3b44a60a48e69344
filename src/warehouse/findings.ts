/** What checks found: one entry per check with its meaning, however many findings `ops.checks` holds. */
import { z } from 'zod';

/** A row of `the section findings of sql/status.sql`: all findings of one check. Its keys are those of `--json`. */
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

/** What `ops.checks` holds, finding by finding; the job itself reads one row per check. */
import { z } from 'zod';
import { Reader } from '../../src/warehouse/reader.js';

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);

const finding = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  stream: text,
  date: text,
  subject: text,
  finding: z.string(),
  expected: text,
  actual: text,
  meaning: z.string(),
});

export type Finding = z.infer<typeof finding>;

/** The findings of a closed file, stops first. */
export async function findingsIn(file: string): Promise<Finding[]> {
  const reader = await Reader.open(file);
  try {
    return z.array(finding).parse(
      await reader.objects(`
        select name, severity, stream, date::varchar as date, subject, finding, expected, actual, meaning
        from ops.checks
        order by severity, name, checks.date, subject, finding, expected, actual`),
    );
  } finally {
    await reader.close();
  }
}

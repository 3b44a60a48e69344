/** Data tests: each file of `sql/checks` selects what is not as it should be; no rows means sound. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { Finding } from './rows.js';
import type { Session } from './session.js';
import { statement, statementsIn } from './statements.js';

/** The header of a check: `-- severity: stop|warn`, and `-- stream: events` where it is about one. */
const header = z.object({ severity: z.enum(['stop', 'warn']), stream: z.string().default('') });

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);

const findingRow: z.ZodType<Finding> = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  stream: text,
  date: text,
  subject: text,
  finding: z.string(),
  expected: text,
  actual: text,
});

/** Runs all checks and replaces `ops.checks` by what they find. */
export async function runChecks(session: Session, checkedAt: Date): Promise<Finding[]> {
  await session.set({ checked_at: checkedAt });
  return session.transaction(async () => {
    await session.run('load/clear_checks');
    for (const check of statementsIn('checks')) {
      const { severity, stream } = headerOf(check);
      const query = statement(check).trimEnd().replace(/;$/, '');
      await session.run('load/check', { name: basename(check), severity, stream, check: query });
    }
    return session.rows('load/findings', findingRow);
  });
}

function headerOf(check: string): z.infer<typeof header> {
  const lines = statement(check).matchAll(/^-- (severity|stream): (.+)$/gm);
  return header.parse(Object.fromEntries([...lines].map(([, key, value]) => [key, value])));
}

/** Data tests: each file of `sql/checks` selects what is not as it should be; no rows means sound. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { Finding } from './rows.js';
import type { Session } from './session.js';
import { statement, statementsIn } from './statements.js';

/** The header of a check: `-- severity: stop|warn`, `-- stream: events`, and below them what it tests. */
const header = z.object({ severity: z.enum(['stop', 'warn']), stream: z.string().optional() });

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);
const findingRow = z.object({
  date: text,
  subject: text,
  finding: z.string(),
  expected: text,
  actual: text,
});

/** Runs all checks and replaces `ops.checks` by what they find. */
export async function runChecks(session: Session, checkedAt: Date): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of statementsIn('checks')) {
    const { severity, stream } = headerOf(check);
    const rows = await session.rows(check, findingRow);
    const name = basename(check);
    findings.push(...rows.map((row) => ({ name, severity, stream, ...row })));
  }
  await session.transaction(async () => {
    await session.run('load/clear_checks');
    for (const finding of findings) {
      await session.runWith('load/check', { ...finding, checkedAt });
    }
  });
  return findings;
}

function headerOf(check: string): z.infer<typeof header> {
  const lines = statement(check).matchAll(/^-- (severity|stream): (.+)$/gm);
  return header.parse(Object.fromEntries([...lines].map(([, key, value]) => [key, value])));
}

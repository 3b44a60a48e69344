/** Putting what is personal under the setting, before it reaches a table: few documents hold any, so it may take its time. */
import { z } from 'zod';
import { count, type Session } from './session.js';

/**
 * Redacts documents that may hold something personal: `candidates` selects them, `replace` takes them back redacted.
 * `sql/load/redact.sql` says what happens in between.
 */
export async function redact(
  session: Session,
  { candidates, replace }: { candidates: string; replace: string },
): Promise<void> {
  const { documents } = await session.row(candidates, z.object({ documents: count }));
  if (documents === 0) return;
  await session.run('load/redact');
  await session.run(replace);
}

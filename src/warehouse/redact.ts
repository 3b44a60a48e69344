/** Redacts personal data as the setting says, before it reaches a table. Few documents hold any, so speed matters little. */
import { z } from 'zod';
import { count, type Session } from './session.js';

/**
 * Redacts documents that may hold personal data: `candidates` selects them, `sql/load/redact.sql` redacts them, `replace`
 * writes them back.
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

/** Redacts the table `documents` at any depth, so that what lies inside of them is redacted too when it is unfolded. */
export function redactDocuments(session: Session): Promise<void> {
  return redact(session, { candidates: 'load/candidate_documents', replace: 'load/redact_documents' });
}

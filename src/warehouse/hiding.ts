/** Putting what is personal under the setting, before it reaches a table: few documents hold any, so it may take its time. */
import { z } from 'zod';
import { count, type Session } from './session.js';

/**
 * Judges documents once more and replaces what must not stay: `suspect` chooses them, `replace` takes them back changed.
 * `sql/load/hide.sql` says what happens in between.
 */
export async function hide(
  session: Session,
  { suspect, replace }: { suspect: string; replace: string },
): Promise<void> {
  const { documents } = await session.row(suspect, z.object({ documents: count }));
  if (documents === 0) return;
  await session.run('load/hide');
  await session.run(replace);
}

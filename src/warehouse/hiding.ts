/** Putting what is personal under the setting, before it reaches a table: few documents hold any, so it may take its time. */
import { z } from 'zod';
import { count, type Session } from './session.js';

const documents = z.object({ documents: count });

/**
 * Judges documents once more and replaces what must not stay: `suspect` chooses them, `replace` takes them back changed.
 * `sql/load/hide.sql` says what happens in between.
 */
export async function hide(
  session: Session,
  { suspect, replace }: { suspect: string; replace: string },
): Promise<void> {
  await session.run(suspect);
  const { documents: suspects } = await session.row('load/count_suspects', documents);
  if (suspects === 0) return;
  await session.run('load/hide');
  await session.run(replace);
}

/** The fields of the records that hold something personal: names of columns, so only such as are ours. */
const fields = z.object({ field: z.string().regex(/^[a-z_]+$/) });

/** The same for the own fields of staged records. */
export async function hideFields(session: Session): Promise<void> {
  await session.run('load/events/hidden_values');
  const personal = await session.rows('load/events/hidden_fields', fields);
  if (personal.length === 0) return;
  await session.run('load/events/hide_values');
  for (const { field } of personal) {
    await session.run('load/events/hide_field', { field });
  }
}

/** The same for staged contents, each of which many messages may share. */
export async function hideContents(session: Session): Promise<void> {
  const { contents } = await session.row(
    'load/events/count_personal_contents',
    z.object({ contents: count }),
  );
  if (contents > 0) await session.run('load/events/hide_contents');
}

/** Setting apart what the specification does not know: rare, so the tables are filled without it where nothing is odd. */
import { z } from 'zod';
import { hide } from './hiding.js';
import { count, type Session } from './session.js';

const documents = z.object({ documents: count });

/** Takes the documents in `odd` apart into `tidied`; false, and nothing done, where there are none. */
export async function tidyOdd(session: Session): Promise<boolean> {
  const { documents: odd } = await session.row('load/count_odd', documents);
  if (odd === 0) return false;
  await tidyAll(session);
  return true;
}

/** Takes the documents in `odd` apart into `tidied`, whose `extra` holds nothing that must not stay. */
export async function tidyAll(session: Session): Promise<void> {
  await session.run('load/tidy');
  await hide(session, { suspect: 'load/suspect_extras', replace: 'load/hide_extras' });
}

/**
 * Types `documents` by the statement `stage`, which fills `staged_<table>`; once more, with the odd ones tidied, where
 * some are.
 */
export async function stageTidily(
  session: Session,
  { stage, table, place }: { stage: string; table: string; place: string },
): Promise<void> {
  await hide(session, { suspect: 'load/suspect_documents', replace: 'load/hide_documents' });
  await session.run(stage);
  await session.run('load/odd_documents', { table, place });
  if (!(await tidyOdd(session))) return;
  await session.run('load/tidy_documents');
  await session.run(stage);
}

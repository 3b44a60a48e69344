/** The typed views of the catalogs, `catalog.<name>`: made again when catalogs were loaded, from their declared fields. */
import { z } from 'zod';
import type { Session } from './session.js';

const made = z.object({ statement: z.string() });

/** Inside of a transaction. */
export async function makeCatalogViews(session: Session): Promise<void> {
  for (const step of ['catalog_views/drop', 'catalog_views/create']) {
    for (const { statement } of await session.rows(step, made)) await session.runText(statement);
  }
}

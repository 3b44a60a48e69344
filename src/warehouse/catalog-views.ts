/** The typed views of the catalogs, `catalog.<name>`: made again when catalogs were loaded, from their declared fields. */
import { z } from 'zod';
import type { Session } from './session.js';

const dropping = z.object({ statement: z.string() });
const making = z.object({ catalog_name: z.string(), statement: z.string() });

/**
 * Inside of a transaction, which goes on after the errors of DuckDB's parser, binder and catalog: a view that cannot be made is left
 * out, and noted.
 */
export async function makeCatalogViews(session: Session): Promise<void> {
  for (const { statement } of await session.rows('catalog_views/drop', dropping))
    await session.runText(statement);
  const left: string[] = [];
  for (const { catalog_name, statement } of await session.rows('catalog_views/create', making)) {
    try {
      await session.runText(statement);
    } catch (error) {
      if (!(error instanceof Error && /^(Parser|Binder|Catalog) Error/.test(error.message))) throw error;
      left.push(catalog_name);
    }
  }
  await session.set({ left_out: left });
  await session.run('catalog_views/note');
}

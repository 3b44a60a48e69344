/** Records rows, keys and days of the own tables after all were loaded. */
import { basename } from 'node:path';
import type { Config } from '../../config/config.js';
import { ASSIGNMENTS, ownStream } from '../../ground/streams.js';
import { ownTables } from '../../warehouse/describe.js';
import { quoted, selectIn, statement } from '../../warehouse/session.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import { makeViews, type People } from './views.js';

/**
 * Records rows, keys and days of each own table. Drops tables that are no longer in the settings. Creates the views of conversions and
 * holdouts. Resolves with a sentence for each view that cannot be made with these settings.
 */
export async function noteOwn(
  { session }: Pick<Warehouse, 'session'>,
  { tables, ...people }: Pick<Config, 'tables'> & People,
): Promise<string[]> {
  const inFile = await ownTables(session);
  return session.transaction(async () => {
    const faults = await makeViews(session, inFile, people);
    await session.run('streams/own/load/clear');
    // Assignments are kept: if you remove a holdout from the settings and add it again, its people stay the same.
    for (const { name, columns } of inFile.filter((one) => one.name !== ASSIGNMENTS)) {
      const table = tables.find((one) => one.name === name);
      const stream = ownStream(name);
      if (table === undefined) {
        await session.run('streams/own/load/drop', { table: name, stream });
        continue;
      }
      const has = (column: string): boolean => columns.some((one) => one.name === column);
      const keys = Object.keys(table.keys).filter(has);
      const unique = table.unique.filter(has);
      // Assignments may be old, so these tables get no check of their age.
      const ageless = people.holdouts.flatMap((one) => (one.table === name ? [one.assigned] : []));
      const dated = columns.filter(
        (one) => /^(DATE|TIMESTAMP)/.test(one.type) && !ageless.includes(one.name),
      );
      const key = keys[0] === undefined ? 'null' : quoted(keys[0]);
      const section = keys[0] === 'recipient' ? 'known_recipients' : 'known';
      await session.run('streams/own/load/note', {
        ...{ table: name, stream, keys, unique_columns: unique, key },
        source: table.from === undefined ? 'a command' : basename(table.from),
        dated: dated.map((one) => quoted(one.name)).join(', '),
        columns: unique.map(quoted).join(', ') || 'null',
        known: selectIn(statement(`streams/own/load/${section}`, { key })),
      });
    }
    return faults;
  });
}

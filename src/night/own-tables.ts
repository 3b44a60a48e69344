/** What a night does about own tables besides copying and loading them: notes what is known of each, and removes replaced copies. */
import { basename } from 'node:path';
import type { Config } from '../config/config.js';
import { listPulls, type LandingZone } from '../landing/landing-zone.js';
import { OWN, ownStream } from '../streams/own/index.js';
import { ownTables } from '../warehouse/describe.js';
import { quoted, selectIn, statement } from '../warehouse/session.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** Notes what is known of each own table, and drops those that the settings name no more. */
export async function noteOwn(
  { session }: Pick<Warehouse, 'session'>,
  { tables }: Pick<Config, 'tables'>,
): Promise<void> {
  const found = await ownTables(session);
  await session.transaction(async () => {
    await session.run('streams/own/load/clear');
    for (const { name, columns } of found) {
      const table = tables.find((one) => one.name === name);
      const stream = ownStream(name);
      if (table === undefined) {
        await session.run('streams/own/load/drop', { table: name, stream });
        continue;
      }
      const has = (column: string): boolean => columns.some((one) => one.name === column);
      const keys = Object.keys(table.keys).filter(has);
      const unique = table.unique.filter(has);
      const dated = columns.filter(({ type }) => /^(DATE|TIMESTAMP)/.test(type));
      await session.run('streams/own/load/note', {
        ...{ table: name, stream, keys, unique_columns: unique },
        source: table.from === undefined ? 'a command' : basename(table.from),
        newest:
          dated.map(({ name: column }) => text('newest', { column: quoted(column) })).join(', ') ||
          'max(null::timestamptz)',
        repeated:
          unique.length === 0
            ? 'null'
            : text('repeated', { table: name, columns: unique.map(quoted).join(', ') }),
        persons: text('persons', { table: name, key: keys[0] ?? '' }),
        known: text(keys[0] === 'recipient' ? 'known_recipients' : 'known', {
          table: name,
          key: keys[0] ?? '',
        }),
      });
    }
  });
}

/** A part of the statement that notes a table; null for persons of a table without any. */
function text(
  part: 'newest' | 'repeated' | 'persons' | 'known' | 'known_recipients',
  names: Readonly<Record<string, string>>,
): string {
  return names['key'] === '' ? 'null' : selectIn(statement(`streams/own/load/${part}`, names));
}

/** Removes the copies that a later one replaced, and those of tables that the settings name no more. Call after publication. */
export async function pruneOwn(
  landing: LandingZone,
  { tables }: Pick<Config, 'tables'>,
  unloaded: ReadonlySet<string>,
): Promise<void> {
  const now = await listPulls(landing.folder);
  const streams = [...new Set(now.map(({ stream }) => stream))].filter((stream) => stream.startsWith(OWN));
  for (const stream of streams) {
    const pulls = await landing.pulls(
      now.filter((one) => one.stream === stream),
      () => undefined,
    );
    if (pulls.some(({ id }) => unloaded.has(id))) continue;
    const isNamed = tables.some(({ name }) => ownStream(name) === stream);
    await landing.removePulls(isNamed ? pulls.slice(0, -1) : pulls);
  }
}

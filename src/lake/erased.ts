/** Searches the data files of the lake for erased persons, including files that no snapshot references any more. */
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { ID_COLUMNS, PERSON_COLUMNS } from '../ground/fields.js';
import { count, listOf } from '../warehouse/session.js';
import { prepareSearch } from '../warehouse/warehouse.js';
import { quoted, relationsOf, type DataFile, type Lake, type Relation, CONTENTS } from './lake.js';

interface HoldingFile extends DataFile {
  readonly table: string;
  /** Number of erased ids in the file. */
  readonly ids: number;
}

interface Searched {
  readonly tables: number;
  readonly files: number;
  readonly holding: readonly HoldingFile[];
}

/** Columns with ids of persons, as the lake stores them. */
const IDS: readonly string[] = [...ID_COLUMNS, 'recipient', 'recipient_no'];

const FILES_AT_ONCE = 64;

/** Prepares the lake's session: macros that hash as in the register, and the list of erased persons. */
export async function prepareErased(
  { session }: Lake,
  config: Pick<Config, 'brand' | 'messenger' | 'fields' | 'privacy'>,
  { key, ids }: { readonly key: Uint8Array; readonly ids: readonly string[] },
): Promise<void> {
  await prepareSearch(session, { ...config, privacy: { ...config.privacy, key } });
  await session.run('erasure/ids', { erased_ids: ids });
}

const fileWithIds = z.object({ file: z.string(), ids: count });

/** Reads every data file of tables about persons. Call `prepareErased` first. */
export async function searchDataFiles(lake: Lake, progress: (table: string) => void): Promise<Searched> {
  const searched = { tables: 0, files: 0, holding: new Array<HoldingFile>() };
  for (const relation of await relationsOf(lake)) {
    const texts = textsOf(relation);
    const columns = [...texts, ...relation.columns.map(({ name }) => name).filter((name) => isId(name))];
    if (columns.length === 0) continue;
    progress(relation.name);
    const files = await lake.catalog.dataFiles(lake.session, lake.tableOf(relation));
    searched.tables++;
    searched.files += files.length;
    for (let first = 0; first < files.length; first += FILES_AT_ONCE) {
      const some = files.slice(first, first + FILES_AT_ONCE);
      const rows = await lake.session.rows('lake/erased_in_files', fileWithIds, {
        files: some.map(({ file }) => quoted(file)).join(', '),
        columns: listOf(columns),
        texts: listOf(['', ...texts]),
        persons: listOf(PERSON_COLUMNS),
      });
      for (const { file, ids } of rows) {
        const current = some.find((one) => one.file === file)?.current ?? false;
        searched.holding.push({ table: relation.name, file, current, ids });
      }
    }
  }
  return searched;
}

const isId = (name: string): boolean => IDS.includes(name) || PERSON_COLUMNS.includes(name);

/** The columns of a message table whose texts may mention a person. */
function textsOf({ schema, table, stream, columns }: Relation): string[] {
  const holdsTexts =
    schema === 'own' ||
    (schema === 'main' && table !== 'events' && (stream === 'events' || table === CONTENTS));
  if (!holdsTexts) return [];
  return columns.flatMap((one) =>
    one.type === 'VARCHAR' && !isId(one.name) && !one.name.endsWith('_id') ? [one.name] : [],
  );
}

/**
 * Paid pages on disk that the ledger does not know: the sign of a ledger that was lost or put back from an old copy,
 * whose word would lead to paying twice.
 */
import { join } from 'node:path';
import { DamageError } from '../errors.js';
import { partsOf } from './export-entry.js';
import { foldersOf } from './place.js';
import { namesIn } from './pulls.js';
import { idOf } from './safe-name.js';

export interface Stranger {
  readonly key: string;
  /** `undefined` when the folder's name does not tell. */
  readonly exportId?: string | undefined;
  readonly folder: string;
}

/** The exports with a folder below `landing/events` whose key is not known. Throws `StorageError`. */
export async function strangersIn(dataDir: string, known: ReadonlyMap<string, unknown>): Promise<Stranger[]> {
  const events = join(foldersOf(dataDir).landing, 'events');
  const strangers: Stranger[] = [];
  for (const day of await namesIn(events)) {
    for (const key of await namesIn(join(events, day))) {
      // Only what looks like an export: a desktop leaves files of its own in every folder.
      if (known.has(key) || partsOf(key) === undefined) continue;
      const folder = join(events, day, key);
      const [name = '.'] = await namesIn(folder);
      strangers.push({ key, exportId: idOf(name), folder });
    }
  }
  return strangers;
}

/** Why nothing that is billed may be sent on the word of such a ledger. */
export function strangeExport({ key, exportId = 'EXPORT_ID', folder }: Stranger): DamageError {
  return new DamageError(`${folder} holds pages of a paid export, ${key}, that the ledger does not know`, {
    hint:
      'the ledger was lost or is an old copy: restore data/ledger from a backup, or enter each such export ' +
      `again: \`dawnload exports attach ${key} ${exportId}\``,
  });
}

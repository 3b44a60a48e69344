/**
 * The witness, `private/witness.json`, stores the journal's head and its own inode and birth time. Backups leave it out, so a data folder
 * without it was restored from a backup. A different inode or birth time means that the folder was copied. Neither changes with a reboot, a
 * remount, `mv` on one file system, `chmod` or a bind mount. A snapshot of a whole disk goes unnoticed.
 */
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects, FileIdentity } from '../ground/effects.js';
import { jsonOf } from '../ground/envelope.js';
import type { DurableFolder } from '../disk/atomic-file.js';
import { headShape, type Head } from '../landing/landing-zone.js';
import { foldersOf } from '../disk/paths.js';
import { readIfThere } from '../disk/storage-error.js';

const text = z.string();
const witnessShape = headShape.extend({
  folder: text,
  file: z.object({ inode: text, born: text }),
});
type Witness = z.output<typeof witnessShape>;

const witnessIn = (dataDir: string): string => join(foldersOf(dataDir).private, 'witness.json');

/** Returns the witness; undefined if it is missing or cannot be read. Throws `StorageError`. */
export async function readWitness(dataDir: string): Promise<Witness | undefined> {
  const bytes = await readIfThere(witnessIn(dataDir));
  return witnessShape.safeParse(jsonOf(bytes?.toString('utf8') ?? '')).data;
}

/** Writes the witness. Throws `StorageError`. */
export async function writeWitness(
  disk: DurableFolder,
  dataDir: string,
  head: Head & { readonly folder: string },
  { identify }: Pick<Effects, 'identify'>,
): Promise<void> {
  const path = witnessIn(dataDir);
  let before = NOTHING;
  const write = (some: (own: FileIdentity) => FileIdentity): Promise<void> =>
    disk.write(
      path,
      async (handle) => {
        before = await identify(handle);
        return `${JSON.stringify({ ...head, file: some(before) })}\n`;
      },
      'witness',
    );
  await write((own) => own);
  // If a rename on this file system changes inode or birth time, that value proves nothing.
  const after = await identify(path);
  const [inode, born] = [after.inode === before.inode, after.born === before.born];
  if (!inode || !born)
    await write((own) => ({ inode: inode ? own.inode : UNKNOWN, born: born ? own.born : UNKNOWN }));
}

/** Replaces an inode or birth time that the file system does not have or does not keep. */
const UNKNOWN = '0';
const NOTHING: FileIdentity = { inode: UNKNOWN, born: UNKNOWN };

/** True if the witness was copied: its inode or birth time differs from the recorded one. Throws `StorageError`. */
export async function isCopied(
  { file }: Witness,
  dataDir: string,
  { identify }: Pick<Effects, 'identify'>,
): Promise<boolean> {
  const now = await identify(witnessIn(dataDir));
  const differs = (recorded: string, is: string): boolean => recorded !== UNKNOWN && recorded !== is;
  return differs(file.inode, now.inode) || differs(file.born, now.born);
}

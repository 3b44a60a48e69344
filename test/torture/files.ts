/** Files below a folder, for looking at what is left. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of the files below a folder whose names match, sorted; none when there is no such folder. */
export async function listed(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

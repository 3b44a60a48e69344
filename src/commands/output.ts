/** Where a command may write an answer. */
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { UsageError } from '../errors.js';
import { realPlace } from '../queries/sink.js';

/**
 * The output file, refused inside the data folder, where it could overwrite warehouse, ledger or landed files. What the data
 * folder holds may be links to other disks.
 */
export function outsideOf(dataDir: string, output: string): string {
  const place = realPlace(output);
  const isWithin = (folder: string): boolean => place === folder || place.startsWith(`${folder}${sep}`);
  if (!placesOf(dataDir).some(isWithin)) return output;
  throw new UsageError(`${output} is inside the data folder, where only the job may write.`, {
    hint: 'Choose another place for --output.',
  });
}

/** The real places of the data folder, of what is in it, and of what is in its folders: databases, the ledger, the streams. */
function placesOf(dataDir: string): string[] {
  const within = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name));
  const top = within(dataDir);
  return [...new Set([dataDir, ...top, ...top.flatMap(within)].map(realPlace))];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

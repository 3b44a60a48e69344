/** Where a command may write an answer. */
import { sep } from 'node:path';
import { UsageError } from '../errors.js';
import { realPlace } from '../queries/sink.js';

/** The output file, refused inside the data folder, where it could overwrite warehouse, ledger or landed files. */
export function outsideOf(dataDir: string, output: string): string {
  if (!realPlace(output).startsWith(`${realPlace(dataDir)}${sep}`)) return output;
  throw new UsageError(`${output} is inside the data folder, where only the job may write.`, {
    hint: 'Choose another place for --output.',
  });
}

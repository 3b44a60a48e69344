/** The schema of a closed file beside the one of this program. */
import { z } from 'zod';
import { isMissing } from '../storage/duckdb.js';
import { Reader } from './reader.js';
import { statement, statementsIn } from './statements.js';

const last = z.tuple([z.object({ number: z.coerce.number() })]);

export interface SchemaVersions {
  readonly file: number;
  readonly program: number;
}

/**
 * The numbers of the newest migrations; 0 for a file that is not of this program.
 *
 * @throws CorruptDatabaseError when it cannot be opened
 */
export async function schemaVersions(path: string): Promise<SchemaVersions> {
  const program = Number(/\/(\d+)_/.exec(statementsIn('schema').at(-1) ?? '')?.[1] ?? 0);
  const reader = await Reader.open(path);
  try {
    const [{ number }] = last.parse(await reader.objects(statement('ops/last_migration')));
    return { file: number, program };
  } catch (error) {
    if (isMissing(error)) return { file: 0, program };
    throw error;
  } finally {
    await reader.close();
  }
}

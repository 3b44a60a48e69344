/** The schema of a closed file beside the one of this program. */
import { z } from 'zod';
import { unlessMissing } from '../storage/duckdb.js';
import { newestSchema } from './migrate.js';
import { Reader } from './reader.js';
import { statement } from './statements.js';

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
  const reader = await Reader.open(path);
  try {
    const asked = reader.objects(statement('ops/last_migration'));
    const [{ number }] = last.parse(await unlessMissing(asked, [{ number: 0 }]));
    return { file: number, program: newestSchema() };
  } finally {
    await reader.close();
  }
}

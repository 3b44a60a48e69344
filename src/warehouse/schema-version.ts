/** The schema of a closed file beside the one of this program. */
import { z } from 'zod';
import { Reader } from './reader.js';
import { statement, statementsIn } from './statements.js';

const known = z.tuple([z.object({ known: z.boolean() })]);
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
    const [{ known: has }] = known.parse(await reader.objects(statement('ops/has_migrations')));
    if (!has) return { file: 0, program };
    const [{ number }] = last.parse(await reader.objects(statement('ops/last_migration')));
    return { file: number, program };
  } finally {
    await reader.close();
  }
}

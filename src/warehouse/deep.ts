/** Reading all of a database: DuckDB verifies the checksum of each block that it reads. */
import { z } from 'zod';
import { Reader } from './reader.js';
import { statement } from './statements.js';

const table = z.object({ name: z.string() });

/**
 * Reads every value of every table; resolves with how many tables there are.
 *
 * @throws CorruptDatabaseError when a block is damaged
 */
export async function readEveryBlock(path: string): Promise<number> {
  const reader = await Reader.open(path);
  try {
    const tables = z.array(table).parse(await reader.objects(statement('ops/tables')));
    for (const { name } of tables) await reader.objects(statement('ops/read_table', { table: name }));
    return tables.length;
  } finally {
    await reader.close();
  }
}

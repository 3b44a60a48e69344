/**
 * The macros of the load stand in the file, in the schema `macros`: DuckDB binds what a macro is made of when it is created,
 * and a session would spend as long on that as on a small load.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { unlessMissing } from '../storage/duckdb.js';
import type { Session } from './session.js';
import { statement, statementsIn } from './statements.js';

/** Makes the macros again where they are of another version of this program, all of them or none. */
export async function keepMacros(session: Session): Promise<void> {
  const names = statementsIn('macros');
  const version = createHash('sha256')
    .update(names.map((name) => statement(name)).join('\0'))
    .digest('hex');
  const made = session.row('ops/macros_version', z.object({ version: z.string() }));
  if ((await unlessMissing(made, { version: '' })).version === version) return;
  await session.transaction(async () => {
    for (const name of names) await session.run(name, { version });
  });
}

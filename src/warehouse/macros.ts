/**
 * The macros of the load stand in the file, in the schema `macros`: DuckDB binds what a macro is made of when it is created,
 * and a session would spend as long on that as on a small load.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isMissing } from '../storage/duckdb.js';
import type { Session } from './session.js';
import { statement, statementsIn } from './statements.js';

/** Makes the macros again where they are of another version of this program, all of them or none. */
export async function keepMacros(session: Session): Promise<void> {
  const names = statementsIn('macros');
  const texts = names.map((name) => statement(name));
  const version = createHash('sha256').update(texts.join('\0')).digest('hex');
  if ((await versionIn(session)) === version) return;
  await session.transaction(async () => {
    await session.run('ops/forget_macros');
    for (const name of names) await session.run(name, { version });
  });
}

async function versionIn(session: Session): Promise<string | undefined> {
  try {
    return (await session.row('ops/macros_version', z.object({ version: z.string() }))).version;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Migrates the schema of the file with the numbered files of `sql/schema`, each applied once. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { ConfigError } from '../ground/errors.js';
import { unlessMissing } from '../landing/duckdb.js';
import { count, type Session, statementsIn, statement } from './session.js';
import { createHash } from 'node:crypto';

/**
 * Migrates the file to the schema of this program, as a whole or not at all.
 *
 * @throws ConfigError when a newer version of this program has migrated the file further
 */
export async function migrate(session: Session, { now }: Pick<Effects, 'now'>): Promise<void> {
  const last = session.row('ops/last_migration', z.object({ number: count }));
  const { number: applied } = await unlessMissing(last, { number: 0 });
  refuseNewer(applied);
  const missing = migrations().filter(({ number }) => number > applied);
  if (missing.length === 0) return;
  await session.transaction(async () => {
    for (const { number, name, statement } of missing) {
      await session.run(statement);
      await session.runWith('ops/note_migration', { number, name, applied_at: now() });
    }
  });
}

/** Throws ConfigError for a schema that is newer than this program. */
export function refuseNewer(applied: number): void {
  const newest = newestSchema();
  if (applied <= newest) return;
  throw new ConfigError(
    `The warehouse has schema ${applied}; this version of dawnload knows up to ${newest}.`,
    {
      hint: 'Install the newer version again, or rebuild the warehouse with `dawnload rebuild`.',
    },
  );
}

/** The number of this program's last migration. */
export function newestSchema(): number {
  return migrations().at(-1)?.number ?? 0;
}

/** The files of `sql/schema`: `schema/0003_campaigns` has the number 3 and the name `campaigns`. */
function migrations(): { number: number; name: string; statement: string }[] {
  return statementsIn('schema').map((statement) => {
    const [number, ...name] = basename(statement).split('_');
    return { number: Number(number), name: name.join('_'), statement };
  });
}

// The macros of the load are stored in the file, in the schema `macros`: DuckDB binds the body of a macro when it is
// created, and creating them in every session would take as long as a small load.

/** Creates the macros again if they are those of another version of this program, all of them or none. */
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

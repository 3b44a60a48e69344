/** The schema of the file, brought forward by numbered files of `sql/schema`, each applied once. */
import { basename } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { count, type Session } from './session.js';
import { statementsIn } from './statements.js';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statement: string;
}

/**
 * Brings the file to the schema of this program.
 *
 * @throws ConfigError when a newer version has migrated it further
 */
export async function migrate(session: Session, now: Date): Promise<void> {
  const migrations = statementsIn('schema').map(parse);
  const newest = migrations.at(-1)?.number ?? 0;
  const applied = await appliedTo(session);
  if (applied > newest) {
    throw new ConfigError(
      `The warehouse has schema ${applied}; this version of dawnload knows up to ${newest}.`,
      {
        hint: 'Install the newer version again, or rebuild the warehouse with `dawnload rebuild`.',
      },
    );
  }
  for (const { number, name, statement } of migrations.filter(({ number }) => number > applied)) {
    await session.transaction(async () => {
      await session.run(statement);
      await session.runWith('ops/note_migration', { number, name, applied_at: now });
    });
  }
}

async function appliedTo(session: Session): Promise<number> {
  const { known } = await session.row('ops/has_migrations', z.object({ known: z.boolean() }));
  if (!known) return 0;
  const { number } = await session.row('ops/last_migration', z.object({ number: count }));
  return number;
}

/** `schema/0003_campaigns` is migration 3, `campaigns`. */
function parse(statement: string): Migration {
  const [number = '', ...name] = basename(statement).split('_');
  return { number: Number(number), name: name.join('_'), statement };
}

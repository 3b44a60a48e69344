/** Loads the landed copies of own tables into the schema `own`, with column descriptions. */
import { z } from 'zod';
import { DamageError } from '../../ground/errors.js';
import { escaped } from '../../disk/duckdb.js';
import { assertTable } from '../../landing/page-file.js';
import { describeOwn } from '../../warehouse/describe.js';
import type { LoadContext, LoadedPulls } from '../../warehouse/load.js';
import { asPattern } from '../../warehouse/pages.js';
import { privacyMark } from '../../warehouse/privacy.js';

/** Replaces the table by the latest copy. Requires the load's transaction and its table `days`. */
export async function loadOwn(
  { pulls }: LoadedPulls,
  { session, group, privacy }: LoadContext,
): Promise<undefined> {
  const pull = pulls.at(-1);
  const [page] = pull?.files ?? [];
  const own = pull?.facts.own;
  if (pull === undefined || page === undefined || own === undefined) return;
  const { stream, loaded_at } = group;
  if (own.privacy !== privacyMark(privacy))
    throw new DamageError(`The copy of your table ${own.table} was made under other settings of privacy.`, {
      hint: 'The next run makes another one.',
    });
  await assertTable(page.file);
  const latest = z.object({ is_latest: z.boolean() });
  const version = { stream, pulled_at: pull.pulledAt };
  if (!(await session.row('streams/own/load/latest', latest, version)).is_latest) return;
  const { table } = own;
  await session.run('streams/own/load/replace', { table, file: escaped(asPattern(page.file)) });
  await session.run('streams/own/load/cover', { table, stream, pull: pull.id, loaded_at });
  await describeOwn(session, table);
}

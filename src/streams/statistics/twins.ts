/** Rows of daily statistics with one key: whether they add up (`sql/streams/statistics/twins.sql`). */
import { z } from 'zod';
import type { LoadContext } from '../../warehouse/load.js';
import { count } from '../../warehouse/session.js';

const TABLES = [
  { stream: 'statistics', table: 'daily_statistics', conversions: 'daily_conversions', type: 'type' },
  {
    stream: 'statistics_by_subchannel',
    table: 'daily_statistics_by_subchannel',
    conversions: 'daily_conversions_by_subchannel',
    type: 'type_label',
  },
];

const found = z.object({ twins: count });

/** The statistics that have twins in what is being loaded too. */
const STAGED = 'statistic_id in (select statistic_id from staged_statistics where given_rows is not null)';

/**
 * Gives statistics that have twins the counts of the largest, as their load does: of those that are being loaded with twins, the
 * largest are compared; of the others what was decided. Resolves with true if there are any on the days of the load.
 */
export async function undecideTwins({ session, group }: LoadContext, condition = STAGED): Promise<boolean> {
  const { twins } = await session.row('streams/statistics/twins/rows', found, { ...group, condition });
  if (twins > 0) await session.runForEach('streams/statistics/twins/apply', TABLES);
  return twins > 0;
}

/** Decides about all twins on the days of the load, after any stream that decides about them was loaded. */
export async function decideTwins(context: LoadContext): Promise<void> {
  if (!(await undecideTwins(context, 'true'))) return;
  const { session } = context;
  await session.run('streams/statistics/twins/decide');
  await session.runForEach('streams/statistics/twins/apply', TABLES);
  await session.run('streams/statistics/twins/note');
  await session.run('streams/statistics/twins/restate');
}

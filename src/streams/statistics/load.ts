/** Loads daily statistics (E17) and those by sub-channel (E18). */
import { z } from 'zod';
import { damaged } from '../../disk/storage-error.js';
import type { LoadContext, LoadedPulls } from '../../warehouse/load.js';
import { pagesGiven, type ReadablePull } from '../../warehouse/pages.js';
import { count } from '../../warehouse/session.js';
import { holdBack, replaceDays } from '../free.js';

/** The differences between E17 and E18: the SQL section that reads records, the location of fields, the tables, and a column. */
const STATISTICS = {
  statistics: {
    records: 'streams/statistics/load/statistics',
    place: 'statistic',
    table: 'daily_statistics',
    conversions: 'daily_conversions',
    type: 'type',
  },
  statistics_by_subchannel: {
    records: 'streams/statistics/load/subchannels',
    place: 'statistic_by_subchannel',
    table: 'daily_statistics_by_subchannel',
    conversions: 'daily_conversions_by_subchannel',
    type: 'type_label',
  },
} as const;

/** Replaces the days of the pulls, which are all of one stream. Requires the load's transaction and its table `days`. */
export async function loadStatistics({ pulls }: LoadedPulls, context: LoadContext): Promise<undefined> {
  const { session, group } = context;
  const stream = pulls[0]?.stream === 'statistics' ? 'statistics' : 'statistics_by_subchannel';
  const names = STATISTICS[stream];
  const pages = pulls.flatMap(({ id, read }) => read.map(({ file }) => ({ file, pull: id })));
  await session.run('streams/statistics/load/read', {
    ...(await pagesGiven(pages)),
    path_pulls: pages.map(({ pull }) => pull),
    place: names.place,
  });
  await session.run(names.records);
  await session.run('streams/statistics/load/staged');
  if (stream === 'statistics')
    assertDays(await session.rows('streams/statistics/load/undated', pullWithoutDays), pulls);
  await session.run('streams/statistics/load/sizes', { ...group, ...names });
  await holdBack(context, pulls);
  if (stream === 'statistics') await session.run('streams/statistics/load/restatements');
  await replaceDays(context, { table: names.table, parts: names.conversions }, async () => {
    await session.run('streams/statistics/load/replaced', { ...group, ...names });
  });
  await decideTwins(context);
}

const pullWithoutDays = z.object({ pull: z.string(), records: count });

/** @throws DamageError if no record of a pull has a readable day, because its days would look empty */
function assertDays(
  [first]: readonly z.infer<typeof pullWithoutDays>[],
  pulls: readonly ReadablePull[],
): void {
  if (first === undefined) return;
  const pull = pulls.find(({ id }) => id === first.pull);
  throw damaged(
    pull?.read[0]?.landed ?? first.pull,
    `has ${first.records} records, and none has a readable day`,
  );
}

const twinRows = z.object({ twins: count });

/** Resolves duplicate statistics on the loaded days, after all streams that help to decide were loaded. */
export async function decideTwins({ session, group }: LoadContext): Promise<void> {
  const { twins } = await session.row('streams/statistics/twins/rows', twinRows, group);
  if (twins === 0) return;
  await session.run('streams/statistics/twins/decide');
  const tables = Object.entries(STATISTICS).map(([stream, names]) => ({ stream, ...names }));
  await session.runForEach('streams/statistics/twins/apply', tables);
  await session.run('streams/statistics/twins/note');
}

/** E17 and E18: daily statistics and their conversions. */
import { z } from 'zod';
import { holdBack } from './hold-back.js';
import { asPattern, portionsOf } from './landed-files.js';
import type { StatisticsPull, SubchannelPull } from './pull.js';
import { count, type Session } from './session.js';
import { stageTidily } from './tidy.js';

const total = z.object({ total: count });

/** Replaces the days of the pull; resolves with the rows that it brought. Inside the load's transaction. */
export async function loadStatistics(
  session: Session,
  pull: StatisticsPull | SubchannelPull,
  files: readonly string[],
): Promise<number> {
  const { stream } = pull;
  const folder = stream === 'statistics' ? 'load/statistics' : 'load/subchannels';
  const place = stream === 'statistics' ? 'statistic' : 'statistic_by_subchannel';
  const table = stream === 'statistics' ? 'daily_statistics' : 'daily_statistics_by_subchannel';
  const [portion] = await portionsOf(files, Number.POSITIVE_INFINITY);
  await session.set({ files: files.map(asPattern), largest_object: portion?.largest });
  await session.run('load/statistics/documents');
  await stageTidily(session, { stage: `${folder}/stage`, table: 'statistics', place });
  await session.run('load/statistics/conversion_documents');
  const stage = 'load/statistics/stage_conversions';
  await stageTidily(session, { stage, table: 'conversions', place: 'conversion' });
  await session.run('load/sizes', { table });
  await holdBack(session, pull, 'load/keep_days');
  await session.run('load/let_go');
  if (stream === 'statistics') await session.run('load/statistics/restatements');
  await session.run(`${folder}/replace`);
  await session.run('load/forget_notes');
  await session.run(`${folder}/notes`);
  await session.run(`${folder}/drift`);
  await session.run('load/drift');
  await session.run('load/cover', { table, day: 'date' });
  return (await session.row('load/count_in_days', total, { table })).total;
}

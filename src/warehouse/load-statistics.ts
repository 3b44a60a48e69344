/** E17 and E18: daily statistics and their conversions. This file shows the order of all steps. */
import { redactDocuments } from './redact.js';
import { holdBack } from './hold-back.js';
import { asPattern, largestOf } from './landed-files.js';
import { DOCUMENTS, type UnknownFields } from './unknown-fields.js';
import type { StatisticsPull, SubchannelPull } from '../storage/pull.js';
import type { Session } from './session.js';

/** Replaces the days of the pulls. Inside the load's transaction; `days` exists. */
export async function loadStatistics(
  session: Session,
  unknown: UnknownFields,
  pulls: readonly (StatisticsPull | SubchannelPull)[],
): Promise<void> {
  const daily = pulls[0]?.stream === 'statistics';
  const folder = daily ? 'load/statistics' : 'load/subchannels';
  const table = daily ? 'daily_statistics' : 'daily_statistics_by_subchannel';
  const files = pulls.map(({ file }) => file);
  await session.set({
    files: files.map(asPattern),
    paths: files,
    path_pulls: pulls.map(({ id }) => id),
    largest_object: await largestOf(files),
  });
  await session.run('load/statistics/1_documents');
  await redactDocuments(session);
  await unknown.split(daily ? 'statistic' : 'statistic_by_subchannel', DOCUMENTS);
  await session.run(`${folder}/2_stage`);
  await unknown.split('conversion', DOCUMENTS);
  await session.run('load/statistics/3_conversions');
  await session.run('load/statistics/4_sizes', { table });
  await holdBack(session, pulls);
  await session.run('load/7_forget');
  await session.run(`${folder}/5_replace`);
  await session.run('load/8_drift');
  await session.run('load/8_cover', { table, day: 'date' });
}

/** E19: campaign statistics in detail. */
import { z } from 'zod';
import { holdBack } from './hold-back.js';
import { asPattern, portionsOf } from './landed-files.js';
import type { CampaignsPull } from './pull.js';
import { count, type Session } from './session.js';
import { stageTidily } from './tidy.js';

const total = z.object({ total: count });

/** What an answer is made of, from the outside in. */
const LEVELS = [
  { place: 'answer', table: 'answers' },
  { place: 'metric', table: 'metrics' },
  { place: 'daily', table: 'dailies' },
  { place: 'dimension', table: 'dimensions' },
] as const;

/** Replaces what the pull's campaigns have on its days; a complete pull covers the days. Inside the load's transaction. */
export async function loadCampaigns(
  session: Session,
  pull: CampaignsPull,
  files: readonly string[],
): Promise<number> {
  const { answers, complete, gone = [] } = pull;
  const [portion] = await portionsOf(files, Number.POSITIVE_INFINITY);
  await session.set({
    files: files.map(asPattern),
    paths: files,
    campaigns: answers.map(({ campaignId }) => campaignId),
    gone,
    window_starts: answers.map(({ windowStart }) => windowStart.toISOString()),
    window_ends: answers.map(({ windowEnd }) => windowEnd.toISOString()),
    largest_object: portion?.largest,
  });
  await session.run(files.length > 0 ? 'load/campaigns/documents' : 'load/campaigns/no_documents');
  for (const [index, { place, table }] of LEVELS.entries()) {
    if (index > 0) await session.run(`load/campaigns/${place}_documents`);
    await stageTidily(session, { stage: `load/campaigns/stage_${table}`, table, place });
  }
  await session.run('load/campaigns/free_days');
  await session.run('load/campaigns/sizes');
  await holdBack(session, pull, 'load/campaigns/keep_days');
  await session.run('load/campaigns/let_go');
  await session.run('load/campaigns/replace');
  if (complete) await session.run('load/forget_notes');
  await session.run('load/campaigns/notes');
  await session.run('load/campaigns/drift');
  await session.run('load/drift');
  if (complete) await session.run('load/cover', { table: 'campaign_metrics', day: 'date' });
  else await session.run('load/campaigns/recount');
  return (await session.row('load/campaigns/count', total)).total;
}

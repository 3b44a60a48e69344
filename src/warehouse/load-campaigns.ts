/** E19: campaign statistics in detail. This file shows the order of all steps. */
import { redactDocuments } from './redact.js';
import { holdBack } from './hold-back.js';
import { asPattern, largestOf } from './landed-files.js';
import { DOCUMENTS, type UnknownFields } from './unknown-fields.js';
import type { CampaignsPull } from '../storage/pull.js';
import type { Session } from './session.js';

/** The levels of an answer, from the outside in; each step unfolds what the next one turns into columns. */
const LEVELS = [
  { place: 'answer', step: '2_answers' },
  { place: 'metric', step: '3_metrics' },
  { place: 'daily', step: '4_dailies' },
  { place: 'dimension', step: '5_dimensions' },
] as const;

/**
 * Replaces what the campaigns of the pulls have on their days; complete pulls cover the days. Inside the load's
 * transaction; `days` is there. Pulls are all complete, or one alone.
 */
export async function loadCampaigns(
  session: Session,
  unknown: UnknownFields,
  pulls: readonly CampaignsPull[],
): Promise<void> {
  const answers = pulls.flatMap((pull) => pull.answers.map((answer) => ({ ...answer, pull: pull.id })));
  const gone = pulls.flatMap(({ id, gone = [] }) => gone.map((campaignId) => ({ campaignId, pull: id })));
  const files = answers.map(({ file }) => file);
  await session.set({
    files: files.map(asPattern),
    paths: files,
    path_pulls: answers.map(({ pull }) => pull),
    campaigns: answers.map(({ campaignId }) => campaignId),
    gone_pulls: gone.map(({ pull }) => pull),
    gone_campaigns: gone.map(({ campaignId }) => campaignId),
    window_starts: answers.map(({ windowStart }) => windowStart.toISOString()),
    window_ends: answers.map(({ windowEnd }) => windowEnd.toISOString()),
    largest_object: await largestOf(files),
  });
  await session.run(files.length > 0 ? 'load/campaigns/1_documents' : 'load/campaigns/1_no_documents');
  await redactDocuments(session);
  for (const { place, step } of LEVELS) {
    await unknown.split(place, DOCUMENTS);
    await session.run(`load/campaigns/${step}`);
  }
  await session.run('load/campaigns/6_days');
  await holdBack(session, pulls);
  await session.run('load/7_forget');
  await session.run('load/campaigns/7_replace');
  await session.run('load/8_drift');
  await session.run('load/8_cover', { table: 'campaign_metrics', day: 'date' });
}

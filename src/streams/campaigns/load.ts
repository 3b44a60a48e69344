/** Loads the statistics of campaigns (E19), level by level. */
import { answersOf, type Pull } from '../../landing/landing-zone.js';
import type { LoadContext } from '../../warehouse/load.js';
import { asPattern, largestOf, split } from '../../warehouse/session.js';
import { holdBack, replaceDays } from '../held-back.js';
import { decideTwins } from '../statistics/twins.js';

/**
 * The levels of an answer, from the outside in. `list` holds the documents of the next level; `own` names the columns
 * that the next level does not take over.
 */
const LEVELS = [
  {
    place: 'answer',
    step: 'answers',
    inside: { list: 'stats', own: 'window_start, window_end, last_collected_at, last_collected_text' },
  },
  { place: 'metric', step: 'metrics', inside: { list: 'dailies', own: 'total' } },
  { place: 'daily', step: 'dailies', inside: { list: 'dimensions', own: 'value' } },
  { place: 'dimension', step: 'dimensions' },
];

/**
 * Replaces the rows of the pulls' campaigns on their days; complete pulls also cover the days. Requires the load's
 * transaction and its table `days`. The pulls are all complete, or there is only one.
 */
export async function loadCampaigns(pulls: readonly Pull[], { session }: LoadContext): Promise<undefined> {
  const answers = pulls.flatMap((pull) => answersOf(pull).map((answer) => ({ ...answer, pull: pull.id })));
  const gone = pulls.flatMap(({ id, facts }) => facts.gone.map((campaignId) => ({ campaignId, pull: id })));
  const files = answers.map(({ file }) => file);
  await session.set({
    landed: {
      files: files.map(asPattern),
      paths: files,
      path_pulls: answers.map(({ pull }) => pull),
      campaigns: answers.map(({ campaignId }) => campaignId),
      gone_pulls: gone.map(({ pull }) => pull),
      gone_campaigns: gone.map(({ campaignId }) => campaignId),
      window_starts: answers.map(({ windowStart }) => windowStart.toISOString()),
      window_ends: answers.map(({ windowEnd }) => windowEnd.toISOString()),
      largest_object: await largestOf(answers),
    },
  });
  await session.run(files.length > 0 ? 'streams/campaigns/load/read' : 'streams/campaigns/load/none');
  await session.run('shared/documents/redact');
  for (const { place, step, inside } of LEVELS) {
    await split(session, place);
    await session.run(`streams/campaigns/load/${step}`);
    if (inside !== undefined)
      await session.run('streams/campaigns/load/unfold', { staged: `staged_${step}`, ...inside });
  }
  await session.run('streams/campaigns/load/days');
  await holdBack(session, pulls);
  const tables = { table: 'campaign_metrics', parts: 'campaign_metric_dimensions' };
  await replaceDays(session, tables, () => session.run('streams/campaigns/load/replaced'));
  await decideTwins(session);
}

/** Loads the statistics of campaigns (E19), level by level. */
import { answersOf } from '../../landing/landing-zone.js';
import type { LoadContext, LoadedPulls } from '../../warehouse/load.js';
import { pagesGiven } from '../../warehouse/pages.js';
import { holdBack, replaceDays } from '../free.js';
import { decideTwins } from '../statistics/load.js';

/** From the outermost level to the innermost; `own` lists columns that the next level does not inherit. */
const LEVELS = [
  {
    step: 'answers',
    inside: {
      place: 'metric',
      list: 'stats',
      own: 'window_start, window_end, last_collected_at, last_collected_text',
    },
  },
  { step: 'metrics', inside: { place: 'daily', list: 'dailies', own: 'total' } },
  { step: 'dailies', inside: { place: 'dimension', list: 'dimensions', own: 'value' } },
  { step: 'dimensions' },
] as const;

/** Loads complete pulls, or one incomplete pull. Only complete pulls mark the days as covered. */
export async function loadCampaigns({ pulls }: LoadedPulls, context: LoadContext): Promise<undefined> {
  const { session, group } = context;
  const answers = pulls.flatMap((pull) => answersOf(pull).map((answer) => ({ ...answer, pull: pull.id })));
  const gone = pulls.flatMap(({ id, facts }) => facts.gone.map((campaignId) => ({ campaignId, pull: id })));
  if (answers.length === 0) await session.run('streams/campaigns/load/none');
  else
    await session.run('streams/campaigns/load/read', {
      ...(await pagesGiven(answers)),
      path_pulls: answers.map(({ pull }) => pull),
      campaigns: answers.map(({ campaignId }) => campaignId),
      window_starts: answers.map(({ windowStart }) => windowStart.toISOString()),
      window_ends: answers.map(({ windowEnd }) => windowEnd.toISOString()),
    });
  for (const level of LEVELS) {
    await session.run(`streams/campaigns/load/${level.step}`);
    if ('inside' in level)
      await session.run('streams/campaigns/load/unfold', { staged: `staged_${level.step}`, ...level.inside });
  }
  await session.run('streams/campaigns/load/days', {
    ...group,
    gone_pulls: gone.map(({ pull }) => pull),
    gone_campaigns: gone.map(({ campaignId }) => campaignId),
  });
  await holdBack(context, pulls);
  const tables = { table: 'campaign_metrics', parts: 'campaign_metric_dimensions' };
  await replaceDays(context, tables, () => session.run('streams/campaigns/load/replaced', group));
  await decideTwins(context);
}

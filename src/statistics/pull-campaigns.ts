/** The stage of the campaign statistics: E19 for the campaigns that the daily statistics name. */
import { rangesOf, windowOf, type Day, type DayRange } from '../calendar.js';
import { extractCampaigns, type CampaignFailure } from './campaign-answer.js';
import type { RunContext } from '../run/context.js';
import type { Job } from '../run/job.js';
import { absences, isGone, type Absence } from './gone-campaigns.js';
import type { LandingZone } from '../storage/landing-zone.js';
import { loadOrReport } from '../run/load-landed.js';
import { gapsOf, heldAmong } from './held-back.js';
import { daysToPull, LONGEST_RANGE_DAYS } from './pull-daily.js';

export async function pullCampaigns(job: Job, context: RunContext): Promise<void> {
  const { warehouse, signal, report } = context;
  // Without its daily statistics it is not known which campaigns a day had; it stays missing and is tried again.
  const known = await warehouse.coverage('statistics');
  const days = (await daysToPull(job, context, 'campaigns')).filter((day) => known.has(day));
  const pull = async (wanted: readonly Day[]): Promise<void> => {
    for (const range of rangesOf(wanted, LONGEST_RANGE_DAYS)) {
      signal.throwIfAborted();
      await pullRange(range, job, context);
    }
  };
  await pull(days);
  const held = await heldAmong(days, context, 'campaigns');
  if (held.length === 0) return;
  await pull(held);
  report.gap(...gapsOf(await heldAmong(days, context, 'campaigns'), 'campaigns'));
}

async function pullRange(range: DayRange, job: Job, context: RunContext): Promise<void> {
  const { service, landing, warehouse, report, effects, terminal } = context;
  const campaigns = await warehouse.campaignsSeen(range);
  const done = new Set<string>();
  const proceed = (campaignId?: string): void => {
    if (campaignId !== undefined) done.add(campaignId);
    terminal.progress(
      `campaign statistics ${range.start} to ${range.end}: ${done.size} of ${campaigns.length} campaigns`,
    );
  };
  proceed();
  const pull = await landing.campaignPull(range, context.pullInstant());
  const failures = await extractCampaigns(service, campaigns, range, {
    async accept(campaignId, part, body) {
      await pull.land(campaignId, windowOf(part), body);
      proceed(campaignId);
    },
    async reject(endpoint, campaignId, body) {
      await landing.land(
        { stream: 'rejected', endpoint, what: `campaign ${campaignId}`, at: effects.now() },
        body,
      );
    },
  });
  const absent = failures.some(({ notFound }) => notFound)
    ? await absentSoFar(landing)
    : new Map<string, Absence>();
  const isDeleted = ({ campaignId, notFound }: CampaignFailure): boolean =>
    notFound && isGone(absent.get(campaignId), pull.pulledAt);
  const gone = failures.filter(isDeleted).map(({ campaignId }) => campaignId);
  const failed = failures.filter((failure) => !isDeleted(failure));
  const landed = await pull.finish({
    failed: failed.map(({ campaignId }) => campaignId),
    notFound: failed.filter(({ notFound }) => notFound).map(({ campaignId }) => campaignId),
    gone,
    accepted: job.acceptEmpty,
  });
  for (const id of gone.filter((id) => absent.get(id)?.known !== true)) {
    terminal.note(
      `Campaign ${id} counts as deleted: E19 answered 404 on three nights. Its rows stay in the warehouse, and days count as complete without it.`,
    );
  }
  await loadOrReport(context, [landed]);
  const [first] = failed;
  if (first !== undefined) {
    const others = failed.length === 1 ? '' : ` and ${failed.length - 1} more`;
    report.gap({
      stream: 'campaigns',
      days: range,
      reason: `Campaign ${first.campaignId}${others}: ${first.reason}.`,
    });
  }
}

/** The 404s of earlier pulls; their manifests are read only on nights on which E19 answers 404. */
async function absentSoFar(landing: LandingZone): Promise<Map<string, Absence>> {
  // The load reports a manifest that cannot be read; another pull's 404s still count.
  const pulls = await landing.pulls(
    (id) => id.startsWith('campaigns/'),
    undefined,
    () => undefined,
  );
  return absences(pulls.filter((pull) => pull.stream === 'campaigns'));
}

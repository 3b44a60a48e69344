/** The stage of the campaign statistics: E19 for the campaigns that the daily statistics name. */
import { rangesOf, windowOf, type DayRange } from '../calendar.js';
import { extractCampaigns } from '../extract/campaigns.js';
import type { House } from '../house.js';
import type { Job } from '../job.js';
import { loadOrReport } from './catch-up.js';
import { daysToPull, LONGEST_RANGE_DAYS } from './statistics.js';

export async function pullCampaigns(job: Job, house: House): Promise<void> {
  const { warehouse, signal } = house;
  // Without its daily statistics it is not known which campaigns a day had; it stays missing and is tried again.
  const known = await warehouse.coverage('statistics');
  const days = (await daysToPull(job, house, 'campaigns')).filter((day) => known.has(day));
  for (const range of rangesOf(days, LONGEST_RANGE_DAYS)) {
    signal.throwIfAborted();
    await pullRange(range, house);
  }
}

async function pullRange(range: DayRange, house: House): Promise<void> {
  const { service, landing, warehouse, report, effects, terminal } = house;
  const campaigns = await warehouse.campaignsSeen(range);
  terminal.progress(`statistics of ${campaigns.length} campaigns, ${range.start} to ${range.end}`);
  const pull = await landing.campaignPull(range, house.pullInstant());
  const failures = await extractCampaigns(service, campaigns, range, {
    async accept(campaignId, part, body) {
      await pull.land(campaignId, windowOf(part), body);
    },
    async reject(endpoint, campaignId, body) {
      await landing.land(
        { stream: 'rejected', endpoint, what: `campaign ${campaignId}`, at: effects.now() },
        body,
      );
    },
  });
  const landed = await pull.finish(failures.map(({ campaignId }) => campaignId));
  await loadOrReport(house, landed);
  const [first] = failures;
  if (first === undefined) return;
  const others = failures.length === 1 ? '' : ` and ${failures.length - 1} more`;
  report.gap({
    stream: 'campaigns',
    days: range,
    reason: `campaign ${first.campaignId}${others}: ${first.reason}`,
  });
}

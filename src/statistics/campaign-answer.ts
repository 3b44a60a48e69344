/** Campaign statistics: E19 for each campaign that the daily statistics of the window name. */
import { dayCount, halvesOf, type DayRange } from '../calendar.js';
import type { ServiceAnswer, ServiceClient } from '../api/client.js';
import { campaignStatistics } from '../api/endpoints.js';
import { readEnvelope, type Envelope } from '../envelope.js';
import { settleAll } from '../api/settle.js';

export interface CampaignSink {
  /** An answer for one campaign over a range, or over a part of it. */
  accept(campaignId: string, range: DayRange, body: Buffer): Promise<void>;
  reject(endpoint: string, campaignId: string, body: Buffer): Promise<void>;
}

export interface CampaignFailure {
  readonly campaignId: string;
  /** A clause without a full stop. */
  readonly reason: string;
  /** Whether the service says in its own words (404, JSON) that there is no such campaign. */
  readonly notFound: boolean;
}

/** How often the same window is asked for again after a `Timeout`, before it is halved. */
const PATIENCE = 1;

/** E19 for every campaign over one range of KST days, several at once. Returns those that failed. */
export async function extractCampaigns(
  service: ServiceClient,
  campaignIds: readonly string[],
  range: DayRange,
  sink: CampaignSink,
): Promise<CampaignFailure[]> {
  const failures = await settleAll(campaignIds.map((id) => extractCampaign(service, id, range, sink)));
  return failures.filter((failure) => failure !== undefined);
}

async function extractCampaign(
  service: ServiceClient,
  campaignId: string,
  range: DayRange,
  sink: CampaignSink,
): Promise<CampaignFailure | undefined> {
  const question = campaignStatistics(service.projectId, campaignId, range);
  let answer: ServiceAnswer;
  let asked = 0;
  do {
    answer = await service.ask(question);
    asked++;
  } while (answer.verdict.kind === 'timeout' && asked <= PATIENCE);

  const { verdict, body, status } = answer;
  if ((verdict.kind === 'timeout' || verdict.kind === 'oversized') && dayCount(range) > 1) {
    const [first, second] = halvesOf(range);
    const early = await extractCampaign(service, campaignId, first, sink);
    const late = await extractCampaign(service, campaignId, second, sink);
    return early ?? late;
  }
  if (verdict.kind !== 'ok') {
    const notFound = verdict.kind === 'refused' && status === 404 && readEnvelope(body) !== undefined;
    return { campaignId, reason: `E19 failed (${verdict.reason})`, notFound };
  }
  if (!holdsStatistics(verdict.envelope, body)) {
    await sink.reject(question.endpoint, campaignId, body);
    return {
      campaignId,
      reason: 'E19 answered without a data object that holds a list of stats',
      notFound: false,
    };
  }
  await sink.accept(campaignId, range, body);
  return undefined;
}

/** Whether the load takes the answer: another one would stop it, and with it all campaigns of the range. */
function holdsStatistics(envelope: Envelope, body: Buffer): boolean {
  if (envelope.kind !== 'object' || envelope.twice.has('data') || envelope.twice.has('error')) return false;
  const data = envelope.parts.get('data');
  const inside = data && readEnvelope(body.subarray(data.start, data.end));
  return (
    inside?.kind === 'object' &&
    !inside.twice.has('stats') &&
    inside.parts.get('stats')?.elements !== undefined
  );
}

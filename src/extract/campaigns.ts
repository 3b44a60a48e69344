/** Campaign statistics: E19 for each campaign that the daily statistics of the window name. */
import type { DayRange } from '../calendar.js';
import type { ServiceClient } from '../service/client.js';
import { campaignStatistics } from '../service/endpoints.js';
import { settleAll } from './settle.js';

export interface CampaignSink {
  accept(campaignId: string, body: Buffer): Promise<void>;
  reject(endpoint: string, campaignId: string, body: Buffer): Promise<void>;
}

export interface CampaignFailure {
  readonly campaignId: string;
  readonly reason: string;
}

/** E19 for every campaign over one range of KST days, several at once. Returns those that could not be had. */
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
  const { verdict, body } = await service.ask(question);
  if (verdict.kind !== 'ok') return { campaignId, reason: `E19 failed (${verdict.reason})` };
  const data = verdict.envelope.kind === 'object' ? verdict.envelope.parts.get('data') : undefined;
  if (data === undefined || body[data.start] !== 0x7b) {
    await sink.reject(question.endpoint, campaignId, body);
    return { campaignId, reason: 'E19 answered without a data object' };
  }
  await sink.accept(campaignId, body);
  return undefined;
}

/** The endpoints that Dawnload uses, as a table: E1 and E17 to E21 of the specification. */
import type { DayRange } from '../calendar.js';
import { windowOf } from '../calendar.js';

interface RequestBase {
  /** The name in the specification, for messages and for the landing zone. */
  readonly endpoint: 'E1' | 'E17' | 'E18' | 'E19' | 'E20' | 'E21';
  readonly method: 'GET' | 'POST';
  /** From the base address on. */
  readonly path: string;
  readonly body?: object;
  /** Whether a `Timeout` leaves no range to halve. */
  readonly whole?: boolean;
  /** The key that makes a body a proper answer, whatever its status. */
  readonly discriminator?: string;
}

/** A request that costs nothing: asking twice is the same as asking once. */
export interface FreeRequest extends RequestBase {
  readonly billed: false;
}

/** E20, which is billed every time. Only a `Permit` sends it, once. */
export interface PaidRequest extends RequestBase {
  readonly billed: true;
}

export type ServiceRequest = FreeRequest | PaidRequest;

/** E1: the token. */
export function authenticate(keys: { accessKey: string; secretKey: string }): FreeRequest {
  return { endpoint: 'E1', method: 'POST', path: '/authenticate', body: keys, billed: false, whole: true };
}

/** E17: daily statistics of a range of days, both ends included. */
export function dailyStatistics(projectId: string, { start, end }: DayRange): FreeRequest {
  return {
    endpoint: 'E17',
    method: 'POST',
    path: `/v1/projects/${projectId}/statistics`,
    body: { start, end },
    billed: false,
  };
}

/** E18: the same by sub-channel; a GET with a body. */
export function subchannelStatistics(projectId: string, { start, end }: DayRange): FreeRequest {
  return {
    endpoint: 'E18',
    method: 'GET',
    path: `/v1/projects/${projectId}/statistics.csv`,
    body: { start, end },
    billed: false,
  };
}

/** E19: statistics of one campaign, in the UTC hours that cover whole KST days. */
export function campaignStatistics(projectId: string, campaignId: string, range: DayRange): FreeRequest {
  const { start, end } = windowOf(range);
  const query = new URLSearchParams({ start: start.toISOString(), end: end.toISOString() });
  return {
    endpoint: 'E19',
    method: 'GET',
    path: `/projects/${projectId}/campaigns/${encodeURIComponent(campaignId)}/stats?${query.toString()}`,
    billed: false,
  };
}

/** E20: the paid one. `start` and `end` are instants in UTC. */
export function exportRequest(
  projectId: string,
  window: { start: Date; end: Date },
  messageData: boolean,
): PaidRequest {
  return {
    endpoint: 'E20',
    method: 'POST',
    path: `/projects/${projectId}/campaign-event-data/exports`,
    body: {
      start: window.start.toISOString(),
      end: window.end.toISOString(),
      isMessageDataIncluded: messageData,
    },
    billed: true,
    discriminator: 'export_id',
  };
}

/** E21: one page of an export's result, counted from 0. The parameter's name is a setting (N18). */
export function exportResult(
  projectId: string,
  exportId: string,
  pageParameter: string,
  page: number,
): FreeRequest {
  const query = new URLSearchParams({ [pageParameter]: String(page) });
  return {
    endpoint: 'E21',
    method: 'GET',
    path: `/projects/${projectId}/campaign-event-data/exports/${encodeURIComponent(exportId)}/result?${query.toString()}`,
    billed: false,
    discriminator: 'status',
  };
}

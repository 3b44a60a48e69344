/** The endpoints that Dawnload uses: E1, E2, E4, E5, E10, E12, E15 and E17 to E21 of the specification. */
import type { DayRange } from '../calendar.js';
import { windowOf } from '../calendar.js';

interface RequestBase {
  /** The endpoint's name in the specification, for messages and for the landing zone. */
  readonly endpoint:
    | 'E1'
    | 'E2'
    | 'E4'
    | 'E5'
    | 'E10'
    | 'E12'
    | 'E15'
    | 'E17'
    | 'E18'
    | 'E19'
    | 'E20'
    | 'E21';
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path after the base address. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request has no range that can be halved after a `Timeout`. */
  readonly whole?: boolean;
  /** The key whose presence makes a body a valid answer, whatever its status. */
  readonly discriminator?: string;
}

/** A request that costs nothing and is safe to repeat. */
export interface FreeRequest extends RequestBase {
  readonly billed: false;
}

/** A request of E20, which is billed every time. Only a `Permit` sends it, once. */
export interface PaidRequest extends RequestBase {
  readonly billed: true;
}

export type ServiceRequest = FreeRequest | PaidRequest;

/** E1: requests a token. */
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

/** E18: daily statistics by sub-channel; a GET with a body. */
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

/**
 * A person as the service identifies it: by the customer's id, or by an address or number exactly as the service stores
 * it.
 */
export interface ServiceUser {
  readonly userId?: string;
  readonly userProperties?: { readonly $email?: string; readonly $phone_number?: string };
}

/** E15: deletes at most 1,000 persons. Repeating the request is safe: the persons are gone then. */
export function deleteUsers(projectId: string, users: readonly ServiceUser[]): FreeRequest {
  const body = users.map((user) => ({ projectId, ...user }));
  return { endpoint: 'E15', method: 'DELETE', path: '/users', body, billed: false };
}

/** E20: requests a paid export. `start` and `end` are instants in UTC. */
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

/** E2: a page of the project's catalogs; `cursor` selects a page after the first. */
export function catalogs(projectId: string, cursor?: string): FreeRequest {
  return reference('E2', `/v1/projects/${projectId}/catalogs`, { cursor });
}

/** E2: a page of 50 items of a catalog. `cursor` comes from the previous page. */
export function catalogItems(projectId: string, catalog: string, cursor?: string): FreeRequest {
  return reference('E2', `/v1/projects/${projectId}/catalogs/${encodeURIComponent(catalog)}/items`, {
    cursor,
  });
}

/** Query parameters by name; a parameter without a value is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** E4: a page of the brand-message templates of a sender key. `messenger` is the messenger's own name in paths. */
export function brandTemplates(projectId: string, messenger: string, query: Query): FreeRequest {
  return reference('E4', brandTemplatesPath(projectId, messenger), query);
}

/** The possible places of the sender key in an E5 request (N6). */
export const SENDER_KEY_PLACES = ['query', 'header'] as const;

/** E5: one brand-message template and its status. */
export function brandTemplate(
  projectId: string,
  messenger: string,
  templateId: string,
  sender: { key: string; parameter: string; place: (typeof SENDER_KEY_PLACES)[number] },
): FreeRequest {
  const { key, parameter, place } = sender;
  const path = `${brandTemplatesPath(projectId, messenger)}/${encodeURIComponent(templateId)}`;
  return place === 'query'
    ? reference('E5', path, { [parameter]: key })
    : { ...reference('E5', path), headers: { [parameter]: key } };
}

function brandTemplatesPath(projectId: string, messenger: string): string {
  return `/v1/projects/${projectId}/messages/${messenger}-brand-message/templates`;
}

/** E10: a page of the alimtalk templates. */
export function alimtalkTemplates(projectId: string, messenger: string, query: Query): FreeRequest {
  return reference('E10', `/projects/${projectId}/messages/${messenger}-alimtalk/templates`, query);
}

/** E12: a page of the recipients who opted out of text messages by an 080 number. */
export function optOuts(projectId: string, query: Query): FreeRequest {
  return reference('E12', `/projects/${projectId}/messages/text-message/blockservice/recipients`, query);
}

function reference(endpoint: FreeRequest['endpoint'], path: string, query: Query = {}): FreeRequest {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  return { endpoint, method: 'GET', path: path + search, billed: false, whole: true };
}

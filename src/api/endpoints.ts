/** The endpoints that Dawnload uses, as a table: E1, E2, E4, E5, E10, E12, E15 and E17 to E21 of the specification. */
import type { DayRange } from '../calendar.js';
import { windowOf } from '../calendar.js';

interface RequestBase {
  /** The name in the specification, for messages and for the landing zone. */
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
  /** From the base address on. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
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

/** A person at the service: by the customer's id, or by an address or a number exactly as the service has it. */
export interface ServiceUser {
  readonly userId?: string;
  readonly userProperties?: { readonly $email?: string; readonly $phone_number?: string };
}

/** E15: deletes at most 1,000 persons. A second call finds them gone. */
export function deleteUsers(projectId: string, users: readonly ServiceUser[]): FreeRequest {
  const body = users.map((user) => ({ projectId, ...user }));
  return { endpoint: 'E15', method: 'DELETE', path: '/users', body, billed: false };
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

/** E2: the catalogs of the project, or, behind a cursor, more of them. */
export function catalogs(projectId: string, cursor?: string): FreeRequest {
  return reference('E2', `/v1/projects/${projectId}/catalogs`, { cursor });
}

/** E2: a page of 50 items of a catalog. The cursor is that of the page before. */
export function catalogItems(projectId: string, catalog: string, cursor?: string): FreeRequest {
  return reference('E2', `/v1/projects/${projectId}/catalogs/${encodeURIComponent(catalog)}/items`, {
    cursor,
  });
}

/** Query parameters by name; one without a value is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** E4: a page of the brand-message templates of a sender key. `messenger` is its word in paths. */
export function brandTemplates(projectId: string, messenger: string, query: Query): FreeRequest {
  return reference('E4', brandTemplatesPath(projectId, messenger), query);
}

/** Where E5 takes the sender key (N6). */
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

/** The endpoints that Dawnload uses: E1, E2, E4, E5, E10 and E12 to E21 of the specification. */
import type { DayRange } from '../ground/calendar.js';
import { windowOf } from '../ground/calendar.js';
import type { SENDER_KEY_PLACES } from '../config/schema.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestBase {
  /** The endpoint's name in the specification, for messages and for the landing zone. */
  readonly endpoint:
    | 'E1'
    | 'E2'
    | 'E4'
    | 'E5'
    | 'E10'
    | 'E12'
    | 'E13'
    | 'E14'
    | 'E15'
    | 'E16'
    | 'E17'
    | 'E18'
    | 'E19'
    | 'E20'
    | 'E21';
  readonly method: Method;
  /** The path after the base address. */
  readonly path: string;
  /** Sent as JSON; a text is JSON already. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request has no range that can be halved after a `Timeout`. */
  readonly whole?: boolean;
  /** The key whose presence makes a body a valid answer, whatever its status. */
  readonly discriminator?: string;
}

/** A request that costs nothing and is safe to repeat. */
export interface FreeRequest extends RequestBase {
  readonly once: false;
}

/**
 * A request whose repetition would do harm: E20 is billed every time, E13 and E16 reach people every time. Only a
 * `Permit` sends it, once.
 */
export interface OnceRequest extends RequestBase {
  readonly once: true;
}

export type ServiceRequest = FreeRequest | OnceRequest;

/** E1: requests a token. */
export function authenticate(keys: { accessKey: string; secretKey: string }): FreeRequest {
  return { endpoint: 'E1', method: 'POST', path: '/authenticate', body: keys, once: false, whole: true };
}

/** E17: daily statistics of a range of days, both ends included. */
export function dailyStatistics(projectId: string, { start, end }: DayRange): FreeRequest {
  return {
    endpoint: 'E17',
    method: 'POST',
    path: `/v1/projects/${projectId}/statistics`,
    body: { start, end },
    once: false,
  };
}

/** E18: daily statistics by sub-channel; a GET with a body. */
export function subchannelStatistics(projectId: string, { start, end }: DayRange): FreeRequest {
  return {
    endpoint: 'E18',
    method: 'GET',
    path: `/v1/projects/${projectId}/statistics.csv`,
    body: { start, end },
    once: false,
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
    once: false,
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
  return { endpoint: 'E15', method: 'DELETE', path: '/users', body, once: false };
}

/** E20: requests a paid export. `start` and `end` are instants in UTC. */
export function exportRequest(
  projectId: string,
  window: { start: Date; end: Date },
  messageData: boolean,
): OnceRequest {
  return {
    endpoint: 'E20',
    method: 'POST',
    path: `/projects/${projectId}/campaign-event-data/exports`,
    body: {
      start: window.start.toISOString(),
      end: window.end.toISOString(),
      isMessageDataIncluded: messageData,
    },
    once: true,
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
    once: false,
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

/**
 * E2: replaces or creates (PUT), changes (PATCH) or deletes at most 50 items of a catalog, in one transaction. The rows of
 * this and the following requests are a list as JSON text.
 */
export function writeItems(
  projectId: string,
  catalog: string,
  method: 'PUT' | 'PATCH' | 'DELETE',
  items: string,
): FreeRequest {
  const path = `/v1/projects/${projectId}/catalogs/${encodeURIComponent(catalog)}/items`;
  const body = `{"items":${items}}`;
  return { endpoint: 'E2', method, path, body, once: false, whole: true };
}

/** E12: registers at most 1,000 recipients as opted out of an 080 number, or removes them. */
export function writeOptOuts(
  projectId: string,
  unsubscribeNo: string,
  recipients: string,
  removes: boolean,
): FreeRequest {
  const path = `/projects/${projectId}/messages/text-message/blockservice/recipients`;
  const body = `{"unsubscribeNo":${JSON.stringify(unsubscribeNo)},"recipientNoList":${recipients}}`;
  return removes
    ? { endpoint: 'E12', method: 'DELETE', path: `${path}/removes`, body, once: false, whole: true }
    : { endpoint: 'E12', method: 'POST', path, body, once: false, whole: true };
}

/** E13: tracks at most 500 events. */
export function trackEvents(events: string): OnceRequest {
  return { endpoint: 'E13', method: 'POST', path: '/track-event', body: events, once: true };
}

/** E14: sets properties of at most 1,000 users. Repeating the request sets them to the same values. */
export function setUserProperties(users: string): FreeRequest {
  return {
    endpoint: 'E14',
    method: 'POST',
    path: '/set-user-properties',
    body: users,
    once: false,
    whole: true,
  };
}

/** E16: lets at most 1,000 users enter a journey. */
export function enterJourney(projectId: string, journeyId: string, users: string): OnceRequest {
  const path = `/projects/${projectId}/user-journeys/${encodeURIComponent(journeyId)}/enter`;
  return { endpoint: 'E16', method: 'POST', path, body: `{"users":${users}}`, once: true };
}

function reference(endpoint: FreeRequest['endpoint'], path: string, query: Query = {}): FreeRequest {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  return { endpoint, method: 'GET', path: path + search, once: false, whole: true };
}

/** The endpoints that Dawnload uses: E1, E2, E4, E5, E10 and E12 to E21 of the specification. */
import { windowOf, type DayRange, type Window } from '../ground/calendar.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestBase {
  readonly endpoint: `E${number}`;
  readonly method: Method;
  readonly path: string;
  /** Sent as JSON. A string must be JSON text already. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request has no range of days that can be halved after a `Timeout`. */
  readonly whole?: boolean;
  /** The key that makes a body a valid answer, whatever its status. */
  readonly discriminator?: string;
}

export interface FreeRequest extends RequestBase {
  readonly once: false;
}

/** A request that must not be repeated: E20 is billed each time, E13 and E16 reach people each time. Only a `Permit` sends it. */
export interface OnceRequest extends RequestBase {
  readonly once: true;
}

export type ServiceRequest = FreeRequest | OnceRequest;

type Rest = Omit<RequestBase, 'endpoint' | 'method' | 'path'>;

function free(endpoint: RequestBase['endpoint'], method: Method, path: string, rest: Rest = {}): FreeRequest {
  return { endpoint, method, path, ...rest, once: false };
}

function once(endpoint: RequestBase['endpoint'], path: string, rest: Rest): OnceRequest {
  return { endpoint, method: 'POST', path, ...rest, once: true };
}

/** Encodes an id as part of a path. Half a surrogate pair has no bytes, so the replacement character is sent. */
const segment = (id: string): string => encodeURIComponent(id.toWellFormed());

export type Query = Readonly<Record<string, string | number | undefined>>;

function reference(endpoint: RequestBase['endpoint'], path: string, query: Query = {}): FreeRequest {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`;
  return free(endpoint, 'GET', path + search, { whole: true });
}

/** E1: requests a token. */
export const authenticate = (body: { accessKey: string; secretKey: string }): FreeRequest =>
  free('E1', 'POST', '/authenticate', { body, whole: true });

type AskStatistics = (projectId: string, range: DayRange, tags?: readonly string[]) => FreeRequest;

/** E17: daily statistics for a range of days, both ends included. With tags, only for campaigns with one of them. */
export const dailyStatistics: AskStatistics = (projectId, range, tags) =>
  free('E17', 'POST', `/v1/projects/${projectId}/statistics`, statisticsOf(range, tags));

/** E18: daily statistics by sub-channel; a GET with a body. */
export const subchannelStatistics: AskStatistics = (projectId, range, tags) =>
  free('E18', 'GET', `/v1/projects/${projectId}/statistics.csv`, statisticsOf(range, tags));

const statisticsOf = ({ start, end }: DayRange, tags: readonly string[] = []): Rest => ({
  body: tags.length === 0 ? { start, end } : { start, end, tags },
});

/** E19: statistics of one campaign, for the UTC hours of whole KST days. */
export function campaignStatistics(projectId: string, campaignId: string, range: DayRange): FreeRequest {
  const { start, end } = windowOf(range);
  const query = new URLSearchParams({ start: start.toISOString(), end: end.toISOString() });
  const path = `/projects/${projectId}/campaigns/${segment(campaignId)}/stats`;
  return free('E19', 'GET', `${path}?${query.toString()}`);
}

/** Identifies a user by the customer's id, or by an address or number exactly as the service stores it. */
interface ServiceUser {
  readonly userId?: string;
  readonly userProperties?: { readonly $email?: string; readonly $phone_number?: string };
}

/** E15: deletes at most 1,000 persons. Repeating the request does no harm. */
export const deleteUsers = (projectId: string, users: readonly ServiceUser[]): FreeRequest =>
  free('E15', 'DELETE', '/users', { body: users.map((user) => ({ projectId, ...user })) });

const exportsPath = (projectId: string): string => `/projects/${projectId}/campaign-event-data/exports`;

/** E20: requests a paid export for a time range in UTC. */
export const exportRequest = (
  projectId: string,
  { start, end }: Window,
  isMessageDataIncluded: boolean,
): OnceRequest =>
  once('E20', exportsPath(projectId), {
    body: { start: start.toISOString(), end: end.toISOString(), isMessageDataIncluded },
    discriminator: 'export_id',
  });

/** Maximum number of records on a page of an export (specification, Limits). */
export const RECORDS_PER_PAGE = 1_000;

/** E21: one page of an export, counted from 0. A setting has the name of the page parameter (N18). */
export function exportResult(projectId: string, exportId: string, pageParameter: string, page: number) {
  const query = new URLSearchParams({ [pageParameter]: String(page) });
  const path = `${exportsPath(projectId)}/${segment(exportId)}/result`;
  return free('E21', 'GET', `${path}?${query.toString()}`, { discriminator: 'status' });
}

/** E2: a page of the project's catalogs. `cursor` selects a page after the first one. */
export const catalogs = (projectId: string, cursor?: string): FreeRequest =>
  reference('E2', `/v1/projects/${projectId}/catalogs`, { cursor });

const itemsPath = (projectId: string, catalog: string): string =>
  `/v1/projects/${projectId}/catalogs/${segment(catalog)}/items`;

/** E2: a page of 50 items of a catalog. `cursor` comes from the previous page. */
export const catalogItems = (projectId: string, catalog: string, cursor?: string): FreeRequest =>
  reference('E2', itemsPath(projectId, catalog), { cursor });

const brandTemplatesPath = (projectId: string, messenger: string): string =>
  `/v1/projects/${projectId}/messages/${messenger}-brand-message/templates`;

/** E4: a page of brand-message templates for a sender key. `messenger` is the messenger's name in paths. */
export const brandTemplates = (projectId: string, messenger: string, query: Query): FreeRequest =>
  reference('E4', brandTemplatesPath(projectId, messenger), query);

/** E5: one brand-message template and its status. */
export function brandTemplate(
  projectId: string,
  messenger: string,
  templateId: string,
  { key, parameter, place }: { key: string; parameter: string; place: 'query' | 'header' },
): FreeRequest {
  const path = `${brandTemplatesPath(projectId, messenger)}/${segment(templateId)}`;
  const sender = { [parameter]: key };
  return place === 'query' ? reference('E5', path, sender) : { ...reference('E5', path), headers: sender };
}

/** E10: a page of the alimtalk templates. */
export const alimtalkTemplates = (projectId: string, messenger: string, query: Query): FreeRequest =>
  reference('E10', `/projects/${projectId}/messages/${messenger}-alimtalk/templates`, query);

const optOutsPath = (projectId: string): string =>
  `/projects/${projectId}/messages/text-message/blockservice/recipients`;

/** E12: a page of the recipients who opted out of text messages by an 080 number. */
export const optOuts = (projectId: string, query: Query): FreeRequest =>
  reference('E12', optOutsPath(projectId), query);

/**
 * E2: replaces or creates (PUT), changes (PATCH) or deletes at most 50 items of a catalog, in one transaction. Here and below, rows are
 * given as the JSON text of a list.
 */
export const writeItems = (
  projectId: string,
  catalog: string,
  method: 'PUT' | 'PATCH' | 'DELETE',
  items: string,
): FreeRequest =>
  free('E2', method, itemsPath(projectId, catalog), { body: `{"items":${items}}`, whole: true });

/** E12: registers at most 1,000 recipients as opted out of an 080 number. */
export function writeOptOuts(projectId: string, unsubscribeNo: string, recipients: string): FreeRequest {
  const body = `{"unsubscribeNo":${JSON.stringify(unsubscribeNo)},"recipientNoList":${recipients}}`;
  return free('E12', 'POST', optOutsPath(projectId), { body, whole: true });
}

/** E13: tracks at most 500 events. */
export const trackEvents = (body: string): OnceRequest => once('E13', '/track-event', { body });

/** E14: sets properties of at most 1,000 users. Repeating the request has no further effect. */
export const setUserProperties = (body: string): FreeRequest =>
  free('E14', 'POST', '/set-user-properties', { body, whole: true });

/** E16: adds at most 1,000 users to a journey. */
export const enterJourney = (projectId: string, journeyId: string, users: string): OnceRequest =>
  once('E16', `/projects/${projectId}/user-journeys/${segment(journeyId)}/enter`, {
    body: `{"users":${users}}`,
  });

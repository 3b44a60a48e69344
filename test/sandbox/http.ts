/** Plain requests to the sandbox over node:http: GET with a body, raw answers, nothing retried. */
import { type IncomingHttpHeaders, request } from 'node:http';

import type { Sandbox } from '../../sandbox/index.js';

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; where it is of another shape than most, tests say so. */
  json: Reply;
}

/** What answers of E20 and E21, and errors of all endpoints, hold. */
interface Reply {
  status: string;
  message: string;
  error: string | null;
  export_id: string;
  data: EventRecord[];
  total_page_count: number;
}

interface Ask {
  method?: string;
  path: string;
  token?: string;
  /** JSON, unless it is a text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One request and its whole answer; rejects when the connection breaks before the answer ends. */
export function ask(
  sandbox: { url: string },
  { method = 'GET', path, token, body, headers = {} }: Ask,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const text =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const sent = request(
      `${sandbox.url}${path}`,
      {
        method,
        agent: false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const received = Buffer.concat(chunks).toString();

          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: received,
            json: parse(received) as Reply,
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

export const PROJECT = '0123456789abcdef0123456789abcdef';
export const KEYS = { accessKey: 'sandbox-access-key', secretKey: 'sandbox-secret-key' };

export async function logIn(sandbox: { url: string }): Promise<string> {
  const { json } = await ask(sandbox, { method: 'POST', path: '/authenticate', body: KEYS });
  return json.data as unknown as string;
}

/** A client that is logged in: one function for each endpoint. */
export async function client(sandbox: Sandbox, project = PROJECT) {
  const token = await logIn(sandbox);
  const exports = `/projects/${project}/campaign-event-data/exports`;
  return {
    token,
    e17: (body: unknown) =>
      ask(sandbox, { method: 'POST', path: `/v1/projects/${project}/statistics`, token, body }),
    e18: (body: unknown) => ask(sandbox, { path: `/v1/projects/${project}/statistics.csv`, token, body }),
    e19: (campaign: string, start: string, end: string) =>
      ask(sandbox, {
        path: `/projects/${project}/campaigns/${campaign}/stats?start=${start}&end=${end}`,
        token,
      }),
    e20: (body: unknown) => ask(sandbox, { method: 'POST', path: exports, token, body }),
    e21: (id: string, page: number | string = 0, parameter = 'page') =>
      ask(sandbox, { path: `${exports}/${id}/result?${parameter}=${page}`, token }),
  };
}

export type Client = Awaited<ReturnType<typeof client>>;

/** Every record of a window, page after page. */
export async function exportAll(service: Client, start: string, end: string, isMessageDataIncluded = true) {
  const { json } = await service.e20({ start, end, isMessageDataIncluded });
  const records = [];
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const got = await service.e21(json.export_id, page);
    pages = got.json.total_page_count;
    records.push(...got.json.data);
  }
  return records;
}

export interface EventRecord {
  id: string;
  user_id: string;
  channel: string;
  event_name: string;
  failure_reason: string | null;
  resource_type: string;
  campaign_id: string | null;
  experiment_group_name: string | null;
  user_journey_id: string | null;
  user_journey_node_id: string | null;
  time: string;
  message_data: Record<string, unknown> | null;
  channel_metadata: { channel_subtype: string | null; brand_message_target: string | null };
}

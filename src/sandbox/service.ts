/** From a request to its answer: which endpoint, who asks, for which project. Knows nothing of sockets. */
import { type Reply, jsonAnswer } from './answer.js';
import type { Call, Endpoint } from './endpoint.js';
import { INVALID_TOKEN, refuse } from './family.js';
import type { Settings } from './options.js';
import type { Tokens } from './tokens.js';

/** `projectId` in paths. */
const PROJECT_ID = /^[a-f0-9]{32}$/;

export interface Asked {
  readonly query: URLSearchParams;
  readonly headers: Call['headers'];
  /** The body, or null when it was too large to take. */
  readonly body: Buffer | null;
}

export function notFound(): Reply {
  return jsonAnswer({ error: 'Not Found' }, 404);
}

/** The endpoint of a path, and the values in the path. */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): { endpoint: Endpoint; values: string[] } | null {
  for (const endpoint of endpoints) {
    const match = endpoint.path.exec(path);
    if (match !== null && endpoint.method === method) return { endpoint, values: match.slice(1) };
  }
  return null;
}

/** Why the caller may not: nothing when it may. */
function refusalOf(endpoint: Endpoint, values: string[], asked: Asked, settings: Settings, tokens: Tokens) {
  const { family } = endpoint;
  if (family === 'authentication') return null;
  const { authorization } = asked.headers;
  const token = typeof authorization === 'string' ? /^Bearer (.+)$/.exec(authorization)?.[1] : undefined;
  if (token === undefined || !tokens.isValid(token)) return refuse(family, 'unauthorized', INVALID_TOKEN);
  const projectId = values[0] ?? '';
  if (!PROJECT_ID.test(projectId)) return refuse(family, 'invalid', 'Invalid project id');
  if (projectId === settings.projectId) return null;
  return endpoint.otherProject?.() ?? refuse(family, 'forbidden', 'Project access denied');
}

export function answerTo(
  endpoint: Endpoint,
  values: string[],
  asked: Asked,
  settings: Settings,
  tokens: Tokens,
): Reply {
  if (asked.body === null) return refuse(endpoint.family, 'too-large', 'The request body is too large');
  const refusal = refusalOf(endpoint, values, asked, settings, tokens);
  if (refusal !== null) return refusal;
  let body: unknown;
  if (endpoint.hasBody) {
    try {
      body = JSON.parse(asked.body.toString());
    } catch {
      return refuse(endpoint.family, 'invalid', 'The request body is not JSON');
    }
  }
  try {
    return endpoint.answer({
      values: values.slice(1),
      query: asked.query,
      body,
      bytes: asked.body,
      headers: asked.headers,
    });
  } catch (error) {
    // What went wrong inside is the sandbox's own fault; the service would say no more than this.
    const reason = error instanceof Error ? error.message : 'unknown';
    return refuse(endpoint.family, 'internal', `Internal Server Error (${reason})`);
  }
}

/** An endpoint of the specification: its request and its handler. */
import type { Reply } from './answer.js';
import type { Family } from './family.js';

type Number = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21;

export type EndpointName = `E${Number}`;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A request that has passed authentication and is for the sandbox's own project. */
export interface Call {
  /** The path's values, after the project's where the path has one. */
  readonly values: readonly string[];
  readonly query: URLSearchParams;
  /** The JSON of the body, where the endpoint has one. */
  readonly body: unknown;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Endpoint {
  readonly name: EndpointName;
  readonly method: (typeof METHODS)[number];
  /** The first group is the project, unless the body names it. */
  readonly path: RegExp;
  /** True where the body names the project (E7 to E9, E13 to E15): then the endpoint checks it. */
  readonly projectInBody?: true;
  readonly family: Family;
  /** Whether there is a JSON body to parse: E18 has one although it is a GET. */
  readonly hasBody: boolean;
  /** The largest body that it takes; default 1 MiB, more than any other has. */
  readonly bodyBytes?: number;
  /** The query parameter that says which page; default that of E21. */
  readonly pageParameter?: string;
  readonly answer: (call: Call) => Reply;
  /** The answer for another project; default the family's refusal. */
  readonly otherProject?: () => Reply;
}

/**
 * A row of the table. `request` is a method and a path, a regular expression. A GET or DELETE has no JSON body and
 * others have one, unless `rest` says otherwise.
 */
export function endpoint(
  name: EndpointName,
  family: Family,
  request: `${Endpoint['method']} /${string}`,
  answer: Endpoint['answer'],
  rest: Partial<Endpoint> = {},
): Endpoint {
  const [, method, path = ''] = /^(GET|POST|PUT|PATCH|DELETE) (.*)$/.exec(request) ?? [];
  const known = METHODS.find((one) => one === method) ?? 'GET';
  const hasBody = known !== 'GET' && known !== 'DELETE';
  return { name, family, method: known, path: new RegExp(`^${path}$`), hasBody, answer, ...rest };
}

/** A decoded value of a path; one that cannot be decoded stays encoded, and fits no rule. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** An endpoint of the specification: what is asked of it, and who answers. */
import type { Reply } from './answer.js';
import type { Family } from './family.js';

export type EndpointName =
  | 'E1'
  | 'E2'
  | 'E3'
  | 'E4'
  | 'E5'
  | 'E6'
  | 'E10'
  | 'E11'
  | 'E12'
  | 'E17'
  | 'E18'
  | 'E19'
  | 'E20'
  | 'E21';

/** A request that has passed authentication and is for the sandbox's own project. */
export interface Call {
  /** The path's values after the project's. */
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
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The first group, where there is one, is the project. */
  readonly path: RegExp;
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

/** A value of a path as it was meant; what cannot be decoded stays as it is, and fits no rule. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

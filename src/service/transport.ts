/**
 * The connections to the service: kept alive, through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name. A request that
 * must not be repeated gets one of its own.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import type { buildConnector, Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ConfigError } from '../ground/errors.js';

/**
 * How long a connection to one of several addresses of a host may take before the next one is tried: long enough to repeat
 * a lost packet twice (after 1 s and 3 s). After Node's own 250 ms, a distant IPv4 beside a dead IPv6 is never reached.
 */
const ATTEMPT_MS = 4_000;

/** The HTTP library, which takes as long to load as DuckDB to open a file: commands without a request do without it. */
export function http() {
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_MS);
  return import('undici');
}

/** A dispatcher through the proxy that the environment names. Throws ConfigError if that is not an address. */
export async function throughProxy(options?: EnvHttpProxyAgent.Options): Promise<EnvHttpProxyAgent> {
  const { EnvHttpProxyAgent } = await http();
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    const message = 'HTTPS_PROXY or HTTP_PROXY is not an address such as http://proxy.example.com:3128.';
    throw new ConfigError(message, { hint: 'Correct it in the environment.', cause });
  }
}

/** The connection for a request that must not be repeated. */
export interface OwnConnection {
  readonly dispatcher: Dispatcher;
  /** True once it existed; until then, nothing has been written. */
  readonly isConnected: () => boolean;
}

export class Connections {
  #shared: Promise<Dispatcher> | undefined;

  /**
   * @param deadlineMs the time limit of each step of a connection
   * @param service replaces all connections
   */
  constructor(
    private readonly connections: number,
    private readonly deadlineMs: number,
    private readonly service?: Dispatcher,
  ) {}

  shared(): Promise<Dispatcher> {
    if (this.service !== undefined) return Promise.resolve(this.service);
    this.#shared ??= this.#open({ connections: this.connections, pipelining: 1, keepAliveTimeout: 4_000 });
    return this.#shared;
  }

  /** On a stale kept-alive one it would be unknown whether the request was read. */
  async own(): Promise<OwnConnection> {
    if (this.service !== undefined) return { dispatcher: this.service, isConnected: () => true };
    const { Pool } = await http();
    let isConnected = false;
    // A proxy's connector resolves once its tunnel to the service is open.
    const noting =
      (inner: buildConnector.connector): buildConnector.connector =>
      (options, callback) => {
        inner(options, (...result) => {
          isConnected ||= result[0] === null;
          callback(...result);
        });
      };
    const factory = (origin: string | URL, options: { connect: buildConnector.connector }): Dispatcher =>
      new Pool(origin, { ...options, connect: noting(options.connect) });
    const dispatcher = await this.#open({ connections: 1, pipelining: 0, factory });
    return { dispatcher, isConnected: () => isConnected };
  }

  async #open(own: EnvHttpProxyAgent.Options): Promise<EnvHttpProxyAgent> {
    const { buildConnector } = await http();
    const connect = buildConnector({ timeout: this.deadlineMs });
    return throughProxy({ connect, headersTimeout: this.deadlineMs, bodyTimeout: this.deadlineMs, ...own });
  }

  async close(): Promise<void> {
    await (await this.#shared)?.destroy();
  }
}

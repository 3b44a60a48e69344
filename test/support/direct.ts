/** The service without sockets: a dispatcher that hands each request to a sandbox of this process, and its answer back. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';

/** What a request asks, before the service reads it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * @param isCut true once nothing that this process sends arrives any more
 * @param onRequest sees each request that leaves
 */
export function directly(
  listener: RequestListener,
  isCut: () => boolean,
  onRequest: (asked: Asked) => void,
): Dispatcher {
  return new Agent().compose(() => (options, handler) => {
    const exchange = new Exchange(handler);
    const { method, path, headers } = options;
    const body = typeof options.body === 'string' ? options.body : '';
    if (isCut()) exchange.resetAndDestroy();
    if (exchange.aborted) return true;
    onRequest({ method, path, body });
    const request = {
      ...{ method, url: path, headers, socket: exchange },
      *[Symbol.iterator]() {
        yield Buffer.from(body);
      },
    };
    // The sandbox and its faults use no more of both than what is here.
    listener(request as unknown as IncomingMessage, exchange as unknown as ServerResponse);
    return true;
  });
}

/** One exchange: the response of the sandbox, the socket on which its faults write, and what the client may do. */
class Exchange implements Dispatcher.DispatchController {
  readonly socket = this;
  readonly #headers = new Map<string, string>();
  /** The bytes that are due; undefined where the answer does not say. */
  #due: number | undefined;
  aborted = false;
  readonly paused = false;
  reason: Error | null = null;
  sendDate = false;

  constructor(private readonly handler: Dispatcher.DispatchHandler) {
    handler.onRequestStart?.(this, {});
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): void {
    for (const [name, value] of Object.entries(headers)) this.#headers.set(name.toLowerCase(), String(value));
    const length = this.#headers.get('content-length');
    this.#due = length === undefined ? undefined : Number(length);
    if (!this.aborted) this.handler.onResponseStart?.(this, status, Object.fromEntries(this.#headers), '');
  }

  /** Bytes of the body; from a fault, also a head as it goes over the wire. */
  write(bytes: Buffer | string): void {
    if (typeof bytes === 'string') {
      const [first = '', ...lines] = bytes.trimEnd().split('\r\n');
      const headers = lines.map((line) => /^([^:]*): (.*)$/.exec(line)?.slice(1) ?? []);
      this.writeHead(Number(first.split(' ')[1]), Object.fromEntries(headers) as Record<string, string>);
    } else if (!this.aborted) {
      if (this.#due !== undefined) this.#due -= bytes.length;
      this.handler.onResponseData?.(this, bytes);
    }
  }

  end(bytes?: Buffer): void {
    if (bytes !== undefined) this.write(bytes);
    if (this.aborted) return;
    if (this.#due === undefined || this.#due === 0) {
      this.aborted = true;
      this.handler.onResponseEnd?.(this, {});
    } else this.#fail('UND_ERR_SOCKET', 'other side closed');
  }

  resetAndDestroy(): void {
    this.#fail('ECONNRESET', 'read ECONNRESET');
  }

  destroy(): void {
    this.resetAndDestroy();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.handler.onResponseError?.(this, reason);
  }

  pause(): void {
    return;
  }

  resume(): void {
    return;
  }

  #fail(code: string, what: string): void {
    this.abort(Object.assign(new Error(what), { code }));
  }
}

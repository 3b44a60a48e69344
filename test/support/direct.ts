/** A dispatcher that passes each request to a sandbox in this process, without sockets. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';

/** A request before the service handles it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * @param isCut true once requests of this process no longer arrive
 * @param onRequest is called with each request that leaves
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
    // The sandbox and its faults use only these members of both.
    listener(request as unknown as IncomingMessage, exchange as unknown as ServerResponse);
    return true;
  });
}

/** One exchange: the sandbox's response, the socket on which its faults write, and the client's controller. */
class Exchange implements Dispatcher.DispatchController {
  readonly socket = this;
  readonly #headers = new Map<string, string>();
  /** The announced size of the body; undefined without one. */
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

  /** Writes bytes of the body; a fault may also write a raw head. */
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

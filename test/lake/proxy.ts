/** An HTTP proxy before the catalog, which can do something between a request and its answer. */
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http';

export interface Request {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What is answered, given what passes the request on to the catalog; undefined hangs up without a word. */
export type Interfere = (request: Request, pass: () => Promise<Answer>) => Promise<Answer | undefined>;

export const isCommit = ({ method, path }: Request): boolean =>
  method === 'POST' && path.includes('/transactions/commit');

export class Proxy {
  interfere: Interfere | undefined;

  private constructor(readonly url: string) {}

  /** @param target the address of the catalog */
  static async start(target: string): Promise<Proxy> {
    const { hostname, port, pathname } = new URL(target);
    const server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = 'GET', url: path = '/', headers } = incoming;
        const request = { method, path, headers, body: Buffer.concat(chunks) };
        const pass = (): Promise<Answer> => passOn({ hostname, port }, request);
        (proxy.interfere?.(request, pass) ?? pass()).then(
          (answer) => {
            if (answer === undefined) incoming.socket.destroy();
            else {
              const headers = { ...answer.headers, 'content-length': String(answer.body.length) };
              delete headers['transfer-encoding'];
              outgoing.writeHead(answer.status, headers).end(answer.body);
            }
          },
          () => incoming.socket.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const own = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = new Proxy(`http://127.0.0.1:${own}${pathname}`);
    return proxy;
  }
}

/** The header `host` stays what the client wrote, so that the catalog names the proxy as its own address. */
function passOn(
  target: { readonly hostname: string; readonly port: string },
  request: Request,
): Promise<Answer> {
  const { method, path, headers, body } = request;
  return new Promise((done, fail) => {
    const outgoing = send({ ...target, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () => {
        done({
          status: incoming.statusCode ?? 502,
          headers: incoming.headers,
          body: Buffer.concat(chunks),
        });
      });
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

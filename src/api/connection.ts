/** A connection to the service without a request: whether it can be reached, and which certificate it shows. */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { codeOf, InterruptedError } from '../errors.js';
import { unreachable } from './unreachable.js';

export interface Connection {
  /** The numeric address that was reached. */
  readonly address: string;
  /** Undefined where the address is http. */
  readonly certificate: Certificate | undefined;
}

export interface Certificate {
  readonly validTo: Date;
  /** Why it is not accepted, as Node's code. */
  readonly refused: string | undefined;
}

/**
 * Connects and hangs up again.
 *
 * @throws ServiceError when the service cannot be reached, InterruptedError when the signal aborts
 */
export function lookAtConnection(
  baseUrl: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const { protocol, hostname, port } = new URL(baseUrl);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'https:';
  const to = { host, port: Number(port === '' ? (secure ? 443 : 80) : port) };
  return new Promise((resolve, reject) => {
    const isName = !/^[\d.]+$|:/.test(host);
    // What the certificate is worth is read below: a refused one is to be told of, too.
    const socket: Socket = secure
      ? connectTls({ ...to, ...(isName ? { servername: host } : {}), rejectUnauthorized: false })
      : connectPlain(to);
    const fail = (reason: string, cause?: unknown): void => {
      settle(() => {
        reject(unreachable(baseUrl, reason, cause));
      });
    };
    const stop = (): void => {
      settle(() => {
        reject(new InterruptedError('Interrupted while connecting.'));
      });
    };
    const late = setTimeout(() => {
      fail(`no connection within ${deadlineMs / 1000} s`);
    }, deadlineMs);
    const settle = (how: () => void): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      how();
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', (error) => {
      fail(reasonOf(error), error);
    });
    socket.on('close', () => {
      fail('the connection was closed at once');
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      const connection = { address: socket.remoteAddress ?? host, certificate: certificateOf(socket) };
      settle(() => {
        resolve(connection);
      });
    });
  });
}

function certificateOf(socket: Socket): Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  // Node's types call it an error; it is the error's code.
  const refused: unknown = socket.authorizationError;
  return {
    validTo: new Date(socket.getPeerCertificate().valid_to),
    refused: socket.authorized ? undefined : typeof refused === 'string' ? refused : reasonOf(refused),
  };
}

function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return codeOf(first) ?? String(first);
}

/** Faults of the connection: the answer is lost, late, truncated, too large, has a wrong length, or is another one. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createGzip } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';

import { type Reply, jsonAnswer } from '../../../sandbox/answer.js';
import { type Family, refuse } from '../../../sandbox/family.js';
import type { ConnectionFault, InsteadFault } from './fault.js';

const MIB = 1024 * 1024;

/** Larger than the largest answer of this service, 64 MiB. */
const TOO_LARGE_MIB = 65;

/** Connections that look alive but are dead, with their fault. */
export type StaleSockets = WeakMap<Socket, ConnectionFault>;

/** Sends the answer as the fault defines; the answer is null if the request was not handled. */
export function mistreat(
  fault: ConnectionFault,
  response: ServerResponse,
  answer: Reply | null,
  stale: StaleSockets,
): void {
  const { socket } = response;
  if (socket === null || fault.kind === 'no-answer') return;
  if (fault.kind === 'reset-before' || fault.kind === 'reset-after' || answer === null) {
    socket.resetAndDestroy();
    return;
  }
  const { body } = answer;
  const bytes = 'bytes' in fault ? fault.bytes : undefined;
  const part = body.subarray(0, bytes ?? Math.floor(body.length / 2));
  switch (fault.kind) {
    case 'slow-drip':
      socket.write(headOf(answer, { 'content-length': body.length }));
      drip(socket, body, bytes ?? 1, fault.intervalMs ?? 1000);
      return;
    case 'cut-with-length':
      socket.write(headOf(answer, { 'content-length': body.length }));
      socket.end(part);
      return;
    case 'cut-without-length':
      if (fault.framing === 'close') {
        socket.write(headOf(answer, { connection: 'close' }));
        socket.end(part);
      } else {
        response.writeHead(answer.status, answer.headers);
        // Written before the end, so that Node adds no content-length.
        response.write(part);
        response.end();
      }
      return;
    case 'wrong-length': {
      const by = fault.by ?? -10;
      socket.write(headOf(answer, { 'content-length': Math.max(0, body.length + by) }));
      // Too small: the open connection has extra bytes that belong to no answer.
      if (by < 0) socket.write(body);
      else socket.end(body);
      return;
    }
    case 'gzip-bomb':
      response.writeHead(answer.status, { ...answer.headers, 'content-encoding': 'gzip' });
      pipeline(padded(body, fault.mib ?? TOO_LARGE_MIB), createGzip(), response, ignore);
      return;
    case 'oversized':
      response.writeHead(answer.status, {
        ...answer.headers,
        'content-length': Math.max(body.length, (fault.mib ?? TOO_LARGE_MIB) * MIB),
      });
      pipeline(padded(body, fault.mib ?? TOO_LARGE_MIB), response, ignore);
      return;
    case 'close-keep-alive':
      if (fault.when === 'idle') response.once('finish', () => socket.end());
      else stale.set(socket, fault);
      response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
      response.end(body);
  }
}

/** The raw head of an answer, for lengths that node:http would not write. */
function headOf({ status, headers }: Reply, more: Record<string, string | number>): string {
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
}

/** Writes this number of bytes at a time, until the end or until the client closes. */
function drip(socket: Socket, body: Buffer, bytes: number, intervalMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= body.length) {
      clearInterval(timer);
      return;
    }
    socket.write(body.subarray(at, at + bytes));
    at += bytes;
  }, intervalMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** The body, padded with spaces (which JSON allows) to this number of MiB; never completely in memory. */
function padded(body: Buffer, mib: number): Readable {
  const spaces = Buffer.alloc(MIB, ' ');
  function* chunks() {
    yield body;
    for (let rest = mib * MIB - body.length; rest > 0; rest -= MIB)
      yield spaces.subarray(0, Math.min(rest, MIB));
  }
  return Readable.from(chunks());
}

/** A client may correctly hang up on a body that is too large. */
function ignore(): void {
  return;
}

/**
 * @param family whose error shape to use
 * @param address path and query of the request
 */
export function answerInstead(fault: InsteadFault, family: Family, address: string): Reply {
  switch (fault.kind) {
    case 'redirect':
      return {
        status: fault.status ?? 302,
        headers: { location: fault.location ?? address },
        body: Buffer.alloc(0),
      };
    case 'status': {
      const { status, headers = {}, body } = fault;
      if (body === undefined) {
        const answer = refuse(family, 'internal', `Answered with ${status} on command`, status);
        return { ...answer, headers: { ...answer.headers, ...headers } };
      }
      // Such as the HTML page of a proxy.
      if (typeof body === 'string') {
        return { status, headers: { 'content-type': 'text/html', ...headers }, body: Buffer.from(body) };
      }
      const answer = jsonAnswer(body, status);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    }
    case 'error-body-200':
      return refuse(family, fault.refusal ?? 'internal', 'Failed on command', 200);
    case 'other-shape-200':
      return jsonAnswer(fault.body ?? { result: { items: [] }, ok: true });
  }
}

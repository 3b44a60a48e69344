/** Serves the health of `dawnload schedule` as JSON on a port of the loopback interface. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf, EXIT, messageOf, UsageError } from '../errors.js';
import { morningEnd, nightOf, verdictOn, type Nights, type Verdict } from './schedule.js';

interface Health {
  /**
   * Healthy: `ok`, `waiting` for an export, `running`, or `starting` before the first run. Unhealthy: `failed`,
   * `overdue`.
   */
  readonly status: 'ok' | 'waiting' | 'running' | 'starting' | 'failed' | 'overdue';
  readonly last_run: {
    readonly started_at: Date;
    readonly finished_at: Date | null;
    readonly exit_code: number | null;
    readonly outcome: Verdict | 'refused';
  } | null;
  readonly running_since: Date | null;
  readonly next_run_at: Date | null;
}

/** Computes the health from the state of the scheduler. Pure. */
export function healthOf(now: Date, given: Nights['state']): Health {
  // Runs with a date in the future come from a wrong clock and are ignored.
  const runs = given.runs.filter(({ begun }) => begun.startedAt <= now);
  const state = { ...given, runs };
  const { at, runningSince, next } = state;
  const last = runs.findLast(({ over }) => over !== undefined);
  const over = last?.over;
  return {
    status: statusOf(now, state),
    last_run:
      last === undefined || over === undefined
        ? null
        : {
            started_at: last.begun.startedAt,
            finished_at: over.finishedAt,
            exit_code: over.exitCode,
            outcome: over.exitCode === EXIT.refused ? 'refused' : verdictOn(last),
          },
    running_since: runningSince ?? null,
    next_run_at: runningSince === undefined ? (next?.at ?? null) : nightOf(now, at).end,
  };
}

function statusOf(now: Date, { since, at, runs, runningSince }: Nights['state']): Health['status'] {
  const last = runs.findLast(({ over }) => over !== undefined);
  const verdict = last === undefined ? undefined : verdictOn(last);
  if (verdict === 'failed') return 'failed';
  if (verdict === 'person' && last?.over?.exitCode !== EXIT.refused) return 'failed';
  const night = nightOf(now, at);
  const isDone = runs.some(
    (run) => run.begun.startedAt >= night.start && ['done', 'person'].includes(verdictOn(run)),
  );
  // A scheduler that has just started is not responsible for the time before its start.
  const expected = morningEnd(since > night.start ? since : night.start);
  if (!isDone && now > expected) return 'overdue';
  if (runningSince !== undefined) return 'running';
  if (verdict === undefined) return 'starting';
  return verdict === 'waiting' ? 'waiting' : 'ok';
}

export function isWell({ status }: Health): boolean {
  return status !== 'failed' && status !== 'overdue';
}

interface HealthServer {
  readonly url: string;
  close(): void;
}

/**
 * Answers `GET /healthz` on loopback: 200 if healthy, otherwise 503.
 *
 * @param port 0 for any free port
 * @throws UsageError if the port is not available
 */
export async function serveHealth(port: number, health: () => Health): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/healthz') answer(response, 404, { error: 'There is only /healthz.' });
    else if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      answer(response, 405, { error: 'Ask with GET.' });
    } else {
      const found = health();
      answer(response, isWell(found) ? 200 : 503, found);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new UsageError(
          `Port ${port} of this machine cannot be opened (${codeOf(cause) ?? messageOf(cause)}).`,
          {
            hint: 'Choose another with --health-port, or 0 for any free one.',
            cause,
          },
        ),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${addressOf(server.address()).port}/healthz`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address;
}

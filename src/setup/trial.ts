/** Tries answers on the service: a connection, E1, and one day of E17. All of it is free. */
import { lookAtConnection } from '../api/connection.js';
import { ServiceClient } from '../api/client.js';
import { unreachable } from '../api/unreachable.js';
import { lastCompleteDay, type Day } from '../calendar.js';
import type { Effects } from '../effects.js';
import { CredentialsError, ServiceError, type DawnloadError } from '../errors.js';
import { estimateDays } from '../exports/estimate.js';
import { dayTotals } from '../statistics/day-totals.js';
import type { Answers } from './answers.js';

const CONNECT_MS = 10_000;
const ANSWER_SECONDS = 30;

/** What one night holds, and how far this machine's clock is from the service's. */
export interface Night {
  readonly day: Day;
  readonly messages: number;
  /** Of its export; undefined where the service counted nothing. */
  readonly records: number | undefined;
  /** This machine's clock behind the service's, in milliseconds. */
  readonly skewMs: number | undefined;
}

/** The answer that has to be given again, and why. */
export interface Doubt {
  readonly about: 'baseUrl' | 'projectId' | 'keys';
  readonly error: DawnloadError;
}

export type Tried = { readonly night: Night } | { readonly doubt: Doubt };

export interface World {
  readonly effects: Effects;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Whether a connection can be made, and its certificate is accepted. Throws InterruptedError. */
export async function tryConnection(baseUrl: string, signal: AbortSignal): Promise<Doubt | undefined> {
  try {
    const { certificate } = await lookAtConnection(baseUrl, CONNECT_MS, signal);
    if (certificate?.refused === undefined) return undefined;
    return { about: 'baseUrl', error: unreachable(baseUrl, certificate.refused, undefined) };
  } catch (error) {
    return doubtAbout('baseUrl', error);
  }
}

/** Whether the service takes the keys and knows the project, and what a night holds. Throws InterruptedError. */
export async function tryAnswers(
  { baseUrl, projectId, keys }: Pick<Answers, 'baseUrl' | 'projectId' | 'keys'>,
  { effects, signal, version }: World,
): Promise<Tried> {
  const settings = {
    baseUrl,
    projectId,
    credentials: { body: () => ({ ...keys }) },
    requestsPerSecond: 10,
    concurrency: 1,
    requestTimeoutSeconds: ANSWER_SECONDS,
    retries: 0,
  };
  const service = new ServiceClient(settings, effects, signal, version);
  try {
    try {
      await service.authorize();
    } catch (error) {
      return { doubt: doubtAbout(error instanceof CredentialsError ? 'keys' : 'baseUrl', error) };
    }
    const skewMs = service.clockSkewMs;
    // The earlier of two clocks decides, as in a run.
    const day = lastCompleteDay(new Date(effects.now().getTime() + Math.min(0, skewMs ?? 0)));
    try {
      const totals = await dayTotals(service, baseUrl, day);
      const [candidate] = estimateDays([], new Map([[day, totals]]), [day]).candidates;
      return { night: { day, messages: totals.sent, records: candidate?.estimate, skewMs } };
    } catch (error) {
      return { doubt: doubtAbout('projectId', error) };
    }
  } finally {
    await service.close();
  }
}

/** @throws what has nothing to do with the answer */
function doubtAbout(about: Doubt['about'], error: unknown): Doubt {
  if (error instanceof CredentialsError || error instanceof ServiceError) return { about, error };
  throw error;
}

/** Tests the connection to a service for `init` and `doctor`: E1 and E17 for one day, which are free. */
import { ServiceClient, type ServiceSettings } from '../service/client.js';
import { lastCompleteDay, type Day } from '../ground/calendar.js';
import { CredentialsError, ServiceError } from '../ground/errors.js';
import { estimateDays } from '../exports/budget.js';
import type { Invocation } from '../config/invocation.js';
import { dayTotals } from '../statistics/pull-daily.js';

/** The size of one night. `records` of its export is undefined if the service counted nothing. */
export interface Night {
  readonly day: Day;
  readonly messages: number;
  readonly records: number | undefined;
}

type Contact = {
  /** Milliseconds by which this machine's clock is behind the service's; undefined if the service sends no time. */
  readonly skewMs: number | undefined;
} & (
  | { readonly night: Night; readonly error?: undefined }
  /** The setting that the service refuses, and why. */
  | {
      readonly night?: undefined;
      readonly error: CredentialsError | ServiceError;
      readonly about: 'baseUrl' | 'projectId' | 'keys';
    }
);

/**
 * Checks that the service accepts the keys and knows the project, and estimates the size of a night.
 *
 * @throws InterruptedError, and errors that have other causes than the settings
 */
export async function contactService(
  access: Omit<ServiceSettings, 'requestsPerSecond' | 'concurrency' | 'retries' | 'serviceClock'>,
  invocation: Pick<Invocation, 'effects' | 'signal' | 'version'>,
): Promise<Contact> {
  const pace = { requestsPerSecond: 10, concurrency: 1, retries: 0, serviceClock: 'obey' as const };
  return ServiceClient.using({ ...access, ...pace }, invocation, async (service) => {
    let isAuthorized = false;
    try {
      await service.authorize();
      isAuthorized = true;
      const skewMs = service.clockSkewMs;
      // The earlier of the two clocks determines the day, as in a run.
      const day = lastCompleteDay(service.earlier());
      const totals = await dayTotals(service, day);
      const [candidate] = estimateDays([], new Map([[day, totals]]), [day]).candidates;
      return { skewMs, night: { day, messages: totals.sent, records: candidate?.estimate } };
    } catch (error) {
      if (!(error instanceof CredentialsError) && !(error instanceof ServiceError)) throw error;
      const about = isAuthorized ? 'projectId' : error instanceof CredentialsError ? 'keys' : 'baseUrl';
      return { skewMs: service.clockSkewMs, about, error };
    }
  });
}

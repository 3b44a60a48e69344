/** Tests the connection to a service for `init` and `doctor`: E1 and E17 for one day, which are free. */
import { ServiceClient, type ServiceSettings } from '../service/client.js';
import { lastCompleteDay } from '../ground/calendar.js';
import { CredentialsError, ServiceError } from '../ground/errors.js';
import { estimateDays } from '../exports/budget.js';
import type { Invocation } from '../config/invocation.js';
import { dayTotals } from '../streams/statistics/pull.js';

/** A test tries twice, and accepts any answer that fits into memory. */
const PACE = {
  requestsPerSecond: 10,
  concurrency: 1,
  retries: 0,
  serviceClock: 'obey',
  exports: { largestAnswer: Infinity },
} as const;

/**
 * Checks that the service accepts the keys and the project (E1, E17). Resolves with the messages of the last complete day and the expected
 * records of its export. If the service rejects a setting, resolves with the error and the setting. `skewMs`: how far this machine's clock
 * is behind the
 * service's; undefined if the service sends no time.
 *
 * @throws InterruptedError, and errors not caused by settings
 */
export async function contactService(
  access: Omit<ServiceSettings, keyof typeof PACE>,
  invocation: Pick<Invocation, 'effects' | 'signal' | 'version'>,
) {
  await using service = ServiceClient.open({ ...access, ...PACE }, invocation);
  let isAuthorized = false;
  try {
    await service.authorize();
    isAuthorized = true;
    const skewMs = service.clocks.skewMs;
    // As in a run, the earlier of the two clocks decides which day it is.
    const day = lastCompleteDay(service.clocks.earlier());
    const totals = await dayTotals(service, day);
    const [candidate] = estimateDays([], new Map([[day, totals]]), [day]).candidates;
    const night = { day, messages: totals.sent, records: candidate?.estimate };
    return { skewMs, night, error: undefined };
  } catch (error) {
    if (!(error instanceof CredentialsError) && !(error instanceof ServiceError)) throw error;
    const refused = error instanceof CredentialsError ? ('keys' as const) : ('baseUrl' as const);
    const about = isAuthorized ? ('projectId' as const) : refused;
    return { skewMs: service.clocks.skewMs, about, error, night: undefined };
  }
}

/** What E17 counts on one day: enough to know that the project answers, and how large a night is. Lands nothing. */
import { z } from 'zod';
import type { ServiceClient } from '../api/client.js';
import { unanswered } from '../api/client.js';
import { dailyStatistics } from '../api/endpoints.js';
import type { Day } from '../calendar.js';
import { CredentialsError, ServiceError } from '../errors.js';
import { repairedJson } from '../storage/repair-json.js';
import type { MessageTotals } from '../warehouse/rows.js';

/** As the load takes counters (`macros.counter`): what is none counts nothing. */
const counter = z.coerce.number().int().min(0).max(1e15).catch(0);
const NOTHING = { message_sent: 0, message_failed: 0, delivered: 0, click: 0 };
const rows = z.array(
  z
    .object({ message_sent: counter, message_failed: counter, delivered: counter, click: counter })
    .catch(NOTHING),
);

/**
 * The sums over all channels.
 *
 * @throws CredentialsError when the service refuses the project or the keys
 * @throws ServiceError when it gives no usable answer
 */
export async function dayTotals(service: ServiceClient, baseUrl: string, day: Day): Promise<MessageTotals> {
  const { verdict, body, status } = await service.ask(
    dailyStatistics(service.projectId, { start: day, end: day }),
  );
  if (verdict.kind === 'refused') {
    throw new CredentialsError(
      `The service refuses project ${service.projectId} (${verdict.reason}).`,
      status === 404
        ? { hint: 'Check project_id: the service does not know it, or not for these keys.' }
        : { hint: 'Check project_id, and this machine’s clock.' },
    );
  }
  if (verdict.kind !== 'ok') throw unanswered('E17 (daily statistics)', baseUrl, verdict);
  const parsed = rows.safeParse(parse(body));
  if (!parsed.success) {
    throw new ServiceError(
      'The service answers E17 (daily statistics) with something else than statistics.',
      {
        hint: 'Check base_url. If it is right, the service has changed: see the notes of newer versions of dawnload.',
      },
    );
  }
  const sum = (name: 'message_sent' | 'message_failed' | 'delivered' | 'click'): number =>
    parsed.data.reduce((total, row) => total + row[name], 0);
  return {
    rows: parsed.data.length,
    sent: sum('message_sent'),
    failed: sum('message_failed'),
    delivered: sum('delivered'),
    click: sum('click'),
    nights: 1,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(repairedJson(body.toString('utf8')) ?? '');
  } catch {
    return undefined;
  }
}

/** The sandbox's own endpoints, for other processes: what was asked and billed, and how to misbehave. */
import { z } from 'zod';

import { type Reply, jsonAnswer } from './answer.js';
import type { Bills } from './bills.js';
import type { EndpointName } from './endpoints.js';
import type { ActiveFaults } from './faults/active.js';
import { FaultSchema } from './faults/fault.js';
import { notFound } from './service.js';

/** How often each endpoint was asked, faults or not; `other` counts paths that do not exist. */
export type RequestCount = Record<EndpointName | 'other', number>;

export interface Controlled {
  readonly bills: Bills;
  readonly requests: RequestCount;
  readonly faults: ActiveFaults;
}

/** Whether a path is the sandbox's own and not the service's. */
export function isControl(path: string): boolean {
  return path.startsWith('/_sandbox/');
}

export function control(method: string, path: string, body: Buffer | null, controlled: Controlled): Reply {
  const { bills, requests, faults } = controlled;
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/bills':
      return jsonAnswer(bills.all());
    case 'GET /_sandbox/requests':
      return jsonAnswer(requests);
    case 'GET /_sandbox/faults':
      return jsonAnswer(faults.list());
    case 'POST /_sandbox/faults':
      return replaceFaults(faults, body);
    case 'DELETE /_sandbox/faults':
      faults.replace([]);
      return jsonAnswer([]);
    default:
      return notFound();
  }
}

function replaceFaults(faults: ActiveFaults, body: Buffer | null): Reply {
  let json: unknown;
  try {
    json = JSON.parse(body?.toString() ?? '');
  } catch {
    return jsonAnswer({ error: 'The faults are not JSON.' }, 400);
  }
  const parsed = FaultSchema.array().safeParse(json);
  if (!parsed.success) return jsonAnswer({ error: z.prettifyError(parsed.error) }, 400);
  faults.replace(parsed.data);
  return jsonAnswer(faults.list());
}

/** The sandbox's own endpoints, for other processes: what was asked and billed. */
import { type Reply, jsonAnswer } from './answer.js';
import type { Bills } from './bills.js';
import type { EndpointName } from './endpoint.js';
import { notFound } from './service.js';

/** How often each endpoint was asked, `other` counts paths that do not exist. */
export type RequestCount = Record<EndpointName | 'other', number>;

export function noRequests(): RequestCount {
  return {
    ...{ E1: 0, E2: 0, E3: 0, E4: 0, E5: 0, E6: 0, E10: 0, E11: 0, E12: 0 },
    ...{ E17: 0, E18: 0, E19: 0, E20: 0, E21: 0, other: 0 },
  };
}

export interface Controlled {
  readonly bills: Bills;
  readonly requests: RequestCount;
}

/** Whether a path is the sandbox's own and not the service's. */
export function isControl(path: string): boolean {
  return path.startsWith('/_sandbox/');
}

export function control(method: string, path: string, { bills, requests }: Controlled): Reply {
  switch (`${method} ${path}`) {
    case 'GET /_sandbox/bills':
      return jsonAnswer(bills.all());
    case 'GET /_sandbox/requests':
      return jsonAnswer(requests);
    default:
      return notFound();
  }
}

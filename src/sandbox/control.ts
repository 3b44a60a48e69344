/** The sandbox's own endpoints, for other processes: what was asked and billed. */
import { type Reply, jsonAnswer } from './answer.js';
import type { Bills } from './bills.js';
import type { EndpointName } from './endpoints.js';
import { notFound } from './service.js';

/** How often each endpoint was asked, `other` counts paths that do not exist. */
export type RequestCount = Record<EndpointName | 'other', number>;

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

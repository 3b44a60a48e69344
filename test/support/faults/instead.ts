/** Faults that answer something else. */
import { type Reply, jsonAnswer } from '../../../sandbox/answer.js';
import { type Family, refuse } from '../../../sandbox/family.js';
import type { InsteadFault } from './fault.js';

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
      // An HTML page of some proxy, for instance.
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

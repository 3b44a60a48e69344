/** The faults that are switched on, and how often each has struck. */
import type { EndpointName } from '../../../sandbox/endpoint.js';
import type { Reply } from '../../../sandbox/answer.js';
import { type ConnectionFault, type Fault, type InsteadFault, isEarly, isLie, type Lie } from './fault.js';

/** Tells a lie about an answer; null when it cannot be told in this one. `memory` is the lie's own. */
export type Tell = (lie: Lie, answer: Reply, memory: Map<string, number>) => Reply | null;

interface Active {
  readonly fault: Fault;
  readonly memory: Map<string, number>;
  passed: number;
  struck: number;
}

export interface ActiveFaults {
  /** Switches these on, and all others off. */
  replace(faults: readonly Fault[]): void;
  /** Each with the number of requests it has struck. */
  list(): (Fault & { struck: number })[];
  /** The first fault that now strikes: before the request is handled, or after. */
  strike(endpoint: EndpointName, moment: 'before' | 'after'): ConnectionFault | InsteadFault | null;
  /** The answer after all lies about the endpoint that can be told in it; those have struck. */
  lie(endpoint: EndpointName, truth: Reply, tell: Tell): Reply;
}

export function activeFaults(initial: readonly Fault[]): ActiveFaults {
  let active: Active[] = [];

  function replace(faults: readonly Fault[]): void {
    active = faults.map((fault) => ({ fault, memory: new Map<string, number>(), passed: 0, struck: 0 }));
  }

  function isFor(one: Active, endpoint: EndpointName): boolean {
    const { endpoint: where, times = Number.POSITIVE_INFINITY } = one.fault;
    return (where === '*' || where === endpoint) && one.struck < times;
  }

  /** Counts a request that the fault could strike; whether it does. */
  function isDue(one: Active): boolean {
    if (one.passed < (one.fault.skip ?? 0)) {
      one.passed += 1;
      return false;
    }
    one.struck += 1;
    return true;
  }

  replace(initial);
  return {
    replace,
    list: () => active.map(({ fault, struck }) => ({ ...fault, struck })),
    strike(endpoint, moment) {
      for (const one of active) {
        const { fault } = one;
        if (!isFor(one, endpoint) || isLie(fault)) continue;
        if (isEarly(fault) === (moment === 'before') && isDue(one)) return fault;
      }
      return null;
    },
    lie(endpoint, truth, tell) {
      let answer = truth;
      for (const one of active) {
        if (!isFor(one, endpoint) || !isLie(one.fault)) continue;
        const told = tell(one.fault, answer, one.memory);
        if (told !== null && isDue(one)) answer = told;
      }
      return answer;
    },
  };
}

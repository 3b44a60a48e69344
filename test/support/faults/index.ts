/** The sandbox with faults: a service that misbehaves as it is told. */
import type { Reply } from '../../../sandbox/answer.js';
import {
  type EndpointName,
  startSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../../sandbox/index.js';
import {
  type ConnectionFault,
  type Fault,
  FaultSchema,
  type InsteadFault,
  isEarly,
  isInstead,
  isLie,
  type Lie,
} from './fault.js';
import { tellLie, type Situation } from './lies.js';
import { answerInstead, mistreat, type StaleSockets } from './wire.js';

export type { Fault } from './fault.js';

export interface FaultySandbox extends Sandbox {
  /** Switches these faults on, and all others off. */
  setFaults(faults: readonly Fault[]): void;
  /** Sends what that makes of each right answer; undefined for the answers as they are. */
  bend(by: Bend | undefined): void;
  /** The faults that are on, each with the number of requests it has struck; a dead connection strikes the next one. */
  faults(): (Fault & { readonly struck: number })[];
}

/** Changes an answer's bytes, for what no JSON value can say. */
export type Bend = (endpoint: EndpointName, answer: Reply, query: URLSearchParams) => Reply;

export interface FaultySandboxOptions extends SandboxOptions {
  /** How it misbehaves from the start. */
  readonly faults?: readonly Fault[] | undefined;
}

export async function startFaultySandbox(options: FaultySandboxOptions = {}): Promise<FaultySandbox> {
  const { faults: initial = [], ...rest } = options;
  const faults = activeFaults(FaultSchema.array().parse(initial));
  const stale: StaleSockets = new WeakMap();
  let bend: Bend | undefined;
  const sandbox = await startSandbox({
    // Most tests compare nights with each other: a count that changes is their own.
    restates: false,
    ...rest,
    interfere({ endpoint: { name, family }, query, pageParameter, request, response }, answerOf) {
      const dead = stale.get(request.socket);
      if (dead !== undefined) {
        faults.reset(dead);
        request.socket.resetAndDestroy();
        return undefined;
      }
      const early = faults.strike(name, 'before');
      const situation = situationOf(name, query, pageParameter, answerOf);
      const answer =
        early === null
          ? faults.lie(name, answerOf(query), (lie, truth, memory) => tellLie(lie, situation, truth, memory))
          : null;
      const fault = early ?? faults.strike(name, 'after');
      if (fault === null) return answer === null ? undefined : (bend?.(name, answer, query) ?? answer);
      if (isInstead(fault)) return answerInstead(fault, family, request.url ?? '/');
      mistreat(fault, response, answer, stale);
      return undefined;
    },
  });
  return {
    ...sandbox,
    bend: (by) => (bend = by),
    faults: () => faults.list(),
    setFaults: (given) => {
      faults.replace(FaultSchema.array().parse(given));
    },
  };
}

/** The number of the first page, where pages have numbers. */
const FIRST_PAGE: Partial<Record<EndpointName, number>> = { E4: 1, E10: 1, E12: 1 };

function situationOf(
  endpoint: EndpointName,
  query: URLSearchParams,
  parameter: string,
  answerOf: (query: URLSearchParams) => Reply,
): Situation {
  const first = FIRST_PAGE[endpoint] ?? 0;
  const asked = query.get(parameter);
  const page = asked === null ? first : Number(asked);
  return {
    endpoint,
    page,
    isLater: endpoint === 'E2' ? asked !== null : page > first,
    cursor: endpoint === 'E2' ? asked : null,
    answerOf: (other) => {
      const changed = new URLSearchParams(query);
      changed.set(parameter, String(other));
      return answerOf(changed);
    },
    firstAnswer: () => {
      const changed = new URLSearchParams(query);
      changed.delete(parameter);
      return answerOf(changed);
    },
  };
}

/** Tells a lie about an answer; null when it cannot be told in this one. `memory` is the lie's own. */
type Tell = (lie: Lie, answer: Reply, memory: Map<string, number>) => Reply | null;

interface Active {
  readonly fault: Fault;
  readonly memory: Map<string, number>;
  passed: number;
  struck: number;
  /** Requests that came over a connection that it had left dead. */
  resets: number;
}

interface ActiveFaults {
  /** Switches these on, and all others off. */
  replace(faults: readonly Fault[]): void;
  /** Each with the number of requests it has struck. */
  list(): (Fault & { struck: number })[];
  /** The first fault that now strikes: before the request is handled, or after. */
  strike(endpoint: EndpointName, moment: 'before' | 'after'): ConnectionFault | InsteadFault | null;
  /** Counts a request over a connection that the fault has left dead. */
  reset(fault: ConnectionFault): void;
  /** The answer after all lies about the endpoint that can be told in it; those have struck. */
  lie(endpoint: EndpointName, truth: Reply, tell: Tell): Reply;
}

function activeFaults(initial: readonly Fault[]): ActiveFaults {
  let active: Active[] = [];

  function replace(faults: readonly Fault[]): void {
    active = faults.map((fault) => ({
      fault,
      memory: new Map<string, number>(),
      passed: 0,
      struck: 0,
      resets: 0,
    }));
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
    list: () =>
      active.map(({ fault, struck, resets }) => {
        const isLater = fault.kind === 'close-keep-alive' && fault.when !== 'idle';
        return { ...fault, struck: isLater ? resets : struck };
      }),
    reset(fault) {
      for (const one of active) if (one.fault === fault) one.resets += 1;
    },
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

/** The sandbox with faults. */
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
  /** Changes each correct answer before it is sent; undefined for no change. */
  bend(by: Bend | undefined): void;
  /** The active faults, each with its number of affected requests; a dead connection affects the next one. */
  faults(): (Fault & { readonly struck: number })[];
}

/** Changes the bytes of an answer, where a JSON value cannot express the fault. */
export type Bend = (endpoint: EndpointName, answer: Reply, query: URLSearchParams) => Reply;

export interface FaultySandboxOptions extends SandboxOptions {
  /** The faults at the start. */
  readonly faults?: readonly Fault[] | undefined;
}

export async function startFaultySandbox(options: FaultySandboxOptions = {}): Promise<FaultySandbox> {
  const { faults: initial = [], ...rest } = options;
  const faults = activeFaults(FaultSchema.array().parse(initial));
  const stale: StaleSockets = new WeakMap();
  let bend: Bend | undefined;
  const sandbox = await startSandbox({
    // Most tests compare nights; only they change counts.
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

/** The number of the first page, if pages are numbered. */
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

/** Applies a lie to an answer; null if it cannot change this one. `memory` belongs to the lie. */
type Tell = (lie: Lie, answer: Reply, memory: Map<string, number>) => Reply | null;

interface Active {
  readonly fault: Fault;
  readonly memory: Map<string, number>;
  passed: number;
  struck: number;
  /** Requests over a connection that the fault left dead. */
  resets: number;
}

interface ActiveFaults {
  /** Switches these faults on, and all others off. */
  replace(faults: readonly Fault[]): void;
  /** The faults, each with its number of affected requests. */
  list(): (Fault & { struck: number })[];
  /** The first fault that applies now, before or after the request is handled. */
  strike(endpoint: EndpointName, moment: 'before' | 'after'): ConnectionFault | InsteadFault | null;
  /** Counts a request over a connection that the fault has left dead. */
  reset(fault: ConnectionFault): void;
  /** The answer after all lies that can change it, which then count as affected. */
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

  /** Counts a request that the fault could affect; returns true if it does. */
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

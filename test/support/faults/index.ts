/** The sandbox with faults: a service that misbehaves as it is told. */
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { activeFaults } from './active.js';
import { FaultSchema, isInstead, type Fault } from './fault.js';
import { answerInstead } from './instead.js';
import { tellLie, type Situation } from './lies.js';
import { mistreat, type StaleSockets } from './wire.js';

export type { Fault } from './fault.js';

export interface FaultySandbox extends Sandbox {
  /** Switches these faults on, and all others off. */
  setFaults(faults: readonly Fault[]): void;
  /** The faults that are on, each with the number of requests it has struck. */
  faults(): (Fault & { readonly struck: number })[];
}

export interface FaultySandboxOptions extends SandboxOptions {
  /** How it misbehaves from the start. */
  readonly faults?: readonly Fault[] | undefined;
}

export async function startFaultySandbox(options: FaultySandboxOptions = {}): Promise<FaultySandbox> {
  const { faults: initial = [], ...rest } = options;
  const faults = activeFaults(FaultSchema.array().parse(initial));
  const stale: StaleSockets = new WeakSet();
  const sandbox = await startSandbox({
    ...rest,
    interfere({ endpoint: { name, family }, query, pageParameter, request, response }, answerOf) {
      if (stale.has(request.socket)) {
        request.socket.resetAndDestroy();
        return undefined;
      }
      const early = faults.strike(name, 'before');
      const situation: Situation = {
        endpoint: name,
        page: Number(query.get(pageParameter) ?? 0),
        answerOf: (page) => answerOf(new URLSearchParams({ [pageParameter]: String(page) })),
      };
      const answer =
        early === null
          ? faults.lie(name, answerOf(query), (lie, truth, memory) => tellLie(lie, situation, truth, memory))
          : null;
      const fault = early ?? faults.strike(name, 'after');
      if (fault === null) return answer ?? undefined;
      if (isInstead(fault)) return answerInstead(fault, family, request.url ?? '/');
      mistreat(fault, response, answer, stale);
      return undefined;
    },
  });
  return {
    ...sandbox,
    faults: () => faults.list(),
    setFaults: (given) => {
      faults.replace(FaultSchema.array().parse(given));
    },
  };
}

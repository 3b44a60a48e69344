/** What a check comes to, and the examination that runs one after the other. */
import { DawnloadError, InterruptedError, messageOf, ServiceError } from '../errors.js';

export type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly verdict: Verdict;
  readonly reason: string;
  /** What to do; null where all is well. */
  readonly remedy: string | null;
}

export interface Check extends Finding {
  readonly name: string;
}

export const ok = (reason: string): Finding => ({ verdict: 'ok', reason, remedy: null });
export const warn = (reason: string, remedy: string): Finding => ({ verdict: 'warn', reason, remedy });
export const fail = (reason: string, remedy: string): Finding => ({ verdict: 'fail', reason, remedy });

/** The longest that a check may take, in milliseconds; reading whole files may take longer. */
const PATIENCE_MS = 30_000;

export class Examination {
  readonly #checks: Check[] = [];
  readonly #tell: (check: Check) => void;
  readonly #signal: AbortSignal;

  /** @param tell is given each check as soon as it is done */
  constructor(tell: (check: Check) => void, signal: AbortSignal) {
    this.#tell = tell;
    this.#signal = signal;
  }

  get checks(): readonly Check[] {
    return this.#checks;
  }

  /**
   * Runs one check. What it throws is its finding, and it never takes longer than its patience. Resolves with whether it
   * did not fail.
   *
   * @throws InterruptedError
   */
  async look(
    name: string,
    how: () => Finding | Promise<Finding>,
    patienceMs = PATIENCE_MS,
  ): Promise<boolean> {
    this.#signal.throwIfAborted();
    const finding = await within(patienceMs, how);
    const check = { name, ...finding };
    this.#checks.push(check);
    this.#tell(check);
    return check.verdict !== 'fail';
  }
}

async function within(ms: number, how: () => Finding | Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => {
      resolve(
        fail(
          `The check did not end within ${ms / 1000} s.`,
          'Look at what it has to wait for: a disk or a network folder that hangs, or a machine without memory.',
        ),
      );
    }, ms);
  });
  try {
    return await Promise.race([(async () => how())(), late]);
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    return fail(messageOf(error), remedyOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** The hint of an error, without what is meant for a run. */
export function remedyOf(error: unknown): string {
  const hint = error instanceof DawnloadError ? (error.hint ?? '') : '';
  const remedy = hint.replace(/ ?Nothing is lost;.*$/, '');
  if (remedy !== '') return remedy;
  return error instanceof ServiceError
    ? 'Try again later. If it goes on, ask the operator of the service.'
    : 'Try again. If it goes on, report it with what this machine’s log says.';
}

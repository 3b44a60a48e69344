/** The job in a process of its own, which ends soon after it is asked to. */
import { spawn } from 'node:child_process';
import { EXIT } from '../errors.js';

export interface JobEnd {
  readonly processId: number | undefined;
  /** 1 for a process that was killed or could not be started. */
  readonly exitCode: number;
}

/** How long a run may take to stop, in milliseconds: then it is asked to end at once, and then it is ended. */
export const STOPPING = { atOnceAfter: 7_000, killedAfter: 8_500 };

/**
 * Runs a command to its end.
 *
 * @param signal stops it. A run ends by itself within moments; one that waits for the answer to a paid request, or for a
 *   large commit, is killed in time: what it had begun is on disk, and the next run takes it up.
 */
export function runJob(
  [program, ...args]: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<JobEnd> {
  return new Promise((resolve) => {
    // In a process group of its own: Ctrl-C at a terminal would reach it beside our SIGTERM, and two signals end a run at once.
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const timers: NodeJS.Timeout[] = [];
    const stop = (): void => {
      child.kill('SIGTERM');
      timers.push(
        setTimeout(() => child.kill('SIGTERM'), STOPPING.atOnceAfter),
        setTimeout(() => child.kill('SIGKILL'), STOPPING.killedAfter),
      );
    };
    const end = (exitCode: number): void => {
      signal.removeEventListener('abort', stop);
      for (const timer of timers) clearTimeout(timer);
      resolve({ processId: child.pid, exitCode });
    };
    child.on('error', () => {
      end(EXIT.incomplete);
    });
    child.on('exit', (code) => {
      end(code ?? EXIT.incomplete);
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

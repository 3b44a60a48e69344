/** The runs that the journal tells of. Pure. */
import type { Line } from './lines.js';

interface RunBegun {
  readonly runId: string;
  readonly command: string;
  readonly startedAt: Date;
  readonly version: string;
  readonly processId: number;
}

export interface RunOver {
  readonly runId: string;
  readonly finishedAt: Date;
  readonly exitCode: number;
  readonly outcome: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/** A past run; `over` is missing if the run was killed. */
export interface PastRun {
  readonly begun: RunBegun;
  readonly over: RunOver | undefined;
}

/**
 * All runs that began, in order.
 *
 * @param ending the end of the run that goes on, which the lines do not hold yet
 */
export function runsOf(lines: readonly Line<'run'>[], ending?: RunOver): PastRun[] {
  const runs = new Map<string, PastRun>();
  for (const line of lines) {
    if (line.event === 'begun') {
      const { runId, command, at: startedAt, version, processId } = line;
      runs.set(runId, {
        begun: { runId, command, startedAt, version, processId },
        over: ending?.runId === runId ? ending : undefined,
      });
    } else if (line.event === 'ended') {
      const { runId, at: finishedAt, exitCode, outcome, summary } = line;
      const run = runs.get(runId);
      if (run !== undefined)
        runs.set(runId, { ...run, over: { runId, finishedAt, exitCode, outcome, summary } });
    }
  }
  return [...runs.values()];
}

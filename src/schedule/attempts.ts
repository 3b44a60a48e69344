/** The runs of the past as attempts of a night: from the journal of runs, and from the exit codes of this scheduler's own. */
import { z } from 'zod';
import { EXIT } from '../errors.js';
import type { PastRun, RunOver } from '../run/journal.js';
import type { Attempt, Verdict } from './due.js';

/** A run that this scheduler started, by its own clock. */
export interface OwnRun {
  readonly processId: number | undefined;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly exitCode: number;
}

/** What decides of a run's summary; older journals lack some of it. */
const summary = z.object({
  pending_exports: z.array(z.string()).default([]),
  gaps: z.array(z.unknown()).default([]),
  needs_attention: z.array(z.unknown()).default([]),
  findings: z.array(z.object({ severity: z.string() })).default([]),
  failure: z.string().optional(),
});

/**
 * All attempts, oldest first. A run of this scheduler counts once: with its exit code, which the journal lacks when a run
 * ends before its record, and with what the journal says of it.
 */
export function attemptsOf(journal: readonly PastRun[], own: readonly OwnRun[]): Attempt[] {
  const nightly = journal.filter(({ begun }) => begun.command === 'run');
  const mine = new Map<PastRun, OwnRun>();
  for (const run of own) {
    // Of several runs with one process id, which the system gives again, the latest one.
    const record = nightly.findLast(
      (past) => past.begun.processId === run.processId && !mine.has(past) && fits(past, run),
    );
    if (record !== undefined) mine.set(record, run);
  }
  const recorded = nightly.map((past) => attemptOf(past, mine.get(past)));
  const matched = new Set(mine.values());
  const unrecorded = own.filter((run) => !matched.has(run)).map((run) => attempt(run, undefined));
  return [...recorded, ...unrecorded].sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
}

/** A day is more than two clocks of one machine differ. */
function fits({ begun }: PastRun, { startedAt }: OwnRun): boolean {
  return Math.abs(begun.startedAt.getTime() - startedAt.getTime()) < 86_400_000;
}

function attemptOf({ begun, over }: PastRun, own: OwnRun | undefined): Attempt {
  if (own !== undefined) return attempt(own, over);
  return {
    startedAt: begun.startedAt,
    endedAt: over?.finishedAt,
    exitCode: over?.exitCode,
    verdict: over === undefined ? 'unfinished' : verdictOf(over.exitCode, over),
  };
}

function attempt({ startedAt, endedAt, exitCode }: OwnRun, over: RunOver | undefined): Attempt {
  return { startedAt, endedAt, exitCode, verdict: verdictOf(exitCode, over) };
}

function verdictOf(exitCode: number, over: RunOver | undefined): Verdict {
  switch (exitCode) {
    case EXIT.done:
      return 'done';
    case EXIT.usage:
    case EXIT.refused:
      return 'person';
    case EXIT.tryLater:
      return 'busy';
    case EXIT.incomplete:
      return verdictOn(over);
    default:
      return 'failed';
  }
}

/** A run that ended incomplete. */
function verdictOn(over: RunOver | undefined): Verdict {
  const told = summary.safeParse(over?.summary);
  if (!told.success || told.data.failure !== undefined) return 'failed';
  const { pending_exports, gaps, needs_attention, findings } = told.data;
  if (pending_exports.length > 0) return 'waiting';
  const withheld = findings.some(({ severity }) => severity === 'stop');
  return needs_attention.length > 0 && gaps.length === 0 && !withheld ? 'person' : 'failed';
}

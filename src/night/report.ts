/** Collects the report of a run, which gives its last lines, `--json`, the exit code, and the record in the journal and `ops.runs`. */
import { createHash } from 'node:crypto';
import { type Day, type DayRange, dayCount, daysOf, rangesOf } from '../ground/calendar.js';
import {
  asError,
  ClockError,
  ConfigError,
  CorruptDatabaseError,
  CredentialsError,
  DamageError,
  EXIT,
  exitCodeOf,
  InterruptedError,
  MemoryError,
  messageOf,
  outcomeOf,
  ServiceError,
  StorageError,
  type ExitCode,
} from '../ground/errors.js';
import type { Budget } from '../exports/budget.js';
import type { ExportLine } from '../exports/paid-request.js';
import type { Unpaid } from '../exports/paid-request.js';
import type { Gap, Needed, StreamName } from '../ground/streams.js';
import type { FindingGroup } from '../warehouse/checks.js';
import type { LoadReport } from '../warehouse/load.js';
import type { Removal, Removed } from '../erasure/retention.js';
import type { Pull } from '../landing/landing-zone.js';
import { isSnapshot } from '../streams/index.js';
import type { Invocation } from '../config/invocation.js';
import { RUN, runsOf, type Journal, type PastRun } from '../journal/journal.js';
import { plural } from '../terminal/terminal.js';

export class RunReport {
  /** Data that could not be pulled or loaded; the run continues with the rest. */
  readonly gaps: Gap[] = [];
  /** Landed pulls that could not be loaded, with their errors. A later pull may replace them. */
  readonly unloaded = new Map<string, { readonly pull: Pull; readonly error: Error }>();
  readonly exports: ExportLine[] = [];
  readonly attention: Needed[] = [];
  /** Alerts like `attention`, but the run counts as complete (exit code 0). */
  readonly notices: Needed[] = [];
  readonly pending: string[] = [];
  readonly removals: Removed[] = [];
  /** Outcomes of the steps after publishing. */
  readonly steps: StepOutcome[] = [];
  readonly unpaidDays: Unpaid[] = [];
  budget: Budget | undefined;
  /** Main goals of A/B tests by campaign and user journey. A rebuilt warehouse takes them from the journal. */
  mainGoals: Readonly<Record<string, string>> = {};
  /** Findings by check, `stop` checks first. */
  checks: readonly FindingGroup[] = [];
  /** Milliseconds that the service's clock is ahead of this machine's; undefined if they agree. */
  clockSkewMs: number | undefined;
  /** Milliseconds that the service's clock is behind this machine's. */
  serviceBehindMs = 0;
  /** Seconds per stage (open, migrate, pull, load, model, check, close, publish, later steps), without overlap. */
  readonly seconds: Record<string, number> = {};
  #counted = 0;
  #loads: LoadReport[] = [];
  /** The reason why the file is not published, as a clause; undefined if it may be published. */
  withheld: string | undefined;
  /** Size of the published file in bytes; undefined if readers keep the previous file. */
  publishedBytes: number | undefined;
  /** Days that the new file lacks although they were published or loaded before. */
  lost: readonly { readonly stream: string; readonly date: Day }[] = [];
  failure: Error | undefined;
  /** The landed folders that retention removes once the file is published. */
  due: Removal | undefined;
  authorized = false;
  /** True if this run compared this machine's clock with the service's, and they agreed. */
  clocksAgree = false;
  days: DayRange | undefined;

  readonly startedAt: Date;

  constructor(readonly now: () => Date) {
    this.startedAt = now();
  }

  /** Runs a stage and measures its time, without the time of stages inside it. */
  async timed<T>(stage: string, work: () => Promise<T>): Promise<T> {
    const [began, before] = [this.now().getTime(), this.#counted];
    try {
      return await work();
    } finally {
      const own = (this.now().getTime() - began) / 1000 - (this.#counted - before);
      this.seconds[stage] = Math.round(((this.seconds[stage] ?? 0) + own) * 1000) / 1000;
      this.#counted += own;
    }
  }

  loaded(load: LoadReport): void {
    // If an export was read again, only its last rows count.
    const isReplaced = (one: LoadReport): boolean =>
      one.stream === 'events' && load.stream === 'events' && one.days[0] === load.days[0];
    this.#loads = [...this.#loads.filter((one) => !isReplaced(one)), load];
  }

  get stops(): readonly FindingGroup[] {
    return this.checks.filter(({ severity }) => severity === 'stop');
  }

  /** The days that this run loaded; snapshots of reference data have none. */
  get loadedDays(): readonly Day[] {
    return [...new Set(this.#loads.flatMap((load) => (isSnapshot(load.stream) ? [] : load.days)))].sort();
  }

  totals(): { stream: StreamName; days: number; rows: number }[] {
    // Lists that were not applied do not count.
    const all = this.#loads.filter(
      (load) => !isSnapshot(load.stream) || load.rows + load.finished.length > 0,
    );
    return [...new Set(all.map(({ stream }) => stream))].map((stream) => {
      const loads = all.filter((load) => load.stream === stream);
      const days = new Set(loads.flatMap((load) => load.days)).size;
      return { stream, days, rows: loads.reduce((sum, { rows }) => sum + rows, 0) };
    });
  }

  drift(): string[] {
    return [...new Set(this.#loads.flatMap(({ drift }) => drift))].sort();
  }

  notes(): Record<string, number> {
    const notes: Record<string, number> = {};
    for (const [kind, count] of this.#loads.flatMap((load) => Object.entries(load.notes)))
      notes[kind] = (notes[kind] ?? 0) + count;
    return notes;
  }

  get failedSteps(): readonly StepOutcome[] {
    return this.steps.filter(({ failed }) => failed);
  }

  get notRequested() {
    return this.unpaidDays.map(({ day, verdict, estimate }) => ({
      date: day,
      estimated_records: estimate ?? null,
      reason: verdict,
    }));
  }

  /** The exit code: 1 if data is missing or action is needed, 3 if only budget or consent is missing, otherwise 0. */
  exitCode(): ExitCode {
    if (this.gaps.length > 0 || this.attention.length > 0 || this.withheld !== undefined)
      return EXIT.incomplete;
    if (this.failedSteps.length > 0) return EXIT.incomplete;
    const isRefused = ({ verdict }: Unpaid): boolean => verdict !== 'no_budget' && verdict !== 'no_messages';
    return this.unpaidDays.some(isRefused) ? EXIT.refused : EXIT.done;
  }

  /** The report for the journal, without texts from the service or values of rows. */
  forJournal(): Record<string, unknown> {
    const { loaded, exports, not_requested, seconds, clock_skew_ms, removed } = this.toJSON();
    const findings = this.stops.map((group) => ({ ...group, example: '' }));
    const goals = Object.entries(this.mainGoals).map((pair) => sha256(pair.join('\n')));
    const main_goal_digests = unlessEmpty(goals);
    const counts = { loaded, exports, not_requested, main_goal_digests, seconds, clock_skew_ms, removed };
    const failed_steps = unlessEmpty(this.failedSteps.map(({ step }) => step));
    return { ...counts, findings, failed_steps, withheld: this.withheld };
  }

  toJSON(): Record<string, unknown> {
    const goals = Object.entries(this.mainGoals);
    return {
      started_at: this.startedAt.toISOString(),
      loaded: this.totals(),
      exports: this.exports.map(({ key, day: date, records = null, requested }) => ({
        key,
        date,
        records,
        requested,
      })),
      not_requested: this.notRequested,
      gaps: this.gaps.map((gap) => ({ ...gap, text: describeGap(gap) })),
      needs_attention: [...this.attention, ...this.notices].map(({ advice }) => advice),
      pending_exports: this.pending,
      drift: this.drift(),
      notes: this.notes(),
      findings: this.checks,
      main_goals: unlessEmpty(goals.map(([resource_id, goal]) => ({ resource_id, goal }))),
      seconds: this.seconds,
      clock_skew_ms: this.clockSkewMs,
      after_publishing: unlessEmpty(this.steps),
      removed: unlessEmpty(this.removals),
      exit_code: this.exitCode(),
    };
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined =>
  list.length === 0 ? undefined : list;

interface StepOutcome {
  /** `lake`, `push NAME`, `landing` or `page`. */
  readonly step: string;
  readonly failed: boolean;
  /** What happened, in one or more sentences. After a failure, also the command that fixes it. */
  readonly sentence: string;
}

/** Merges gaps that have the same stream and reason, and their days into ranges. */
export function mergedGaps(gaps: readonly Gap[]): Gap[] {
  const kindOf = ({ stream, reason }: Gap): string => `${stream} ${reason}`;
  return [...new Map(gaps.map((gap) => [kindOf(gap), gap]))].flatMap(([kind, gap]) => {
    const days = gaps.filter((one) => kindOf(one) === kind).flatMap((one) => daysOf(one.days));
    return rangesOf(days).map((range) => ({ ...gap, days: range }));
  });
}

export function describeGap({ stream, days, reason }: Gap): string {
  const when = dayCount(days) === 1 ? days.start : `${days.start} to ${days.end}`;
  const name = `${stream.charAt(0).toUpperCase()}${stream.slice(1).replaceAll('_', ' ')}`;
  return `${name} of ${when}: ${reason}`;
}

export function describeGroup(group: FindingGroup): string {
  const { name, severity, findings, first_date: first, last_date: last, example, meaning } = group;
  const days = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${String(last)}`;
  const such = example === '' ? '' : findings === 1 ? `, ${example}` : `, such as ${example}`;
  const stop = /[.!?]$/.test(example) ? '' : '.';
  return `${name} (${severity}): ${plural(findings, 'finding')}${days}${such}${stop} ${meaning ?? ''}`.trimEnd();
}

interface RunPlace {
  readonly command: string;
  readonly journal: Journal;
  readonly invocation: Invocation;
}

/** The journal's runs, with the columns of `ops.runs`. This run has the end that is known so far. */
export function runsSoFar({ journal, invocation }: RunPlace, report: RunReport): PastRun[] {
  const { effects, runId } = invocation;
  const { failure } = report;
  const summary = { ...report.toJSON(), ...(failure && { failure: messageOf(failure) }) };
  const over = { ...endOf(report, runId), at: effects.now(), summary };
  return runsOf(journal.of(RUN)).map((run) => (run.begun.runId === runId ? { ...run, over } : run));
}

export async function recordBegin({ journal, command, invocation }: RunPlace): Promise<void> {
  const { runId, version } = invocation;
  await journal.append(RUN, { event: 'begun', runId, command, version, processId: process.pid });
}

export async function recordEnd({ journal, invocation }: RunPlace, report: RunReport): Promise<void> {
  const { failure } = report;
  const failed = failure instanceof InterruptedError ? undefined : failure;
  const summary = { ...report.forJournal(), ...(failed && { failure: kindOf(failed) }) };
  const end = { event: 'ended' as const, ...endOf(report, invocation.runId), summary };
  await journal.append(RUN, end).catch((error: unknown) => {
    // The journal may be on the same full disk. Report the original failure, not this one.
    report.failure ??= asError(error);
  });
}

function endOf(report: RunReport, runId: string) {
  const { failure } = report;
  const exitCode = failure === undefined ? report.exitCode() : exitCodeOf(failure);
  return { runId, exitCode, outcome: outcomeOf(exitCode, failure) };
}

/** Describes the failure for the journal, without texts from the service. */
function kindOf(failure: Error): string {
  if (failure instanceof CredentialsError) return 'The service refuses the keys or the project.';
  if (failure instanceof ServiceError) return 'The service gave no usable answer.';
  if (failure instanceof ClockError) return "This machine's clock and the service's differ.";
  if (failure instanceof MemoryError) return 'There was too little memory.';
  if (failure instanceof StorageError) return 'The data folder cannot be written.';
  if (failure instanceof ConfigError) return 'The settings are wrong or contradict the data folder.';
  if (failure instanceof DamageError || failure instanceof CorruptDatabaseError)
    return 'A file of the data folder is damaged.';
  return 'The run failed; see its log.';
}

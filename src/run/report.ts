/** The report of a run, collected while it runs: for its last lines, for `--json`, and for its exit code. */
import { type Day, dayCount, daysOf, rangesOf } from '../calendar.js';
import { EXIT, type ExitCode } from '../errors.js';
import type { Budget } from '../exports/budget.js';
import type { ExportLine, Unpaid } from '../exports/paid-request.js';
import type { Gap } from '../streams.js';
import type { FindingGroup } from '../warehouse/checks.js';
import type { LoadReport } from '../warehouse/rows.js';
import type { Pull } from '../storage/pull.js';
import { plural } from '../terminal/terminal.js';
import type { Stream } from '../streams.js';

interface LoadFailure {
  readonly pull: Pull;
  readonly error: Error;
}

export class RunReport {
  readonly #gaps: Gap[] = [];
  readonly #loads: LoadReport[] = [];
  readonly #notLoaded: LoadFailure[] = [];
  readonly #exports: ExportLine[] = [];
  readonly #attention: string[] = [];
  readonly #pending: string[] = [];
  readonly #seconds: Record<string, number> = {};
  #unpaid: readonly Unpaid[] = [];
  #budget: Budget | undefined;
  #mainGoals: Readonly<Record<string, string>> = {};
  #findings: readonly FindingGroup[] = [];
  #withheld: string | undefined;
  #lake: LakeOutcome | undefined;
  readonly #removed: Removal[] = [];
  readonly #pushes: PushOutcome[] = [];

  constructor(readonly startedAt: Date) {}

  /** Records data that could not be pulled or loaded; the run continues with the rest. */
  gap(...gaps: readonly Gap[]): void {
    this.#gaps.push(...gaps);
  }

  /** Records a landed pull that could not be loaded; it may be superseded by the end of the run. */
  notLoaded(failure: LoadFailure): void {
    this.#notLoaded.push(failure);
  }

  get unloaded(): readonly LoadFailure[] {
    return this.#notLoaded;
  }

  loaded(load: LoadReport): void {
    if (load.changed) this.#loads.push(load);
  }

  /** The number of records by kind of note, from the load of a pull. */
  notesOf(pull: string): Readonly<Record<string, number>> {
    return this.#loads.find((load) => load.pull === pull)?.notes ?? {};
  }

  exported(line: ExportLine): void {
    this.#exports.push(line);
  }

  /**
   * Records something that needs action: an ambiguous export, a nonconforming page. Takes whole sentences that say what
   * to do.
   */
  needsAction(sentence: string): void {
    this.#attention.push(sentence);
  }

  /** Records that the service has not finished the export of this key; a later run may find it ready. */
  pending(key: string): void {
    this.#pending.push(key);
  }

  /** @param budget the budget that the days would exceed */
  unpaid(days: readonly Unpaid[], budget?: Budget): void {
    this.#unpaid = days;
    this.#budget = budget;
  }

  /** Records main goals by campaign and user journey, for the journal; a warehouse that is made anew reads them there. */
  choseGoals(goals: Readonly<Record<string, string>>): void {
    this.#mainGoals = goals;
  }

  checked(findings: readonly FindingGroup[]): void {
    this.#findings = findings;
  }

  /**
   * Records that known data would be missing from the file, so that it is not published and readers keep the previous
   * one. `reason` is a clause.
   */
  withhold(reason: string): void {
    this.#withheld = reason;
  }

  /** The reason why the file is not published, as a clause; undefined if it may be published. */
  get withheld(): string | undefined {
    const checks = this.stops.map(({ name }) => name).join(', ');
    return checks === '' ? this.#withheld : `check${this.stops.length > 1 ? 's' : ''} ${checks} failed`;
  }

  /** Records the outcome of the push to the lake. The file is published in any case; the next run pushes what is missing. */
  lake(outcome: LakeOutcome): void {
    this.#lake = outcome;
  }

  get lakeOutcome(): LakeOutcome | undefined {
    return this.#lake;
  }

  /** Records the outcome of a push. The file is published in any case. */
  pushed(outcome: PushOutcome): void {
    this.#pushes.push(outcome);
  }

  get pushes(): readonly PushOutcome[] {
    return this.#pushes;
  }

  /** The days that this run loaded, over all streams. */
  get loadedDays(): readonly Day[] {
    return [...new Set(this.#loads.flatMap(({ days }) => days))].sort();
  }

  /** Records a removal by the settings under `retention`. */
  removed(removal: Removal): void {
    this.#removed.push(removal);
  }

  /** Records how long a stage took. */
  took(stage: 'pull' | 'model' | 'check', milliseconds: number): void {
    this.#seconds[stage] = milliseconds / 1000;
  }

  /** Milliseconds that the service's clock is ahead of this machine's; undefined if they agree. */
  clockSkewMs: number | undefined;

  /** True if this run added anything to the warehouse. */
  get changed(): boolean {
    return this.#loads.length > 0;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  get attention(): readonly string[] {
    return this.#attention;
  }

  get unpaidDays(): readonly Unpaid[] {
    return this.#unpaid;
  }

  get budget(): Budget | undefined {
    return this.#budget;
  }

  get exports(): readonly ExportLine[] {
    return this.#exports;
  }

  /** The findings of each check as a group, `stop` checks first; `ops.checks` has the single findings. */
  get checks(): readonly FindingGroup[] {
    return this.#findings;
  }

  /** The groups of checks that forbid publishing. */
  get stops(): readonly FindingGroup[] {
    return this.checks.filter(({ severity }) => severity === 'stop');
  }

  /** Number of loaded days and rows, by stream. */
  totals(): { stream: Stream; days: number; rows: number }[] {
    const streams = [...new Set(this.#loads.map(({ stream }) => stream))];
    return streams.map((stream) => {
      const loads = this.#loads.filter((load) => load.stream === stream);
      return {
        stream,
        days: new Set(loads.flatMap(({ days }) => days)).size,
        rows: loads.reduce((sum, { rows }) => sum + rows, 0),
      };
    });
  }

  /** The fields that the service sends and the specification lacks, and the reverse. */
  drift(): string[] {
    return [...new Set(this.#loads.flatMap(({ drift }) => drift))].sort();
  }

  /** The number of records by kind of note. */
  notes(): Record<string, number> {
    const notes: Record<string, number> = {};
    for (const load of this.#loads) {
      for (const [kind, count] of Object.entries(load.notes)) notes[kind] = (notes[kind] ?? 0) + count;
    }
    return notes;
  }

  /** The exit code: 1 if data is missing or action is needed, 3 if only budget or consent is lacking, else 0. */
  exitCode(): ExitCode {
    if (this.#gaps.length > 0 || this.#attention.length > 0 || this.withheld !== undefined)
      return EXIT.incomplete;
    if (this.#lake?.pushed === false || this.#pushes.some(({ failed }) => failed)) return EXIT.incomplete;
    return this.#unpaid.some(({ verdict }) => verdict !== 'no_budget') ? EXIT.refused : EXIT.done;
  }

  /** The report for the journal, which holds no text of the service and no value of a row. */
  forJournal(): Record<string, unknown> {
    const { loaded, exports, not_requested, main_goals, seconds, clock_skew_ms, removed } = this.toJSON();
    const stops = this.stops.map((group) => ({ ...group, example: '' }));
    return { loaded, exports, not_requested, main_goals, seconds, clock_skew_ms, removed, findings: stops };
  }

  /** The report for `--json` and `ops.runs`. */
  toJSON(): Record<string, unknown> {
    return {
      started_at: this.startedAt.toISOString(),
      loaded: this.totals(),
      exports: this.#exports.map(({ key, day, records, requested }) => ({
        key,
        date: day,
        records: records ?? null,
        requested,
      })),
      not_requested: this.#unpaid.map(({ day, verdict, estimate }) => ({
        date: day,
        estimated_records: estimate ?? null,
        reason: verdict,
      })),
      gaps: this.#gaps.map((gap) => ({ ...gap, text: describeGap(gap) })),
      needs_attention: this.#attention,
      pending_exports: this.#pending,
      drift: this.drift(),
      notes: this.notes(),
      findings: this.checks,
      ...(Object.keys(this.#mainGoals).length === 0
        ? {}
        : {
            main_goals: Object.entries(this.#mainGoals).map(([resource_id, goal]) => ({ resource_id, goal })),
          }),
      seconds: this.#seconds,
      ...(this.clockSkewMs === undefined ? {} : { clock_skew_ms: this.clockSkewMs }),
      ...(this.#lake === undefined ? {} : { lake: this.#lake }),
      ...(this.#pushes.length === 0 ? {} : { pushes: this.#pushes }),
      ...(this.#removed.length === 0 ? {} : { removed: this.#removed }),
      exit_code: this.exitCode(),
    };
  }
}

/** A push of the configuration. */
export interface PushOutcome {
  readonly name: string;
  readonly failed: boolean;
  /** What was sent, or why nothing more was, in whole sentences. */
  readonly sentence: string;
}

/** A removal by the settings under `retention`. */
interface Removal {
  /** `events`, `opt_outs` or `landing`. */
  readonly place: string;
  readonly days: number;
  /** Number of rows in the file, or of folders of the landing zone. */
  readonly items: number;
}

const NAMES: Record<Stream, string> = {
  statistics: 'Daily statistics',
  statistics_by_subchannel: 'Statistics by sub-channel',
  campaigns: 'Campaign statistics',
  catalogs: 'Catalogs',
  brand_templates: 'Brand templates',
  alimtalk_templates: 'Alimtalk templates',
  opt_outs: 'Opt-outs',
  events: 'Events',
};

/** Returns the same gaps; those of one stream and one reason are merged into one, with their days as ranges. */
export function mergedGaps(gaps: readonly Gap[]): Gap[] {
  const alike = new Map<string, { readonly gap: Gap; readonly days: Day[] }>();
  for (const gap of gaps) {
    const key = `${gap.stream} ${gap.reason}`;
    const same = alike.get(key) ?? { gap, days: [] };
    same.days.push(...daysOf(gap.days));
    alike.set(key, same);
  }
  return [...alike.values()].flatMap(({ gap, days }) =>
    rangesOf(days).map((range) => ({ ...gap, days: range })),
  );
}

/** Returns the gap as one line for the terminal. */
export function describeGap({ stream, days, reason }: Gap): string {
  const when = dayCount(days) === 1 ? days.start : `${days.start} to ${days.end}`;
  return `${NAMES[stream]} of ${when}: ${reason}`;
}

/** Returns the group as one line for the terminal. */
export function describeGroup(group: FindingGroup): string {
  const { name, severity, findings, first_date: first, last_date: last, example, meaning } = group;
  const days = first === null ? '' : first === last ? `, ${first}` : `, ${first} to ${String(last)}`;
  const such = example === '' ? '' : findings === 1 ? `, ${example}` : `, such as ${example}`;
  const stop = /[.!?]$/.test(example) ? '' : '.';
  return `${name} (${severity}): ${plural(findings, 'finding')}${days}${such}${stop} ${meaning ?? ''}`.trimEnd();
}

type LakeOutcome =
  | { readonly pushed: true; readonly commits: number; readonly rows: number }
  /** Days that this run loaded and the lake may lack; `reason` is in whole sentences. */
  | { readonly pushed: false; readonly days: readonly Day[]; readonly reason: string };

/** Returns a failed push as one line for the terminal. */
export function describeNotPushed({ days, reason }: LakeOutcome & { readonly pushed: false }): string {
  const ranges = rangesOf(days).map(({ start, end }) => (start === end ? start : `${start} to ${end}`));
  const what = days.length === 0 ? 'What is published' : `What was loaded of ${ranges.join(', ')}`;
  return `${what} is not in the lake: ${reason}`;
}

/** `dawnload status`: shows the coverage by day and stream, freshness and export fees. The exit code is for monitors. */
import { z } from 'zod';
import { nightly } from '../../jobs/nightly.js';
import { daysOf, formatKst, listDays, lastCompleteDay, shiftDay, type Day } from '../ground/calendar.js';
import { streamsOn } from '../config/config.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { describeGroup } from '../job/report.js';
import { findingGroup, type FindingGroup } from '../warehouse/checks.js';
import { dataFiles } from '../landing/paths.js';
import { spendOf, type MonthlySpend } from '../exports/budget.js';
import { runsOf, type PastRun as JournalledRun } from '../journal/runs.js';
import { formatPrice } from '../ground/price.js';
import { formatCount, formatDuration, plural, type Terminal } from '../terminal/terminal.js';
import { isResumable } from '../exports/export.js';
import type { Attention } from '../exports/advice.js';
import type { Invocation } from '../config/invocation.js';
import { drawTable } from '../terminal/table.js';
import { daysIn } from '../job/wanted-days.js';
import { daysNow, newestOf, type DaysNow, type PastRun } from '../job/published.js';
import { DAILY_STREAMS, type ReferenceStream, type Stream } from '../ground/streams.js';

export interface StatusOptions {
  readonly json?: boolean;
}

/** Number of days shown at a terminal; `--json` returns all days. */
const SHOWN_DAYS = 14;

interface Status {
  readonly last_complete_day: Day;
  /** The first wanted day: the `start_date`, or the first day in the warehouse. */
  readonly wanted_from: Day | null;
  /** The configured streams that lack days, with those days. */
  readonly missing: Record<string, Day[]>;
  readonly coverage: { date: Day; rows: Partial<Record<Stream, number>> }[];
  /** The configured reference data, with its last snapshot. */
  readonly snapshots: { stream: ReferenceStream; date: Day | null; rows: number }[];
  readonly last_run: {
    readonly command: string;
    readonly started_at: Date;
    readonly finished_at: Date | null;
    readonly exit_code: number | null;
    readonly outcome: string | null;
  } | null;
  /** The active run, or another active command that changes the data folder. */
  readonly running: { command: string | null; pid: number | null; since: Date | null } | null;
  /** The error of the latest run if it failed, so that the file of an earlier run is still published. */
  readonly failure: string | null;
  readonly published: string | null;
  readonly findings: readonly FindingGroup[];
  /** The latest run if a check withholds it, so that the previous file is still published. */
  readonly withheld: Withheld | null;
  readonly needs_attention: readonly Attention[];
  /** Paid exports that are not loaded yet; resuming them is free. */
  readonly under_way: readonly string[];
  readonly currency: string | null;
  readonly export_fees: readonly {
    readonly month: string;
    readonly exports: number;
    readonly records: number;
    readonly estimated_records: number;
    readonly exports_of_unknown_size: number;
    readonly price: number;
  }[];
  /** A value of `lookback_days` for counts that the service still changes at the edge of the present one. */
  readonly lookback: { readonly date: Day; readonly days_after: number; readonly advice: string } | null;
  readonly fresh: boolean;
}

interface Withheld {
  readonly command: string;
  readonly finished_at: Date;
  readonly findings: readonly FindingGroup[];
}

/**
 * Exit code 0 if the latest run did not fail, no check withholds it, no wanted day is missing and nothing needs action;
 * otherwise 1.
 */
export async function statusCommand(options: StatusOptions, invocation: Invocation): Promise<ExitCode> {
  const status = await readStatus(invocation);
  if (options.json === true) invocation.terminal.out(JSON.stringify(status));
  else print(status, invocation.terminal, invocation.effects.now());
  const sound = status.withheld === null && status.failure === null && status.needs_attention.length === 0;
  return status.fresh && sound ? EXIT.done : EXIT.incomplete;
}

/** @throws ConfigError, CorruptDatabaseError, DamageError if settings, file or ledger cannot be read */
export async function readStatus({ effects, ...invocation }: Invocation): Promise<Status> {
  const config = invocation.loadConfig();
  const { published: file } = dataFiles(config.dataDir);
  const now = effects.now();
  let start = config.startDate;
  const { wanted, state, ...published } = await daysNow(config, effects, (first) => {
    start ??= first;
    return start === undefined ? undefined : nightly({ ...config, startDate: start }, now);
  });
  const { journal: lines, ledger, lock, needed } = state;
  const entries = ledger.entries();
  const journal = runsOf(lines.of('run'));
  const last = lastCompleteDay(now);
  const byDay = new Map<Day, Partial<Record<Stream, number>>>();
  for (const { stream, day, rows } of published.coverage)
    byDay.set(day, { ...byDay.get(day), [stream]: rows });
  const missing: Record<string, Day[]> = {};
  for (const stream of DAILY_STREAMS)
    if (stream !== 'events' || config.exports.budget !== undefined)
      missing[stream] = daysIn(wanted, stream, 'missing', 'under_way', 'waits');
  const snapshots = streamsOn(config.reference).map((stream) => {
    const date = newestOf(published.coverage, stream) ?? null;
    return { stream, date, rows: byDay.get(date ?? '')?.[stream] ?? 0 };
  });
  // A snapshot cannot be taken for a past day, so only the snapshot of today counts, or of yesterday before the nightly
  // run.
  for (const { stream, date } of snapshots) missing[stream] = date !== null && date >= last ? [] : [last];
  return {
    last_complete_day: last,
    wanted_from: start ?? null,
    missing,
    snapshots,
    coverage: [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([date, rows]) => ({ date, rows })),
    running: lock.taken
      ? {
          command: lock.holder?.command ?? null,
          pid: lock.holder?.pid ?? null,
          since: lock.holder?.since ?? null,
        }
      : null,
    last_run: lastRun(journal, published.runs),
    published: published.coverage.length > 0 || published.runs.length > 0 ? file : null,
    findings: published.findings,
    failure: failureOf(journal),
    withheld: withheldRun(journal, published.runs),
    needs_attention: needed,
    under_way: entries.filter(({ state }) => isResumable(state)).map(({ key }) => key),
    export_fees: spendOf(entries).map(monthlyFees),
    currency: config.exports.currency ?? null,
    lookback: lookbackFor(published.latestChange, config.lookbackDays),
    fresh: start !== undefined && Object.values(missing).every((days) => days.length === 0),
  };
}

/**
 * The last run in the journal, which includes runs that published nothing; without a journal, the last run in the file.
 */
function lastRun(journal: readonly JournalledRun[], published: readonly PastRun[]): Status['last_run'] {
  const [inFile] = published;
  const { begun, over } = journal.at(-1) ?? { begun: inFile, over: inFile };
  if (begun === undefined) return null;
  return {
    command: begun.command,
    started_at: begun.startedAt,
    finished_at: over?.finishedAt ?? null,
    exit_code: over?.exitCode ?? null,
    outcome: over?.outcome ?? null,
  };
}

function monthlyFees({ estimatedRecords, unknown, ...month }: MonthlySpend): Status['export_fees'][number] {
  return { ...month, estimated_records: estimatedRecords, exports_of_unknown_size: unknown };
}

function lookbackFor([latest]: DaysNow['latestChange'], days: number): Status['lookback'] {
  if (latest === undefined || days === 0 || latest.days_after < days) return null;
  const { date, days_after } = latest;
  const advice =
    days_after > days
      ? `lookback_days: ${days_after} would have caught it`
      : `later changes are not looked for; lookback_days: ${2 * days} would catch them`;
  return { date, days_after, advice };
}

function failureOf(runs: readonly JournalledRun[]): string | null {
  const failure = runs.at(-1)?.over?.summary['failure'];
  return typeof failure === 'string' ? failure : null;
}

const checked = z.object({ findings: z.array(findingGroup) });

/** The latest run if checks withheld it. Only the journal of runs contains it, because the file was not published. */
function withheldRun(runs: readonly JournalledRun[], published: readonly PastRun[]): Withheld | null {
  const ended = runs.filter(({ over }) => over !== undefined).at(-1);
  const summary = checked.safeParse(ended?.over?.summary);
  if (ended?.over === undefined || !summary.success) return null;
  if (published.some(({ runId }) => runId === ended.begun.runId)) return null;
  const findings = summary.data.findings.filter(({ severity }) => severity === 'stop');
  const { begun, over } = ended;
  return findings.length === 0 ? null : { command: begun.command, finished_at: over.finishedAt, findings };
}

function print(status: Status, terminal: Terminal, now: Date): void {
  const { last_run: run, last_complete_day: last, running } = status;
  terminal.out(
    status.published === null
      ? status.wanted_from === null
        ? 'No warehouse has been published yet, and no start_date is set. `dawnload init` sets both up.'
        : 'No warehouse has been published yet; `dawnload run` creates it.'
      : `warehouse ${status.published}`,
  );
  if (running !== null) {
    const { command, pid, since } = running;
    terminal.out(
      `running   ${command ?? 'another program'}${pid === null ? '' : `, process ${pid}`}${since === null ? '' : `, since ${formatKst(since)}`}`,
    );
  }
  if (run !== null) {
    const ago = formatDuration(Math.max(0, now.getTime() - (run.finished_at ?? run.started_at).getTime()));
    terminal.out(
      `last run  ${run.command}, ${run.outcome ?? (running === null ? 'killed' : 'not ended')}${run.exit_code === null ? '' : ` (exit code ${run.exit_code})`}, ${formatKst(run.started_at)}, ${ago} ago`,
    );
  }
  if (status.failure !== null) terminal.out(`failed    ${status.failure}`);
  const window = daysOf({ start: shiftDay(last, 1 - SHOWN_DAYS), end: last });
  const known = new Map(status.coverage.map(({ date, rows }) => [date, rows]));
  const wanted = new Set(Object.values(status.missing).flat());
  const shown = window.filter((day) => known.has(day) || wanted.has(day));
  if (shown.length > 0) {
    const columns = ['date', ...DAILY_STREAMS].map((name) => ({ name, numeric: name !== 'date' }));
    const rows = shown.map((day) => [
      day,
      ...DAILY_STREAMS.map((stream) =>
        cell(known.get(day)?.[stream], status.missing[stream]?.includes(day) === true),
      ),
    ]);
    terminal.draw(drawTable(columns, rows, terminal));
  }
  for (const { stream, date, rows } of status.snapshots) {
    terminal.out(
      `snapshot  ${stream}: ${date === null ? 'no whole one yet' : `${date}, ${plural(rows, 'row')}`}`,
    );
  }
  for (const [stream, days] of Object.entries(status.missing)) {
    if (days.length === 0) continue;
    if (status.snapshots.some((snapshot) => snapshot.stream === stream)) {
      terminal.out(`missing   ${stream}: a snapshot of ${last} or later`);
    } else terminal.out(`missing   ${stream}: ${plural(days.length, 'day')}, ${listDays(days)}`);
  }
  if (status.fresh) terminal.out(`fresh     every wanted day up to ${last} is there`);
  if (status.lookback !== null) {
    const { date, days_after, advice } = status.lookback;
    terminal.out(`lookback  counts of ${date} changed ${plural(days_after, 'day')} after it: ${advice}`);
  }
  for (const { month, records, price, exports } of status.export_fees) {
    terminal.out(
      `fees      ${month}: ${plural(exports, 'export')}, ${formatCount(records)} records${price === 0 ? '' : `, price ${formatPrice(price, status.currency ?? undefined)}`}`,
    );
  }
  if (status.under_way.length > 0) {
    terminal.out(
      `exports   under way, resumed at no cost by ${running === null ? 'the next run' : 'this run or the next'}: ${status.under_way.join(', ')}`,
    );
  }
  for (const group of status.findings) terminal.out(`check     ${describeGroup(group)}`);
  if (status.withheld !== null) {
    const { command, finished_at, findings } = status.withheld;
    terminal.warn(
      `Not published: ${command} of ${formatKst(finished_at)}. Readers keep the previous warehouse.`,
    );
    for (const group of findings) terminal.warn(`Check ${describeGroup(group)}`);
  }
  for (const { advice } of status.needs_attention) terminal.warn(advice);
}

function cell(rows: number | undefined, missing: boolean): string {
  if (rows !== undefined) return formatCount(rows);
  return missing ? 'missing' : '';
}

/** `dawnload status`: shows the coverage by day and stream, freshness, and export fees. Its exit code is for monitors. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Invocation } from '../config/invocation.js';
import { spendOf } from '../exports/budget.js';
import { keysUnderWay } from '../exports/export.js';
import { daysOf, formatKst, listDays, lastCompleteDay, shiftDay, type Day } from '../ground/calendar.js';
import { codeOf, DawnloadError, EXIT, messageOf, StorageError, type ExitCode } from '../ground/errors.js';
import type { StreamName } from '../ground/streams.js';
import { DAY_STREAMS, snapshotsOn, STREAMS } from '../streams/index.js';
import { daysNow, newestOf, type PublishedRun } from '../night/days-now.js';
import { daysIn, nightJob, notBegun } from '../night/wanted-days.js';
import { describeGroup } from '../night/report.js';
import { Journal, RUN, runsOf, type PastRun } from '../journal/journal.js';
import { adviceOn, pushesOf } from '../push/ledger.js';
import { dataFiles } from '../disk/paths.js';
import { unwritable } from '../disk/storage-error.js';
import { writeFileWhole } from '../readers/queries/output.js';
import { formatDuration, plural, type Terminal } from '../terminal/terminal.js';
import { findingGroup } from '../warehouse/checks.js';
import { spentInWords } from './plan.js';
import { showTable, warnAll, type Command, type JsonOptions } from './shared.js';

const SHOWN_DAYS = 14;

/** Exit code 3 if only budget is missing, 0 if nothing is missing and nothing needs action, otherwise 1. */
export const statusCommand: Command<JsonOptions & { readonly format?: Format }> = async (
  { json, format = json === true ? 'json' : 'text' },
  invocation,
) => {
  const now = invocation.effects.now();
  let status: Status;
  try {
    status = await readStatus(invocation);
  } catch (error) {
    const { dataDir, credentials } = invocation.loadConfig();
    const { status: file, published } = dataFiles(dataDir);
    // Only the job's account can read the journal. Other accounts see the status that the last command saved.
    const isDenied = error instanceof StorageError && codeOf(error.cause) === 'EACCES';
    const isForeign = isDenied && credentials === undefined && existsSync(file) && mayRead(published);
    if (!isForeign) throw error;
    return showKept(file, format, invocation.terminal, now);
  }
  show(status, format, invocation.terminal, now);
  return exitCodeOf(status);
};

function mayRead(file: string): boolean {
  try {
    if (existsSync(file)) accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

type Format = 'text' | 'json' | 'prometheus';
type Status = Awaited<ReturnType<typeof readStatus>>;

function exitCodeOf(status: Status): ExitCode {
  const { fresh, withheld, failure, failed_steps, needs_attention, over_budget, missing } = status;
  const isSound = withheld === null && failure === null && failed_steps.length + needs_attention.length === 0;
  if (fresh && isSound) return EXIT.done;
  const lacks = Object.values(missing).flat().length + status.waits.length;
  const isLimited = isSound && over_budget.length > 0 && lacks === over_budget.length;
  return isLimited && status.under_way.length === 0 ? EXIT.refused : EXIT.incomplete;
}

function show(status: Status, format: Format, terminal: Terminal, now: Date): void {
  if (format === 'json') terminal.out(JSON.stringify(status));
  else if (format === 'prometheus') terminal.draw(metricsOf(status, now));
  else print(status, terminal, now);
}

/** The file for accounts without access to the journal: the status in each format, with its time. */
const kept = z.object({
  written_at: z.coerce.date(),
  last_complete_day: z.string(),
  exit_code: z.literal([EXIT.done, EXIT.incomplete, EXIT.refused]),
  text: z.string(),
  json: z.string(),
  prometheus: z.string(),
});

async function writeStatus(invocation: Invocation, journal: Journal | undefined): Promise<void> {
  const { status: file } = dataFiles(invocation.loadConfig().dataDir);
  const now = invocation.effects.now();
  const whole = await readStatus(invocation, journal);
  const status = { ...whole, findings: whole.findings.map((group) => ({ ...group, example: '' })) };
  const textOf = (format: Format): string => {
    const lines: string[] = [];
    const add = (text: string): void => void lines.push(text);
    const plain = { ...invocation.terminal, color: false, width: undefined, out: add, draw: add, warn: add };
    show(status, format, plain, now);
    return lines.join('\n');
  };
  const about = {
    written_at: now,
    last_complete_day: status.last_complete_day,
    exit_code: exitCodeOf(status),
  };
  const formats = { text: textOf('text'), json: textOf('json'), prometheus: textOf('prometheus') };
  await writeFileWhole(file, async (path) => {
    await writeFile(path, JSON.stringify({ ...about, ...formats }));
    await chmod(path, 0o644);
  });
}

/** Saves the status for other accounts. Called after every command that changes the data folder. */
export const keepStatus = (invocation: Invocation, journal: object): Promise<void> =>
  writeStatus(invocation, journal instanceof Journal ? journal : undefined).catch((error: unknown) => {
    const why = error instanceof DawnloadError ? error.sentences : messageOf(error);
    invocation.terminal.warn(`status.json was not saved, so other accounts see the previous status. ${why}`);
  });

function showKept(file: string, format: Format, terminal: Terminal, now: Date): ExitCode {
  const {
    written_at: then,
    last_complete_day: day,
    exit_code,
    ...texts
  } = kept.parse(JSON.parse(readFileSync(file, 'utf8')));
  terminal.draw(texts[format]);
  const isOld = day < lastCompleteDay(now);
  const since = `This is the status of ${formatKst(then)}, saved in ${file} by the last command.`;
  if (isOld) terminal.warn(`${since} No run has ended since ${lastCompleteDay(now)} became complete.`);
  else terminal.note(since);
  return isOld ? EXIT.incomplete : exit_code;
}

function metricsOf(status: Status, now: Date): string {
  const { last_run: run, export_fees: fees } = status;
  const seconds = (instant: Date | null | undefined): number | undefined =>
    instant == null ? undefined : instant.getTime() / 1000;
  const month = fees.at(-1);
  const metrics: readonly (readonly [name: string, help: string, value: number | undefined])[] = [
    ['sound', '1 if dawnload status ends with exit code 0', exitCodeOf(status) === EXIT.done ? 1 : 0],
    ['fresh', '1 if all wanted days are complete', status.fresh ? 1 : 0],
    ['status_timestamp_seconds', 'when these values were true', seconds(now)],
    ['run_active', '1 while a command changes the data folder', status.running === null ? 0 : 1],
    ['last_run_start_timestamp_seconds', 'start of the latest run', seconds(run?.started_at)],
    ['last_run_end_timestamp_seconds', 'end of the latest run', seconds(run?.finished_at)],
    ['last_run_exit_code', 'exit code of the latest run', run?.exit_code ?? undefined],
    ['needs_attention', 'exports, pushes and doubts that need your decision', status.needs_attention.length],
    ['failed_steps', 'steps after publishing that failed', status.failed_steps.length],
    ['exports_under_way', 'paid exports that are not loaded yet', status.under_way.length],
    ['month_export_records', 'records of paid exports in the latest month with fees', month?.records ?? 0],
  ];
  const lines = metrics.flatMap(([name, help, value]) =>
    value === undefined
      ? []
      : [
          `# HELP dawnload_${name} ${help}`,
          `# TYPE dawnload_${name} gauge`,
          `dawnload_${name} ${String(value)}`,
        ],
  );
  const missing = Object.entries(status.missing).map(
    ([stream, days]) => `dawnload_missing_days{stream="${stream}"} ${days.length}`,
  );
  const head = [
    '# HELP dawnload_missing_days wanted days without data',
    '# TYPE dawnload_missing_days gauge',
  ];
  return [...lines, ...head, ...missing].join('\n');
}

/** @throws ConfigError, CorruptDatabaseError, DamageError if settings, file or ledger cannot be read */
async function readStatus({ effects, ...invocation }: Invocation, earlier?: Journal) {
  const config = invocation.loadConfig();
  const now = effects.now();
  let start = config.startDate;
  const jobFrom = (first: Day | undefined) => {
    start ??= first;
    return start === undefined ? undefined : nightJob({ ...config, startDate: start }, now);
  };
  const { wanted, state, coverage, ...published } = await daysNow(config, effects, jobFrom, earlier);
  const { journal, lock, needed } = state;
  const entries = state.ledger.entries();
  const pushes = pushesOf(journal, lock.taken).filter(({ state }) => state === 'ambiguous');
  const runs = runsOf(journal.of(RUN));
  const last = lastCompleteDay(now);
  const { removed } = published;
  const byDay = new Map<Day, Partial<Record<StreamName, number>>>();
  for (const { stream, date, rows } of coverage)
    if (stream !== 'events' || !removed.includes(date))
      byDay.set(date, { ...byDay.get(date), [stream]: rows });
  const missing: Record<string, Day[]> = {};
  for (const declared of STREAMS)
    for (const stream of declared.grain === 'day' ? declared.on(config) : [])
      missing[stream] = daysIn(wanted, stream, 'missing');
  const isBegun = start === undefined || notBegun(start, now) === undefined;
  const snapshots = snapshotsOn(config).map((stream) => {
    const date = newestOf(coverage, stream) ?? null;
    // A missed snapshot cannot be taken later, so only today's counts, or yesterday's before the nightly run.
    missing[stream] = (date !== null && date >= last) || !isBegun ? [] : [last];
    return { stream, date, rows: byDay.get(date ?? '')?.[stream] ?? 0 };
  });
  // The journal has also runs that published nothing. Without the journal, use the last run in the file.
  const latest = runs.at(-1) ?? published.runs[0];
  const { failure = null, failed_steps } = summary.parse(runs.at(-1)?.over?.summary);
  const { command = null, pid = null, since = null } = lock.holder ?? {};
  const refused = await unwritable(config);
  const folder = refused && { key: 'data_dir', advice: `${refused.reason} ${refused.remedy}` };
  const file = dataFiles(config.dataDir).published;
  return {
    last_complete_day: last,
    wanted_from: start ?? null,
    missing,
    snapshots,
    /** Missing days of events that the budget does not allow. */
    over_budget: wanted.flatMap(({ date, decision }) =>
      decision?.verdict.startsWith('over_') === true ? [date] : [],
    ),
    waits: daysIn(wanted, 'events', 'waits'),
    given_up: daysIn(wanted, 'events', 'given_up'),
    removed,
    coverage: [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([date, rows]) => ({ date, rows })),
    /** The active run, or another command that is changing the data folder. */
    running: lock.taken ? { command, pid, since } : null,
    last_run: latest === undefined ? null : runJson(latest),
    published: existsSync(file) ? file : null,
    /** Findings of the last run, without the missing days that are listed above. */
    findings: published.findings.filter(({ name }) => name !== 'days_missing'),
    /** The latest run's error, if it failed. */
    failure,
    withheld: withheldRun(runs, published.runs),
    /** The steps after publishing that failed in the latest run: `lake`, `push NAME`, `landing`, `page`, `after_publish[0]`. */
    failed_steps,
    /** A folder that cannot be written, exports and pushes that need your decision, a journal that may lack lines. */
    needs_attention: [
      ...(folder === undefined ? [] : [folder]),
      ...needed,
      ...pushes.map((push) => ({ key: push.id, advice: adviceOn(push) })),
    ],
    /** Paid exports that are not loaded yet; resuming them is free. */
    under_way: keysUnderWay(entries),
    export_fees: spendOf(entries),
    /** Excluded staff and test people, and their events; null if the setting is missing. */
    excluded: published.exclusions[0] ?? null,
    currency: config.exports.currency ?? null,
    fresh:
      start !== undefined &&
      isBegun &&
      daysIn(wanted, 'events', 'under_way', 'waits').length === 0 &&
      Object.values(missing).every((days) => days.length === 0),
  };
}

const runJson = ({ begun, over }: PastRun | PublishedRun) => ({
  command: begun.command,
  started_at: begun.at,
  finished_at: over?.at ?? null,
  exit_code: over?.exitCode ?? null,
  outcome: over?.outcome ?? null,
});

const summary = z
  .object({
    findings: z.array(findingGroup).default([]),
    failure: z.string().optional(),
    withheld: z.string().optional(),
    failed_steps: z.array(z.string()).default([]),
  })
  .catch({ findings: [], failed_steps: [] });

/** The latest run if its file was withheld. Only the journal has it. */
function withheldRun(runs: readonly PastRun[], published: readonly PublishedRun[]) {
  const ended = runs.findLast(({ over }) => over !== undefined);
  if (ended?.over === undefined) return null;
  const { begun, over } = ended;
  const { findings, withheld: reason } = summary.parse(over.summary);
  // A rebuild publishes the earlier runs, too.
  const isPublished = published.some((run) => run.begun.runId === begun.runId);
  return reason === undefined || isPublished
    ? null
    : { command: begun.command, finished_at: over.at, reason, findings };
}

const counted = (days: readonly Day[]): string => `${plural(days.length, 'day')}, ${listDays(days)}`;

function print(status: Status, terminal: Terminal, now: Date): void {
  const { last_run: run, last_complete_day: last, running, withheld, missing, snapshots, removed } = status;
  const line = (label: string, text: string | null | false): void => {
    if (text !== null && text !== false) terminal.out(label.padEnd(10) + text);
  };
  const waits = status.wanted_from === null ? undefined : notBegun(status.wanted_from, now);
  line('warehouse', status.published);
  if (status.published === null && waits === undefined)
    terminal.out(
      status.wanted_from === null
        ? 'No warehouse was published yet, and start_date is not set. Run `dawnload init` first.'
        : 'No warehouse was published yet; `dawnload run` creates it.',
    );
  if (running !== null) {
    const { command, pid, since } = running;
    const who = pid === null ? '' : `, process ${pid}`;
    const from = since === null ? '' : `, since ${formatKst(since)}`;
    line('running', `${command ?? 'another program'}${who}${from}`);
  }
  if (run !== null) {
    const ago = formatDuration(Math.max(0, now.getTime() - (run.finished_at ?? run.started_at).getTime()));
    const outcome = run.outcome ?? (running === null ? 'killed' : 'not ended');
    const code = run.exit_code === null ? '' : ` (exit code ${run.exit_code})`;
    line('last run', `${run.command}, ${outcome}${code}, ${formatKst(run.started_at)}, ${ago} ago`);
  }
  line('failed', status.failure);
  const steps = status.failed_steps.join(', ');
  line(
    'failed',
    steps !== '' && `after publishing: ${steps}; the run's log shows why; the next run repeats them`,
  );
  const rowsOn = new Map(status.coverage.map(({ date, rows }) => [date, rows]));
  const cells = daysOf({ start: shiftDay(last, 1 - SHOWN_DAYS), end: last }).flatMap((date) => {
    const cellOf = (stream: StreamName): string | number => {
      if (stream === 'events' && removed.includes(date)) return 'removed';
      if (stream === 'events' && status.waits.includes(date)) return 'waits';
      if (stream === 'events' && status.given_up.includes(date)) return 'given up';
      return rowsOn.get(date)?.[stream] ?? (missing[stream]?.includes(date) === true ? 'missing' : '');
    };
    const row = DAY_STREAMS.map((stream) => [stream, cellOf(stream)] as const);
    return row.some(([, cell]) => cell !== '') ? [{ date, ...Object.fromEntries(row) }] : [];
  });
  showTable(terminal, cells);
  for (const { stream, date, rows } of snapshots)
    line('snapshot', `${stream}: ${date === null ? 'no whole one yet' : `${date}, ${plural(rows, 'row')}`}`);
  for (const [stream, days] of Object.entries(missing)) {
    const isSnapshot = snapshots.some((snapshot) => snapshot.stream === stream);
    const list = isSnapshot ? `a snapshot of ${last} or later` : counted(days);
    line('missing', days.length > 0 && `${stream}: ${list}`);
  }
  const { over_budget: over } = status;
  line(
    'budget',
    over.length > 0 && `does not allow ${counted(over)}: \`dawnload plan\` shows how much they need`,
  );
  const [undecided, givenUp] = [status.waits, status.given_up].map((days) => `events: ${listDays(days)};`);
  const exports = '`dawnload exports list`';
  line('waits', status.waits.length > 0 && `${undecided} your decision is needed, see ${exports}`);
  line('given up', status.given_up.length > 0 && `${givenUp} ${exports} shows the exports`);
  line('retention', removed.length > 0 && `removed the events of ${counted(removed)}`);
  const { excluded } = status;
  line(
    'excluded',
    excluded !== null &&
      `${plural(excluded.events, 'event')} not counted; ${excluded.people} of ${plural(excluded.listed, 'id')} under exclude with events`,
  );
  line('fresh', status.fresh && `all days up to ${last} are complete`);
  line('waits', waits !== undefined && `nothing to load yet: ${waits}`);
  for (const fees of status.export_fees)
    line('fees', `${fees.month}: ${spentInWords(fees, status.currency)}`);
  if (status.under_way.length > 0) {
    const by = running === null ? 'the next run' : 'this run or the next';
    line('exports', `in progress, resumed at no cost by ${by}: ${status.under_way.join(', ')}`);
  }
  for (const group of status.findings) line('check', describeGroup(group));
  if (withheld !== null) {
    const what = `${withheld.command} of ${formatKst(withheld.finished_at)}`;
    terminal.warn(
      `Not published: ${what}, ${withheld.reason}. Readers still see the previous file, if there is one.`,
    );
    for (const group of withheld.findings) terminal.warn(`Check ${describeGroup(group)}`);
  }
  warnAll(terminal, status.needs_attention);
}

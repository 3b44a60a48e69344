/** The last lines of a command that loads data: what it loaded, found and published, and what is missing. */
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { REASONS } from '../exports/budget.js';
import type { Unpaid } from '../exports/paid-request.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { listed } from '../ground/text.js';
import { dataFiles } from '../disk/paths.js';
import { describeGap, describeGroup, mergedGaps, type RunReport } from '../night/report.js';
import { continuationOf } from '../night/step.js';
import { formatBytes, formatDuration, plural, type Terminal } from '../terminal/terminal.js';
import { notRequestedLines } from './plan.js';

const UNPAID: Record<Unpaid['verdict'], string> = {
  ...REASONS,
  clock: 'the clocks disagree',
  no_consent: 'no consent to pay (`--yes-paid` gives it)',
};

/** Prints the summary of a run, and with `--json` the report. Returns the exit code. */
export function summarise(
  command: string,
  report: RunReport,
  json: boolean | undefined,
  config: Config,
  { terminal, effects }: Invocation,
): ExitCode {
  printLoaded(report, terminal);
  const unpaid = printUnpaid(report, terminal);
  printNoticed(report, terminal);
  printFindings(report, terminal);
  // Not negative, even if the clock was set back during the run.
  const ms = Math.max(0, effects.now().getTime() - report.startedAt.getTime());
  printPublished(report, dataFiles(config.dataDir).published, ms, terminal);
  printIncomplete(command, report, unpaid, terminal);
  if (json === true) {
    // `maxRSS` is in kibibytes.
    const peak_memory_bytes = process.resourceUsage().maxRSS * 1024;
    const published_bytes = report.publishedBytes ?? null;
    const { days = null } = report;
    terminal.out(JSON.stringify({ command, days, ...report.toJSON(), published_bytes, peak_memory_bytes }));
  }
  return report.exitCode();
}

function printLoaded(report: RunReport, terminal: Terminal): void {
  for (const { stream, days, rows } of report.totals()) {
    const fields = { event: 'loaded', stream, days, rows };
    terminal.note(`Loaded ${stream}: ${plural(days, 'day')}, ${plural(rows, 'row')}.`, fields);
  }
}

/** Prints the days whose events were not requested, and returns them. */
function printUnpaid({ notRequested, budget }: RunReport, terminal: Terminal): RunReport['notRequested'] {
  if (notRequested.some(({ reason }) => reason === 'no_budget'))
    terminal.note(`Events are off: ${UNPAID.no_budget}, so no paid request is sent.`);
  const unpaid = notRequested.filter(({ reason }) => reason !== 'no_budget');
  for (const line of notRequestedLines(unpaid, UNPAID, budget)) terminal.note(`Events ${line}`);
  return unpaid;
}

/** Prints how many records differ from the specification, and which fields. */
function printNoticed(report: RunReport, terminal: Terminal): void {
  for (const [kind, records] of Object.entries(report.notes())) {
    const what = kind.endsWith('_page') ? 'page' : 'record';
    const text = `Noticed ${kind.replaceAll('_', ' ')}: ${plural(records, what)}.`;
    if (records > 0) terminal.note(text, { event: 'noticed', kind, records });
  }
  const drift = report.drift();
  if (drift.length > 0)
    terminal.warn(
      `The service sends fields that differ from its specification: ${listed(drift)}. Their values are kept; see \`dawnload query drift\`.`,
      { event: 'drift', fields: drift.length },
    );
}

function printFindings(
  { checks, gaps, attention, notices, publishedBytes }: RunReport,
  terminal: Terminal,
): void {
  for (const group of checks) {
    const { name: check, severity } = group;
    terminal.warn(`Check ${describeGroup(group)}`, { event: 'check', check, severity });
  }
  if (checks.length > 0) {
    const inPrivate = 'ops.checks of private/warehouse.duckdb beside the published file';
    const where = publishedBytes === undefined ? inPrivate : '`dawnload query checks`';
    terminal.note(`Each finding with its numbers: ${where}.`);
  }
  for (const gap of mergedGaps(gaps))
    terminal.warn(describeGap(gap), { event: 'gap', stream: gap.stream, ...gap.days });
  for (const { advice } of [...attention, ...notices]) terminal.warn(advice, { event: 'needs_action' });
}

/** Prints whether the file was published, and the outcomes of the later steps. */
function printPublished(report: RunReport, published: string, ms: number, terminal: Terminal): void {
  const { publishedBytes: bytes, withheld = 'nothing was loaded', steps } = report;
  const exit_code = report.exitCode();
  if (bytes === undefined)
    terminal.warn(`Not published: ${withheld}. Readers still see the previous file, if there is one.`, {
      event: 'not_published',
      exit_code,
    });
  else
    terminal.note(`Published ${published} (${formatBytes(bytes)}) after ${formatDuration(ms)}.`, {
      event: 'published',
      bytes,
      seconds: ms / 1000,
      exit_code,
    });
  for (const { step, failed, sentence } of steps)
    terminal[failed ? 'warn' : 'note'](sentence, { event: failed ? 'step_failed' : 'step_done', step });
}

function printIncomplete(
  command: string,
  report: RunReport,
  unpaid: RunReport['notRequested'],
  terminal: Terminal,
): void {
  const { attention, gaps, withheld } = report;
  // Another run cannot fix a failed check; the meaning of the check describes the remedy.
  if (report.exitCode() === EXIT.incomplete && withheld === undefined) {
    const what = attention.length > 0 ? 'a decision above is needed' : 'see above';
    terminal.warn(`Incomplete: ${gaps.length > 0 ? continuationOf(command) : what}.`);
  }
  const consent = unpaid.some(({ reason }) => reason === 'no_consent') ? ' with --yes-paid' : '';
  if (command === 'backfill' && unpaid.length > 0)
    terminal.note(
      `To request the other days, start the same backfill again${consent}. It pays for no day twice, and no night requests days before start_date.`,
    );
}

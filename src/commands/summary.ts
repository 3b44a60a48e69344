/** The last lines of a run: the loaded data, the missing data, and the things that need action. */
import { listDays, type DayRange } from '../ground/calendar.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { explainLimit, REASONS } from '../exports/budget.js';
import { describeGap, type RunReport, describeGroup, mergedGaps } from '../job/report.js';
import type { Unpaid } from '../exports/paid-request.js';
import type { Outcome } from '../job/run.js';
import { formatBytes, formatCount, formatDuration, plural, type Terminal } from '../terminal/terminal.js';

const UNPAID: Record<Unpaid['verdict'], string> = {
  ...REASONS,
  clock: 'the clocks disagree',
  no_consent: 'no consent to pay (`--yes-paid` gives it)',
};

/** Prints the outcome and returns its exit code. */
export function summarise(
  { report, publishedBytes }: Outcome,
  terminal: Terminal,
  published: string,
  now: Date,
): ExitCode {
  for (const { stream, days, rows } of report.totals()) {
    terminal.note(`Loaded ${stream}: ${plural(days, 'day')}, ${plural(rows, 'row')}.`, {
      event: 'loaded',
      stream,
      days,
      rows,
    });
  }
  for (const line of unpaidLines(report)) terminal.note(line);
  for (const [kind, count] of Object.entries(report.notes())) {
    if (count > 0) {
      terminal.note(`Noticed ${kind.replaceAll('_', ' ')}: ${plural(count, 'record')}.`, {
        event: 'noticed',
        kind,
        records: count,
      });
    }
  }
  const drift = report.drift();
  if (drift.length > 0) {
    terminal.warn(
      `The service sends fields that differ from its specification: ${drift.join(', ')}. Their values are kept; see \`dawnload query drift\`.`,
      { event: 'drift', fields: drift.length },
    );
  }
  for (const group of report.checks) {
    terminal.warn(`Check ${describeGroup(group)}`, {
      event: 'check',
      check: group.name,
      severity: group.severity,
    });
  }
  if (report.checks.length > 0) {
    const where =
      publishedBytes === undefined
        ? 'ops.checks of private/warehouse.duckdb beside the published file'
        : '`dawnload query checks`';
    terminal.note(`Each finding with its numbers: ${where}.`);
  }
  for (const gap of mergedGaps(report.gaps)) {
    terminal.warn(describeGap(gap), {
      event: 'gap',
      stream: gap.stream,
      start: gap.days.start,
      end: gap.days.end,
    });
  }
  for (const sentence of report.attention) terminal.warn(sentence, { event: 'needs_action' });

  const exitCode = report.exitCode();
  // The duration must not become negative if the clock was set back during the run.
  const ms = Math.max(0, now.getTime() - report.startedAt.getTime());
  const took = formatDuration(ms);
  if (publishedBytes !== undefined) {
    terminal.note(`Published ${published} (${formatBytes(publishedBytes)}) after ${took}.`, {
      event: 'published',
      bytes: publishedBytes,
      seconds: ms / 1000,
      exit_code: exitCode,
    });
  } else {
    terminal.warn(
      `Not published: ${report.withheld ?? 'nothing was loaded'}. Readers keep the previous warehouse.`,
      { event: 'not_published', exit_code: exitCode },
    );
  }
  for (const { step, failed, sentence } of report.steps) {
    const fields = { event: failed ? 'step_failed' : 'step_done', step };
    if (failed) terminal.warn(sentence, fields);
    else terminal.note(sentence, fields);
  }
  // The next run does not repair a run that is withheld by a check; the meaning of the check names the remedy.
  if (exitCode === EXIT.incomplete && report.withheld === undefined) {
    terminal.warn(
      report.gaps.length > 0 || report.attention.length === 0
        ? 'Incomplete: the next run continues from here.'
        : 'Incomplete: a person has to decide, see above.',
    );
  }
  return exitCode;
}

/** The outcome as JSON, for `--json` of the commands that load data. */
export function outcomeJson(
  command: string,
  days: DayRange | null,
  { report, publishedBytes }: Outcome,
): string {
  return JSON.stringify({
    command,
    days,
    ...report.toJSON(),
    published_bytes: publishedBytes ?? null,
    // `maxRSS` is in kibibytes.
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  });
}

function unpaidLines({ unpaidDays, budget }: RunReport): string[] {
  const verdicts = [...new Set(unpaidDays.map(({ verdict }) => verdict))];
  return verdicts.map((verdict) => {
    const days = unpaidDays.filter((unpaid) => unpaid.verdict === verdict);
    if (verdict === 'no_budget') return `Events are off: ${UNPAID.no_budget}, so no paid request is sent.`;
    const estimates = days.flatMap(({ estimate }) => estimate ?? []);
    const records = estimates.reduce((sum, estimate) => sum + estimate, 0);
    const about = records === 0 ? '' : `, about ${formatCount(records)} records`;
    const limit = explainLimit(verdict, estimates, budget);
    return `Events not requested, ${UNPAID[verdict]}: ${listDays(days.map(({ day }) => day))}${about}.${limit === undefined ? '' : ` ${limit}`}`;
  });
}

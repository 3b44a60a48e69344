/** `dawnload run` and `dawnload rebuild`, and the last lines of every command that loads data. */
import { nightly } from '../../jobs/nightly.js';
import { withAlerts } from '../operations/alerts.js';
import {
  completeFrom,
  dayCount,
  dayOf,
  formatKst,
  listDays,
  shiftDay,
  type DayRange,
} from '../ground/calendar.js';
import { requireService, type Config } from '../config/config.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { explainLimit, REASONS } from '../exports/budget.js';
import type { Unpaid } from '../exports/paid-request.js';
import { dataFiles } from '../landing/paths.js';
import { describeGap, describeGroup, mergedGaps, type RunReport } from '../job/report.js';
import { rebuild, runJob, type Outcome } from '../job/run.js';
import type { Invocation } from '../config/invocation.js';
import { newestDay } from '../job/published.js';
import { formatBytes, formatCount, formatDuration, plural } from '../terminal/terminal.js';
import type { JsonOptions } from './shared.js';

export async function runCommand({ json }: JsonOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = requireService(invocation.loadConfig());
  const now = effects.now();
  const job = nightly(config, now);
  const { start, end } = job.days;
  if (dayCount(job.days) <= 0) {
    terminal.note(
      `Nothing to do yet: the start_date ${start} is complete from ${formatKst(completeFrom(start))}.`,
    );
    if (json === true) terminal.out(JSON.stringify({ command: 'run', days: null, exit_code: EXIT.done }));
    return EXIT.done;
  }
  terminal.note(`Running for ${start} to ${end} (KST days).`, { event: 'started', start, end });
  const yesterday = shiftDay(dayOf(now), -1);
  if (end < yesterday) {
    terminal.note(`${yesterday} is not complete before ${formatKst(completeFrom(yesterday))}.`);
  }
  const outcome = await withAlerts(
    config,
    invocation,
    () => newestDay(dataFiles(config.dataDir).published),
    () => runJob(job, config, invocation),
  );
  return summarise('run', outcome, outcome.days ?? job.days, json, config, invocation);
}

/** Rebuilds the warehouse from the landing zone and the journal, without any request. */
export async function rebuildCommand({ json }: JsonOptions, invocation: Invocation): Promise<ExitCode> {
  const config = invocation.loadConfig();
  invocation.terminal.note('Rebuilding from everything that has landed, oldest first. No request is sent.');
  const outcome = await rebuild(config, invocation);
  return summarise('rebuild', outcome, null, json, config, invocation);
}

const UNPAID: Record<Unpaid['verdict'], string> = {
  ...REASONS,
  clock: 'the clocks disagree',
  no_consent: 'no consent to pay (`--yes-paid` gives it)',
};

/** Prints the outcome of a command, with `json` also as JSON on stdout, and returns its exit code. */
export function summarise(
  command: string,
  { report, publishedBytes }: Outcome,
  days: DayRange | null,
  json: boolean | undefined,
  { dataDir }: Pick<Config, 'dataDir'>,
  { terminal, effects }: Invocation,
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
  const ms = Math.max(0, effects.now().getTime() - report.startedAt.getTime());
  const took = formatDuration(ms);
  if (publishedBytes !== undefined) {
    terminal.note(
      `Published ${dataFiles(dataDir).published} (${formatBytes(publishedBytes)}) after ${took}.`,
      {
        event: 'published',
        bytes: publishedBytes,
        seconds: ms / 1000,
        exit_code: exitCode,
      },
    );
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
  if (json === true) {
    const outcome = {
      command,
      days,
      ...report.toJSON(),
      published_bytes: publishedBytes ?? null,
      // `maxRSS` is in kibibytes.
      peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
    };
    terminal.out(JSON.stringify(outcome));
  }
  return exitCode;
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

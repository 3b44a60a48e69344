/** `dawnload run`, `backfill` and `rebuild`, and the last lines of every command that loads data. */
import { existsSync } from 'node:fs';
import { backfill, BACKFILL } from '../../jobs/backfill.js';
import { night } from '../../jobs/nightly.js';
import { requireService, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { REASONS } from '../exports/budget.js';
import type { Unpaid } from '../exports/paid-request.js';
import { completeFrom, dayOf, formatKst, shiftDay } from '../ground/calendar.js';
import { ClockError, ConfigError, EXIT, RefusedError, type ExitCode } from '../ground/errors.js';
import { SNAPSHOTS, snapshotsOn } from '../streams/index.js';
import { page } from '../night/after-publishing.js';
import { DataFolder } from '../night/data-folder.js';
import { check, model, note, publish, retaining } from '../night/deliver.js';
import { loadLanded } from '../night/pull.js';
import { describeGap, describeGroup, mergedGaps, RunReport } from '../night/report.js';
import { continuationOf, runNight, runSteps, type Night, type Step } from '../night/step.js';
import { nightly, notBegun } from '../night/wanted-days.js';
import { dataFiles } from '../landing/paths.js';
import { withAlerts } from '../operations/alerts.js';
import { formatBytes, formatDuration, plural } from '../terminal/terminal.js';
import { assertSamePrivacy, storedPrivacy } from '../warehouse/privacy.js';
import { assertReplaceable, discardDatabase, replaceDatabase, setAside } from '../warehouse/publish.js';
import { coveredDay, readEveryBlock, Reader } from '../warehouse/reader.js';
import { makePlan, notRequestedLines, printPlan } from './plan.js';
import type { Command, JsonOptions, Options } from './shared.js';

export const runCommand: Command<JsonOptions> = ({ json }, invocation) =>
  withAlerts(invocation, async (settings, report) => {
    const { terminal, effects } = invocation;
    const config = requireService(settings);
    const now = effects.now();
    const wanted = nightly(config, now);
    const { start, end } = wanted.days;
    const waits = notBegun(start, now);
    if (waits !== undefined) {
      if (existsSync(dataFiles(config.dataDir).published))
        throw new ClockError(
          `This machine's clock shows ${formatKst(now)}, before start_date ${start}, but the warehouse has data.`,
          {
            hint: 'Correct the clock or start_date, then run again. `dawnload doctor` compares both clocks.',
          },
        );
      terminal.note(`Nothing to do yet: ${waits}.`);
      if (json === true) terminal.out(JSON.stringify({ command: 'run', days: null, exit_code: EXIT.done }));
      return EXIT.done;
    }
    terminal.note(`Running for ${start} to ${end} (KST days).`, { event: 'started', start, end });
    const yesterday = shiftDay(dayOf(now), -1);
    if (end < yesterday)
      terminal.note(`${yesterday} is not complete before ${formatKst(completeFrom(yesterday))}.`);
    await runNight({ command: 'run', steps: night(config), config, invocation, report, wanted });
    return summarise('run', report, json, config, invocation);
  });

type BackfillOptions = { readonly start: string; readonly end: string } & JsonOptions &
  Options<'streams', 'dryRun' | 'yesPaid' | 'acceptEmpty'>;

export const backfillCommand: Command<BackfillOptions> = async (options, invocation) => {
  const { terminal, effects } = invocation;
  const { json, yesPaid = false } = options;
  const settings = invocation.loadConfig();
  const job = backfill(options, settings.retention, effects.now());
  const { days, streams } = job;
  if (options.dryRun === true) return printPlan(await makePlan(job, settings, invocation), json, terminal);
  const config = requireService(settings);
  const isPaid = streams.has('events') && (options.streams !== undefined || yesPaid);
  if (isPaid && config.exports.budget === undefined)
    throw new RefusedError('Event exports are billed, and exports.budget is not set.', {
      hint: 'Set exports.budget in dawnload.yaml, or leave events out with --streams statistics,campaigns.',
    });
  const on = snapshotsOn(config);
  const off = SNAPSHOTS.find((stream) => streams.has(stream) && !on.includes(stream));
  if (off !== undefined)
    throw new ConfigError(`reference.${off} is not set, so ${off} cannot be pulled.`, {
      hint: `Set reference.${off} in dawnload.yaml, or leave ${off} out of --streams.`,
    });
  const text = `Backfilling ${days.start} to ${days.end} (KST days): ${[...streams].join(', ')}.`;
  terminal.note(text, { event: 'started', ...days });
  const report = new RunReport(() => effects.now());
  await runNight({ command: 'backfill', steps: BACKFILL, config, invocation, report, wanted: job });
  return summarise('backfill', report, json, config, invocation);
};

/** The steps of a rebuild. It applies retention to the file alone and deletes no page. */
const REBUILD: readonly Step[] = [loadLanded, note, model, check, retaining('file'), publish, page];

export const rebuildCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const config = invocation.loadConfig();
  const { terminal, effects } = invocation;
  const report = new RunReport(() => effects.now());
  await using folder = await DataFolder.open(config, invocation, { command: 'rebuild', needs: 'erasures' });
  terminal.note('Rebuilding from everything that has landed, oldest first. No request is sent.');
  const { rebuilt, working, published } = folder.files;
  await using warehouse = await folder.warehouse('rebuilt', report);
  const aside = await setAside(published, effects.now());
  if (aside !== undefined) terminal.warn(`The published file was not a DuckDB file. It is now ${aside}.`);
  await assertReplaceable(published);
  const night: Night = { config, invocation, folder, warehouse, wanted: undefined, report };
  await runSteps(night, REBUILD);
  if (report.lost.length === 0 || !(await hasDays(report.lost, night)))
    await replaceDatabase(rebuilt, working, effects);
  else {
    terminal.warn('The private warehouse has these days, so it is kept and the rebuilt one is discarded.');
    await discardDatabase(rebuilt);
  }
  return summarise('rebuild', report, json, config, invocation);
};

/** True if the private warehouse is sound, readable under the settings, and covers the days. */
async function hasDays(days: RunReport['lost'], { folder, warehouse, invocation }: Night): Promise<boolean> {
  const { working } = folder.files;
  const { privacy } = warehouse.file.options;
  try {
    await readEveryBlock(working);
    return await Reader.using(working, async (reader) => {
      assertSamePrivacy(await reader.rows('ops/privacy_stored', storedPrivacy), privacy);
      const covered = await reader.rows('status/coverage', coveredDay);
      return days.every((day) =>
        covered.some(({ stream, date }) => stream === day.stream && date === day.date),
      );
    });
  } catch {
    // An interruption proves nothing about the file.
    invocation.signal.throwIfAborted();
    return false;
  }
}

const UNPAID: Record<Unpaid['verdict'], string> = {
  ...REASONS,
  clock: 'the clocks disagree',
  no_consent: 'no consent to pay (`--yes-paid` gives it)',
};

export function summarise(
  command: string,
  report: RunReport,
  json: boolean | undefined,
  { dataDir }: Config,
  { terminal, effects }: Invocation,
): ExitCode {
  for (const { stream, days, rows } of report.totals()) {
    const fields = { event: 'loaded', stream, days, rows };
    terminal.note(`Loaded ${stream}: ${plural(days, 'day')}, ${plural(rows, 'row')}.`, fields);
  }
  const { notRequested, publishedBytes, days = null } = report;
  if (notRequested.some(({ reason }) => reason === 'no_budget'))
    terminal.note(`Events are off: ${UNPAID.no_budget}, so no paid request is sent.`);
  const unpaid = notRequested.filter(({ reason }) => reason !== 'no_budget');
  for (const line of notRequestedLines(unpaid, UNPAID, report.budget)) terminal.note(`Events ${line}`);
  for (const [kind, records] of Object.entries(report.notes())) {
    const what = kind.endsWith('_page') ? 'page' : 'record';
    const text = `Noticed ${kind.replaceAll('_', ' ')}: ${plural(records, what)}.`;
    if (records > 0) terminal.note(text, { event: 'noticed', kind, records });
  }
  const drift = report.drift();
  if (drift.length > 0)
    terminal.warn(
      `The service sends fields that differ from its specification: ${drift.join(', ')}. Their values are kept; see \`dawnload query drift\`.`,
      { event: 'drift', fields: drift.length },
    );
  for (const group of report.checks) {
    const { name: check, severity } = group;
    terminal.warn(`Check ${describeGroup(group)}`, { event: 'check', check, severity });
  }
  const isPublished = publishedBytes !== undefined;
  if (report.checks.length > 0) {
    const where = 'ops.checks of private/warehouse.duckdb beside the published file';
    terminal.note(`Each finding with its numbers: ${isPublished ? '`dawnload query checks`' : where}.`);
  }
  for (const gap of mergedGaps(report.gaps))
    terminal.warn(describeGap(gap), { event: 'gap', stream: gap.stream, ...gap.days });
  for (const { advice } of [...report.attention, ...report.notices])
    terminal.warn(advice, { event: 'needs_action' });

  const exit_code = report.exitCode();
  // The duration must not become negative if the clock was set back during the run.
  const ms = Math.max(0, effects.now().getTime() - report.startedAt.getTime());
  if (isPublished) {
    const { published } = dataFiles(dataDir);
    const fields = { event: 'published', bytes: publishedBytes, seconds: ms / 1000, exit_code };
    const size = formatBytes(publishedBytes);
    terminal.note(`Published ${published} (${size}) after ${formatDuration(ms)}.`, fields);
  } else {
    const why = report.withheld ?? 'nothing was loaded';
    const fields = { event: 'not_published', exit_code };
    terminal.warn(`Not published: ${why}. Readers still see the previous file, if there is one.`, fields);
  }
  for (const { step, failed, sentence } of report.steps)
    terminal[failed ? 'warn' : 'note'](sentence, { event: failed ? 'step_failed' : 'step_done', step });
  // The next run does not repair a run that is withheld by a check; the meaning of the check names the remedy.
  if (exit_code === EXIT.incomplete && report.withheld === undefined) {
    const what = report.attention.length > 0 ? 'something above waits for you' : 'see above';
    terminal.warn(`Incomplete: ${report.gaps.length > 0 ? continuationOf(command) : what}.`);
  }
  // No night wants days before `start_date`.
  const consent = unpaid.some(({ reason }) => reason === 'no_consent') ? ' with --yes-paid' : '';
  if (command === 'backfill' && unpaid.length > 0)
    terminal.note(
      `To request the other days, start the same backfill again${consent}. It pays for no day twice, and no night requests days before start_date.`,
    );
  // `maxRSS` is in kibibytes.
  const size = {
    published_bytes: publishedBytes ?? null,
    peak_memory_bytes: process.resourceUsage().maxRSS * 1024,
  };
  if (json === true) terminal.out(JSON.stringify({ command, days, ...report.toJSON(), ...size }));
  return exit_code;
}

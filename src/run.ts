/** The stages of a run in order: extract, land and load each stream, then model, check, publish. */
import { existsSync } from 'node:fs';
import { dayOf, formatKst, lastCompleteDay, listDays, type Day, type DayRange } from './calendar.js';
import { until, type Job, type Stream } from './streams.js';
import { nightly } from '../jobs/nightly.js';
import { daysIn, wantedDays, type WantedDay } from './run/wanted-days.js';
import type { Invocation } from './invocation.js';
import { actionsNeeded } from './exports/advice.js';
import type { Config, ServiceConfig } from './config.js';
import {
  adviceOf,
  ClockError,
  CorruptDatabaseError,
  CredentialsError,
  DawnloadError,
  DamageError,
  EXIT,
  InterruptedError,
  messageOf,
  ServiceError,
  StorageError,
  exitCodeOf,
} from './errors.js';
import {
  openWarehouse,
  withRunContext,
  withLocalContext,
  type RunContext,
  type StorageConfig,
  type LocalContext,
} from './run/context.js';
import { runsOf, type RunOver } from './journal/runs.js';
import { headsOf, withDataFolder } from './run/data-folder.js';
import { prepareErased } from './lake/erased.js';
import { pushLake, rowsAdded } from './lake/push.js';
import { plural } from './terminal/terminal.js';
import { retain, wereRemoved } from './run/retention.js';
import { adviceOn, callsOf, PushLedger, sentRows, unknownRows, waits } from './push/ledger.js';
import type { PushRow } from './warehouse/rows.js';
import type { Export } from './exports/export.js';
import { Ledger } from './exports/ledger.js';
import type { RunReport } from './run/report.js';
import { pullReference } from './reference/pull-reference.js';
import { pullCampaigns } from './statistics/pull-campaigns.js';
import { loadExport, loadLanded, loadOrReport, reloadErased, reportUnloaded } from './run/load-landed.js';
import type { Pull } from './storage/pull.js';
import {
  Pending,
  notPublished,
  receiptOf,
  rewriteDatabase,
  searchFolder,
  writeReceipt,
  type Begun,
  type Erased,
} from './erasure/erase.js';
import { deleteComputed } from './erasure/person.js';
import { assertMayLand, CLOCK_REMEDY, clockTrouble, earlierOf } from './api/clocks.js';
import { pullEvents, requestAgain, resume } from './exports/pull-events.js';
import { budgetRow } from './exports/budget.js';
import { pullStatistics } from './statistics/pull-daily.js';
import { readEveryBlock } from './warehouse/opening.js';
import {
  assertPublishable,
  assertReplaceable,
  discardDatabase,
  publish,
  replaceDatabase,
  setAside,
} from './warehouse/publish.js';
import { refuseNewer } from './warehouse/migrate.js';
import { hmacKey } from './warehouse/privacy.js';
import { knownBy } from './warehouse/remembered-exports.js';
import type { Doubt } from './journal/doubt.js';
import type { Journal } from './journal/journal.js';

export interface Outcome {
  readonly report: RunReport;
  /** Size of the published file in bytes; undefined if readers keep the previous file. */
  readonly publishedBytes: number | undefined;
  /** Path of the report page for people; undefined if none was written. */
  readonly page: string | undefined;
  /** Days whose events had been loaded and are now missing from the file. */
  readonly lost: readonly Day[];
  /** The days of the job that are complete by both clocks. */
  readonly days?: DayRange;
}

/**
 * Runs a job: from the service to the published file.
 *
 * @param afterPublishing the pushes of the night, which read the published file
 * @throws the error that stopped the run (credentials, disk, Ctrl-C); data that was loaded before is published, now or
 *   by the next run
 */
export function runJob(
  job: Job,
  config: ServiceConfig,
  invocation: Invocation,
  afterPublishing?: AfterPublishing,
): Promise<Outcome> {
  return withRunContext(config, invocation, job.name, async (context) => {
    let { days } = job;
    const work = async (): Promise<void> => {
      await loadLanded(context);
      const complete = await untilComplete(job, context);
      ({ days } = complete);
      try {
        await pull(complete, context);
      } finally {
        reportClocks(context);
      }
    };
    const outcome = await recorded(context, job.name, invocation, async (record) => {
      const delivered = await deliver(context, work, record, async () => {
        return retain(context, config, invocation);
      });
      if (delivered.publishedBytes === undefined) return delivered;
      await pushIfSure(context, delivered.report, afterPublishing);
      await pushAfterRun(config, invocation, context.journal, job.name, delivered.report);
      return delivered;
    });
    return { ...outcome, days };
  });
}

/**
 * Returns the job without the days that are not complete by both clocks, and reports what the clocks prevent.
 *
 * @throws CredentialsError, ServiceError when E1 fails
 * @throws ClockError when the clocks differ so much that nothing may land
 */
async function untilComplete(job: Job, context: RunContext): Promise<Job> {
  const { service, terminal } = context;
  await service.authorize();
  assertMayLand(context);
  reportClocks(context);
  const earlier = earlierOf(context);
  const last = lastCompleteDay(earlier);
  if (job.days.end <= last) return job;
  terminal.note(
    `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
  );
  return until(job, last);
}

/** Reports once that the clocks differ too much for a payment; a later answer may be the first that shows it. */
function reportClocks(context: RunContext): void {
  const { service, report } = context;
  const trouble = clockTrouble(context);
  if (trouble === undefined || report.clockSkewMs !== undefined) return;
  report.clockSkewMs = service.clockSkewMs;
  report.needsAction(`${trouble} No paid request is sent until they agree. ${CLOCK_REMEDY}`);
}

/** Work on the published file that a run ends with, such as pushes; it records its outcome in the report. */
export type AfterPublishing = (report: RunReport, journal: Journal) => Promise<void>;

/** Rows reach people, so none leaves while the journal may lack what was sent. */
async function pushIfSure(
  { journal, ledger }: RunContext,
  report: RunReport,
  afterPublishing: AfterPublishing | undefined,
): Promise<void> {
  if (ledger.doubt === undefined) return afterPublishing?.(report, journal);
}

/**
 * Pushes the published file of a run to the lake, if a lake is configured. A failure is added to the report: the file
 * is published in any case, and the next run pushes what is missing.
 *
 * @throws InterruptedError after Ctrl-C
 */
async function pushAfterRun(
  config: Pick<Config, 'dataDir' | 'lake'>,
  invocation: Invocation,
  journal: Journal,
  command: string,
  report: RunReport,
): Promise<void> {
  const { dataDir, lake } = config;
  if (lake === undefined) return;
  try {
    const commits = await pushLake({ dataDir, lake }, invocation, journal, command);
    report.lake({ pushed: true, commits: commits.length, rows: rowsAdded(commits) });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const reason = [messageOf(error), error instanceof DawnloadError ? adviceOf(error) : ''].join(' ').trim();
    report.lake({ pushed: false, days: report.loadedDays, reason });
  }
}

/** The rows of `ops.pushes`. */
function pushRows({ pushes }: PushLedger): PushRow[] {
  return pushes.map((push) => ({
    ...push,
    ...push.counts,
    sent: sentRows(push),
    unknown: unknownRows(push),
    calls: callsOf(push),
  }));
}

/**
 * Rebuilds the warehouse from the landing zone and the ledger without any request. The new file replaces the old one
 * when it is complete.
 */
export function rebuild(
  config: StorageConfig & Pick<Config, 'retention' | 'lake'>,
  invocation: Invocation,
): Promise<Outcome> {
  const rebuilding = async (context: LocalContext): Promise<Outcome> => {
    const aside = await setAside(context.files.published, invocation.effects.now());
    if (aside !== undefined)
      invocation.terminal.warn(`The published file was not a DuckDB file. It is now ${aside}.`);
    // A rebuild is not recorded as a run; it copies the runs of the journal into the new file.
    await retellRuns(context);
    await takeRemovedDays(context);
    const outcome = await deliver(
      context,
      () => loadLanded(context),
      undefined,
      () => retain(context, config, invocation),
    );
    const { rebuilt, working } = context.files;
    if (outcome.lost.length > 0 && (await holdsDays(working, outcome.lost, config, invocation))) {
      invocation.terminal.warn(
        'The private warehouse holds these events, so it is kept and the rebuilt one is discarded.',
      );
      await discardDatabase(rebuilt);
      return outcome;
    }
    await replaceDatabase(rebuilt, working, invocation.effects);
    return outcome;
  };
  return withLocalContext(config, invocation, 'rebuild', rebuilding, 'rebuilt');
}

/**
 * Erases persons everywhere in the data folder: from landed pages, from both database files, from copies. Resumes an
 * erasure that was begun and killed; `begin` is not called then.
 *
 * @param begin chooses the persons, in a warehouse that holds everything that has landed; it returns undefined to do
 *   nothing
 */
export function forget(
  config: Config,
  invocation: Invocation,
  begin: (context: LocalContext) => Promise<Begun | undefined>,
): Promise<Erased | undefined> {
  const pending = new Pending(config.dataDir, invocation.effects);
  return withLocalContext(config, invocation, 'forget', async (context) => {
    const { erasures, effects, dataDir, files } = context;
    await loadLanded(context);
    const began = await pending.read();
    const erasing = began ?? (await begin(context));
    if (erasing === undefined) return undefined;
    const { register } = erasures;
    // The line of another erasure, the record of which is lost, does not hold these persons.
    const open = register.erasures.find((one) => !one.done && one.line === began?.line);
    erasing.line = open?.line ?? context.journal.head.seq + 1;
    await pending.write(erasing);
    const line = open?.line ?? (await erasures.begin(erasing));
    let cut = { records: 0, pulls: 0 };
    const outcome = await deliver(context, async () => {
      await cutLanded(context, erasing, pending);
      await reloadErased(context, new Set(erasures.register.cutPulls(line).keys()));
      effects.reach('erase/loaded');
      cut = await erasures.cutBy(line);
      const rows = Object.values(erasing.rows).reduce((sum, one) => sum + one, 0);
      await erasures.register.append({ event: 'cut', of: line, records: cut.records, rows });
    });
    if (outcome.publishedBytes === undefined) throw notPublished(files.published, outcome.report.withheld);
    await rewriteDatabase(dataDir, erasures.register, effects);
    await publish({ working: files.working, published: files.published, effects });
    const search = await searchFolder(dataDir, [...erasing.written, ...erasing.spellings, ...erasing.ids]);
    const lake = await deletedInLake(config, invocation, context.journal, erasures.register.ids);
    const receipt = receiptOf(erasing, cut, search, [...erasures.unread], lake);
    const file = await writeReceipt(dataDir, receipt, effects);
    // The sweep cut everybody whom the register names, so an erasure whose record was lost is complete too.
    const left = register.erasures.filter(({ done }) => !done);
    for (const { line: of } of left) await register.append({ event: 'done', of });
    await pending.remove();
    return { receipt, file, resumed: began !== undefined };
  });
}

/**
 * Pushes the changed days to the lake, so that its tables do not hold the persons either; a failure is stated in the
 * receipt.
 */
async function deletedInLake(
  config: Config,
  invocation: Invocation,
  journal: Journal,
  ids: readonly string[],
): Promise<string | undefined> {
  const { dataDir, lake } = config;
  if (lake === undefined) return undefined;
  try {
    const settings = { dataDir, lake };
    const commits = await pushLake(settings, invocation, journal, 'forget', async (opened) => {
      await prepareErased(opened, config, { key: await hmacKey(dataDir, invocation.effects), ids });
    });
    return `deleted in ${plural(commits.length, 'commit')}, not yet erased: data files of before hold the rows until compaction and expiry (docs/scale.md), and \`dawnload lake verify --erased\` says when none does any more. A bucket with versioning or object lock keeps deleted files longer; its settings say how long`;
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    return `not deleted yet (${messageOf(error)}); \`dawnload lake push\` deletes the rows`;
  }
}

/**
 * Removes the persons from landed pages. Each pull is noted before it is cut, so that it is loaded again even after a
 * kill.
 */
async function cutLanded(
  { erasures, effects }: LocalContext,
  erasing: Begun,
  pending: Pending,
): Promise<void> {
  const known = new Set([...erasing.written, ...erasing.spellings]);
  await erasures.sweep(async (written) => {
    const spellings = [...written].filter((id) => !known.has(id));
    for (const id of spellings) known.add(id);
    if (spellings.length > 0) {
      erasing.spellings = [...erasing.spellings, ...spellings];
      await pending.write(erasing);
    }
  });
  effects.reach('erase/landing-swept');
}

export interface ResumeOptions {
  /** True if a person consents to being billed again. */
  readonly payAgain?: boolean;
  /** True if a person accepts an incomplete export: without records, or with only some of the pages. */
  readonly acceptIncomplete?: boolean;
}

/** Resumes one export or, with a person's consent, requests its window again, which is billed again. */
export function resumeExport(
  key: string,
  { payAgain = false, acceptIncomplete = false }: ResumeOptions,
  config: ServiceConfig,
  invocation: Invocation,
): Promise<Outcome> {
  return withRunContext(config, invocation, 'exports resume', (context) =>
    recorded(context, 'exports resume', invocation, (record) => {
      const work = async (): Promise<void> => {
        if (!payAgain) return resume(key, acceptIncomplete, pulling(context));
        await assertPublishable(context.files.published);
        await requestAgain(key, pulling(context));
      };
      return deliver(context, work, record);
    }),
  );
}

/** What a person's decision changes. */
interface Decided {
  readonly ledger: Ledger;
  readonly journal: Journal;
  /** The reason why the journal may lack lines. */
  readonly doubt: Doubt | undefined;
  /** Asks for the reason again. */
  again: () => Promise<Doubt | undefined>;
}

/** Changes only the journal, under the lock. */
export function withLedger<T>(
  config: StorageConfig,
  invocation: Invocation,
  command: string,
  change: (decided: Decided) => Promise<T>,
): Promise<T> {
  return withDataFolder(config, invocation, command, async (folder) => {
    const { dataDir, journal, landing, files } = folder;
    const { head } = await knownBy(files.working);
    // What a run finds in manifests is confirmed with the rest.
    const again = async (): Promise<Doubt | undefined> =>
      folder.doubt([...head, ...headsOf(await landing.pulls(undefined, () => undefined))]);
    const doubt = (await folder.doubt(head)) && (await again());
    const ledger = new Ledger(dataDir, journal, invocation.effects, doubt);
    await ledger.settle(config.exports.refusals);
    return change({ ledger, journal, doubt, again });
  });
}

/** The wanted days of a job, by what the private file and the journal know now. */
async function wantedOf(
  job: Job,
  { warehouse, ledger, exports, effects, runId }: LocalContext,
): Promise<WantedDay[]> {
  const now = effects.now();
  const known = {
    ...(await warehouse.knownDays(dayOf(now))),
    entries: ledger.entries(),
    unsure: ledger.doubt !== undefined,
    runId,
  };
  return wantedDays(job, known, exports, now);
}

/** The context of the stages that pull, with the load of what they land. */
function pulling(context: RunContext) {
  return {
    ...context,
    loadPulls: (pulls: readonly Pull[]) => loadOrReport(context, pulls),
    loadExport: (entry: Export) => loadExport(context, entry),
    isCut: (pull: string) => context.erasures.register.mayBeCut(pull),
  };
}

async function pull(job: Job, given: RunContext): Promise<void> {
  const context = pulling(given);

  const wanted = await wantedOf(job, given);
  const daysOf = (stream: Stream): Day[] => daysIn(wanted, stream, 'missing', 'restatable');
  if (job.streams.has('statistics')) await pullStatistics(job, daysOf, context);
  if (job.streams.has('campaigns')) await pullCampaigns(job, daysOf, context);
  if (job.streams.has('events')) {
    await assertPublishable(context.files.published);
    await pullEvents(job, context);
  }
  await pullReference(job, context);
}

/** Does the work of a run and records its end, after everything that could fail. */
async function recorded(
  context: LocalContext,
  command: string,
  invocation: Invocation,
  work: (record: RunRecord) => Promise<Outcome>,
): Promise<Outcome> {
  const record = new RunRecord(context, command, invocation);
  await record.begin();
  try {
    const outcome = await work(record);
    await record.end(context.report, undefined);
    return outcome;
  } catch (error) {
    // The journal may be on the disk that made the run fail; people are told the original failure.
    await record.end(context.report, asError(error)).catch(() => undefined);
    throw error;
  }
}

/** Does the work; then models, checks and publishes the data that is there, even if the work failed. */
async function deliver(
  context: LocalContext,
  work: () => Promise<void>,
  run?: RunRecord,
  beforePublishing?: () => Promise<() => Promise<void>>,
): Promise<Outcome> {
  const { ledger, forgotten, warehouse, report, effects, startDate } = context;
  await assertReplaceable(context.files.published);
  if (run !== undefined) refuseNewer(context.publishedSchema);
  await ledger.settle(context.exports.refusals);
  const timed = stopwatch(context);
  const failure = await timed('pull', () => failureOf(work));
  // After Ctrl-C or a disk error, no further stage is begun: the next run publishes.
  if (failure instanceof InterruptedError || failure instanceof StorageError) throw failure;
  // A damaged database file is not published: only a new file can replace it.
  if (failure instanceof CorruptDatabaseError) throw failure;

  await reportUnloaded(context);
  await ledger.readTexts();
  for (const { advice } of actionsNeeded(ledger, ledger.doubt)) report.needsAction(advice);
  await warehouse.replaceExports([...ledger.entries(), ...forgotten]);
  await warehouse.noteBudget(budgetRow(context.exports));
  await notePushes(context);
  if (startDate !== undefined)
    await warehouse.replaceDays(await wantedOf(nightly({ ...context, startDate }, effects.now()), context));
  const { erasures } = context.erasures.register;
  if (erasures.length > 0) await warehouse.replaceErasures(erasures);
  report.choseGoals(await timed('model', () => warehouse.model()));
  report.checked(await timed('check', () => warehouse.check()));
  const onceReplaced = await beforePublishing?.();
  const ending = await run?.expect(report, failure);
  const lost = await lostDays(context);
  await warehouse.noteHead(context.journal.head);
  const publishedBytes = await publishSound(context, lost, failure);
  if (publishedBytes !== undefined) await onceReplaced?.();
  const page = await reportOn(context, ending);
  if (failure !== undefined) throw failure;
  return { report, publishedBytes, page, lost };
}

/** Copies the ledger of pushes into the file. */
async function notePushes({ warehouse, journal, effects, report }: LocalContext): Promise<void> {
  const ledger = new PushLedger(journal, effects);
  if (ledger.pushes.length > 0) await warehouse.replacePushes(pushRows(ledger));
  for (const push of ledger.pushes.filter(waits)) report.needsAction(adviceOn(push));
}

/** The names of the stages in the terminal. */
const DOING = { pull: 'pulling', model: 'modelling', check: 'checking' } as const;

/** Shows each stage as progress and measures its time for the run's summary. */
function stopwatch({ effects, report, terminal }: LocalContext) {
  return async <T>(stage: 'pull' | 'model' | 'check', work: () => Promise<T>): Promise<T> => {
    const began = effects.now();
    terminal.progress(DOING[stage]);
    const result = await work();
    const ms = effects.now().getTime() - began.getTime();
    report.took(stage, ms);
    terminal.record(`Finished ${DOING[stage]}.`, { event: 'stage_finished', stage, seconds: ms / 1000 });
    return result;
  };
}

async function failureOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Publishes the file, unless a check forbids it, or the run failed and the warehouse is empty. */
async function publishSound(
  context: LocalContext,
  lost: readonly Day[],
  failure: Error | undefined,
): Promise<number | undefined> {
  const { warehouse, report, files, path, dataDir, effects, terminal } = context;
  const empty = (await warehouse.loader.loaded()).size === 0;
  if (lost.length > 0)
    report.withhold(`the events of ${listDays(lost)} were loaded before and cannot be loaded now`);
  await warehouse.close();
  const { register } = context.erasures;
  if (path === files.working && register.holdsErasedBytes) await rewriteDatabase(dataDir, register, effects);
  if (report.withheld !== undefined || (failure !== undefined && empty)) return undefined;
  terminal.progress('publishing');
  const { bytes } = await publish({ working: path, published: files.published, effects });
  return bytes;
}

/** Writes the report page for people. A failure to write it does not fail the run. */
async function reportOn(
  { reportIn, dataDir, files, effects, terminal, journal }: LocalContext,
  ending: RunOver | undefined,
): Promise<string | undefined> {
  if (reportIn === undefined || !existsSync(files.published)) return undefined;
  terminal.progress('writing the report');
  try {
    const { writeReport } = await import('./report/report.js');
    await writeReport(files.report, {
      dataDir,
      language: reportIn,
      now: effects.now(),
      ending,
      runs: runsOf(journal.of('run')),
    });
    return files.report;
  } catch (error) {
    terminal.warn(
      `The report could not be written: ${messageOf(error)} \`dawnload report\` writes it again.`,
    );
    return undefined;
  }
}

/** True if a warehouse is sound, readable under the settings, and covers the events of the days. */
async function holdsDays(
  path: string,
  days: readonly Day[],
  config: StorageConfig,
  invocation: Invocation,
): Promise<boolean> {
  try {
    await readEveryBlock(path);
    const warehouse = await openWarehouse(path, config, invocation);
    try {
      const covered = await warehouse.coverage('events');
      return days.every((day) => covered.has(day));
    } finally {
      await warehouse.close();
    }
  } catch {
    // An interruption is no evidence about the file.
    invocation.signal.throwIfAborted();
    return false;
  }
}

/** The loaded exports whose pages were removed by retention. */
function removedExports({ ledger, journal }: LocalContext): Export[] {
  return ledger.entries().filter((entry) => entry.state === 'loaded' && wereRemoved(journal, entry));
}

/** Copies the computed rows of days with removed pages from the private file, since they cannot be computed again. */
async function takeRemovedDays(context: LocalContext): Promise<void> {
  const { warehouse, files, terminal } = context;
  const days = removedExports(context).map(({ day }) => day);
  if (days.length === 0) return;
  try {
    await warehouse.takeDays(files.working, days);
    if (context.erasures.register.last !== undefined) await deleteComputed(await context.erasures.session());
    terminal.note(
      `The pages of ${listDays(days)} were removed by retention: their events cannot be made again; what was computed of them is kept.`,
    );
  } catch (error) {
    terminal.warn(
      `The pages of ${listDays(days)} were removed by retention, and what was computed of them is lost: ${messageOf(error)}`,
    );
  }
}

/**
 * The days whose events had been loaded and are missing from this file: their export is lost from the ledger, or
 * damaged.
 */
async function lostDays(context: LocalContext): Promise<Day[]> {
  const { ledger, warehouse } = context;
  const untracked = context.forgotten.filter(({ state }) => state === 'loaded');
  // Exports that are open again for their pages count as loaded; an export that a person gave up is not missing.
  const loaded = ledger
    .entries()
    .filter(({ state, loadedAt }) => loadedAt !== undefined && state !== 'abandoned');
  const covered = await warehouse.coverage('events');
  const missing = [...untracked, ...loaded].map(({ day }) => day).filter((day) => !covered.has(day));
  if (missing.length === 0) return [];
  const removed = new Set(removedExports(context).map(({ day }) => day));
  return [...new Set(missing)].filter((day) => !removed.has(day));
}

class RunRecord {
  readonly #context: LocalContext;
  readonly #runId: string;
  readonly #command: string;
  readonly #version: string;

  constructor(
    context: LocalContext,
    command: string,
    { runId, version }: Pick<Invocation, 'runId' | 'version'>,
  ) {
    this.#context = context;
    this.#runId = runId;
    this.#command = command;
    this.#version = version;
  }

  /**
   * Records the start. First completes the record of the previous run in the warehouse from the journal, since that run
   * wrote to the warehouse before its end was known.
   */
  async begin(): Promise<void> {
    const { warehouse, journal, report } = this.#context;
    const last = runsOf(journal.of('run')).at(-1)?.over;
    if (last !== undefined) await warehouse.finishRun(last);
    const run = {
      runId: this.#runId,
      command: this.#command,
      version: this.#version,
      processId: process.pid,
    };
    await journal.append('run', { event: 'begun', ...run });
    await warehouse.startRun({ ...run, startedAt: report.startedAt });
  }

  /** Records in the file to be published, and for its report, how the run ends if nothing fails from here on. */
  async expect(report: RunReport, failure: Error | undefined): Promise<RunOver> {
    const over = this.#over(report, failure);
    await this.#context.warehouse.finishRun(over);
    return over;
  }

  /** Records the end in the journal, as the last act of the run. If the disk refuses, the run stays without an end. */
  async end(report: RunReport, failure: Error | undefined): Promise<void> {
    const { runId, exitCode, outcome } = this.#over(report, failure);
    const summary = {
      ...report.forJournal(),
      ...(failure === undefined ? {} : { failure: kindOf(failure) }),
    };
    await this.#context.journal.append('run', { event: 'ended', runId, exitCode, outcome, summary });
  }

  #over(report: RunReport, failure: Error | undefined): RunOver {
    const exitCode = failure === undefined ? report.exitCode() : exitCodeOf(failure);
    return {
      runId: this.#runId,
      finishedAt: this.#context.effects.now(),
      exitCode,
      outcome: outcomeOf(exitCode, failure),
      summary: { ...report.toJSON(), ...(failure === undefined ? {} : { failure: messageOf(failure) }) },
    };
  }
}

/** The failure of a run in words that hold no text of the service, for the journal. */
function kindOf(failure: Error): string {
  if (failure instanceof CredentialsError) return 'The service refuses the keys or the project.';
  if (failure instanceof ServiceError) return 'The service did not answer as it should.';
  if (failure instanceof ClockError) return "This machine's clock and the service's differ.";
  if (failure instanceof StorageError) return 'The data folder cannot be written.';
  if (failure instanceof DamageError || failure instanceof CorruptDatabaseError)
    return 'A file of the data folder is damaged.';
  return 'It failed; its log says why.';
}

function outcomeOf(exitCode: number, failure: Error | undefined): string {
  if (failure instanceof InterruptedError) return 'interrupted';
  if (failure !== undefined) return 'failed';
  return exitCode === EXIT.done ? 'done' : 'incomplete';
}

/** Copies the runs of the journal into a new warehouse. */
async function retellRuns({ journal, warehouse }: LocalContext): Promise<void> {
  for (const { begun, over } of runsOf(journal.of('run'))) {
    await warehouse.startRun(begun);
    if (over !== undefined) await warehouse.finishRun(over);
  }
}

/** A run from top to bottom: the data folder is opened; then extract, land, load, model, check, publish, and what follows. */
import { nightly } from '../../jobs/nightly.js';
import { ServiceClient } from '../service/client.js';
import { assertMayLand, CLOCK_REMEDY, clockTrouble, earlierOf, presentOf } from '../service/clocks.js';
import { dayOf, formatKst, lastCompleteDay, listDays, type Day } from '../ground/calendar.js';
import type { Config, ServiceConfig } from '../config/config.js';
import { retain } from '../erasure/retention.js';
import {
  asError,
  CorruptDatabaseError,
  InterruptedError,
  ServiceError,
  StorageError,
} from '../ground/errors.js';
import { actionsNeeded } from '../exports/advice.js';
import { recordsOf } from '../exports/budget.js';
import { pullEvents, requestAgain, resume } from '../exports/pull-events.js';
import type { Invocation } from '../config/invocation.js';
import { RUN, runsOf } from '../journal/lines.js';
import { equalInLake } from '../lake/verify.js';
import { adviceOn, PushLedger, rowOf, waits } from '../push/ledger.js';
import { pullReference } from '../reference/pull-reference.js';
import { afterRun } from './after-run.js';
import { withDataFolder } from './data-folder.js';
import { loadLanded, removedExports, reportUnloaded, withWarehouse, type OpenFolder } from './loading.js';
import { recorded, runsSoFar, type RunReport } from './report.js';
import { daysIn, wantedDays, type WantedDay } from './wanted-days.js';
import { pullCampaigns } from '../statistics/pull-campaigns.js';
import { pullStatistics } from '../statistics/pull-daily.js';
import { until, type Job, type Stream } from '../ground/streams.js';
import { runChecks, type FindingGroup } from '../warehouse/checks.js';
import { refreshModels } from '../warehouse/model.js';
import { assertPublishable, assertReplaceable, publish, rewriteDatabase } from '../warehouse/publish.js';

/**
 * Runs a job: from the service to the published file.
 *
 * @throws the error that stopped the run (credentials, disk, Ctrl-C); data that was loaded before is published, now or
 *   by the next run
 */
export function runJob(job: Job, config: ServiceConfig, invocation: Invocation): Promise<RunReport> {
  return recordAndDeliver(job.name, config, invocation, async (folder) => {
    folder.report.days = job.days;
    await loadLanded(folder, invocation);
    await withService(config, invocation, async (service) => {
      const complete = await untilComplete(job, service, config, invocation);
      folder.report.days = complete.days;
      try {
        await extract(complete, folder, service, config, invocation);
      } finally {
        reportClocks(service, folder.report);
      }
    });
  });
}

/** Does the work of a run, delivers it, and records its end in the journal, whatever happens. */
function recordAndDeliver(
  command: string,
  config: ServiceConfig,
  invocation: Invocation,
  work: (folder: OpenFolder) => Promise<void>,
): Promise<RunReport> {
  return withDataFolder(config, invocation, command, 'erasures', (base) =>
    recorded(base.journal, command, invocation, (report) =>
      withWarehouse(base, config, invocation, report, 'working', (folder) =>
        deliver(command, folder, config, invocation, () => work(folder)),
      ),
    ),
  );
}

/**
 * Does the work; then models, checks and publishes the data that is there, even if the work failed, and takes the steps
 * that follow.
 */
export async function deliver(
  command: string,
  folder: OpenFolder,
  config: Config,
  invocation: Invocation,
  work: () => Promise<void>,
): Promise<RunReport> {
  const { warehouse, report, journal } = folder;
  await assertReplaceable(folder.files.published);
  const timed = stopwatch(report, invocation);
  const failure = await timed('pull', () => work().then(() => undefined, asError));
  // After Ctrl-C or a disk error, no further stage is begun: the next run publishes. A damaged database file is not
  // published: only a new file can replace it.
  if (
    failure instanceof InterruptedError ||
    failure instanceof StorageError ||
    failure instanceof CorruptDatabaseError
  )
    throw failure;

  await reportUnloaded(folder, invocation);
  await noteJournal(folder, config, invocation);
  report.mainGoals = await timed('model', () => refreshModels(warehouse));
  report.checks = await timed('check', () => runChecks(warehouse));
  const due = await retain(folder, config, invocation, (days) =>
    equalInLake(days, folder, config, invocation),
  );
  if (report.removals.length > 0) await warehouse.note(await nightlyDays(folder, config, invocation));
  report.lost = await lostDays(folder);
  report.withheld = whyWithheld(report.stops, report.lost);
  await warehouse.note({ runs: runsSoFar(journal, report, invocation, failure), head: journal.head });
  report.publishedBytes = await timed('publish', () => publishSound(folder, failure, invocation));
  await afterRun({ command, folder, config, invocation, due, failure });
  if (failure !== undefined) throw failure;
  return report;
}

/** Pulls the streams of a job. What has landed is loaded at once. */
async function extract(
  job: Job,
  folder: OpenFolder,
  service: ServiceClient,
  config: ServiceConfig,
  invocation: Invocation,
): Promise<void> {
  const source = sourceOf(folder, service, config, invocation);
  const free = { ...job, streams: new Set([...job.streams].filter((stream) => stream !== 'events')) };
  const wanted = await wantedNow(free, folder, config, invocation);
  const daysOf = (stream: Stream): Day[] => daysIn(wanted, stream, 'missing', 'restatable');
  if (job.streams.has('statistics')) await pullStatistics(job, daysOf, source);
  if (job.streams.has('campaigns')) await pullCampaigns(job, daysOf, source);
  if (job.streams.has('events')) {
    await assertPublishable(folder.files.published);
    await pullEvents(job, source);
  }
  await pullReference(job, source);
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
): Promise<RunReport> {
  return recordAndDeliver('exports resume', config, invocation, (folder) =>
    withService(config, invocation, async (service) => {
      const source = sourceOf(folder, service, config, invocation);
      if (!payAgain) return resume(key, acceptIncomplete, source);
      await assertPublishable(folder.files.published);
      await requestAgain(key, source);
    }),
  );
}

/** Does the work of a run with a client of the service. A failure of the service ends this run alone, and says so. */
async function withService(
  config: ServiceConfig,
  invocation: Invocation,
  work: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  try {
    await ServiceClient.using(config, invocation, work);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const hint = `${error.hint ?? ''} Nothing is lost; the next run continues from here.`.trimStart();
    throw new ServiceError(error.message, { hint, cause: error });
  }
}

/** The folder and the run for the pulling stages, each of which declares what it needs. */
function sourceOf(folder: OpenFolder, service: ServiceClient, config: ServiceConfig, invocation: Invocation) {
  const { effects } = invocation;
  let last: number | undefined;
  return {
    ...folder,
    ...invocation,
    config,
    service,
    /**
     * The instant to record for an answer: now, by the service's clock if this machine's is wrong, but always later than
     * everything that has landed. The later of two pulls of a day counts, so a clock that was set back must not make the
     * newer pull look older. Throws ClockError when the clocks now differ so much that nothing may land.
     */
    pullInstant: (): Date => {
      assertMayLand({ service, effects, config });
      last ??= folder.landing.found.reduce(
        (latest, { pulledAt }) => Math.max(latest, pulledAt?.getTime() ?? 0),
        0,
      );
      last = Math.max(presentOf({ service, effects, config }).getTime(), last + 1);
      return new Date(last);
    },
  };
}

/**
 * Returns the job without the days that are not complete by both clocks.
 *
 * @throws CredentialsError, ServiceError when E1 fails
 * @throws ClockError when the clocks differ so much that nothing may land
 */
async function untilComplete(
  job: Job,
  service: ServiceClient,
  config: ServiceConfig,
  { effects, terminal }: Invocation,
): Promise<Job> {
  await service.authorize();
  const clocks = { service, effects, config };
  assertMayLand(clocks);
  const earlier = earlierOf(clocks);
  const last = lastCompleteDay(earlier);
  if (job.days.end <= last) return job;
  terminal.note(
    `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
  );
  return until(job, last);
}

/** Reports that the clocks differ too much for a payment, by the latest answer. */
function reportClocks(service: ServiceClient, report: RunReport): void {
  const trouble = clockTrouble({ service });
  if (trouble === undefined) return;
  report.clockSkewMs = service.clockSkewMs;
  report.attention.push(`${trouble} No paid request is sent until they agree. ${CLOCK_REMEDY}`);
}

/** The wanted days of a job, by what the private file and the journal know now. */
async function wantedNow(
  job: Job,
  { warehouse, ledger }: OpenFolder,
  { exports }: Config,
  { effects, runId }: Invocation,
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

/**
 * Writes into the file what the journal and the settings say, for readers: exports, budget, prices, pushes, erasures, and the
 * wanted days; what waits for a person is reported.
 */
async function noteJournal(folder: OpenFolder, config: Config, invocation: Invocation): Promise<void> {
  const { journal, ledger, forgotten, warehouse, erasures, report } = folder;
  await ledger.readTexts();
  for (const { advice } of actionsNeeded(ledger.entries(), ledger.doubt)) report.attention.push(advice);
  const { pushes } = new PushLedger(journal, invocation.effects);
  for (const push of pushes.filter(waits)) report.attention.push(adviceOn(push));
  const erased = erasures.register.erasures;
  await warehouse.note({
    exports: [...ledger.entries().map((one) => ({ ...one, billedRecords: recordsOf(one) })), ...forgotten],
    budget: { ...config.exports, notedAt: invocation.effects.now() },
    prices: config.prices,
    ...(pushes.length > 0 && { pushes: pushes.map(rowOf) }),
    ...(await nightlyDays(folder, config, invocation)),
    ...(erased.length > 0 && { erasures: erased }),
    runs: runsOf(journal.of(RUN)),
  });
}

/** The wanted days of the nightly job, for `ops.days`, also after a backfill; without a first day there are none. */
async function nightlyDays(folder: OpenFolder, config: Config, invocation: Invocation) {
  const { startDate } = config;
  if (startDate === undefined) return {};
  const job = nightly({ ...config, startDate }, invocation.effects.now());
  return { days: await wantedNow(job, folder, config, invocation) };
}

/** The names of the stages in the terminal. */
const DOING = { pull: 'pulling', model: 'modelling', check: 'checking', publish: 'publishing' } as const;

/** Shows each stage as progress and measures its time for the run's summary. */
function stopwatch(report: RunReport, { terminal }: Invocation) {
  return async <T>(stage: keyof typeof DOING, work: () => Promise<T>): Promise<T> => {
    terminal.progress(DOING[stage]);
    const result = await report.timed(stage, work);
    const seconds = report.seconds[stage];
    terminal.record(`Finished ${DOING[stage]}.`, { event: 'stage_finished', stage, seconds });
    return result;
  };
}

/**
 * The reason, as a clause, why the file is not published, so that readers keep the previous one: a failed `stop` check, or
 * days that would be missing from it; undefined if it may be published.
 */
function whyWithheld(stops: readonly FindingGroup[], lost: readonly Day[]): string | undefined {
  const names = stops.map(({ name }) => name).join(', ');
  if (stops.length > 0) return `check${stops.length > 1 ? 's' : ''} ${names} failed`;
  return lost.length === 0
    ? undefined
    : `the events of ${listDays(lost)} were loaded before and cannot be loaded now`;
}

/** Publishes the file, unless it is withheld, or the run failed and the warehouse is empty. */
async function publishSound(
  { warehouse, report, files, path, erasures }: OpenFolder,
  failure: Error | undefined,
  { effects }: Invocation,
): Promise<number | undefined> {
  const empty = (await warehouse.loader.loaded()).size === 0;
  await warehouse.close();
  const { register } = erasures;
  if (path === files.working && (warehouse.isLoose || register.holdsErasedBytes)) {
    await rewriteDatabase(files, effects);
    if (register.holdsErasedBytes) await register.append({ event: 'rewritten' });
  }
  if (report.withheld !== undefined || (failure !== undefined && empty)) return undefined;
  const { bytes } = await publish({ working: path, published: files.published, effects });
  return bytes;
}

/**
 * The days whose events had been loaded and are missing from this file: their export is lost from the ledger, or
 * damaged.
 */
async function lostDays(folder: OpenFolder): Promise<Day[]> {
  const { ledger, forgotten, warehouse } = folder;
  const untracked = forgotten.filter(({ state }) => state === 'loaded');
  // Exports that are open again for their pages count as loaded; an export that a person gave up is not missing.
  const loaded = ledger
    .entries()
    .filter(({ state, loadedAt }) => loadedAt !== undefined && state !== 'abandoned');
  const covered = await warehouse.coverage('events');
  const missing = [...untracked, ...loaded].map(({ day }) => day).filter((day) => !covered.has(day));
  if (missing.length === 0) return [];
  const removed = new Set(removedExports(folder).map(({ day }) => day));
  return [...new Set(missing)].filter((day) => !removed.has(day));
}

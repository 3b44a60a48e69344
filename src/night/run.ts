/**
 * A run from top to bottom: the data folder is opened; then extract, land, load, model, check, publish, and what follows. A
 * rebuild takes the same way into a new file, without extract.
 */
import { nightly } from '../../jobs/nightly.js';
import { CLOCK_REMEDY, http, ServiceClient } from '../service/client.js';
import {
  dayCount,
  dayOf,
  formatKst,
  lastCompleteDay,
  listDays,
  shiftDay,
  type Day,
  type DayRange,
} from '../ground/calendar.js';
import type { Config, ServiceConfig } from '../config/config.js';
import {
  allowance,
  findDue,
  removedExports,
  retain,
  type Deleting,
  type Due,
  type Removal,
} from '../erasure/retention.js';
import {
  asError,
  CorruptDatabaseError,
  InterruptedError,
  RefusedError,
  ServiceError,
  StorageError,
} from '../ground/errors.js';
import { recordsOf } from '../exports/budget.js';
import { actionsNeeded, missingDays } from '../exports/export.js';
import { downloadExport, downloadReady, resumeExports } from '../exports/download.js';
import { Patience } from '../exports/reading.js';
import { requestAgain, requestMissing } from '../exports/paid-request.js';
import type { Invocation } from '../config/invocation.js';
import { RUN, runsOf } from '../journal/journal.js';
import { adviceOn, pushesOf } from '../push/ledger.js';
import { pullReference } from '../reference/pull-reference.js';
import { afterRun } from './after-run.js';
import { loadLanded, reportUnloaded, withDataFolder, withWarehouse, type OpenFolder } from './data-folder.js';
import { lossesInWords, lossesOf, takeRemovedDays } from './replacement.js';
import { recorded, runsSoFar, RunReport } from './report.js';
import { daysIn, knownDays, wantedDays, withLedger } from './wanted-days.js';
import { pullCampaigns } from '../statistics/pull-campaigns.js';
import { pullStatistics } from '../statistics/pull-daily.js';
import { keptFrom, type Job } from '../ground/streams.js';
import { coveredDay, readEveryBlock, Reader } from '../warehouse/reader.js';
import { assertSamePrivacy, storedPrivacy } from '../warehouse/privacy.js';
import type { HeldDay } from '../warehouse/warehouse.js';
import { refreshModels, runChecks } from '../warehouse/model.js';
import {
  assertPublishable,
  assertReplaceable,
  discardDatabase,
  publish,
  replaceDatabase,
  rewriteDatabase,
  setAside,
} from '../warehouse/publish.js';

/**
 * Runs a job: from the service to the published file.
 *
 * @param report collects what happens, and holds it after a failure too
 * @throws the error that stopped the run (credentials, disk, Ctrl-C); data that was loaded before is published, now or
 *   by the next run
 */
export function runJob(
  job: Job,
  config: ServiceConfig,
  invocation: Invocation,
  report = new RunReport(() => invocation.effects.now()),
): Promise<RunReport> {
  // Loads while DuckDB opens the files.
  void http();
  return recordAndDeliver(job.name, config, invocation, report, async (folder) => {
    report.days = job.days;
    await withService(folder, config, async (service) => {
      // The token is asked for while what has landed is loaded.
      const token = service.authorize();
      token.catch(() => undefined);
      await loadLanded(folder);
      await token;
      service.assertMayLand();
      const earlier = service.earlier();
      report.serviceBehindMs = Math.max(0, invocation.effects.now().getTime() - earlier.getTime());
      const last = lastCompleteDay(earlier);
      if (job.days.end > last)
        invocation.terminal.note(
          `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
        );
      const complete = until(job, last);
      report.days = complete.days;
      await extract(complete, service, folder).finally(() => {
        const trouble = compareClocks(service, report);
        if (trouble === undefined) return;
        report.clockSkewMs = service.clockSkewMs;
        report.attention.push({
          advice: `${trouble} No paid request is sent until they agree. ${CLOCK_REMEDY}`,
          list: 'dawnload doctor',
        });
      });
    });
  });
}

/** Notes whether both clocks agree, by the latest answer; returns a sentence if they don't. */
function compareClocks(service: ServiceClient, report: RunReport): string | undefined {
  const trouble = service.clockTrouble;
  report.clocksAgree = trouble === undefined && service.clockSkewMs !== undefined;
  return trouble;
}

/** Deletes what is past its retention, however much that is: the user has agreed. The checks are those of a night. */
export function retainNow(config: ServiceConfig, invocation: Invocation): Promise<RunReport> {
  const report = new RunReport(() => invocation.effects.now());
  return recordAndDeliver('retain', config, invocation, report, (folder) =>
    withService(folder, config, async (service) => {
      await loadLanded(folder);
      if (folder.ledger.doubt !== undefined) throw folder.ledger.doubt;
      await service.authorize();
      compareClocks(service, report);
      service.assertClocksAgree('Nothing was deleted.');
    }),
  );
}

/** What is past its retention now; nothing is changed. */
export function dueNow(config: Config, invocation: Invocation): Promise<{ due: Due; limit: number }> {
  const report = new RunReport(() => invocation.effects.now());
  return withDataFolder(config, invocation, 'retain', 'erasures', (base) =>
    withWarehouse(base, report, 'working', async (folder) => ({
      due: await findDue(folder, inLake(folder)),
      limit: allowance(folder.journal, dayOf(invocation.effects.now())),
    })),
  );
}

/** Returns the job without the days after `last`; `again` moves back by the same number of days. */
function until(job: Job, last: Day): Job {
  const cut = Math.max(0, dayCount({ start: last, end: job.days.end }) - 1);
  const shortened = ({ start, end }: DayRange): DayRange => ({ start, end: end < last ? end : last });
  return {
    ...job,
    days: shortened(job.days),
    again: { start: shiftDay(job.again.start, -cut), end: shiftDay(job.again.end, -cut) },
    eventDays: shortened(job.eventDays),
  };
}

/** Pulls the streams of a job. What has landed is loaded at once. */
async function extract(job: Job, service: ServiceClient, folder: OpenFolder): Promise<void> {
  const { files, ledger } = folder;
  const wanted = await wantedNow(job, folder);
  const missing: Parameters<typeof pullStatistics>[1] = (stream) =>
    daysIn(wanted, stream, 'missing', 'restatable');
  if (job.streams.has('statistics')) await pullStatistics(job, missing, service, folder);
  if (job.streams.has('campaigns')) await pullCampaigns(job, missing, service, folder);
  if (job.streams.has('events')) {
    const mayPay = missingDays(job.eventDays, ledger.entries()).length > 0;
    if (mayPay) await assertPublishable(files.published);
    const patience = patienceOf(folder);
    // An export that does not come delays no day; one that comes may show the size that other days wait for.
    await downloadReady(service, folder);
    const resumed = resumeExports(service, folder, patience);
    resumed.catch(() => undefined);
    await requestMissing(job, service, folder, patience, resumed);
    await resumed;
  }
  await pullReference(job, service, folder);
}

function patienceOf({ ledger, invocation: { effects } }: OpenFolder): Patience {
  return new Patience(ledger.settings.maxWaitMinutes, effects);
}

/**
 * Resumes exports at no cost, loads what came of them as complete, or requests their days again with your consent, which is
 * billed again.
 */
export function decideExports(
  keys: readonly string[],
  how: 'resume' | 'accept-incomplete' | 'pay-again',
  config: ServiceConfig,
  invocation: Invocation,
): Promise<RunReport> {
  const report = new RunReport(() => invocation.effects.now());
  const command = how === 'resume' ? 'exports resume' : 'exports decide';
  return recordAndDeliver(command, config, invocation, report, (folder) =>
    withService(folder, config, async (service) => {
      const patience = patienceOf(folder);
      if (how === 'pay-again') {
        const kept = keptFrom(config.retention, invocation.effects.now());
        const old = keys.find((key) => kept !== undefined && folder.ledger.get(key).day < kept);
        if (old !== undefined)
          throw new RefusedError(`The day of export ${old} is older than retention.events keeps it.`, {
            hint: 'Nothing was requested. Raise retention.events first if you want the day.',
          });
        await assertPublishable(folder.files.published);
        // After an unknown outcome or a refusal no further request is sent.
        for (const key of keys) if (!(await requestAgain(key, service, folder, patience))) break;
        return;
      }
      const accepts = how === 'accept-incomplete';
      for (const key of keys)
        await downloadExport(folder.ledger.get(key), service, folder, patience, accepts);
    }),
  );
}

/** Does work with a client of the service, whose failure ends this run alone, and says so. */
async function withService(
  { invocation, landing }: OpenFolder,
  config: ServiceConfig,
  work: (service: ServiceClient) => Promise<void>,
): Promise<void> {
  try {
    await ServiceClient.using(config, invocation, work, landing);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const hint = `${error.hint ?? ''} Nothing is lost; the next run continues from here.`.trimStart();
    throw new ServiceError(error.message, { hint, cause: error });
  }
}

/** Rebuilds the warehouse from the landing zone and the journal, without any request. The new file replaces the old one when it is complete. */
export function rebuild(config: Config, invocation: Invocation): Promise<RunReport> {
  const { effects, terminal } = invocation;
  const report = new RunReport(() => effects.now());
  return withDataFolder(config, invocation, 'rebuild', 'erasures', (base) =>
    withWarehouse(base, report, 'rebuilt', async (folder) => {
      const { rebuilt, working, published } = folder.files;
      const aside = await setAside(published, effects.now());
      if (aside !== undefined) terminal.warn(`The published file was not a DuckDB file. It is now ${aside}.`);
      await assertReplaceable(published);
      await deliver(folder, () => loadLanded(folder));
      if (report.lost.length === 0 || !(await hasDays(report.lost, folder))) {
        await replaceDatabase(rebuilt, working, effects);
        return report;
      }
      terminal.warn('The private warehouse has these days, so it is kept and the rebuilt one is discarded.');
      await discardDatabase(rebuilt);
      return report;
    }),
  );
}

/** True if the private warehouse is sound, readable under the settings, and covers the days. */
async function hasDays(
  days: RunReport['lost'],
  { files, warehouse, invocation }: OpenFolder,
): Promise<boolean> {
  try {
    await readEveryBlock(files.working);
    return await Reader.using(files.working, async (reader) => {
      assertSamePrivacy(await reader.rows('ops/privacy_stored', storedPrivacy), warehouse.options.privacy);
      const covered = await reader.rows('status/coverage', coveredDay);
      return days.every((day) =>
        covered.some(({ stream, date }) => stream === day.stream && date === day.date),
      );
    });
  } catch {
    // An interruption is no evidence about the file.
    invocation.signal.throwIfAborted();
    return false;
  }
}

/** Does the work of a run, delivers it, and records its end in the journal, whatever happens. */
function recordAndDeliver(
  command: string,
  config: ServiceConfig,
  invocation: Invocation,
  report: RunReport,
  work: (folder: OpenFolder) => Promise<void>,
): Promise<RunReport> {
  return withDataFolder(config, invocation, command, 'erasures', (base) =>
    recorded(base, report, () =>
      withWarehouse(base, report, 'working', (folder) => deliver(folder, () => work(folder))),
    ),
  );
}

/**
 * Does the work; then models, checks and publishes the data that is there, even if the work failed, and takes the steps
 * that follow.
 */
export async function deliver(folder: OpenFolder, work: () => Promise<void>): Promise<RunReport> {
  let due: Removal | undefined;
  let failure = await stage(folder, 'pull', 'pulling', () => work().then(() => undefined, asError));
  // After Ctrl-C nothing more is begun.
  if (failure instanceof InterruptedError) throw failure;
  // After a disk error, no further stage is begun: the next run publishes. A damaged database file is not published: only a
  // new file can replace it.
  if (!(failure instanceof StorageError || failure instanceof CorruptDatabaseError))
    try {
      due = await modelAndPublish(folder, failure);
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
      failure ??= asError(error);
    }
  await afterRun({ folder, due, failure });
  if (failure !== undefined) throw failure;
  return folder.report;
}

/** Does a stage, and says so. */
async function stage<T>(
  { report, invocation: { terminal } }: OpenFolder,
  name: string,
  doing: string,
  work: () => Promise<T>,
): Promise<T> {
  terminal.progress(doing);
  const result = await report.timed(name, work);
  const fields = { event: 'stage_finished', stage: name, seconds: report.seconds[name] };
  terminal.record(`Finished ${doing}.`, fields);
  return result;
}

/** Models, checks and publishes, unless that would mislead; returns what retention removes then. */
async function modelAndPublish(folder: OpenFolder, failure: Error | undefined): Promise<Removal | undefined> {
  const { warehouse, report, files } = folder;
  const { effects } = folder.invocation;
  const { register } = folder.erasures;
  await reportUnloaded(folder);
  await takeRemovedDays(folder);
  await noteJournal(folder);
  report.mainGoals = await stage(folder, 'model', 'modelling', () => refreshModels(warehouse));
  report.checks = await stage(folder, 'check', 'checking', () => runChecks(warehouse));
  const lost = await lostDays(folder);
  const losses = await lossesOf(folder);
  report.lost = [...lost.map((date) => ({ stream: 'events', date })), ...losses];
  const stops = report.stops.map(({ name }) => name);
  if (stops.length > 0) report.withheld = `check${stops.length > 1 ? 's' : ''} ${stops.join(', ')} failed`;
  else if (lost.length > 0)
    report.withheld = `the events of ${listDays(lost)} were loaded before and cannot be loaded now`;
  else if (losses.length > 0) report.withheld = lossesInWords(losses);
  const deleting = mayDelete(folder, failure);
  const due = deleting && (await retain(folder, await findDue(folder, inLake(folder)), deleting));
  if (report.removals.length > 0) await warehouse.note(await nightlyDays(folder));
  await warehouse.note({ runs: runsSoFar(folder, failure), head: folder.journal.head });
  report.publishedBytes = await stage(folder, 'publish', 'publishing', async () => {
    const isEmpty = (await warehouse.loader.loaded()).size === 0;
    await report.timed('close', () => warehouse.close());
    const { path } = warehouse.options;
    if (path === files.working && (warehouse.isLoose || register.holdsErasedBytes)) {
      await rewriteDatabase(files, effects);
      if (register.holdsErasedBytes) await register.append({ event: 'rewritten' });
    }
    // The file of a run that failed is published, unless it holds nothing.
    if (report.withheld !== undefined || (failure !== undefined && isEmpty)) return undefined;
    return publish({ working: path, published: files.published, effects });
  });
  return due;
}

/** Returns the days that may leave the file, of those that are due: with a lake, those that it has too. */
function inLake(folder: OpenFolder) {
  return async (due: readonly HeldDay[]): Promise<Day[]> => {
    const { equalInLake } = await import('../lake/verify.js');
    return equalInLake(due, folder);
  };
}

/**
 * What retention may do in this run; undefined if nothing. A run deletes only if all its work is done, both clocks were
 * compared in it, and the journal lacks nothing.
 */
function mayDelete(
  { command, report, ledger, config, invocation }: OpenFolder,
  failure: Error | undefined,
): Deleting | undefined {
  const { retention } = config;
  if (retention.events === undefined && retention.landing === undefined && retention.reference === undefined)
    return undefined;
  if (command === 'rebuild' || command === 'forget') return 'file';
  const why =
    failure !== undefined || report.gaps.length > 0 || report.withheld !== undefined
      ? 'the run is incomplete'
      : !report.clocksAgree
        ? "this machine's clock was not compared with the service's, or differs from it"
        : ledger.doubt !== undefined
          ? 'the journal may lack lines'
          : undefined;
  if (why === undefined) return command === 'retain' ? 'agreed' : 'limited';
  invocation.terminal.note(`Retention removes nothing in this run: ${why}.`, { event: 'retention_waits' });
  return undefined;
}

/** The wanted days of a job, by what the private file and the journal know now. */
async function wantedNow(job: Job, folder: OpenFolder) {
  const { warehouse, config, invocation } = folder;
  const now = nowBy(folder);
  const { session } = warehouse;
  const ofFile = await knownDays((name, shape) => session.rows(name, shape), dayOf(now));
  const known = withLedger(ofFile, folder);
  return wantedDays(job, { ...known, runId: invocation.runId }, config.exports, now);
}

/**
 * Writes into the file what the journal and the settings say, for readers: exports, budget, prices, pushes, erasures, and the
 * wanted days; what waits for a person is reported.
 */
async function noteJournal(folder: OpenFolder): Promise<void> {
  const { journal, ledger, forgotten, warehouse, erasures, report, config } = folder;
  const { effects } = folder.invocation;
  await ledger.readTexts();
  for (const { key, advice } of actionsNeeded(ledger.entries(), ledger.doubt))
    report.attention.push({ advice, list: key === 'ledger' ? 'dawnload recover' : 'dawnload exports list' });
  const pushes = pushesOf(journal);
  for (const push of pushes.filter(({ state }) => state === 'ambiguous'))
    report.attention.push({ advice: adviceOn(push), list: 'dawnload push list' });
  const erased = erasures.register.erasures;
  await warehouse.note({
    exports: [...ledger.entries().map((one) => ({ ...one, billedRecords: recordsOf(one) })), ...forgotten],
    budget: { ...config.exports, notedAt: effects.now() },
    prices: config.prices,
    ...(pushes.length > 0 && { pushes }),
    ...(await nightlyDays(folder)),
    ...(erased.length > 0 && { erasures: erased }),
    runs: runsOf(journal.of(RUN)),
  });
}

/** The wanted days of the nightly job, for `ops.days`, also after a backfill; without a first day there are none. */
async function nightlyDays(folder: OpenFolder) {
  const { config } = folder;
  const { startDate } = config;
  if (startDate === undefined) return {};
  return { days: await wantedNow(nightly({ ...config, startDate }, nowBy(folder)), folder) };
}

/** The present instant by the earlier of the two clocks, as far as the run knows the service's. */
function nowBy({ report, invocation: { effects } }: OpenFolder): Date {
  return new Date(effects.now().getTime() - report.serviceBehindMs);
}

/**
 * The days whose events had been loaded and are missing from this file: their export is lost from the ledger, or
 * damaged.
 */
async function lostDays(folder: OpenFolder): Promise<Day[]> {
  const { ledger, forgotten, warehouse } = folder;
  const untracked = forgotten.filter(({ state }) => state === 'loaded');
  // Exports that are open again for their pages count as loaded; an export that a person gave up is not missing.
  const loaded = ledger.entries().filter((one) => one.loadedAt !== undefined && one.state !== 'abandoned');
  const covered = await warehouse.coverage('events');
  const removed = removedExports(folder.journal, ledger.entries()).map(({ day }) => day);
  const days = new Set([...untracked, ...loaded].map(({ day }) => day));
  return [...days].filter((day) => !covered.has(day) && !removed.includes(day));
}

/** The steps from loaded tables to the published file: note, model, check, retain, publish. */
import { allowance, findDue, removedExports, retain, type Due, REMOVED } from '../erasure/retention.js';
import { recordsOf } from '../exports/budget.js';
import { actionsNeeded } from '../exports/export.js';
import { dayOf, listDays, type Day } from '../ground/calendar.js';
import { RUN, runsOf } from '../journal/journal.js';
import { adviceOn, pushesOf } from '../push/ledger.js';
import { runChecks } from '../warehouse/checks.js';
import { refreshModels } from '../warehouse/models.js';
import { publish as publishFile, rewriteDatabase } from '../warehouse/publish.js';
import type { LoadedDay, Loss } from '../warehouse/warehouse.js';
import { reportUnloaded } from './pull.js';
import { OWN } from '../ground/streams.js';
import { noteOwn } from '../streams/own/note.js';
import { runsSoFar } from './report.js';
import { partsOf, type Night, type Step } from './step.js';
import { nightlyDays } from './wanted-days.js';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { ERASE } from '../erasure/register.js';
import { messageOf, StorageError } from '../ground/errors.js';
import { isLocked } from '../disk/duckdb.js';
import type { Head } from '../landing/landing-zone.js';
import { asidePath } from '../disk/paths.js';
import { openElsewhere, orStorageError } from '../disk/storage-error.js';
import { plural } from '../terminal/terminal.js';

const always = (): boolean => true;

/** Copies facts for readers into the file: exports, budget, prices, pushes, erasures, and the wanted days. */
export const note: Step = {
  stage: 'model',
  wanted: always,
  async run(night) {
    await reportUnloaded(night);
    await takeRemovedDays(night);
    const { journal, ledger, warehouse, erasures, report, config, invocation } = partsOf(night);
    const faults = await warehouse.refining(() => noteOwn(warehouse, config));
    for (const fault of faults) invocation.terminal.warn(fault);
    await ledger.readTexts();
    for (const { key, advice } of actionsNeeded(ledger.entries(), ledger.doubt))
      report.attention.push({
        advice,
        list: key === 'ledger' ? 'dawnload recover' : 'dawnload exports list',
      });
    const pushes = pushesOf(journal);
    for (const push of pushes.filter(({ state }) => state === 'ambiguous'))
      report.attention.push({ advice: adviceOn(push), list: 'dawnload push list' });
    const erased = erasures.register.erasures;
    const exports = ledger.entries().map((one) => ({ ...one, billedRecords: recordsOf(one) }));
    await warehouse.note({
      exports: [...exports, ...night.warehouse.untracked],
      budget: { ...config.exports, notedAt: invocation.effects.now() },
      prices: config.prices,
      // Without the calls of pushes, because an old journal has 100,000 of them.
      ...(pushes.length > 0 && { pushes: pushes.map((push) => ({ ...push, intents: undefined })) }),
      ...(await nightlyDays(night)),
      ...(erased.length > 0 && { erasures: erased }),
      runs: await warehouse.lacking(runsOf(journal.of(RUN))),
    });
  },
  after: 'stop',
};

export const model: Step = {
  stage: 'model',
  doing: 'modeling',
  wanted: always,
  async run({ report, warehouse }) {
    report.mainGoals = await refreshModels(warehouse.file);
  },
  after: 'stop',
};

export const check: Step = {
  stage: 'check',
  doing: 'checking',
  wanted: always,
  async run(night) {
    const { report, warehouse } = night;
    report.checks = await runChecks(warehouse.file);
    const lost = await lostDays(night);
    const losses = await lossesOf(night);
    report.lost = [...lost.map((date) => ({ stream: 'events', date })), ...losses];
    const stops = report.stops.map(({ name }) => name);
    if (stops.length > 0) report.withheld = `check${stops.length > 1 ? 's' : ''} ${stops.join(', ')} failed`;
    else if (lost.length > 0)
      report.withheld = `the events of ${listDays(lost)} were loaded before and cannot be loaded now`;
    else if (losses.length > 0) report.withheld = lossesInWords(losses);
  },
  after: 'stop',
};

/** Days whose events were loaded but cannot be loaded again: their export is damaged, or missing from the ledger. */
async function lostDays({
  folder: { ledger, journal },
  warehouse: { untracked, file },
}: Night): Promise<Day[]> {
  const unlisted = untracked.filter(({ state }) => state === 'loaded');
  // Exports reopened to repair pages count as loaded. Abandoned exports do not count as missing.
  const loaded = ledger.entries().filter((one) => one.loadedAt !== undefined && one.state !== 'abandoned');
  const covered = await file.coverage('events');
  const removed = removedExports(journal, ledger.entries()).map(({ day }) => day);
  const days = new Set([...unlisted, ...loaded].map(({ day }) => day));
  return [...days].filter((day) => !covered.has(day) && !removed.includes(day));
}

/**
 * Removes rows that are past their retention from the file, and lists landed pages to remove after publishing. `file` removes only rows
 * whose pages stay. The other modes delete data, so they require a run without gaps, agreeing clocks, and a complete journal.
 */
export const retaining = (deleting: 'file' | 'limited' | 'agreed'): Step => ({
  stage: 'check',
  doing: 'checking',
  wanted: ({ config: { retention } }) =>
    retention.events !== undefined || retention.landing !== undefined || retention.reference !== undefined,
  async run(night) {
    const why = deleting === 'file' ? undefined : reasonToKeep(night);
    if (why === undefined) night.report.due = await retain(partsOf(night), await dueNow(night), deleting);
    else
      night.invocation.terminal.note(`Retention removes nothing in this run: ${why}.`, {
        event: 'retention_waits',
      });
  },
  after: 'stop',
});

function reasonToKeep({ report, folder }: Night): string | undefined {
  // A failing own table must not delay the deletion of personal data.
  const isIncomplete = report.gaps.some(({ stream }) => !stream.startsWith(OWN));
  if (report.failure !== undefined || isIncomplete || report.withheld !== undefined)
    return 'the run is incomplete';
  if (!report.clocksAgree)
    return "this machine's clock was not compared with the service's, or differs from it";
  return folder.ledger.doubt === undefined ? undefined : 'the journal may lack lines';
}

/** Finds the data that is past its retention now. With a lake, only days that the lake has. */
export async function dueNow(night: Night): Promise<Due> {
  const parts = partsOf(night);
  return findDue(parts, async (due: readonly LoadedDay[]): Promise<Day[]> => {
    const { equalInLake } = await import('../lake/verify.js');
    return equalInLake(due, parts);
  });
}

export const limitNow = ({ folder: { journal }, invocation: { effects } }: Night): number =>
  allowance(journal, dayOf(effects.now()));

/** Publishes the file unless it is empty, even after a failed run. */
export const publish: Step = {
  stage: 'publish',
  doing: 'publishing',
  wanted: always,
  async run(night) {
    const { report, folder, warehouse, invocation } = night;
    const { file, erasures } = warehouse;
    const { files, journal } = folder;
    const { effects } = invocation;
    const { register } = erasures;
    if (report.removals.length > 0) await file.note(await nightlyDays(night));
    const runs = runsSoFar(folder, report).filter(({ begun }) => begun.runId === invocation.runId);
    await file.note({ runs, head: journal.head });
    const isEmpty = (await file.loader.loaded()).size === 0;
    await report.timed('close', () => file.close());
    const { path } = file.options;
    if (path === files.working && (file.isLoose || register.holdsErasedBytes)) {
      await rewriteDatabase(files, effects);
      if (register.holdsErasedBytes) await register.append({ event: 'rewritten' });
    }
    if (report.withheld !== undefined || (report.failure !== undefined && isEmpty)) return;
    report.publishedBytes = await publishFile({ working: path, published: files.published, effects });
  },
  after: 'stop',
};

// The new file must not have fewer rows than the published one: neither for a day of a stream, nor for results whose pages were removed.
// Only an explained loss, such as an erasure, is allowed.

/** Copies results for days without landed pages from another file, because they cannot be computed again. */
async function takeRemovedDays(night: Night): Promise<void> {
  const { warehouse, files, erasures, invocation, journal, ledger } = partsOf(night);
  const present = new Set([
    ...(await warehouse.removedDays()),
    ...(await warehouse.coverage('events')).keys(),
  ]);
  const removed = removedExports(journal, ledger.entries()).map(({ day }) => day);
  let missing = removed.filter((day) => !present.has(day));
  if (missing.length === 0) return;
  const taken: Day[] = [];
  const reasons: string[] = [];
  for (const file of [files.working, files.published]) {
    if (missing.length === 0 || file === warehouse.options.path || !existsSync(file)) continue;
    try {
      const days = await warehouse.takeDays(file, missing);
      taken.push(...days);
      missing = missing.filter((day) => !days.includes(day));
    } catch (error) {
      invocation.signal.throwIfAborted();
      reasons.push(`${file}: ${messageOf(error).split('\n', 1).join('')}`);
    }
  }
  if (taken.length > 0) {
    await erasures.deleteComputed();
    invocation.terminal.note(
      `Retention removed the pages of ${listDays(taken)}. Their events cannot be rebuilt; what was computed from them is kept.`,
    );
  }
  if (missing.length > 0)
    invocation.terminal.warn(
      `Retention removed the pages of ${listDays(missing)}, and no warehouse file has what was computed from them. ${reasons.join(' ')}`.trimEnd(),
    );
}

/**
 * Lists the losses that publishing would cause without an explanation. If the published file cannot be read, it is set aside instead of
 * overwritten, and no loss is known.
 *
 * @throws StorageError when another program has the published file open for writing
 */
async function lossesOf(night: Night): Promise<Loss[]> {
  const { warehouse, files, invocation, journal, ledger } = partsOf(night);
  const { published } = files;
  if (!existsSync(published)) return [];
  let losses: Loss[];
  let heads: readonly Head[];
  try {
    const gone = removedExports(journal, ledger.entries()).map(({ day }) => day);
    losses = await warehouse.losses(published, gone);
    heads = losses.length === 0 ? [] : await warehouse.headOf(published);
  } catch (error) {
    invocation.signal.throwIfAborted();
    if (isLocked(error)) throw openElsewhere(published, error);
    if (error instanceof StorageError) throw error;
    const aside = asidePath(published, invocation.effects.now());
    await orStorageError('rename', published, () => rename(published, aside));
    invocation.terminal.warn(`${published} cannot be read as a warehouse. It is now ${aside}.`);
    return [];
  }
  // After a restart, the journal's line numbers are lower than the one in the file.
  const last = heads.find((head) => journal.holds(head))?.seq ?? 0;
  const isErased = journal.of(ERASE).some(({ seq }) => seq > last);
  const removed = journal.of(REMOVED).flatMap((line) => (line.event === 'pages' ? [line] : []));
  const abandoned = ledger.entries().filter(({ state }) => state === 'abandoned');
  return losses.filter(({ stream, date, table, after, is_newer }) => {
    // An erasure removes rows, but a day stays covered.
    if (is_newer || (isErased && (after !== null || table !== null))) return false;
    if (stream === 'events') return !abandoned.some(({ day }) => day === date);
    return !removed.some((line) => line.stream === stream && line.day === date);
  });
}

function lossesInWords(losses: readonly Loss[]): string {
  const places = [...new Set(losses.map(({ stream, table }) => table ?? stream))];
  const words = places.map((place) => {
    const own = losses.filter(({ stream, table }) => (table ?? stream) === place);
    const rows = own.reduce((sum, { before, after }) => sum + before - (after ?? 0), 0);
    return `${place} of ${listDays(own.map(({ date }) => date))} (${plural(rows, 'row')})`;
  });
  return `the new file would lack ${words.join(', ')}, which the published one has`;
}

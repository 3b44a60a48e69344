/**
 * The one door to the data folder for commands that change it: the lock, the project, the journal and whether it forgot something,
 * and the warehouse. What has landed is loaded, and what cannot be loaded is reported.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import { requireSettings, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { mistypedColumns } from '../config/schema.js';
import { dropArrived, Erasures, sweepArrived } from '../erasure/landed.js';
import { ERASE, mayBeCut, Register } from '../erasure/register.js';
import { wereRemoved } from '../erasure/retention.js';
import { landedAmong } from '../exports/export.js';
import { Ledger } from '../exports/ledger.js';
import { daysOf } from '../ground/calendar.js';
import { messageOf, OtherAccountError, OtherProjectError, StrayError } from '../ground/errors.js';
import { eventGap } from '../ground/streams.js';
import { doubtIn, type Doubt, type KnownHead } from '../journal/doubt.js';
import { erasuresIn, Journal, PROJECT, RUN } from '../journal/journal.js';
import { readWitness } from '../journal/witness.js';
import { headShape, isReference, LandingZone, type LandedPull, type Pull } from '../landing/landing-zone.js';
import { dataFiles, exportFolder, firstReading, MANIFEST, type DataFiles } from '../landing/paths.js';
import { RunLock } from '../landing/run-lock.js';
import { nearestExisting, unlessDamaged } from '../landing/storage-error.js';
import { plural } from '../terminal/terminal.js';
import { quoteShell } from '../terminal/text.js';
import type { LoadOutcome } from '../warehouse/load.js';
import { limitsOf, refuseNewer } from '../warehouse/opening.js';
import { hmacKey, keyFingerprint, storedKey } from '../warehouse/privacy.js';
import { assertReplaceable, discardDatabase } from '../warehouse/publish.js';
import { exportRow, exportsKnownBy, knownBy, type ExportRow } from '../warehouse/reader.js';
import { Warehouse } from '../warehouse/warehouse.js';
import type { RunReport } from './report.js';

export interface DataFolder {
  /** The command that opened it, its settings and the outside world. */
  readonly command: string;
  readonly config: Config;
  readonly invocation: Invocation;
  readonly files: DataFiles;
  readonly journal: Journal;
  readonly landing: LandingZone;
  readonly ledger: Ledger;
  /** The number of the last migration of the published file; 0 if there is none. */
  readonly publishedSchema: number;
  /**
   * Compares the journal once more, with the heads of further files too, and records a doubt.
   *
   * @throws DamageError if the command needs more than the journal holds
   */
  lookAgain(more: readonly KnownHead[]): Promise<Doubt | undefined>;
}

/**
 * The part of the journal that a command cannot work without: `nothing` for decisions of a person, `erasures` for
 * whatever loads or publishes, `all` for rows that reach people.
 */
type Needs = 'nothing' | 'erasures' | 'all';

/**
 * Does the work under the lock of the data folder, which must belong to the project.
 *
 * @throws TryLaterError when another run holds the lock
 * @throws OtherAccountError when root would leave files there that the owner cannot read
 * @throws OtherProjectError when the data folder holds another project
 * @throws ConfigError when there is neither a data folder nor settings for one
 * @throws DamageError, StorageError when the data folder cannot be used, or the journal lacks something that is needed
 */
export async function withDataFolder<T>(
  config: Config,
  invocation: Invocation,
  command: string,
  needs: Needs,
  work: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  const { dataDir } = config;
  const { effects, terminal } = invocation;
  const files = dataFiles(dataDir);
  // In the wrong folder, an empty data folder would be made.
  if (!existsSync(dataDir)) requireSettings(config, 'startDate');
  await assertAccount(config, invocation, command);
  const lock = await RunLock.take(dataDir, `dawnload ${command}`, effects);
  try {
    const journal = await Journal.open(config, effects, (found) => {
      assertSameProject(found, config);
    });
    try {
      const [landing, published] = await Promise.all([
        LandingZone.open(
          dataDir,
          effects,
          () => journal.head,
          (pull) => mayBeCut(journal.of(ERASE), pull),
        ),
        knownBy(files.published),
      ]);
      const holds = landing.found.length > 0 || existsSync(files.published);
      const newest = await landing.newest(undefined, ({ sentences }) => {
        terminal.warn(sentences);
      });
      // A command that opens the warehouse asks it for its head there.
      const working = needs === 'erasures' ? [] : (await knownBy(files.working)).head;
      const known = [...published.head, ...working, ...headsOf(newest)];
      const ledger = new Ledger(config, journal, effects, lock);
      const lookAgain = async (more: readonly KnownHead[]): Promise<Doubt | undefined> => {
        const found = await doubtIn(config, journal, [...known, ...more], effects, holds);
        ledger.doubt = found;
        if (found !== undefined) await recordDoubt(journal, found);
        // After the doubt, since the witness may be its only evidence.
        await begin(journal, config);
        if (found !== undefined && (needs === 'all' || (needs === 'erasures' && found.erase !== undefined)))
          throw found;
        return found;
      };
      await lookAgain([]);
      await ledger.settle();
      const { schema: publishedSchema } = published;
      const opened = { command, config, invocation, files, journal, landing, ledger };
      return await work({ ...opened, lookAgain, publishedSchema });
    } finally {
      await journal.close();
    }
  } finally {
    await lock.release();
  }
}

/**
 * Refuses root in another account's data folder: the next night of this account could not read what root leaves. Only a file
 * made there shows who would own it, because mounts may map root to another account (root-squash, user namespaces).
 *
 * @throws OtherAccountError
 */
export async function assertAccount(
  { dataDir }: Pick<Config, 'dataDir'>,
  { effects: { accounts }, flags }: Pick<Invocation, 'effects' | 'flags'>,
  command: string,
): Promise<void> {
  if (accounts.own() !== 0 || flags.allowRoot === true) return;
  const folder = nearestExisting(resolve(dataDir));
  const owner = await accounts.ownerOf(folder);
  if (owner === 0 || (await accounts.ownerOfNew(folder)) !== 0) return;
  const name = await accounts.nameOf(owner);
  const account = name.startsWith('#') ? `account ${owner}` : name;
  throw new OtherAccountError(
    `${folder} belongs to ${account}, which could not read the files that root leaves there.`,
    {
      hint: `Use \`sudo -u ${quoteShell(name)} dawnload ${command} …\`. To write there as root anyway, add --allow-root.`,
    },
  );
}

async function recordDoubt(journal: Journal, { why, erase }: Doubt): Promise<void> {
  const last = journal.of(RUN).findLast(({ event }) => event === 'unsure' || event === 'confirmed');
  const isKnown = erasuresIn(erase).every((name) => journal.lackedErasures.includes(name));
  if (last?.event !== 'unsure' || !isKnown) await journal.append(RUN, { event: 'unsure', why, erase });
}

/** The heads that manifests carry, each once. */
export function headsOf(pulls: readonly LandedPull[]): KnownHead[] {
  const heads = pulls.map(({ id, head }) => ({ ...head, place: `landing/${id}/${MANIFEST}` }));
  return [...new Map(heads.map((head) => [`${head.seq} ${head.sum}`, head])).values()];
}

/** The data folder with its warehouse open. */
export interface OpenFolder extends DataFolder {
  readonly warehouse: Warehouse;
  /** Removes erased persons from arriving data. */
  readonly erasures: Erasures;
  /** The landed pulls that the warehouse lacked when it was opened, oldest first. */
  readonly waiting: readonly LandedPull[];
  /** Exports that a warehouse file lists and the journal lacks; kept until a person decides. */
  readonly forgotten: readonly ExportRow[];
  readonly report: RunReport;
  /**
   * Loads pulls that were not loaded before, or all of them `again`; calls run one after the other. Resolves with true if
   * all were loaded; one that cannot be loaded stays in the landing zone and is reported, and the others are loaded. Throws
   * InterruptedError between two pulls after Ctrl-C.
   */
  readonly load: (pulls: readonly Pull[], how?: 'new' | 'again') => Promise<boolean>;
}

/**
 * Opens the warehouse of the data folder, does the work, and closes it.
 *
 * @param which the private file, or a new one that a rebuild fills
 * @throws the errors of `Warehouse.open` and, for the private file, of `assertReplaceable`
 * @throws DamageError when an erasure is missing that only the private file or a pull that is not loaded knows
 */
export async function withWarehouse<T>(
  folder: DataFolder,
  report: RunReport,
  which: 'working' | 'rebuilt',
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const { config, invocation, files, journal, ledger } = folder;
  const { dataDir } = config;
  const { effects, terminal, signal } = invocation;
  for (const sentence of mistypedColumns(config.privacy.columns)) terminal.warn(sentence);
  if (which === 'working') {
    refuseNewer(folder.publishedSchema);
    await assertReplaceable(files.published);
  }
  // Before a key is made where it is missing: a new one would recognize nobody who was erased.
  const register = new Register(journal, keyFingerprint(await storedKey(dataDir)));
  const key = await hmacKey(dataDir, effects);
  // A rebuild that was killed may have left this file behind.
  await discardDatabase(files.rebuilt);
  if (which === 'rebuilt') effects.reach('rebuild/before-open');
  const { temp: tempDirectory } = files;
  const settings = { ...config, path: files[which], tempDirectory, privacy: { ...config.privacy, key } };
  const timed = report.timed.bind(report);
  const warehouse = await timed('open', () => Warehouse.open({ ...settings, effects, signal, timed }));
  try {
    // The private file may be newer than the published one, and known to this process alone.
    const own = which === 'working' && warehouse.session;
    const heads = own ? await own.rows('ops/journal', headShape) : (await knownBy(files.working)).head;
    const erasures = new Erasures(
      { dataDir, tempDirectory, key, limits: limitsOf(warehouse.options) },
      register,
      effects,
      () => warehouse.searching(),
    );
    const waiting = await unloaded(folder, warehouse, report);
    await folder.lookAgain([
      ...headsOf(waiting),
      ...heads.map((head) => ({ ...head, place: files.working })),
    ]);
    const known = new Map<string, ExportRow>();
    if (ledger.doubt !== undefined) {
      const newer = own ? own.rows('status/exports', exportRow) : exportsKnownBy(files.working);
      for (const row of [...(await exportsKnownBy(files.published)), ...(await newer)])
        known.set(row.key, row);
    }
    const forgotten = [...known.values()].filter(({ key }) => ledger.find(key) === undefined);
    const one = pLimit(1);
    const open = { ...folder, warehouse, erasures, waiting, forgotten, report };
    return await work({ ...open, load: (pulls, how = 'new') => one(() => loadOrReport(open, pulls, how)) });
  } finally {
    await warehouse.close();
  }
}

/**
 * Returns the landed pulls that the warehouse lacks, and removes those of free streams that never ended. A manifest that
 * cannot be read is reported.
 */
async function unloaded({ landing }: DataFolder, { loader }: Warehouse, report: RunReport) {
  const loaded = await loader.loaded();
  const found = landing.found.filter(({ id }) => !loaded.has(id));
  await landing.removeUnended(found);
  return landing.pulls(found, ({ sentences }, { stream, days }) => {
    report.gaps.push({ stream, days, reason: sentences });
  });
}

/**
 * Loads the landed pulls that the warehouse lacks: the last one after a kill between landing and loading, all of them
 * after the loss of the warehouse. `rebuild` is made of this step.
 */
export async function loadLanded(folder: OpenFolder): Promise<void> {
  const { landing, waiting, warehouse, ledger } = folder;
  const cut = await sweepArrived(folder);
  const free = waiting.filter(({ stream }) => stream !== 'events');
  const again = await warehouse.loader.unloadAfter(free.filter(isReference));
  const missing: Pull[] = [
    ...free,
    ...(await landing.pulls(landing.found.filter(({ id }) => again.has(id)))),
    ...(await waitingExports(folder)),
  ].sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime());
  await folder.load(missing);
  // A file that was made anew matches the landing zone, which holds no erased persons.
  if (cut !== undefined && warehouse.options.path === folder.files.working) await dropArrived(folder, cut);
  const now = await loadedExports(warehouse);
  for (const entry of landedAmong(ledger.entries()))
    if (entry.state === 'landed' && now.has(exportFolder(entry)))
      await ledger.record({ event: 'loaded', key: entry.key });
}

/** The folders of the exports of which the warehouse holds a reading: those of the first readings. */
async function loadedExports({ loader }: Warehouse): Promise<Set<string>> {
  return new Set([...(await loader.loaded())].map(firstReading));
}

/** The landed exports that the warehouse lacks. One that is not in the landing zone any more is reported. */
async function waitingExports(folder: OpenFolder): Promise<Pull[]> {
  const { waiting, landing, warehouse, report, journal } = folder;
  const loaded = await loadedExports(warehouse);
  // The later of two readings of an export counts.
  const last = new Map(waiting.map((pull) => [firstReading(pull.id), pull]));
  const pulls: Pull[] = [];
  for (const entry of landedAmong(folder.ledger.entries())) {
    const { day, key } = entry;
    // Kept back until a person decides.
    if (entry.state === 'landed' && entry.doubted) continue;
    const place = exportFolder(entry);
    const pull = last.get(place);
    if (pull !== undefined) pulls.push(pull);
    if (pull !== undefined || loaded.has(place) || wereRemoved(journal, entry)) continue;
    // A manifest that cannot be read was reported when the landing zone was read.
    const damage: unknown[] = [];
    await unlessDamaged(landing.exportPull(entry), (error) => damage.push(error));
    const reason = `The pages of export ${key} are not all in the landing zone. To download them again at no cost: \`dawnload exports resume ${key}\`.`;
    if (damage.length === 0) report.gaps.push(eventGap(day, reason));
  }
  return pulls;
}

/** Loads pulls as `OpenFolder.load`. An export of which much lies outside its day waits for a person. */
async function loadOrReport(
  folder: Omit<OpenFolder, 'load'>,
  pulls: readonly Pull[],
  how: 'new' | 'again',
): Promise<boolean> {
  const { warehouse, erasures, ledger, report, invocation } = folder;
  const { terminal, signal } = invocation;
  const proceed = ({ stream, days: { start, end } }: Pull): void => {
    signal.throwIfAborted();
    terminal.progress(`loading ${stream} of ${start === end ? start : `${start} to ${end}`}`);
  };
  const load = async (some: readonly Pull[], how: 'new' | 'again'): Promise<LoadOutcome> => {
    await erasures.guard(some);
    const outcome = await report.timed('load', () => warehouse.loader.loadAll(some, proceed, how));
    for (const loaded of outcome.reports) {
      report.loaded(loaded);
      // Each day that the warehouse now holds completely; people read the totals at the end.
      for (const { date, rows } of loaded.finished) {
        const fields = { event: 'day_finished', stream: loaded.stream, date, rows };
        terminal.record(`Finished ${date}, ${loaded.stream}: ${plural(rows, 'row')}.`, fields);
      }
    }
    return outcome;
  };
  const { reports, failures } = await load(pulls, how);
  // Neighbours are days whose exports had dropped records as duplicates of an export that was replaced.
  const neighbours = new Set(reports.flatMap((loaded) => loaded.neighbours));
  if (neighbours.size > 0) {
    const exports = landedAmong(ledger.entries()).filter(({ day }) => neighbours.has(day));
    for (const pull of await folder.landing.exportPulls(exports))
      failures.push(...(await load([pull], 'again')).failures);
  }
  for (const { pull, error } of failures) {
    const entry = landedAmong(ledger.entries()).find((one) => exportFolder(one) === firstReading(pull.id));
    if (error instanceof StrayError && entry !== undefined)
      await ledger.record({ event: 'doubted', key: entry.key, note: error.message });
    else report.unloaded.set(pull.id, { pull, error });
  }
  return failures.length === 0;
}

/**
 * Reports pulls that could not be loaded. A pull that later answers superseded is not reported, since nothing is
 * missing.
 */
export async function reportUnloaded(folder: OpenFolder): Promise<void> {
  const { report, invocation, warehouse } = folder;
  for (const { pull, error } of report.unloaded.values()) {
    const [stream, , key = ''] = pull.id.split('/');
    const remedy = ` To download its pages again at no cost: \`dawnload exports resume ${key}\`.`;
    const reason = `The pull ${pull.id} has landed but is not loaded. ${messageOf(error)}${stream === 'events' ? remedy : ''}`;
    // Later pulls hold all days of a free pull; of reference data, there is a later snapshot.
    const later = await warehouse.coveredSince(pull.stream, pull.pulledAt);
    const isSuperseded = isReference(pull)
      ? later.length > 0
      : pull.stream !== 'events' && daysOf(pull.days).every((day) => later.includes(day));
    if (isSuperseded) invocation.terminal.note(`${reason} Later answers have taken its place.`);
    else report.gaps.push({ stream: pull.stream, days: pull.days, reason });
  }
}

// The project that a data folder belongs to. Two projects must not share a folder, where days, exports and budget of one
// would count as those of the other.

function projectIn(journal: Journal): string | undefined {
  return journal.of(PROJECT).find(({ projectId }) => projectId !== undefined)?.projectId;
}

/** Throws OtherProjectError when the folder, or `ledger_copy` of a new one, holds another project; the message names both. */
export function assertSameProject(journal: Journal, { dataDir, ledgerCopy, projectId }: Config): void {
  const held = projectIn(journal);
  if (projectId === undefined || held === undefined || held === projectId) return;
  const copy = existsSync(journal.path) ? undefined : ledgerCopy;
  throw new OtherProjectError(
    `${copy ?? dataDir} holds the data of project ${held}, and the settings name project ${projectId}.`,
    {
      hint: `Correct project_id, or give this project a ${copy === undefined ? 'data_dir' : 'ledger_copy'} of its own.`,
    },
  );
}

/**
 * Writes the first line of a folder and its witness: from then on a missing witness means that it was restored. The project
 * is recorded by the first command whose settings name one.
 */
async function begin(journal: Journal, { dataDir, projectId }: Config): Promise<void> {
  const isNew = journal.of(PROJECT).length === 0;
  if (isNew || (projectIn(journal) === undefined && projectId !== undefined)) {
    // A journal that begins again after a loss keeps the id of its folder.
    const known = journal.folder ?? (await readWitness(dataDir))?.folder ?? '';
    const folder = known === '' ? randomUUID() : known;
    await journal.append(PROJECT, { event: 'made', folder, projectId });
  }
  // A kill may have left the line without the witness.
  if (journal.head.seq === 1) await journal.witness();
}

/**
 * The one door to the data folder for commands that change it: the lock, the project, the journal, the answer to the
 * question whether the journal forgot something, and, for those that load, the warehouse.
 */
import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { mistypedColumns } from '../config/schema.js';
import { Erasures } from '../erasure/landed.js';
import { Register } from '../erasure/register.js';
import { ConfigError } from '../ground/errors.js';
import { Ledger } from '../exports/ledger.js';
import type { Invocation } from '../config/invocation.js';
import { doubtIn, type Doubt, type KnownHead, erasuresIn, Journal } from '../journal/journal.js';
import { event, Kind, RUN } from '../journal/lines.js';
import { LandingZone } from '../landing/landing-zone.js';
import { dataFiles, MANIFEST, type DataFiles } from '../landing/paths.js';
import type { LandedPull, Pull } from '../landing/pull.js';
import { RunLock } from '../landing/run-lock.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import type { LoadOutcome } from '../warehouse/load.js';
import { refuseNewer } from '../warehouse/migrate.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import { discardDatabase } from '../warehouse/publish.js';
import { exportsKnownBy, knownBy } from '../warehouse/reader.js';
import type { ExportRow, LoadReport } from '../warehouse/rows.js';
import { Warehouse } from '../warehouse/warehouse.js';
import type { RunReport } from './report.js';

/** The settings that the data folder needs. */
export type FolderConfig = Pick<Config, 'dataDir' | 'ledgerCopy' | 'projectId' | 'baseUrl' | 'exports'>;

export interface DataFolder {
  readonly dataDir: string;
  readonly files: DataFiles;
  readonly lock: RunLock;
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
 * @throws ConfigError when the data folder holds another project
 * @throws DamageError, StorageError when the data folder cannot be used, or the journal lacks something that is needed
 */
export async function withDataFolder<T>(
  config: FolderConfig,
  { effects, terminal }: Invocation,
  command: string,
  needs: Needs,
  work: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  const { dataDir } = config;
  const files = dataFiles(dataDir);
  const lock = await RunLock.take(dataDir, `dawnload ${command}`, effects);
  try {
    const journal = await Journal.open(config, effects, (found) => {
      assertSameProject(found, config);
    });
    try {
      const landing = await LandingZone.open(dataDir, effects, () => journal.head);
      const holds = landing.found.length > 0 || existsSync(files.published);
      const newest = await landing.newest(undefined, ({ message, hint = '' }) => {
        terminal.warn(`${message} ${hint}`);
      });
      warnOfAddress(journal, config, terminal);
      const published = await knownBy(files.published);
      const known = [...published.head, ...(await knownBy(files.working)).head, ...headsOf(newest)];
      const ledger = new Ledger(dataDir, journal, effects);
      const lookAgain = async (more: readonly KnownHead[]): Promise<Doubt | undefined> => {
        const found = await doubtIn(dataDir, journal, [...known, ...more], holds);
        ledger.doubt = found;
        if (found !== undefined) await recordDoubt(journal, found);
        // After the doubt, since the witness may be its only evidence.
        await begin(journal, config);
        if (found !== undefined && (needs === 'all' || (needs === 'erasures' && found.erase !== undefined)))
          throw found;
        return found;
      };
      await lookAgain([]);
      await ledger.settle(config.exports.refusals);
      const { schema: publishedSchema } = published;
      return await work({ dataDir, files, lock, journal, landing, ledger, lookAgain, publishedSchema });
    } finally {
      await journal.close();
    }
  } finally {
    await lock.release();
  }
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
  /** The path of the file in which the warehouse is made. */
  readonly path: string;
  readonly warehouse: Warehouse;
  /** Removes erased persons from arriving data. */
  readonly erasures: Erasures;
  /** The landed pulls that the warehouse lacked when it was opened, oldest first. */
  readonly waiting: readonly LandedPull[];
  /** Exports that a warehouse file lists and the journal lacks; kept until a person decides. */
  readonly forgotten: readonly ExportRow[];
  readonly report: RunReport;
  /**
   * Loads pulls that were not loaded before, or all of them `again`; calls run one after the other. Throws
   * InterruptedError between two pulls after Ctrl-C.
   */
  load(pulls: readonly Pull[], how?: 'new' | 'again'): Promise<LoadOutcome>;
}

/**
 * Opens the warehouse of the data folder, does the work, and closes it.
 *
 * @param which the private file, or a new one that a rebuild fills
 * @throws the errors of `Warehouse.open`
 * @throws DamageError when an erasure is missing that only the private file or a pull that is not loaded knows
 */
export async function withWarehouse<T>(
  folder: DataFolder,
  config: Config,
  invocation: Invocation,
  report: RunReport,
  which: 'working' | 'rebuilt',
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  const { dataDir, files, journal, landing, ledger } = folder;
  const { effects, terminal, signal } = invocation;
  for (const sentence of mistypedColumns(config.privacy.columns)) terminal.warn(sentence);
  if (which === 'working') refuseNewer(folder.publishedSchema);
  const known =
    ledger.doubt === undefined
      ? []
      : [...(await exportsKnownBy(files.published)), ...(await exportsKnownBy(files.working))];
  const key = await hmacKey(dataDir, effects);
  const register = new Register(journal, keyFingerprint(key));
  // A rebuild that was killed may have left this file behind.
  await discardDatabase(files.rebuilt);
  if (which === 'rebuilt') effects.reach('rebuild/before-open');
  const warehouse = await report.timed('open', () => openWarehouse(files[which], config, invocation));
  try {
    const erasures = new Erasures({ dataDir, tempDirectory: files.temp, key }, register, effects, () =>
      warehouse.searching(),
    );
    const waiting = await unloaded(landing, warehouse, report);
    const heads = headsOf(waiting);
    if (heads.length > 0) await folder.lookAgain(heads);
    const forgotten = known.filter((row) => ledger.find(row.key) === undefined);
    const one = pLimit(1);
    const proceed = (pull: Pull): void => {
      signal.throwIfAborted();
      const { start, end } = pull.days;
      terminal.progress(`loading ${pull.stream} of ${start === end ? start : `${start} to ${end}`}`);
    };
    const load = (pulls: readonly Pull[], how: 'new' | 'again' = 'new'): Promise<LoadOutcome> =>
      one(async () => {
        const guarded = await erasures.guard(pulls);
        const outcome = await report.timed('load', () => warehouse.loader.loadAll(guarded, proceed, how));
        for (const loaded of outcome.reports) {
          report.loaded(loaded);
          tellFinished(loaded, terminal);
        }
        return outcome;
      });
    const path = files[which];
    return await work({ ...folder, path, warehouse, erasures, waiting, forgotten, report, load });
  } finally {
    terminal.progress('');
    await warehouse.close();
  }
}

/** Opens a warehouse file of the data folder with the folder's settings; throws as `Warehouse.open` does. */
export async function openWarehouse(
  path: string,
  config: Config,
  { effects, signal }: Invocation,
): Promise<Warehouse> {
  const { dataDir } = config;
  const privacy = { ...config.privacy, key: await hmacKey(dataDir, effects) };
  const tempDirectory = dataFiles(dataDir).temp;
  return Warehouse.open({ ...config, path, tempDirectory, privacy, effects, signal });
}

/**
 * Returns the landed pulls that the warehouse lacks, and removes those of free streams that never ended. A manifest that
 * cannot be read is reported.
 */
async function unloaded(
  landing: LandingZone,
  warehouse: Warehouse,
  report: RunReport,
): Promise<LandedPull[]> {
  const loaded = await warehouse.loader.loaded();
  const found = landing.found.filter(({ id }) => !loaded.has(id));
  await landing.removeUnended(found);
  return landing.pulls(found, ({ message, hint = '' }, { stream, days }) => {
    report.gaps.push({ stream, days, reason: `${message} ${hint}` });
  });
}

/** Prints one line for each day of a stream that the warehouse now holds completely. */
function tellFinished({ stream, finished }: LoadReport, terminal: Terminal): void {
  for (const { date, rows } of finished) {
    const text = `Finished ${date}, ${stream}: ${plural(rows, 'row')}.`;
    const fields = { event: 'day_finished', stream, date, rows };
    // A plain log omits the days because their totals follow at the end.
    if (terminal.interactive) terminal.note(text, fields);
    else terminal.record(text, fields);
  }
}

// The project that a data folder belongs to, and the addresses that it was pulled from. Two projects must not share a
// folder, where days, exports and budget of one would count as those of the other.

const text = z.string();
/** The project of the data folder, and the addresses that issued a token for it (E1). */
export const PROJECT = new Kind(
  'project',
  z.discriminatedUnion('event', [
    z.object({ ...event('made'), projectId: text.optional() }),
    z.object({ ...event('address'), projectId: text, baseUrl: text }),
  ]),
);

type Settings = Pick<Config, 'dataDir' | 'projectId' | 'baseUrl'>;

function projectIn(journal: Journal): { projectId: string | undefined; addresses: readonly string[] } {
  const lines = journal.of(PROJECT);
  const projectId = lines.find((line) => line.projectId !== undefined)?.projectId;
  return { projectId, addresses: lines.flatMap((line) => (line.event === 'address' ? [line.baseUrl] : [])) };
}

/** Throws ConfigError when the folder holds another project; the message names both. */
export function assertSameProject(journal: Journal, { dataDir, projectId }: Settings): void {
  const held = projectIn(journal).projectId;
  if (projectId === undefined || held === undefined || held === projectId) return;
  throw new ConfigError(
    `${dataDir} holds the data of project ${held}, and the settings name project ${projectId}.`,
    { hint: 'Correct project_id, or give this project a data_dir of its own.' },
  );
}

/** Writes the first line of a folder and its witness: from then on a missing witness means that it was restored. */
async function begin(journal: Journal, { projectId }: Settings): Promise<void> {
  if (journal.of(PROJECT).length === 0) await journal.append(PROJECT, { event: 'made', projectId });
  // A kill may have left the line without the witness.
  if (journal.head.seq === 1) await journal.witness();
}

/** Warns if the project was pulled from another address than the one in the settings. */
function warnOfAddress(journal: Journal, { projectId, baseUrl }: Settings, terminal: Terminal): void {
  const { addresses } = projectIn(journal);
  const before = addresses.at(-1);
  if (before === undefined || baseUrl === undefined || addresses.includes(baseUrl)) return;
  terminal.warn(
    `Project ${projectId ?? ''} was pulled from ${before} before and is pulled from ${baseUrl} now. If this is not intended, correct base_url.`,
  );
}

/** Records the address in the settings, once it has issued a token: data never comes from a mistyped one. */
export async function rememberAddress(journal: Journal, { projectId, baseUrl }: Settings): Promise<void> {
  const { addresses } = projectIn(journal);
  if (projectId === undefined || baseUrl === undefined || addresses.includes(baseUrl)) return;
  await journal.append(PROJECT, { event: 'address', projectId, baseUrl });
}

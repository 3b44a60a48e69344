/** The run context: opens in order everything that a run works with, and closes it in every case. */
import pLimit from 'p-limit';
import type { Day } from '../calendar.js';
import type { Invocation } from '../invocation.js';
import type { Config, ExportsConfig, ServiceConfig } from '../config.js';
import { mistypedColumns } from '../config/schema.js';
import type { Effects } from '../effects.js';
import { Erasures } from '../erasure/landed.js';
import { Register } from '../erasure/register.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import type { LandingZone } from '../storage/landing-zone.js';
import { Ledger } from '../exports/ledger.js';
import type { RunLock } from '../storage/run-lock.js';
import { assertMayLand, presentOf } from '../api/clocks.js';
import { dataFiles, type DataFiles } from '../storage/paths.js';
import { headsOf, rememberAddress, withDataFolder, type FolderConfig } from './data-folder.js';
import { forgottenError } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { RunReport } from './report.js';
import { ServiceClient } from '../api/client.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import type { LandedPull, Pull } from '../storage/pull.js';
import type { LoadOutcome } from '../warehouse/load.js';
import { exportsKnownBy } from '../warehouse/remembered-exports.js';
import type { ExportRow, LoadReport } from '../warehouse/rows.js';
import { discardDatabase } from '../warehouse/publish.js';
import { Warehouse } from '../warehouse/warehouse.js';

/** The context of the stages that send no request. */
export interface LocalContext {
  readonly effects: Effects;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly lock: RunLock;
  readonly journal: Journal;
  readonly landing: LandingZone;
  /** The landed pulls that the warehouse lacked when it was opened, oldest first. */
  readonly waiting: readonly LandedPull[];
  readonly ledger: Ledger;
  /** Exports that a warehouse file lists and the journal lacks; kept until a person decides. */
  readonly forgotten: readonly ExportRow[];
  /** The number of the last migration of the published file; 0 if there is none. */
  readonly publishedSchema: number;
  readonly warehouse: Warehouse;
  /** Removes erased persons from arriving data. */
  readonly erasures: Erasures;
  readonly runId: string;
  readonly report: RunReport;
  /** The settings of the paid exports. */
  readonly exports: ExportsConfig;
  readonly files: DataFiles;
  readonly dataDir: string;
  /** `start_date` and `lookback_days` of the settings. */
  readonly startDate: Day | undefined;
  readonly lookbackDays: number;
  /** The language of the report; undefined if no report is wanted. */
  readonly reportIn: Config['reportIn'];
  /** The path of the file in which the warehouse is made. */
  readonly path: string;
  /**
   * Loads pulls that were not loaded before; calls run one after the other. Throws InterruptedError between two pulls
   * after Ctrl-C.
   */
  load(pulls: readonly Pull[]): Promise<LoadOutcome>;
  /** Loads pulls even if they were loaded before. */
  reload(pulls: readonly Pull[]): Promise<LoadOutcome>;
}

export interface RunContext extends LocalContext {
  readonly config: ServiceConfig;
  readonly service: ServiceClient;
  /**
   * Returns the instant to record for an answer: now, by the service's clock if this machine's is wrong, but always
   * later than everything that has landed. The later of two pulls of a day counts, so a clock that was set back must
   * not make the newer pull look older.
   *
   * @throws ClockError when the clocks now differ so much that nothing may land
   */
  pullInstant(): Date;
}

/** The settings that the context needs. */
export type StorageConfig = FolderConfig &
  Pick<
    Config,
    | 'brand'
    | 'messenger'
    | 'privacy'
    | 'storageVersion'
    | 'experiments'
    | 'mainGoals'
    | 'exports'
    | 'reference'
    | 'reportIn'
    | 'startDate'
    | 'lookbackDays'
  >;

/**
 * Takes the lock, opens landing zone, ledger and warehouse, does the work, and closes them.
 *
 * @throws TryLaterError when another run holds the lock
 * @throws ConfigError when the data folder holds another project
 * @throws DamageError, StorageError when the data folder cannot be used
 */
export async function withLocalContext<T>(
  config: StorageConfig,
  invocation: Invocation,
  command: string,
  work: (context: LocalContext) => Promise<T>,
  working: 'working' | 'rebuilt' = 'working',
): Promise<T> {
  const { effects, terminal, signal, runId } = invocation;
  for (const sentence of mistypedColumns(config.privacy.columns)) terminal.warn(sentence);
  return withDataFolder(config, invocation, command, async (folder) => {
    const { dataDir, files, lock, journal, landing, publishedSchema } = folder;
    const early = await folder.doubt();
    if (early?.erasures === true) throw forgottenError(early);
    const known =
      early === undefined
        ? []
        : [...(await exportsKnownBy(files.published)), ...(await exportsKnownBy(files.working))];
    const key = await hmacKey(dataDir, effects);
    const register = new Register(journal, keyFingerprint(key));
    const path = files[working];
    // A rebuild that was killed may have left this file behind.
    await discardDatabase(files.rebuilt);
    if (working === 'rebuilt') effects.reach('rebuild/before-open');
    const warehouse = await openWarehouse(path, config, invocation);
    const erasures = new Erasures({ dataDir, tempDirectory: files.temp, key }, register, effects, () =>
      warehouse.searching(),
    );
    const report = new RunReport(effects.now());
    const waiting = await unloaded(landing, warehouse, report);
    const doubt = early ?? (await folder.doubt([...(await warehouse.knownHead()), ...headsOf(waiting)]));
    const ledger = new Ledger(dataDir, journal, effects, doubt);
    const forgotten = known.filter(({ key }) => ledger.find(key) === undefined);
    const one = pLimit(1);
    const proceed = (pull: Pull): void => {
      signal.throwIfAborted();
      const { start, end } = pull.days;
      terminal.progress(`loading ${pull.stream} of ${start === end ? start : `${start} to ${end}`}`);
    };
    const loading = (how: () => Promise<LoadOutcome>): Promise<LoadOutcome> =>
      one(async () => {
        const outcome = await how();
        for (const loaded of outcome.reports) {
          report.loaded(loaded);
          tellFinished(loaded, terminal);
        }
        return outcome;
      });
    try {
      // The private file, or a pull that is not loaded, may be the only one that knows an erasure.
      if (doubt?.erasures === true) throw forgottenError(doubt);
      return await work({
        effects,
        terminal,
        signal,
        lock,
        journal,
        landing,
        waiting,
        ledger,
        forgotten,
        publishedSchema,
        warehouse,
        erasures,
        runId,
        report,
        exports: config.exports,
        dataDir,
        startDate: config.startDate,
        lookbackDays: config.lookbackDays,
        reportIn: config.reportIn,
        files,
        path,
        load: (pulls) => loading(async () => warehouse.loader.loadAll(await erasures.guard(pulls), proceed)),
        reload: (pulls) =>
          loading(async () => warehouse.loader.reloadAll(await erasures.guard(pulls), proceed)),
      });
    } finally {
      terminal.progress('');
      await warehouse.close();
    }
  });
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
    report.gap({ stream, days, reason: `${message} ${hint}` });
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

/** Opens a warehouse file of the data folder with the folder's settings; throws as `Warehouse.open` does. */
export async function openWarehouse(
  path: string,
  { dataDir, brand, messenger, privacy, storageVersion, experiments, mainGoals }: StorageConfig,
  { effects, signal }: Invocation,
): Promise<Warehouse> {
  return Warehouse.open({
    path,
    tempDirectory: dataFiles(dataDir).temp,
    brand,
    messenger,
    experiments,
    mainGoals,
    storageVersion,
    privacy: { ...privacy, key: await hmacKey(dataDir, effects) },
    effects,
    signal,
  });
}

/** As `withLocalContext`, with a service client. */
export function withRunContext<T>(
  config: ServiceConfig,
  invocation: Invocation,
  command: string,
  work: (context: RunContext) => Promise<T>,
): Promise<T> {
  return withLocalContext(config, invocation, command, async (context) => {
    const { effects, signal, version } = invocation;
    const service = new ServiceClient(config, effects, signal, version, () =>
      rememberAddress(context.journal, config),
    );
    try {
      return await work({ ...context, config, service, pullInstant: monotone(context, config, service) });
    } finally {
      await service.close();
    }
  });
}

/** Returns the present by the better clock, or a millisecond after the last returned instant, whichever is later. */
function monotone(
  { landing, effects }: LocalContext,
  config: ServiceConfig,
  service: ServiceClient,
): RunContext['pullInstant'] {
  let last: number | undefined;
  return () => {
    assertMayLand({ service, effects, config });
    last ??= landing.found.reduce((latest, { pulledAt }) => Math.max(latest, pulledAt?.getTime() ?? 0), 0);
    last = Math.max(presentOf({ service, effects, config }).getTime(), last + 1);
    return new Date(last);
  };
}

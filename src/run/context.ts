/** The run context: opens in order everything that a run works with, and closes it in every case. */
import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import type { Invocation } from '../invocation.js';
import type { Config, ExportsConfig, ServiceConfig } from '../config.js';
import type { Effects } from '../effects.js';
import { Erasures } from '../erasure/landed.js';
import { assertRemembered, Register } from '../erasure/register.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import { instantOfFound, type Found } from '../storage/landed-pulls.js';
import { LandingZone } from '../storage/landing-zone.js';
import { Ledger } from '../exports/ledger.js';
import { RunLock } from '../storage/run-lock.js';
import { presentOf } from '../api/clocks.js';
import { RunJournal } from '../storage/run-journal.js';
import { dataFiles, type DataFiles } from '../storage/paths.js';
import { keepToProject, rememberAddress } from '../storage/project.js';
import { RunReport } from './report.js';
import { ServiceClient } from '../api/client.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import { daysAsked, type Pull } from '../storage/pull.js';
import type { LoadOutcome } from '../warehouse/load.js';
import { remembered } from '../warehouse/remembered-exports.js';
import type { ExportRow, LoadReport } from '../warehouse/rows.js';
import { discardDatabase } from '../warehouse/publish.js';
import { Warehouse } from '../warehouse/warehouse.js';

/** The context of the stages that send no request. */
export interface LocalContext {
  readonly effects: Effects;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly lock: RunLock;
  readonly landing: LandingZone;
  /** The contents of the landing zone when the run began. */
  readonly foundAtStart: readonly Found[];
  readonly ledger: Ledger;
  /** Exports that a warehouse file holds, but the ledger lacks or has as not billed; kept until a person decides. */
  readonly forgotten: readonly ExportRow[];
  /** The number of the last migration of the published file; 0 if there is none. */
  readonly publishedSchema: number;
  readonly warehouse: Warehouse;
  /** Removes erased persons from arriving data. */
  readonly erasures: Erasures;
  readonly runs: RunJournal;
  readonly runId: string;
  readonly report: RunReport;
  /** The settings of the paid exports. */
  readonly exports: ExportsConfig;
  readonly files: DataFiles;
  readonly dataDir: string;
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
   */
  pullInstant(): Date;
}

/** The settings that the context needs. */
export type StorageConfig = Pick<
  Config,
  | 'dataDir'
  | 'projectId'
  | 'baseUrl'
  | 'brand'
  | 'messenger'
  | 'privacy'
  | 'storageVersion'
  | 'experiments'
  | 'mainGoals'
  | 'exports'
  | 'reference'
  | 'reportIn'
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
  const { dataDir } = config;
  const files = dataFiles(dataDir);
  const inContext = async (lock: RunLock): Promise<T> => {
    const landing = await LandingZone.open(dataDir, effects);
    const { ledger, forgotten, publishedSchema } = await openLedger(dataDir, effects);
    const key = await hmacKey(dataDir, effects);
    const register = await Register.open(dataDir, keyFingerprint(key), effects);
    const foundAtStart = await landing.found();
    const path = files[working];
    // A rebuild that was killed may have left this file behind.
    await discardDatabase(files.rebuilt);
    if (working === 'rebuilt') effects.reach('rebuild/before-open');
    // A file that is opened anyway is asked then: opening it twice would cost every night a tenth of a second.
    await assertRemembered(
      register,
      path === files.working && existsSync(path) ? [] : [files.working, files.published],
    );
    const warehouse = await openWarehouse(path, config, invocation);
    const erasures = new Erasures({ dataDir, tempDirectory: files.temp, key }, register, effects, () =>
      warehouse.searching(),
    );
    const known = await warehouse.knownErasure();
    const runs = new RunJournal(dataDir);
    const report = new RunReport(effects.now());
    const one = pLimit(1);
    const proceed = (pull: Pull): void => {
      signal.throwIfAborted();
      const { start, end } = daysAsked(pull);
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
      register.assertHolds(known, path);
      return await work({
        effects,
        terminal,
        signal,
        lock,
        landing,
        foundAtStart,
        ledger,
        forgotten,
        publishedSchema,
        warehouse,
        erasures,
        runs,
        runId,
        report,
        exports: config.exports,
        dataDir,
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
      await ledger.close();
    }
  };
  return underLock(config, invocation, command, inContext);
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

/** Opens the ledger and compares it with both warehouse files. Requires the lock; call before the warehouse is opened. */
export async function openLedger(
  dataDir: string,
  effects: Effects,
): Promise<{ ledger: Ledger; forgotten: readonly ExportRow[]; publishedSchema: number }> {
  const files = dataFiles(dataDir);
  let publishedSchema = 0;
  const rows = new Map<string, ExportRow>();
  const ledger = await Ledger.open(dataDir, effects, async (tracked) => {
    const [working, published] = await Promise.all([
      remembered(files.working, tracked),
      remembered(files.published, tracked),
    ]);
    publishedSchema = published.schema;
    for (const row of [...working.exports, ...published.exports]) rows.set(row.key, row);
    return { 'private warehouse': working.exports, 'published warehouse': published.exports };
  });
  await ledger.noteRestored();
  const untracked = new Set(ledger.untracked.map(({ key }) => key));
  const forgotten = [...rows.values()].filter(
    ({ key }) => ledger.find(key) === undefined || untracked.has(key),
  );
  return { ledger, forgotten, publishedSchema };
}

/**
 * Does the work under the lock of the data folder, which must belong to the project.
 *
 * @throws TryLaterError when another run holds the lock
 * @throws ConfigError when the data folder holds another project
 */
export async function underLock<T>(
  config: StorageConfig,
  { effects, terminal }: Invocation,
  command: string,
  work: (lock: RunLock) => Promise<T>,
): Promise<T> {
  const lock = await RunLock.take(config.dataDir, `dawnload ${command}`, effects);
  try {
    const before = await keepToProject(config, effects);
    if (before !== undefined) {
      terminal.warn(
        `Project ${config.projectId ?? ''} was pulled from ${before} before and is pulled from ${config.baseUrl ?? ''} now. If this is not intended, correct base_url.`,
      );
    }
    return await work(lock);
  } finally {
    await lock.release();
  }
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
      rememberAddress(config, effects),
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
  { foundAtStart, effects }: LocalContext,
  config: ServiceConfig,
  service: ServiceClient,
): RunContext['pullInstant'] {
  let last: number | undefined;
  return () => {
    last ??= foundAtStart.reduce(
      (latest, found) => Math.max(latest, instantOfFound(found)?.getTime() ?? 0),
      0,
    );
    last = Math.max(presentOf({ service, effects, config }).getTime(), last + 1);
    return new Date(last);
  };
}

/** The warehouse of an open data folder. Loads landed pulls without erased persons, and reports pulls that cannot be loaded. */
import pLimit from 'p-limit';
import type { Config } from '../config/config.js';
import { excludedIds } from '../config/files.js';
import type { Invocation } from '../config/invocation.js';
import { mistypedColumns } from '../config/schema.js';
import { Erasures } from '../erasure/landed.js';
import { Register } from '../erasure/register.js';
import { landedAmong } from '../exports/export.js';
import type { Ledger } from '../exports/ledger.js';
import { messageOf, StrayError } from '../ground/errors.js';
import type { KnownHead } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { headShape, type LandedPull, type LandingZone, type Pull } from '../landing/landing-zone.js';
import { exportFolder, firstReading, MANIFEST, type DataFiles } from '../disk/paths.js';
import { isKnown, STREAMS } from '../streams/index.js';
import { plural, type Terminal } from '../terminal/terminal.js';
import type { LoadOutcome } from '../warehouse/load.js';
import { limitsOf } from '../warehouse/memory-limit.js';
import { hmacKey, keyFingerprint, storedKey } from '../warehouse/privacy.js';
import { assertReplaceable, discardDatabase } from '../warehouse/publish.js';
import { exportRow, exportsKnownBy, knownBy, type ExportRow } from '../warehouse/reader.js';
import { Warehouse } from '../warehouse/warehouse.js';
import type { RunReport } from './report.js';

export interface WarehousePlace {
  readonly config: Config;
  readonly invocation: Invocation;
  readonly files: DataFiles;
  readonly journal: Journal;
  readonly landing: LandingZone;
  readonly ledger: Ledger;
  readonly lookAgain: (more: readonly KnownHead[]) => Promise<unknown>;
}

export class OpenWarehouse implements AsyncDisposable {
  readonly #inTurn = pLimit(1);

  private constructor(
    private readonly place: WarehousePlace,
    private readonly report: RunReport,
    readonly file: Warehouse,
    readonly erasures: Erasures,
    readonly waiting: readonly LandedPull[],
    /** Exports that a warehouse file lists but the journal lacks. They stay in the file until you decide. */
    readonly untracked: readonly ExportRow[],
  ) {}

  /**
   * @param which the private file, or the new file of a rebuild
   * @throws the errors of `Warehouse.open` and, for the private file, of `assertReplaceable`
   * @throws DamageError when the journal lacks an erasure that the private file or an unloaded pull records
   */
  static async open(
    place: WarehousePlace,
    which: 'working' | 'rebuilt',
    report: RunReport,
  ): Promise<OpenWarehouse> {
    const { config, invocation, files, journal } = place;
    const { dataDir } = config;
    const { effects, terminal, signal } = invocation;
    for (const sentence of mistypedColumns(config.privacy.columns, config.fields)) terminal.warn(sentence);
    if (which === 'working') await assertReplaceable(files.published);
    // Do this before creating a missing key, because a new key would not recognize erased persons.
    const register = new Register(journal, keyFingerprint(await storedKey(dataDir)));
    const key = await hmacKey(dataDir, effects);
    // A rebuild that was killed may have left this file behind.
    await discardDatabase(files.rebuilt);
    if (which === 'rebuilt') effects.reach('rebuild/before-open');
    const { temp: tempDirectory } = files;
    const settings = {
      ...config,
      ...{ path: files[which], tempDirectory, privacy: { ...config.privacy, key } },
      excluded: excludedIds(config.excluded),
    };
    const timed = report.timed.bind(report);
    const warn = (sentence: string): void => {
      terminal.warn(sentence);
    };
    const file = await timed('open', () =>
      Warehouse.open({ ...settings, streams: STREAMS, effects, signal, timed, warn }),
    );
    const limits = limitsOf(file.options);
    const erasures = new Erasures({ dataDir, tempDirectory, key, limits }, register, effects, () =>
      file.searching(),
    );
    try {
      const waiting = await unloaded(place.landing, file, report);
      const untracked = await compared(place, which, file, waiting);
      return new OpenWarehouse(place, report, file, erasures, waiting, untracked);
    } catch (error) {
      await release('The warehouse', () => file.close(), terminal);
      throw error;
    }
  }

  /**
   * Loads new pulls, or all of them `again`. Resolves with true if all were loaded. A pull that cannot be loaded is reported and stays in
   * the landing zone. After Ctrl-C, throws InterruptedError between two pulls.
   */
  readonly load = (pulls: readonly Pull[], how: 'new' | 'again' = 'new'): Promise<boolean> =>
    this.#inTurn(() => this.#loadOrReport(pulls, how));

  /** Loads pulls and reports failures. An export with many records outside its day needs your decision. */
  async #loadOrReport(pulls: readonly Pull[], how: 'new' | 'again'): Promise<boolean> {
    const { ledger, landing } = this.place;
    const { reports, failures } = await this.#loadAll(pulls, how);
    // Neighbors are days whose exports dropped records that the replaced export also had.
    const neighbors = new Set(reports.flatMap((loaded) => loaded.neighbors));
    if (neighbors.size > 0) {
      const exports = landedAmong(ledger.entries()).filter(({ day }) => neighbors.has(day));
      for (const pull of await landing.exportPulls(exports))
        failures.push(...(await this.#loadAll([pull], 'again')).failures);
    }
    for (const { pull, error } of failures) {
      const entry = landedAmong(ledger.entries()).find((one) => exportFolder(one) === firstReading(pull.id));
      if (error instanceof StrayError && entry !== undefined)
        await ledger.record({ event: 'doubted', key: entry.key, note: error.message });
      else this.report.unloaded.set(pull.id, { pull, error });
    }
    return failures.length === 0;
  }

  async #loadAll(pulls: readonly Pull[], how: 'new' | 'again'): Promise<LoadOutcome> {
    const { terminal, signal } = this.place.invocation;
    const proceed = ({ stream, days: { start, end } }: Pull): void => {
      signal.throwIfAborted();
      terminal.progress(`loading ${stream} of ${start === end ? start : `${start} to ${end}`}`);
    };
    await this.erasures.guard(pulls);
    const outcome = await this.report.timed('load', () => this.file.loader.loadAll(pulls, proceed, how));
    for (const loaded of outcome.reports) {
      this.report.loaded(loaded);
      // Logs have a line for each day; people get the totals at the end.
      for (const { date, rows } of loaded.finished) {
        const fields = { event: 'day_finished', stream: loaded.stream, date, rows };
        terminal.record(`Finished ${date}, ${loaded.stream}: ${plural(rows, 'row')}.`, fields);
      }
    }
    return outcome;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await release('The warehouse', () => this.file.close(), this.place.invocation.terminal);
  }
}

/** Releases a resource. A failure is only a warning, so that it does not hide the original error. */
export async function release(what: string, work: () => Promise<void>, terminal: Terminal): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = messageOf(error);
    terminal.warn(`${what} could not be closed: ${reason}`, { event: 'not_released', what, reason });
  }
}

export function headsOf(pulls: readonly LandedPull[]): KnownHead[] {
  const heads = pulls.map(({ id, head }) => ({ ...head, place: `landing/${id}/${MANIFEST}` }));
  return [...new Map(heads.map((head) => [`${head.seq} ${head.sum}`, head])).values()];
}

/** Returns the landed pulls that the warehouse lacks. Removes the folders of free pulls that never ended. */
async function unloaded(landing: LandingZone, { loader }: Warehouse, report: RunReport) {
  const loaded = await loader.loaded();
  const waiting = landing.pullFolders.filter(({ id }) => !loaded.has(id));
  await landing.removeUnended(waiting.filter(({ stream }) => isKnown(stream)));
  return landing.pulls(waiting, ({ sentences }, { stream, days }) => {
    report.gaps.push({ stream, days, reason: sentences });
  });
}

/** Compares the journal with both warehouse files. Returns the exports that the journal lacks. */
async function compared(
  { files, ledger, lookAgain }: WarehousePlace,
  which: 'working' | 'rebuilt',
  { session }: Warehouse,
  waiting: readonly LandedPull[],
): Promise<ExportRow[]> {
  // The private file may be newer than the published one.
  const own = which === 'working' && session;
  const heads = own ? await own.rows('ops/journal', headShape) : await knownBy(files.working);
  await lookAgain([...headsOf(waiting), ...heads.map((head) => ({ ...head, place: files.working }))]);
  if (ledger.doubt === undefined) return [];
  const listed = new Map<string, ExportRow>();
  const newer = own ? own.rows('status/exports', exportRow) : exportsKnownBy(files.working);
  for (const row of [...(await exportsKnownBy(files.published)), ...(await newer)]) listed.set(row.key, row);
  return [...listed.values()].filter(({ key }) => ledger.find(key) === undefined);
}

/**
 * Opens the data folder for commands that change it: takes the lock, then checks account, project and journal. Commands open the warehouse
 * and the service client through it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { requireService, requireSettings, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { ERASE, mayBeCut } from '../erasure/register.js';
import { Ledger } from '../exports/ledger.js';
import { OtherProjectError } from '../ground/errors.js';
import { doubtIn, type Doubt, type KnownHead } from '../journal/doubt.js';
import { erasuresIn, Journal, PROJECT, RUN } from '../journal/journal.js';
import { readWitness } from '../journal/witness.js';
import { LandingZone } from '../landing/landing-zone.js';
import { dataFiles, type DataFiles } from '../disk/paths.js';
import { RunLock } from '../disk/run-lock.js';
import { ServiceClient } from '../service/client.js';
import { knownBy } from '../warehouse/reader.js';
import type { RunReport } from './report.js';
import { headsOf, OpenWarehouse, release, type WarehousePlace } from './warehouse.js';

interface Opening {
  readonly command: string;
  /** Which journal lines must be complete: `erasures` before loading or publishing, `all` before rows reach people. */
  readonly needs: 'nothing' | 'erasures' | 'all';
}

/** Open resources, closed in reverse order. */
type Open = (readonly [what: string, close: () => Promise<void>])[];

export class DataFolder implements AsyncDisposable, WarehousePlace {
  #service: ServiceClient | undefined;

  private constructor(
    private readonly opening: Opening,
    readonly config: Config,
    readonly invocation: Invocation,
    readonly files: DataFiles,
    readonly journal: Journal,
    readonly landing: LandingZone,
    readonly ledger: Ledger,
    /** Journal heads recorded in other files, which reveal missing lines. */
    private readonly heads: readonly KnownHead[],
    /** True if the folder had landed data or a published file. */
    private readonly hasData: boolean,
    private readonly open: Open,
  ) {}

  /**
   * Takes the lock of the project's data folder, and settles what a killed run left open.
   *
   * @throws TryLaterError when another run has the lock
   * @throws OtherProjectError when the data folder belongs to another project
   * @throws ConfigError when there is neither a data folder nor settings for one
   * @throws DamageError, StorageError when the data folder cannot be used, or the journal lacks something that is needed
   */
  static async open(config: Config, invocation: Invocation, opening: Opening): Promise<DataFolder> {
    const { dataDir } = config;
    const { effects, terminal } = invocation;
    // Without settings, this may be the wrong folder, so don't create a data folder.
    if (!existsSync(dataDir)) requireSettings(config, 'startDate');
    const lock = await RunLock.take(dataDir, `dawnload ${opening.command}`, effects);
    const open: Open = [['The lock', () => lock.release()]];
    try {
      const journal = await Journal.open(config, effects, (one) => {
        assertSameProject(one, config);
      });
      open.push(['The journal', () => journal.close()]);
      // The status is written last, when everything else is closed.
      open.unshift([
        'The status',
        async () => invocation.changed?.({ ...invocation, loadConfig: () => config }, journal),
      ]);
      const files = dataFiles(dataDir);
      const [landing, published] = await Promise.all([
        LandingZone.open(
          dataDir,
          effects,
          () => journal.head,
          (pull) => mayBeCut(journal.of(ERASE), pull),
        ),
        knownBy(files.published),
      ]);
      const newest = await landing.newest(undefined, ({ sentences }) => {
        terminal.warn(sentences);
      });
      // Commands that open the warehouse read the head of the private file later.
      const working = opening.needs === 'erasures' ? [] : await knownBy(files.working);
      const heads = [...published, ...working, ...headsOf(newest)];
      const ledger = new Ledger(config, journal, effects, lock);
      const hasData = landing.pullFolders.length > 0 || existsSync(files.published);
      const folder = new DataFolder(
        opening,
        config,
        invocation,
        files,
        journal,
        landing,
        ledger,
        heads,
        hasData,
        open,
      );
      await folder.lookAgain([]);
      await folder.ledger.settle();
      return folder;
    } catch (error) {
      await closeAll(open, terminal);
      throw error;
    }
  }

  get command(): string {
    return this.opening.command;
  }

  /** Opens the private warehouse, or a new file that a rebuild fills. Throws as `OpenWarehouse.open`. */
  warehouse(which: 'working' | 'rebuilt', report: RunReport): Promise<OpenWarehouse> {
    return OpenWarehouse.open(this, which, report);
  }

  /** The client of the service. Large answers are stored on the disk of the landing zone. */
  get service(): ServiceClient {
    const { config, invocation, landing } = this;
    if (this.#service !== undefined) return this.#service;
    const service = ServiceClient.open(requireService(config), invocation, landing);
    this.open.push(['The connection to the service', () => service.close()]);
    return (this.#service = service);
  }

  /**
   * Compares the journal again, including more files' heads, and records a doubt.
   *
   * @throws DamageError if the journal lacks lines that the command needs
   */
  readonly lookAgain = async (more: readonly KnownHead[]): Promise<Doubt | undefined> => {
    const { config, journal, ledger, invocation } = this;
    const { needs } = this.opening;
    const heads = [...this.heads, ...more];
    const doubt = await doubtIn(config, journal, heads, invocation.effects, this.hasData);
    ledger.doubt = doubt;
    if (doubt !== undefined) await recordDoubt(journal, doubt);
    // This must follow the recording of a doubt, because it rewrites the witness, which may be the only evidence.
    await begin(journal, config);
    if (doubt !== undefined && (needs === 'all' || (needs === 'erasures' && doubt.erase !== undefined)))
      throw doubt;
    return doubt;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await closeAll(this.open, this.invocation.terminal);
  }
}

async function closeAll(open: Open, terminal: Invocation['terminal']): Promise<void> {
  for (const [what, close] of open.toReversed()) await release(what, close, terminal);
}

async function recordDoubt(journal: Journal, { why, erase, of }: Doubt): Promise<void> {
  const last = journal.of(RUN).findLast(({ event }) => event === 'unsure' || event === 'confirmed');
  const isKnown = erasuresIn(erase).every((name) => journal.lackedErasures.includes(name));
  if (last?.event !== 'unsure' || last.why !== why || !isKnown)
    await journal.append(RUN, { event: 'unsure', why, erase, of });
}

// One project per folder: two projects would share days, exports and budget.

function projectIn(journal: Journal): string | undefined {
  return journal.of(PROJECT).find(({ projectId }) => projectId !== undefined)?.projectId;
}

/**
 * Throws OtherProjectError if the folder, or the `ledger_copy` of a new folder, belongs to another project. The error names both projects.
 */
export function assertSameProject(journal: Journal, { dataDir, ledgerCopy, projectId }: Config): void {
  const own = projectIn(journal);
  if (projectId === undefined || own === undefined || own === projectId) return;
  const copy = existsSync(journal.path) ? undefined : ledgerCopy;
  throw new OtherProjectError(
    `${copy ?? dataDir} has the data of project ${own}, but the settings name project ${projectId}.`,
    {
      hint: `Correct project_id, or give this project a ${copy === undefined ? 'data_dir' : 'ledger_copy'} of its own.`,
    },
  );
}

/** Once the journal has its first line, a missing witness means that the folder may have been restored. */
async function begin(journal: Journal, { dataDir, projectId }: Config): Promise<void> {
  const isNew = journal.of(PROJECT).length === 0;
  if (isNew || (projectIn(journal) === undefined && projectId !== undefined)) {
    // A journal restarted after a loss keeps the folder's id.
    const earlier = journal.folder ?? (await readWitness(dataDir))?.folder ?? '';
    const folder = earlier === '' ? randomUUID() : earlier;
    await journal.append(PROJECT, { event: 'made', folder, projectId });
  }
  // A killed process may have written the first line but no witness.
  if (journal.head.seq === 1) await journal.witness();
}

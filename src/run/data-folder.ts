/**
 * The one door to the data folder for commands that change it: the lock, the project, the journal, and the answer to the
 * question whether the journal forgot something.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../config.js';
import { ConfigError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { doubtIn, type Doubt, type KnownHead } from '../journal/doubt.js';
import { Journal } from '../journal/journal.js';
import type { Line } from '../journal/lines.js';
import { LandingZone } from '../storage/landing-zone.js';
import { dataFiles, MANIFEST, type DataFiles } from '../storage/paths.js';
import type { LandedPull } from '../storage/pull.js';
import { RunLock } from '../storage/run-lock.js';
import { knownBy } from '../warehouse/remembered-exports.js';

/** The settings that the data folder needs. */
export type FolderConfig = Pick<Config, 'dataDir' | 'ledgerCopy' | 'projectId' | 'baseUrl'>;

export interface DataFolder {
  readonly dataDir: string;
  readonly files: DataFiles;
  readonly lock: RunLock;
  readonly journal: Journal;
  readonly landing: LandingZone;
  /** The number of the last migration of the published file; 0 if there is none. */
  readonly publishedSchema: number;
  /**
   * Compares the journal with the heads that the published file and the newest pull of each stream carry, and records a
   * doubt. `more` are heads of other files.
   */
  doubt(more?: readonly KnownHead[]): Promise<Doubt | undefined>;
}

/**
 * Does the work under the lock of the data folder, which must belong to the project.
 *
 * @throws TryLaterError when another run holds the lock
 * @throws ConfigError when the data folder holds another project
 * @throws DamageError, StorageError when the data folder cannot be used
 */
export async function withDataFolder<T>(
  config: FolderConfig,
  { effects, terminal }: Invocation,
  command: string,
  work: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  const { dataDir } = config;
  const files = dataFiles(dataDir);
  const lock = await RunLock.take(dataDir, `dawnload ${command}`, effects);
  try {
    assertSameProject(await Journal.read(config, effects), config);
    const journal = await Journal.open(config, effects);
    try {
      const landing = await LandingZone.open(dataDir, effects, () => journal.head);
      const holds = landing.found.length > 0 || existsSync(files.published);
      const newest = headsOf(
        await landing.newest(undefined, ({ message, hint = '' }) => {
          terminal.warn(`${message} ${hint}`);
        }),
      );
      const before = addressBefore(journal, config);
      if (before !== undefined) {
        terminal.warn(
          `Project ${config.projectId ?? ''} was pulled from ${before} before and is pulled from ${config.baseUrl ?? ''} now. If this is not intended, correct base_url.`,
        );
      }
      const { head, schema } = await knownBy(files.published);
      const doubt = async (more: readonly KnownHead[] = []): Promise<Doubt | undefined> => {
        const found = await doubtIn(dataDir, journal, [...head, ...newest, ...more], holds);
        await begin(journal, config);
        const last = journal.of('run').findLast(({ event }) => event === 'unsure' || event === 'confirmed');
        if (found !== undefined && last?.event !== 'unsure')
          await journal.append('run', { event: 'unsure', why: found.why });
        return found;
      };
      return await work({ dataDir, files, lock, journal, landing, publishedSchema: schema, doubt });
    } finally {
      await journal.close();
    }
  } finally {
    await lock.release();
  }
}

/** The heads that manifests carry, each once. */
export function headsOf(pulls: readonly LandedPull[]): KnownHead[] {
  const heads = pulls.map(({ id, head }) => ({ ...head, place: `landing/${id}/${MANIFEST}` }));
  return [...new Map(heads.map((head) => [`${head.seq} ${head.sum}`, head])).values()];
}

// The project that a data folder belongs to, and the addresses that it was pulled from. Two projects must not share a
// folder, where days, exports and budget of one would count as those of the other.

type Settings = Pick<Config, 'dataDir' | 'projectId' | 'baseUrl'>;

function projectIn(journal: Journal): { projectId: string | undefined; addresses: readonly string[] } {
  const lines: readonly Line<'project'>[] = journal.of('project');
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

async function begin(journal: Journal, { projectId }: Settings): Promise<void> {
  if (journal.of('project').length === 0) await journal.append('project', { event: 'made', projectId });
}

/** The last address that the project was pulled from, if it was never pulled from the one in the settings. */
function addressBefore(journal: Journal, { baseUrl }: Settings): string | undefined {
  const { addresses } = projectIn(journal);
  return baseUrl === undefined || addresses.includes(baseUrl) ? undefined : addresses.at(-1);
}

/** Records the address in the settings, once it has issued a token: data never comes from a mistyped one. */
export async function rememberAddress(journal: Journal, { projectId, baseUrl }: Settings): Promise<void> {
  const { addresses } = projectIn(journal);
  if (projectId === undefined || baseUrl === undefined || addresses.includes(baseUrl)) return;
  await journal.append('project', { event: 'address', projectId, baseUrl });
}

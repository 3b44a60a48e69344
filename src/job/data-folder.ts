/**
 * The one door to the data folder for commands that change it: the lock, the project, the journal, and the answer to the
 * question whether the journal forgot something.
 */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { requireSettings, type Config } from '../config/config.js';
import { ConfigError } from '../ground/errors.js';
import { ERASE, mayBeCut } from '../erasure/register.js';
import { Ledger } from '../exports/ledger.js';
import type { Invocation } from '../config/invocation.js';
import {
  doubtIn,
  type Doubt,
  type KnownHead,
  erasuresIn,
  Journal,
  happened,
  Kind,
  RUN,
} from '../journal/journal.js';
import { LandingZone, type LandedPull } from '../landing/landing-zone.js';
import { dataFiles, MANIFEST, type DataFiles } from '../landing/paths.js';
import { RunLock } from '../landing/run-lock.js';
import { knownBy } from '../warehouse/reader.js';

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
 * @throws ConfigError when the data folder holds another project, or there is neither a data folder nor settings for one
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

// The project that a data folder belongs to. Two projects must not share a folder, where days, exports and budget of one
// would count as those of the other.

export const PROJECT = new Kind('project', happened.extend({ projectId: z.string().optional() }));

function projectIn(journal: Journal): string | undefined {
  return journal.of(PROJECT).find(({ projectId }) => projectId !== undefined)?.projectId;
}

/** Throws ConfigError when the folder, or `ledger_copy` of a new one, holds another project; the message names both. */
export function assertSameProject(journal: Journal, { dataDir, ledgerCopy, projectId }: Config): void {
  const held = projectIn(journal);
  if (projectId === undefined || held === undefined || held === projectId) return;
  const copy = existsSync(journal.path) ? undefined : ledgerCopy;
  throw new ConfigError(
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
async function begin(journal: Journal, { projectId }: Config): Promise<void> {
  const isNew = journal.of(PROJECT).length === 0;
  if (isNew || (projectIn(journal) === undefined && projectId !== undefined))
    await journal.append(PROJECT, { event: 'made', projectId });
  // A kill may have left the line without the witness.
  if (journal.head.seq === 1) await journal.witness();
}

/**
 * The one answer to the question whether the journal forgot something. Files that were written later than a line carry
 * its number and checksum: manifests of pulls, both warehouse files, and the witness in the private folder, which
 * backups leave out. A head that the journal does not hold shows that the journal was lost, cut, or is older.
 */
import { DamageError } from '../ground/errors.js';
import { erasuresIn, readWitness, type Journal } from './journal.js';
import type { Head } from './lines.js';

/** A head, and the file that carries it, in words. */
export interface KnownHead extends Head {
  readonly place: string;
}

/** The reason why the journal may lack lines. */
export interface Doubt {
  /** A sentence. */
  readonly why: string;
  /** The names of the erasures that are missing: then nothing is loaded, published or pushed. */
  readonly erase?: string | undefined;
  /** The highest number that another file knows. */
  readonly forgotten: number;
}

/** The highest number of a line up to which a person has agreed to what the journal lacks; 0 if nobody has. */
export function agreedUpTo(journal: Journal): number {
  const runs = journal.of('run');
  return Math.max(0, ...runs.map((line) => (line.event === 'confirmed' ? line.forgotten : 0)));
}

/**
 * Compares the journal with the heads that other files carry. Returns undefined if it holds them all, or a person has
 * confirmed what it lacks.
 */
export function assertNotForgotten(journal: Journal, heads: readonly KnownHead[]): Doubt | undefined {
  const runs = journal.of('run');
  const decided = runs.findLast(({ event }) => event === 'unsure' || event === 'confirmed');
  const agreed = agreedUpTo(journal);
  const missing = heads.filter((head) => !journal.holds(head));
  const unknown = missing.find(({ seq }) => seq > agreed);
  // A journal that holds the line of a head holds every erasure before it, and those that it lacked are in its doubts.
  const unerased = [
    ...missing.flatMap(({ erase, place }) => erasuresIn(erase).map((name) => ({ name, place }))),
    ...journal.lackedErasures.map((name) => ({ name, place: 'an earlier run' })),
  ].filter(({ name }) => !journal.holdsErasure(name));
  const why =
    journal.lacks ??
    (unknown && `The journal lacks line ${unknown.seq}, which ${unknown.place} knows.`) ??
    (unerased[0] && `The journal lacks an erasure, which ${unerased[0].place} knows.`) ??
    (decided?.event === 'unsure' ? decided.why : undefined);
  if (why === undefined) return undefined;
  const erase = [...new Set(unerased.map(({ name }) => name))].join(' ');
  return { why, erase: erase === '' ? undefined : erase, forgotten: lastOf(journal, heads) };
}

function lastOf(journal: Journal, heads: readonly KnownHead[]): number {
  return Math.max(journal.head.seq, ...heads.map(({ seq }) => seq));
}

/**
 * Compares the journal of a data folder with the witness and the given heads. A folder that holds anything and has no
 * witness was restored from a backup, which leaves `private/` out.
 *
 * @param holds true if the folder held landed data or a published file before this process
 * @throws StorageError
 */
export async function doubtIn(
  dataDir: string,
  journal: Journal,
  heads: readonly KnownHead[],
  holds = false,
): Promise<Doubt | undefined> {
  const witness = await readWitness(dataDir);
  const known = witness === undefined ? heads : [...heads, { ...witness, place: 'private/witness.json' }];
  const found = assertNotForgotten(journal, known);
  const isNew = journal.head.seq <= 1 && !holds && heads.length === 0;
  if (found !== undefined || witness !== undefined || isNew) return found;
  const why = 'The data folder was restored from a backup: private/witness.json is missing.';
  return { why, forgotten: lastOf(journal, heads) };
}

/** The error with which paid requests and pushes are refused while the journal may lack lines. */
export function forgottenError({ why, erase }: Doubt): DamageError {
  return erase !== undefined
    ? new DamageError(`${why} Erased persons could come back, so nothing is loaded, published or pushed.`, {
        hint: 'Restore data/ledger from its newest backup, or run `dawnload recover`, which enters the erasures that the private warehouse holds.',
      })
    : new DamageError(`${why} No paid request and no push is sent, since it could be the second one.`, {
        hint: 'Run `dawnload recover`: it shows what other files know, and enters it.',
      });
}

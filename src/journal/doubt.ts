/**
 * Decides whether the journal lacks lines. Other files store the number and checksum of one of its lines, and the witness reveals a
 * restored or copied folder.
 */
import type { Effects } from '../ground/effects.js';
import { DamageError } from '../ground/errors.js';
import type { Head } from '../landing/landing-zone.js';
import { erasuresIn, RUN, type Journal, type JournalPlace } from './journal.js';
import { isCopied, readWitness } from './witness.js';

export interface KnownHead extends Head {
  readonly place: string;
}

export class Doubt extends DamageError {
  /**
   * @param why a sentence
   * @param newest the highest line number that another file stores
   * @param erase the names of missing erasures; while there are any, nothing is loaded, published or pushed
   */
  constructor(
    readonly why: string,
    readonly newest: number,
    readonly erase?: string,
    /** `pushed` if only rows in `ledger/pushed/` are missing and the journal is complete. */
    readonly of?: 'pushed',
  ) {
    const [refused, hint] =
      erase === undefined
        ? [
            'Paid requests and pushes are blocked to prevent duplicates.',
            'Run `dawnload recover`. It shows what the journal lacks and restores it after you agree.',
          ]
        : [
            'Erased persons could come back, so nothing is loaded, published or pushed.',
            'Restore data/ledger from its newest backup, or run `dawnload recover`, which enters the erasures that the private warehouse lists.',
          ];
    super(`${why} ${refused}`, { hint });
  }
}

/**
 * Compares the journal with the heads in other files. Returns undefined if no line is missing, or if you have confirmed the loss, and
 * `other` gives no reason for doubt.
 */
export function doubtFrom(journal: Journal, heads: readonly KnownHead[], other?: string): Doubt | undefined {
  const decided = journal.of(RUN).findLast(({ event }) => event === 'unsure' || event === 'confirmed');
  const unsure = decided?.event === 'unsure' ? decided : undefined;
  const agreed = journal.of(RUN).flatMap((line) => (line.event === 'confirmed' ? [line.forgotten] : []));
  const missing = heads.filter((head) => !journal.holds(head));
  // No line has the number 0, so a head with that number proves nothing.
  const unknown = missing.find(({ seq }) => seq > Math.max(-1, ...agreed));
  // A journal with the line of a head also has every erasure before that line; erasures that it lacked are recorded in its doubts.
  const unerased = [
    ...missing.flatMap(({ erase, place }) => erasuresIn(erase).map((name) => ({ name, place }))),
    ...journal.lackedErasures.map((name) => ({ name, place: 'an earlier run' })),
  ].filter(({ name }) => !journal.erasures.includes(name));
  const why =
    journal.lacks ??
    (unknown && `The journal lacks line ${unknown.seq}, although ${unknown.place} was written after it.`) ??
    (unerased[0] && `The journal lacks an erasure that ${unerased[0].place} has.`) ??
    other ??
    // An earlier doubt stays until you agree, even if its evidence has disappeared.
    unsure?.why;
  const erase = [...new Set(unerased.map(({ name }) => name))].join(' ') || undefined;
  const newest = Math.max(journal.head.seq, ...heads.map(({ seq }) => seq));
  return why === undefined
    ? undefined
    : new Doubt(why, newest, erase, why === unsure?.why ? unsure.of : undefined);
}

/**
 * Compares the journal of a data folder with the witness and the given heads.
 *
 * @param hasData true if the folder had landed data or a published file before this process started
 * @throws StorageError
 */
export async function doubtIn(
  { dataDir, witness: how }: JournalPlace,
  journal: Journal,
  heads: readonly KnownHead[],
  effects: Pick<Effects, 'identify'>,
  hasData = false,
): Promise<Doubt | undefined> {
  const witness = await readWitness(dataDir);
  if (witness === undefined) {
    const isNew = journal.head.seq <= 1 && !hasData && heads.length === 0;
    const missing =
      'private/witness.json is missing, so the data folder may have been restored from a backup.';
    return doubtFrom(journal, heads, isNew ? undefined : missing);
  }
  const copied =
    how !== 'head' && (await isCopied(witness, dataDir, effects))
      ? 'private/witness.json is a copy, so the data folder was copied or restored.'
      : undefined;
  return doubtFrom(journal, [...heads, { ...witness, place: 'private/witness.json' }], copied);
}

/**
 * Finds paid exports that the journal lacks, but another part of the data folder has: the second copy, a warehouse file, or a folder in the
 * landing zone.
 */
import { join } from 'node:path';
import type { Day } from '../ground/calendar.js';
import type { Journal } from '../journal/journal.js';
import { foldersOf, idOf, readingOf } from '../landing/paths.js';
import { readPull } from '../landing/landing-zone.js';
import { namesIn, unlessDamaged } from '../landing/storage-error.js';
import type { ExportRow } from '../warehouse/reader.js';
import { blocksRuns, EXPORT, exportsOf, isState, partsOf, type Export } from './export.js';
import { type Place, type Untracked } from './ledger.js';

/**
 * Returns the exports that were or may have been billed and that the ledger lacks, or lists as not billed or without the id.
 *
 * @param rows the exports that the warehouse files list
 * @throws StorageError
 */
export async function untrackedIn(
  dataDir: string,
  journal: Journal,
  rows: Readonly<Partial<Record<Place, readonly ExportRow[]>>>,
): Promise<Untracked[]> {
  const book = exportsOf(journal.of(EXPORT));
  const ofRows = (place: Place): Untracked[] => (rows[place] ?? []).flatMap((row) => ofRow(row, place));
  const all = [
    ...otherJournal(journal),
    ...ofRows('private warehouse'),
    ...ofRows('published warehouse'),
    ...(await foldersOnDisk(dataDir)),
  ];
  const untracked = new Map<string, Untracked>();
  for (const one of all) {
    if (!blocksRuns(one.state) || isTracked(one, book.get(one.key))) continue;
    const earlier = untracked.get(one.key);
    // The first place has priority; a later one may supply an id that the first one lacks.
    untracked.set(
      one.key,
      earlier === undefined ? one : { ...earlier, exportId: earlier.exportId ?? one.exportId },
    );
  }
  return [...untracked.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** True if the ledger's entry is billed and has the id, or the other file's answer is now listed as a refusal. */
function isTracked({ state, exportId }: Untracked, entry: Export | undefined): boolean {
  if (entry === undefined) return false;
  if (entry.state === 'ambiguous' && exportId !== undefined) return state === 'abandoned';
  return blocksRuns(entry.state) || (state === 'ambiguous' && entry.answer !== undefined);
}

function otherJournal({ others }: Journal): Untracked[] {
  const lines = others.flatMap((line) => EXPORT.shape.safeParse(line).data ?? []);
  return [...exportsOf(lines).values()].map((entry) => ({ ...entry, knownBy: 'second copy' }));
}

function ofRow(row: ExportRow, knownBy: Place): Untracked[] {
  const { key, state } = row;
  return isState(state) && partsOf(key) !== undefined ? [{ ...row, state, knownBy }] : [];
}

async function foldersOnDisk(dataDir: string): Promise<Untracked[]> {
  const { landing } = foldersOf(dataDir);
  const events = join(landing, 'events');
  const days = await namesIn(events);
  const keys = (await Promise.all(days.map((day) => namesIn(join(events, day))))).flat();
  const exportIn = async (key: string): Promise<Untracked[]> => {
    // Only folders with the name of an export are read; file managers leave files of their own in every folder.
    const day: Day | undefined = partsOf(key)?.day;
    if (day === undefined) return [];
    const names = await namesIn(join(events, day, key));
    const read = names.map((name) => unlessDamaged(readPull(landing, join('events', day, key, name))));
    // A complete reading proves its id; the name of a folder may have only the hash of a long one.
    const whole = (await Promise.all(read)).findLast((pull) => pull !== undefined);
    const named = names.map((name) => idOf(readingOf(name).encoded)).find((id) => id !== undefined);
    const rest = { state: 'requested', messageData: true, knownBy: 'landing zone' } as const;
    return [{ key, day, exportId: whole?.facts.exportId ?? named, ...rest }];
  };
  return (await Promise.all(keys.map(exportIn))).flat();
}

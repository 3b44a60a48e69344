/**
 * Finds paid exports that are missing from the journal but recorded elsewhere: in the second copy, a warehouse file, or the name of a
 * landed folder.
 */
import { join } from 'node:path';
import type { Day } from '../ground/calendar.js';
import type { Journal } from '../journal/journal.js';
import { foldersOf, idOf, readingOf } from '../disk/paths.js';
import { readPull } from '../landing/landing-zone.js';
import { namesIn, unlessDamaged } from '../disk/storage-error.js';
import type { ExportRow } from '../warehouse/reader.js';
import { blocksRuns, EXPORT, exportsOf, isState, partsOf, type Export } from './export.js';
import { type Place, type Untracked } from './ledger.js';

/**
 * Returns exports that are or may be billed, but that the ledger lacks, lists as not billed, or lists without an id.
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
    // The first place found counts. A later one may supply an id that it lacks.
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
    // Only folders named like an export are read, because file managers add files of their own.
    const day: Day | undefined = partsOf(key)?.day;
    if (day === undefined) return [];
    const names = await namesIn(join(events, day, key));
    const read = names.map((name) => unlessDamaged(readPull(landing, join('events', day, key, name))));
    // The manifest of a complete reading has the full id; a folder's name may have only the hash of a long id.
    const whole = (await Promise.all(read)).findLast((pull) => pull !== undefined);
    const named = names.map((name) => idOf(readingOf(name).encoded)).find((id) => id !== undefined);
    const rest = { state: 'requested', messageData: true, knownBy: 'landing zone' } as const;
    return [{ key, day, exportId: whole?.facts.exportId ?? named, ...rest }];
  };
  return (await Promise.all(keys.map(exportIn))).flat();
}

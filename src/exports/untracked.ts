/**
 * Paid exports that the ledger does not know, though something else in the data folder does: the second copy of the
 * ledger, pages in the landing zone, the journal of runs, or a warehouse. The ledger was lost or restored from an older backup, and relying on it
 * would pay twice. No paid request is sent until a person has confirmed them (`exports recover`).
 */
import { join } from 'node:path';
import { z } from 'zod';
import { windowOf, type Day, type Window } from '../calendar.js';
import { DamageError } from '../errors.js';
import { RunJournal } from '../run/journal.js';
import { partsOf } from './entry.js';
import { blocksRuns, EXPORT_STATES, type ExportState } from './state.js';
import { LedgerView } from './ledger-view.js';
import { foldersOf } from '../storage/paths.js';
import { namesIn } from '../storage/landed-pulls.js';
import { idOf } from '../storage/safe-name.js';

/** What else may hold an export, the most reliable source first. */
export const SOURCES = [
  'second copy',
  'private warehouse',
  'published warehouse',
  'landing zone',
  'run journal',
] as const;
export type Source = (typeof SOURCES)[number];

export interface Untracked {
  readonly key: string;
  readonly day: Day;
  readonly window: Window;
  readonly state: ExportState;
  /** The id that the service gave (E20), where it is known. */
  readonly exportId: string | undefined;
  readonly messageData: boolean;
  readonly records: number | undefined;
  readonly pages: number | undefined;
  readonly estimate: number | undefined;
  readonly pricePerRecord: number | undefined;
  readonly knownBy: Source;
}

/** What an entry of the ledger and a row of `ops.exports` both tell. */
type Known = Partial<Untracked> & Pick<Untracked, 'key' | 'day' | 'window' | 'state' | 'messageData'>;

/** A row of `ops.exports`, of a warehouse that was made from an earlier ledger. */
export interface RememberedExport {
  readonly key: string;
  readonly windowStart: Date;
  readonly windowEnd: Date;
  readonly state: string;
  readonly exportId: string | undefined;
  readonly messageData: boolean;
  readonly records: number | undefined;
  readonly pages: number | undefined;
  readonly estimatedRecords: number | undefined;
  readonly pricePerRecord: number | undefined;
}

export type Remembered = Readonly<Partial<Record<Source, readonly RememberedExport[]>>>;

/** Gives the exports that warehouses hold but those with these keys. */
export type Recall = (tracked: readonly string[]) => Promise<Remembered>;

/** The exports that the ledger lacks, or holds as not billed, and that were billed or may have been. */
export async function untrackedIn(dataDir: string, ledger: LedgerView, recall: Recall): Promise<Untracked[]> {
  const tracked = new Set(ledger.entries().flatMap(({ key, state }) => (blocksRuns(state) ? [key] : [])));
  const isTracked = (key: string): boolean => tracked.has(key);
  const remembered = await recall([...tracked]);
  const lost = ledger.lost.length === 0 ? [] : new LedgerView([...ledger.bodies, ...ledger.lost]).entries();
  const found = [
    ...lost.map((entry) => ofEntry(entry, 'second copy')),
    ...SOURCES.flatMap((knownBy) => (remembered[knownBy] ?? []).flatMap((row) => ofRow(row, knownBy) ?? [])),
    ...(await pagesOnDisk(dataDir, isTracked)),
    ...(await inJournal(dataDir)),
  ];
  const untracked = new Map<string, Untracked>();
  for (const one of found) {
    if (!blocksRuns(one.state) || isTracked(one.key)) continue;
    const earlier = untracked.get(one.key);
    // The first source counts; a later one may know the id that it lacks.
    untracked.set(
      one.key,
      earlier === undefined ? one : { ...earlier, exportId: earlier.exportId ?? one.exportId },
    );
  }
  return [...untracked.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Why no paid request may be sent; `undefined` when the ledger is complete. */
export function ledgerInDoubt(untracked: readonly Untracked[], lostLines: number): DamageError | undefined {
  if (untracked.length === 0 && lostLines === 0) return undefined;
  const names = untracked.map(({ key }) => key);
  const shown =
    names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
  const what =
    names.length === 0
      ? `The ledger lacks ${lostLines} lines that were written.`
      : `The ledger lacks paid exports that other files of the data folder hold: ${shown}.`;
  return new DamageError(`${what} It was lost or is an older copy, so no paid request is sent.`, {
    hint: 'Restore data/ledger from a backup, or run `dawnload exports recover` to show and enter what is known.',
  });
}

function ofEntry(
  { key, day, window, state, exportId, messageData, ...rest }: Known,
  knownBy: Source,
): Untracked {
  const { records, pages, estimate, pricePerRecord } = rest;
  return {
    key,
    day,
    window,
    state,
    exportId,
    messageData,
    records,
    pages,
    estimate,
    pricePerRecord,
    knownBy,
  };
}

function ofRow(row: RememberedExport, knownBy: Source): Untracked | undefined {
  const day = partsOf(row.key)?.day;
  const state = EXPORT_STATES.find((known) => known === row.state);
  if (day === undefined || state === undefined) return undefined;
  const window = { start: row.windowStart, end: row.windowEnd };
  return ofEntry({ ...row, day, state, window, estimate: row.estimatedRecords }, knownBy);
}

/**
 * The exports with a folder below `landing/events` that are not tracked. The folders of tracked ones, those of years, are not
 * opened. Throws `StorageError`.
 */
async function pagesOnDisk(dataDir: string, isTracked: (key: string) => boolean): Promise<Untracked[]> {
  const events = join(foldersOf(dataDir).landing, 'events');
  const exportsOf = async (folder: string): Promise<Untracked[]> => {
    const keys = (await namesIn(join(events, folder))).filter((key) => !isTracked(key));
    const found = await Promise.all(keys.map((key) => exportIn(join(events, folder, key), key)));
    return found.flatMap((one) => one ?? []);
  };
  return (await Promise.all((await namesIn(events)).map(exportsOf))).flat();
}

async function exportIn(folder: string, key: string): Promise<Untracked | undefined> {
  // Only what looks like an export: a desktop leaves files of its own in every folder.
  const day = partsOf(key)?.day;
  if (day === undefined) return undefined;
  const [name = '.'] = await namesIn(folder);
  return requestedExport(key, day, 'landing zone', idOf(name));
}

const summaryOfRun = z.object({
  exports: z.array(z.object({ key: z.string(), records: z.number().nullable() })),
});

/** The exports that earlier runs requested or resumed. Throws `StorageError`. */
async function inJournal(dataDir: string): Promise<Untracked[]> {
  const runs = await new RunJournal(dataDir).runs();
  return runs.flatMap(({ over }) => {
    const { data } = summaryOfRun.safeParse(over?.summary);
    return (data?.exports ?? []).flatMap(({ key, records }) => {
      const day = partsOf(key)?.day;
      if (day === undefined) return [];
      // What it held counts against the budget until it has landed again.
      return [{ ...requestedExport(key, day, 'run journal'), estimate: records ?? undefined }];
    });
  });
}

function requestedExport(key: string, day: Day, knownBy: Source, exportId?: string): Untracked {
  return {
    key,
    day,
    window: windowOf(day),
    state: 'requested',
    exportId,
    messageData: true,
    records: undefined,
    pages: undefined,
    estimate: undefined,
    pricePerRecord: undefined,
    knownBy,
  };
}

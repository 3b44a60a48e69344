/**
 * Finds paid exports that the ledger lacks although another part of the data folder records them: the second copy of the
 * ledger, pages in the landing zone, the journal of runs, or a warehouse. In that case the ledger was lost or restored
 * from an older backup, and relying on it would pay twice. No paid request is sent until the user has confirmed the
 * exports (`exports recover`).
 */
import { join } from 'node:path';
import { z } from 'zod';
import { windowOf, type Day, formatKst, listDays } from '../calendar.js';
import { DamageError } from '../errors.js';
import { RunJournal, type PastRun } from '../storage/run-journal.js';
import { partsOf, blocksRuns, EXPORT_STATES, type ExportState, LedgerView } from './export.js';
import { foldersOf, idOf, dataFiles } from '../storage/paths.js';
import { namesIn, newestLanded } from '../storage/landed-pulls.js';
import { existsSync } from 'node:fs';
import type { Effects } from '../effects.js';
import type { ExportRow } from '../warehouse/rows.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { readIfThere } from '../storage/storage-error.js';

/** The sources that may record an export, the most reliable one first. */
const SOURCES = [
  'second copy',
  'private warehouse',
  'published warehouse',
  'landing zone',
  'run journal',
] as const;
type Source = (typeof SOURCES)[number];

export interface Untracked extends ExportRow {
  readonly state: ExportState;
  readonly knownBy: Source;
}

type Remembered = Readonly<Partial<Record<Source, readonly ExportRow[]>>>;

/** Returns the exports recorded in warehouses, except those with the given keys. */
export type Recall = (tracked: readonly string[]) => Promise<Remembered>;

/** The exports that were billed or may have been billed, and that the ledger lacks or holds as not billed. */
export async function untrackedIn(dataDir: string, ledger: LedgerView, recall: Recall): Promise<Untracked[]> {
  const tracked = new Set(ledger.entries().flatMap(({ key, state }) => (blocksRuns(state) ? [key] : [])));
  const isTracked = (key: string): boolean => tracked.has(key);
  const remembered = await recall([...tracked]);
  const lost = ledger.lost.length === 0 ? [] : new LedgerView([...ledger.bodies, ...ledger.lost]).entries();
  const found = [
    ...lost.map((entry): Untracked => ({ ...entry, knownBy: 'second copy' })),
    ...SOURCES.flatMap((knownBy) => (remembered[knownBy] ?? []).flatMap((row) => ofRow(row, knownBy))),
    ...(await pagesOnDisk(dataDir, isTracked)),
    ...(await inJournal(dataDir)),
  ];
  const untracked = new Map<string, Untracked>();
  for (const one of found) {
    if (!blocksRuns(one.state) || isTracked(one.key) || isJudgedSince(one, ledger)) continue;
    const earlier = untracked.get(one.key);
    // The first source has priority; a later one may supply an id that the first one lacks.
    untracked.set(
      one.key,
      earlier === undefined ? one : { ...earlier, exportId: earlier.exportId ?? one.exportId },
    );
  }
  return [...untracked.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** True if a person has judged the answer to a request that another file still holds as ambiguous. */
function isJudgedSince({ key, state }: Untracked, ledger: LedgerView): boolean {
  return state === 'ambiguous' && ledger.find(key)?.answer !== undefined;
}

/** The reason why no paid request may be sent; `undefined` if the ledger is complete. */
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

function ofRow(row: ExportRow, knownBy: Source): Untracked[] {
  const state = EXPORT_STATES.find((known) => known === row.state);
  return state === undefined || partsOf(row.key) === undefined ? [] : [{ ...row, state, knownBy }];
}

/**
 * The untracked exports with a folder below `landing/events`. Folders of tracked exports are not opened, because there
 * may be years of them.
 *
 * @throws StorageError
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
  // Only folders with the name of an export are read; file managers leave files of their own in every folder.
  const day = partsOf(key)?.day;
  if (day === undefined) return undefined;
  const [name = '.'] = await namesIn(folder);
  return requestedExport(key, day, 'landing zone', idOf(name));
}

const summaryOfRun = z.object({
  exports: z.array(z.object({ key: z.string(), records: z.number().nullable() })),
});

/**
 * The exports that earlier runs requested or resumed.
 *
 * @throws StorageError
 */
async function inJournal(dataDir: string): Promise<Untracked[]> {
  const runs = await new RunJournal(dataDir).runs();
  return runs.flatMap(({ over }) => {
    const { data } = summaryOfRun.safeParse(over?.summary);
    return (data?.exports ?? []).flatMap(({ key, records }) => {
      const day = partsOf(key)?.day;
      if (day === undefined) return [];
      // The records of the export count against the budget until it has landed again.
      return [{ ...requestedExport(key, day, 'run journal'), estimate: records ?? undefined }];
    });
  });
}

function requestedExport(key: string, day: Day, knownBy: Source, exportId?: string): Untracked {
  return { key, day, window: windowOf(day), state: 'requested', exportId, messageData: true, knownBy };
}

// A data folder that was restored from a backup. Exports paid for after the backup left no trace in the folder, and a run
// would pay for those days again. The folder counts as restored until the user has confirmed it (`exports recover`).

export interface Restored {
  /** The latest instant recorded in the ledger or the whole folder; undefined if none is recorded. */
  readonly since: Date | undefined;
}

/**
 * Maximum time in milliseconds by which landed files may be newer than the last record in the ledger and the journal: a
 * short tolerance after the recorded end of a run, and many hours after the start of a killed run, which has no recorded
 * end and may have landed files in that time.
 */
const AFTER_END_MS = 10 * 60_000;
const AFTER_KILL_MS = 12 * 3_600_000;

/** The content of the mark file of a restored folder: confirmed by the user, or waiting for the confirmation. */
const markFile = z.object({
  since: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
  confirmed: z.boolean(),
});

/**
 * Checks whether the folder was restored: it has answers or exports but no private warehouse, or answers that landed
 * after the last run recorded in the ledger's folder.
 *
 * @throws StorageError
 */
export async function restoredIn(dataDir: string, ledger: LedgerView): Promise<Restored | undefined> {
  const mark = await readMark(dataDir);
  if (mark?.confirmed === false) return { since: mark.since };
  const runs = await new RunJournal(dataDir).runs();
  const landed = await newestLanded(foldersOf(dataDir).landing);
  const told = newest([...ledger.entries().map(({ updatedAt }) => updatedAt), ...runs.map(endOf)]);
  const latest = newest([told, landed]);
  if (latest === undefined || (mark?.since !== undefined && mark.since >= latest)) return undefined;
  if (!existsSync(dataFiles(dataDir).working)) return { since: latest };
  const last = runs.at(-1);
  const slack = last !== undefined && last.over === undefined ? AFTER_KILL_MS : AFTER_END_MS;
  const isBehind = landed !== undefined && landed.getTime() > (told?.getTime() ?? 0) + slack;
  return isBehind ? { since: told } : undefined;
}

/** The instant at which a run ended, by the clock that dates the landed files. */
function endOf({ begun, over }: PastRun): Date {
  if (over === undefined) return begun.startedAt;
  const skew = over.summary['clock_skew_ms'];
  return new Date(over.finishedAt.getTime() + (typeof skew === 'number' ? skew : 0));
}

/**
 * Performs the check of `restoredIn` for the holder of the lock and saves the result, because the next run finds a
 * private warehouse again.
 */
export async function noteRestored(
  dataDir: string,
  ledger: LedgerView,
  effects: Pick<Effects, 'reach'>,
): Promise<Restored | undefined> {
  const restored = await restoredIn(dataDir, ledger);
  if (restored !== undefined) await writeMark(dataDir, { ...restored, confirmed: false }, effects);
  return restored;
}

/** Records the user's confirmation that the folder's content is complete up to now. */
export async function confirmRestored(dataDir: string, ledger: LedgerView, effects: Effects): Promise<void> {
  const landed = await newestLanded(foldersOf(dataDir).landing);
  const since = newest([effects.now(), landed, ...ledger.entries().map(({ updatedAt }) => updatedAt)]);
  await writeMark(dataDir, { since, confirmed: true }, effects);
}

/**
 * Describes the situation and the remedy.
 *
 * @param days the days that no export covers
 */
export function adviceOnRestored({ since }: Restored, days: readonly Day[]): string {
  const after = since === undefined ? '' : ` after ${formatKst(since)}`;
  const perhaps = days.length === 0 ? '' : ` Paid since then, perhaps: ${listDays(days)}.`;
  return (
    `The data folder was restored from a backup, or its ledger is older than the data: what was paid${after} is not in it.${perhaps} ` +
    'No run pays until you have compared the bills of the service. Enter each export that they show: ' +
    '`dawnload exports attach DAY.1 EXPORT_ID`. Then let runs request the other days: `dawnload exports recover`.'
  );
}

function newest(instants: readonly (Date | undefined)[]): Date | undefined {
  const known = instants.flatMap((instant) => instant?.getTime() ?? []);
  return known.length === 0 ? undefined : new Date(Math.max(...known));
}

type Mark = z.infer<typeof markFile>;

/**
 * Reads the mark from the private folder, which backups exclude. An unreadable mark also requires the user's
 * confirmation.
 */
async function readMark(dataDir: string): Promise<Mark | undefined> {
  const bytes = await readIfThere(pathIn(dataDir));
  if (bytes === undefined) return undefined;
  try {
    return markFile.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return { confirmed: false };
  }
}

async function writeMark(dataDir: string, mark: Mark, effects: Pick<Effects, 'reach'>): Promise<void> {
  await new DurableFolder(dataDir, effects).write(pathIn(dataDir), JSON.stringify(mark), 'restored');
}

function pathIn(dataDir: string): string {
  return join(foldersOf(dataDir).private, 'restored.json');
}

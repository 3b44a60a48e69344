/**
 * A data folder that was restored from a backup. What was paid after the backup left no trace in it, and a run would pay for
 * those days again. The folder counts as restored until a person has confirmed it (`exports recover`).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { formatKst, listDays, type Day } from '../calendar.js';
import type { Effects } from '../effects.js';
import { RunJournal, type PastRun } from '../run/journal.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { dataFiles } from '../storage/data-files.js';
import { newestLanded } from '../storage/landed-pulls.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';
import type { LedgerView } from './ledger-view.js';

export interface Restored {
  /** The last instant that the ledger, or the whole folder, tells of; undefined where it tells of none. */
  readonly since: Date | undefined;
}

/**
 * A run lands nothing after its end, which the journal holds; one that was killed has none, and lands for so long at the
 * most. In milliseconds.
 */
const AFTER_END_MS = 10 * 60_000;
const AFTER_KILL_MS = 12 * 3_600_000;

/** What a person has confirmed, or what was found and waits to be. */
const markFile = z.object({
  since: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
  confirmed: z.boolean(),
});

/**
 * Whether the folder was restored: it has answers or exports but no private warehouse, or answers that landed after the last
 * run that the ledger's folder knows. Throws `StorageError`.
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

/** When a run ended, by the clock that dates what it landed. */
function endOf({ begun, over }: PastRun): Date {
  if (over === undefined) return begun.startedAt;
  const skew = over.summary['clock_skew_ms'];
  return new Date(over.finishedAt.getTime() + (typeof skew === 'number' ? skew : 0));
}

/** The same for the holder of the lock: notes it, since the next run finds a private warehouse again. */
export async function noteRestored(
  dataDir: string,
  ledger: LedgerView,
  effects: Pick<Effects, 'reach'>,
): Promise<Restored | undefined> {
  const restored = await restoredIn(dataDir, ledger);
  if (restored !== undefined) await writeMark(dataDir, { ...restored, confirmed: false }, effects);
  return restored;
}

/** A person's word: what the folder holds up to now is all that there is to know. */
export async function confirmRestored(dataDir: string, ledger: LedgerView, effects: Effects): Promise<void> {
  const landed = await newestLanded(foldersOf(dataDir).landing);
  const since = newest([effects.now(), landed, ...ledger.entries().map(({ updatedAt }) => updatedAt)]);
  await writeMark(dataDir, { since, confirmed: true }, effects);
}

/** What was found and what to do; @param days those that no export covers */
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

/** In the private folder, which no backup holds. One that cannot be read waits for a person, too. */
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

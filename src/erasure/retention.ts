/**
 * `retention`: how long events, their landed pages and opt-outs are kept. Events leave the file before it is published;
 * pages are removed after a file is published that holds what was computed from them.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { dayOf, isDay, shiftDay, type Day } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import type { Export } from '../exports/ledger.js';
import { type Journal, event, Kind } from '../journal/journal.js';
import { DurableFolder } from '../landing/atomic-file.js';
import { exportFolder, firstReading, foldersOf, rangeOf } from '../landing/paths.js';
import { namesIn, orStorageError } from '../landing/storage-error.js';
import { plural } from '../terminal/terminal.js';
import type { HeldDay, Warehouse } from '../warehouse/warehouse.js';
import type { Invocation } from '../config/invocation.js';

/** Landed pages of an export that retention removed. */
export const REMOVED = new Kind(
  'removed',
  z.object({ ...event('pages'), key: z.string(), exportId: z.string() }),
);

/** A folder of the landing zone that is due for removal, and the KST day of its content. */
export interface DueFolder {
  readonly path: string;
  readonly day: Day;
  /** The export that the pages belong to. */
  readonly of?: { readonly key: string; readonly exportId: string };
}

/**
 * Returns the landed folders to remove: pages of loaded exports whose events have left the file, snapshots of opt-outs
 * except the last one, and rejected answers, each after its time.
 *
 * @param left days of events that have left the file
 */
async function foldersDue(
  dataDir: string,
  { landing, reference }: Config['retention'],
  entries: readonly Export[],
  left: ReadonlySet<Day>,
  now: Date,
): Promise<DueFolder[]> {
  const root = foldersOf(dataDir).landing;
  const due: DueFolder[] = [];
  if (landing !== undefined) {
    const before = shiftDay(dayOf(now), -landing);
    for (const { day, key, exportId, state } of entries) {
      if (state !== 'loaded' || exportId === undefined || day >= before || !left.has(day)) continue;
      const folder = join('events', day, key);
      for (const id of (await namesIn(join(root, folder))).map((name) => join(folder, name)))
        if (firstReading(id) === exportFolder({ day, key, exportId }))
          due.push({ path: join(root, id), day, of: { key, exportId } });
    }
    for (const day of (await namesIn(join(root, 'rejected'))).filter(isDay))
      if (day < before) due.push({ path: join(root, 'rejected', day), day });
  }
  if (reference !== undefined) {
    const before = shiftDay(dayOf(now), -reference);
    const days = (await namesIn(join(root, 'opt_outs'))).filter((name) => rangeOf(name) !== undefined).sort();
    for (const name of days.slice(0, -1)) {
      const day = rangeOf(name)?.end ?? '';
      if (day < before) due.push({ path: join(root, 'opt_outs', name), day });
    }
  }
  return due;
}

/** A removal: `events`, `opt_outs` or `landing`, and the number of rows, or of folders of the landing zone. */
export interface Removed {
  readonly place: string;
  readonly days: number;
  readonly items: number;
}

/** The parts of the data folder that retention works with. */
interface Kept {
  readonly config: Pick<Config, 'dataDir' | 'retention'>;
  readonly ledger: { entries(): readonly Export[] };
  readonly warehouse: Warehouse;
  readonly report: { readonly removals: Removed[] };
  readonly invocation: Pick<Invocation, 'effects' | 'terminal'>;
}

/**
 * Removes old events and opt-outs from the file. Resolves with the landed folders to remove once the file is published.
 *
 * @param mayLeave returns the days that may leave the file, of those that are due
 */
export async function retain(
  { config, warehouse, ledger, report, invocation: { effects, terminal } }: Kept,
  mayLeave: (due: readonly HeldDay[]) => Promise<Day[]>,
): Promise<DueFolder[]> {
  const { dataDir, retention } = config;
  const now = effects.now();
  const today = dayOf(now);
  if (retention.events !== undefined) {
    const due = await warehouse.removable(shiftDay(today, -retention.events));
    const left = await warehouse.removeDays(await mayLeave(due), now);
    await noteDays('events', left);
  }
  if (retention.reference !== undefined) {
    const gone = await warehouse.removeClosedOptOuts(shiftDay(today, -retention.reference));
    await noteDays('opt_outs', gone);
  }
  const left = new Set(await warehouse.removedDays());
  const folders = await foldersDue(dataDir, retention, ledger.entries(), left, now);
  await noteDays('landing', folders);
  return folders;

  async function noteDays(place: string, of: readonly { readonly day: Day; readonly rows?: number }[]) {
    const days = [...new Set(of.map(({ day }) => day))].sort();
    const items = of.reduce((sum, { rows = 1 }) => sum + rows, 0);
    const [firstDay, lastDay] = [days[0], days.at(-1)];
    if (firstDay === undefined || lastDay === undefined) return;
    const removal = { place, days: days.length, items };
    await warehouse.note({ retention: { removedAt: now, firstDay, lastDay, ...removal } });
    report.removals.push(removal);
    const sentence = `Removed by retention, ${place}: ${plural(days.length, 'day')}, ${firstDay} to ${lastDay}.`;
    terminal.note(sentence, { event: 'removed', ...removal });
  }
}

/** Removes landed folders. The journal notes the pages of an export first, so that they are not taken for lost. */
export async function removeFolders(
  folders: readonly DueFolder[],
  dataDir: string,
  journal: Journal,
  effects: Effects,
): Promise<void> {
  const disk = new DurableFolder(dataDir, effects);
  for (const { path, of } of folders) {
    if (of !== undefined) await journal.append(REMOVED, { event: 'pages', ...of });
    await orStorageError('remove', path, () => rm(path, { recursive: true, force: true }));
    effects.reach('retention/removed');
    await disk.syncFolder(dirname(path));
  }
}

/** The loaded exports whose pages were removed by retention. */
export function removedExports(journal: Journal, entries: readonly Export[]): Export[] {
  return entries.filter((entry) => entry.state === 'loaded' && wereRemoved(journal, entry));
}

/** True if the pages of a landed export were removed by retention. */
export function wereRemoved(journal: Journal, { key, exportId }: Pick<Export, 'key' | 'exportId'>): boolean {
  return journal.of(REMOVED).some((line) => line.key === key && line.exportId === exportId);
}

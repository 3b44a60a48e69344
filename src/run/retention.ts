/**
 * `retention`: how long events, their landed pages and opt-outs are kept. Events leave the file before it is published;
 * pages are removed after a file is published that holds what was computed from them.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayOf, isDay, shiftDay, type Day } from '../calendar.js';
import type { Config } from '../config.js';
import type { Export } from '../exports/export.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { namesIn } from '../storage/landed-pulls.js';
import { exportFolder, foldersOf } from '../storage/paths.js';
import { orStorageError } from '../storage/storage-error.js';
import { plural } from '../terminal/terminal.js';
import type { LocalContext } from './context.js';

type Retention = Config['retention'];

/** File in an export's folder that marks its pages as removed by retention, not missing. */
const REMOVED = 'removed.json';

/** A folder of the landing zone that is due for removal, and the KST day of its content. */
interface DueFolder {
  readonly path: string;
  readonly day: Day;
}

/**
 * Returns the landed folders to remove: pages of loaded exports whose events have left the file, snapshots of opt-outs
 * except the last one, and rejected answers, each after its time.
 *
 * @param left days of events that have left the file
 */
export async function foldersDue(
  dataDir: string,
  { landing, reference }: Retention,
  {
    entries,
    left,
    now,
  }: { readonly entries: readonly Export[]; readonly left: ReadonlySet<Day>; readonly now: Date },
): Promise<DueFolder[]> {
  const root = foldersOf(dataDir).landing;
  const due: DueFolder[] = [];
  if (landing !== undefined) {
    const before = shiftDay(dayOf(now), -landing);
    for (const { day, key, exportId, state } of entries) {
      if (state !== 'loaded' || exportId === undefined || day >= before || !left.has(day)) continue;
      const path = join(root, exportFolder({ day, key, exportId }));
      if ((await namesIn(path)).some((name) => name !== REMOVED)) due.push({ path, day });
    }
    for (const day of (await namesIn(join(root, 'rejected'))).filter(isDay))
      if (day < before) due.push({ path: join(root, 'rejected', day), day });
  }
  if (reference !== undefined) {
    const before = shiftDay(dayOf(now), -reference);
    const days = (await namesIn(join(root, 'opt_outs'))).filter(isDay).sort();
    for (const day of days.slice(0, -1))
      if (day < before) due.push({ path: join(root, 'opt_outs', day), day });
  }
  return due;
}

/**
 * Removes old events and opt-outs from the file, and determines the landed folders to remove. Resolves with a function
 * that removes the folders; call it once the file is published.
 */
export async function retain(
  { warehouse, ledger, effects, terminal, dataDir, report }: LocalContext,
  retention: Retention,
): Promise<() => Promise<void>> {
  const now = effects.now();
  const today = dayOf(now);
  if (retention.events !== undefined) {
    const old = await warehouse.archivable(shiftDay(today, -retention.events));
    const left = await warehouse.archive(
      old.map(({ day }) => day),
      'retention',
      now,
    );
    const rows = left.reduce((sum, day) => sum + day.rows, 0);
    await noteDays(
      left.map(({ day }) => day),
      'events',
      rows,
    );
  }
  if (retention.reference !== undefined) {
    const gone = await warehouse.removeClosedOptOuts(shiftDay(today, -retention.reference));
    if (gone !== undefined) await noteDays(gone.days, 'opt_outs', gone.items);
  }
  const left = new Set(await warehouse.leftDays());
  const folders = await foldersDue(dataDir, retention, { entries: ledger.entries(), left, now });
  await noteDays(
    folders.map(({ day }) => day),
    'landing',
    folders.length,
  );
  return () => removeFolders(dataDir, folders, effects);

  async function noteDays(days: readonly Day[], place: string, items: number): Promise<void> {
    const [first] = [...days].sort();
    if (first === undefined) return;
    const last = days.reduce((latest, day) => (day > latest ? day : latest), first);
    const different = new Set(days).size;
    await warehouse.noteRetention({
      removedAt: now,
      place,
      firstDay: first,
      lastDay: last,
      days: different,
      items,
    });
    report.removed({ place, days: different, items });
    terminal.note(`Removed by retention, ${place}: ${plural(different, 'day')}, ${first} to ${last}.`, {
      event: 'removed',
      place,
      days: different,
      items,
    });
  }
}

/** Removes landed folders; an export's folder keeps a note, so that its pages are not taken for lost. */
async function removeFolders(
  dataDir: string,
  folders: readonly DueFolder[],
  effects: LocalContext['effects'],
): Promise<void> {
  const disk = new DurableFolder(dataDir, effects);
  const root = join(foldersOf(dataDir).landing, 'events');
  for (const { path, day } of folders) {
    if (path.startsWith(root)) {
      const note = `${JSON.stringify({ day, removed_at: effects.now().toISOString() })}\n`;
      await disk.write(join(path, REMOVED), note, 'retention/note');
    }
    for (const name of await namesIn(path)) {
      if (name === REMOVED) continue;
      await orStorageError('remove', path, () => rm(join(path, name), { recursive: true, force: true }));
      effects.reach('retention/removed');
    }
    await disk.syncFolder(path);
    if (!path.startsWith(root)) await orStorageError('remove', path, () => rm(path, { recursive: true }));
  }
}

/** True if the pages of a landed export were removed by retention. */
export function wereRemoved(dataDir: string, { day, key, exportId }: Export): boolean {
  if (exportId === undefined) return false;
  return existsSync(join(foldersOf(dataDir).landing, exportFolder({ day, key, exportId }), REMOVED));
}

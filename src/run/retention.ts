/**
 * `retention`: how long events, their landed pages and opt-outs are kept. Events leave the file before it is published;
 * pages are removed after a file is published that holds what was computed from them.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { dayOf, isDay, listDays, shiftDay, type Day } from '../calendar.js';
import type { Config } from '../config.js';
import { InterruptedError, messageOf } from '../errors.js';
import type { Export } from '../exports/export.js';
import type { Journal } from '../journal/journal.js';
import { latestCommits, LakeState } from '../lake/commits.js';
import type { Lake } from '../lake/lake.js';
import { withLake } from '../lake/push.js';
import { verifiedEvents } from '../lake/verify.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf, isReadingOf, rangeOf } from '../storage/paths.js';
import { namesIn, orStorageError } from '../storage/storage-error.js';
import { plural } from '../terminal/terminal.js';
import type { HeldDay } from '../warehouse/warehouse.js';
import type { LocalContext } from './context.js';
import type { Invocation } from '../invocation.js';

type Retention = Config['retention'];

/** A folder of the landing zone that is due for removal, and the KST day of its content. */
interface DueFolder {
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
      const folder = join('events', day, key);
      for (const id of (await namesIn(join(root, folder))).map((name) => join(folder, name)))
        if (isReadingOf(id, { day, key, exportId }))
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

/**
 * Removes old events and opt-outs from the file, and determines the landed folders to remove. Resolves with a function
 * that removes the folders; call it once the file is published.
 */
export async function retain(
  context: LocalContext,
  config: Pick<Config, 'retention' | 'lake'>,
  invocation: Invocation,
): Promise<() => Promise<void>> {
  const { warehouse, ledger, effects, terminal, dataDir, report } = context;
  const { retention } = config;
  const now = effects.now();
  const today = dayOf(now);
  if (retention.events !== undefined) {
    const due = await warehouse.removable(shiftDay(today, -retention.events));
    const left = await warehouse.removeDays(await heldByLake(due, context, config, invocation), now);
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
  const left = new Set(await warehouse.removedDays());
  const folders = await foldersDue(dataDir, retention, { entries: ledger.entries(), left, now });
  await noteDays(
    folders.map(({ day }) => day),
    'landing',
    folders.length,
  );
  return () => removeFolders(context, folders);

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

/** Nights on which a day may wait to be compared with the lake before a person is told. */
const PATIENCE_DAYS = 7;

/**
 * Returns the days that may leave the file: all of them without a lake, otherwise those whose rows are equal in the
 * published file, which was pushed, and in the lake. The others stay; after seven nights they need a person.
 *
 * @throws InterruptedError after Ctrl-C
 */
async function heldByLake(
  due: readonly HeldDay[],
  { files, effects, terminal, dataDir, report, journal }: LocalContext,
  { lake, retention }: Pick<Config, 'retention' | 'lake'>,
  invocation: Invocation,
): Promise<Day[]> {
  const days = due.map(({ day }) => day);
  if (lake === undefined || days.length === 0) return days;
  let held: Day[] = [];
  let reason = 'the lake does not hold the same rows';
  terminal.progress('comparing old days with the lake');
  try {
    if (existsSync(files.published))
      held = await withLake({ dataDir, lake }, invocation, async (opened) => {
        const [newest] = await latestCommits(opened, 1);
        new LakeState(journal, lake).assertOurs(newest);
        return verifiedEvents(opened, await publishedAlike(opened, due));
      });
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    reason = messageOf(error);
  }
  const waiting = days.filter((day) => !held.includes(day));
  if (waiting.length === 0) return held;
  const sentence = `Events of ${listDays(waiting)} stay in the file although retention.events is over, since they could not be compared with the lake: ${reason}`;
  const longest = shiftDay(dayOf(effects.now()), -(retention.events ?? 0) - PATIENCE_DAYS);
  if (waiting.some((day) => day < longest)) {
    report.needsAction(
      `${sentence}. \`dawnload lake verify\` shows the differences, \`dawnload lake push\` removes them.`,
    );
  } else terminal.warn(`${sentence}.`);
  return held;
}

/** The days whose rows are equal in the published file, which was pushed, and in the private file. */
async function publishedAlike(lake: Lake, days: readonly HeldDay[]): Promise<Day[]> {
  const shape = z.object({ date: z.string(), pull: z.string(), loaded_at_ms: z.number() });
  const published = await lake.session.rows('lake/published_events', shape);
  return days
    .filter(({ day, pull, loadedAt }) =>
      published.some(
        (row) => row.date === day && row.pull === pull && row.loaded_at_ms === loadedAt.getTime(),
      ),
    )
    .map(({ day }) => day);
}

/** Removes landed folders. The journal notes the pages of an export first, so that they are not taken for lost. */
async function removeFolders(
  { journal, effects, dataDir }: LocalContext,
  folders: readonly DueFolder[],
): Promise<void> {
  const disk = new DurableFolder(dataDir, effects);
  for (const { path, of } of folders) {
    if (of !== undefined) await journal.append('removed', { event: 'pages', ...of });
    await orStorageError('remove', path, () => rm(path, { recursive: true, force: true }));
    effects.reach('retention/removed');
    await disk.syncFolder(dirname(path));
  }
}

/** True if the pages of a landed export were removed by retention. */
export function wereRemoved(journal: Journal, { key, exportId }: Pick<Export, 'key' | 'exportId'>): boolean {
  return journal.of('removed').some((line) => line.key === key && line.exportId === exportId);
}

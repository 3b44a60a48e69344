/**
 * `retention`: how long events, their landed pages and opt-outs are kept. Rows are removed before the file is published, and their pages
 * afterwards. Removing pages, or rows without pages, is a *deletion*, which cannot be undone. Deletions need a complete run that has
 * compared both clocks, and one night deletes only a few days. So a wrong clock or a mistyped setting cannot empty the data folder.
 */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { dayCount, dayOf, isDay, shiftDay, type Day } from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import type { Export } from '../exports/export.js';
import { landedAmong } from '../exports/export.js';
import type { Invocation } from '../config/invocation.js';
import type { Needed } from '../ground/streams.js';
import { type Journal, event, Kind } from '../journal/journal.js';
import type { DurableFolder } from '../disk/atomic-file.js';
import type { LandingZone } from '../landing/landing-zone.js';
import { exportFolder, firstReading, MANIFEST, rangeOf } from '../disk/paths.js';
import { namesIn, orStorageError } from '../disk/storage-error.js';
import { plural } from '../terminal/terminal.js';
import type { LoadedDay, Warehouse } from '../warehouse/warehouse.js';

/** A removal by retention. Its lines name the landed pages of a stream and day before these are deleted; `done` ends the removal. */
export const REMOVED = new Kind(
  'removed',
  z.discriminatedUnion('event', [
    z.object({
      ...event('pages'),
      stream: z.string(),
      day: z.string().refine(isDay, 'not a day'),
      key: z.string().optional(),
      exportId: z.string().optional(),
    }),
    z.object({ ...event('done'), days: z.number() }),
  ]),
);

/** A landed folder that is due for removal, and the KST day of its content. */
interface DueFolder {
  readonly path: string;
  readonly day: Day;
  readonly stream: 'events' | 'opt_outs' | 'rejected';
  readonly of?: { readonly key: string; readonly exportId: string };
}

export interface Due {
  /** Days whose rows are removed from the file while their pages stay. With a lake, only days that the lake has. */
  readonly rows: readonly Day[];
  readonly rowsWithoutPages: readonly Day[];
  /** Days on which opt-outs ended, whose versions are removed from the file. */
  readonly optOuts: readonly Day[];
  readonly folders: readonly DueFolder[];
}

interface Kept {
  readonly config: Pick<Config, 'retention'>;
  readonly landing: LandingZone;
  readonly ledger: { entries(): readonly Export[] };
  readonly warehouse: Warehouse;
  readonly journal: Journal;
  readonly report: { readonly removals: Removed[]; readonly notices: Needed[] };
  readonly invocation: Pick<Invocation, 'effects' | 'terminal'>;
}

/**
 * Finds what is past its retention.
 *
 * @param mayLeave returns those of the due days that may be removed from the file
 */
export async function findDue(
  { config: { retention }, landing, ledger, warehouse, invocation: { effects } }: Kept,
  mayLeave: (due: readonly LoadedDay[]) => Promise<Day[]>,
): Promise<Due> {
  const today = dayOf(effects.now());
  const leaving =
    retention.events === undefined
      ? []
      : await mayLeave(await warehouse.removable(shiftDay(today, -retention.events)));
  const loaded = landedAmong(ledger.entries()).filter(({ day }) => leaving.includes(day));
  const pages = new Set((await landing.exportPulls(loaded)).map(({ days }) => days.start));
  const left = new Set([...(await warehouse.removedDays()), ...leaving]);
  return {
    rows: leaving.filter((day) => pages.has(day)),
    rowsWithoutPages: leaving.filter((day) => !pages.has(day)),
    optOuts:
      retention.reference === undefined
        ? []
        : (await warehouse.closedOptOuts(shiftDay(today, -retention.reference))).map(({ day }) => day),
    folders: await foldersDue(landing.folder, retention, ledger.entries(), left, today),
  };
}

/**
 * Returns the landed folders that are past their retention: pages of loaded exports whose events were removed from the file, snapshots of
 * opt-outs except the last one, and rejected answers.
 *
 * @param left days whose events were removed from the file
 */
async function foldersDue(
  root: string,
  { landing, reference }: Config['retention'],
  entries: readonly Export[],
  left: ReadonlySet<Day>,
  today: Day,
): Promise<DueFolder[]> {
  const due: DueFolder[] = [];
  if (landing !== undefined) {
    const before = shiftDay(today, -landing);
    for (const { day, key, exportId, state } of entries) {
      if (state !== 'loaded' || exportId === undefined || day >= before || !left.has(day)) continue;
      const folder = join('events', day, key);
      for (const id of (await namesIn(join(root, folder))).map((name) => join(folder, name)))
        if (firstReading(id) === exportFolder({ day, key, exportId }))
          due.push({ path: join(root, id), day, stream: 'events', of: { key, exportId } });
    }
    for (const day of (await namesIn(join(root, 'rejected'))).filter(isDay))
      if (day < before) due.push({ path: join(root, 'rejected', day), day, stream: 'rejected' });
  }
  if (reference !== undefined) {
    const before = shiftDay(today, -reference);
    const days = (await namesIn(join(root, 'opt_outs'))).filter((name) => rangeOf(name) !== undefined).sort();
    for (const name of days.slice(0, -1)) {
      const day = rangeOf(name)?.end ?? '';
      if (day < before) due.push({ path: join(root, 'opt_outs', name), day, stream: 'opt_outs' });
    }
  }
  return due;
}

/** Number of days that one night may delete, in addition to the days since the last removal. */
const DAYS_AT_ONCE = 7;

/** The number of days per stream that a night may delete: `DAYS_AT_ONCE`, plus the days since the last completed removal. */
export function allowance(journal: Journal, today: Day): number {
  const last = journal.of(REMOVED).findLast(({ event }) => event === 'done');
  return (
    DAYS_AT_ONCE + (last === undefined ? 0 : Math.max(0, dayCount({ start: dayOf(last.at), end: today }) - 1))
  );
}

export function deletions({ rowsWithoutPages, optOuts, folders }: Due): ReadonlyMap<string, readonly Day[]> {
  const of = (stream: DueFolder['stream']): Day[] =>
    folders.flatMap((folder) => (folder.stream === stream ? [folder.day] : []));
  const all: [string, Day[]][] = [
    ['events without landed pages', [...rowsWithoutPages]],
    ['versions of opt-outs', [...optOuts]],
    ['landed pages of events', of('events')],
    ['landed pages of opt_outs', of('opt_outs')],
    ['rejected answers', of('rejected')],
  ];
  return new Map(
    all.flatMap(([what, days]) => (days.length === 0 ? [] : [[what, [...new Set(days)].sort()]])),
  );
}

/** A removal. `place` is `events`, `opt_outs` or `landing`; `items` counts rows, or folders for `landing`. */
export interface Removed {
  readonly place: string;
  readonly days: number;
  readonly items: number;
}

/** What may be deleted. `file`: only rows whose pages stay. `limited`: also as many days as a night may delete. `agreed`: everything. */
type Deleting = 'file' | 'limited' | 'agreed';

export interface Removal {
  readonly folders: readonly DueFolder[];
  /** Number of days that are deleted together with the folders. */
  readonly days: number;
  /** The note to print after the folders were deleted. */
  readonly note?: LogNote | undefined;
}

/** A sentence, and its fields for the log. */
type LogNote = readonly [sentence: string, fields: Readonly<Record<string, string | number>>];

/**
 * Removes old events and opt-outs from the file. Resolves with what to remove from the landing zone after publishing. If more days are due
 * than a night may delete, nothing is deleted, and the report says so.
 */
export async function retain(folder: Kept, due: Due, deleting: Deleting): Promise<Removal> {
  const { warehouse, journal, config, report, invocation } = folder;
  const { effects, terminal } = invocation;
  const now = effects.now();
  const days = Math.max(0, ...[...deletions(due).values()].map((some) => some.length));
  const limit = allowance(journal, dayOf(now));
  const isTooMuch = deleting === 'limited' && days > limit;
  if (isTooMuch)
    report.notices.push({
      advice: `Retention would delete ${plural(days, 'day')}, and one run deletes at most ${limit}. Nothing was deleted: \`dawnload retain\` lists the days, and \`dawnload retain --yes\` deletes them.`,
      list: 'dawnload retain',
    });
  const mayDelete = deleting !== 'file' && !isTooMuch;
  const left = await warehouse.removeDays([...due.rows, ...(mayDelete ? due.rowsWithoutPages : [])], now);
  print(await noteDays('events', left));
  if (mayDelete && config.retention.reference !== undefined)
    print(
      await noteDays(
        'opt_outs',
        await warehouse.removeClosedOptOuts(shiftDay(dayOf(now), -config.retention.reference)),
      ),
    );
  if (!mayDelete) return { folders: [], days: 0 };
  return { folders: due.folders, days, note: await noteDays('landing', due.folders) };

  function print(note: LogNote | undefined): void {
    if (note !== undefined) terminal.note(...note);
  }

  async function noteDays(
    place: string,
    of: readonly { readonly day: Day; readonly rows?: number }[],
  ): Promise<LogNote | undefined> {
    const days = [...new Set(of.map(({ day }) => day))].sort();
    const items = of.reduce((sum, { rows = 1 }) => sum + rows, 0);
    const [firstDay, lastDay] = [days[0], days.at(-1)];
    if (firstDay === undefined || lastDay === undefined) return undefined;
    const removal = { place, days: days.length, items };
    await warehouse.note({ retention: { removedAt: now, firstDay, lastDay, ...removal } });
    report.removals.push(removal);
    const sentence = `Removed by retention, ${place}: ${plural(days.length, 'day')}, ${firstDay} to ${lastDay}.`;
    return [sentence, { event: 'removed', ...removal }];
  }
}

/**
 * Removes landed folders. The journal names them first, so that they do not count as lost. Manifests are removed before pages, so that a
 * partly removed folder counts as removed.
 */
export async function removeFolders(
  { folders, days, note }: Removal,
  disk: DurableFolder,
  journal: Journal,
  { effects, terminal }: Pick<Invocation, 'effects' | 'terminal'>,
): Promise<void> {
  for (const { path, stream, day, of } of folders) {
    if (stream !== 'rejected') await journal.append(REMOVED, { event: 'pages', stream, day, ...of });
    const manifests = (await namesIn(path, { recursive: true })).filter(
      (name) => basename(name) === MANIFEST,
    );
    await orStorageError('remove', path, async () => {
      for (const manifest of manifests) {
        await rm(join(path, manifest), { force: true });
        await disk.syncFolder(dirname(join(path, manifest)));
      }
      effects.reach('retention/unlisted');
      await rm(path, { recursive: true, force: true });
    });
    effects.reach('retention/removed');
    await disk.syncFolder(dirname(path));
  }
  await journal.append(REMOVED, { event: 'done', days });
  if (note !== undefined) terminal.note(...note);
}

export function removedExports(journal: Journal, entries: readonly Export[]): Export[] {
  return entries.filter((entry) => entry.state === 'loaded' && wereRemoved(journal, entry));
}

export function wereRemoved(journal: Journal, { key, exportId }: Pick<Export, 'key' | 'exportId'>): boolean {
  return journal
    .of(REMOVED)
    .some((line) => line.event === 'pages' && line.key === key && line.exportId === exportId);
}

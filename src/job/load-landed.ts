/**
 * Loads the landed pulls that the warehouse lacks: the last one after a kill between landing and loading, all of them
 * after the loss of the warehouse. `rebuild` is made of this step.
 */
import { Pending } from '../erasure/erase.js';
import { daysOf } from '../ground/calendar.js';
import type { OpenFolder } from './data-folder.js';
import { wereRemoved } from '../erasure/retention.js';
import { type DamageError, messageOf, StrayError } from '../ground/errors.js';
import type { Invocation } from '../config/invocation.js';
import type { Export } from '../exports/export.js';
import { deleteComputed, deleteFound, findDays, readLinks } from '../erasure/person.js';
import { isReadingOf } from '../landing/paths.js';
import { unlessDamaged } from '../landing/storage-error.js';
import { isReference, type Pull } from '../landing/pull.js';

export async function loadLanded(folder: OpenFolder, { effects }: Invocation): Promise<void> {
  const { landing, waiting, warehouse, erasures, ledger } = folder;
  // An erasure that was killed is left to `dawnload forget`, which finishes it, as long as its record is there.
  const isStopped =
    erasures.register.unfinished !== undefined &&
    (await new Pending(folder.dataDir, effects).read()) !== undefined;
  const cut = isStopped ? undefined : await erasures.sweep();
  if (cut !== undefined && cut.records > 0) await erasures.late(cut);
  const free = waiting.filter(({ stream }) => stream !== 'events');
  const again = await warehouse.loader.setAside(free.filter(isReference));
  const missing: Pull[] = [
    ...free,
    ...(await landing.pulls(landing.found.filter(({ id }) => again.has(id)))),
    ...(await waitingExports(folder)),
  ].sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime());
  await loadOrReport(folder, missing);
  // A file that was made anew matches the landing zone, which holds no erased persons.
  if (cut !== undefined && folder.path === folder.files.working) {
    const known = await warehouse.knownErasure();
    const isOlder = known !== erasures.register.last?.line;
    if (isOlder) await erasures.register.append({ event: 'rows-deleted' });
    if (cut.records > 0 || isOlder) await reloadErased(folder, cut.pulls);
  }
  const now = [...(await warehouse.loader.loaded())];
  for (const entry of onDisk(folder)) {
    if (entry.state === 'landed' && now.some((id) => isReadingOf(id, entry))) await ledger.loaded(entry.key);
  }
}

type Landed = Export & { readonly exportId: string };

/** The exports whose pages have landed. */
function onDisk({ ledger }: OpenFolder): Landed[] {
  return ledger
    .entries()
    .flatMap(({ exportId, ...entry }) =>
      exportId !== undefined && (entry.state === 'landed' || entry.state === 'loaded')
        ? [{ ...entry, exportId }]
        : [],
    );
}

/** The landed exports that the warehouse lacks. One that is not in the landing zone any more is reported. */
async function waitingExports(folder: OpenFolder): Promise<Pull[]> {
  const { waiting, landing, warehouse, report, journal } = folder;
  const loaded = [...(await warehouse.loader.loaded())];
  const pulls: Pull[] = [];
  for (const entry of onDisk(folder)) {
    const { day, key } = entry;
    // Kept back until a person decides.
    if (entry.state === 'landed' && entry.doubted) continue;
    const pull = waiting.findLast(({ id }) => isReadingOf(id, entry));
    if (pull !== undefined) pulls.push(pull);
    if (pull !== undefined || loaded.some((id) => isReadingOf(id, entry)) || wereRemoved(journal, entry))
      continue;
    // A manifest that cannot be read was reported when the landing zone was read.
    const damage: DamageError[] = [];
    await unlessDamaged(landing.exportPull(entry), (error) => damage.push(error));
    if (damage.length > 0) continue;
    report.gaps.push({
      stream: 'events',
      days: { start: day, end: day },
      reason: `The pages of export ${key} are not all in the landing zone. To download them again at no cost: \`dawnload exports resume ${key}\`.`,
    });
  }
  return pulls;
}

/**
 * Loads the cut pulls again, and the days on which the warehouse still holds an erased person although the pages no
 * longer do. Rows whose pages are gone are deleted.
 */
export async function reloadErased(folder: OpenFolder, cut: ReadonlySet<string>): Promise<void> {
  const { erasures, landing, warehouse } = folder;
  if (erasures.register.last === undefined) return;
  const session = await erasures.session();
  await readLinks(session);
  const { days, firstOptOut } = await findDays(session);
  const exports = await exportPulls(folder);
  const changed = exports.filter((pull) => days.includes(pull.days.start) || cut.has(pull.id));
  await loadOrReport(folder, changed, 'again');
  const snapshots = await landing.pulls(landing.found.filter(({ stream }) => stream === 'opt_outs'));
  const first = snapshots.findIndex(
    (pull) => cut.has(pull.id) || (firstOptOut !== undefined && pull.days.start >= firstOptOut),
  );
  const [earliest, ...later] = first < 0 ? [] : snapshots.slice(first);
  if (earliest !== undefined) {
    await warehouse.loader.setAside([earliest]);
    await loadOrReport(folder, [earliest], 'again');
    await loadOrReport(folder, later);
  }
  await readLinks(session);
  const left = await findDays(session);
  if (left.days.length > 0 || left.firstOptOut !== undefined) await deleteFound(session, left.days);
  await deleteComputed(session);
}

/** The loaded exports whose pages were removed by retention. */
export function removedExports({ ledger, journal }: OpenFolder): Export[] {
  return ledger.entries().filter((entry) => entry.state === 'loaded' && wereRemoved(journal, entry));
}

/** Loads an export's pages and notes it in the ledger. Resolves with true if it is loaded. */
export async function loadExport(folder: OpenFolder, { key }: Export): Promise<boolean> {
  const entry = onDisk(folder).find((one) => one.key === key);
  const pull = entry && (await folder.landing.exportPull(entry));
  if (entry === undefined || pull === undefined || !(await loadOrReport(folder, [pull]))) return false;
  await folder.ledger.loaded(key);
  return true;
}

/** Reads the manifests of landed exports. */
async function exportPulls(
  folder: OpenFolder,
  isWanted: (entry: Export) => boolean = () => true,
): Promise<Pull[]> {
  const pulls: Pull[] = [];
  for (const entry of onDisk(folder).filter(isWanted)) {
    const pull = await unlessDamaged(folder.landing.exportPull(entry));
    if (pull !== undefined) pulls.push(pull);
  }
  return pulls;
}

/**
 * Loads pulls; returns true if all were loaded. A pull that cannot be loaded stays in the landing zone and is reported;
 * the others are loaded. An export of which much lies outside its day waits for a person.
 */
export async function loadOrReport(
  folder: OpenFolder,
  pulls: readonly Pull[],
  how: 'new' | 'again' = 'new',
): Promise<boolean> {
  const { reports, failures } = await folder.load(pulls, how);
  // Neighbours are days whose exports had dropped records as duplicates of an export that was replaced.
  const neighbours = new Set(reports.flatMap((report) => report.neighbours));
  if (neighbours.size > 0) {
    const exports = await exportPulls(folder, ({ day }) => neighbours.has(day));
    for (const pull of exports) failures.push(...(await folder.load([pull], 'again')).failures);
  }
  let all = true;
  for (const { pull, error } of failures) {
    all = false;
    const entry = onDisk(folder).find((one) => isReadingOf(pull.id, one));
    if (error instanceof StrayError && entry !== undefined)
      await folder.ledger.note(entry.key, 'doubted', error.message);
    else folder.report.unloaded.push({ pull, error });
  }
  return all;
}

/**
 * Reports pulls that could not be loaded. A pull that later answers superseded is not reported, since nothing is
 * missing.
 */
export async function reportUnloaded(folder: OpenFolder, { terminal }: Invocation): Promise<void> {
  const { report } = folder;
  for (const { pull, error } of report.unloaded) {
    const reason = `The pull ${pull.id} has landed but is not loaded. ${messageOf(error)}${remedyFor(pull)}`;
    if (await isSuperseded(folder, pull)) terminal.note(`${reason} Later answers have taken its place.`);
    else report.gaps.push({ stream: pull.stream, days: pull.days, reason });
  }
}

/** True if later pulls hold all days of a free pull; for reference data, if there is a later snapshot. */
async function isSuperseded({ warehouse }: OpenFolder, pull: Pull): Promise<boolean> {
  if (pull.stream === 'events') return false;
  const later = await warehouse.coveredSince(pull.stream, pull.pulledAt);
  return isReference(pull) ? later.length > 0 : daysOf(pull.days).every((day) => later.includes(day));
}

/** Returns the remedy for a pull that cannot be loaded: a damaged page of an export can be downloaded again at no cost. */
function remedyFor(pull: Pull): string {
  if (pull.stream !== 'events') return '';
  const key = pull.id.split('/')[2] ?? '';
  return ` To download its pages again at no cost: \`dawnload exports resume ${key}\`.`;
}

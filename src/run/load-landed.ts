/**
 * Loads the landed pulls that the warehouse lacks: the last one after a kill between landing and loading, all of them
 * after the loss of the warehouse. `rebuild` is made of this step.
 */
import { daysOf } from '../calendar.js';
import type { LocalContext } from './context.js';
import { wereRemoved } from './retention.js';
import { messageOf } from '../errors.js';
import { pullId, type Export } from '../exports/export.js';
import { deleteComputed, deleteFound, findDays, readLinks } from '../erasure/person.js';
import type { OnDamage } from '../storage/landed-pulls.js';
import { rangeOf } from '../storage/paths.js';
import { daysAsked, isReference, type EventsPull, type Pull } from '../storage/pull.js';

export async function loadLanded(context: LocalContext): Promise<void> {
  const { landing, foundAtStart, ledger, warehouse, report, erasures } = context;
  // An erasure that was killed is left to `dawnload forget`, which finishes it.
  const cut = erasures.register.unfinished === undefined ? await erasures.sweep() : undefined;
  if (cut !== undefined && cut.records > 0) await erasures.late(cut);
  const loaded = await warehouse.loader.loaded();
  const onDamage: OnDamage = ({ message, hint = '' }, { stream, folder }) => {
    report.gap({
      stream,
      days: rangeOf(folder) ?? { start: folder, end: folder },
      reason: `${message} ${hint}`,
    });
  };
  const missing = await landing.pulls((id) => !loaded.has(id), foundAtStart, onDamage);
  const again = await warehouse.loader.setAside(missing.filter(isReference));
  const free: Pull[] = [
    ...missing,
    ...(again.size === 0 ? [] : await landing.pulls((id) => again.has(id), foundAtStart, onDamage)),
  ];
  const paid: Pull[] = await landedExports(context, (entry) => !loaded.has(pullId(entry)));
  const waiting = [...free, ...paid].sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime());
  await loadOrReport(context, waiting);
  // A file that was made anew matches the landing zone, which holds no erased persons.
  if (cut !== undefined && context.path === context.files.working) {
    const known = await warehouse.knownErasure();
    const isOlder = known !== erasures.register.last?.line;
    if (isOlder) await erasures.register.append({ event: 'rows-deleted' });
    if (cut.records > 0 || isOlder) await reloadErased(context, cut.pulls);
  }
  const landed = ledger.entries().filter(({ state }) => state === 'landed');
  if (landed.length === 0) return;
  const now = await warehouse.loader.loaded();
  for (const entry of landed) if (now.has(pullId(entry))) await noteLoaded(context, entry);
}

/**
 * Loads the cut pulls again, and the days on which the warehouse still holds an erased person although the pages no
 * longer do. Rows whose pages are gone are deleted.
 */
export async function reloadErased(context: LocalContext, cut: ReadonlySet<string>): Promise<void> {
  const { erasures, landing, warehouse } = context;
  if (erasures.register.last === undefined) return;
  const session = await erasures.session();
  await readLinks(session);
  const { days, firstOptOut } = await findDays(session);
  const wanted = (entry: Export): boolean =>
    days.includes(entry.day) || cut.has(`events/${entry.day}/${entry.key}`);
  await loadOrReport(context, await landedExports(context, wanted), 'again');
  const snapshots = (await landing.pulls((id) => id.startsWith('opt_outs/'))).filter(isReference);
  const first = snapshots.findIndex(
    ({ id, day }) => cut.has(id) || (firstOptOut !== undefined && day >= firstOptOut),
  );
  const [earliest, ...later] = first < 0 ? [] : snapshots.slice(first);
  if (earliest !== undefined) {
    await warehouse.loader.setAside([earliest]);
    await loadOrReport(context, [earliest], 'again');
    await loadOrReport(context, later);
  }
  await readLinks(session);
  const left = await findDays(session);
  if (left.days.length > 0 || left.firstOptOut !== undefined) await deleteFound(session, left.days);
  await deleteComputed(session);
}

/** Returns the pull of a landed export; undefined while pages are missing. */
async function exportPull(
  context: LocalContext,
  entry: Export,
): Promise<(EventsPull & { records: number }) | undefined> {
  const { day, key, exportId, window, records, landedAt } = entry;
  if (exportId === undefined || records === undefined || landedAt === undefined) return undefined;
  if (wereRemoved(context.journal, entry)) return undefined;
  const pages = await context.landing.landedPages({ day, key, exportId });
  return {
    stream: 'events',
    id: pullId(entry),
    day,
    window,
    exportId,
    pulledAt: landedAt,
    files: [...pages.values()],
    records,
  };
}

/** Loads an export's pages and notes it in the ledger. Resolves with true if it is loaded. */
export async function loadExport(context: LocalContext, entry: Export): Promise<boolean> {
  const pull = await exportPull(context, entry);
  if (pull === undefined || !(await loadOrReport(context, [pull]))) return false;
  await noteLoaded(context, entry);
  return true;
}

/** Notes a loaded export in the ledger; doubts its id if most records belong to other days or other exports. */
async function noteLoaded({ ledger, report }: LocalContext, entry: Export): Promise<void> {
  const { key, records = 0 } = await ledger.loaded(entry.key);
  const { stray = 0, odd_time: odd = 0, elsewhere = 0 } = report.notesOf(pullId(entry));
  const foreign = stray + odd + elsewhere;
  if (foreign * 2 > records)
    await ledger.doubted(key, `${foreign} of its ${records} records belong elsewhere`);
}

async function landedExports(
  context: LocalContext,
  isWanted: (entry: Export) => boolean,
): Promise<EventsPull[]> {
  const pulls: EventsPull[] = [];
  for (const entry of context.ledger.entries()) {
    if ((entry.state !== 'landed' && entry.state !== 'loaded') || !isWanted(entry)) continue;
    const pull = await exportPull(context, entry);
    if (pull !== undefined) pulls.push(pull);
  }
  return pulls;
}

/**
 * Loads pulls; returns true if all were loaded. A pull that cannot be loaded stays in the landing zone and is reported;
 * the others are loaded.
 */
export async function loadOrReport(
  context: LocalContext,
  pulls: readonly Pull[],
  how: 'new' | 'again' = 'new',
): Promise<boolean> {
  const { reports, failures } = how === 'new' ? await context.load(pulls) : await context.reload(pulls);
  // Neighbours are days whose exports had dropped records as duplicates of an export that was replaced.
  const neighbours = new Set(reports.flatMap((report) => report.neighbours));
  if (neighbours.size > 0) {
    const exports = await landedExports(context, ({ day }) => neighbours.has(day));
    for (const pull of exports) failures.push(...(await context.reload([pull])).failures);
  }
  let all = true;
  for (const { pull, error } of failures) {
    all = false;
    context.report.notLoaded({ pull, error });
  }
  return all;
}

/**
 * Reports pulls that could not be loaded. A pull that later answers superseded is not reported, since nothing is
 * missing.
 */
export async function reportUnloaded(context: LocalContext): Promise<void> {
  const { report, terminal } = context;
  for (const { pull, error } of report.unloaded) {
    const reason = `The pull ${pull.id} has landed but is not loaded. ${messageOf(error)}${remedyFor(pull)}`;
    if (await isSuperseded(context, pull)) terminal.note(`${reason} Later answers have taken its place.`);
    else report.gap({ stream: pull.stream, days: daysAsked(pull), reason });
  }
}

/** True if later pulls hold all days of a free pull; for reference data, if there is a later snapshot. */
async function isSuperseded({ warehouse }: LocalContext, pull: Pull): Promise<boolean> {
  if (pull.stream === 'events') return false;
  const later = await warehouse.coveredSince(pull.stream, pull.pulledAt);
  return isReference(pull) ? later.length > 0 : daysOf(daysAsked(pull)).every((day) => later.includes(day));
}

/** Returns the remedy for a pull that cannot be loaded: a damaged page of an export can be downloaded again at no cost. */
function remedyFor(pull: Pull): string {
  if (pull.stream !== 'events') return '';
  const key = pull.id.split('/').at(-1)?.split('#')[0] ?? '';
  return ` To download its pages again at no cost: \`dawnload exports resume ${key}\`.`;
}

/** The steps that call the service: first token and clocks, then each stream. A stream's step also loads what it has landed. */
import {
  dayCount,
  formatKst,
  lastCompleteDay,
  shiftDay,
  type Day,
  type DayRange,
  daysOf,
} from '../ground/calendar.js';
import { EVENTS, type Job, type StreamName, eventGap } from '../ground/streams.js';
import type { Stream } from '../streams/stream.js';
import type { ServiceClient } from '../service/client.js';
import { CLOCK_REMEDY } from '../service/clocks.js';
import type { RunReport } from './report.js';
import { partsOf, type Night, type Step } from './step.js';
import { daysIn, wantedNow } from './wanted-days.js';
import { dropArrived, sweepArrived } from '../erasure/landed.js';
import { wereRemoved } from '../erasure/retention.js';
import { landedAmong } from '../exports/export.js';
import { messageOf, sentencesOf } from '../ground/errors.js';
import type { Pull } from '../landing/landing-zone.js';
import { isSnapshot, SNAPSHOTS } from '../streams/index.js';
import { exportFolder, firstReading } from '../disk/paths.js';
import { unlessDamaged } from '../disk/storage-error.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** A step that requests or loads. If it fails, landed data is published anyway. */
export const pulling = (run: Step['run'], wanted: Step['wanted'] = () => true): Step => ({
  stage: 'pull',
  doing: 'pulling',
  wanted,
  run,
  after: 'no-money-no-deletion',
});

const nothingFailed = ({ report }: Night): boolean => report.failure === undefined;

export const loadLanded = pulling(loadWaiting);

/** Gets a token (E1), and keeps only days that are complete according to both clocks. */
export const authorize = pulling(async (night) => {
  const { folder, report, invocation, job } = night;
  const { service } = folder;
  await service.authorize();
  service.clocks.assertMayLand();
  const earlier = service.clocks.earlier();
  report.serviceBehindMs = Math.max(0, invocation.effects.now().getTime() - earlier.getTime());
  if (job === undefined) return;
  const last = lastCompleteDay(earlier);
  if (job.days.end > last)
    invocation.terminal.note(
      `The service's clock says ${formatKst(earlier)}. The last complete day is ${last}; later days are not requested.`,
    );
  night.job = until(job, last);
  report.days = night.job.days;
  report.authorized = true;
}, nothingFailed);

function until(job: Job, last: Day): Job {
  const cut = Math.max(0, dayCount({ start: last, end: job.days.end }) - 1);
  const shortened = ({ start, end }: DayRange): DayRange => ({ start, end: end < last ? end : last });
  return {
    ...job,
    days: shortened(job.days),
    again: { start: shiftDay(job.again.start, -cut), end: shiftDay(job.again.end, -cut) },
    eventDays: shortened(job.eventDays),
  };
}

export const pull = (stream: Stream): Step =>
  pulling(
    async (night) => {
      const { job, folder } = night;
      if (job === undefined) return;
      // For paid streams, budget and consent choose the days; a snapshot is always of today.
      const days = stream.grain === 'day' && !stream.paid ? await wantedNow(job, night) : [];
      const wanted = (name: StreamName): readonly Day[] => daysIn(days, name, 'missing', 'restatable');
      await stream.pull({ job, service: folder.service, wanted }, partsOf(night));
    },
    (night) => nothingFailed(night) && stream.choices.some((one) => night.job?.streams.has(one) === true),
  );

/** Reports clocks that disagree, according to the latest answer. Runs even after a failure. */
export const clocks: Step = {
  stage: 'pull',
  doing: 'pulling',
  wanted: ({ report }) => report.authorized,
  run: ({ folder: { service }, report }) => {
    const trouble = compareClocks(service, report);
    if (trouble === undefined) return Promise.resolve();
    report.clockSkewMs = service.clocks.skewMs;
    report.attention.push({
      advice: `${trouble} No paid request is sent until they agree. ${CLOCK_REMEDY}`,
      list: 'dawnload doctor',
    });
    return Promise.resolve();
  },
  after: 'go-on',
};

/** Records whether both clocks agree, according to the latest answer. Returns a sentence if they disagree. */
export function compareClocks(service: ServiceClient, report: RunReport): string | undefined {
  const trouble = service.clocks.trouble;
  report.clocksAgree = trouble === undefined && service.clocks.skewMs !== undefined;
  return trouble;
}

/** Loads landed pulls that the warehouse lacks: after a kill the last one, in a rebuild all of them. */
export async function loadWaiting(night: Night): Promise<void> {
  const parts = partsOf(night);
  const { landing, warehouse, ledger, files, load } = parts;
  const { waiting } = night.warehouse;
  const cut = await sweepArrived(parts);
  const free = waiting.filter(({ stream }) => stream !== 'events');
  const again = await warehouse.loader.unloadAfter(free.filter(({ stream }) => SNAPSHOTS.includes(stream)));
  const missing: Pull[] = [
    ...free,
    ...(await landing.pulls(landing.pullFolders.filter(({ id }) => again.has(id)))),
    ...(await waitingExports(night)),
  ].sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime());
  await load(missing);
  // In a rebuild this is not needed: the landing zone has no erased persons any more.
  if (cut !== undefined && warehouse.options.path === files.working) await dropArrived(parts, cut);
  const now = await loadedExports(warehouse);
  for (const entry of landedAmong(ledger.entries()))
    if (entry.state === 'landed' && now.has(exportFolder(entry)))
      await ledger.record({ event: 'loaded', key: entry.key });
}

/** The exports in the warehouse, by the folder of the first reading, whichever reading was loaded. */
async function loadedExports({ loader }: Warehouse): Promise<Set<string>> {
  return new Set([...(await loader.loaded())].map(firstReading));
}

/** Landed exports that the warehouse lacks. Reports those whose pages are missing. */
async function waitingExports({ folder, warehouse, report }: Night): Promise<Pull[]> {
  const { landing, ledger, journal } = folder;
  const { waiting, file } = warehouse;
  const loaded = await loadedExports(file);
  // The later of two readings of an export counts.
  const last = new Map(waiting.map((pull) => [firstReading(pull.id), pull]));
  const pulls: Pull[] = [];
  for (const entry of landedAmong(ledger.entries())) {
    const { day, key } = entry;
    // An export in doubt needs your decision first.
    if (entry.state === 'landed' && entry.doubted) continue;
    const place = exportFolder(entry);
    const pull = last.get(place);
    if (pull !== undefined) pulls.push(pull);
    if (pull !== undefined || loaded.has(place) || wereRemoved(journal, entry)) continue;
    // Ignore damage here: unreadable manifests were reported when the landing zone was read.
    const damage: unknown[] = [];
    await unlessDamaged(landing.exportPull(entry), (error) => damage.push(error));
    const reason = `Pages of export ${key} are missing from the landing zone. To download them again at no cost: \`dawnload exports resume ${key}\`.`;
    if (damage.length === 0) report.gaps.push(eventGap(day, reason));
  }
  return pulls;
}

/** Reports pulls that cannot be loaded as gaps, unless a later pull replaces them. */
export async function reportUnloaded({ report, invocation, warehouse }: Night): Promise<void> {
  for (const { pull, error } of report.unloaded.values()) {
    const [stream, , key = ''] = pull.id.split('/');
    const remedy = `To download its pages again at no cost: \`dawnload exports resume ${key}\`.`;
    const why = stream === EVENTS ? `${messageOf(error)} ${remedy}` : sentencesOf(error);
    const reason = `The pull ${pull.id} has landed but is not loaded. ${why}`;
    // True if later pulls have all of its days, or there is a later snapshot.
    const later = await warehouse.file.coveredSince(pull.stream, pull.pulledAt);
    const isSuperseded = isSnapshot(pull.stream)
      ? later.length > 0
      : pull.stream !== 'events' && daysOf(pull.days).every((day) => later.includes(day));
    if (isSuperseded) invocation.terminal.note(`${reason} Later answers have taken its place.`);
    else report.gaps.push({ stream: pull.stream, days: pull.days, reason });
  }
}

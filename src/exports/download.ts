/**
 * The paid exports of a run (E21). All that are under way are read at the same time, within one waiting time; an export that
 * may lack records is read again on later nights.
 */
import pLimit from 'p-limit';
import { dayOf, shiftDay } from '../ground/calendar.js';
import { DamageError } from '../ground/errors.js';
import { settleAll, type ServiceClient } from '../service/client.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { isUnderWay, needsPerson, type Export } from './ledger.js';
import { Patience, Reading, type DownloadFolder } from './reading.js';

/** The most exports that are read at the same time; the pace of the client holds for all of them together. */
const AT_ONCE = 16;

/** Minutes to wait for an export that is read again; most of it is in the warehouse. */
const AGAIN_MINUTES = 5;

/** Number of nights on which an export that may lack records is read again. */
const NIGHTS = 3;

/** Downloads those of the exports under way that are ready now; no other one is reported. */
export async function downloadReady(service: ServiceClient, folder: DownloadFolder): Promise<void> {
  const { effects } = folder.invocation;
  const underWay = folder.ledger.entries().filter(isUnderWay);
  await downloadAll(underWay, service, folder, new Patience(0, effects, true));
}

/**
 * Waits for the exports of earlier runs that are under way, and downloads them; then again those that may lack records. One
 * that waits for your decision is requested once, so that it delays no night.
 */
export async function resumeExports(
  service: ServiceClient,
  folder: DownloadFolder,
  patience: Patience,
): Promise<void> {
  const { ledger, invocation } = folder;
  const { effects, runId } = invocation;
  const underWay = ledger.entries().filter((entry) => isUnderWay(entry) && entry.run !== runId);
  await downloadAll(underWay, service, folder, patience);
  const short: Export[] = [];
  for (const entry of ledger.entries()) if (await mayLack(entry, folder)) short.push(entry);
  const minutes = Math.min(AGAIN_MINUTES, ledger.settings.maxWaitMinutes);
  await downloadAll(short, service, folder, new Patience(minutes, effects));
}

async function downloadAll(
  entries: readonly Export[],
  service: ServiceClient,
  folder: DownloadFolder,
  patience: Patience,
): Promise<void> {
  const { effects, signal } = folder.invocation;
  const limit = pLimit(AT_ONCE);
  let isFailed = false;
  const download = async (entry: Export): Promise<void> => {
    signal.throwIfAborted();
    if (isFailed) return;
    const isDecided = !isUnderWay(entry) || !needsPerson(entry);
    try {
      await downloadExport(entry, service, folder, isDecided ? patience : new Patience(0, effects));
    } catch (error) {
      // A full disk or a refused key ends the run, so the others are not waited for.
      isFailed = true;
      patience.end();
      throw error;
    }
  };
  await settleAll(entries.map((entry) => limit(download, entry)));
}

/** True on the nights after an export landed if it may lack records. */
async function mayLack(
  entry: Export,
  { warehouse, invocation: { effects } }: DownloadFolder,
): Promise<boolean> {
  const { state, day, landedAt, short, accepted } = entry;
  if (state !== 'loaded' || accepted || landedAt === undefined) return false;
  const [landed, today] = [dayOf(landedAt), dayOf(effects.now())];
  if (landed >= today || shiftDay(landed, NIGHTS) < today) return false;
  const { repeated, uncounted } = await warehouse.lackOf(day);
  return short !== undefined || repeated + uncounted > 0;
}

/** Number of times that a run reads an export of which records came twice: another answer may hold those that are missing. */
const READINGS = 3;

/**
 * Downloads an export that has an id and loads it, reports both, and records what a loaded export may lack. If the export has
 * landed, every page is requested again and additional records are kept.
 *
 * @param acceptIncomplete true if the user accepts an incomplete export: one without records, or with some pages missing
 */
export async function downloadExport(
  { key, day, exportId, run }: Export,
  service: ServiceClient,
  folder: DownloadFolder,
  patience: Patience,
  acceptIncomplete = false,
): Promise<void> {
  const { ledger, report, warehouse, load } = folder;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  let notes: readonly string[] = [];
  const read = async (): Promise<'new' | 'same' | undefined> => {
    const entry = { ...ledger.get(key), exportId };
    const reading = await Reading.open(entry, acceptIncomplete, service, folder, patience);
    const pull = await reading.land();
    notes = reading.notes;
    if (pull === undefined || pull === 'same') return pull;
    if (!(await load([pull]))) return undefined;
    await ledger.record({ event: 'loaded', key });
    return 'new';
  };
  const first = await read();
  const firstNotes = notes;
  let last = first;
  for (let reading = 1; last === 'new' && reading < READINGS && !ledger.get(key).accepted; reading++)
    last = (await warehouse.lackOf(day)).repeated > 0 ? await read() : 'same';
  const { state, records, accepted, short } = ledger.get(key);
  // A reading that failed says nothing of what the export lacks.
  if (state === 'loaded' && first !== undefined) {
    const { repeated, uncounted, erased } = await warehouse.lackOf(day);
    const reasons = [...firstNotes];
    if (repeated > 0) reasons.unshift(`${plural(repeated, 'record')} came twice, so as many may be missing`);
    if (uncounted > 0)
      reasons.unshift(
        `it holds ${formatCount(uncounted)} successful sends fewer than the daily statistics count`,
      );
    // An export that was short before persons were erased from it may be whole now; nobody can tell.
    const isUnknown = reasons.length === 0 && erased > 0 && short !== undefined;
    if (accepted === true || (reasons.length === 0 && !isUnknown))
      await ledger.record({ event: 'loaded', key });
    else if (!isUnknown)
      await ledger.record({
        event: 'short',
        key,
        records: Math.max(repeated, uncounted),
        note: reasons.join('; '),
      });
  }
  if (patience.isGlance && first === undefined) return;
  report.exports.push({ key, day, records, requested: run === folder.invocation.runId });
}

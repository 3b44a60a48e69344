/**
 * Pulls paid exports: downloads pending ones (E21) at the same time and within one waiting time, and requests missing days (E20) within
 * budget and consent. Exports that may lack records are read again on later nights.
 */
import { missingDays, isUnderWay, needsPerson, type Export, type Outcome } from '../../exports/export.js';
import { requestMissing, type PaymentParts } from '../../exports/paid-request.js';
import { settleAll } from '../../ground/promises.js';
import type { ServiceClient } from '../../service/client.js';
import { assertPublishable } from '../../warehouse/publish.js';
import type { Order, PullParts } from '../stream.js';
import { patienceOf, Patience, Reading, type DownloadParts } from './reading.js';
import pLimit from 'p-limit';
import { dayOf, shiftDay } from '../../ground/calendar.js';
import { DamageError } from '../../ground/errors.js';
import { formatCount, plural } from '../../terminal/terminal.js';
import type { Lack } from '../../warehouse/warehouse.js';

export async function pullEvents(
  { job, service }: Pick<Order, 'job' | 'service'>,
  parts: PaymentParts & DownloadParts & Pick<PullParts, 'files'>,
): Promise<void> {
  const { ledger, files } = parts;
  const mayPay = missingDays(job.eventDays, ledger.entries()).length > 0;
  if (mayPay) await assertPublishable(files.published);
  const patience = patienceOf(parts);
  // Don't wait for pending exports before requesting other days. One that arrives may show the size that other days wait for.
  await downloadReady(service, parts);
  const resumed = resumeExports(service, parts, patience);
  const download = downloaderOf(service, parts, patience);
  const requested = requestMissing(job, service, parts, download, resumed).catch((error: unknown) => {
    patience.end();
    throw error;
  });
  await settleAll([requested, resumed]);
}

const EXPORTS_AT_ONCE = 16;

/** Minutes to wait for an export that is read again. Few are needed, because most records are loaded already. */
const AGAIN_MINUTES = 5;

/** Number of nights on which an export that may lack records is read again. */
const NIGHTS = 3;

async function downloadReady(service: ServiceClient, parts: DownloadParts): Promise<void> {
  const { effects } = parts.invocation;
  const underWay = parts.ledger.entries().filter(isUnderWay);
  await downloadAll(underWay, service, parts, new Patience(0, effects, true));
}

/**
 * Downloads pending exports of earlier runs, then reads exports again that may lack records. An export that needs your decision is polled
 * only once, so that it does not delay the run.
 */
export async function resumeExports(
  service: ServiceClient,
  parts: DownloadParts,
  patience: Patience,
): Promise<void> {
  const { ledger, invocation } = parts;
  const { effects, runId } = invocation;
  const underWay = ledger.entries().filter((entry) => isUnderWay(entry) && entry.run !== runId);
  await downloadAll(underWay, service, parts, patience);
  const short: Export[] = [];
  for (const entry of ledger.entries()) if (await mayLack(entry, parts)) short.push(entry);
  const minutes = Math.min(AGAIN_MINUTES, ledger.settings.maxWaitMinutes);
  await downloadAll(short, service, parts, new Patience(minutes, effects));
}

async function downloadAll(
  entries: readonly Export[],
  service: ServiceClient,
  parts: DownloadParts,
  patience: Patience,
): Promise<void> {
  const { effects, signal } = parts.invocation;
  const limit = pLimit(EXPORTS_AT_ONCE);
  let isFailed = false;
  const download = async (entry: Export): Promise<void> => {
    signal.throwIfAborted();
    if (isFailed) return;
    const isDecided = !isUnderWay(entry) || !needsPerson(entry);
    try {
      await downloadExport(entry, service, parts, isDecided ? patience : new Patience(0, effects));
    } catch (error) {
      // A full disk or rejected keys end the run, so the other exports stop waiting.
      isFailed = true;
      patience.end();
      throw error;
    }
  };
  await settleAll(entries.map((entry) => limit(download, entry)));
}

/** True if the export may lack records and one of the nights for reading it again has come. */
async function mayLack(
  entry: Export,
  { warehouse, invocation: { effects } }: DownloadParts,
): Promise<boolean> {
  const { state, day, landedAt, short, accepted, proof, tolerated } = entry;
  const isSettled = accepted === true || proof !== undefined || tolerated !== undefined;
  if (state !== 'loaded' || isSettled || landedAt === undefined) return false;
  const [landed, today] = [dayOf(landedAt), dayOf(effects.now())];
  if (landed >= today || shiftDay(landed, NIGHTS) < today) return false;
  const { repeated, uncounted } = await warehouse.lackOf(day);
  return short !== undefined || repeated + uncounted > 0;
}

/** Downloads exports that were just requested. Each arrival shows that the service delivers, so the waiting time starts anew. */
export const downloaderOf =
  (service: ServiceClient, parts: DownloadParts, patience: Patience) =>
  async (sent: Export): Promise<void> => {
    try {
      await downloadExport(sent, service, parts, patience);
    } finally {
      if (parts.ledger.get(sent.key).landedAt !== undefined) patience.renew();
    }
  };

/**
 * How often a run reads an export with repeated records, because another answer may have the missing ones. If the daily statistics prove
 * nothing, this number of equal readings proves that no record is missing.
 */
const READINGS = 3;

/**
 * Downloads and loads an export, and records how many records it may lack. If it has landed before, every page is requested again, and
 * additional records are kept.
 *
 * @param acceptIncomplete true if the user accepts an incomplete export: one without records, or with some pages missing
 */
export async function downloadExport(
  { key, day, exportId, run }: Export,
  service: ServiceClient,
  parts: DownloadParts,
  patience: Patience,
  acceptIncomplete = false,
): Promise<void> {
  const { ledger, report, warehouse, load } = parts;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const read = async (): Promise<Read & Pick<Reading, 'notes'>> => {
    const entry = { ...ledger.get(key), exportId };
    const reading = await Reading.open({ entry, service, parts, patience, acceptIncomplete });
    const pull = await reading.land();
    const { notes, isWhole } = reading;
    if (pull === undefined || pull === 'same') return { result: pull, notes, isWhole };
    if (!(await load([pull]))) return { result: undefined, notes, isWhole };
    await ledger.record({ event: 'loaded', key });
    return { result: 'new', notes, isWhole };
  };
  const first = await read();
  if (patience.isGlance && first.result === undefined) return;
  const { state, accepted } = ledger.get(key);
  // A failed reading proves nothing about missing records.
  if (state === 'loaded' && first.result !== undefined) {
    let shown = shownBy(first, await warehouse.lackOf(day));
    while (!accepted && readAgain(shown)) {
      const next = await read();
      if (next.result === undefined) break;
      shown = shownBy(next, await warehouse.lackOf(day), shown);
    }
    const { lack, equal } = shown;
    const entry = ledger.get(key);
    const line = judged(entry, lack, first.notes, equal >= READINGS, ledger.settings.tolerateMissing);
    if (line !== undefined) await ledger.record(line);
  }
  const { records } = ledger.get(key);
  report.exports.push({ key, day, records, requested: run === parts.invocation.runId });
}

/** A reading of an export. `result` is undefined if it failed; `isWhole` is true if every page could be read. */
interface Read {
  readonly result: 'new' | 'same' | undefined;
  readonly isWhole: boolean;
}

/** What all readings of an export in a run have shown together. */
interface Shown {
  readonly lack: Lack;
  readonly readings: number;
  /** How many of the last readings were equal. */
  readonly equal: number;
  /** True if another reading brought nothing new and the daily statistics can show what is missing. */
  readonly isOver: boolean;
}

/** Combines a successful reading with those before it. Pure. */
function shownBy({ result, isWhole }: Read, lack: Lack, before?: Shown): Shown {
  // If the first reading of a run brings nothing new, it equals the reading of an earlier run.
  const isSame = before === undefined ? result === 'same' : lack.records === before.lack.records;
  return {
    lack,
    readings: (before?.readings ?? 0) + 1,
    equal: isWhole && isSame ? (before?.equal ?? 1) + 1 : 1,
    isOver: before !== undefined && result === 'same' && lack.is_provable,
  };
}

/** True if another reading may bring records, or prove that no record is missing. Pure. */
function readAgain({ lack, readings, equal, isOver }: Shown): boolean {
  const isOpen = lack.repeated > 0 && (!lack.is_provable || lack.missing > 0);
  return isOpen && !isOver && readings < READINGS && equal < READINGS;
}

/**
 * Decides what to record for a loaded export: that it is complete, or may lack records. Undefined if nothing changes. Pure.
 *
 * @param notes what is odd about its pages, as clauses
 */
export function judged(
  { key, accepted, short }: Pick<Export, 'key' | 'accepted' | 'short'>,
  lack: Lack,
  notes: readonly string[],
  isSameEachTime: boolean,
  tolerated: number,
): Outcome | undefined {
  const loaded = { event: 'loaded', key } as const;
  const { repeated, uncounted, erased, missing, counted, senders, empty, is_provable } = lack;
  const isOdd = repeated > 0 || notes.length > 0;
  if (accepted === true || (!isOdd && uncounted === 0 && (erased === 0 || short === undefined)))
    return loaded;
  if (is_provable && missing === 0) return isOdd ? { ...loaded, proof: 'statistics' } : loaded;
  // Does not apply to a page that is always empty or repeated: it may have lost its records each time.
  if (!is_provable && missing === 0 && notes.length === 0 && isSameEachTime)
    return { ...loaded, proof: 'readings' };
  const atMost = Math.max(missing, uncounted, is_provable ? 0 : repeated);
  if (is_provable && empty === 0 && atMost <= tolerated * counted) return { ...loaded, tolerated: atMost };
  const reasons = [...notes];
  if (repeated > 0) reasons.unshift(`${plural(repeated, 'record')} came twice, so as many may be missing`);
  if (uncounted > 0)
    reasons.unshift(
      `it has ${formatCount(uncounted)} successful sends fewer than the daily statistics count`,
    );
  // Missing records spread over many campaigns suggest that people were deleted. A lost page would lack more records of fewer campaigns.
  if (is_provable && missing > 0 && senders >= SPREAD && empty === 0 && missing <= LIKELY_DELETED * counted)
    reasons.push(
      `the ${plural(missing, 'record')} are spread over ${senders} campaigns and journeys: the likely cause is that people were deleted at the service (E15) before the export was made`,
    );
  // After an erasure, counts cannot show whether a short export is complete.
  if (reasons.length === 0) return undefined;
  return { event: 'short', key, records: Math.max(repeated, uncounted), note: reasons.join('; ') };
}

/** Minimum number of campaigns and journeys that lack records before deleted people are the likely cause. */
const SPREAD = 3;

/** Maximum share of missing records that deleted people can explain. */
const LIKELY_DELETED = 0.1;

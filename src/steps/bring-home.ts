/** Downloads a paid export: waits until it is ready, lands its pages, loads them. Each step is on record. */
import { createHash } from 'node:crypto';
import { DamageError, ServiceError } from '../errors.js';
import { readPage, type Page, type Result } from '../extract/export-page.js';
import {
  awaitExport,
  collectPages,
  type ExportReading,
  type PageSink,
  type Waiting,
} from '../extract/export-result.js';
import type { House } from '../house.js';
import type { ExportEntry } from '../landing/export-entry.js';
import type { ExportPlace } from '../landing/place.js';
import type { ExportLine } from '../run-report.js';
import { formatCount } from '../terminal.js';
import { loadExport } from './catch-up.js';
import { estimateDays } from './estimate.js';

export interface Download {
  /** Whether this very run paid for it. */
  readonly requested: boolean;
  /** A person says that the export really holds no record. */
  readonly acceptEmpty?: boolean;
  /** Whether the service is asked even if every page is on disk: it may have more of them by now. */
  readonly lookAgain?: boolean;
}

export async function bringHome(house: House, entry: ExportEntry, download: Download): Promise<ExportLine> {
  const { key, day, exportId } = entry;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const landed = await land(house, entry, { day, key, exportId }, download);
  if (landed !== undefined) await loadExport(house, landed);
  return { key, day, records: landed?.records, requested: download.requested };
}

async function land(
  house: House,
  entry: ExportEntry,
  place: ExportPlace,
  { acceptEmpty = false, lookAgain = false }: Download,
): Promise<ExportEntry | undefined> {
  const { config, service, ledger, landing, effects, signal, terminal, report } = house;
  const { key, day } = entry;
  const { pageParameter, maxWaitMinutes } = config.exports;
  const reading: ExportReading = { service, effects, signal, exportId: place.exportId, pageParameter };
  const gap = (reason: string): void => {
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };
  const trouble = async (reason: string): Promise<void> => {
    await ledger.troubled(key, reason);
    gap(reason);
  };
  const keep = keeper(house, key);

  const earlier = await landedPages(house, place);
  const missing = firstMissing(earlier);
  const [whole] = missing === undefined && !lookAgain ? earlier : [];
  const waiting: Waiting =
    whole === undefined
      ? await awaitExport(reading, {
          // What was doubted before waits for a person: it is looked at once, and holds nobody up.
          maxWaitMs: entry.doubted ? 0 : maxWaitMinutes * 60_000,
          expectsRecords: !acceptEmpty && (await expectsRecords(house, entry)),
          missing: missing ?? 0,
          async onAnswer(result) {
            if (result.kind !== 'processing') return keep(result);
            terminal.progress(`waiting for the export of ${day}`);
            if (ledger.get(key).state === 'requested') await ledger.processing(key);
          },
        })
      : { kind: 'ready', first: whole };
  switch (waiting.kind) {
    case 'processing':
      await trouble(
        `export ${key} is not ready after ${maxWaitMinutes} minutes; the next run goes on waiting, at no cost`,
      );
      return undefined;
    case 'stuck':
      await trouble(
        `export ${key} is not delivered (${waiting.reason}); the next run asks again, at no cost`,
      );
      return undefined;
    case 'doubtful':
      await ledger.doubted(key, waiting.note);
      gap(
        `export ${key} came without a record though the daily statistics tell of some; it is not believed yet`,
      );
      return undefined;
    case 'empty':
      if (waiting.page !== undefined) {
        await landing.land({ stream: 'events', export: place, page: 0 }, waiting.page.body);
      }
      await ledger.ready(key, 0);
      terminal.note(`events of ${day}: ${waiting.note}`);
      return ledger.landed(key, { pages: 0, records: 0 });
    case 'ready':
      break;
  }

  await ledger.ready(key, waiting.first.totalPages);
  try {
    let durable = earlier.length;
    const sink: PageSink = {
      async accept(page) {
        await landing.land({ stream: 'events', export: place, page: page.number }, page.body);
        durable++;
        terminal.progress(
          `events of ${day}: page ${formatCount(durable)} of ${formatCount(waiting.first.totalPages)}`,
        );
      },
      async reject(page, body) {
        await landing.land(
          { stream: 'rejected', endpoint: 'E21', what: `${key} page ${page}`, at: effects.now() },
          body,
        );
      },
    };
    const collected = await collectPages(reading, waiting.first, earlier, config.concurrency, sink);
    if (collected.notes.length > 0) {
      report.attend(
        `The export ${key} of ${day} was odd: ${collected.notes.join('; ')}. What came is loaded; \`dawnload exports resume ${key}\` reads it again, at no cost.`,
      );
    }
    return await ledger.landed(key, collected);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await trouble(`${error.message} ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

/** Whether the request was made for records, or the daily statistics tell of some by now. */
async function expectsRecords(
  { ledger, warehouse }: House,
  { day, estimate = 0 }: ExportEntry,
): Promise<boolean> {
  const { candidates } = estimateDays(ledger.entries(), await warehouse.messages(), [day]);
  return Math.max(estimate, candidates[0]?.estimate ?? 0) > 0;
}

/**
 * Puts an answer that brings no records on disk before anyone interprets it, each body once: what is asked for every few
 * seconds mostly answers the same.
 */
function keeper({ landing, effects }: House, key: string): (result: Result) => Promise<void> {
  const kept = new Set<string>();
  return async ({ kind, body, ...result }) => {
    if ((kind === 'page' && 'records' in result && result.records > 0) || body.length === 0) return;
    const fingerprint = createHash('sha256').update(body).digest('hex');
    if (kept.has(fingerprint)) return;
    kept.add(fingerprint);
    await landing.land(
      { stream: 'rejected', endpoint: 'E21', what: `${key} ${kind}`, at: effects.now() },
      body,
    );
  };
}

/** The number of the first page that has not landed; undefined when all of them have. */
function firstMissing(pages: readonly Page[]): number | undefined {
  const numbers = new Set(pages.map(({ number }) => number));
  const total = pages.reduce((most, { totalPages }) => Math.max(most, totalPages), 1);
  for (let number = 0; number < total; number++) if (!numbers.has(number)) return number;
  return undefined;
}

/** The pages of an earlier run with their records; one that is damaged, or empty, is read again, at no cost (E21). */
export async function landedPages({ landing }: House, place: ExportPlace): Promise<Page[]> {
  const pages: Page[] = [];
  for (const [number, file] of await landing.landedPages(place)) {
    try {
      const page = readPage(await landing.read(file), number);
      // Only what the set of pages needs: the bytes themselves stay on disk.
      if (page !== undefined && page.records > 0) pages.push({ ...page, body: Buffer.alloc(0) });
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
  }
  return pages;
}

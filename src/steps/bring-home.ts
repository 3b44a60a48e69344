/** Brings a paid export home: waits until it is ready, lands its pages, loads them. Each step is on record. */
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

/** @param requested whether this very run paid for it */
export async function bringHome(house: House, entry: ExportEntry, requested: boolean): Promise<ExportLine> {
  const { key, day, exportId } = entry;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const landed = await land(house, entry, { day, key, exportId });
  if (landed !== undefined) await loadExport(house, landed);
  return { key, day, records: landed?.records, requested };
}

async function land(house: House, entry: ExportEntry, place: ExportPlace): Promise<ExportEntry | undefined> {
  const { config, service, ledger, landing, effects, signal, terminal, report } = house;
  const { key, day } = entry;
  const { pageParameter, maxWaitMinutes } = config.exports;
  const reading: ExportReading = { service, effects, signal, exportId: place.exportId, pageParameter };
  const trouble = async (reason: string): Promise<void> => {
    await ledger.troubled(key, reason);
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };

  const earlier = await landedPages(house, place);
  const onLook = async ({ kind }: Result): Promise<void> => {
    if (kind !== 'processing') return;
    terminal.progress(`waiting for the export of ${day}`);
    if (ledger.get(key).state === 'requested') await ledger.processing(key);
  };
  const missing = firstMissing(earlier);
  const [whole] = missing === undefined ? earlier : [];
  const waiting: Waiting =
    whole === undefined
      ? await awaitExport(reading, maxWaitMinutes * 60_000, onLook, missing)
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
    case 'empty':
      await ledger.ready(key, 0);
      terminal.note(`events of ${day}: ${waiting.note}`);
      return ledger.landed(key, 0, 0);
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
        `The export ${key} of ${day} was odd: ${collected.notes.join('; ')}. What came is loaded; compare it with \`dawnload query checks\`.`,
      );
    }
    return await ledger.landed(key, collected.pages, collected.records);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await trouble(`${error.message} ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

/** The number of the first page that has not landed; undefined when all of them have. */
function firstMissing(pages: readonly Page[]): number | undefined {
  const numbers = new Set(pages.map(({ number }) => number));
  const total = pages.reduce((most, { totalPages }) => Math.max(most, totalPages), 1);
  for (let number = 0; number < total; number++) if (!numbers.has(number)) return number;
  return undefined;
}

/** The pages of an earlier run; one that is damaged is read again, which costs nothing (E21). */
async function landedPages({ landing }: House, place: ExportPlace): Promise<Page[]> {
  const pages: Page[] = [];
  for (const [number, file] of await landing.landedPages(place)) {
    try {
      const page = readPage(await landing.read(file), number);
      // Only what the set of pages needs: the bytes themselves stay on disk.
      if (page !== undefined) pages.push({ ...page, body: Buffer.alloc(0) });
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
  }
  return pages;
}

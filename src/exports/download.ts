/**
 * Downloads a paid export: waits until it is ready, lands its pages and loads them. Each step is recorded in the ledger.
 */
import { createHash } from 'node:crypto';
import type { Day } from '../calendar.js';
import { DamageError, ServiceError } from '../errors.js';
import {
  landedPages,
  sumOf,
  type Page,
  type Result,
  awaitExport,
  collectPages,
  type ExportReading,
  type PageSink,
  type Waiting,
} from './poll.js';
import { presentOf } from '../api/clocks.js';
import { pullId, type Export } from './export.js';
import type { ExportFolder } from '../storage/paths.js';
import type { ExportLine, ExportsContext } from './paid-request.js';
import { estimateDays } from './budget.js';
import type { SizedFile } from '../storage/pull.js';
import { formatCount, plural } from '../terminal/terminal.js';

interface Download {
  /** True if this run paid for the export. */
  readonly requested: boolean;
  /** True if the user accepts an incomplete export: one without records, or with some pages missing. */
  readonly acceptIncomplete?: boolean;
  /** True if the service is asked even when every page is on disk, because it may have more pages by now. */
  readonly lookAgain?: boolean;
}

export async function downloadExport(
  context: ExportsContext,
  entry: Export,
  download: Download,
): Promise<ExportLine> {
  const { key, day, exportId } = entry;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const notes: string[] = [];
  const landed = await land(context, entry, { day, key, exportId }, download, notes);
  const isLoaded = landed !== undefined && (await context.loadExport(landed));
  if (notes.length > 0) {
    context.report.needsAction(
      `Export ${key} of ${day} is nonconforming: ${notes.join('; ')}. ` +
        (isLoaded ? 'The records that came are loaded. ' : '') +
        `To download it again at no cost: \`dawnload exports resume ${key}\`.`,
    );
  }
  return { key, day, records: landed?.records, requested: download.requested };
}

/** The answer to a question for an export, as the progress line shows it. */
const WAITING: Readonly<Record<Result['kind'], string>> = {
  page: 'ready',
  processing: 'processing',
  invalid_page: 'not ready',
  not_found: 'not found, asking again',
  trouble: 'no answer, asking again',
  unreadable: 'unreadable answer, asking again',
  strange: 'strange answer',
};

/** @param notes receives one clause for each deviation from the specification */
async function land(
  context: ExportsContext,
  entry: Export,
  place: ExportFolder,
  { acceptIncomplete = false, lookAgain = false }: Download,
  notes: string[],
): Promise<Export | undefined> {
  const { config, service, ledger, landing, effects, signal, terminal, report } = context;
  const { key, day } = entry;
  const { pageParameter, maxWaitMinutes } = config.exports;
  const reading: ExportReading = { service, effects, signal, exportId: place.exportId, pageParameter };
  const gap = (reason: string): void => {
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };
  const trouble = async (note: string, reason = note): Promise<void> => {
    await ledger.fetchFailed(key, note);
    gap(reason);
  };
  const keep = keeper(context, key);

  const earlier = await landedPages(context, place);
  const missing = firstMissing(earlier);
  const [whole] = missing === undefined && !lookAgain ? earlier : [];
  const waiting: Waiting =
    whole === undefined
      ? await awaitExport(reading, {
          // A doubted export waits for the user's decision: the service is asked once, so that the run is not delayed.
          maxWaitMs: entry.doubted ? 0 : maxWaitMinutes * 60_000,
          expectsRecords: !acceptIncomplete && (await expectsRecords(context, entry)),
          missing: missing ?? 0,
          landed: earlier[0],
          async onAnswer(result) {
            terminal.progress(`waiting for the export of ${day}, ${WAITING[result.kind]}`);
            if (result.kind !== 'processing') return keep(result);
            if (ledger.get(key).state === 'requested') await ledger.processing(key);
          },
        })
      : { kind: 'ready', first: whole };
  if (acceptIncomplete && waiting.kind !== 'ready' && earlier.length > 0) return landWhatCame(context, place);
  switch (waiting.kind) {
    case 'processing':
      report.pending(key);
      await trouble(
        `Export ${key} is not ready after ${maxWaitMinutes} minutes. The next run resumes it at no cost.`,
      );
      return undefined;
    case 'stuck':
      await trouble(
        `Export ${key} is not delivered.`,
        `Export ${key} is not delivered (${waiting.reason}). The next run resumes it at no cost.`,
      );
      return undefined;
    case 'doubtful':
      await ledger.doubted(key, 'The service reports no records although the daily statistics count some.');
      gap(
        `Export ${key} came without records although the daily statistics count some. It is not accepted yet.`,
      );
      return undefined;
    case 'empty':
      if (waiting.page !== undefined) {
        await landing.land({ stream: 'events', export: place, page: 0 }, waiting.page.body);
      }
      await ledger.ready(key, 0);
      terminal.note(`Events of ${day}: ${waiting.note}`);
      return ledger.landed(key, { pages: 0, records: 0 }, presentOf(context));
    case 'ready':
      break;
  }

  await ledger.ready(key, waiting.first.totalPages);
  // An export that was loaded before is reloaded only when all of its pages have landed.
  const early = entry.landings === 0 ? loadEarly(context, entry, earlier) : undefined;
  try {
    const again = lookAgain ? earlier.map(({ number }) => number) : [];
    const atLeast = acceptIncomplete ? 0 : await recordsAtLeast(context, day);
    const sink = await sinkFor(context, place, { totalPages: waiting.first.totalPages, earlier }, early);
    const expected = { atLeast, again, unreadable: waiting.unreadable ?? -1 };
    const pages = await collectPages(reading, waiting.first, earlier, config.concurrency, sink, expected);
    notes.push(...pages.notes);
    const unreadable = acceptIncomplete ? undefined : pages.unreadable;
    const landed = await ledger.landed(key, { ...pages, unreadable }, early?.since ?? presentOf(context));
    terminal.record(`Downloaded the export of ${day}.`, {
      event: 'export_downloaded',
      key,
      date: day,
      pages: pages.pages,
      records: pages.records,
    });
    await early?.end(pages.records);
    return landed;
  } catch (error) {
    await early?.fail(error);
    if (!(error instanceof ServiceError)) throw error;
    if (acceptIncomplete) return landWhatCame(context, place);
    await trouble(`${error.message} ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

/** Creates the sink that lands new pages beside those of earlier runs. */
async function sinkFor(
  context: ExportsContext,
  place: ExportFolder,
  { totalPages, earlier }: { readonly totalPages: number; readonly earlier: readonly Page[] },
  early: EarlyLoad | undefined,
): Promise<PageSink> {
  const { landing, terminal, effects } = context;
  const onDisk = new Set((await landing.landedPages(place)).keys());
  let records = sumOf(earlier);
  const show = (total: number): void => {
    const pages = `page ${formatCount(onDisk.size)} of ${formatCount(total)}`;
    terminal.progress(`events of ${place.day}: ${pages}, ${plural(records, 'record')}`);
  };
  show(totalPages);
  return {
    async accept(page) {
      if (onDisk.has(page.number)) await keepReplaced(context, place, page.number);
      const landed = await landing.land({ stream: 'events', export: place, page: page.number }, page.body);
      early?.add(landed);
      onDisk.add(page.number);
      records += page.records;
      show(Math.max(totalPages, page.totalPages));
    },
    async reject(page, body) {
      const what = `${place.key} page ${page}`;
      await landing.land({ stream: 'rejected', endpoint: 'E21', what, at: effects.now() }, body);
    },
  };
}

/** Accepts the pages on disk as the complete export. */
async function landWhatCame(context: ExportsContext, place: ExportFolder): Promise<Export> {
  const pages = await landedPages(context, place);
  await context.ledger.ready(place.key, pages.length);
  const all = { pages: pages.length, records: sumOf(pages) };
  return context.ledger.landed(place.key, all, presentOf(context));
}

/**
 * The least number of records to expect: half of the count in the daily statistics. An export with fewer records lacks
 * pages, or the export and the statistics count different things.
 */
async function recordsAtLeast({ ledger, warehouse }: ExportsContext, day: Day): Promise<number> {
  const messages = await warehouse.messages();
  const { candidates, learned } = estimateDays(ledger.entries(), messages, [day]);
  return ((learned ? candidates[0]?.estimate : messages.get(day)?.sent) ?? 0) / 2;
}

/** True if the estimate made at the request, or the current daily statistics, expect records. */
async function expectsRecords(
  { ledger, warehouse }: ExportsContext,
  { day, estimate = 0 }: Export,
): Promise<boolean> {
  const { candidates } = estimateDays(ledger.entries(), await warehouse.messages(), [day]);
  return Math.max(estimate, candidates[0]?.estimate ?? 0) > 0;
}

/**
 * Lands each answer without records before it is interpreted, but each distinct body only once, since polling mostly
 * returns identical answers.
 */
function keeper({ landing, effects }: ExportsContext, key: string): (result: Result) => Promise<void> {
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

/** Lands a copy of a page before another one replaces it, so that no received data is lost. */
async function keepReplaced(
  { landing, effects }: ExportsContext,
  place: ExportFolder,
  page: number,
): Promise<void> {
  const file = (await landing.landedPages(place)).get(page);
  if (file === undefined) return;
  const body = await landing.read(file).catch((error: unknown) => {
    if (!(error instanceof DamageError)) throw error;
  });
  if (body === undefined) return;
  const what = `${place.key} page ${page} replaced`;
  await landing.land({ stream: 'rejected', endpoint: 'E21', what, at: effects.now() }, body);
}

/** The number of the first page that has not landed; undefined if all pages have landed. */
function firstMissing(pages: readonly Page[]): number | undefined {
  const numbers = new Set(pages.map(({ number }) => number));
  const total = pages.reduce((most, { totalPages }) => Math.max(most, totalPages), 1);
  for (let number = 0; number < total; number++) if (!numbers.has(number)) return number;
  return undefined;
}

// Loads the pages of an export while they arrive: the load takes the landed pages and waits for the others, so that the
// day is in the warehouse soon after its last page. The load is one transaction; if a page does not arrive, it is rolled
// back.

/** A load that was started with the first pages. */
interface EarlyLoad {
  /** The instant at which the export counts as landed; if a day has two exports, the later one counts. */
  readonly since: Date;
  /** Call when a page is durable on disk. */
  add(page: SizedFile): void;
  /**
   * Call when all pages have landed. Resolves when the load has ended; if the load failed, the later load from disk
   * reports the cause.
   */
  end(records: number): Promise<void>;
  /** Call when some pages will not arrive. Resolves when the load has ended. */
  fail(error: unknown): Promise<void>;
}

/** @param landed pages landed by an earlier run */
function loadEarly(context: ExportsContext, entry: Export, landed: Iterable<SizedFile>): EarlyLoad {
  const { day, window, exportId = '' } = entry;
  const since = presentOf(context);
  const files = new ArrivingPages();
  for (const page of landed) files.add(page);
  let tell: (records: number) => void = () => undefined;
  const records = new Promise<number>((resolve) => (tell = resolve));
  const loading = context
    .load([{ stream: 'events', id: pullId(entry), day, window, exportId, pulledAt: since, files, records }])
    .then(
      () => undefined,
      () => undefined,
    );
  return {
    since,
    add: (page) => {
      files.add(page);
    },
    end: (number) => {
      tell(number);
      files.end();
      return loading;
    },
    fail: (error) => {
      files.fail(error);
      return loading;
    },
  };
}

/** Minimum size of a batch, in bytes of JSON; smaller batches cost more than they save. */
const WORTH_A_BATCH = 16 * 1024 * 1024;

class ArrivingPages implements AsyncIterable<readonly SizedFile[]> {
  readonly #pages: SizedFile[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /** Call when a page is durable on disk. A page that replaces an earlier one may come too late for this load. */
  add(page: SizedFile): void {
    const isReplaced = this.#pages.some(({ file }) => file === page.file);
    if (isReplaced) this.#failure ??= { error: new Error(`${page.file} was replaced`) };
    this.#pages.push(page);
    this.#wake();
  }

  /** Call when all pages have landed. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Call when some pages will not arrive; the reader of this source receives the error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  /** Yields all pages from the first one, so that a retried load reads them again. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly SizedFile[]> {
    for (let taken = 0; ;) {
      const waiting = (): number => this.#pages.slice(taken).reduce((sum, { bytes }) => sum + bytes, 0);
      while (waiting() < WORTH_A_BATCH && !this.#ended && this.#failure === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      const some = this.#pages.slice(taken);
      if (some.length === 0) return;
      taken += some.length;
      yield some;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

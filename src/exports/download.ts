/**
 * Downloads a paid export: waits until it is ready, lands its pages and loads them. Each step is recorded in the ledger.
 */
import type { Day } from '../calendar.js';
import { DamageError, ServiceError } from '../errors.js';
import {
  landedPages,
  sumOf,
  type Page,
  type Result,
  awaitExport,
  collectPages,
  type ExportReading as Asking,
  type LandedPage,
  type PageSink,
  type Waiting,
} from './poll.js';
import { presentOf } from '../api/clocks.js';
import type { Export } from './export.js';
import type { ExportReading } from '../storage/landing-zone.js';
import type { ExportFolder } from '../storage/paths.js';
import type { ExportLine, ExportsContext } from './paid-request.js';
import { estimateDays } from './budget.js';
import { factsOf, rowsIn, type Page as LandedFile, type Pull } from '../storage/pull.js';
import { readWhole } from '../storage/repair-json.js';
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
  const asking: Asking = { service, effects, signal, exportId: place.exportId, pageParameter };
  const gap = (reason: string): void => {
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };
  const trouble = async (note: string, reason = note): Promise<void> => {
    await ledger.note(key, 'troubled', note);
    gap(reason);
  };

  /** Keeps an answer without records before it is interpreted. */
  const keep = async (kind: string, body: Buffer): Promise<void> => {
    if (body.length > 0)
      await landing.reject({ endpoint: 'E21', what: `${key} ${kind}`, at: effects.now() }, body);
  };

  const { writer, earlier, ended } = await readingOf(
    context,
    place,
    { lookAgain, landedAt: entry.landedAt },
    notes,
  );
  let at: Date | undefined;
  /** The instant at which the export counts as landed: the first time that it is asked for. */
  const instant = (): Date => (at ??= laterThan(entry.landedAt, presentOf(context)));
  const finish = async (
    files: readonly LandedFile[],
    counts: {
      readonly pages: number;
      readonly records: number;
      readonly unreadable?: readonly number[] | undefined;
    },
  ): Promise<Export> => {
    const { exportId } = place;
    const pull = await writer.finish(files, { exportId, unreadable: counts.unreadable ?? [] }, instant());
    await landing.discardBefore(place, pull);
    return ledger.landed(key, counts, pull.pulledAt);
  };
  /** Accepts the pages on disk as the complete export. */
  const finishWithWhatCame = async (): Promise<Export> => {
    const pages = await landedPages(landing, writer.id);
    await ledger.ready(key, pages.length);
    return finish(pages, { pages: pages.length, records: sumOf(pages) });
  };
  if (ended !== undefined) {
    // Killed between the manifest and the line of the ledger.
    const { files, facts, pulledAt } = ended;
    const unreadable = facts.unreadable.length === 0 ? undefined : facts.unreadable;
    const pages = files.length + facts.unreadable.length;
    await landing.discardBefore(place, ended);
    await ledger.ready(key, pages);
    return ledger.landed(key, { pages, records: rowsIn(files), unreadable }, pulledAt);
  }
  const missing = firstMissing(earlier);
  const [whole] = missing === undefined && !lookAgain ? earlier : [];
  const waiting: Waiting =
    whole === undefined
      ? await awaitExport(asking, {
          // A doubted export waits for the user's decision: the service is asked once, so that the run is not delayed.
          maxWaitMs: entry.doubted ? 0 : maxWaitMinutes * 60_000,
          expectsRecords: !acceptIncomplete && (await expectsRecords(context, entry)),
          missing: missing ?? 0,
          landed: earlier[0],
          async onAnswer(result) {
            terminal.progress(`waiting for the export of ${day}, ${WAITING[result.kind]}`);
            if (result.kind === 'processing') {
              if (ledger.get(key).state === 'requested') await ledger.processing(key);
            } else if (result.kind !== 'page' || result.records === 0) await keep(result.kind, result.body);
          },
        })
      : { kind: 'ready', first: whole };
  if (acceptIncomplete && waiting.kind !== 'ready' && earlier.length > 0) return finishWithWhatCame();
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
      await ledger.note(
        key,
        'doubted',
        'The service reports no records although the daily statistics count some.',
      );
      gap(
        `Export ${key} came without records although the daily statistics count some. It is not accepted yet.`,
      );
      return undefined;
    case 'empty':
      if (waiting.page !== undefined) await writer.land(waiting.page.body, 0, 0);
      await ledger.ready(key, 0);
      terminal.note(`Events of ${day}: ${waiting.note}`);
      return finish([], { pages: 0, records: 0 });
    case 'ready':
      break;
  }

  await ledger.ready(key, waiting.first.totalPages);
  // An export that was loaded before is reloaded only when all of its pages have landed.
  const early = entry.landings === 0 ? loadEarly(context, writer, instant(), earlier) : undefined;
  try {
    const again = lookAgain ? earlier.map(({ number }) => number) : [];
    const atLeast = acceptIncomplete ? 0 : await recordsAtLeast(context, day);
    const landed = new Map<number, LandedFile>(earlier.map((page) => [page.number, page]));
    const sink = sinkFor(context, place, writer, waiting.first.totalPages, landed, early);
    const expected = { atLeast, again, unreadable: waiting.unreadable ?? -1 };
    const pages = await collectPages(asking, waiting.first, earlier, config.concurrency, sink, expected);
    notes.push(...pages.notes);
    const unreadable = acceptIncomplete ? undefined : pages.unreadable;
    const files = [...landed].sort(([a], [b]) => a - b).map(([, page]) => page);
    const done = await finish(files, { pages: pages.pages, records: pages.records, unreadable });
    terminal.record(`Downloaded the export of ${day}.`, {
      event: 'export_downloaded',
      key,
      date: day,
      pages: pages.pages,
      records: pages.records,
    });
    await early?.end(pages.records);
    return done;
  } catch (error) {
    await early?.fail(error);
    if (!(error instanceof ServiceError)) throw error;
    if (acceptIncomplete) return finishWithWhatCame();
    await trouble(`${error.message} ${error.hint ?? ''}`.trim());
    return undefined;
  }
}

/**
 * Returns the reading to go on with and its intact pages. A reading that is whole is `ended` if its pages are intact and
 * the service need not be asked again; otherwise another one begins with its pages, and the old one stays until that is
 * whole.
 *
 * @param notes receives a clause if the manifest cannot be read
 */
async function readingOf(
  context: ExportsContext,
  place: ExportFolder,
  { lookAgain, landedAt }: { readonly lookAgain: boolean; readonly landedAt: Date | undefined },
  notes: string[],
): Promise<{ writer: ExportReading; earlier: LandedPage[]; ended?: Pull }> {
  const { landing } = context;
  let writer = await landing.reading(place);
  let whole: Pull | 'damaged' | undefined;
  try {
    const pull = await landing.pull(writer.id);
    whole = pull && { ...pull, isCut: () => context.isCut(pull.id) };
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    notes.push('its manifest could not be read');
    whole = 'damaged';
  }
  if (whole !== undefined) {
    const pages = await landedPages(landing, writer.id, whole === 'damaged' ? undefined : whole);
    // A reading that landed before the export had another id would count as older than what that one brought.
    const isNew = whole !== 'damaged' && (landedAt === undefined || whole.pulledAt > landedAt);
    if (whole !== 'damaged' && isNew && !lookAgain && isIntact(whole, pages))
      return { writer, earlier: pages, ended: whole };
    writer = await landing.reading(place, 'next');
  }
  const earlier = await landedPages(landing, writer.id);
  const held = new Set(earlier.map(({ number }) => number));
  for (const page of writer.before === undefined ? [] : await landedPages(landing, writer.before)) {
    if (held.has(page.number)) continue;
    const copy = await writer.land(await readWhole(page.file), page.records, page.number);
    earlier.push({ ...page, ...copy });
  }
  return { writer, earlier };
}

/** The reading of an export that is whole; undefined also if its manifest cannot be read. */
export async function wholeReading(
  { landing, isCut }: Pick<ExportsContext, 'landing' | 'isCut'>,
  place: ExportFolder,
): Promise<Pull | undefined> {
  const pull = await landing.exportPull(place).catch((error: unknown) => {
    if (!(error instanceof DamageError)) throw error;
    return undefined;
  });
  return pull && { ...pull, isCut: () => isCut(pull.id) };
}

/** True if the pages hold what landed. */
export function isIntact({ files }: Pull, pages: readonly LandedPage[]): boolean {
  const held = new Map(pages.map(({ file, records }) => [file, records]));
  return files.every(({ file, rows }) => (held.get(file) ?? 0) === rows);
}

function laterThan(before: Date | undefined, now: Date): Date {
  return before === undefined || now > before ? now : new Date(before.getTime() + 1);
}

/**
 * Creates the sink that lands new pages beside those of earlier runs.
 *
 * @param landed the pages of earlier runs by number, to which new ones are added
 */
function sinkFor(
  context: ExportsContext,
  place: ExportFolder,
  writer: ExportReading,
  totalPages: number,
  landed: Map<number, LandedFile>,
  early: EarlyLoad | undefined,
): PageSink {
  const { landing, terminal, effects } = context;
  let records = rowsIn([...landed.values()]);
  const show = (total: number): void => {
    const pages = `page ${formatCount(landed.size)} of ${formatCount(total)}`;
    terminal.progress(`events of ${place.day}: ${pages}, ${plural(records, 'record')}`);
  };
  show(totalPages);
  return {
    async accept(page) {
      const before = landed.get(page.number);
      if (before !== undefined) await keepReplaced(context, place, page.number, before.file);
      const file = await writer.land(page.body, page.records, page.number);
      early?.add(file);
      landed.set(page.number, file);
      records += page.records;
      show(Math.max(totalPages, page.totalPages));
    },
    async reject(page, body) {
      const what = `${place.key} page ${page}`;
      await landing.reject({ endpoint: 'E21', what, at: effects.now() }, body);
    },
  };
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

/** Lands a copy of a page before another one replaces it, so that no received data is lost. */
async function keepReplaced(
  { landing, effects }: ExportsContext,
  place: ExportFolder,
  page: number,
  file: string,
): Promise<void> {
  const body = await readWhole(file).catch((error: unknown) => {
    if (!(error instanceof DamageError)) throw error;
  });
  if (body === undefined) return;
  const what = `${place.key} page ${page} replaced`;
  await landing.reject({ endpoint: 'E21', what, at: effects.now() }, body);
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
  /** Call when a page is durable on disk. */
  add(page: LandedFile): void;
  /**
   * Call when all pages have landed. Resolves when the load has ended; if the load failed, the later load from disk
   * reports the cause.
   */
  end(records: number): Promise<void>;
  /** Call when some pages will not arrive. Resolves when the load has ended. */
  fail(error: unknown): Promise<void>;
}

/**
 * @param pulledAt the instant at which the export counts as landed; if a day has two exports, the later one counts
 * @param landed pages landed by an earlier run
 */
function loadEarly(
  context: ExportsContext,
  { stream, id, days }: ExportReading,
  pulledAt: Date,
  landed: Iterable<LandedFile>,
): EarlyLoad {
  const pages = new ArrivingPages();
  for (const page of landed) pages.add(page);
  let tell: (records: number) => void = () => undefined;
  const rows = new Promise<number>((resolve) => (tell = resolve));
  const loading = context
    .load([{ stream, id, days, pulledAt, files: [], facts: factsOf(), arriving: { pages, rows } }])
    .then(
      () => undefined,
      () => undefined,
    );
  return {
    add: (page) => {
      pages.add(page);
    },
    end: (number) => {
      tell(number);
      pages.end();
      return loading;
    },
    fail: (error) => {
      pages.fail(error);
      return loading;
    },
  };
}

/** Minimum size of a batch, in bytes of JSON; smaller batches cost more than they save. */
const WORTH_A_BATCH = 16 * 1024 * 1024;

class ArrivingPages implements AsyncIterable<readonly LandedFile[]> {
  readonly #pages: LandedFile[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /** Call when a page is durable on disk. A page that replaces an earlier one may come too late for this load. */
  add(page: LandedFile): void {
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
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly LandedFile[]> {
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

/**
 * Downloads a paid export: waits until it is ready, lands its pages and loads them. Each step is recorded in the ledger.
 */
import { DamageError, ServiceError } from '../ground/errors.js';
import {
  landedPages,
  type Page,
  type Result,
  awaitExport,
  collectPages,
  type Asking,
  type LandedPage,
  type PageSink,
  type Waiting,
} from './poll.js';
import { presentOf } from '../service/clocks.js';
import type { Export } from './export.js';
import type { PullWriter } from '../landing/landing-zone.js';
import type { ExportFolder } from '../landing/paths.js';
import type { ExportsContext } from './paid-request.js';
import { estimateDays } from './budget.js';
import { factsOf, rowsIn, type Page as LandedFile, type Pull } from '../landing/pull.js';
import { readWhole } from '../landing/repair-json.js';
import { unlessDamaged } from '../landing/storage-error.js';
import { formatCount, plural } from '../terminal/terminal.js';

interface Download {
  /** True if the user accepts an incomplete export: one without records, or with some pages missing. */
  readonly acceptIncomplete?: boolean;
  /** True if the service is asked even when every page is on disk, because it may have more pages by now. */
  readonly lookAgain?: boolean;
}

/** Downloads an export and loads it, and reports both. */
export async function downloadExport(
  context: ExportsContext,
  entry: Export,
  download: Download = {},
): Promise<void> {
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
  const requested = entry.run === context.runId;
  context.report.exported({ key, day, records: landed?.records, requested });
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
  const { key, day, landedAt } = entry;
  const { exportId } = place;
  const { pageParameter, maxWaitMinutes } = config.exports;
  const gap = (reason: string): void => {
    report.gap({ stream: 'events', days: { start: day, end: day }, reason });
  };
  const trouble = async (note: string, reason = note): Promise<undefined> => {
    await ledger.note(key, 'troubled', note);
    gap(reason);
  };
  /** Records that a reading is whole. */
  const landed = async (pull: Pull): Promise<Export> => {
    const { files, facts, pulledAt } = pull;
    const pages = files.length + facts.unreadable.length;
    const unreadable = facts.unreadable.length === 0 ? undefined : facts.unreadable;
    await landing.discardBefore(place, pull);
    await ledger.ready(key, pages);
    return ledger.landed(key, { pages, records: rowsIn(files), unreadable }, pulledAt);
  };

  const { writer, earlier, ended } = await readingOf(context, place, { lookAgain, landedAt }, notes);
  // Killed between the manifest and the line of the ledger.
  if (ended !== undefined) return landed(ended);

  const expected = acceptIncomplete ? NOTHING_EXPECTED : await expectedOf(context, entry);
  const asking: Asking = { service, effects, signal, exportId, pageParameter };
  const missing = firstMissing(earlier);
  const [whole] = missing === undefined && !lookAgain ? earlier : [];
  const waiting: Waiting =
    whole === undefined
      ? await awaitExport(asking, {
          // A doubted export waits for the user's decision: the service is asked once, so that the run is not delayed.
          maxWaitMs: entry.doubted ? 0 : maxWaitMinutes * 60_000,
          expectsRecords: expected.some,
          missing: missing ?? 0,
          landed: earlier[0],
          async onAnswer(result) {
            terminal.progress(`waiting for the export of ${day}, ${WAITING[result.kind]}`);
            if (result.kind === 'processing') {
              if (ledger.get(key).state === 'requested') await ledger.processing(key);
            } else if (result.body.length > 0 && (result.kind !== 'page' || result.records === 0))
              await setAside(context, `${key} ${result.kind}`, result.body);
          },
        })
      : { kind: 'ready', first: whole };

  const now = presentOf(context);
  const pulledAt = landedAt === undefined || now > landedAt ? now : new Date(landedAt.getTime() + 1);
  const finish = async (files: readonly LandedFile[], unreadable: readonly number[] = []): Promise<Export> =>
    landed(await writer.finish(files, { exportId, unreadable }, pulledAt));
  /** Accepts the pages on disk as the complete export. */
  const finishWithWhatCame = async (): Promise<Export> => finish(await landedPages(landing, writer.id));
  if (acceptIncomplete && waiting.kind !== 'ready' && earlier.length > 0) return finishWithWhatCame();
  switch (waiting.kind) {
    case 'processing':
      report.pending(key);
      return trouble(
        `Export ${key} is not ready after ${maxWaitMinutes} minutes. The next run resumes it at no cost.`,
      );
    case 'stuck':
      return trouble(
        `Export ${key} is not delivered.`,
        `Export ${key} is not delivered (${waiting.reason}). The next run resumes it at no cost.`,
      );
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
      terminal.note(`Events of ${day}: ${waiting.note}`);
      return finish([]);
    case 'ready':
      break;
  }

  await ledger.ready(key, waiting.first.totalPages);
  const files = new Map<number, LandedFile>(earlier.map((page) => [page.number, page]));
  // An export that was loaded before is reloaded only when all of its pages have landed.
  const early = entry.landings === 0 ? new EarlyLoad(context, writer, pulledAt, files.values()) : undefined;
  try {
    const sink = sinkFor(context, place, writer, waiting.first.totalPages, files, early);
    const pages = await collectPages(asking, waiting.first, earlier, config.concurrency, sink, {
      atLeast: expected.atLeast,
      again: lookAgain ? earlier.map(({ number }) => number) : [],
      unreadable: waiting.unreadable ?? -1,
    });
    notes.push(...pages.notes);
    const inOrder = [...files].sort(([a], [b]) => a - b).map(([, page]) => page);
    const done = await finish(inOrder, acceptIncomplete ? [] : pages.unreadable);
    terminal.record(`Downloaded the export of ${day}.`, {
      event: 'export_downloaded',
      key,
      date: day,
      pages: pages.pages,
      records: pages.records,
    });
    await early?.end();
    return done;
  } catch (error) {
    await early?.fail(error);
    if (!(error instanceof ServiceError)) throw error;
    if (acceptIncomplete) return finishWithWhatCame();
    return trouble(`${error.message} ${error.hint ?? ''}`.trim());
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
): Promise<{ writer: PullWriter; earlier: LandedPage[]; ended?: Pull }> {
  const { landing } = context;
  let writer = await landing.reading(place);
  const damage: DamageError[] = [];
  const pull = await unlessDamaged(landing.pull(writer.id), (error) => damage.push(error));
  if (damage.length > 0) notes.push('its manifest could not be read');
  if (pull !== undefined) {
    const whole = { ...pull, isCut: () => context.isCut(pull.id) };
    const pages = await landedPages(landing, writer.id, whole);
    // A reading that landed before the export had another id would count as older than what that one brought.
    const isNew = landedAt === undefined || whole.pulledAt > landedAt;
    if (isNew && !lookAgain && isIntact(whole, pages)) return { writer, earlier: pages, ended: whole };
  }
  if (pull !== undefined || damage.length > 0) writer = await landing.reading(place, 'next');
  const earlier = await landedPages(landing, writer.id);
  const present = new Set(earlier.map(({ number }) => number));
  for (const page of writer.before === undefined ? [] : await landedPages(landing, writer.before)) {
    if (present.has(page.number)) continue;
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
  const pull = await unlessDamaged(landing.exportPull(place));
  return pull && { ...pull, isCut: () => isCut(pull.id) };
}

/** True if the pages hold what landed. */
export function isIntact({ files }: Pull, pages: readonly LandedPage[]): boolean {
  const found = new Map(pages.map(({ file, records }) => [file, records]));
  return files.every(({ file, rows }) => (found.get(file) ?? 0) === rows);
}

/**
 * Creates the sink that lands new pages beside those of earlier runs.
 *
 * @param landed the pages of earlier runs by number, to which new ones are added
 */
function sinkFor(
  context: ExportsContext,
  place: ExportFolder,
  writer: PullWriter,
  totalPages: number,
  landed: Map<number, LandedFile>,
  early: EarlyLoad | undefined,
): PageSink {
  const { terminal } = context;
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
    reject: (page, body) => setAside(context, `${place.key} page ${page}`, body),
  };
}

/** Sets aside an answer that is no page of the export. */
async function setAside({ landing }: ExportsContext, what: string, body: Buffer): Promise<void> {
  await landing.reject('E21', what, body);
}

/** Sets aside a page before another one replaces it, so that no received data is lost. */
async function keepReplaced(
  context: ExportsContext,
  { key }: ExportFolder,
  page: number,
  file: string,
): Promise<void> {
  const body = await unlessDamaged(readWhole(file));
  if (body !== undefined) await setAside(context, `${key} page ${page} replaced`, body);
}

interface Expected {
  /** True if the estimate made at the request, or the current daily statistics, expect records. */
  readonly some: boolean;
  /**
   * The least number of records: half of the count in the daily statistics. An export with fewer records lacks pages, or
   * the export and the statistics count different things.
   */
  readonly atLeast: number;
}

const NOTHING_EXPECTED: Expected = { some: false, atLeast: 0 };

async function expectedOf(
  { ledger, warehouse }: ExportsContext,
  { day, estimate = 0 }: Export,
): Promise<Expected> {
  const messages = await warehouse.messages();
  const { candidates, learned } = estimateDays(ledger.entries(), messages, [day]);
  const counted = candidates[0]?.estimate ?? 0;
  return {
    some: Math.max(estimate, counted) > 0,
    atLeast: (learned ? counted : (messages.get(day)?.sent ?? 0)) / 2,
  };
}

/** The number of the first page that has not landed; undefined if all pages have landed. */
function firstMissing(pages: readonly Page[]): number | undefined {
  const numbers = new Set(pages.map(({ number }) => number));
  const total = pages.reduce((most, { totalPages }) => Math.max(most, totalPages), 1);
  for (let number = 0; number < total; number++) if (!numbers.has(number)) return number;
  return undefined;
}

/** Minimum size of a batch, in bytes of JSON; smaller batches cost more than they save. */
const WORTH_A_BATCH = 16 * 1024 * 1024;

/**
 * Loads the pages of an export while they arrive: the load takes the landed pages and waits for the others, so that the
 * day is in the warehouse soon after its last page. The load is one transaction; if a page does not arrive, it is rolled
 * back. If the load fails, the later load from disk reports the cause.
 */
class EarlyLoad implements AsyncIterable<readonly LandedFile[]> {
  readonly #pages: LandedFile[];
  readonly #loading: Promise<unknown>;
  #waiting: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param pulledAt the instant at which the export counts as landed; if a day has two exports, the later one counts
   * @param landed pages landed by an earlier run
   */
  constructor(
    context: ExportsContext,
    { stream, id, days }: PullWriter,
    pulledAt: Date,
    landed: Iterable<LandedFile>,
  ) {
    this.#pages = [...landed];
    const arriving = { pages: this, rows: () => rowsIn(this.#pages) };
    this.#loading = context
      .load([{ stream, id, days, pulledAt, files: [], facts: factsOf(), arriving }])
      .catch(() => undefined);
  }

  /** Call when a page is durable on disk. A page that replaces an earlier one may come too late for this load. */
  add(page: LandedFile): void {
    const isReplaced = this.#pages.some(({ file }) => file === page.file);
    if (isReplaced) this.#failure ??= { error: new Error(`${page.file} was replaced`) };
    this.#pages.push(page);
    this.#wake();
  }

  /** Call when all pages have landed. Resolves when the load has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake();
    await this.#loading;
  }

  /** Call when some pages will not arrive. Resolves when the load has ended. */
  async fail(error: unknown): Promise<void> {
    this.#failure = { error };
    this.#wake();
    await this.#loading;
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

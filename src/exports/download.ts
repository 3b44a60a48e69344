/**
 * Downloads a paid export: waits until it is ready, lands its pages and loads them. Each step is recorded in the ledger.
 */
import { basename, dirname } from 'node:path';
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
import { isClosed, type Export } from './export.js';
import { readPull, type PullWriter, readWhole } from '../landing/landing-zone.js';
import { pageOf, type ExportFolder } from '../landing/paths.js';
import type { ExportsContext } from './paid-request.js';
import { estimateDays } from './budget.js';
import { factsOf, firstAnswers, rowsIn, type Page as LandedFile, type Pull } from '../landing/pull.js';
import { unlessDamaged } from '../landing/storage-error.js';
import { formatCount, plural } from '../terminal/terminal.js';

interface Download {
  /** True if the user accepts an incomplete export: one without records, or with some pages missing. */
  readonly acceptIncomplete?: boolean;
  /** True if the service is asked even when every page is on disk, because it may have more pages by now. */
  readonly lookAgain?: boolean;
}

/** Number of times that a run reads an export of which records came twice: another answer may hold those that are missing. */
const READINGS = 3;

/** Downloads an export and loads it, reports both, and records what a loaded export may lack. */
export async function downloadExport(
  context: ExportsContext,
  entry: Export,
  download: Download = {},
): Promise<void> {
  const { key, day, exportId, run } = entry;
  const { ledger, report, warehouse, runId } = context;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const notes: string[] = [];
  const read = async (how: Download, told: string[]): Promise<boolean> => {
    const landed = await land(context, ledger.get(key), { day, key, exportId }, how, told);
    return landed !== undefined && (await context.loadExport(landed));
  };
  let isNew = await read(download, notes);
  for (let reading = 1; isNew && reading < READINGS && !ledger.get(key).accepted; reading++)
    isNew = (await warehouse.lackOf(day)).repeated > 0 && (await read({ lookAgain: true }, []));
  const { state, records, accepted } = ledger.get(key);
  if (state === 'loaded') await (accepted ? ledger.loaded(key) : noteLack(context, ledger.get(key), notes));
  report.exports.push({ key, day, records, requested: run === runId });
}

/**
 * Records what a loaded export may lack; `notes` are clauses about its pages. Of an export that was short before persons were
 * erased from it, nobody can tell whether it is whole now.
 */
async function noteLack(
  { ledger, warehouse }: ExportsContext,
  { key, day, short }: Export,
  notes: readonly string[],
) {
  const { repeated, uncounted, erased } = await warehouse.lackOf(day);
  const reasons = [...notes];
  if (repeated > 0) reasons.unshift(`${plural(repeated, 'record')} came twice, so as many may be missing`);
  if (uncounted > 0)
    reasons.unshift(
      `it holds ${formatCount(uncounted)} successful sends fewer than the daily statistics count`,
    );
  if (reasons.length === 0 && erased > 0 && short !== undefined) return;
  if (reasons.length === 0) await ledger.loaded(key);
  else await ledger.short(key, Math.max(repeated, uncounted), reasons.join('; '));
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

/**
 * Lands the pages of an export. Of one that has landed before only a reading that brings something new counts, and a
 * failure changes nothing.
 *
 * @param notes receives one clause for each deviation from the specification
 * @returns undefined if nothing new has landed
 */
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
    report.gaps.push({ stream: 'events', days: { start: day, end: day }, reason });
  };
  const trouble = async (note: string, reason = note): Promise<undefined> => {
    if (!isClosed(entry)) await ledger.note(key, 'troubled', note);
    gap(reason);
  };
  /** Records that a reading is whole. */
  const landed = async (pull: Pull): Promise<Export> => {
    const { facts, pulledAt } = pull;
    const first = firstAnswers(pull.files);
    const pages = first.length + facts.unreadable.length;
    const unreadable = facts.unreadable.length === 0 ? undefined : facts.unreadable;
    const { accepted } = facts;
    await landing.discardBefore(place, pull);
    await ledger.ready(key, pages);
    return ledger.landed(key, { pages, records: rowsIn(first), unreadable, accepted }, pulledAt);
  };

  const { writer, earlier, whole } = await readingOf(context, place, notes);
  // Killed between the manifest and the line of the ledger. A reading that landed before the export had another id would
  // count as older than what that one brought.
  const isNew = whole !== undefined && (landedAt === undefined || whole.pulledAt > landedAt);
  if (isNew && !lookAgain) return landed(whole);

  const expected = acceptIncomplete ? NOTHING_EXPECTED : await expectedOf(context, entry);
  const asking: Asking = { service, effects, signal, exportId, pageParameter };
  const missing = firstMissing(earlier);
  const [known] = missing === undefined && !lookAgain ? earlier : [];
  const waiting: Waiting =
    known === undefined
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
              await landing.reject('E21', `${key} ${result.kind}`, result.body);
          },
        })
      : { kind: 'ready', first: known };

  const now = presentOf(context);
  const pulledAt = landedAt === undefined || now > landedAt ? now : new Date(landedAt.getTime() + 1);
  const files = new Map<number, LandedFile>(earlier.map((page) => [page.number, page]));
  const finish = async (unreadable: readonly number[] = []): Promise<Export> => {
    for (const [number, { file, rows }] of files) {
      // Pages of the reading before this one.
      if (basename(dirname(file)) === basename(writer.id)) continue;
      files.set(number, await writer.land(await readWhole(file), rows, number));
    }
    const inOrder = [...files].sort(([a], [b]) => a - b).map(([, page]) => page);
    return landed(
      await writer.finish(inOrder, { exportId, unreadable, accepted: acceptIncomplete }, pulledAt),
    );
  };
  if (acceptIncomplete && waiting.kind !== 'ready' && earlier.length > 0) return finish();
  if (isClosed(entry) && (waiting.kind === 'empty' || waiting.kind === 'doubtful')) return undefined;
  switch (waiting.kind) {
    case 'processing':
      report.pending.push(key);
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
      files.clear();
      return finish();
    case 'ready':
      break;
  }

  if (!isClosed(entry)) await ledger.ready(key, waiting.first.totalPages);
  // An export that was loaded before is reloaded only when all of its pages have landed.
  const isFirst = entry.landings === 0 && writer.before === undefined;
  const early = isFirst ? new EarlyLoad(context, writer, pulledAt, files.values()) : undefined;
  try {
    const sink = sinkFor(context, place, writer, waiting.first.totalPages, files, early);
    const lack = whole?.isCut?.() === false ? await context.warehouse.lackOf(day) : undefined;
    const pages = await collectPages(asking, waiting.first, earlier, config.concurrency, sink, {
      atLeast: expected.atLeast,
      again: lookAgain ? firstAnswers(earlier).map(({ number }) => number) : [],
      // Other answers may hold records that the export lacks. Records without an id would count twice.
      beside: lack !== undefined && lack.repeated + lack.uncounted > 0 && lack.without_id === 0,
      unreadable: waiting.unreadable ?? -1,
    });
    notes.push(...pages.notes);
    const held = new Set([...files.values()].filter(({ rows }) => rows > 0));
    const isSame = held.size === earlier.length && earlier.every((page) => held.has(page));
    if (whole !== undefined && !isNew && lookAgain && isSame && !acceptIncomplete) {
      terminal.note(`Export ${key} is as it was: the service has nothing more for it.`);
      return undefined;
    }
    const done = await finish(acceptIncomplete ? [] : pages.unreadable);
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
    if (acceptIncomplete) return finish();
    return trouble(`${error.message} ${error.hint ?? ''}`.trim());
  }
}

/**
 * Returns the reading to go on with, and the intact pages that it begins with. After a reading that has ended, which is
 * `whole` if its pages are intact, another one begins with its pages, and the old one stays until that has ended.
 *
 * @param notes receives a clause if the manifest cannot be read
 */
async function readingOf(
  context: ExportsContext,
  place: ExportFolder,
  notes: string[],
): Promise<{ writer: PullWriter; earlier: LandedPage[]; whole: Pull | undefined }> {
  const { landing } = context;
  let writer = await landing.reading(place);
  const damage: DamageError[] = [];
  const pull = await unlessDamaged(readPull(landing.folder, writer.id), (error) => damage.push(error));
  if (damage.length > 0) notes.push('its manifest could not be read');
  const ended = pull && { ...pull, isCut: () => context.isCut(pull.id) };
  const whole = ended && isIntact(ended, await landedPages(landing, writer.id, ended)) ? ended : undefined;
  if (pull !== undefined || damage.length > 0) writer = await landing.reading(place, 'next');
  const earlier = await landedPages(landing, writer.id);
  const present = new Set(earlier.map(({ number }) => number));
  for (const page of writer.before === undefined ? [] : await landedPages(landing, writer.before)) {
    if (!present.has(page.number)) earlier.push(page);
  }
  return { writer, earlier, whole };
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
function isIntact({ files }: Pull, pages: readonly LandedPage[]): boolean {
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
  const { terminal, landing } = context;
  let records = rowsIn([...landed.values()]);
  const show = (total: number): void => {
    const pages = `page ${formatCount(landed.size)} of ${formatCount(total)}`;
    terminal.progress(`events of ${place.day}: ${pages}, ${plural(records, 'record')}`);
  };
  show(totalPages);
  return {
    async accept(page) {
      // The page that this one replaces is set aside, so that no received data is lost.
      const before = landed.get(page.number);
      const body = before && (await unlessDamaged(readWhole(before.file)));
      if (body !== undefined) await landing.reject('E21', `${place.key} page ${page.number} replaced`, body);
      const file = await writer.land(page.body, page.records, page.number);
      early?.add(file);
      landed.set(page.number, file);
      records += page.records;
      show(Math.max(totalPages, page.totalPages));
    },
    reject: (page, body) => landing.reject('E21', `${place.key} page ${page}`, body),
  };
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
    const numberOf = ({ file }: LandedFile): number => pageOf(basename(file)) ?? 0;
    const files = (): LandedFile[] => this.#pages.toSorted((a, b) => numberOf(a) - numberOf(b));
    const arriving = { pages: this, files };
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

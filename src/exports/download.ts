/**
 * E21: downloads what is paid for. An export waits until it is ready, its pages land and are loaded, and each step is recorded
 * in the ledger; one that may lack records is read again.
 */
import { basename, dirname } from 'node:path';
import { DamageError, ServiceError } from '../ground/errors.js';
import {
  landedPages,
  awaitExport,
  collectPages,
  type ExportSource,
  type LandedPage,
  type PageSink,
  type Waiting,
} from './poll.js';
import type { ServiceClient } from '../service/client.js';
import { dayOf, shiftDay, type Day } from '../ground/calendar.js';
import { eventGap, type Gap } from '../ground/streams.js';
import { type Ledger, isClosed, type Export, isUnderWay } from './ledger.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import {
  type LandingFolder,
  type PullWriter,
  readWhole,
  firstAnswers,
  rowsIn,
  type Page,
  type Pull,
} from '../landing/landing-zone.js';
import type { ExportFolder } from '../landing/paths.js';
import { estimateDays } from './budget.js';
import { unlessDamaged } from '../landing/storage-error.js';
import { formatCount, plural } from '../terminal/terminal.js';

/** The parts of the open data folder that a download uses. */
export interface DownloadFolder extends LandingFolder {
  readonly ledger: Ledger;
  readonly warehouse: Warehouse;
  readonly report: { readonly exports: ExportLine[]; readonly pending: string[]; readonly gaps: Gap[] };
}

/** A paid export that this run requested or resumed. */
export interface ExportLine {
  readonly key: string;
  readonly day: Day;
  readonly records: number | undefined;
  readonly requested: boolean;
}

/** An export that has an id. */
type Requested = Export & ExportFolder;

interface Download {
  /** True if the user accepts an incomplete export: one without records, or with some pages missing. */
  readonly acceptIncomplete: boolean;
  /** True if the service is asked even when every page is on disk, because it may have more pages by now. */
  readonly lookAgain: boolean;
}

/** Number of nights on which an export that may lack records is read again. */
const NIGHTS = 3;

/** Downloads the exports that are under way, and again those that may lack records. */
export async function resumeExports(service: ServiceClient, folder: DownloadFolder): Promise<void> {
  const { ledger, invocation } = folder;
  for (const entry of ledger.entries().filter(isUnderWay)) {
    invocation.signal.throwIfAborted();
    await downloadExport(entry, service, folder);
  }
  for (const entry of ledger.entries()) {
    invocation.signal.throwIfAborted();
    if (await mayLack(entry, folder)) await downloadExport(entry, service, folder);
  }
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
 */
export async function downloadExport(
  entry: Export,
  service: ServiceClient,
  folder: DownloadFolder,
  acceptIncomplete = false,
): Promise<void> {
  const { key, day, exportId, run } = entry;
  const { ledger, report, warehouse, load } = folder;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const notes: string[] = [];
  /** Resolves with true if something new has landed and is loaded. */
  const read = async (how: Download, told: string[]): Promise<boolean> => {
    const reading = await Reading.open({ ...ledger.get(key), exportId }, how, told, service, folder);
    const pull = await reading.land();
    if (pull === undefined || !(await load([pull]))) return false;
    await ledger.loaded(key);
    return true;
  };
  let isNew = await read({ acceptIncomplete, lookAgain: isClosed(entry) }, notes);
  for (let reading = 1; isNew && reading < READINGS && !ledger.get(key).accepted; reading++)
    isNew =
      (await warehouse.lackOf(day)).repeated > 0 &&
      (await read({ acceptIncomplete: false, lookAgain: true }, []));
  const { state, records, accepted } = ledger.get(key);
  if (state === 'loaded') await (accepted ? ledger.loaded(key) : noteLack(ledger.get(key), notes, folder));
  report.exports.push({ key, day, records, requested: run === folder.invocation.runId });
}

/**
 * Records what a loaded export may lack; `notes` are clauses about its pages. Of an export that was short before persons were
 * erased from it, nobody can tell whether it is whole now.
 */
async function noteLack(
  { key, day, short }: Export,
  notes: readonly string[],
  { ledger, warehouse }: DownloadFolder,
): Promise<void> {
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

/**
 * Lands the pages of an export, from the first question to the manifest. Of one that has landed before only a reading that
 * brings something new counts, and a failure changes nothing.
 */
class Reading {
  /** The pages that count, by number. */
  readonly #files: Map<number, Page>;
  #pulledAt = new Date(0);

  /**
   * @param earlier the intact pages that the reading begins with
   * @param whole the reading that has ended before this one, if its pages are intact
   * @param notes receives one clause for each deviation from the specification
   */
  private constructor(
    private readonly service: ServiceClient,
    private readonly folder: DownloadFolder,
    private readonly entry: Requested,
    private readonly download: Download,
    private readonly writer: PullWriter,
    private readonly earlier: readonly LandedPage[],
    private readonly whole: Pull | undefined,
    private readonly notes: string[],
  ) {
    this.#files = new Map(earlier.map((page) => [page.number, page]));
  }

  /**
   * Returns the reading to go on with. After a reading that has ended, another one begins with its pages, and the old one
   * stays until that has ended.
   */
  static async open(
    entry: Requested,
    download: Download,
    notes: string[],
    service: ServiceClient,
    folder: DownloadFolder,
  ): Promise<Reading> {
    const { landing } = folder;
    let writer = await landing.reading(entry);
    const damage: DamageError[] = [];
    const pull = await unlessDamaged(landing.pull(writer.id), (error) => damage.push(error));
    const whole = pull && isIntact(pull, await landedPages(landing, writer.id, pull)) ? pull : undefined;
    if (pull !== undefined || damage.length > 0) writer = await landing.reading(entry, 'next');
    const earlier = await landedPages(landing, writer.id);
    const present = new Set(earlier.map(({ number }) => number));
    for (const page of writer.before === undefined ? [] : await landedPages(landing, writer.before))
      if (!present.has(page.number)) earlier.push(page);
    return new Reading(service, folder, entry, download, writer, earlier, whole, notes);
  }

  /** Resolves with the pull; undefined if nothing new has landed, which is reported. */
  async land(): Promise<Pull | undefined> {
    const { service, folder, entry, download, whole } = this;
    const { landedAt } = entry;
    // Killed between the manifest and the line of the ledger. A reading that landed before the export had another id would
    // count as older than what that one brought.
    const isNew = whole !== undefined && (landedAt === undefined || whole.pulledAt > landedAt);
    if (isNew && !download.lookAgain) return this.#landed(whole);
    const expected = download.acceptIncomplete ? NOTHING_EXPECTED : await expectedOf(entry, folder);
    const waiting = await this.#untilReady(expected);
    const now = service.present();
    this.#pulledAt = landedAt === undefined || now > landedAt ? now : new Date(landedAt.getTime() + 1);
    if (waiting.kind !== 'ready') return this.#without(waiting);
    if (!isClosed(entry)) await folder.ledger.ready(entry.key, waiting.first.totalPages);
    return this.#collect(waiting, expected, isNew);
  }

  /** Waits for the export. It is ready at once if all of its pages are there and no others are asked for. */
  async #untilReady(expected: Expected): Promise<Waiting> {
    const { entry, earlier, download } = this;
    const { ledger, landing, invocation } = this.folder;
    const { key, day } = entry;
    const missing = firstMissing(earlier);
    const [first] = earlier;
    if (missing === undefined && first !== undefined && !download.lookAgain) return { kind: 'ready', first };
    return awaitExport(this.#source, {
      // A doubted export waits for the user's decision: the service is asked once, so that the run is not delayed.
      maxWaitMs: entry.doubted ? 0 : ledger.settings.maxWaitMinutes * 60_000,
      expectsRecords: expected.some,
      wasProcessing: entry.doubted || entry.troubles > 0 || entry.state !== 'requested',
      missing: missing ?? 0,
      landed: first,
      async onAnswer(answer) {
        invocation.terminal.progress(`waiting for the export of ${day}, ${answer.kind.replace('_', ' ')}`);
        if (answer.kind === 'processing') {
          if (ledger.get(key).state === 'requested') await ledger.processing(key);
        } else if (answer.body.length > 0 && (answer.kind !== 'page' || answer.records === 0))
          await landing.reject('E21', `${key} ${answer.kind}`, answer.body);
      },
    });
  }

  /** Reports an export that is not ready; ends the reading of one that is empty, or of which a person accepts the pages. */
  async #without(waiting: Exclude<Waiting, { kind: 'ready' }>): Promise<Pull | undefined> {
    const { entry, earlier, download, writer } = this;
    const { ledger, report, invocation } = this.folder;
    const { key, day } = entry;
    if (download.acceptIncomplete && earlier.length > 0) return this.#finish();
    if (isClosed(entry) && (waiting.kind === 'empty' || waiting.kind === 'doubtful')) return undefined;
    switch (waiting.kind) {
      case 'processing':
        report.pending.push(key);
        return this.#trouble(`Export ${key} is not ready. The next run resumes it at no cost.`);
      case 'stuck': {
        // The journal holds no text of the service; landing/rejected does.
        const why = waiting.isUnknown === true ? 'does not know it' : 'gives no usable answer';
        return this.#trouble(
          `Export ${key} is not delivered: the service ${why}.`,
          `Export ${key} is not delivered (${waiting.reason}). The next run resumes it at no cost.`,
        );
      }
      case 'doubtful':
        await ledger.note(
          key,
          'doubted',
          'The service reports no records although the daily statistics count some.',
        );
        this.#gap(
          `Export ${key} came without records although the daily statistics count some. It is not accepted yet.`,
        );
        return undefined;
      case 'empty':
        if (waiting.page !== undefined) await writer.land(waiting.page.body, 0, 0);
        invocation.terminal.note(`Events of ${day}: ${waiting.note}`);
        this.#files.clear();
        return this.#finish();
    }
  }

  /** Downloads the pages that are missing, and ends the reading. */
  async #collect(
    { first, unreadable }: Waiting & { kind: 'ready' },
    expected: Expected,
    isNew: boolean,
  ): Promise<Pull | undefined> {
    const { service, entry, earlier, whole } = this;
    const { acceptIncomplete, lookAgain } = this.download;
    const { warehouse, invocation } = this.folder;
    const { key, day } = entry;
    try {
      const lack = whole?.isCut?.() === false ? await warehouse.lackOf(day) : undefined;
      const sink = this.#sink(first.totalPages);
      const pages = await collectPages(this.#source, first, earlier, service.settings.concurrency, sink, {
        atLeast: expected.atLeast,
        again: lookAgain ? firstAnswers(earlier).map(({ number }) => number) : [],
        // Other answers may hold records that the export lacks. Records without an id would count twice.
        beside: lack !== undefined && lack.repeated + lack.uncounted > 0 && lack.without_id === 0,
        unreadable: unreadable ?? -1,
      });
      this.notes.push(...pages.notes);
      if (whole !== undefined && !isNew && lookAgain && !acceptIncomplete && this.#isAsBefore) {
        invocation.terminal.note(`Export ${key} is as it was: the service has nothing more for it.`);
        return undefined;
      }
      const pull = await this.#finish(acceptIncomplete ? [] : pages.unreadable);
      invocation.terminal.record(`Downloaded the export of ${day}.`, {
        event: 'export_downloaded',
        key,
        date: day,
        pages: pages.pages,
        records: pages.records,
      });
      return pull;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (acceptIncomplete) return this.#finish();
      return this.#trouble(`A page of the export cannot be downloaded. ${error.hint ?? ''}`, error.sentences);
    }
  }

  get #source(): ExportSource {
    const { service, folder } = this;
    const { effects, signal } = folder.invocation;
    const { pageParameter } = folder.ledger.settings;
    return { service, effects, signal, exportId: this.entry.exportId, pageParameter };
  }

  /** True if no page with records has come or was replaced. */
  get #isAsBefore(): boolean {
    const held = new Set([...this.#files.values()].filter(({ rows }) => rows > 0));
    return held.size === this.earlier.length && this.earlier.every((page) => held.has(page));
  }

  /** Lands new pages beside the earlier ones. */
  #sink(totalPages: number): PageSink {
    const { landing, invocation } = this.folder;
    const { key, day } = this.entry;
    const files = this.#files;
    let records = rowsIn([...files.values()]);
    const show = (total: number): void => {
      const pages = `page ${formatCount(files.size)} of ${formatCount(total)}`;
      invocation.terminal.progress(`events of ${day}: ${pages}, ${plural(records, 'record')}`);
    };
    show(totalPages);
    return {
      accept: async (page) => {
        // The page that this one replaces is set aside, so that no received data is lost.
        const before = files.get(page.number);
        const body = before && (await unlessDamaged(readWhole(before.file)));
        if (body !== undefined) await landing.reject('E21', `${key} page ${page.number} replaced`, body);
        const file = await this.writer.land(page.body, page.records, page.number);
        files.set(page.number, file);
        records += page.records;
        show(Math.max(totalPages, page.totalPages));
      },
      reject: (page, body) => landing.reject('E21', `${key} page ${page}`, body),
    };
  }

  /** Ends the reading: pages of the one before are landed in it too, then its manifest. */
  async #finish(unreadable: readonly number[] = []): Promise<Pull> {
    const { writer, entry, download } = this;
    for (const [number, { file, rows }] of this.#files) {
      if (basename(dirname(file)) === basename(writer.id)) continue;
      this.#files.set(number, await writer.land(await readWhole(file), rows, number));
    }
    const inOrder = [...this.#files].sort(([a], [b]) => a - b).map(([, page]) => page);
    const facts = { exportId: entry.exportId, unreadable, accepted: download.acceptIncomplete };
    return this.#landed(await writer.finish(inOrder, facts, this.#pulledAt));
  }

  /** Records in the ledger that a reading is whole, and removes the readings before it. */
  async #landed(pull: Pull): Promise<Pull> {
    const { landing, ledger } = this.folder;
    const { facts, files, pulledAt } = pull;
    const first = firstAnswers(files);
    const pages = first.length + facts.unreadable.length;
    const unreadable = facts.unreadable.length === 0 ? undefined : facts.unreadable;
    const { key } = this.entry;
    await landing.discardBefore(this.entry, pull);
    await ledger.ready(key, pages);
    const landed = { pages, records: rowsIn(first), unreadable, accepted: facts.accepted };
    await ledger.landed(key, landed, pulledAt);
    return pull;
  }

  async #trouble(note: string, reason = note): Promise<undefined> {
    if (!isClosed(this.entry)) await this.folder.ledger.note(this.entry.key, 'troubled', note);
    this.#gap(reason);
    return undefined;
  }

  #gap(reason: string): void {
    this.folder.report.gaps.push(eventGap(this.entry.day, reason));
  }
}

/** True if the pages hold what landed. */
function isIntact({ files }: Pull, pages: readonly LandedPage[]): boolean {
  const found = new Map(pages.map(({ file, records }) => [file, records]));
  return files.every(({ file, rows }) => (found.get(file) ?? 0) === rows);
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
  { day, estimate = 0 }: Export,
  { ledger, warehouse }: DownloadFolder,
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
function firstMissing(pages: readonly LandedPage[]): number | undefined {
  const numbers = new Set(pages.map(({ number }) => number));
  const total = pages.reduce((most, { totalPages }) => Math.max(most, totalPages), 1);
  for (let number = 0; number < total; number++) if (!numbers.has(number)) return number;
  return undefined;
}

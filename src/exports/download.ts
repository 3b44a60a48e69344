/**
 * E21: the way of a paid export from its id to loaded pages. A reading waits until the export is ready, lands the pages that
 * are missing, several at a time, and ends with the manifest of a pull; each step is recorded in the ledger. An export that
 * may lack records is read again. Last, what an answer of E21 means.
 */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { dayOf, shiftDay, type Day } from '../ground/calendar.js';
import { partValue, readEnvelope, textOf, type Envelope } from '../ground/envelope.js';
import { DamageError, ServiceError } from '../ground/errors.js';
import { eventGap, type Gap } from '../ground/streams.js';
import {
  BESIDE,
  firstAnswers,
  readWhole,
  rowsIn,
  type LandingFolder,
  type LandingZone,
  type Page,
  type Pull,
  type PullWriter,
} from '../landing/landing-zone.js';
import { pageName, type ExportFolder } from '../landing/paths.js';
import { unlessDamaged } from '../landing/storage-error.js';
import { clean, settleAll, type ServiceClient } from '../service/client.js';
import { exportResult } from '../service/endpoints.js';
import { formatCount, plural } from '../terminal/terminal.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { isClosed, isUnderWay, type Export, type Ledger } from './ledger.js';

/** The parts of the open data folder that a download uses. */
export interface DownloadFolder extends LandingFolder {
  readonly ledger: Ledger;
  readonly warehouse: Pick<Warehouse, 'messages' | 'lackOf'>;
  readonly report: { readonly exports: ExportLine[]; readonly pending: string[]; readonly gaps: Gap[] };
}

/** A paid export that this run requested or resumed. */
export interface ExportLine {
  readonly key: string;
  readonly day: Day;
  readonly records: number | undefined;
  readonly requested: boolean;
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
 *
 * @param acceptIncomplete true if the user accepts an incomplete export: one without records, or with some pages missing
 */
export async function downloadExport(
  { key, day, exportId, run }: Export,
  service: ServiceClient,
  folder: DownloadFolder,
  acceptIncomplete = false,
): Promise<void> {
  const { ledger, report, warehouse, load } = folder;
  if (exportId === undefined) throw new DamageError(`Export ${key} has no export id in the ledger.`);
  const read = async (notes: Set<string>): Promise<'new' | 'same' | undefined> => {
    const entry = { ...ledger.get(key), exportId };
    const pull = await (await Reading.open(entry, acceptIncomplete, notes, service, folder)).land();
    if (pull === undefined || pull === 'same') return pull;
    if (!(await load([pull]))) return undefined;
    await ledger.record({ event: 'loaded', key });
    return 'new';
  };
  const notes = new Set<string>();
  const first = await read(notes);
  let last = first;
  for (let reading = 1; last === 'new' && reading < READINGS && !ledger.get(key).accepted; reading++)
    last = (await warehouse.lackOf(day)).repeated > 0 ? await read(new Set()) : 'same';
  const { state, records, accepted, short } = ledger.get(key);
  // A reading that failed says nothing of what the export lacks.
  if (state === 'loaded' && first !== undefined) {
    const { repeated, uncounted, erased } = await warehouse.lackOf(day);
    const reasons = [...notes];
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
  report.exports.push({ key, day, records, requested: run === folder.invocation.runId });
}

/** The first pause between two requests for a page in milliseconds, its growth factor, and the longest pause. */
const PAUSE = { firstMs: 500, growth: 1.5, longestMs: 30_000 };

/** After this number of consecutive failures an export or page counts as not delivered. */
const ATTEMPTS = 4;

/** Number of times that doubtful pages are requested again. */
const ROUNDS = 3;

/** The export is ready; `first` is a page that came meanwhile. */
interface Ready {
  readonly kind: 'ready';
  readonly first?: PageAnswer;
}

/** Why an export gives no pages. */
interface Unready {
  /**
   * `empty`: it was generated and has no records. `doubtful`: the service keeps reporting no records although records are
   * expected. `processing`: it was still being generated when the waiting time ended. `unknown`: the service does not know
   * it. `stuck`: the service keeps failing. The last two are paid for, so the user must decide.
   */
  readonly kind: 'empty' | 'doubtful' | 'processing' | 'unknown' | 'stuck';
  readonly reason: string;
}

/**
 * Lands the pages of an export, from the first question to the manifest. Landed pages are not requested again, unless the
 * export has landed before: the service may have more by now. Then only a reading that brings something new counts, and a
 * failure changes nothing.
 */
class Reading {
  /** The pages that count, by number; those of earlier runs at first. */
  readonly #pages: Map<number, LandedPage>;
  /** The numbers of pages that came with the records of another page, and of that page. */
  readonly #repeated = new Map<number, number>();
  /** The numbers of pages that cannot be read after all retries; the others go on. */
  readonly #unreadable = new Set<number>();
  /** The highest number of pages reported: one page too many costs a request, one too few loses records. */
  #total: number;
  /** True if a page with records has landed in this reading. */
  #isMore: boolean;
  /** True if every page is requested again. */
  readonly #isAgain: boolean;

  /**
   * @param notes receives one clause for each deviation from the specification
   * @param pages the intact pages that the reading begins with
   * @param whole the reading that has ended before this one, if its pages are intact
   */
  private constructor(
    private readonly entry: Export & ExportFolder,
    private readonly acceptIncomplete: boolean,
    private readonly notes: Set<string>,
    private readonly service: ServiceClient,
    private readonly folder: DownloadFolder,
    private readonly writer: PullWriter,
    pages: readonly LandedPage[],
    private readonly whole: Pull | undefined,
  ) {
    this.#pages = new Map(pages.map((page) => [page.number, page]));
    this.#total = Math.max(1, ...pages.map(({ totalPages }) => totalPages));
    this.#isMore = pages.some((page) => this.#isOwn(page));
    this.#isAgain = isClosed(entry);
  }

  /**
   * Returns the reading to go on with. After a reading that has ended, another one begins with its pages, and the old one
   * stays until that has ended.
   */
  static async open(
    entry: Export & ExportFolder,
    acceptIncomplete: boolean,
    notes: Set<string>,
    service: ServiceClient,
    folder: DownloadFolder,
  ): Promise<Reading> {
    const { landing } = folder;
    let writer = await landing.reading(entry);
    const damage: DamageError[] = [];
    const pull = await unlessDamaged(landing.pull(writer.id), (error) => damage.push(error));
    const found = pull && (await landedPages(landing, writer.id, pull));
    const intact = new Map(found?.map(({ file, rows }) => [file, rows]));
    const isWhole = pull?.files.every(({ file, rows }) => (intact.get(file) ?? 0) === rows);
    const whole = isWhole === true ? pull : undefined;
    if (pull !== undefined || damage.length > 0) writer = await landing.reading(entry, 'next');
    const before = writer.before === undefined ? [] : await landedPages(landing, writer.before);
    const pages = [...before, ...(await landedPages(landing, writer.id))];
    return new Reading(entry, acceptIncomplete, notes, service, folder, writer, pages, whole);
  }

  /** Resolves with the pull; `same` if the export is as it was, undefined if it gave no pages, which is reported. */
  async land(): Promise<Pull | 'same' | undefined> {
    const { entry, whole, acceptIncomplete } = this;
    const { key, day, landedAt } = entry;
    const { terminal } = this.folder.invocation;
    // Killed between the manifest and the line of the ledger.
    const isNew = whole !== undefined && (landedAt === undefined || whole.pulledAt > landedAt);
    if (isNew && !this.#isAgain) return this.#landed(whole);
    const { some, atLeast } = await this.#expected();
    const found = await this.#untilReady(some);
    if (found.kind !== 'ready') return this.#without(found);
    try {
      await this.#collect(found.first, atLeast);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (acceptIncomplete) return this.#finish();
      return this.#trouble(`A page of the export cannot be downloaded. ${error.hint ?? ''}`, error.sentences);
    }
    if (this.#isAgain && whole !== undefined && !isNew && !acceptIncomplete && !this.#isMore) {
      terminal.note(`Export ${key} is as it was: the service has nothing more for it.`);
      return 'same';
    }
    const pull = await this.#finish();
    const { pages, records } = this.folder.ledger.get(key);
    terminal.record(`Downloaded the export of ${day}.`, {
      event: 'export_downloaded',
      key,
      date: day,
      pages,
      records,
    });
    return pull;
  }

  /**
   * Whether records are expected, by the estimate made at the request or the current daily statistics, so that an empty
   * answer may be wrong; and the least number: half of the messages that the statistics count as sent, each of which leaves a
   * record. An export with fewer records lacks pages, or the export and the statistics count different things.
   */
  async #expected(): Promise<{ some: boolean; atLeast: number }> {
    const { day, estimate = 0 } = this.entry;
    if (this.acceptIncomplete) return { some: false, atLeast: 0 };
    const counted = (await this.folder.warehouse.messages()).get(day);
    const { sent = 0, delivered = 0, click = 0 } = counted ?? {};
    return {
      some: Math.max(estimate, sent, delivered, click) > 0 || this.#pages.size > 0,
      atLeast: sent / 2,
    };
  }

  /** Asks for the first missing page, with growing pauses, until a page comes or the waiting time is over. */
  async #untilReady(expectsRecords: boolean): Promise<Ready | Unready> {
    const { entry, folder } = this;
    const { key, day, doubted, troubles, state } = entry;
    const { ledger, landing, invocation } = folder;
    let number = 0;
    while (this.#pages.has(number)) number++;
    if (number >= this.#total) {
      if (!this.#isAgain) return { kind: 'ready' };
      number = 0;
    }
    // A doubted export waits for the user's decision: the service is asked once, so that the run is not delayed.
    const maxWaitMs = doubted ? 0 : ledger.settings.maxWaitMinutes * 60_000;
    let [waited, pause, failures] = [0, PAUSE.firstMs, 0];
    let isMade = doubted || troubles > 0 || state !== 'requested';
    let isDoubtful = false;
    for (;;) {
      const answer = await this.#ask(number);
      invocation.terminal.progress(`waiting for the export of ${day}, ${answer.kind.replace('_', ' ')}`);
      if (answer.kind === 'processing') {
        if (ledger.get(key).state === 'requested') await ledger.record({ event: 'processing', key });
      } else if (answer.body.length > 0 && (answer.kind !== 'page' || answer.records === 0))
        await landing.reject('E21', `${key} ${answer.kind}`, answer.body);
      let outcome: Unready = { kind: 'processing', reason: '' };
      switch (answer.kind) {
        case 'page':
          if (answer.records > 0 || number > 0 || answer.totalPages > 1)
            return { kind: 'ready', first: answer };
          outcome = { kind: 'empty', reason: 'The export holds no records.' };
          break;
        case 'processing':
          isMade = true;
          failures = 0;
          break;
        case 'invalid_page':
          failures++;
          if (number > 0) {
            // The export may have become shorter; page 0 has the current number of pages.
            number = 0;
            continue;
          }
          // An export without records has no page 0. Before `processing` was seen, the missing page may also mean that the
          // export is not generated yet.
          if (isMade || failures >= ATTEMPTS)
            outcome = { kind: 'empty', reason: `The export has no page 0 (${answer.reason}).` };
          break;
        case 'strange':
          return { kind: 'stuck', reason: answer.reason };
        case 'unreadable':
          if (this.#isGivenUp(answer, ++failures)) return this.#otherThan(number, answer.reason);
          await this.#sleep(PAUSE.firstMs);
          continue;
        default:
          outcome = { kind: answer.kind === 'not_found' ? 'unknown' : 'stuck', reason: answer.reason };
          if (++failures >= ATTEMPTS) return outcome;
      }
      if (outcome.kind === 'empty' && !expectsRecords) return outcome;
      isDoubtful ||= outcome.kind === 'empty';
      if (waited >= maxWaitMs) return isDoubtful ? { kind: 'doubtful', reason: '' } : outcome;
      const ms = Math.min(pause * (0.9 + 0.2 * invocation.effects.random()), maxWaitMs - waited);
      await this.#sleep(ms);
      waited += ms;
      pause = Math.min(pause * PAUSE.growth, PAUSE.longestMs);
    }
  }

  /** Gives up a page that cannot be read: a landed page or the next one proves that the export is ready. */
  async #otherThan(number: number, reason: string): Promise<Ready | Unready> {
    if (!this.#pages.has(number)) this.#unreadable.add(number);
    if (this.#pages.size > 0) return { kind: 'ready' };
    const next = await this.#ask(number + 1);
    return next.kind === 'page' ? { kind: 'ready', first: next } : { kind: 'stuck', reason };
  }

  /** Reports an export that is not ready; ends the reading of one that is empty, or of which a person accepts the pages. */
  async #without({ kind, reason }: Unready): Promise<Pull | undefined> {
    const { key, day } = this.entry;
    const { ledger, report, invocation } = this.folder;
    if (this.acceptIncomplete && this.#pages.size > 0) return this.#finish();
    if (this.#isAgain && (kind === 'empty' || kind === 'doubtful')) return undefined;
    switch (kind) {
      case 'empty':
        invocation.terminal.note(`Events of ${day}: ${reason}`);
        return this.#finish();
      case 'doubtful':
        await ledger.record({
          event: 'doubted',
          key,
          note: 'The service reports no records although the daily statistics count some.',
        });
        this.#gap(
          `Export ${key} came without records although the daily statistics count some. It is not accepted yet.`,
        );
        return undefined;
      case 'processing':
        report.pending.push(key);
        return this.#trouble(`Export ${key} is not ready. The next run resumes it at no cost.`);
      default: {
        // The journal holds no text of the service; landing/rejected does.
        const why = kind === 'unknown' ? 'does not know it' : 'gives no usable answer';
        return this.#trouble(
          `Export ${key} is not delivered: the service ${why}.`,
          `Export ${key} is not delivered (${reason}). The next run resumes it at no cost.`,
        );
      }
    }
  }

  /**
   * Lands every page that has not landed, and requests pages again that are without records or repeat another page; and page
   * 0, which has the number of pages, if all hold fewer records than `atLeast`.
   *
   * @throws ServiceError if a page cannot be downloaded, or all pages are identical; landed pages are kept and the next run
   *   resumes
   */
  async #collect(first: PageAnswer | undefined, atLeast: number): Promise<void> {
    const { key, day } = this.entry;
    const { ledger, warehouse } = this.folder;
    const before = firstAnswers([...this.#pages.values()]);
    this.#total = Math.max(this.#total, first?.totalPages ?? 1);
    if (!this.#isAgain) await ledger.record({ event: 'ready', key, pages: this.#total });
    this.#showProgress();
    if (first !== undefined && (!this.#has(first.number) || first.records > this.#rowsOf(first.number)))
      await this.#take(first);
    // Pages 0 and 1 are requested alone first: if they are identical, every page would be, and requesting the rest is a
    // waste. One repetition may be a temporary fault; a second one means that the service ignores the page parameter.
    for (const early of [0, 1]) if (this.#total > early && !this.#has(early)) await this.#fetch(early);
    if (this.#repeated.get(1) === 0) {
      await this.#sleep(PAUSE.firstMs);
      await this.#fetch(1);
      const { pageParameter } = ledger.settings;
      if (this.#repeated.get(1) === 0)
        throw new ServiceError(
          `Page 1 of the export repeats page 0: the service seems to ignore the query parameter "${pageParameter}".`,
          {
            hint: 'Set exports.page_parameter to the name that the service reads. The next run resumes the same export at no cost.',
          },
        );
    }
    await this.#fetchMissing();
    if (this.#isAgain) {
      const lack = this.whole?.isCut?.() === false ? await warehouse.lackOf(day) : undefined;
      // Other answers may hold records that the export lacks. Records without an id would count twice.
      const beside = lack !== undefined && lack.repeated + lack.uncounted > 0 && lack.without_id === 0;
      for (const { number } of before)
        await this.#takeAgain(number === first?.number ? first : await this.#ask(number), beside);
    }
    let pause = PAUSE.firstMs;
    for (let round = 0; round < ROUNDS; round++) {
      const isShort = this.#records < atLeast && !this.#unreadable.has(0);
      const doubtful = new Set([...(isShort ? [0] : []), ...this.#empty]);
      if (doubtful.size === 0) break;
      await this.#sleep(pause);
      pause *= PAUSE.growth;
      for (const number of doubtful) await this.#takeAgain(await this.#ask(number));
      await this.#fetchMissing();
    }
    this.#noteOddities(atLeast);
  }

  async #fetchMissing(): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < this.#total) {
        const number = next++;
        if (!this.#has(number)) await this.#fetch(number);
      }
    };
    await settleAll(Array.from({ length: this.service.settings.concurrency }, worker));
  }

  /** Downloads one page, with retries. One that cannot be read is given up, and so is one that the export no longer has. */
  async #fetch(number: number): Promise<void> {
    let pause = PAUSE.firstMs;
    let reason = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) {
        await this.#sleep(pause);
        pause *= PAUSE.growth * 2;
      }
      const answer = await this.#ask(number);
      if (answer.kind === 'page') return this.#take(answer);
      if (answer.kind === 'invalid_page') {
        const whole = await this.#ask(0);
        if (whole.kind === 'page' && whole.totalPages <= number) {
          this.notes.add(`total_page_count shrank to ${number} or less`);
          this.#total = Math.min(this.#total, number);
          return;
        }
      }
      if (answer.kind !== 'processing' && answer.body.length > 0) await this.#reject(number, answer.body);
      if (answer.kind === 'unreadable' && this.#isGivenUp(answer, attempt)) {
        this.#repeated.delete(number);
        this.#unreadable.add(number);
        return;
      }
      ({ reason } = answer);
      if (answer.kind === 'strange') break;
    }
    throw new ServiceError(`Page ${number} of the export cannot be downloaded (${reason}).`, {
      hint: 'Landed pages are kept. The next run resumes the same export at no cost.',
    });
  }

  /** True if an unreadable page was requested as often as the settings allow. */
  #isGivenUp({ repeated }: Other, attempt: number): boolean {
    return repeated === true || attempt > this.service.settings.retries || attempt >= ATTEMPTS;
  }

  /** Lands a page. One that repeats another page is treated as a page without records. */
  async #take(page: PageAnswer): Promise<void> {
    const { number, records, fingerprint } = page;
    const twin = [...this.#pages.values()].find(
      (other) => records > 0 && other.number !== number && other.fingerprint === fingerprint,
    );
    if (twin === undefined) return this.#keep(page);
    await this.#reject(number, page.body);
    if (!this.#pages.has(number)) this.#repeated.set(number, twin.number);
  }

  /**
   * Takes another answer for a page. It replaces the landed page if it holds more records.
   *
   * @param beside true if an answer with other records, but not more, is kept beside the landed page
   */
  async #takeAgain(page: Answer, beside = false): Promise<void> {
    if (page.kind !== 'page') return;
    const isMore = page.records > this.#rowsOf(page.number);
    const isHeld = [...this.#pages.values()].some(({ fingerprint }) => fingerprint === page.fingerprint);
    let { number } = page;
    while (!isMore && this.#pages.has(number)) number += BESIDE;
    if (!isHeld && (isMore || (beside && page.records > 0))) await this.#keep({ ...page, number });
    else this.#grow(page.totalPages);
  }

  /** Lands a page. The page that it replaces is set aside, so that no received data is lost. */
  async #keep({ number, body, records, totalPages, fingerprint }: PageAnswer): Promise<void> {
    const before = this.#pages.get(number);
    const replaced = before && (await unlessDamaged(readWhole(before.file)));
    if (replaced !== undefined) await this.#reject(`${number} replaced`, replaced);
    const page = await this.writer.land(body, records, number);
    this.#pages.set(number, { ...page, number, totalPages, fingerprint });
    this.#repeated.delete(number);
    this.#unreadable.delete(number);
    this.#isMore ||= records > 0;
    this.#grow(totalPages);
    this.#showProgress();
  }

  #grow(total: number): void {
    if (total === this.#total) return;
    this.notes.add(`total_page_count changed from ${this.#total} to ${total}`);
    this.#total = Math.max(this.#total, total);
  }

  #has(number: number): boolean {
    return this.#pages.has(number) || this.#repeated.has(number) || this.#unreadable.has(number);
  }

  #rowsOf(number: number): number {
    return this.#pages.get(number)?.rows ?? 0;
  }

  get #records(): number {
    return rowsIn(firstAnswers([...this.#pages.values()]));
  }

  /**
   * Readable pages without records in an export of several pages. A page with a few records is valid: 1,000 is only the
   * maximum (Limits).
   */
  get #empty(): number[] {
    if (this.#total <= 1) return [];
    const without = [...this.#pages.values()].flatMap(({ number, rows }) => (rows === 0 ? [number] : []));
    return [...without, ...this.#repeated.keys()].sort((a, b) => a - b);
  }

  /** Notes the deviations from the specification that did not stop the download, one clause each. */
  #noteOddities(atLeast: number): void {
    const empty = this.#empty;
    for (const number of empty.slice(0, 3)) {
      const twin = this.#repeated.get(number);
      this.notes.add(`page ${number} ${twin === undefined ? 'holds no records' : `repeats page ${twin}`}`);
    }
    if (empty.length > 3) this.notes.add(`${empty.length - 3} more pages hold no records too`);
    if (this.#records < atLeast)
      this.notes.add(`it holds ${this.#records} records, at least ${Math.ceil(atLeast)} are expected`);
  }

  /** True if a page lies in the folder of this reading: a killed run may have left some there. */
  #isOwn({ file }: Page): boolean {
    return basename(dirname(file)) === basename(this.writer.id);
  }

  /** Ends the reading: pages of the one before are landed in it too, then its manifest. */
  async #finish(): Promise<Pull> {
    const { writer, entry, service, acceptIncomplete: accepted } = this;
    const { exportId, landedAt } = entry;
    for (const page of this.#pages.values()) {
      if (this.#isOwn(page)) continue;
      const landed = await writer.land(await readWhole(page.file), page.rows, page.number);
      this.#pages.set(page.number, { ...page, ...landed });
    }
    const inOrder = [...this.#pages.values()].sort((a, b) => a.number - b.number);
    const unreadable = accepted ? [] : [...this.#unreadable].sort((a, b) => a - b);
    // A reading that landed before the export had another id would count as older than what that one brought.
    const now = service.present();
    const pulledAt = landedAt === undefined || now > landedAt ? now : new Date(landedAt.getTime() + 1);
    return this.#landed(await writer.finish(inOrder, { exportId, unreadable, accepted }, pulledAt));
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
    await ledger.record({ event: 'ready', key, pages });
    const landed = { pages, records: rowsIn(first), unreadable, accepted: facts.accepted };
    await ledger.record({ event: 'landed', key, ...landed, landedAt: pulledAt });
    return pull;
  }

  #ask(number: number): Promise<Answer> {
    return askPage(this.service, this.entry.exportId, this.folder.ledger.settings.pageParameter, number);
  }

  #sleep(ms: number): Promise<void> {
    const { effects, signal } = this.folder.invocation;
    return effects.sleep(ms, signal);
  }

  #reject(what: number | string, body: Buffer): Promise<string> {
    return this.folder.landing.reject('E21', `${this.entry.key} page ${what}`, body);
  }

  #showProgress(): void {
    const pages = `page ${formatCount(this.#pages.size)} of ${formatCount(this.#total)}`;
    const records = plural(rowsIn([...this.#pages.values()]), 'record');
    this.folder.invocation.terminal.progress(`events of ${this.entry.day}: ${pages}, ${records}`);
  }

  async #trouble(note: string, reason = note): Promise<undefined> {
    if (!this.#isAgain) await this.folder.ledger.record({ event: 'troubled', key: this.entry.key, note });
    this.#gap(reason);
    return undefined;
  }

  #gap(reason: string): void {
    this.folder.report.gaps.push(eventGap(this.entry.day, reason));
  }
}

/** A page on disk that was read; its bytes are not kept in memory. */
interface LandedPage extends Page, Pick<PageAnswer, 'number' | 'totalPages' | 'fingerprint'> {}

/**
 * The pages in the folder of a pull with their records. A damaged or empty page is left out and downloaded again, at no
 * cost (E21).
 *
 * @param pull the pull, if it is whole: where an erasure has cut records, those that landed count
 */
export async function landedPages(landing: LandingZone, id: string, pull?: Pull): Promise<LandedPage[]> {
  const landed = new Map(pull?.files.map(({ file, rows }) => [basename(file), rows]));
  const pages: LandedPage[] = [];
  for (const [number, file] of await landing.pages(id)) {
    const body = await unlessDamaged(readWhole(file));
    const page = body && readPage(body, number);
    if (page === undefined) continue;
    const { records, totalPages } = page;
    const cut = pull?.isCut?.() === true ? (landed.get(pageName(number)) ?? 0) : 0;
    const rows = Math.max(cut, records);
    if (rows === 0) continue;
    // Pages whose records were all erased have equal bytes but do not repeat each other.
    const fingerprint = records === 0 ? String(number) : page.fingerprint;
    pages.push({ number, file, rows, bytes: page.body.byteLength, totalPages, fingerprint });
  }
  return pages;
}

// One answer of E21.

/** One page of at most 1,000 records (specification, Limits). */
interface PageAnswer {
  readonly kind: 'page';
  readonly number: number;
  /** The received bytes, which are landed. */
  readonly body: Buffer;
  readonly records: number;
  readonly totalPages: number;
  /** A hash of the records' bytes; pages with equal fingerprints hold the same records. */
  readonly fingerprint: string;
}

interface Other {
  /**
   * `trouble`: a failure that may be temporary: `{status: error}`, `{error: Timeout}`, or no answer. `strange`: a complete
   * answer in a shape that the specification does not define. `unreadable`: a success that is not a page, or a body that
   * begins as JSON and is none: cut off, UTF-16, or with a word such as NaN.
   */
  readonly kind: 'processing' | 'not_found' | 'invalid_page' | 'trouble' | 'strange' | 'unreadable';
  readonly reason: string;
  readonly body: Buffer;
  /** True if the client has already repeated the request for an unreadable page. */
  readonly repeated?: true;
}

type Answer = PageAnswer | Other;

/**
 * Asks E21 for one page.
 *
 * @param pageParameter the query parameter with the page number (N18)
 */
export async function askPage(
  service: ServiceClient,
  exportId: string,
  pageParameter: string,
  number: number,
): Promise<Answer> {
  const { verdict, body, status } = await service.ask(
    exportResult(service.projectId, exportId, pageParameter, number),
  );
  if (verdict.kind === 'ok') {
    const result = readResult(verdict.envelope, body, number);
    return 'reason' in result ? { ...result, reason: clean(result.reason, service.secrets) } : result;
  }
  const { kind, reason } = verdict;
  if (kind === 'broken' && status === 200 && BEGINS_AS_JSON.test(body.toString('latin1', 0, 1024)))
    return { kind: 'unreadable', reason, body, repeated: true };
  const what = kind === 'refused' && reason.startsWith('HTTP 404') ? 'not_found' : 'trouble';
  return { kind: what, reason, body };
}

/** Matches the first bytes of a page in UTF-8 or UTF-16, which tell it from the words or the HTML of a proxy. */
const BEGINS_AS_JSON = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*[[{]/;

/** Reads a page that landed earlier; undefined if the bytes are not a page. */
export function readPage(body: Buffer, number: number): PageAnswer | undefined {
  const envelope = readEnvelope(body);
  const result = envelope === undefined ? undefined : readResult(envelope, body, number);
  return result?.kind === 'page' ? result : undefined;
}

/** The keys of a page. */
const PAGE_KEYS = ['status', 'data', 'total_page_count'];

function readResult(envelope: Envelope, body: Buffer, number: number): Answer {
  const other = (kind: Other['kind'], reason: string): Other => ({ kind, reason, body });
  if (envelope.kind === 'array') return other('strange', 'E21 answered with a list');
  const { parts, twice } = envelope;
  const status = textOf(envelope, body, 'status');
  const message = textOf(envelope, body, 'message');
  switch (status) {
    case 'processing':
      return other(status, status);
    case 'not_found':
    case 'invalid_page':
      return other(status, message ?? status);
    case 'error':
      return other('trouble', `status error${message === undefined ? '' : `: ${message}`}`);
    case 'success':
      break;
    case undefined:
      return other('strange', 'E21 answered without a status');
    default:
      // A status that the specification does not define may be temporary, as `processing` is.
      return other('trouble', `E21 answered with the status ${JSON.stringify(status)}`);
  }
  const unreadable = (what: string): Other => other('unreadable', `E21 answered ${what}`);
  const doubled = PAGE_KEYS.find((key) => twice.has(key));
  if (doubled !== undefined) return unreadable(`with ${doubled} given twice`);
  const data = parts.get('data');
  const empty = data === undefined || body.toString('latin1', data.start, data.start + 4) === 'null';
  if (!empty && data.elements === undefined) return unreadable('success with data that is not a list');
  const totalPages = pageCount(partValue(body, parts.get('total_page_count')));
  // Without the number of pages, missing pages would go unnoticed. The next answer may include the number.
  if (totalPages === undefined) return unreadable('success without a number of pages in total_page_count');
  const records = data?.elements ?? 0;
  if (totalPages === 0 && records > 0) return unreadable('with records and a total_page_count of 0');
  // An export without records may come without data; a page of an export with records may not.
  if (empty && (number > 0 || totalPages > 1)) return unreadable('success without data');
  const bytes = empty ? '' : body.subarray(data.start, data.end);
  const fingerprint = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'page', number, body, records, totalPages, fingerprint };
}

/** A whole number, given as a number or as text; undefined for any other value. */
function pageCount(value: unknown): number | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Reads one paid export (E21): requests the pages that course.ts chooses, lands them, and writes the pull's manifest. Each step is recorded
 * in the ledger.
 */
import { basename, dirname } from 'node:path';
import type { Effects } from '../../ground/effects.js';
import { ServiceError, type DamageError } from '../../ground/errors.js';
import { eventGap } from '../../ground/streams.js';
import {
  firstAnswers,
  rowsIn,
  type LandingParts,
  type LandingZone,
  type Page,
  type Pull,
  type PullWriter,
} from '../../landing/landing-zone.js';
import { readBody } from '../../landing/page-file.js';
import { pageName, type ExportPlace } from '../../disk/paths.js';
import { unlessDamaged } from '../../disk/storage-error.js';
import { settleAll } from '../../ground/promises.js';
import type { ServiceClient } from '../../service/client.js';
import { RECORDS_PER_PAGE } from '../../service/endpoints.js';
import { formatCount, plural } from '../../terminal/terminal.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import { askPage, readPage } from './answer.js';
import { Course, type Unready } from './course.js';
import type { KnownPage } from './known-pages.js';
import { isClosed, isKeptBack, type Export } from '../../exports/export.js';
import { type Ledger } from '../../exports/ledger.js';
import type { ExportReport } from '../../exports/paid-request.js';

export interface DownloadParts extends LandingParts {
  readonly ledger: Ledger;
  readonly warehouse: Pick<Warehouse, 'messages' | 'lackOf'>;
  readonly report: LandingParts['report'] & Pick<ExportReport, 'exports' | 'pending'>;
}

/** The time that a run waits for all exports together, starting with the first wait. */
export class Patience {
  #until: number | undefined;

  constructor(
    private readonly minutes: number,
    private readonly effects: Effects,
    /** True if the run reads the export again later and reports it then, so that this reading does not wait. */
    readonly isGlance = false,
  ) {}

  get left(): number {
    const now = this.effects.now().getTime();
    this.#until ??= now + this.minutes * 60_000;
    return this.#until - now;
  }

  end(): void {
    this.#until = 0;
  }

  /** Starts the waiting time anew after a new export has arrived. */
  renew(): void {
    this.#until = undefined;
  }
}

export const patienceOf = ({ ledger, invocation: { effects } }: DownloadParts): Patience =>
  new Patience(ledger.settings.maxWaitMinutes, effects);

/** The first pause between two requests for a page in milliseconds, its growth factor, and the longest pause. */
const PAUSE = { firstMs: 500, growth: 1.5, longestMs: 30_000 };

/** The plausible number of pages if the number of records is unknown. */
const UNKNOWN_PAGES = 1_000;

class TooLargeError extends ServiceError {}

function unlessTooLarge(error: unknown): TooLargeError {
  if (error instanceof TooLargeError) return error;
  throw error;
}

/** A page on disk, without its bytes. */
interface LandedPage extends Page, KnownPage {}

/** The export to read, and the parts of the program that the reading uses. */
interface ReadingOrder {
  readonly entry: Export & ExportPlace;
  readonly service: ServiceClient;
  readonly parts: DownloadParts;
  readonly patience: Patience;
  /** True if the user accepts an incomplete export: one without records, or with some pages missing. */
  readonly acceptIncomplete: boolean;
}

interface OnDisk {
  /** The undamaged pages that the reading starts with. */
  readonly pages: readonly LandedPage[];
  /** The previous complete reading, if its pages are undamaged. */
  readonly whole: Pull | undefined;
}

/**
 * Lands the pages of an export, from the first request to the manifest. A resumed reading requests only missing pages. If the export is
 * complete, every page is requested again, because the service may have more records by now; that reading counts only if it brings
 * something new, and its failure changes nothing.
 */
export class Reading {
  /** The pages on disk that count, by number; at first, those of earlier runs. */
  readonly #files: Map<number, Page>;
  /** True if this reading has landed a page with records. */
  #isMore: boolean;
  readonly #isAgain: boolean;
  notes: readonly string[] = [];
  isWhole = false;

  private constructor(
    private readonly order: ReadingOrder,
    private readonly writer: PullWriter,
    private readonly disk: OnDisk,
  ) {
    this.#files = new Map(disk.pages.map((page) => [page.number, page]));
    this.#isMore = disk.pages.some((page) => this.#isOwn(page));
    this.#isAgain = isClosed(order.entry);
  }

  /**
   * Returns the reading to resume. After a complete reading, returns a new one that starts with its pages; the old one stays until the new
   * one is complete.
   */
  static async open(order: ReadingOrder): Promise<Reading> {
    const { entry } = order;
    const { landing } = order.parts;
    let writer = await landing.reading(entry);
    const damage: DamageError[] = [];
    const pull = await unlessDamaged(landing.pull(writer.id), (error) => damage.push(error));
    const readable = pull && (await landedPages(landing, writer.id, pull));
    const intact = new Map(readable?.map(({ file, rows }) => [file, rows]));
    const isWhole = pull?.files.every(({ file, rows }) => (intact.get(file) ?? 0) === rows);
    const whole = isWhole === true ? pull : undefined;
    if (pull !== undefined || damage.length > 0) writer = await landing.reading(entry, 'next');
    const before = writer.before === undefined ? [] : await landedPages(landing, writer.before);
    const pages = [...before, ...(await landedPages(landing, writer.id))];
    return new Reading(order, writer, { pages, whole });
  }

  /** Resolves with the pull, or with `same` if nothing is new. If no pages arrive, reports why and resolves with undefined. */
  async land(): Promise<Pull | 'same' | undefined> {
    const { entry, parts, patience, acceptIncomplete } = this.order;
    const { whole } = this.disk;
    const { key, day, landedAt } = entry;
    const { terminal } = parts.invocation;
    // True if an earlier run was killed after writing the manifest and before writing the ledger.
    const isNew = whole !== undefined && (landedAt === undefined || whole.pulledAt > landedAt);
    if (isNew && !this.#isAgain) return this.#landed(whole);
    const course = await this.#course();
    const end = await this.#follow(course).catch(unlessTooLarge);
    if (end instanceof TooLargeError) {
      if (acceptIncomplete && this.#files.size > 0) return this.#finish(course);
      // Only a setting has to be changed, so this does not count as a failure of the export.
      if (!patience.isGlance) this.#gap(end.sentences);
      return undefined;
    }
    if (patience.isGlance && end.kind !== 'end' && end.kind !== 'empty') return undefined;
    if (end.kind === 'broken') {
      if (acceptIncomplete) return this.#finish(course);
      return this.#trouble(
        `A page of the export cannot be downloaded. ${end.hint}`,
        `${end.reason} ${end.hint}`,
      );
    }
    if (end.kind !== 'end') return this.#without(end, course);
    this.notes = course.notes;
    this.isWhole = course.isWhole;
    if (this.#isAgain && whole !== undefined && !isNew && !acceptIncomplete && !this.#isMore) {
      terminal.note(`Export ${key} is unchanged: the service has no more records for it.`);
      return 'same';
    }
    const pull = await this.#finish(course);
    const { pages, records } = parts.ledger.get(key);
    terminal.record(`Downloaded the export of ${day}.`, {
      event: 'export_downloaded',
      key,
      date: day,
      pages,
      records,
    });
    return pull;
  }

  async #course(): Promise<Course> {
    const { entry, parts, acceptIncomplete, service } = this.order;
    const { pages, whole } = this.disk;
    const { day, estimate = 0, doubted, troubles, state } = entry;
    const { sent = 0, delivered = 0, click = 0 } = (await parts.warehouse.messages()).get(day) ?? {};
    const expected = Math.max(estimate, sent, delivered, click);
    const isCut = whole?.isCut?.() !== false;
    const lack = this.#isAgain && !isCut ? await parts.warehouse.lackOf(day) : undefined;
    return new Course(
      {
        expectsRecords: !acceptIncomplete && (expected > 0 || pages.length > 0),
        // Each sent message has a record, so with fewer than half as many records pages are missing.
        atLeast: acceptIncomplete ? 0 : sent / 2,
        plausiblePages: expected > 0 ? 10 + Math.ceil((4 * expected) / RECORDS_PER_PAGE) : UNKNOWN_PAGES,
        retries: service.settings.retries,
        pageParameter: parts.ledger.settings.pageParameter,
        isAgain: this.#isAgain,
        isMade: doubted || troubles > 0 || state !== 'requested',
        // Not for records without an id, because they would count twice.
        keepsBeside: lack !== undefined && lack.repeated + lack.uncounted > 0 && lack.without_id === 0,
        replaces: isKeptBack(entry),
      },
      pages,
    );
  }

  async #follow(course: Course) {
    const { entry, parts, patience } = this.order;
    const { key, day } = entry;
    const { ledger, invocation } = parts;
    const { effects, signal, terminal } = invocation;
    let [pauseMs, pagesBefore, wasReady] = [PAUSE.firstMs, course.pages.size, false];
    for (;;) {
      if (course.isReady && !wasReady) {
        wasReady = true;
        if (!this.#isAgain) await ledger.record({ event: 'ready', key, pages: course.pages.total });
      }
      signal.throwIfAborted();
      const step = course.next(effects.now().getTime(), patience.left <= 0);
      if (step.kind === 'ask') {
        await settleAll(step.pages.map((number) => this.#take(number, course)));
      } else if (step.kind === 'pause') {
        if (course.pages.size > pagesBefore) pauseMs = PAUSE.firstMs;
        pagesBefore = course.pages.size;
        if (!course.isReady) terminal.progress(`waiting for the export of ${day}, ${course.state}`);
        const { left } = patience;
        const ms = pauseMs * (0.9 + 0.2 * effects.random());
        await effects.sleep(left > 0 ? Math.min(ms, left) : ms, signal);
        pauseMs = Math.min(pauseMs * PAUSE.growth, PAUSE.longestMs);
      } else {
        return step;
      }
    }
  }

  async #take(number: number, course: Course): Promise<void> {
    const { entry, parts, service } = this.order;
    const { key, exportId } = entry;
    const { ledger, landing, invocation } = parts;
    const answer = await askPage(service, exportId, ledger.settings.pageParameter, number);
    if (answer.kind === 'oversized')
      throw new TooLargeError(`Page ${number} of export ${key} is ${answer.reason}.`, {
        hint: 'Landed pages are kept. The next run resumes the same export at no cost.',
      });
    if (answer.kind === 'processing' && ledger.get(key).state === 'requested')
      await ledger.record({ event: 'processing', key });
    const fate = course.take(number, answer, invocation.effects.now().getTime());
    if (fate?.kind === 'reject') await landing.reject('E21', `${key} ${fate.what}`, answer.body);
    if (fate?.kind !== 'land' || answer.kind !== 'page') return service.discard(answer.body);
    // Set the replaced page aside instead of overwriting it, so that no received data is lost.
    const before = this.#files.get(fate.number);
    const replaced = before && (await unlessDamaged(readBody(before.file)));
    if (replaced !== undefined) await landing.reject('E21', `${key} page ${fate.number} replaced`, replaced);
    this.#files.set(fate.number, await this.writer.land(answer.body, answer.records, fate.number));
    this.#isMore ||= answer.records > 0;
    const pages = `page ${formatCount(this.#files.size)} of ${formatCount(course.pages.total)}`;
    const records = plural(rowsIn([...this.#files.values()]), 'record');
    invocation.terminal.progress(`events of ${entry.day}: ${pages}, ${records}`);
  }

  /** Reports an export that is not ready. Ends the reading if the export is empty, or if you accept its pages. */
  async #without({ kind, reason }: Unready, course: Course): Promise<Pull | undefined> {
    const { entry, parts, acceptIncomplete } = this.order;
    const { key, day, exportId } = entry;
    const { ledger, report, invocation } = parts;
    if (acceptIncomplete && this.#files.size > 0) return this.#finish(course);
    if (this.#isAgain && (kind === 'empty' || kind === 'doubtful')) return undefined;
    switch (kind) {
      case 'empty':
        invocation.terminal.note(`Events of ${day}: ${reason}`);
        return this.#finish(course);
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
        // Text from the service is stored in landing/rejected, never in the journal.
        const why = kind === 'unknown' ? 'does not know it' : 'gives no usable answer';
        return this.#trouble(
          `Export ${key} is not delivered: the service ${why}.`,
          `Export ${key} is not delivered (${reason}). The next run resumes it at no cost. If this persists, ask the service's operator about export ${exportId}.`,
        );
      }
    }
  }

  /** True if the page is in the folder of this reading; a killed run may have left some there. */
  #isOwn({ file }: Page): boolean {
    return basename(dirname(file)) === basename(this.writer.id);
  }

  /** Ends the reading: lands the pages of the previous reading again, then writes the manifest. */
  async #finish(course: Course): Promise<Pull> {
    const { writer } = this;
    const { entry, service, acceptIncomplete: accepted } = this.order;
    const { exportId, landedAt } = entry;
    const files = this.#files;
    for (const [number, page] of files)
      if (!this.#isOwn(page))
        files.set(number, await writer.land(await readBody(page.file), page.rows, number));
    const inOrder = [...files].sort(([a], [b]) => a - b).map(([, page]) => page);
    const unreadable = accepted ? [] : [...course.pages.unreadable].sort((a, b) => a - b);
    // The instant must be later than that of the replaced reading, which may have had another export id.
    const now = service.clocks.present();
    const pulledAt = landedAt === undefined || now > landedAt ? now : new Date(landedAt.getTime() + 1);
    return this.#landed(await writer.finish(inOrder, { exportId, unreadable, accepted }, pulledAt));
  }

  async #landed(pull: Pull): Promise<Pull> {
    const { entry, parts } = this.order;
    const { landing, ledger } = parts;
    const { facts, files, pulledAt } = pull;
    const first = firstAnswers(files);
    const pages = first.length + facts.unreadable.length;
    const unreadable = facts.unreadable.length === 0 ? undefined : facts.unreadable;
    const { key } = entry;
    await landing.discardBefore(entry, pull);
    await ledger.record({ event: 'ready', key, pages });
    const landed = { pages, records: rowsIn(first), unreadable, accepted: facts.accepted };
    await ledger.record({ event: 'landed', key, ...landed, landedAt: pulledAt });
    return pull;
  }

  async #trouble(note: string, reason = note): Promise<undefined> {
    const { entry, parts } = this.order;
    if (!this.#isAgain) await parts.ledger.record({ event: 'troubled', key: entry.key, note });
    this.#gap(reason);
    return undefined;
  }

  #gap(reason: string): void {
    const { entry, parts } = this.order;
    parts.report.gaps.push(eventGap(entry.day, reason));
  }
}

/**
 * The pages in a pull's folder with their records. Damaged and empty pages are left out, and downloaded again at no cost (E21).
 *
 * @param pull the complete pull, if there is one; its record counts apply even if an erasure has removed records since
 */
export async function landedPages(landing: LandingZone, id: string, pull?: Pull): Promise<LandedPage[]> {
  const landed = new Map(pull?.files.map(({ file, rows }) => [basename(file), rows]));
  const pages: LandedPage[] = [];
  for (const [number, file] of await landing.pages(id)) {
    const body = await unlessDamaged(readBody(file));
    const page = body && readPage(body, number);
    if (page === undefined) continue;
    const { records, totalPages } = page;
    const cut = pull?.isCut?.() === true ? (landed.get(pageName(number)) ?? 0) : 0;
    const rows = Math.max(cut, records);
    if (rows === 0) continue;
    // Pages whose records were all erased have equal bytes, but are not repetitions.
    const fingerprint = records === 0 ? String(number) : page.fingerprint;
    pages.push({ number, file, rows, bytes: page.body.length, totalPages, fingerprint });
  }
  return pages;
}

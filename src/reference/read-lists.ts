/** Reads each list until it is a consistent snapshot, or is given up for this run. */
import { DamageError } from '../ground/errors.js';
import { settleAll, type ServiceAnswer, type ServiceClient } from '../service/client.js';
import type { Page, Pull, ShortList } from '../landing/pull.js';
import type { PullWriter } from '../landing/landing-zone.js';
import type { CountedRows } from '../warehouse/landed-files.js';
import type { FreeRequest, Query } from '../service/endpoints.js';
import type { PageSettings } from '../config/schema.js';
import { z } from 'zod';
import { partValue, readEnvelope } from '../ground/envelope.js';
import { repairedJson } from '../landing/repair-json.js';
import { areNightsApart, isLoss } from '../warehouse/unknown-fields.js';
import type { ReferenceStream } from '../ground/streams.js';

/** Maximum number of times that a run reads a list that changes during the reading. */
export const READINGS = 3;

export interface ListsReader extends ListReader {
  readonly projectId: string;
  /** The word for the chat app in the paths of the service's endpoints. */
  readonly messenger: string;
  /** The previous pull. */
  readonly earlier: Pull | undefined;
  /** Number of rows in the last snapshot of each list. */
  readonly stored: ReadonlyMap<string, number>;
  /** Counts the rows of pages. */
  count(files: readonly Page[], list: ListSource): Promise<CountedRows>;
  /** Keeps an unusable answer. */
  reject(source: ListSource, body: Buffer): Promise<void>;
  /** True if the user accepts the lists, however few rows they have. */
  readonly accepted: boolean;
}

/** The earlier readings of a list. */
export function knownOf(list: string, { earlier, stored, pull, accepted }: ListsReader): Known {
  const short = earlier?.facts.short.filter((night) => night.list === list) ?? [];
  return { stored: stored.get(list) ?? 0, short, pulledAt: pull.pulledAt, accepted };
}

/** A list that was read completely. */
interface LandedList {
  readonly list: string;
  readonly files: readonly Page[];
  readonly rows: number;
  /** Number of rows that the service announces; null if it announces none. */
  readonly announced: number | null;
}

export interface ListsRead {
  readonly lists: LandedList[];
  /** Lists that were accepted although the service announces another number of rows. */
  readonly differing: LandedList[];
  readonly failures: ListFailure[];
  /** Lists that were not accepted because rows were missing. */
  readonly short: ShortList[];
}

/** A list that could not be read; `reason` is a clause. */
interface ListFailure extends Pick<ListSource, 'list' | 'what'> {
  readonly reason: string;
  /** True if the list was read and the user may accept it as it is. */
  readonly isShort?: boolean;
}

/**
 * Reads the announced number of items per catalog from the list of catalogs; called before and after the items are read,
 * if their pages announce no number.
 */
type Announce = () => Promise<ReadonlyMap<string, number | null>>;

/**
 * Reads all lists.
 *
 * @throws the errors of `readList`, after all lists have ended
 */
export async function readLists(
  sources: readonly ListSource[],
  reader: ListsReader,
  announce?: Announce,
): Promise<ListsRead> {
  const read: ListsRead = { lists: [], differing: [], failures: [], short: [] };
  let announced = await announce?.();
  let waiting = sources.map((source) => new Candidate(source));
  for (let round = 1; waiting.length > 0; round++) {
    const before = announced;
    await settleAll(waiting.map((candidate) => candidate.read(reader)));
    for (const candidate of waiting) await candidate.count(reader);
    announced = await announce?.();
    for (const candidate of waiting) candidate.judge(reader, before, announced);
    for (const { outcome } of waiting) if (outcome !== undefined) outcome(read);
    waiting = waiting.filter(({ outcome }) => outcome === undefined);
    if (round < READINGS) continue;
    for (const candidate of waiting) await candidate.giveUp(read, reader.pull);
    break;
  }
  return read;
}

/** A list that is being read and may become a snapshot. */
class Candidate {
  /** The outcome; undefined while the list has to be read again. */
  outcome: ((read: ListsRead) => void) | undefined;
  #walked: WalkedList | undefined;
  #counted: CountedRows = { rows: 0, repeated: 0, equal: 0 };
  #before: ReadList | undefined;
  #reason = '';
  #isShort = false;

  constructor(readonly source: ListSource) {}

  async read(reader: ListsReader): Promise<void> {
    const { source } = this;
    if (this.#walked !== undefined) await reader.pull.discard(this.#walked.files);
    const walk = await readList(source, reader);
    this.#walked = undefined;
    this.#isShort = false;
    if (walk.kind === 'stale') {
      this.#reason = walk.reason;
      return;
    }
    if (walk.kind === 'failed') {
      if (walk.body !== undefined) await reader.reject(source, walk.body);
      this.outcome = (read) => read.failures.push({ ...source, reason: walk.reason });
      return;
    }
    this.#walked = walk.list;
  }

  async count(reader: ListsReader): Promise<void> {
    if (this.#walked === undefined) return;
    try {
      this.#counted = await reader.count(this.#walked.files, this.source);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.outcome = (read) => read.failures.push({ ...this.source, reason: 'its rows cannot be read' });
    }
  }

  judge(
    reader: ListsReader,
    before: ReadonlyMap<string, number | null> | undefined,
    after: ReadonlyMap<string, number | null> | undefined,
  ): void {
    const walked = this.#walked;
    if (walked === undefined || this.outcome !== undefined) return;
    const { source } = this;
    const announced = after === undefined ? walked.announced : (after.get(source.list) ?? null);
    const moved = walked.moved || (before?.get(source.list) ?? null) !== (after?.get(source.list) ?? null);
    const { files } = walked;
    const { rows, equal } = this.#counted;
    const list = { ...this.#counted, announced, moved };
    const verdict = judgeReading(list, this.#before, knownOf(source.list, reader));
    this.#before = list;
    if (verdict.kind === 'again') {
      this.#reason = verdict.reason;
      this.#isShort = verdict.isShort;
      return;
    }
    this.outcome = (read) => {
      // The announced number counts duplicate rows too, so both numbers are reduced by the duplicates.
      const one = { rows: rows - equal, announced: announced === null ? null : announced - equal };
      const landed = { list: source.list, files, ...one };
      read.lists.push(landed);
      if (verdict.kind === 'differs') read.differing.push(landed);
    };
  }

  async giveUp(read: ListsRead, pull: PullWriter): Promise<void> {
    const { source } = this;
    const { pulledAt } = pull;
    await pull.discard(this.#walked?.files ?? []);
    if (this.#isShort && this.#before !== undefined) {
      const { rows, announced } = this.#before;
      read.short.push({ list: source.list, rows, announced, pulledAt });
    }
    const readings = this.#isShort ? '' : `, in each of ${READINGS} readings`;
    read.failures.push({ ...source, reason: `${this.#reason}${readings}`, isShort: this.#isShort });
  }
}

/** A list and the way to request its pages. */
export interface ListSource {
  /** The name of the list within the stream. */
  readonly list: string;
  /** Description for messages, such as `the items of catalog products`. */
  readonly what: string;
  readonly shape: ListShape;
  /** JSON pointer to the id in an element; '' if elements are identified by their complete content. */
  readonly id: string;
  /** The number of rows announced outside the pages of the list. */
  readonly announced?: number | null;
  /** Called for each page on disk, numbered from 0; the numbers restart at 0 when the list is read again. */
  onPage?(page: ListPage, number: number): void;
  readonly paging: CursorPaging | NumberPaging;
}

/** Paging in E2: each page contains the cursor of the next page. */
interface CursorPaging {
  readonly by: 'cursor';
  ask(cursor: string | undefined): FreeRequest;
}

/** Paging in E4, E10 and E12: pages are numbered from 1. */
interface NumberPaging {
  readonly by: 'number';
  ask(page: number): FreeRequest;
  readonly pageSize: number;
  /** The setting that contains the name of the page parameter. */
  readonly setting: string;
}

/** Paging by number, with the parameters from the settings of the stream. */
export function numbered(
  stream: ReferenceStream,
  { pageParameter, sizeParameter, pageSize }: PageSettings,
  ask: (pages: Query) => FreeRequest,
): NumberPaging {
  return {
    by: 'number',
    ask: (page) => ask({ [pageParameter]: page, [sizeParameter]: pageSize }),
    pageSize,
    setting: `reference.${stream}.page_parameter`,
  };
}

/** A list that was read to its end. */
interface WalkedList {
  readonly files: readonly Page[];
  readonly announced: number | null;
  /** True if the announced number changed between pages. */
  readonly moved: boolean;
}

type Walk =
  | { readonly kind: 'end'; readonly list: WalkedList }
  /** The list must be read from the start because the service rejects the cursor. */
  | { readonly kind: 'stale'; readonly reason: string }
  /** The reading failed. `reason` is a clause, and `body` is an unusable answer. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly body?: Buffer;
    };

interface ListReader {
  readonly service: Pick<ServiceClient, 'ask'>;
  readonly pull: PullWriter;
  /** Called for each page on disk, with the number of rows read so far. */
  proceed(source: ListSource, rows: number, announced: number | null): void;
}

/** A list with more than this number of rows per announced row is treated as endless. */
const MOST_PER_ANNOUNCED = 10;
/** Maximum number of rows of a list without an announced number. */
const MOST_UNANNOUNCED = 1_000_000;

/** The pages read so far. */
class Pages {
  readonly files: Page[] = [];
  rows = 0;
  announced: number | null = null;
  /** The number of rows announced by the first page or by the list of catalogs. */
  #expected: number | null;
  moved = false;
  last: ListPage | undefined;

  constructor({ announced = null }: ListSource) {
    this.#expected = announced;
  }

  get count(): number {
    return this.files.length;
  }

  add(page: ListPage, file: Page): void {
    if (this.count === 0) this.#expected ??= page.announced;
    this.moved ||= this.count > 0 && page.announced !== this.announced;
    this.announced = page.announced;
    this.files.push(file);
    this.rows += page.rows;
    this.last = page;
  }

  /** The reason why the reading must stop, as a clause. Pages are limited too, because they may be empty. */
  get endless(): string | undefined {
    const most =
      this.#expected === null ? MOST_UNANNOUNCED : Math.max(1, this.#expected) * MOST_PER_ANNOUNCED;
    if (Math.max(this.rows, this.count) < most) return undefined;
    const announced = this.#expected === null ? 'no number of rows' : `${this.#expected} rows`;
    return `the service announces ${announced}, gave ${this.rows}, and the list goes on`;
  }

  end(): Walk {
    const { files, announced, moved } = this;
    return { kind: 'end', list: { files, announced, moved } };
  }
}

/**
 * Reads a list to its end. The pages of a reading that fails are removed.
 *
 * @throws CredentialsError, InterruptedError as the client does
 * @throws StorageError
 */
export async function readList(source: ListSource, reader: ListReader): Promise<Walk> {
  const { paging } = source;
  const pages = new Pages(source);
  const walk =
    paging.by === 'cursor'
      ? await byCursor({ ...source, paging }, pages, reader)
      : await byNumber({ ...source, paging }, pages, reader);
  if (walk.kind !== 'end') await reader.pull.discard(pages.files);
  return walk;
}

async function byCursor(
  source: ListSource & { paging: CursorPaging },
  pages: Pages,
  reader: ListReader,
): Promise<Walk> {
  const { pull, service } = reader;
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const answer = await service.ask(source.paging.ask(cursor));
    if (answer.verdict.kind === 'refused' && cursor !== undefined)
      return { kind: 'stale', reason: `the next page was refused (${answer.verdict.reason})` };
    if (answer.verdict.kind !== 'ok') return failed(answer);
    const { body } = answer;
    const page = listPage(body, source.shape);
    if (page === undefined) return { kind: 'failed', reason: 'a page holds no list', body };
    const landed = await pull.land(body, page.rows);
    source.onPage?.(page, pages.count);
    pages.add(page, landed);
    reader.proceed(source, pages.rows, pages.announced);
    cursor = nextCursor(body);
    if (cursor === undefined) return pages.end();
    if (seen.has(cursor))
      return { kind: 'failed', reason: `page ${pages.count} leads back to an earlier page`, body };
    if (pages.endless !== undefined) return { kind: 'failed', reason: pages.endless, body };
    seen.add(cursor);
  }
}

async function byNumber(
  source: ListSource & { paging: NumberPaging },
  pages: Pages,
  reader: ListReader,
): Promise<Walk> {
  const { service, pull } = reader;
  const { pageSize, setting } = source.paging;
  for (;;) {
    const number = pages.count + 1;
    const answer = await service.ask(source.paging.ask(number));
    const { verdict, body } = answer;
    const enough = pages.announced !== null && pages.rows >= pages.announced;
    // The service may refuse requests beyond the last page.
    if (verdict.kind === 'refused' && enough && number > 1) return pages.end();
    if (verdict.kind !== 'ok') return failed(answer);
    const page = listPage(body, source.shape);
    if (page === undefined) return { kind: 'failed', reason: 'a page holds no list', body };
    if (page.rows > 0 && pages.last?.text.equals(page.text) === true) {
      const reason = `page ${number} repeats page ${number - 1}, so the page parameter is not the service's: correct ${setting}`;
      return { kind: 'failed', reason, body };
    }
    const landed = await pull.land(body, page.rows);
    source.onPage?.(page, pages.count);
    pages.add(page, landed);
    reader.proceed(source, pages.rows, pages.announced);
    if (page.rows === 0) return pages.end();
    // A full last page may be followed by another one, even if the announced number is reached.
    if (pages.announced !== null && pages.rows >= pages.announced && page.rows < pageSize) return pages.end();
    if (pages.endless !== undefined) return { kind: 'failed', reason: pages.endless, body };
  }
}

function failed({ verdict, body }: ServiceAnswer): Walk {
  const reason = 'reason' in verdict ? verdict.reason : 'an answer without a list';
  return {
    kind: 'failed',
    reason: `the service gave no usable answer (${reason})`,
    ...(body.length > 0 ? { body } : {}),
  };
}

/** The location of a list in an answer, as keys from the outermost to the innermost. */
interface ListShape {
  /** Possible locations; the first one that contains a list is used. */
  readonly rows: readonly (readonly string[])[];
  /** The location of the total number of rows; undefined if answers do not contain it. */
  readonly total?: readonly string[];
}

export interface ListPage {
  /** Number of rows on the page. */
  readonly rows: number;
  /** The bytes of the rows, for comparing pages. */
  readonly text: Buffer;
  /** The announced number of rows of the complete list; null if the service announces none. */
  readonly announced: number | null;
}

/** The keys of a page that the load reads; a duplicate of such a key would stop the load. */
const LOADED = ['data', 'templateListResponse'];

/** Finds the page in an answer; undefined if the answer contains no list at the expected location. */
export function listPage(body: Buffer, { rows, total }: ListShape): ListPage | undefined {
  const outer = readEnvelope(body);
  if (outer?.kind !== 'object' || LOADED.some((key) => outer.twice.has(key))) return undefined;
  const found = rows.map((keys) => listAt(body, keys)).find((list) => list !== undefined);
  if (found === undefined) return undefined;
  const announced = z
    .number()
    .int()
    .nonnegative()
    .safeParse(total && parsed(valueAt(body, total)));
  return { ...found, announced: announced.success ? announced.data : null };
}

/** The rows of a page as JavaScript values; use only for small lists. */
export function rowsOn({ text }: ListPage): unknown[] {
  return z.array(z.unknown()).parse(JSON.parse(repairedJson(text.toString('utf8')) ?? '[]'));
}

const cursorText = z.string().nullish().catch(null);

/** The cursor of the next page (E2), `data.next_cursor`; undefined at the end of the list. */
export function nextCursor(body: Buffer): string | undefined {
  return cursorText.parse(parsed(valueAt(body, ['data', 'next_cursor']))) ?? undefined;
}

function listAt(body: Buffer, keys: readonly string[]): Pick<ListPage, 'rows' | 'text'> | undefined {
  const text = valueAt(body, keys);
  const list = text && readEnvelope(text);
  return text !== undefined && list?.kind === 'array' ? { rows: list.elements, text } : undefined;
}

/** The bytes of a value in nested objects. */
function valueAt(body: Buffer, keys: readonly string[]): Buffer | undefined {
  let value: Buffer | undefined = body;
  for (const key of keys) {
    const envelope = readEnvelope(value);
    const part = envelope?.kind === 'object' ? envelope.parts.get(key) : undefined;
    if (part === undefined) return undefined;
    value = value.subarray(part.start, part.end);
  }
  return value;
}

function parsed(value: Buffer | undefined): unknown {
  return value && partValue(value, { start: 0, end: value.length, elements: undefined });
}

// Decides whether a reading of a list becomes a snapshot. Rows that are missing from a snapshot are closed in the
// history, so a list must not be accepted if it changed during the reading, or if it lost most of its rows for one night
// only. Pure.

/** The result of one reading of a list. */
export interface ReadList {
  /** Number of all rows, including duplicates. */
  readonly rows: number;
  /** Number of rows that already occurred on an earlier page. */
  readonly repeated: number;
  /** Number of rows that are equal to another row; equal rows are stored once. */
  readonly equal: number;
  /** The announced number of rows; null if the service announces none. */
  readonly announced: number | null;
  /** True if the announced number changed during the reading. */
  readonly moved: boolean;
}

type Verdict =
  | { readonly kind: 'whole' }
  /** The reading is accepted, and the difference from the announced number is reported. */
  | { readonly kind: 'differs' }
  /**
   * The list is read again; if the result stays the same, it is not accepted. `reason` is a clause. `isShort`: a second
   * night may confirm the reading.
   */
  | { readonly kind: 'again'; readonly reason: string; readonly isShort: boolean };

/** The earlier readings of a list. */
interface Known {
  /** Number of rows in its last snapshot; 0 if there is no snapshot. */
  readonly stored: number;
  /** The readings since the last snapshot that were not accepted. */
  readonly short: readonly ShortList[];
  readonly pulledAt: Date;
  /** True if the user accepts the list, however few rows it has. */
  readonly accepted: boolean;
}

/** @param before the previous reading in the same run */
export function judgeReading(
  list: ReadList,
  before: ReadList | undefined,
  { stored, short, pulledAt, accepted }: Known,
): Verdict {
  const { rows, repeated, equal, announced, moved } = list;
  const again = (reason: string, isShort = false): Verdict => ({ kind: 'again', reason, isShort });
  const stays = before?.rows === rows && before.announced === announced && before.repeated === repeated;
  // A stable list has equal rows. In a list that changes during the reading a row, or a row with the same id, occurs
  // again.
  if (repeated > 0 && !(stays && equal >= repeated)) return again('a row stood on two pages');
  if (moved) return again('the number of rows changed');
  const lastNights = short.filter(
    (night) => night.pulledAt < pulledAt && areNightsApart(night.pulledAt, pulledAt),
  );
  const isLost = isLoss(size(stored), size(rows - equal));
  if (isLost && !accepted && !lastNights.some((night) => isAlike(night.rows, rows))) {
    const reason = `the service gives ${rows} rows, less than half of the ${stored} before, which two nights must agree on`;
    return again(reason, true);
  }
  if (announced === null || rows === announced) return { kind: 'whole' };
  // More rows than announced lose no data. Fewer rows may be incomplete, so a second night must confirm them.
  const missing = announced - rows;
  const agrees = lastNights.some(
    (night) => night.announced !== null && night.announced - night.rows === missing,
  );
  if (accepted || (stays && (missing < 0 || agrees))) return { kind: 'differs' };
  return again(`the service announces ${announced} rows and gave ${rows}`, missing > 0);
}

/** True if neither number of rows is a loss compared with the other. */
function isAlike(rows: number, others: number): boolean {
  return !isLoss(size(rows), size(others)) && !isLoss(size(others), size(rows));
}

function size(rows: number): { rows: number; messages: number } {
  return { rows, messages: rows };
}

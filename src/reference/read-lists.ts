/** Reads lists until each is one consistent snapshot, or is given up for this run. */
import { DamageError } from '../errors.js';
import { settleAll, type ServiceAnswer, type ServiceClient } from '../api/client.js';
import type { LandedList, ReferencePull, ShortList, ReferenceStream } from '../storage/pull.js';
import type { Snapshot, Reading } from '../storage/landed-pulls.js';
import type { CountedRows } from '../warehouse/landed-files.js';
import type { FreeRequest, Query } from '../api/endpoints.js';
import type { PageSettings } from '../config/schema.js';
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { partValue, readEnvelope } from '../envelope.js';
import { repairedJson } from '../storage/repair-json.js';
import { areNightsApart, isLoss } from '../warehouse/unknown-fields.js';

/** How often a list that changes while it is read is read in one run. */
export const READINGS = 3;

export interface ListsReader extends ListReader {
  readonly projectId: string;
  /** The messenger's word in paths. */
  readonly messenger: string;
  /** The pull before this one. */
  readonly earlier: ReferencePull | undefined;
  /** How many rows the last snapshot of each list has. */
  readonly held: ReadonlyMap<string, number>;
  /** Counts the rows of pages. */
  count(files: readonly string[], list: ListSource, largestPage: number): Promise<CountedRows>;
  /** Keeps an answer that cannot be used. */
  reject(source: ListSource, body: Buffer): Promise<void>;
  /** Whether a person accepts the lists, however little they hold. */
  readonly accepted: boolean;
}

/** The earlier readings of a list. */
export function knownOf(list: string, { earlier, held, snapshot, accepted }: ListsReader): Known {
  const short = earlier?.short.filter((night) => night.list === list) ?? [];
  return { held: held.get(list) ?? 0, short, pulledAt: snapshot.pulledAt, accepted };
}

export interface ListsRead {
  readonly lists: LandedList[];
  /** Lists that count although the service announces another number of rows. */
  readonly differing: LandedList[];
  readonly failures: ListFailure[];
  /** Lists that did not count, since rows were missing. */
  readonly short: ShortList[];
  largestPage: number;
}

/** A list that could not be read; `reason` is a clause. */
interface ListFailure extends Pick<ListSource, 'list' | 'what'> {
  readonly reason: string;
  /** Whether it was read and may be accepted as it is. */
  readonly isShort?: boolean;
}

/** The number of items that the list of catalogs announces, where the pages announce none; read before and after the items. */
type Announce = () => Promise<ReadonlyMap<string, number | null>>;

/** Throws as `readList` does, after all lists have ended. */
export async function readLists(
  sources: readonly ListSource[],
  reader: ListsReader,
  announce?: Announce,
): Promise<ListsRead> {
  const read: ListsRead = { lists: [], differing: [], failures: [], short: [], largestPage: 0 };
  const begun = await reader.snapshot.begun();
  let announced = await announce?.();
  let waiting = sources.map((source) => new Candidate(source, begun.get(source.list) ?? 1));
  for (let round = 1; waiting.length > 0; round++) {
    const before = announced;
    await settleAll(waiting.map((candidate) => candidate.read(reader)));
    for (const candidate of waiting) await candidate.count(reader);
    announced = await announce?.();
    for (const candidate of waiting) candidate.judge(reader, before, announced);
    for (const { outcome } of waiting) if (outcome !== undefined) outcome(read);
    waiting = waiting.filter(({ outcome }) => outcome === undefined);
    if (round < READINGS) continue;
    for (const candidate of waiting) candidate.giveUp(read, reader.snapshot.pulledAt);
    break;
  }
  return read;
}

/** One list on its way to a snapshot. */
class Candidate {
  /** The outcome; undefined while the list is to be read again. */
  outcome: ((read: ListsRead) => void) | undefined;
  #walked: (WalkedList & { files: string[] }) | undefined;
  #counted: CountedRows = { rows: 0, repeated: 0, equal: 0 };
  #before: ReadList | undefined;
  #reason = '';
  #isShort = false;

  constructor(
    readonly source: ListSource,
    public reading: number,
  ) {}

  async read(reader: ListsReader): Promise<void> {
    const { source } = this;
    const reading = { list: source.list, reading: this.reading };
    const walk = await readList(source, reading, reader);
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
    const { list } = walk;
    const files = await landedFiles(reader.snapshot, reading, list);
    this.#walked = { ...list, files };
  }

  async count(reader: ListsReader): Promise<void> {
    if (this.#walked === undefined) return;
    const { files, largestPage } = this.#walked;
    try {
      this.#counted = await reader.count(files, this.source, largestPage);
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
    this.reading++;
    const walked = this.#walked;
    if (walked === undefined || this.outcome !== undefined) return;
    const { source } = this;
    const announced = after === undefined ? walked.announced : (after.get(source.list) ?? null);
    const moved = walked.moved || (before?.get(source.list) ?? null) !== (after?.get(source.list) ?? null);
    const { files, largestPage } = walked;
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
      // The service counts each of the equal rows.
      const one = { rows: rows - equal, announced: announced === null ? null : announced - equal };
      const landed = { list: source.list, files, ...one };
      read.lists.push(landed);
      if (verdict.kind === 'differs') read.differing.push(landed);
      read.largestPage = Math.max(read.largestPage, largestPage);
    };
  }

  giveUp(read: ListsRead, pulledAt: Date): void {
    const { source } = this;
    if (this.#isShort && this.#before !== undefined) {
      const { rows, announced } = this.#before;
      read.short.push({ list: source.list, rows, announced, pulledAt });
    }
    const readings = this.#isShort ? '' : `, in each of ${READINGS} readings`;
    read.failures.push({ ...source, reason: `${this.#reason}${readings}`, isShort: this.#isShort });
  }
}

/** Packed, unless a page has to be mended before it can be read. */
export async function landedFiles(
  snapshot: Snapshot,
  reading: { list: string; reading: number },
  { pages, clean }: Pick<WalkedList, 'pages' | 'clean'>,
): Promise<string[]> {
  return clean ? await snapshot.pack(reading, pages) : snapshot.unpacked(reading, pages);
}

/** One list, and how its pages are asked for. */
export interface ListSource {
  /** Its name within the stream. */
  readonly list: string;
  /** For messages: `the items of catalog products`. */
  readonly what: string;
  readonly shape: ListShape;
  /** Where in an element its id stands, as a JSON pointer; '' for elements that differ as a whole. */
  readonly id: string;
  /** How many rows are announced elsewhere than on its pages. */
  readonly announced?: number | null;
  /** Called for each page that is on disk, counted from 0; from 0 again when the list is read again. */
  onPage?(page: ListPage, number: number): void;
  readonly paging: CursorPaging | NumberPaging;
}

/** E2: each page names the next one. */
interface CursorPaging {
  readonly by: 'cursor';
  ask(cursor: string | undefined): FreeRequest;
}

/** E4, E10, E12: pages are counted from 1. */
interface NumberPaging {
  readonly by: 'number';
  ask(page: number): FreeRequest;
  readonly pageSize: number;
  /** The setting with the name of the page parameter. */
  readonly setting: string;
}

/** The pages of a list that are asked for as the settings of its stream say. */
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
  readonly pages: number;
  readonly announced: number | null;
  /** Whether the announced number changed from page to page. */
  readonly moved: boolean;
  /** Whether all pages can be packed as they are. */
  readonly clean: boolean;
  /** Bytes of the largest page. */
  readonly largestPage: number;
}

type Walk =
  | { readonly kind: 'end'; readonly list: WalkedList }
  /** Begin again: the service does not take the cursor any more. */
  | { readonly kind: 'stale'; readonly reason: string }
  /** `reason` is a clause. `body` is an answer that cannot be used. */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly body?: Buffer;
      /** Whether a run of the same day can go on behind the pages that are there. */
      readonly canGoOn?: boolean;
    };

interface ListReader {
  readonly service: Pick<ServiceClient, 'ask'>;
  readonly snapshot: Snapshot;
  /** Called for each page that is on disk, with how many rows came so far. */
  proceed(source: ListSource, rows: number, announced: number | null): void;
}

/** A list that goes on after so many rows for each one that is announced has no end. */
const MOST_PER_ANNOUNCED = 10;
/** How many rows a list may have that announces none. */
const MOST_UNANNOUNCED = 1_000_000;

/** The pages read so far. */
class Pages {
  count = 0;
  rows = 0;
  announced: number | null = null;
  /** The number of rows that the first page, or the list of lists, announced. */
  #expected: number | null;
  moved = false;
  clean = true;
  largestPage = 0;
  last: ListPage | undefined;

  constructor({ announced = null }: ListSource) {
    this.#expected = announced;
  }

  add(page: ListPage, body: Buffer): void {
    if (this.count === 0) this.#expected ??= page.announced;
    this.moved ||= this.count > 0 && page.announced !== this.announced;
    this.announced = page.announced;
    this.count++;
    this.rows += page.rows;
    this.clean &&= page.clean;
    this.largestPage = Math.max(this.largestPage, body.length);
    this.last = page;
  }

  /** Why the list must not be read on, as a clause; pages count too, since they may be empty. */
  get endless(): string | undefined {
    const most =
      this.#expected === null ? MOST_UNANNOUNCED : Math.max(1, this.#expected) * MOST_PER_ANNOUNCED;
    if (Math.max(this.rows, this.count) < most) return undefined;
    const announced = this.#expected === null ? 'no number of rows' : `${this.#expected} rows`;
    return `the service announces ${announced}, gave ${this.rows}, and the list goes on`;
  }

  end(): Walk {
    const { count: pages, announced, moved, clean, largestPage } = this;
    return { kind: 'end', list: { pages, announced, moved, clean, largestPage } };
  }
}

/**
 * Reads a list to its end; one that is read by cursor goes on behind the pages that are on disk. Pages that no run can go on
 * behind are removed.
 *
 * @throws CredentialsError, InterruptedError as the client does; StorageError
 */
export async function readList(source: ListSource, reading: Reading, reader: ListReader): Promise<Walk> {
  const { paging } = source;
  const walk =
    paging.by === 'cursor'
      ? await byCursor({ ...source, paging }, reading, reader)
      : await byNumber({ ...source, paging }, reading, reader);
  if (walk.kind === 'failed' && walk.canGoOn !== true) await reader.snapshot.discard(reading);
  return walk;
}

async function byCursor(
  source: ListSource & { paging: CursorPaging },
  reading: Reading,
  reader: ListReader,
): Promise<Walk> {
  const { snapshot, service } = reader;
  const pages = new Pages(source);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (const there = await snapshot.pages(reading); ;) {
    let body: Buffer;
    let link: string | null | undefined;
    if (pages.count < there) body = await snapshot.read(reading, pages.count);
    else {
      const answer = await service.ask(source.paging.ask(cursor));
      if (answer.verdict.kind === 'refused' && cursor !== undefined)
        return { kind: 'stale', reason: `the next page was refused (${answer.verdict.reason})` };
      if (answer.verdict.kind !== 'ok') return { ...failed(answer), canGoOn: true };
      body = answer.body;
      link = answer.link ?? null;
    }
    const page = listPage(body, source.shape);
    if (page === undefined) return { kind: 'failed', reason: 'a page holds no list', body, canGoOn: true };
    const next = agreed(nextCursor(body, link));
    if ('reason' in next) return { kind: 'failed', reason: next.reason, body, canGoOn: true };
    if (pages.count >= there) await snapshot.land(reading, pages.count, body);
    source.onPage?.(page, pages.count);
    pages.add(page, body);
    reader.proceed(source, pages.rows, pages.announced);
    if (next.next === null) return pages.end();
    if (seen.has(next.next))
      return { kind: 'failed', reason: `page ${pages.count} leads back to an earlier page`, body };
    if (pages.endless !== undefined) return { kind: 'failed', reason: pages.endless, body };
    seen.add(next.next);
    cursor = next.next;
  }
}

async function byNumber(
  source: ListSource & { paging: NumberPaging },
  reading: Reading,
  reader: ListReader,
): Promise<Walk> {
  const { service, snapshot } = reader;
  const { pageSize, setting } = source.paging;
  const pages = new Pages(source);
  for (;;) {
    const number = pages.count + 1;
    const answer = await service.ask(source.paging.ask(number));
    const { verdict, body } = answer;
    const enough = pages.announced !== null && pages.rows >= pages.announced;
    // Beyond the last page a service may have no answer at all.
    if (verdict.kind === 'refused' && enough && number > 1) return pages.end();
    if (verdict.kind !== 'ok') return failed(answer);
    const page = listPage(body, source.shape);
    if (page === undefined) return { kind: 'failed', reason: 'a page holds no list', body };
    if (page.rows > 0 && pages.last?.text.equals(page.text) === true) {
      const reason = `page ${number} repeats page ${number - 1}, so the page parameter is not the service's: correct ${setting}`;
      return { kind: 'failed', reason, body };
    }
    await snapshot.land(reading, pages.count, body);
    source.onPage?.(page, pages.count);
    pages.add(page, body);
    reader.proceed(source, pages.rows, pages.announced);
    if (page.rows === 0) return pages.end();
    // A full last page may have another behind it, whatever is announced.
    if (pages.announced !== null && pages.rows >= pages.announced && page.rows < pageSize) return pages.end();
    if (pages.endless !== undefined) return { kind: 'failed', reason: pages.endless, body };
  }
}

function failed({ verdict, body }: ServiceAnswer): Walk & { kind: 'failed' } {
  const reason = 'reason' in verdict ? verdict.reason : 'an answer without a list';
  return {
    kind: 'failed',
    reason: `the service gave no usable answer (${reason})`,
    ...(body.length > 0 ? { body } : {}),
  };
}

/** Where a list stands in an answer, as keys from the outside in. */
interface ListShape {
  /** The first of these that leads to a list. */
  readonly rows: readonly (readonly string[])[];
  /** The number of rows of the whole list; none where the answer has no such number. */
  readonly total?: readonly string[];
}

export interface ListPage {
  /** How many rows the page has. */
  readonly rows: number;
  /** The bytes of its rows, to compare pages with. */
  readonly text: Buffer;
  /** How many rows the service announces for the whole list; null where it does not. */
  readonly announced: number | null;
  /** Whether every JSON reader takes the page as it is. */
  readonly clean: boolean;
}

/** The keys of a page that the load reads: one that is given twice would stop it. */
const LOADED = ['data', 'templateListResponse'];

/** The page in an answer; undefined when there is no list where one belongs. */
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
  const received = body.toString('utf8');
  return {
    ...found,
    announced: announced.success ? announced.data : null,
    clean: isUtf8(body) && repairedJson(received) === received,
  };
}

/** The rows of a page as JavaScript values; only for lists that are small. */
export function rowsOf({ text }: ListPage): unknown[] {
  return z.array(z.unknown()).parse(JSON.parse(repairedJson(text.toString('utf8')) ?? '[]'));
}

/** The cursor of the next page (E2) in its three places, or null for the end. */
interface NextCursor {
  readonly 'data.next_cursor': string | null;
  readonly 'data.links.next': string | null;
  /** Undefined for a page from the disk, where no headers are. */
  readonly 'the Link header': string | null | undefined;
}

const text = z.string().nullable().catch(null);

/** @param link the header, null where there is none, undefined where it is not known */
export function nextCursor(body: Buffer, link: string | null | undefined): NextCursor {
  const linked = link && /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(link)?.[1];
  return {
    'data.next_cursor': text.parse(parsed(valueAt(body, ['data', 'next_cursor'])) ?? null),
    'data.links.next': cursorIn(text.parse(parsed(valueAt(body, ['data', 'links', 'next'])) ?? null)),
    'the Link header': link === undefined ? undefined : cursorIn(linked ?? null),
  };
}

/** The next cursor if all agree, or why they do not, as a clause. */
export function agreed(said: NextCursor): { next: string | null } | { reason: string } {
  const next = said['data.next_cursor'];
  const other = Object.entries(said).find(([, cursor]) => cursor !== undefined && cursor !== next);
  return other === undefined
    ? { next }
    : { reason: `data.next_cursor and ${other[0]} name different next pages` };
}

function cursorIn(address: string | null): string | null {
  if (address === null) return null;
  if (!URL.canParse(address, 'http://service')) return address;
  return new URL(address, 'http://service').searchParams.get('cursor') ?? '';
}

function listAt(body: Buffer, keys: readonly string[]): Pick<ListPage, 'rows' | 'text'> | undefined {
  const text = valueAt(body, keys);
  const list = text && readEnvelope(text);
  return text !== undefined && list?.kind === 'array' ? { rows: list.elements, text } : undefined;
}

/** The bytes of a value inside objects. */
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

// Whether a reading of a list counts as a snapshot. Rows that are missing from a snapshot are closed in the history, so a list
// that changed while it was read must not count, nor one that lost most of its rows for a night. Pure.

/** The result of one reading of a list. */
export interface ReadList {
  /** All rows, equal ones among them. */
  readonly rows: number;
  /** Rows that stood on a page before. */
  readonly repeated: number;
  /** Rows that are equal to another one: they are one row. */
  readonly equal: number;
  /** The number of rows that the service announced; null where it announces none. */
  readonly announced: number | null;
  /** Whether what it announced changed on the way. */
  readonly moved: boolean;
}

type Verdict =
  | { readonly kind: 'whole' }
  /** It counts, and the difference is reported. */
  | { readonly kind: 'differs' }
  /** Read it again; if it stays so, it does not count. `reason` is a clause. `isShort`: a second night may agree. */
  | { readonly kind: 'again'; readonly reason: string; readonly isShort: boolean };

/** The earlier readings of a list. */
interface Known {
  /** How many rows its last snapshot has; none where it has none. */
  readonly held: number;
  /** Its readings that did not count since then. */
  readonly short: readonly ShortList[];
  readonly pulledAt: Date;
  /** Whether a person accepts the list, however little it holds. */
  readonly accepted: boolean;
}

/** @param before the reading before this one, in the same run */
export function judgeReading(
  list: ReadList,
  before: ReadList | undefined,
  { held, short, pulledAt, accepted }: Known,
): Verdict {
  const { rows, repeated, equal, announced, moved } = list;
  const again = (reason: string, isShort = false): Verdict => ({ kind: 'again', reason, isShort });
  const stays = before?.rows === rows && before.announced === announced && before.repeated === repeated;
  // A list that holds still has equal rows; in one that moves a row comes again, or one with the same id.
  if (repeated > 0 && !(stays && equal >= repeated)) return again('a row stood on two pages');
  if (moved) return again('the number of rows changed');
  const lastNights = short.filter(
    (night) => night.pulledAt < pulledAt && areNightsApart(night.pulledAt, pulledAt),
  );
  const isLost = isLoss(size(held), size(rows - equal));
  if (isLost && !accepted && !lastNights.some((night) => isAlike(night.rows, rows))) {
    const reason = `the service gives ${rows} rows, less than half of the ${held} before, which two nights must agree on`;
    return again(reason, true);
  }
  if (announced === null || rows === announced) return { kind: 'whole' };
  // More rows than announced lose nothing; fewer may be missing, so that takes two nights.
  const missing = announced - rows;
  const agrees = lastNights.some(
    (night) => night.announced !== null && night.announced - night.rows === missing,
  );
  if (accepted || (stays && (missing < 0 || agrees))) return { kind: 'differs' };
  return again(`the service announces ${announced} rows and gave ${rows}`, missing > 0);
}

/** Neither is a loss beside the other. */
function isAlike(rows: number, others: number): boolean {
  return !isLoss(size(rows), size(others)) && !isLoss(size(others), size(rows));
}

function size(rows: number): { rows: number; messages: number } {
  return { rows, messages: rows };
}

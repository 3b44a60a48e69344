/** Reads each list until it is a consistent snapshot, or gives up until the next run. */
import { settleAll } from '../../ground/promises.js';
import type { ServiceAnswer } from '../../service/client.js';
import type { LandingZone, Page, Pull, ShortList, PullWriter } from '../../landing/landing-zone.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import { unlessDamaged } from '../../disk/storage-error.js';
import type { CountedRows } from '../../warehouse/load.js';
import type { FreeRequest, Query } from '../../service/endpoints.js';
import { z } from 'zod';
import { partValue, readEnvelope, repairedJson } from '../../ground/envelope.js';
import { areNightsApart } from '../../ground/calendar.js';
import { isLoss } from '../free.js';
import type { ReferenceStream } from './fields.js';
import type { PageSettings } from './settings.js';

/** How often a run reads a list that changes while it is read. */
const READINGS = 3;

/** Sends a request to the service, within the time left. */
export type Ask = (question: FreeRequest) => Promise<ServiceAnswer>;

export interface ListsReader {
  readonly ask: Ask;
  readonly projectId: string;
  /** The word for the chat app in the paths of the service's API. */
  readonly messenger: string;
  readonly writer: PullWriter;
  /** The previous pull. */
  readonly earlier: Pull | undefined;
  /** Number of rows in the last snapshot of each list. */
  readonly stored: ReadonlyMap<string, number>;
  /** True if the user accepts the lists even if few rows are left. */
  readonly accepted: boolean;
  readonly landing: LandingZone;
  readonly warehouse: Pick<Warehouse, 'countRows'>;
  readonly terminal: Pick<Terminal, 'progress'>;
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
  readonly failures: ListFailure[];
}

/** A list that could not be read, with the reason as a clause. */
interface ListFailure extends Pick<ListSource, 'list' | 'what'> {
  readonly reason: string;
  /** The reading with missing rows, which a later night may confirm or the user may accept. */
  readonly short?: ShortList;
}

/** The announced number of rows of each list; null if none is announced. */
export type Announced = ReadonlyMap<string, number | null>;

/** A list that has not been read yet, or must be read again for a reason. */
interface Waiting extends Partial<Again> {
  readonly source: ListSource;
  /** The last reading that reached the end of the list. */
  readonly reading?: ReadList | undefined;
}

/**
 * Reads all lists.
 *
 * @param outside for lists whose pages announce no number of rows: the numbers `before` the first reading, and a function that requests
 * them `again` later
 * @throws CredentialsError, InterruptedError as the client does, and StorageError, after all lists have ended
 */
export async function readLists(
  sources: readonly ListSource[],
  reader: ListsReader,
  outside?: { readonly before: Announced; readonly again: () => Promise<Announced> },
): Promise<ListsRead> {
  const read: ListsRead = { lists: [], failures: [] };
  let announced = outside?.before;
  let waiting: Waiting[] = sources.map((source) => ({ source }));
  for (let round = 1; waiting.length > 0 && round <= READINGS; round++) {
    const before = announced;
    const walks = await settleAll(
      waiting.map(async (one) => ({ one, walk: await readList(one.source, reader) })),
    );
    announced = await outside?.again();
    waiting = [];
    for (const { one, walk } of walks) {
      const again = await settle(one, walk, { before, after: announced }, reader, read);
      if (again !== undefined) waiting.push(again);
    }
  }
  const { pulledAt } = reader.writer;
  for (const { source, reason = '', isShort = false, reading } of waiting) {
    const { list, what } = source;
    const why = isShort ? reason : `${reason}, in each of ${READINGS} readings`;
    const short = isShort && reading && { list, rows: reading.rows, announced: reading.announced, pulledAt };
    read.failures.push({ list, what, reason: why, ...(short && { short }) });
  }
  return read;
}

/** Records a list as read or failed. If it must be read again, returns it without the pages of this reading. */
async function settle(
  { source, reading: last }: Waiting,
  walk: Walk,
  { before, after }: Readonly<Record<'before' | 'after', Announced | undefined>>,
  { earlier, stored, writer, accepted, landing, warehouse }: ListsReader,
  read: ListsRead,
): Promise<Waiting | undefined> {
  const { list, what } = source;
  const { files, failure, isStale = false, body } = walk;
  if (failure !== undefined) await writer.discard(files);
  if (failure !== undefined && isStale) return { source, reason: failure, reading: last };
  if (body !== undefined) await landing.reject(writer.stream.replaceAll('_', '-'), what, body);
  const counted = failure ?? (await unlessDamaged(warehouse.countRows(files, source.id)));
  if (counted === undefined || typeof counted === 'string') {
    read.failures.push({ list, what, reason: counted ?? 'its rows cannot be read' });
    return undefined;
  }
  const announced = after === undefined ? walk.announced : (after.get(list) ?? null);
  const moved = walk.moved || (before?.get(list) ?? null) !== (after?.get(list) ?? null);
  const reading = { ...counted, announced, moved };
  const short = earlier?.facts.short.filter((night) => night.list === list) ?? [];
  const earlierReadings = { stored: stored.get(list) ?? 0, short, pulledAt: writer.pulledAt, accepted };
  const again = whyAgain(reading, last, earlierReadings);
  if (again !== undefined) {
    await writer.discard(files);
    return { source, ...again, reading };
  }
  // The announced number includes duplicate rows, so duplicates are subtracted from both numbers.
  const { rows, equal } = counted;
  const promised = announced === null ? null : announced - equal;
  read.lists.push({ list, files, rows: rows - equal, announced: promised });
  return undefined;
}

/** A list and the way to request its pages. */
export interface ListSource {
  /** The name of the list within the stream. */
  readonly list: string;
  /** Description for messages, such as `the items of catalog products`. */
  readonly what: string;
  readonly shape: ListShape;
  /** JSON pointer to the id in a row; '' if rows are identified by their complete content. */
  readonly id: string;
  /** The number of rows announced outside the pages of the list. */
  readonly announced?: number | null;
  /** Called for each page on disk, numbered from 0. If the list is read again, the numbers restart at 0. */
  onPage?(page: ListPage, number: number): void;
  readonly paging: CursorPaging | NumberPaging;
}

/** Paging in E2: each page has the cursor of the next page. */
interface CursorPaging {
  readonly by: 'cursor';
  ask(cursor: string | undefined): FreeRequest;
}

/** Paging in E4, E10 and E12: pages are numbered from 1. */
interface NumberPaging {
  readonly by: 'number';
  ask(page: number): FreeRequest;
  readonly pageSize: number;
  /** The setting with the name of the page parameter. */
  readonly setting: string;
}

/** Paging by number, with the parameter names from the stream's settings. */
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

/** One reading of a list. */
interface Walk {
  readonly files: readonly Page[];
  /** The number of rows that its last page announces. */
  readonly announced: number | null;
  /** True if the announced number changed from one page to another. */
  readonly moved: boolean;
  /** Why the reading did not reach the end of the list, as a clause. */
  readonly failure?: string;
  /** True if the service rejects the cursor, so that the list must be read from the start. */
  readonly isStale?: boolean;
  readonly body?: Buffer;
}

/** A list with more than this number of rows per announced row is considered endless. */
const MOST_PER_ANNOUNCED = 10;
/** Maximum number of rows of a list without an announced number. */
const MOST_UNANNOUNCED = 1_000_000;

async function readList(source: ListSource, { ask, writer, terminal }: ListsReader): Promise<Walk> {
  const { paging } = source;
  const files: Page[] = [];
  const cursors = new Set<string>();
  let expected = source.announced ?? null;
  let last: ListPage | undefined;
  let moved = false;
  for (let rows = 0, cursor: string | undefined; ;) {
    const number = files.length + 1;
    const question = paging.by === 'cursor' ? paging.ask(cursor) : paging.ask(number);
    const { verdict, body } = await ask(question);
    const end = (announced: number | null): Walk => ({ files, announced, moved });
    const failed = (failure: string): Walk => ({
      ...end(null),
      failure,
      ...(body.length > 0 && { body }),
    });
    if (verdict.kind === 'refused' && last !== undefined) {
      if (paging.by === 'cursor')
        return { ...end(null), failure: `the next page was refused (${verdict.reason})`, isStale: true };
      // The service may refuse requests for a page after the last one.
      if (last.announced !== null && rows >= last.announced) return end(last.announced);
    }
    if (verdict.kind !== 'ok') return failed(`the service gave no usable answer (${verdict.reason})`);
    const page = listPage(body, source.shape);
    if (page === undefined) return failed('a page has no list');
    if (paging.by === 'number' && page.rows > 0 && last?.text.equals(page.text) === true) {
      const remedy = `the page parameter is not the service's: correct ${paging.setting}`;
      return failed(`page ${number} repeats page ${number - 1}, so ${remedy}`);
    }
    files.push(await writer.land(body, page.rows));
    source.onPage?.(page, number - 1);
    const { announced } = page;
    if (last === undefined) expected ??= announced;
    else moved ||= announced !== last.announced;
    last = page;
    rows += page.rows;
    terminal.progress(`${source.what}: ${rows}${announced === null ? '' : ` of ${announced}`}`);
    if (paging.by === 'cursor') {
      cursor = nextCursor(body);
      if (cursor === undefined) return end(announced);
      if (cursors.has(cursor)) return failed(`page ${number} leads back to an earlier page`);
      cursors.add(cursor);
    } else {
      // If the last page is full, another one may follow, even if the announced number is reached.
      const isEnough = announced !== null && rows >= announced && page.rows < paging.pageSize;
      if (page.rows === 0 || isEnough) return end(announced);
    }
    // The number of pages is limited too, because pages may be empty.
    const most = expected === null ? MOST_UNANNOUNCED : Math.max(1, expected) * MOST_PER_ANNOUNCED;
    if (Math.max(rows, number) >= most) {
      const promised = expected === null ? 'no number of rows' : `${expected} rows`;
      return failed(`the service announced ${promised}, sent ${rows}, and the list continues`);
    }
  }
}

/** The location of a list in an answer, as keys from the outermost to the innermost. */
interface ListShape {
  /** Possible locations. The first one with a list is used. */
  readonly rows: readonly (readonly string[])[];
  /** The location of the total number of rows; undefined if answers do not have it. */
  readonly total?: readonly string[];
}

export interface ListPage {
  readonly rows: number;
  /** The bytes of the rows, to compare pages. */
  readonly text: Buffer;
  /** The announced number of rows of the complete list; null if the service announces none. */
  readonly announced: number | null;
}

/** The keys of a page that the load reads. If such a key occurs twice, the load would stop. */
const LOADED = ['data', 'templateListResponse'];

/** Finds the page in an answer; undefined if the expected locations have no list. */
export function listPage(body: Buffer, { rows, total }: ListShape): ListPage | undefined {
  const outer = readEnvelope(body);
  if (outer?.kind !== 'object' || LOADED.some((key) => outer.twice.has(key))) return undefined;
  const list = rows.map((keys) => listAt(body, keys)).find((one) => one !== undefined);
  if (list === undefined) return undefined;
  const announced = z
    .number()
    .int()
    .nonnegative()
    .safeParse(total && parsed(valueAt(body, total)));
  return { ...list, announced: announced.success ? announced.data : null };
}

export function rowsOn({ text }: ListPage): unknown[] {
  return z.array(z.unknown()).parse(JSON.parse(repairedJson(text.toString('utf8')) ?? '[]'));
}

const cursorText = z.string().nullish().catch(null);

/** The cursor of the next page (E2), `data.next_cursor`; undefined on the last page. */
export function nextCursor(body: Buffer): string | undefined {
  return cursorText.parse(parsed(valueAt(body, ['data', 'next_cursor']))) ?? undefined;
}

function listAt(body: Buffer, keys: readonly string[]): Pick<ListPage, 'rows' | 'text'> | undefined {
  const text = valueAt(body, keys);
  const list = text && readEnvelope(text);
  return text && list?.kind === 'array' ? { rows: list.elements, text } : undefined;
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
  return value && partValue(value, { start: 0, end: value.length });
}

// The following functions decide whether a reading becomes a snapshot. The history marks rows that a snapshot lacks as ended. So a list is
// rejected if it changed while it was read, or if it lost most of its rows on one night only. Pure.

export interface ReadList extends CountedRows {
  /** The announced number of rows; null if the service announces none. */
  readonly announced: number | null;
  /** True if the announced number changed during the reading. */
  readonly moved: boolean;
}

/** The reason to read a list again. If the next reading has the same fault, the list is rejected. */
interface Again {
  readonly reason: string;
  /** True if a second night may confirm the reading. */
  readonly isShort?: boolean;
}

/** The earlier readings of a list. */
interface Known {
  /** Number of rows in its last snapshot; 0 without one. */
  readonly stored: number;
  /** The readings since the last snapshot that were not accepted. */
  readonly short: readonly ShortList[];
  readonly pulledAt: Date;
  /** True if the user accepts the list, however few rows it has. */
  readonly accepted: boolean;
}

/**
 * Returns the reason to reject a reading; undefined if it is accepted.
 *
 * @param before the previous reading in the same run
 */
export function whyAgain(
  list: ReadList,
  before: ReadList | undefined,
  { stored, short, pulledAt, accepted }: Known,
): Again | undefined {
  const { rows, repeated, equal, announced, moved } = list;
  const stays = before?.rows === rows && before.announced === announced && before.repeated === repeated;
  // Equal rows are allowed if the list is stable. If it changes, a row or its id may occur again on a later page.
  if (repeated > 0 && !(stays && equal >= repeated)) return { reason: 'a row was on two pages' };
  if (moved) return { reason: 'the number of rows changed' };
  const lastNights = short.filter(
    (night) => night.pulledAt < pulledAt && areNightsApart(night.pulledAt, pulledAt),
  );
  const isLost = isLoss(size(stored), size(rows - equal));
  if (isLost && !accepted && !lastNights.some((night) => isAlike(night.rows, rows))) {
    const reason = `the service gives ${rows} rows, less than half of the earlier ${stored}; two nights must agree on that`;
    return { reason, isShort: true };
  }
  const missing = (announced ?? rows) - rows;
  // More rows than announced are fine. Fewer rows may mean that the reading is incomplete, so a second night must confirm them.
  const agrees = lastNights.some((night) => (night.announced ?? night.rows) - night.rows === missing);
  if (missing === 0 || accepted || (stays && (missing < 0 || agrees))) return undefined;
  return {
    reason: `the service announces ${announced ?? 'no'} rows and gave ${rows}`,
    isShort: missing > 0,
  };
}

/** True if both numbers of rows are similar: neither would be a loss compared with the other. */
function isAlike(rows: number, others: number): boolean {
  return !isLoss(size(rows), size(others)) && !isLoss(size(others), size(rows));
}

function size(rows: number): { rows: number; messages: number } {
  return { rows, messages: rows };
}

/** Reads a list of the service page by page, each page on disk before the next is asked for. */
import type { ServiceAnswer, ServiceClient } from '../api/client.js';
import type { FreeRequest, Query } from '../api/endpoints.js';
import type { PageSettings } from '../config/reference.js';
import type { ReferenceStream } from '../storage/pull.js';
import type { Reading, Snapshot } from '../storage/snapshot.js';
import { agreed, listPage, nextCursor, type ListPage, type ListShape } from './page.js';

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
export interface WalkedList {
  readonly pages: number;
  readonly announced: number | null;
  /** Whether the announced number changed from page to page. */
  readonly moved: boolean;
  /** Whether all pages can be packed as they are. */
  readonly clean: boolean;
  /** Bytes of the largest page. */
  readonly largestPage: number;
}

export type Walk =
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

export interface ListReader {
  readonly service: Pick<ServiceClient, 'ask'>;
  readonly snapshot: Snapshot;
  /** Called for each page that is on disk, with how many rows came so far. */
  proceed(source: ListSource, rows: number, announced: number | null): void;
}

/** A list that goes on after so many rows for each one that is announced has no end. */
const MOST_PER_ANNOUNCED = 10;
/** How many rows a list may have that announces none. */
const MOST_UNANNOUNCED = 1_000_000;

/** What is known of the pages so far. */
class Pages {
  count = 0;
  rows = 0;
  announced: number | null = null;
  /** What the first page announced, or the list of lists. */
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

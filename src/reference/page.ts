/** The outside of a page of a list: how many rows it has, how many are announced, and where the next page is. */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { partValue, readEnvelope } from '../envelope.js';
import { repairedJson } from '../storage/repair-json.js';

/** Where a list stands in an answer, as keys from the outside in. */
export interface ListShape {
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

/** What the load reads of a page: given twice, it would stop there. */
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

/** What three places of a page say of the next one (E2): its cursor, or null for the end. */
export interface NextCursor {
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

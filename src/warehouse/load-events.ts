/** E21: loads the pages of exports into the tables of events and messages, in batches. */
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { damaged, orStorageError } from '../landing/storage-error.js';
import { firstAnswers, rowsIn, type Page, type Pull } from '../landing/landing-zone.js';
import type { ReadablePull } from './slices.js';
import type { MemoryLimit } from './opening.js';
import type { Slice } from './slices.js';
import {
  asPattern,
  count,
  DOCUMENTS,
  inBatches,
  isRefusal,
  listOf,
  sized,
  SMALLEST_BUFFER,
  split,
  statement,
  type Documents,
  type Session,
} from './session.js';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StrayError } from '../ground/errors.js';
import { FOLDER_MODE } from '../landing/atomic-file.js';
import { isReadAs, TEXTS, pointerTo, type Field, type Kind } from '../ground/fields.js';

// The tables of messages. Their columns and the statements that fill them are derived from the list of fields: the field
// `recipientNo` of `message_data:text-message` becomes the column `recipient_no` of `text_messages`, and the kind of the field
// determines the conversion.

interface MessageTable {
  readonly table: string;
  readonly place: string;
  /** Columns that are stored once for all messages with the same values, mapped to their names in `message_contents`. */
  readonly contents?: Readonly<Partial<Record<'title' | 'body' | 'html', string>>>;
}

const MESSAGES: readonly MessageTable[] = [
  { table: 'text_messages', place: 'message_data:text-message' },
  {
    table: 'sent_emails',
    place: 'message_data:email',
    contents: { body: 'body_text', html: 'body_html' },
  },
  { table: 'friendtalk_messages', place: 'message_data:chatapp-friendtalk' },
  { table: 'alimtalk_messages', place: 'message_data:chatapp-alimtalk' },
  { table: 'brand_messages', place: 'message_data:chatapp-brand-message' },
  { table: 'in_app_messages', place: 'message_data:in-app-message' },
  { table: 'in_web_messages', place: 'message_data:in-web-message' },
  {
    table: 'sent_push_messages',
    place: 'message_data:push-notification',
    contents: { title: 'title', body: 'body' },
  },
  { table: 'web_push_messages', place: 'message_data:web-push-notification' },
  { table: 'webhook_messages', place: 'message_data:webhook' },
];

/** Tables with one row for each element of a list inside a message. */
const ELEMENTS = [
  { table: 'text_message_attachments', place: 'attachment', list: 'attachFileList' },
  // The buttons of a WIDE_ITEM_LIST are inside its attachment.
  { table: 'message_buttons', place: 'button', list: 'buttons', within: 'attachment' },
] as const;

/** The table of messages of unknown channels, and of messages that are not an object. */
const OTHERS = 'other_messages';

const FILLED: readonly MessageTable[] = [...MESSAGES, ...ELEMENTS];

interface EventTable {
  readonly name: string;
  /** The columns that identify a row. */
  readonly key: string;
  /** The columns that identify the record (event) that a row belongs to. */
  readonly record: string;
}

const EVENT = 'event_id, event_name, occurred_at';

/** The tables that a load of E21 fills. */
export const EVENT_TABLES: readonly EventTable[] = [
  { name: 'events', key: EVENT, record: EVENT },
  ...[...MESSAGES, { table: OTHERS }].map(({ table }) => ({
    name: table,
    key: 'event_id',
    record: 'event_id',
  })),
  ...ELEMENTS.map(({ table }) => ({ name: table, key: 'event_id, position', record: 'event_id' })),
];

/** The channels whose messages have a table of their own, as a SQL list. */
export const CHANNELS = listOf(MESSAGES.map(({ place }) => channelOf(place)));

/** A select of the column `extra` of every message table, with the place of the specification that it belongs to. */
export const EXTRAS = unionOf(
  FILLED.map(({ table, place }) => `select '${place}' as place, export_date, extra from ${table}`),
);

/** Every row of every message table by its key, under the name that readers use: `emails` for `sent_emails`. */
export const MESSAGE_ROWS = unionOf(
  EVENT_TABLES.slice(1).map(({ name, key }) => {
    const position = key === 'event_id' ? '1 as position' : 'position';
    return `select '${name.replace(/^sent_/, '')}' as subject, event_id, ${position}, date, export_date from ${name}`;
  }),
);

/** Values for the placeholders of `load/events/6_hand_over`. */
export function handedOver(): Record<'tables' | 'contents', string> {
  const tables = FILLED.map(({ table, contents = {} }) => ({
    table,
    left_out: ['records', 'nonconforming', ...Object.values(contents)].join(', '),
  }));
  const files = [...tables, { table: OTHERS, left_out: 'records' }].map((names) =>
    statement('load/events/6_hand_over/table', names),
  );
  const contents = MESSAGES.flatMap(({ table, contents: { title, body, html } = {} }) => {
    if (body === undefined) return [];
    return [
      `select content_id, ${title ?? null} as title, ${body} as body, ${html ?? null} as html from ${table}`,
    ];
  });
  return { tables: files.join(''), contents: unionOf(contents) };
}

/**
 * Values for the placeholders of `load/events/4_unfold`: a relation for each list, and the keys of objects inside
 * messages.
 */
export function unfolded(fields: readonly Field[]): Record<'lists' | 'parts', string> {
  const holders = (key: string): string[] =>
    fields.flatMap(({ place, field }) => (field === key && isOfMessages(place) ? [channelOf(place)] : []));
  const lists = ELEMENTS.map(({ place, list, ...more }) => {
    const elements = 'within' in more ? [list, `${more.within}.${list}`] : [list];
    return statement('load/events/4_unfold/list', {
      place,
      elements: elements.map((path) => `(message -> '$.${path}[*]')`).join(' || '),
      channels: listOf(holders(list)),
    });
  });
  const parts = fields.flatMap(({ place, field, part }) =>
    part === null || !isOfMessages(place)
      ? []
      : [keysOf(place, part, `coalesce(json_keys(message, '${pointerTo(field)}'), [])`)],
  );
  const elements = ELEMENTS.map(({ place }) =>
    keysOf(place, place, `if(starts_with(document, '{'), json_keys(document), null)`),
  );
  return { lists: lists.join(''), parts: unionOf([...parts, ...elements]) };
}

function keysOf(at: string, place: string, keys: string): string {
  const { relation, condition } = documentsAt(at);
  return `select '${at}' as place, '${place}' as specified, ${keys} as keys from ${relation} where ${condition} group by all`;
}

/**
 * Values for the placeholders of `load/events/5_messages/all`: the tables of a batch, and the places with nonconforming
 * documents.
 */
export function staged(fields: readonly Field[]): Record<'tables' | 'places', string> {
  return {
    tables: FILLED.map((table) => tableOf(table, fields)).join(''),
    places: unionOf(
      FILLED.map(({ table, place }) => `select '${place}' as place, nonconforming from ${table}`),
    ),
  };
}

interface Column {
  readonly name: string;
  /** The SQL expression of the value; if the field has two possible keys, the first value that is present. */
  readonly given: string;
  readonly kind: Kind;
}

/** Returns the statement that makes one table. The fields of an object inside the documents become columns too. */
function tableOf({ table, place, contents }: MessageTable, fields: readonly Field[]): string {
  const own = fields.filter((field) => field.place === place && field.part === null);
  const part = fields.find((field) => field.place === place && field.part !== null);
  const inner = part === undefined ? [] : fields.filter((field) => field.place === part.part);
  // If the document has no other fields, its columns get no prefix.
  const prefix = part === undefined || own.length === 0 ? '' : `${part.field}_`;
  const columns = columnsOf([
    ...inner.map(({ field, kind }) => ({ name: snakeCase(prefix + field), given: `part."${field}"`, kind })),
    ...own.map(({ field, kind }) => ({ name: snakeCase(field), given: `m."${field}"`, kind })),
  ]);
  const { relation, document, condition } = documentsAt(place);
  const object = part === undefined ? 'null' : `m."${part.field}"`;
  const { title = null, body = null, html = null } = contents ?? {};
  return statement('load/events/5_messages/table', {
    table,
    place,
    relation,
    document,
    condition,
    part: part === undefined ? 'null' : `json_transform(${object}, shape('${part.part}'))`,
    columns: [
      ...(relation === 'messages' ? [] : ['position']),
      ...columns.flatMap(({ name, given, kind }) =>
        kind === 'list' ? [] : [`${converted(kind, given)} as ${name}`],
      ),
      ...(contents === undefined ? [] : [`content_id(${title}, ${body}, ${html}) as content_id`]),
    ].join(',\n    '),
    nonconforming: [
      ...holdsNoText(document, place, own),
      ...(part === undefined ? [] : [`is_no_object(${object})`]),
      ...holdsNoText(object, part?.part ?? '', inner),
      ...columns.flatMap(({ name, given, kind }) => {
        if (kind === 'list') return [`is_no_list(${given})`];
        return isReadAs(kind) ? [`is_unreadable(${given}, ${name})`] : [];
      }),
    ].join('\n    or '),
  });
}

/** Merges columns of the same name into one. */
function columnsOf(columns: readonly Column[]): Column[] {
  return [...new Set(columns.map(({ name }) => name))].flatMap((name) => {
    const [first, second] = columns.filter((column) => column.name === name);
    if (first === undefined || second === undefined) return first ?? [];
    return { ...first, given: `coalesce(${first.given}, ${second.given})` };
  });
}

function converted(kind: Kind, given: string): string {
  if (kind === 'recipient') return `_recipient(${given}, getvariable('settings').recipients)`;
  if (kind === 'number') return `number(${given})`;
  if (kind === 'time') return `korean_time(${given})`;
  if (kind === 'boolean') return `try_cast(${given} as boolean)`;
  if (kind === 'whole') return `try_cast(whole(${given}) as integer)`;
  return kind === 'text' ? `${given} ->> '$'` : given;
}

/** The condition that a document has another type in a field that the specification defines as text. */
function holdsNoText(document: string, place: string, fields: readonly Field[]): string[] {
  return fields.some(({ kind }) => TEXTS.includes(kind)) ? [`holds_no_text(${document}, '${place}')`] : [];
}

export function isOfMessages(place: string): boolean {
  return place.startsWith('message_data:');
}

function channelOf(place: string): string {
  return place.replace('message_data:', '');
}

/** The rows of a batch that hold the documents of a place. */
export function documentsAt(place: string): Documents {
  if (!isOfMessages(place)) return { ...DOCUMENTS, relation: `${place}s` };
  const condition = `carries = '${channelOf(place)}'`;
  return { ...DOCUMENTS, relation: 'messages', document: 'message', condition };
}

/** Converts `body.html` and `bodyHtml` to `body_html`. */
function snakeCase(field: string): string {
  return field.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function unionOf(selects: readonly string[]): string {
  return selects.join('\nunion all\n');
}

// The load itself.

/**
 * The mean size in bytes from which records are large, such as e-mails with their HTML, and the part of a batch that they
 * fill: DuckDB holds texts of 2,048 records in each step of a statement, which large ones make the most of its memory.
 */
const LARGE_RECORD = 8 * 1024;
const PART_OF_BATCH = 1 / 16;

/** An export of which more than one in so many records happened on other days is not loaded unless a person accepts it. */
const ONE_OF = 10;

/** The number of records that a page holds at most (specification, Limits). */
const MOST_RECORDS = 1_000;

const TABLES = EVENT_TABLES.map(({ name }) => ({ table: name }));

const filled = z.object({
  ids: count,
  has_no_ids: z.boolean(),
  days: z.array(z.object({ day: z.string(), records: count, outside: count })),
});
const dayBefore = z.object({ is_loaded: z.boolean(), neighbours: z.array(z.string()) });

/**
 * Replaces the days of the exports. Requires the load's transaction and its table `days`. Resolves with the days of
 * other exports that must be loaded again, since their records had been dropped as duplicates of a replaced day.
 *
 * @throws DamageError when the pages do not hold the number of records that landed
 * @throws StrayError
 */
export async function loadEvents(
  session: Session,
  staging: (worker: number) => Promise<Staging>,
  limits: MemoryLimit,
  pulls: readonly ReadablePull[],
): Promise<Day[]> {
  await session.run('load/begin_end/forget');
  await session.run('load/events/1_clear/mark');
  await session.runForEach('load/events/1_clear/table', TABLES);
  const before = await session.row('load/events/1_clear/before', dayBefore);
  const large = await fill(session, staging, limits, pulls);
  const repeats = await session.row('load/events/8_repeats/find', filled);
  const counts = new Map(repeats.days.map((one) => [one.day, one]));
  const records: number[] = [];
  const erased: number[] = [];
  for (const pull of pulls) {
    const { records: found = 0, outside: strays = 0 } = counts.get(pull.days.start) ?? {};
    const landed = rowsIn(pull.files);
    if (strays * ONE_OF > found && !pull.facts.accepted)
      throw new StrayError(`${strays} of its ${found} records happened on other days`);
    records.push(found);
    erased.push(landed - found);
    if (found === landed || (found < landed && pull.isCut?.() === true)) continue;
    throw damaged(
      pull.files[0]?.file ?? pull.id,
      `and the other pages of its export hold ${found} records together, not the ${landed} that were landed`,
    );
  }
  // The service may repeat a record on one page, on two pages, or in the exports of two days: one copy is kept.
  for (const { name: table, key, record } of repeats.ids > 0 ? EVENT_TABLES : []) {
    await session.run('load/events/8_repeats/surplus', { table, key, record });
    await session.run('load/events/8_repeats/remove', { table });
  }
  if (repeats.has_no_ids) {
    await session.run('load/events/8_repeats/surplus_without_id');
    await session.run('load/events/8_repeats/remove', { table: 'events' });
  }
  if (before.is_loaded || repeats.ids > 0) await session.run('load/events/1_clear/contents');
  const beside = pulls.map((pull) => rowsIn(pull.files) - rowsIn(firstAnswers(pull.files)));
  await session.set({
    loaded: {
      pulls: pulls.map(({ id }) => id),
      days: pulls.map(({ days }) => days.start),
      beside: beside.map(String),
      counts: records.map((found, at) => String(found - (beside[at] ?? 0))),
      erased: erased.map(String),
      full_days: pulls.filter(endsFull).map(({ days }) => days.start),
      large_page_days: large,
    },
  });
  await session.run('load/events/9_notes', { messages: EXTRAS });
  await session.run('load/begin_end/drift');
  await session.run('load/begin_end/cover', { table: 'events', day: 'export_date' });
  return before.neighbours;
}

/** True if the last page is as full as any other, so that a further one may be missing. */
function endsFull({ files }: Pull): boolean {
  const rows = firstAnswers(files).map((page) => page.rows);
  const last = rows.at(-1) ?? 0;
  return last >= MOST_RECORDS || (rows.length > 1 && last >= Math.max(...rows));
}

/**
 * Loads pages into the tables batch by batch, so that a day of any size fits into memory. The workers prepare batches
 * in parallel to keep every core busy; each inserts its batch before it takes the next one. Returns the day of each page
 * with more records than the specification allows.
 */
async function fill(
  session: Session,
  stagingOf: (worker: number) => Promise<Staging>,
  { threads, batchBytes }: MemoryLimit,
  pulls: readonly ReadablePull[],
): Promise<Day[]> {
  const large: Day[] = [];
  const pages: PageFile[] = [];
  // An empty export may have landed as an answer without records, which is not a page.
  for (const { days, read } of pulls)
    for (const page of await sized(read.filter(({ rows }) => rows > 0)))
      pages.push({ ...page, day: days.start });
  const bytes = pages.reduce((sum, page) => sum + page.bytes, 0);
  const isOfLarge = bytes > LARGE_RECORD * rowsIn(pulls.flatMap(({ files }) => files));
  const batches = inBatches(pages, isOfLarge ? batchBytes * PART_OF_BATCH : batchBytes);
  // Inserts run one after the other, since the load's transaction has one connection.
  const inserting = pLimit(1);
  let failed = false;
  const work = async (worker: number): Promise<void> => {
    for (const batch of batches) {
      if (failed) return;
      const staging = await stagingOf(worker);
      large.push(
        ...batch.flatMap(({ day, rows, first }) => (rows > MOST_RECORDS && first === 0 ? [day] : [])),
      );
      await staging.use(batch, (folder) =>
        inserting(async () => {
          await session.set({ batch: asPattern(folder) });
          await session.runForEach('load/events/7_insert/rows', TABLES);
          await session.run('load/events/7_insert/contents');
        }),
      );
    }
  };
  const isLarge = pages.length > 20;
  // Each worker is a thread; DuckDB's own threads would compete with them.
  if (isLarge) await session.run('ops/threads', { threads: '1' });
  // All workers must end before the transaction does.
  const ends = await Promise.allSettled(
    Array.from({ length: threads }, (_, worker) =>
      work(worker).catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );
  if (isLarge) await session.run('ops/threads', { threads: String(threads) });
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return large;
}

/** A page of an export on disk. */
interface PageFile extends Slice<Page> {
  /** The KST day of its export. */
  readonly day: Day;
}

// E21: batches of pages are prepared outside the warehouse: typed, checked against the specification, redacted. The
// load's transaction only copies the prepared rows.

const batchRead = z.object({ personal: z.boolean() });
const placeFound = z.object({ place: z.string() });

interface StagingSettings {
  readonly fields: readonly Field[];
  readonly tempDirectory: string;
  /** True if privacy.columns hashes or drops anything. */
  readonly hasColumnRules: boolean;
}

/** A connection that prepares one batch at a time, in its own in-memory database. */
export class Staging {
  #batches = 0;
  /** The layout of the pages: one page per line, until a page spans several lines. */
  #layout: 'newline_delimited' | 'unstructured' = 'newline_delimited';

  private constructor(
    private readonly session: Session,
    private readonly settings: StagingSettings,
    /** The names of the connection's own database, which no other connection has, and of the warehouse's. */
    private readonly databases: { readonly batch: string; readonly home: string },
  ) {}

  /** @param batch the name of a database that no other connection has */
  static async open(session: Session, settings: StagingSettings, batch: string): Promise<Staging> {
    const { home } = await session.row('ops/home', z.object({ home: z.string() }));
    return new Staging(session, settings, { batch, home });
  }

  /**
   * Prepares a batch, passes the folder of its files, one for each table, to `take`, and removes the files afterwards.
   */
  async use(batch: readonly PageFile[], take: (folder: string) => Promise<void>): Promise<void> {
    const folder = join(this.settings.tempDirectory, `${this.databases.batch}_${this.#batches++}`);
    await orStorageError('create the folder', folder, () => mkdir(folder, { mode: FOLDER_MODE }));
    try {
      await this.#prepare(folder, batch);
      await take(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #prepare(folder: string, batch: readonly PageFile[]): Promise<void> {
    const { session } = this;
    const { personal } = await this.#read(batch);
    if (this.settings.hasColumnRules) await session.run('load/events/3_privacy/columns');
    if (personal) await session.run('load/events/3_privacy/fields');
    await session.run('load/events/3_privacy/messages');
    await this.#unfoldMessages();
    await session.set({ batch: folder });
    await session.run('load/events/6_hand_over/all', handedOver());
  }

  /** Reads all pages; if DuckDB rejects one, all as pages that may span several lines, from then on. */
  async #read(pages: readonly PageFile[]): Promise<{ personal: boolean }> {
    try {
      return await this.#readPages(pages);
    } catch (error) {
      if (this.#layout === 'unstructured' || !isRefusal(error)) throw error;
      this.#layout = 'unstructured';
      return this.#readPages(pages);
    }
  }

  async #readPages(pages: readonly PageFile[]): Promise<{ personal: boolean }> {
    await this.session.run('load/events/2_read/open', this.databases);
    await this.session.set({
      landed: {
        files: pages.map(({ file }) => asPattern(file)),
        paths: pages.map(({ file }) => file),
        path_days: pages.map(({ day }) => day),
        largest_object: Math.max(SMALLEST_BUFFER, ...pages.map(({ bytes }) => bytes)),
      },
    });
    const known = this.settings.fields.filter(({ place }) => place === 'record');
    return this.session.row('load/events/2_read/records', batchRead, {
      layout: this.#layout,
      channels: CHANNELS,
      record_fields: listOf(known.map(({ field }) => field)),
    });
  }

  /** Unfolds messages and the lists inside them, without what no column takes. */
  async #unfoldMessages(): Promise<void> {
    const { session } = this;
    const odd = await session.rows('load/events/4_unfold/all', placeFound, unfolded(this.settings.fields));
    const places = odd.map(({ place }) => place);
    for (const place of places) await split(session, place, documentsAt(place));
    const tables = staged(this.settings.fields);
    const nonconforming = await session.rows('load/events/5_messages/all', placeFound, tables);
    const others = nonconforming.filter(({ place }) => !places.includes(place));
    if (others.length === 0) return;
    for (const { place } of others) await split(session, place, documentsAt(place));
    await session.run('load/events/5_messages/all', tables);
  }
}

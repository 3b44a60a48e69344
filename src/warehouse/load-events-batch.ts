/**
 * E21: batches of pages, prepared for the tables outside the warehouse: typed, checked against the specification, redacted.
 * The load's transaction only copies what was prepared.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { redact } from './redact.js';
import { DamageError } from '../errors.js';
import { FOLDER_MODE } from '../storage/atomic-file.js';
import { damaged, orStorageError } from '../storage/storage-error.js';
import { asPattern, repair } from './landed-files.js';
import { isRefusal, loadError } from './load-error.js';
import { DOCUMENTS, type Documents, type UnknownFields } from './unknown-fields.js';
import type { Session } from './session.js';
import { listOf } from './statements.js';

/** A page of an export on disk. */
export interface PageFile {
  readonly file: string;
  /** The KST day of its export. */
  readonly day: Day;
}

export interface Batch {
  readonly pages: readonly PageFile[];
  /** Bytes of JSON of the largest page. */
  readonly largest: number;
}

/** What records hold beside their columns. */
const RECORDS = { relation: 'staged', document: 'rest', extra: 'extra', condition: 'true' };

const MESSAGES = { relation: 'messages', document: 'message', extra: 'extra' };

/** In words of SQL. */
const MESSAGE_PLACE = `'message_data:' || carries`;

export interface Prepared {
  /** Its files, one for each table. */
  readonly folder: string;
  /** The days of pages that had to be repaired. */
  readonly repaired: readonly Day[];
}

const current = z.object({ home: z.string() });

const reading = z.object({ nonconforming: z.boolean(), personal: z.boolean() });
const keysFound = z.object({ place: z.string(), keys: z.array(z.string()).nullable() });
const placeFound = z.object({ place: z.string() });
type Reading = z.infer<typeof reading>;

/** A connection that prepares batches, one at a time, in a database of its own in memory. */
export class Staging {
  readonly session: Session;
  readonly #unknown: UnknownFields;
  readonly #tempDirectory: string;
  readonly #databases: { readonly batch: string; readonly home: string };
  #batches = 0;
  /** How pages are laid out: a line each, until one is not. */
  #layout: 'newline_delimited' | 'unstructured' = 'newline_delimited';

  /** @param name that of its database; no other connection to the warehouse has it */
  static async open(
    session: Session,
    unknown: UnknownFields,
    tempDirectory: string,
    name: string,
  ): Promise<Staging> {
    const { home } = await session.row('ops/home', current);
    return new Staging(session, unknown, tempDirectory, { batch: name, home });
  }

  private constructor(
    session: Session,
    unknown: UnknownFields,
    tempDirectory: string,
    databases: { readonly batch: string; readonly home: string },
  ) {
    this.session = session;
    this.#unknown = unknown;
    this.#tempDirectory = tempDirectory;
    this.#databases = databases;
  }

  /**
   * Prepares a batch, passes it to `take`, and removes its files afterwards.
   *
   * @throws DamageError when a file is not a page, or not JSON
   */
  async use(batch: Batch, take: (prepared: Prepared) => Promise<void>): Promise<void> {
    const folder = join(this.#tempDirectory, `${this.#databases.batch}_${this.#batches++}`);
    await orStorageError('create the folder', folder, () => mkdir(folder, { mode: FOLDER_MODE }));
    try {
      await take(await this.#prepare(folder, batch));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #prepare(folder: string, batch: Batch): Promise<Prepared> {
    const { session } = this;
    const { personal, nonconforming, repaired } = await this.#read(batch);
    if (nonconforming) await this.#unknown.split('record', RECORDS);
    if (personal) await session.run('load/events/3_redact_fields');
    await redact(session, { candidates: 'load/events/4_messages', replace: 'load/events/4_write_back' });
    await this.#unfoldMessages();
    await session.set({ batch: folder });
    await session.run('load/events/6_hand_over');
    return { folder, repaired };
  }

  /** All pages at once, in either layout; where DuckDB refuses one in both, page by page. */
  async #read(batch: Batch): Promise<Reading & { repaired: Day[] }> {
    await this.session.run('load/events/1_open_batch', this.#databases);
    await this.#setFiles(batch.pages, batch.largest);
    try {
      return { ...(await this.#readFiles()), repaired: [] };
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    if (this.#layout === 'unstructured') return this.#readOneByOne(batch);
    this.#layout = 'unstructured';
    return this.#read(batch);
  }

  #readFiles(): Promise<Reading> {
    return this.session.row('load/events/2_read', reading, { layout: this.#layout });
  }

  /** Pages that DuckDB refuses are read from repaired copies. */
  async #readOneByOne({ pages, largest }: Batch): Promise<Reading & { repaired: Day[] }> {
    await this.session.run('load/events/1_open_batch', this.#databases);
    const repaired: Day[] = [];
    let last: Reading = { nonconforming: false, personal: false };
    for (const page of pages) {
      await this.#setFiles([page], largest);
      try {
        last = await this.#readFiles();
      } catch (error) {
        if (!isRefusal(error)) throw loadError(error, page.file);
        last = await this.#readMended(page, largest);
        repaired.push(page.day);
      }
    }
    return { ...last, repaired };
  }

  async #readMended(page: PageFile, largest: number): Promise<Reading> {
    const copy = await repair(page.file, this.#tempDirectory);
    try {
      await this.#setFiles([{ ...page, file: copy }], largest * 2);
      return await this.#readFiles();
    } catch (error) {
      const failure = loadError(error, page.file);
      // It would name the copy.
      throw failure instanceof DamageError
        ? damaged(page.file, 'is not an answer of the expected shape')
        : failure;
    } finally {
      await rm(copy, { force: true });
    }
  }

  #setFiles(pages: readonly PageFile[], largest: number): Promise<void> {
    return this.session.set({
      files: pages.map(({ file }) => asPattern(file)),
      paths: pages.map(({ file }) => file),
      path_days: pages.map(({ day }) => day),
      largest_object: largest,
    });
  }

  /** Messages and what lies inside of them, without what the specification does not know. */
  async #unfoldMessages(): Promise<void> {
    const { session } = this;
    const found = await session.rows('load/events/5_unfold', keysFound);
    const { withUnknown, odd } = this.#unknown.placesOf(found);
    const ofMessages = withUnknown.filter(isOfMessages);
    if (ofMessages.length > 0) await this.#unknown.splitKeys(MESSAGE_PLACE, messagesOf(ofMessages));
    for (const place of withUnknown.filter((one) => !isOfMessages(one))) {
      await this.#unknown.splitKeys(`'${place}'`, documentsOf(place));
    }
    for (const place of odd) await this.#unknown.split(place, documentsOf(place));
    const ofOtherKinds = await session.rows('load/events/6_messages', placeFound);
    if (ofOtherKinds.length === 0) return;
    for (const { place } of ofOtherKinds) await this.#unknown.split(place, documentsOf(place));
    await session.run('load/events/6_messages');
  }
}

function documentsOf(place: string): Documents {
  if (place === 'button') return { ...DOCUMENTS, relation: 'buttons' };
  if (place === 'attachment') return { ...DOCUMENTS, relation: 'attachments' };
  return messagesOf([place]);
}

function isOfMessages(place: string): boolean {
  return place.startsWith('message_data:');
}

function messagesOf(places: readonly string[]): Documents {
  return { ...MESSAGES, condition: `${MESSAGE_PLACE} in (${listOf(places)})` };
}

/**
 * Prepares batches of pages outside the warehouse: typed, checked against the specification, redacted. The load's transaction only
 * copies the prepared rows.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Day } from '../../ground/calendar.js';
import { FOLDER_MODE } from '../../landing/atomic-file.js';
import type { Page } from '../../landing/landing-zone.js';
import { orStorageError } from '../../landing/storage-error.js';
import type { LoadContext } from '../../warehouse/load.js';
import {
  asPattern,
  isRefusal,
  listOf,
  SMALLEST_BUFFER,
  split,
  type Session,
} from '../../warehouse/session.js';
import type { Slice } from '../../warehouse/slices.js';
import { CHANNELS, documentsAt } from './messages.js';

/** A page of an export on disk. */
export interface PageFile extends Slice<Page> {
  /** The KST day of its export. */
  readonly day: Day;
}

const batchRead = z.object({ personal: z.boolean() });
const placeFound = z.object({ place: z.string() });
const oddPlace = placeFound.extend({ has_unknown_keys: z.boolean() });

type StagingSettings = Pick<LoadContext, 'fields' | 'brand' | 'tempDirectory' | 'hasColumnRules'>;

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

  /** @param worker the number of a connection beside the warehouse's own */
  static async open(context: LoadContext, worker: number): Promise<Staging> {
    const { home } = await context.session.row('ops/home', z.object({ home: z.string() }));
    return new Staging(await context.beside(worker), context, { batch: `batch_${worker}`, home });
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
    if (this.settings.hasColumnRules) await session.run('streams/events/load/3_privacy/columns');
    if (personal) await session.run('streams/events/load/3_privacy/fields');
    await session.run('streams/events/load/3_privacy/messages');
    await this.#unfoldMessages();
    await session.run('streams/events/messages/hand_over', { batch: folder });
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
    await this.session.run('streams/events/load/2_read/open', this.databases);
    return this.session.row('streams/events/load/2_read/records', batchRead, {
      files: pages.map(({ file }) => asPattern(file)),
      paths: pages.map(({ file }) => file),
      path_days: pages.map(({ day }) => day),
      largest_object: Math.max(SMALLEST_BUFFER, ...pages.map(({ bytes }) => bytes)),
      layout: this.#layout,
      channels: listOf(CHANNELS),
      record_fields: this.#fieldsOf('record'),
    });
  }

  /** Unfolds messages and the lists inside them, without what no column takes. */
  async #unfoldMessages(): Promise<void> {
    const { session } = this;
    const { brand } = this.settings;
    const odd = await session.rows('streams/events/messages/unfold', oddPlace, { brand });
    for (const { place, has_unknown_keys: hasUnknownKeys } of odd)
      if (hasUnknownKeys)
        await session.run('shared/documents/unknown', {
          ...documentsAt(place),
          known: this.#fieldsOf(place),
        });
      else await split(session, place, documentsAt(place));
    const isSplit = new Set(odd.filter((one) => !one.has_unknown_keys).map(({ place }) => place));
    const nonconforming = await session.rows('streams/events/messages/fill', placeFound, { brand });
    const others = nonconforming.filter(({ place }) => !isSplit.has(place));
    if (others.length === 0) return;
    for (const { place } of others) await split(session, place, documentsAt(place));
    await session.run('streams/events/messages/fill', { brand });
  }

  #fieldsOf(place: string): string {
    return listOf(this.settings.fields.flatMap((one) => (one.place === place ? [one.field] : [])));
  }
}

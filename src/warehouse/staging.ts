/**
 * E21: portions of an export, made ready for the tables beside the warehouse: typed, and what the specification does not
 * know set apart. The load's transaction only copies from here.
 */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { isRefusal, loadError } from './load-error.js';
import { asPattern, mend, type Portion } from './landed-files.js';
import { count, type Session } from './session.js';
import { MESSAGE_CHANNELS } from './tables.js';
import { hide, hideContents, hideFields } from './hiding.js';
import { tidyAll, tidyOdd } from './tidy.js';

const HOME = z.object({ home: z.string() });
const records = z.object({ records: count });
const known = z.object({ known: z.boolean() });
const plain = z.object({ plain: z.boolean() });

/** How the pages of an export are read: quickly, until a portion shows anything odd; closely from then on. */
export interface Reading {
  closely: boolean;
  /** Whether the keys of the export's records have been looked at. */
  begun: boolean;
  /** Whether it is known what messages of each channel usually look like. */
  acquainted: boolean;
  /** Files that could only be read with some of their characters replaced. */
  mended: number;
}

export class Staging {
  readonly session: Session;
  readonly #tempDirectory: string;
  #portions = 0;

  constructor(session: Session, tempDirectory: string) {
    this.session = session;
    this.#tempDirectory = tempDirectory;
  }

  /**
   * Prepares a portion, lets `use` copy from the database of that name, and forgets it. Resolves with its records.
   *
   * @throws DamageError when a page is not one, or not JSON
   */
  async withPortion(
    portion: Portion,
    reading: Reading,
    use: (scratch: string) => Promise<void>,
  ): Promise<number> {
    const scratch = `scratch_${this.#portions++}`;
    const { home } = await this.session.row('load/home', HOME);
    await this.session.run('load/events/attach_scratch', { scratch });
    try {
      await this.#prepare(portion, reading);
      await use(scratch);
      return (await this.session.row('load/events/count_staged', records)).records;
    } finally {
      await this.session.run('load/events/detach_scratch', { scratch, home });
    }
  }

  /** DuckDB refuses what it reads quickly without telling all; then closely, then with the portion's files mended. */
  async #prepare({ files, largest }: Portion, reading: Reading): Promise<void> {
    await this.session.set({ files: files.map(asPattern), largest_object: largest });
    try {
      await this.#stage(reading);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      reading.closely = true;
      await this.#prepareMended(files, largest, reading);
    }
    await this.#tidy(reading);
  }

  async #prepareMended(files: readonly string[], largest: number, reading: Reading): Promise<void> {
    const mended = await mendRefused(files, largest, this.session, this.#tempDirectory);
    try {
      await this.session.set({ files: mended.files.map(asPattern), largest_object: largest * 2 });
      await this.#stage(reading);
      reading.mended += mended.copies.length;
    } catch (error) {
      throw loadError(error, files[0] ?? '');
    } finally {
      await Promise.all(mended.copies.map((copy) => rm(copy, { force: true })));
    }
  }

  async #stage(reading: Reading): Promise<void> {
    if (!reading.closely && !(await this.#stagePlain(reading))) reading.closely = true;
    if (reading.closely) await this.#stageClosely();
  }

  /** The quick way, for records that are all as the specification says; false when some are not. */
  async #stagePlain(reading: Reading): Promise<boolean> {
    const session = this.session;
    if (!reading.begun) {
      reading.begun = true;
      await session.run('load/events/record_keys');
      if (!(await session.row('load/events/are_keys_known', known)).known) return false;
    }
    await session.run('load/events/plain_pages');
    await session.run('load/events/stage_plain');
    return (await session.row('load/events/are_records_plain', plain)).plain;
  }

  /** The careful way: every record is looked at, and what differs is taken apart. */
  async #stageClosely(): Promise<void> {
    const session = this.session;
    await session.run('load/events/pages');
    await session.run('load/events/read_records');
    await session.run('load/events/stage');
    await session.run('load/events/odd_records');
    if (await tidyOdd(session)) await session.run('load/events/restage');
  }

  /** Messages, their parts, and messages of unknown form. */
  async #tidy(reading: Reading): Promise<void> {
    const session = this.session;
    await hideFields(session);
    await hide(session, { suspect: 'load/events/suspect_messages', replace: 'load/events/hide_messages' });
    if (!reading.acquainted) {
      reading.acquainted = true;
      for (const channel of MESSAGE_CHANNELS) await session.run('load/events/usual', { channel });
    }
    await session.run('load/events/odd_messages');
    if (await tidyOdd(session)) await session.run('load/events/tidy_messages');
    await session.run('load/events/stage_contents');
    await hideContents(session);
    await session.run('load/events/tell_contents');
    for (const table of ['buttons', 'attachments']) {
      await session.run(`load/events/stage_${table}`);
      if (await tidyOdd(session)) await session.run('load/events/tidy_parts', { table });
    }
    await session.run('load/events/odd_other_messages');
    await tidyAll(session);
    await session.run('load/events/stage_others');
  }
}

/** Mended copies in the place of those files that DuckDB refuses, found one by one: this is rare. */
export async function mendRefused(
  files: readonly string[],
  largest: number,
  session: Session,
  folder: string,
): Promise<{ files: string[]; copies: string[] }> {
  const result: { files: string[]; copies: string[] } = { files: [], copies: [] };
  for (const [number, file] of files.entries()) {
    await session.set({ files: [asPattern(file)], largest_object: largest });
    const refused = await session.run('load/read_file').then(() => false, isRefusal);
    const usable = refused ? await mend(file, folder, number) : file;
    if (refused) result.copies.push(usable);
    result.files.push(usable);
  }
  return result;
}

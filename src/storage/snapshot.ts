/**
 * One pull of reference data in progress. Each page lands in a file of its own; a list that is there to its end is packed into
 * few files, since a large catalog has thousands of pages a night. Nothing counts before `finish`.
 */
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { idOf } from './safe-name.js';
import type { DurableFolder } from './atomic-file.js';
import { namesIn } from './landed-pulls.js';
import { listName, MANIFEST, pageName, pageOf, snapshotFolder } from './paths.js';
import type { ReferencePull, ReferenceStream } from './pull.js';
import { manifestText, type SnapshotEnd } from './snapshot-manifest.js';
import { orStorageError } from './storage-error.js';
import { gzipped, readWhole } from './whole-gzip.js';

/** Pages in one file: 25,000 items of a catalog. */
const PAGES_PER_FILE = 500;

/** One reading of one list: a list that changes while it is read is read again. */
export interface Reading {
  readonly list: string;
  /** Counted from 1. */
  readonly reading: number;
}

export class Snapshot {
  readonly #disk: DurableFolder;
  readonly #folder: string;

  /** @param landing the folder `landing/` */
  constructor(
    disk: DurableFolder,
    readonly landing: string,
    readonly stream: ReferenceStream,
    readonly day: string,
    readonly pulledAt: Date,
  ) {
    this.#disk = disk;
    this.#folder = join(landing, snapshotFolder(stream, pulledAt));
  }

  /** Puts a page on disk, counted from 0. Throws `StorageError`. */
  async land(reading: Reading, page: number, body: Uint8Array): Promise<void> {
    await this.#write(join(listName(reading.list, reading.reading), pageName(page)), body);
  }

  /** How many pages of a reading are on disk without one missing between them. */
  async pages({ list, reading }: Reading): Promise<number> {
    const pages = new Set((await namesIn(this.#path(listName(list, reading)))).map(pageOf));
    let count = 0;
    while (pages.has(count)) count++;
    return count;
  }

  /** The body of a page, as it was received. Throws `DamageError`, `StorageError`. */
  read({ list, reading }: Reading, page: number): Promise<Buffer> {
    return readWhole(this.#path(join(listName(list, reading), pageName(page))));
  }

  /** Removes the pages of a reading. Throws `StorageError`. */
  discard({ list, reading }: Reading): Promise<void> {
    const folder = this.#path(listName(list, reading));
    return orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
  }

  /** The latest reading of each list that was begun. */
  async begun(): Promise<Map<string, number>> {
    const readings = new Map<string, number>();
    for (const name of await namesIn(this.#folder)) {
      const [, safe = '', reading = ''] = /^([^.]+)\.(\d+)/.exec(name) ?? [];
      const list = idOf(safe);
      if (list !== undefined) readings.set(list, Math.max(readings.get(list) ?? 0, Number(reading)));
    }
    return readings;
  }

  /** Takes over the lists that broke off in a pull that ended without them. Throws `StorageError`. */
  async adopt({ id, lists }: ReferencePull): Promise<void> {
    const folder = join(this.landing, id);
    const files = lists.flatMap((list) => list.files);
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      const counts = files.some((file) => file.startsWith(`${path}/`) || file.startsWith(`${path}.`));
      if (counts || !/^[^.]+\.[1-9]\d*$/.test(name)) continue;
      await this.#disk.makeFolder(this.#folder);
      await orStorageError('move', path, () => rename(path, this.#path(name)));
    }
  }

  /**
   * Packs the first pages of a reading into files of many; gzip allows it, byte for byte.
   *
   * @returns the paths of the files
   */
  async pack(reading: Reading, pages: number): Promise<string[]> {
    const files: string[] = [];
    const name = listName(reading.list, reading.reading);
    for (let first = 0; first < pages; first += PAGES_PER_FILE) {
      const parts: Buffer[] = [];
      for (let page = first; page < Math.min(pages, first + PAGES_PER_FILE); page++) {
        const path = this.#path(join(name, pageName(page)));
        parts.push(await orStorageError('read', path, () => readFile(path)));
      }
      const file = this.#path(`${name}.${String(files.length).padStart(5, '0')}.json.gz`);
      await this.#disk.write(file, Buffer.concat(parts), `land/${this.stream}-pack`);
      files.push(file);
    }
    return files;
  }

  /** The paths of the first pages of a reading, as they landed. */
  unpacked({ list, reading }: Reading, pages: number): string[] {
    return Array.from({ length: pages }, (_, page) =>
      this.#path(join(listName(list, reading), pageName(page))),
    );
  }

  /** Puts E5's answer for a template on disk; the path of its file. */
  async landTemplate(list: string, templateId: string, body: Uint8Array): Promise<string> {
    return this.#write(join(listName(list, 0), `${listName(templateId, 1)}.json.gz`), body);
  }

  /** Declares the pull done, and removes the pages that are packed. Throws `StorageError`. */
  async finish(end: SnapshotEnd): Promise<ReferencePull> {
    const below = (file: string): string => relative(join(this.landing, this.stream), file);
    const told = {
      ...end,
      lists: end.lists.map((list) => ({ ...list, files: list.files.map(below) })),
      templates: end.templates.map((read) => ({ ...read, file: below(read.file) })),
    };
    await this.#disk.write(this.#path(MANIFEST), manifestText(told), `land/${this.stream}-manifest`);
    for (const folder of new Set(end.lists.flatMap(({ files }) => files.flatMap(packedFrom)))) {
      await orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
    }
    const id = relative(this.landing, dirname(this.#path(MANIFEST)));
    return { stream: this.stream, id, day: this.day, pulledAt: this.pulledAt, ...end };
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  async #write(name: string, body: Uint8Array): Promise<string> {
    const path = this.#path(name);
    await this.#disk.write(path, await gzipped(body), `land/${this.stream}`);
    return path;
  }
}

/** The folder of the pages that a file was packed from; none for a page itself. */
function packedFrom(file: string): string[] {
  const folder = /^(.*)\.\d{5}\.json\.gz$/.exec(file)?.[1];
  return folder === undefined ? [] : [folder];
}

/** The queries of unfinished pushes, `private/pushes/`: a person can resume a push without giving its query again. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { DurableFolder } from './atomic-file.js';
import { foldersOf } from './paths.js';
import { readIfThere } from './storage-error.js';

export class KeptQueries {
  readonly #folder: string;
  readonly #disk: DurableFolder;

  constructor(dataDir: string, effects: Pick<Effects, 'reach'>) {
    this.#folder = join(foldersOf(dataDir).private, 'pushes');
    this.#disk = new DurableFolder(dataDir, effects);
  }

  /** @throws StorageError */
  keep(push: string, query: object): Promise<void> {
    return this.#disk.write(this.#path(push), JSON.stringify(query), 'push-query');
  }

  /** Returns undefined if the query is not kept. Throws `StorageError`. */
  async read(push: string): Promise<unknown> {
    const text = await readIfThere(this.#path(push));
    return text && JSON.parse(text.toString('utf8'));
  }

  drop(push: string): Promise<void> {
    return rm(this.#path(push), { force: true });
  }

  #path(push: string): string {
    return join(this.#folder, `${push}.json`);
  }
}

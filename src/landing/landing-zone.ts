/**
 * The landing zone: the answers of the service, verbatim, compressed, changed by erasures alone. All derived data can be
 * built again from it without the network.
 */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import pLimit from 'p-limit';
import type { DayRange } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { codeOf, DamageError, StorageError } from '../ground/errors.js';
import { STREAMS, type Gap, type Stream } from '../ground/streams.js';
import type { Terminal } from '../terminal/terminal.js';
import { DurableFolder, sweepTemporaries } from './atomic-file.js';
import {
  exportFolder,
  foldersOf,
  instantOf,
  MANIFEST,
  pageName,
  pageOf,
  pullFolder,
  rangeOf,
  readingOf,
  rejectedPath,
  type ExportFolder,
} from './paths.js';
import { parsePull, type Facts, type Head, type LandedPull, type Page, type Pull } from './pull.js';
import { damaged, namesIn, orStorageError, readIfThere, unlessDamaged, unreadable } from './storage-error.js';

/** The folder of a pull, whose manifest has not been read. */
export interface PullFolder {
  readonly stream: Stream;
  readonly id: string;
  readonly days: DayRange;
  /** The instant in the name of the folder; the folder of an export has none. */
  readonly pulledAt?: Date | undefined;
}

/** Called for each manifest that cannot be read. */
export type OnDamage = (error: DamageError, found: PullFolder) => void;

/** The parts of a run that every pull of a free stream uses. */
export interface PullContext {
  readonly landing: LandingZone;
  readonly report: { readonly gaps: Gap[] };
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** The instant to record for an answer; later than that of every earlier answer. */
  pullInstant(): Date;
  /** Loads landed pulls; those that cannot be loaded are reported. */
  load(pulls: readonly Pull[]): Promise<boolean>;
}

const NO_HEAD = (): Head => ({ seq: 0, sum: '', erase: '' });

/** Number of manifests that are open at a time. */
const AT_ONCE = 64;

export class LandingZone {
  private constructor(
    readonly folder: string,
    /** The pulls that were there when the landing zone was opened, oldest first within a stream. */
    readonly found: readonly PullFolder[],
    private readonly zone: Zone,
  ) {}

  /**
   * Opens the landing zone for writing and removes temporary files of dead processes. Requires the lock.
   *
   * @param head returns the end of the journal, which manifests carry
   */
  static async open(dataDir: string, effects: Effects, head: () => Head): Promise<LandingZone> {
    const landing = resolve(foldersOf(dataDir).landing);
    await new DurableFolder(dataDir, effects).makeFolder(landing);
    await sweepTemporaries(landing);
    return LandingZone.read(dataDir, effects, head);
  }

  /** Opens the landing zone for reading beside a run; creates and removes nothing. */
  static async read(dataDir: string, effects: Effects, head: () => Head = NO_HEAD): Promise<LandingZone> {
    const landing = resolve(foldersOf(dataDir).landing);
    const disk = new DurableFolder(dataDir, effects);
    return new LandingZone(landing, await listPulls(landing), { disk, effects, landing, head });
  }

  /** Begins a pull of a free stream. No two pulls of a stream have the same instant. */
  begin(stream: Stream, days: DayRange, pulledAt: Date): PullWriter {
    return new PullWriter(this.zone, stream, days, pullFolder(stream, days, pulledAt), pulledAt);
  }

  /**
   * Returns the last reading of an export, or the one after it; the folder of the first one is made, since it names the
   * export. The reading counts once `finish` has resolved.
   */
  async reading(place: ExportFolder, which: 'last' | 'next' = 'last'): Promise<PullWriter> {
    const last = Math.max(1, ...(await this.#readings(place)));
    const reading = which === 'last' ? last : last + 1;
    const id = exportFolder(place, reading);
    if (reading === 1) await this.zone.disk.makeFolder(join(this.folder, id));
    const before = reading === 1 ? undefined : exportFolder(place, reading - 1);
    return new PullWriter(this.zone, 'events', { start: place.day, end: place.day }, id, undefined, before);
  }

  /** Returns the last reading of an export that is whole. Throws `DamageError`, `StorageError`. */
  async exportPull(place: ExportFolder): Promise<LandedPull | undefined> {
    for (const reading of (await this.#readings(place)).reverse()) {
      const pull = await readPull(this.folder, exportFolder(place, reading));
      if (pull !== undefined) return pull;
    }
    return undefined;
  }

  /** Removes the readings of an export before the given one, which is whole. */
  async discardBefore(place: ExportFolder, { id }: Pick<PullWriter, 'id'>): Promise<void> {
    const { reading } = readingOf(basename(id));
    const older = (await this.#readings(place)).filter((one) => one < reading);
    for (const one of older) await this.#remove(exportFolder(place, one));
  }

  /** The numbers of the readings of an export on disk, in order. */
  async #readings(place: ExportFolder): Promise<number[]> {
    const first = exportFolder(place);
    const all = (await namesIn(join(this.folder, dirname(first)))).map(readingOf);
    const own = all.filter(({ encoded }) => encoded === basename(first));
    return own.map(({ reading }) => reading).sort((a, b) => a - b);
  }

  /**
   * Keeps an unusable answer as it came, the same answer of a day once; resolves with its path relative to `landing/`.
   * Throws `StorageError`; the answer leaves no file then.
   *
   * @param endpoint such as `E21`
   * @param what a few words
   */
  async reject(endpoint: string, what: string, body: Uint8Array): Promise<string> {
    const path = rejectedPath(endpoint, what, this.zone.effects.now(), body);
    await this.zone.disk.write(join(this.folder, path), await gzipped(body), 'land/rejected');
    return path;
  }

  /**
   * Reads the manifests of pulls, oldest first (by `pulledAt`, then by id). `onDamage` is called for each manifest that
   * cannot be read; by default it throws the `DamageError`. Throws `StorageError`.
   */
  async pulls(found: readonly PullFolder[] = this.found, onDamage?: OnDamage): Promise<LandedPull[]> {
    const limit = pLimit(AT_ONCE);
    const read = (one: PullFolder): Promise<LandedPull | undefined> =>
      unlessDamaged(readPull(this.folder, one.id), (error) => {
        if (onDamage === undefined) throw error;
        onDamage(error, one);
      });
    const pulls = await Promise.all(found.map((one) => limit(read, one)));
    return pulls
      .flatMap((pull) => pull ?? [])
      .sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  /** Reads the manifest of the newest pull of each stream, or of the given ones. */
  async newest(streams: readonly Stream[] = STREAMS, onDamage?: OnDamage): Promise<LandedPull[]> {
    const all = streams.map(async (stream) => {
      for (const one of this.found.filter((other) => other.stream === stream).reverse()) {
        const [pull] = await this.pulls([one], onDamage);
        if (pull !== undefined) return [pull];
      }
      return [];
    });
    return (await Promise.all(all)).flat();
  }

  /**
   * Removes the folders of free pulls that never ended, among pulls that are not loaded. The folder of an export is gone
   * on with. Requires the lock.
   */
  async removeUnended(found: readonly PullFolder[]): Promise<void> {
    for (const { stream, id } of found) {
      if (stream !== 'events' && !existsSync(join(this.folder, id, MANIFEST))) await this.#remove(id);
    }
  }

  async #remove(id: string): Promise<void> {
    const folder = join(this.folder, id);
    await orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
  }

  /** Returns the pages in the folder of a pull, by number; a resumed export downloads the missing ones. */
  async pages(id: string): Promise<Map<number, string>> {
    const folder = join(this.folder, id);
    const pages = (await namesIn(folder)).flatMap((name): [number, string][] => {
      const page = pageOf(name);
      return page === undefined ? [] : [[page, join(folder, name)]];
    });
    return new Map(pages.sort(([a], [b]) => a - b));
  }

  /**
   * Reads every landed file, including the files that a manifest names, and every manifest; resolves with the number of
   * files. `onDamage` is called for each damaged or missing file. Throws `StorageError`.
   */
  async verifyAll(onDamage: (error: DamageError) => void): Promise<number> {
    const pulls = await this.pulls(undefined, onDamage);
    const names = await namesIn(this.folder, { recursive: true });
    const files = names.filter((name) => name.endsWith('.json.gz')).map((name) => join(this.folder, name));
    const all = new Set([...files, ...pulls.flatMap((pull) => pull.files.map(({ file }) => file))]);
    for (const file of all) await unlessDamaged(readWhole(file), onDamage);
    return all.size;
  }
}

interface Zone {
  readonly effects: Effects;
  readonly disk: DurableFolder;
  readonly landing: string;
  readonly head: () => Head;
}

/** A pull in progress; it counts once `finish` has resolved. */
export class PullWriter {
  #next = 0;

  constructor(
    private readonly zone: Zone,
    readonly stream: Stream,
    readonly days: DayRange,
    readonly id: string,
    private readonly at?: Date,
    /** The id of the reading of the export before this one. */
    readonly before?: string,
  ) {}

  /** The instant of the answer, which the name of a free pull holds. */
  get pulledAt(): Date {
    if (this.at === undefined) throw new Error(`${this.id} has no instant before it ends.`);
    return this.at;
  }

  /**
   * Writes an answer as it came and resolves when it is durable. A page replaces the page of the same number; by default
   * it is the next one. Throws `StorageError`; the page leaves no file then.
   */
  async land(body: Uint8Array, rows: number, number = this.#next++): Promise<Page> {
    const file = join(this.zone.landing, this.id, pageName(number));
    await this.zone.disk.write(file, await gzipped(body), `land/${this.stream}`);
    return { file, rows, bytes: body.byteLength };
  }

  /** Removes pages that do not count. Throws `StorageError`. */
  async discard(pages: readonly Page[]): Promise<void> {
    for (const { file } of pages) await orStorageError('clean up', file, () => rm(file, { force: true }));
  }

  /**
   * Writes the manifest, which ends the pull. Throws `StorageError`.
   *
   * @param files the pages that count, in their order
   */
  async finish(
    files: readonly Page[],
    facts: Partial<Facts> = {},
    pulledAt = this.pulledAt,
  ): Promise<LandedPull> {
    const { disk, landing, head } = this.zone;
    const path = join(landing, this.id, MANIFEST);
    const named = files.map(({ file, rows, bytes }) => {
      const isOwn = dirname(file) === dirname(path);
      const name = isOwn ? basename(file) : join('../..', relative(join(landing, this.stream), file));
      return { name, rows, bytes };
    });
    const { stream, days } = this;
    const text = JSON.stringify({ stream, days, pulledAt, head: head(), files: named, facts });
    await disk.write(path, `${text}\n`, `land/${stream}-manifest`);
    return parsePull(landing, this.id, text);
  }
}

/** Lists the folders of pulls; after years, there are thousands. Throws `StorageError`. */
async function listPulls(landing: string): Promise<PullFolder[]> {
  const below = async (id: string): Promise<string[]> =>
    (await namesIn(join(landing, id))).map((name) => `${id}/${name}`);
  const all = STREAMS.map(async (stream) => {
    let ids: string[] = [stream];
    for (let depth = stream === 'events' ? 3 : 2; depth > 0; depth--)
      ids = (await Promise.all(ids.map(below))).flat();
    return ids
      .flatMap((id) => foundAt(stream, id) ?? [])
      .sort((a, b) => Number(a.pulledAt) - Number(b.pulledAt) || (a.id < b.id ? -1 : 1));
  });
  return (await Promise.all(all)).flat();
}

function foundAt(stream: Stream, id: string): PullFolder | undefined {
  const [, range = '', name = ''] = id.split('/');
  const days = rangeOf(stream === 'events' ? `${range}_${range}` : range);
  const pulledAt = stream === 'events' ? undefined : instantOf(name);
  return days && (stream === 'events' || pulledAt) && { stream, id, days, pulledAt };
}

/** Returns the pull of a folder of the landing zone; undefined if it never ended. Throws `DamageError`, `StorageError`. */
export async function readPull(landing: string, id: string): Promise<LandedPull | undefined> {
  const path = join(landing, id, MANIFEST);
  try {
    const text = await readIfThere(path);
    return text && parsePull(landing, id, text.toString('utf8'));
  } catch (cause) {
    // A folder in place of the manifest is damage; a disk error is not.
    if (cause instanceof StorageError && codeOf(cause.cause) !== 'EISDIR') throw cause;
    const [stream, , key = ''] = id.split('/');
    const again =
      stream === 'events'
        ? `To make it again at no cost: \`dawnload exports resume ${key}\`.`
        : 'Move its folder away. The next run pulls again at no cost.';
    throw new DamageError(`${path} is not a valid manifest.`, { hint: again, cause });
  }
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Compresses a body at level 1, which takes half the time of the default level and hardly more space. It runs off the
 * JavaScript thread, in chunks so large that a page needs one or two transfers instead of sixteen.
 */
export function gzipped(body: Uint8Array): Promise<Buffer> {
  return compress(body, { level: 1, memLevel: 9, chunkSize: 256 * 1024 });
}

/** Returns the body of a landed file as it was received. Throws `DamageError` when the file is not whole, `StorageError`. */
export async function readWhole(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    const body = await decompress(bytes);
    // gunzip accepts an empty file, and ignores bytes after the end. A gzip ends with the size of its content.
    if (bytes.length < 4 || bytes.readUInt32LE(bytes.length - 4) !== body.length)
      throw damaged(file, 'is incomplete or damaged');
    return body;
  } catch (error) {
    if (error instanceof DamageError) throw error;
    const code = codeOf(error) ?? '';
    throw code.startsWith('Z_') ? damaged(file, 'is incomplete or damaged', error) : unreadable(file, error);
  }
}

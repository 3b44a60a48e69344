/**
 * The landing zone: the service's answers, verbatim and compressed. Everything else can be rebuilt from it offline. A pull is one unit of
 * it: a folder with the pages of answers (JSON, gzip) and a manifest, which is written last and never changed. Only erasures change pages.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Invocation } from '../config/invocation.js';
import { isDay, type DayRange } from '../ground/calendar.js';
import type { FileName } from '../ground/crash-points.js';
import type { Effects } from '../ground/effects.js';
import type { Body } from '../ground/envelope.js';
import { codeOf, DamageError, StorageError } from '../ground/errors.js';
import { instant, wholeNumber } from '../ground/shapes.js';
import { EVENTS, type Gap, type StreamName } from '../ground/streams.js';
import { DurableFolder, sweepTemporaries } from '../disk/atomic-file.js';
import { assertTable, gzipped, sizeOf, textOf } from './page-file.js';
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
  type ExportPlace,
} from '../disk/paths.js';
import { namesIn, orStorageError, readIfThere, unlessDamaged } from '../disk/storage-error.js';

const day = z.string().refine(isDay, 'not a day');

export const SOLE_LIST = '*';

export const factsShape = z.object({
  /** True if you accept the answers even if they delete rows; otherwise such an answer is held back. */
  accepted: z.boolean().default(false),
  /** False if a campaign or list is missing. Then the days do not count as covered, but the lists that were read do. */
  complete: z.boolean().default(true),
  /** E19: the campaign and the days of each page, in the order of the pages. */
  answers: z
    .array(z.object({ campaignId: z.string(), windowStart: instant, windowEnd: instant }))
    .readonly()
    .default([]),
  /** E19: the campaigns whose answer was 404. */
  notFound: z.array(z.string()).readonly().default([]),
  /** E19: the campaigns considered deleted at the service; their rows stay in the warehouse. */
  gone: z.array(z.string()).readonly().default([]),
  /**
   * E2, E4, E10, E12: the lists that were read completely, such as the items of a catalog, in the order of their pages. Each has `pages`
   * pages. `announced` is null if the service announces no number of rows.
   */
  lists: z
    .array(
      z.object({
        list: z.string(),
        pages: wholeNumber,
        rows: wholeNumber,
        announced: wholeNumber.nullable(),
      }),
    )
    .readonly()
    .default([]),
  /** Readings of lists that were rejected because rows were missing. A later night with the same result confirms them. */
  short: z
    .array(
      z.object({ list: z.string(), rows: wholeNumber, announced: wholeNumber.nullable(), pulledAt: instant }),
    )
    .readonly()
    .default([]),
  /** E5: for each page after those of the lists, its template; `digest` is the SHA-256 of the template in E4 at `readAt`. */
  templates: z
    .array(z.object({ list: z.string(), templateId: z.string(), digest: z.string(), readAt: instant }))
    .readonly()
    .default([]),
  /** An own table: its name, its key columns with the privacy rule applied to each, and the privacy settings. */
  own: z
    .object({
      table: z.string(),
      keys: z.array(z.object({ kind: z.string(), rule: z.enum(['keep', 'hash']) })).readonly(),
      privacy: z.string(),
    })
    .optional(),
  /** E21: the id of the export, and the numbers of its unreadable pages. */
  exportId: z.string().optional(),
  unreadable: z.array(wholeNumber).readonly().default([]),
});

/** Facts about a pull; each stream uses some of them. */
export type Facts = z.output<typeof factsShape>;
export type ShortList = Facts['short'][number];
export type TemplateRead = Facts['templates'][number];

/** The file of an own table. */
const TABLE_FILE = 'table.parquet';

/**
 * The name of a page of this pull or of the file of an own table; or of a page of an earlier pull (the answer to E5 for an unchanged
 * template).
 */
const NAME =
  /^(?:\.\.\/\.\.\/\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\/\d{8}T\d{6}\.\d{3}Z\/)?(?:page-\d{5,}\.json\.gz|table\.parquet)$/;

/** Identifies a line of the journal by number and checksum, and names the last erasure before it and the missing erasures. */
export const headShape = z.object({ seq: wholeNumber, sum: z.string(), erase: z.string() });
export type Head = z.output<typeof headShape>;

const manifestShape = z.object({
  stream: z.string(),
  days: z.object({ start: day, end: day }),
  pulledAt: instant,
  /** The head of the journal when the pull ended. */
  head: headShape,
  files: z.array(z.object({ name: z.string().regex(NAME), rows: wholeNumber, bytes: wholeNumber })),
  facts: factsShape,
});

export interface Page {
  readonly file: string;
  readonly rows: number;
  /** Size of the JSON in bytes; only a hint, because an erasure makes it smaller. */
  readonly bytes: number;
}

export interface Pull {
  readonly stream: StreamName;
  readonly id: string;
  readonly days: DayRange;
  /** The instant of the service's answer. Of two pulls of the same day, the later one counts. */
  readonly pulledAt: Date;
  readonly files: readonly Page[];
  readonly facts: Facts;
  /** True if an erasure removed records. Otherwise, fewer rows than landed mean damage. */
  readonly isCut?: () => boolean;
}

export interface LandedPull extends Pull {
  readonly head: Head;
}

function parsePull(landing: string, id: string, text: string): LandedPull {
  const { files, ...rest } = manifestShape.parse(JSON.parse(text));
  return {
    ...rest,
    id,
    files: files.map(({ name, ...page }) => ({ ...page, file: join(landing, id, name) })),
  };
}

function labeled<T extends object>(files: readonly Page[], labels: readonly T[]): (T & Page)[] {
  return files.flatMap((page, at) => {
    const label = labels[at];
    return label === undefined ? [] : [{ ...label, ...page }];
  });
}

/** E19: the answers of a pull, each with its page. */
export function answersOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  return labeled(files, facts.answers);
}

export function listsOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  let next = 0;
  return facts.lists.map((list) => ({ ...list, files: files.slice(next, (next += list.pages)) }));
}

/** E5: the templates of a pull, each with its page. */
export function templatesOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  const first = facts.lists.reduce((sum, { pages }) => sum + pages, 0);
  return labeled(files.slice(first), facts.templates);
}

/**
 * Added to a page's number, gives the number of a second answer for the page, which is kept beside the first (E21). A service announces
 * fewer pages than this.
 */
export const BESIDE = 1_000_000_000;

/** Returns the first answer for each page. Together they have the paid records. */
export function firstAnswers<P extends Page>(files: readonly P[]): P[] {
  return files.filter(({ file }) => (pageOf(basename(file)) ?? 0) < BESIDE);
}

export function rowsIn(files: readonly Page[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

/** The folder of a pull; its manifest has not been read. */
interface PullFolder {
  readonly stream: StreamName;
  readonly id: string;
  readonly days: DayRange;
  /** The instant in the folder's name; undefined for an export. */
  readonly pulledAt?: Date | undefined;
}

type OnDamage = (error: DamageError, folder: PullFolder) => void;

/** The parts of the program that every pull uses. */
export interface LandingParts {
  readonly landing: LandingZone;
  readonly report: { readonly gaps: Gap[] };
  readonly invocation: Pick<Invocation, 'effects' | 'terminal' | 'signal' | 'runId'>;
  /** Loads landed pulls, and reports those that cannot be loaded. */
  readonly load: (pulls: readonly Pull[]) => Promise<boolean>;
}

const MANIFESTS_AT_ONCE = 64;

export class LandingZone {
  /** The instant of the latest pull, in milliseconds. */
  #latest: number;
  readonly #spooled = new Set<string>();

  private constructor(
    readonly folder: string,
    /** The folders of pulls when the landing zone was opened, oldest first within a stream. */
    readonly pullFolders: readonly PullFolder[],
    readonly disk: DurableFolder,
    private readonly effects: Effects,
    /** Returns the head of the journal, which is stored in manifests. */
    readonly head: () => Head,
    /** True if an erasure may have removed records of the pull. */
    readonly isCut: (id: string) => boolean,
  ) {
    this.#latest = pullFolders.reduce((latest, { pulledAt }) => Math.max(latest, Number(pulledAt ?? 0)), 0);
  }

  /**
   * Opens the landing zone. With `head`, for writing: requires the lock and removes temporary files of dead processes. Without it, only for
   * reading: creates and removes nothing.
   *
   * @param head returns the head of the journal
   */
  static async open(
    dataDir: string,
    effects: Effects,
    head?: () => Head,
    isCut: (id: string) => boolean = () => false,
  ): Promise<LandingZone> {
    const landing = resolve(foldersOf(dataDir).landing);
    const disk = new DurableFolder(dataDir, effects);
    if (head !== undefined) {
      await disk.makeFolder(landing);
      await sweepTemporaries(landing);
    }
    const end = head ?? (() => ({ seq: 0, sum: '', erase: '' }));
    return new LandingZone(landing, await listPulls(landing), disk, effects, end, isCut);
  }

  /**
   * Returns the instant to record for an answer that came at `present`. It is later than everything that has landed, even if the clock was
   * set back, because the later of two pulls of a day counts.
   */
  instant(present: Date): Date {
    this.#latest = Math.max(present.getTime(), this.#latest + 1);
    return new Date(this.#latest);
  }

  begin(stream: StreamName, days: DayRange, pulledAt: Date): PullWriter {
    return new PullWriter(this, stream, days, pullFolder(stream, days, pulledAt), pulledAt);
  }

  /** Returns the last reading of an export, or the next one, which counts once `finish` has resolved. */
  async reading(place: ExportPlace, which: 'last' | 'next' = 'last'): Promise<PullWriter> {
    const last = Math.max(1, ...(await this.#readings(place)));
    const reading = which === 'last' ? last : last + 1;
    const id = exportFolder(place, reading);
    if (reading === 1) await this.disk.makeFolder(join(this.folder, id));
    const before = reading === 1 ? undefined : exportFolder(place, reading - 1);
    return new PullWriter(this, EVENTS, { start: place.day, end: place.day }, id, undefined, before);
  }

  /** Returns the pull in a folder; undefined if it never ended. Throws `DamageError`, `StorageError`. */
  async pull(id: string): Promise<LandedPull | undefined> {
    const pull = await readPull(this.folder, id);
    return pull && { ...pull, isCut: () => this.isCut(id) };
  }

  /** Returns the last complete reading of an export. Throws `DamageError`, `StorageError`. */
  async exportPull(place: ExportPlace): Promise<LandedPull | undefined> {
    for (const reading of (await this.#readings(place)).reverse()) {
      const pull = await this.pull(exportFolder(place, reading));
      if (pull !== undefined) return pull;
    }
    return undefined;
  }

  /** Returns the last complete readings of exports, except those without a readable manifest. Throws `StorageError`. */
  async exportPulls(places: readonly ExportPlace[]): Promise<LandedPull[]> {
    const pulls: LandedPull[] = [];
    for (const place of places) {
      const pull = await unlessDamaged(this.exportPull(place));
      if (pull !== undefined) pulls.push(pull);
    }
    return pulls;
  }

  async discardBefore(place: ExportPlace, { id }: Pick<PullWriter, 'id'>): Promise<void> {
    const { reading } = readingOf(basename(id));
    const older = (await this.#readings(place)).filter((one) => one < reading);
    for (const one of older) await this.#remove(exportFolder(place, one));
  }

  async #readings(place: ExportPlace): Promise<number[]> {
    const first = exportFolder(place);
    const all = (await namesIn(join(this.folder, dirname(first)))).map(readingOf);
    const own = all.filter(({ encoded }) => encoded === basename(first));
    return own.map(({ reading }) => reading).sort((a, b) => a - b);
  }

  /**
   * Stores an unusable answer unchanged, once per day. Resolves with its path relative to `landing/`. After a `StorageError`, no file is
   * left.
   *
   * @param endpoint such as `E21`
   * @param what a few words
   */
  async reject(endpoint: string, what: string, body: Body): Promise<string> {
    const hash = createHash('sha256');
    if (Buffer.isBuffer(body)) hash.update(body);
    else for await (const piece of textOf(body.file)) hash.update(piece);
    const path = rejectedPath(endpoint, what, this.effects.now(), hash.digest('hex'));
    await this.place(body, path, 'land/rejected');
    return path;
  }

  /** Writes a body to a path relative to `landing/`. After a `StorageError`, no file is left there. */
  async place(body: Body, path: string, what: FileName): Promise<void> {
    const file = join(this.folder, path);
    if (Buffer.isBuffer(body)) await this.disk.write(file, await gzipped(body), what);
    else if (this.#spooled.delete(body.file)) await this.disk.adopt(body.file, file, what);
    else await this.disk.write(file, createReadStream(body.file), what);
  }

  /** Compresses a large answer into a temporary file. `land` or `reject` moves the file to its place. */
  async store(text: AsyncIterable<Buffer>): Promise<string> {
    const file = await this.disk.store(text, join(this.folder, 'answer'));
    this.#spooled.add(file);
    return file;
  }

  async discard(file: string): Promise<void> {
    if (!this.#spooled.delete(file)) return;
    await orStorageError('clean up', file, () => rm(file, { force: true }));
  }

  /**
   * Reads the manifests of pulls, oldest first (by `pulledAt`, then by id). `onDamage` is called for each manifest that
   * cannot be read; by default it throws the `DamageError`. Throws `StorageError`.
   */
  async pulls(folders: readonly PullFolder[] = this.pullFolders, onDamage?: OnDamage): Promise<LandedPull[]> {
    const limit = pLimit(MANIFESTS_AT_ONCE);
    const read = (one: PullFolder): Promise<LandedPull | undefined> =>
      unlessDamaged(this.pull(one.id), (error) => {
        if (onDamage === undefined) throw error;
        onDamage(error, one);
      });
    const pulls = await Promise.all(folders.map((one) => limit(read, one)));
    return pulls
      .flatMap((pull) => pull ?? [])
      .sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime() || (a.id < b.id ? -1 : 1));
  }

  async newest(streams?: readonly StreamName[], onDamage?: OnDamage): Promise<LandedPull[]> {
    const wanted = streams ?? [...new Set(this.pullFolders.map(({ stream }) => stream))];
    const all = wanted.map(async (stream) => {
      for (const one of this.pullFolders.filter((other) => other.stream === stream).reverse()) {
        const [pull] = await this.pulls([one], onDamage);
        if (pull !== undefined) return [pull];
      }
      return [];
    });
    return (await Promise.all(all)).flat();
  }

  /** Removes the folders of incomplete pulls that were free; exports are resumed instead. Requires the lock. */
  async removeUnended(folders: readonly PullFolder[]): Promise<void> {
    for (const { stream, id } of folders) {
      if (stream !== EVENTS && !existsSync(join(this.folder, id, MANIFEST))) await this.#remove(id);
    }
  }

  /** Removes outdated pulls of own tables. The manifest goes first, so that a kill leaves an incomplete pull. */
  async removePulls(pulls: readonly Pick<Pull, 'id'>[]): Promise<void> {
    for (const { id } of pulls) {
      const manifest = join(this.folder, id, MANIFEST);
      await orStorageError('clean up', manifest, () => rm(manifest, { force: true }));
      await this.#remove(id);
    }
  }

  async #remove(id: string): Promise<void> {
    const folder = join(this.folder, id);
    await orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
  }

  /** Returns the pages in the folder of a pull, by number. A resumed export downloads the missing ones. */
  pages(id: string): Promise<Map<number, string>> {
    return pagesIn(join(this.folder, id));
  }

  /**
   * Reads every landed file, every manifest, and every file that a manifest names. Resolves with the number of files. `onDamage` is called
   * for each damaged or missing file. Throws `StorageError`.
   */
  async verifyAll(onDamage: (error: DamageError) => void): Promise<number> {
    const pulls = await this.pulls(undefined, onDamage);
    const names = await namesIn(this.folder, { recursive: true });
    const files = names.filter((name) => name.endsWith('.json.gz')).map((name) => join(this.folder, name));
    const all = new Set([...files, ...pulls.flatMap((pull) => pull.files.map(({ file }) => file))]);
    for (const file of all)
      await unlessDamaged<unknown>(file.endsWith('.gz') ? sizeOf(file) : assertTable(file), onDamage);
    return all.size;
  }
}

export class PullWriter {
  #next = 0;

  constructor(
    private readonly zone: LandingZone,
    readonly stream: StreamName,
    readonly days: DayRange,
    readonly id: string,
    private readonly at?: Date,
    /** The id of the previous reading of the export. */
    readonly before?: string,
  ) {}

  /** The instant of the answer, which is part of the name of a free pull. */
  get pulledAt(): Date {
    if (this.at === undefined) throw new Error(`${this.id} has no instant before it ends.`);
    return this.at;
  }

  /**
   * Writes an answer as it came, and resolves when it is durable. It replaces an existing page of the same number; the default is the next
   * number. After a `StorageError`, no file is left.
   */
  async land(body: Body, rows: number, number = this.#next++): Promise<Page> {
    const path = join(this.id, pageName(number));
    await this.zone.place(body, path, `land/${this.stream}`);
    return { file: join(this.zone.folder, path), rows, bytes: body.length };
  }

  /** Lands the file of an own table. `make` writes the file to the path that it gets, and resolves with the number of rows. */
  async landTable(make: (path: string) => Promise<number>): Promise<Page> {
    const file = join(this.zone.folder, this.id, TABLE_FILE);
    let rows = 0;
    const bytes = await this.zone.disk.make(file, `land/${this.stream}`, async (path) => {
      rows = await make(path);
    });
    return { file, rows, bytes };
  }

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
    const { disk, folder, head, isCut } = this.zone;
    const path = join(folder, this.id, MANIFEST);
    const named = files.map(({ file, rows, bytes }) => {
      const isOwn = dirname(file) === dirname(path);
      const name = isOwn ? basename(file) : join('../..', relative(join(folder, this.stream), file));
      return { name, rows, bytes };
    });
    const { stream, days } = this;
    const text = JSON.stringify({ stream, days, pulledAt, head: head(), files: named, facts });
    await disk.write(path, `${text}\n`, `land/${stream}-manifest`);
    return { ...parsePull(folder, this.id, text), isCut: () => isCut(this.id) };
  }
}

/** Returns the pages in a folder, by number. Throws `StorageError`. */
export async function pagesIn(folder: string): Promise<Map<number, string>> {
  const pages = (await namesIn(folder)).flatMap((name): [number, string][] => {
    const page = pageOf(name);
    return page === undefined ? [] : [[page, join(folder, name)]];
  });
  return new Map(pages.sort(([a], [b]) => a - b));
}

/** The names of the streams with landed data. Throws `StorageError`. */
export async function streamFolders(landing: string): Promise<StreamName[]> {
  return (await namesIn(landing))
    .filter((name) => /^[a-z][a-z0-9_]*$/.test(name) && !OWN_FOLDERS.includes(name))
    .sort();
}

/** The folders of the landing zone that are not streams: the second copy of the journal, and rejected answers. */
const OWN_FOLDERS = ['ledger', 'rejected'];

/** Lists the folders of pulls, oldest first within a stream. There are thousands after years. Throws `StorageError`. */
export async function listPulls(landing: string, streams?: readonly StreamName[]): Promise<PullFolder[]> {
  const below = async (id: string): Promise<string[]> =>
    (await namesIn(join(landing, id))).map((name) => `${id}/${name}`);
  const all = (streams ?? (await streamFolders(landing))).map(async (stream) => {
    let ids: string[] = [stream];
    for (let depth = stream === EVENTS ? 3 : 2; depth > 0; depth--)
      ids = (await Promise.all(ids.map(below))).flat();
    return ids
      .flatMap((id) => pullFolderAt(stream, id) ?? [])
      .sort((a, b) => Number(a.pulledAt) - Number(b.pulledAt) || (a.id < b.id ? -1 : 1));
  });
  return (await Promise.all(all)).flat();
}

/** Parses the path of a pull's folder; undefined for any other path. */
function pullFolderAt(stream: StreamName, id: string): PullFolder | undefined {
  const [, range = '', name = ''] = id.split('/');
  const days = rangeOf(stream === EVENTS ? `${range}_${range}` : range);
  const pulledAt = stream === EVENTS ? undefined : instantOf(name);
  return days && (stream === EVENTS || pulledAt) && { stream, id, days, pulledAt };
}

/** Reads the manifest of a pull; undefined if the pull never ended. Throws `DamageError`, `StorageError`. */
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
      stream === EVENTS
        ? `To make it again at no cost: \`dawnload exports resume ${key}\`.`
        : 'Move its folder away. The next run pulls again at no cost.';
    throw new DamageError(`${path} is not a valid manifest.`, { hint: again, cause });
  }
}

/**
 * The landing zone: the answers of the service, verbatim, compressed, never changed. All derived data can be built
 * again from it without the network.
 */
import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dayOf, type DayRange, type Window } from '../calendar.js';
import type { Effects } from '../effects.js';
import { codeOf, DamageError } from '../errors.js';
import { DurableFolder, sweepTemporaries } from './atomic-file.js';
import {
  campaignFolder,
  campaignName,
  exportFolder,
  foldersOf,
  MANIFEST,
  pageOf,
  pathOf,
  snapshotFolder,
  type ExportFolder,
  type LandingPath,
} from './paths.js';
import {
  listFree,
  namesIn,
  pullOfManifest,
  pullsOf,
  type Found,
  type OnDamage,
  Snapshot,
  snapshotPull,
} from './landed-pulls.js';
import {
  filesOf,
  type CampaignAnswer,
  type CampaignsPull,
  type FreePull,
  type ReferencePull,
} from './pull.js';
import { orStorageError } from './storage-error.js';
import { gzipped, readWhole, verifyWhole } from './repair-json.js';
import type { ReferenceStream } from '../streams.js';

type LandingEffects = Pick<Effects, 'reach'>;

/** A file that is durable on disk. */
interface LandedFile {
  /** The path relative to `landing/`, which identifies the file. */
  readonly id: string;
  /** The absolute path. */
  readonly file: string;
  /** Size as received, in bytes. */
  readonly bytes: number;
  /** Size on disk, in bytes. */
  readonly storedBytes: number;
}

export class LandingZone {
  readonly folder: string;
  readonly #disk: DurableFolder;
  /** Paths that this process has assigned, so that two answers never share one, however close in time. */
  readonly #taken = new Set<string>();

  private constructor(dataDir: string, effects: LandingEffects) {
    this.folder = resolve(foldersOf(dataDir).landing);
    this.#disk = new DurableFolder(dataDir, effects);
  }

  /** Opens the landing zone for writing and removes temporary files of dead processes. Requires the lock. */
  static async open(dataDir: string, effects: LandingEffects): Promise<LandingZone> {
    const landing = new LandingZone(dataDir, effects);
    await landing.#disk.makeFolder(landing.folder);
    await sweepTemporaries(landing.folder);
    return landing;
  }

  /** Opens the landing zone for reading beside a run (`plan`, `status`); creates and removes nothing. */
  static read(dataDir: string): LandingZone {
    return new LandingZone(dataDir, { reach: () => undefined });
  }

  /**
   * Writes an answer to disk as it came and resolves when it is durable. A free pull or a rejected answer never
   * replaces a file: a second one of the same millisecond is dated a millisecond later. A page replaces the page of the
   * same number. Throws `StorageError`; the answer leaves no file then.
   */
  async land(place: LandingPath, body: Uint8Array): Promise<LandedFile> {
    const id = place.stream === 'events' ? pathOf(place) : await this.#reserve(place);
    return this.#write(id, body, `land/${place.stream}`);
  }

  /** Begins a pull of campaign statistics (E19); the pull counts once `finish` has resolved. */
  async campaignPull(range: DayRange, pulledAt: Date): Promise<CampaignPull> {
    for (let at = pulledAt; ; at = oneLater(at)) {
      const id = campaignFolder(range, at);
      if (await this.#isFree(id)) return new CampaignPull(this.#writer(id), range, at, id);
    }
  }

  /**
   * Begins a pull of reference data, and removes one of the same KST day that never ended. The pull counts once `finish`
   * has resolved.
   */
  async snapshot(stream: ReferenceStream, pulledAt: Date): Promise<Snapshot> {
    const day = dayOf(pulledAt);
    for (const name of await namesIn(join(this.folder, stream, day))) {
      const folder = join(this.folder, stream, day, name);
      if (existsSync(join(folder, MANIFEST))) continue;
      await orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
    }
    for (let at = pulledAt; ; at = oneLater(at)) {
      if (await this.#isFree(snapshotFolder(stream, at)))
        return new Snapshot(this.#disk, this.folder, stream, dayOf(at), at);
    }
  }

  /** Returns the latest finished pull of a stream of reference data. Throws `DamageError`, `StorageError`. */
  async lastSnapshot(stream: ReferenceStream): Promise<ReferencePull | undefined> {
    for (const day of (await namesIn(join(this.folder, stream))).sort().reverse()) {
      for (const name of (await namesIn(join(this.folder, stream, day))).sort().reverse()) {
        const pull = await snapshotPull(this.folder, stream, day, name);
        if (pull !== undefined) return pull;
      }
    }
    return undefined;
  }

  /**
   * Returns the complete free pulls, or those with the wanted ids, oldest first. `onDamage` is called for each manifest
   * that cannot be read; by default it throws the `DamageError`. Throws `StorageError`.
   */
  async pulls(
    isWanted: (id: string) => boolean = () => true,
    found?: readonly Found[],
    onDamage?: OnDamage,
  ): Promise<FreePull[]> {
    return pullsOf(this.folder, found ?? (await this.found()), isWanted, onDamage);
  }

  /** Lists the free pulls; after years, this lists thousands of folders. Throws `StorageError`. */
  found(): Promise<Found[]> {
    return listFree(this.folder);
  }

  /** Makes the folder of a paid export, which names its id. Throws `StorageError`. */
  async beginExport(place: ExportFolder): Promise<void> {
    await this.#disk.makeFolder(join(this.folder, exportFolder(place)));
  }

  /** Returns the pages of an export on disk, by number; a resumed export downloads the missing ones. */
  async landedPages(place: ExportFolder): Promise<Map<number, string>> {
    const folder = join(this.folder, exportFolder(place));
    const pages = (await namesIn(folder)).flatMap((name): [number, string][] => {
      const page = pageOf(name);
      return page === undefined ? [] : [[page, join(folder, name)]];
    });
    return new Map(pages.sort(([a], [b]) => a - b));
  }

  /** Returns the body of a landed file as it was received. Throws `DamageError`, `StorageError`. */
  read(file: string): Promise<Buffer> {
    return readWhole(file);
  }

  /** Checks that a file is one whole gzip. Throws `DamageError` naming the file if it is not, `StorageError`. */
  verify(file: string): Promise<void> {
    return verifyWhole(file);
  }

  /**
   * Reads every landed file, including the files that a manifest names, and every manifest; resolves with the number of
   * files. `onDamage` is called for each damaged or missing file. Throws `StorageError`.
   */
  async verifyAll(onDamage: (error: DamageError) => void): Promise<number> {
    const pulls = await this.pulls(undefined, undefined, onDamage);
    const names = await orStorageError('list', this.folder, async () =>
      existsSync(this.folder) ? readdir(this.folder, { recursive: true }) : [],
    );
    const files = names.filter((name) => name.endsWith('.json.gz')).map((name) => join(this.folder, name));
    const all = new Set([...files, ...pulls.flatMap(filesOf)]);
    for (const file of all) {
      await this.verify(file).catch((error: unknown) => {
        if (!(error instanceof DamageError)) throw error;
        onDamage(error);
      });
    }
    return all.size;
  }

  async #reserve(place: Exclude<LandingPath, { stream: 'events' }>): Promise<string> {
    for (let later = place; ; later = dated(later)) {
      const id = pathOf(later);
      if (await this.#isFree(id)) return id;
    }
  }

  async #isFree(id: string): Promise<boolean> {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    const path = join(this.folder, id);
    return orStorageError('look for', path, async () => {
      const there = await stat(path).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      return there === undefined;
    });
  }

  #writer(folder: string): CampaignWriter {
    return {
      answer: (name, body) => this.#write(`${folder}/${name}`, body, 'land/campaigns'),
      manifest: (text) =>
        this.#disk.write(join(this.folder, folder, MANIFEST), text, 'land/campaigns-manifest'),
      path: (name) => join(this.folder, folder, name),
    };
  }

  async #write(id: string, body: Uint8Array, what: string): Promise<LandedFile> {
    const stored = await gzipped(body);
    const file = join(this.folder, id);
    await this.#disk.write(file, stored, what);
    return { id, file, bytes: body.byteLength, storedBytes: stored.byteLength };
  }
}

interface CampaignWriter {
  answer(name: string, body: Uint8Array): Promise<LandedFile>;
  manifest(text: string): Promise<void>;
  path(name: string): string;
}

/** The end of a pull of campaign statistics. */
interface CampaignEnd {
  /** The campaigns that were requested and did not answer. */
  readonly failed?: readonly string[];
  /** The campaigns in `failed` whose answer was 404. */
  readonly notFound?: readonly string[];
  /** The campaigns that are considered deleted at the service. */
  readonly gone?: readonly string[];
  /** True if a person accepts the answers, however little they hold. */
  readonly accepted?: boolean;
}

/** A pull of campaign statistics in progress. It is ignored until `finish` is called. */
class CampaignPull {
  readonly #answers: CampaignAnswer[] = [];
  readonly #counts = new Map<string, number>();

  constructor(
    readonly writer: CampaignWriter,
    readonly range: DayRange,
    readonly pulledAt: Date,
    readonly id: string,
  ) {}

  /** Writes the answer of one campaign to disk; `window` is the requested window. Throws `StorageError`. */
  async land(campaignId: string, window: Window, body: Uint8Array): Promise<LandedFile> {
    const nth = (this.#counts.get(campaignId) ?? 0) + 1;
    this.#counts.set(campaignId, nth);
    const name = campaignName(campaignId, nth);
    const landed = await this.writer.answer(name, body);
    this.#answers.push({ campaignId, file: name, windowStart: window.start, windowEnd: window.end });
    return landed;
  }

  /** Marks the pull as done. Throws `StorageError`. */
  async finish({
    failed = [],
    notFound = [],
    gone = [],
    accepted = false,
  }: CampaignEnd = {}): Promise<CampaignsPull> {
    const { id, range, pulledAt } = this;
    const answers = this.#answers.toSorted(byCampaignAndWindow);
    const manifest = { version: 1, range, pulledAt, answers, failed, notFound, gone, accepted };
    await this.writer.manifest(`${JSON.stringify(manifest, null, 1)}\n`);
    return pullOfManifest(id, manifest, (file) => this.writer.path(file));
  }
}

function oneLater(instant: Date): Date {
  return new Date(instant.getTime() + 1);
}

function dated<P extends Exclude<LandingPath, { stream: 'events' }>>(place: P): P {
  return place.stream === 'rejected'
    ? { ...place, at: oneLater(place.at) }
    : { ...place, pulledAt: oneLater(place.pulledAt) };
}

function byCampaignAndWindow(a: CampaignAnswer, b: CampaignAnswer): number {
  if (a.campaignId !== b.campaignId) return a.campaignId < b.campaignId ? -1 : 1;
  return a.windowStart.getTime() - b.windowStart.getTime();
}

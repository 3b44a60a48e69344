/** The complete pulls of free streams in the landing zone, as plain data. */
import { readdir, rm } from 'node:fs/promises';
import { join, dirname, relative } from 'node:path';
import { z } from 'zod';
import { isDay, dayOf } from '../calendar.js';
import { codeOf, DamageError, StorageError } from '../errors.js';
import { answerOf, instantOf, MANIFEST, rangeOf, listName, pageName, snapshotFolder } from './paths.js';
import {
  type CampaignsPull,
  type FreePull,
  type StatisticsPull,
  type SubchannelPull,
  type ReferencePull,
} from './pull.js';
import { orStorageError, readIfThere } from './storage-error.js';
import type { DurableFolder } from './atomic-file.js';
import { gzipped } from './repair-json.js';
import { FREE_STREAMS, type ReferenceStream } from '../streams.js';

const instant = z.iso.datetime().transform((text) => new Date(text));

/** A path below the folder of the stream; the pattern keeps a manifest from pointing anywhere else. */
const file = z.string().regex(/^(?:[^/\\.][^/\\]*\/){2,3}[^/\\]+\.json\.gz$/);

const manifest = z.object({
  version: z.literal(1),
  complete: z.boolean(),
  largestPage: z.number(),
  lists: z.array(
    z.object({
      list: z.string(),
      files: z.array(file),
      rows: z.number(),
      announced: z.number().nullable(),
    }),
  ),
  short: z.array(
    z.object({
      list: z.string(),
      rows: z.number(),
      announced: z.number().nullable(),
      pulledAt: instant.optional(),
    }),
  ),
  templates: z.array(
    z.object({ list: z.string(), templateId: z.string(), digest: z.string(), readAt: instant, file }),
  ),
});

/** The end of a pull, as its manifest records it; files are paths below the folder of the stream. */
type SnapshotEnd = Pick<ReferencePull, 'complete' | 'lists' | 'short' | 'templates' | 'largestPage'>;

function manifestText(end: SnapshotEnd): string {
  return `${JSON.stringify({ version: 1, ...end }, null, 1)}\n`;
}

/**
 * Returns the pull whose folder is `<stream>/<day>/<instant>`; undefined if it never ended. Throws `DamageError`,
 * `StorageError`.
 */
export async function snapshotPull(
  landing: string,
  stream: ReferenceStream,
  folder: string,
  name: string,
): Promise<ReferencePull | undefined> {
  const pulledAt = instantOf(name);
  if (pulledAt === undefined || dayOf(pulledAt) !== folder) return undefined;
  const id = `${stream}/${folder}/${name}`;
  const end = await readManifest(
    join(landing, id, MANIFEST),
    manifest,
    'The next run takes another snapshot at no cost.',
  );
  if (end === undefined) return undefined;
  const below = (file: string): string => join(landing, stream, file);
  return {
    stream,
    id,
    day: folder,
    pulledAt,
    ...end,
    lists: end.lists.map((list) => ({ ...list, files: list.files.map(below) })),
    short: end.short.map((list) => ({ ...list, pulledAt: list.pulledAt ?? pulledAt })),
    templates: end.templates.map((read) => ({ ...read, file: below(read.file) })),
  };
}

const day = z.string().refine(isDay, 'not a day');

/** `pull.json` is written last: a pull of campaigns without it never ended and is ignored. */
const campaignManifest = z.object({
  version: z.literal(1),
  range: z.object({ start: day, end: day }),
  pulledAt: instant,
  answers: z.array(
    z.object({
      campaignId: z.string(),
      // A name in the manifest's own folder; the pattern keeps a manifest from pointing anywhere else.
      file: z.string().regex(/^[^/\\]+\.json\.gz$/),
      windowStart: instant,
      windowEnd: instant,
    }),
  ),
  failed: z.array(z.string()),
  notFound: z.array(z.string()).default([]),
  gone: z.array(z.string()).default([]),
  accepted: z.boolean().default(false),
});

/** Called for each pull whose manifest cannot be read. */
export type OnDamage = (error: DamageError, found: Found) => void;

/**
 * Returns the complete pulls with the wanted ids, oldest first (by `pulledAt`, then by id); no other manifest is read.
 * Throws `StorageError`, and any error that `onDamage` throws.
 */
export async function pullsOf(
  landing: string,
  found: readonly Found[],
  isWanted: (id: string) => boolean,
  onDamage: OnDamage = (error) => {
    throw error;
  },
): Promise<FreePull[]> {
  const wanted = found.filter((one) => isWanted(foundId(one)));
  const pullOrDamage = (one: Found): Promise<FreePull | undefined> =>
    pullOf(landing, one).catch((error: unknown) => {
      if (!(error instanceof DamageError)) throw error;
      onDamage(error, one);
      return undefined;
    });
  const pulls = (await Promise.all(wanted.map(pullOrDamage))).flatMap((pull) =>
    pull === undefined ? [] : [pull],
  );
  return pulls.sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime() || (a.id < b.id ? -1 : 1));
}

/** Returns the instant in the file name of a pull; undefined if it is not a pull. */
export function instantOfFound({ name }: Pick<Found, 'name'>): Date | undefined {
  return instantOf(name) ?? answerOf(name)?.pulledAt;
}

export function foundId({ stream, folder, name }: Found): string {
  return `${stream}/${folder}/${name}`;
}

/** Number of newest folders of a stream that are examined: a range that began later may have been pulled earlier. */
const NEWEST_FOLDERS = 3;

/**
 * Returns the instant at which the latest pull of the landing zone counts as pulled; undefined if there is no pull.
 * Older folders are not opened.
 */
export async function newestLanded(landing: string): Promise<Date | undefined> {
  const newest = async (stream: Found['stream']): Promise<Date[]> => {
    const folders = (await namesIn(join(landing, stream))).sort().slice(-NEWEST_FOLDERS);
    const names = folders.map(async (folder) =>
      (await namesIn(join(landing, stream, folder))).flatMap((name) => instantOfFound({ name }) ?? []),
    );
    return (await Promise.all(names)).flat();
  };
  const all = (await Promise.all(FREE_STREAMS.map(newest))).flat();
  return all.reduce<Date | undefined>(
    (latest, one) => (latest === undefined || one > latest ? one : latest),
    undefined,
  );
}

async function pullOf(landing: string, { stream, folder, name }: Found): Promise<FreePull | undefined> {
  if (stream === 'statistics') return statisticsPull(landing, folder, name);
  if (stream === 'statistics_by_subchannel') return subchannelPull(landing, folder, name);
  if (stream !== 'campaigns') return snapshotPull(landing, stream, folder, name);
  return campaignsPull(landing, folder, name);
}

/** A file or folder at the place of a free pull; the manifest of a folder has not been read yet. */
export interface Found {
  readonly stream: FreePull['stream'];
  readonly folder: string;
  readonly name: string;
}

/** Lists the folders of the free streams. Throws `StorageError`. */
export async function listFree(landing: string): Promise<Found[]> {
  return (await Promise.all(FREE_STREAMS.map((stream) => listFiles(landing, stream)))).flat();
}

/** Lists the entries two levels below a stream's folder: `<range or day>/<instant...>`. */
async function listFiles(landing: string, stream: Found['stream']): Promise<Found[]> {
  const folders = await namesIn(join(landing, stream));
  const nested = await Promise.all(
    folders.map(async (folder) =>
      (await namesIn(join(landing, stream, folder))).map((name) => ({ stream, folder, name })),
    ),
  );
  return nested.flat();
}

/** Returns the names in a folder; an empty list if it does not exist or is not a folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return orStorageError('list', folder, async () => {
    try {
      return await readdir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
      throw error;
    }
  });
}

function statisticsPull(landing: string, folder: string, name: string): StatisticsPull | undefined {
  const range = rangeOf(folder);
  const answer = answerOf(name);
  if (range === undefined || answer === undefined) return undefined;
  const id = `statistics/${folder}/${name}`;
  return { stream: 'statistics', id, range, ...answer, file: join(landing, id) };
}

function subchannelPull(landing: string, folder: string, name: string): SubchannelPull | undefined {
  const answer = answerOf(name);
  if (!isDay(folder) || answer === undefined) return undefined;
  const id = `statistics_by_subchannel/${folder}/${name}`;
  return { stream: 'statistics_by_subchannel', id, day: folder, ...answer, file: join(landing, id) };
}

async function campaignsPull(
  landing: string,
  folder: string,
  name: string,
): Promise<CampaignsPull | undefined> {
  if (rangeOf(folder) === undefined || instantOf(name) === undefined) return undefined;
  const id = `campaigns/${folder}/${name}`;
  const manifest = await readManifest(
    join(landing, id, MANIFEST),
    campaignManifest,
    'The next run pulls these days again at no cost.',
  );
  if (manifest === undefined) return undefined;
  return pullOfManifest(id, manifest, (file) => join(landing, id, file));
}

/** A pull that ended, as described by its manifest. */
interface Ended extends Required<
  Pick<CampaignsPull, 'range' | 'pulledAt' | 'answers' | 'accepted' | 'notFound' | 'gone'>
> {
  /** The campaigns that were requested and did not answer. */
  readonly failed: readonly string[];
}

/** Builds the pull that a manifest describes; `path` returns the path of a file in the pull's folder. */
export function pullOfManifest(
  id: string,
  { range, pulledAt, answers, failed, notFound, gone, accepted }: Ended,
  path: (file: string) => string,
): CampaignsPull {
  return {
    stream: 'campaigns',
    id,
    range,
    pulledAt,
    complete: failed.length === 0,
    accepted,
    answers: answers.map((answer) => ({ ...answer, file: path(answer.file) })),
    notFound,
    gone,
  };
}

/**
 * Reads a manifest; returns undefined if it does not exist.
 *
 * @param again how to get the lost data again, as a sentence
 * @throws DamageError when it cannot be read, StorageError
 */
async function readManifest<T>(path: string, shape: z.ZodType<T>, again: string): Promise<T | undefined> {
  try {
    const text = await readIfThere(path);
    if (text === undefined) return undefined;
    return shape.parse(JSON.parse(text.toString('utf8')));
  } catch (cause) {
    // A folder in place of the manifest is damage; a disk error is not.
    if (cause instanceof StorageError && codeOf(cause.cause) !== 'EISDIR') throw cause;
    throw new DamageError(`${path} is not a valid manifest.`, {
      hint: `Move its folder away. ${again}`,
      cause,
    });
  }
}

/** One attempt to read a list; a list that changes during the attempt is read again. */
export interface Reading {
  readonly list: string;
  /** Number of the attempt, from 1. */
  readonly reading: number;
}

/** A pull of reference data in progress; it counts once `finish` has resolved. */
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

  /** Writes a page, counted from 0, to disk. Throws `StorageError`. */
  async land(reading: Reading, page: number, body: Uint8Array): Promise<void> {
    await this.#write(join(listName(reading.list, reading.reading), pageName(page)), body);
  }

  /** Removes the pages of a reading. Throws `StorageError`. */
  discard({ list, reading }: Reading): Promise<void> {
    const folder = this.#path(listName(list, reading));
    return orStorageError('clean up', folder, () => rm(folder, { recursive: true, force: true }));
  }

  /** Returns the paths of the first pages of a reading. */
  files({ list, reading }: Reading, pages: number): string[] {
    return Array.from({ length: pages }, (_, page) =>
      this.#path(join(listName(list, reading), pageName(page))),
    );
  }

  /** Writes E5's answer for a template to disk; returns the path of its file. */
  async landTemplate(list: string, templateId: string, body: Uint8Array): Promise<string> {
    return this.#write(join(listName(list, 0), `${listName(templateId, 1)}.json.gz`), body);
  }

  /** Marks the pull as done. Throws `StorageError`. */
  async finish(end: SnapshotEnd): Promise<ReferencePull> {
    const below = (file: string): string => relative(join(this.landing, this.stream), file);
    const told = {
      ...end,
      lists: end.lists.map((list) => ({ ...list, files: list.files.map(below) })),
      templates: end.templates.map((read) => ({ ...read, file: below(read.file) })),
    };
    await this.#disk.write(this.#path(MANIFEST), manifestText(told), `land/${this.stream}-manifest`);
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

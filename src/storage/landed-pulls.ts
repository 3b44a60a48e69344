/** The complete free pulls of the landing zone, as plain data. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isDay } from '../calendar.js';
import { codeOf, DamageError } from '../errors.js';
import { readInstants, redated, type Instants } from './instants.js';
import { readManifest } from './manifest.js';
import { answerOf, instantOf, MANIFEST, rangeOf } from './paths.js';
import {
  FREE_STREAMS,
  type CampaignsPull,
  type FreePull,
  type StatisticsPull,
  type SubchannelPull,
} from './pull.js';
import { snapshotPull } from './snapshot-manifest.js';
import { orStorageError } from './storage-error.js';

const instant = z.iso.datetime().transform((text) => new Date(text));
const day = z.string().refine(isDay, 'not a day');

/** `pull.json`, written last: without it a pull of campaigns never ended and is ignored. */
const campaignManifest = z.object({
  version: z.literal(1),
  range: z.object({ start: day, end: day }),
  pulledAt: instant,
  answers: z.array(
    z.object({
      campaignId: z.string(),
      // A name in this very folder: a manifest cannot point anywhere else.
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

/** Is told of a pull whose manifest cannot be read. */
export type OnDamage = (error: DamageError, found: Found) => void;

/**
 * Of what was found, the complete pulls whose id is wanted, oldest first (by `pulledAt`, then by id): of the others no
 * manifest is read. Throws `StorageError`, and what `onDamage` throws.
 */
export async function pullsOf(
  landing: string,
  found: readonly Found[],
  isWanted: (id: string) => boolean,
  instants: Instants,
  onDamage: OnDamage = (error) => {
    throw error;
  },
): Promise<FreePull[]> {
  const wanted = found.filter((one) => isWanted(idOf(one)));
  const pullOrDamage = (one: Found): Promise<FreePull | undefined> =>
    pullOf(landing, one).catch((error: unknown) => {
      if (!(error instanceof DamageError)) throw error;
      onDamage(error, one);
      return undefined;
    });
  const pulls = (await Promise.all(wanted.map(pullOrDamage))).flatMap((pull) =>
    pull === undefined ? [] : [redated(pull, instants)],
  );
  return pulls.sort((a, b) => a.pulledAt.getTime() - b.pulledAt.getTime() || (a.id < b.id ? -1 : 1));
}

/** When a pull began, by its file name, or when it counts as pulled; undefined for what is none. */
export function instantOfFound(found: Found, instants: Instants): Date | undefined {
  return instants.get(idOf(found)) ?? instantOf(found.name) ?? answerOf(found.name)?.pulledAt;
}

export function idOf({ stream, folder, name }: Found): string {
  return `${stream}/${folder}/${name}`;
}

/** So many of the newest folders of a stream are looked at: one may be dated by a clock that ran ahead, and count as earlier. */
const NEWEST_FOLDERS = 3;

/** When the latest pull of the landing zone counts as pulled; undefined when there is none. The folders of years are not opened. */
export async function newestLanded(landing: string): Promise<Date | undefined> {
  const instants = await readInstants(landing);
  const newest = async (stream: Found['stream']): Promise<Date[]> => {
    const folders = (await namesIn(join(landing, stream))).sort().slice(-NEWEST_FOLDERS);
    const names = folders.map(async (folder) =>
      (await namesIn(join(landing, stream, folder))).flatMap(
        (name) => instantOfFound({ stream, folder, name }, instants) ?? [],
      ),
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

/** What lies where a free pull would: a file, or a folder whose manifest is not read yet. */
export interface Found {
  readonly stream: FreePull['stream'];
  readonly folder: string;
  readonly name: string;
}

/** What lies in the folders of the free streams. Throws `StorageError`. */
export async function listFree(landing: string): Promise<Found[]> {
  return (await Promise.all(FREE_STREAMS.map((stream) => listFiles(landing, stream)))).flat();
}

/** What lies two levels below a stream's folder: `<range or day>/<instant...>`. */
async function listFiles(landing: string, stream: Found['stream']): Promise<Found[]> {
  const folders = await namesIn(join(landing, stream));
  const nested = await Promise.all(
    folders.map(async (folder) =>
      (await namesIn(join(landing, stream, folder))).map((name) => ({ stream, folder, name })),
    ),
  );
  return nested.flat();
}

/** The names in a folder; none when it does not exist or is not a folder. */
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

/** What a manifest says of a pull that ended. */
interface Ended extends Required<
  Pick<CampaignsPull, 'range' | 'pulledAt' | 'answers' | 'accepted' | 'notFound' | 'gone'>
> {
  /** The campaigns that were asked for and did not answer. */
  readonly failed: readonly string[];
}

/** The pull that a manifest declares done; `path` is where a file of its folder lies. */
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

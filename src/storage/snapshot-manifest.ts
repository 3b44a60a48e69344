/** `pull.json` of a pull of reference data, written last: without it the pull never ended and does not count. */
import { join } from 'node:path';
import { z } from 'zod';
import { dayOf } from '../calendar.js';
import { readManifest } from './manifest.js';
import { instantOf, MANIFEST } from './paths.js';
import type { ReferencePull, ReferenceStream } from './pull.js';

const instant = z.iso.datetime().transform((text) => new Date(text));
/** Below the folder of the stream: a manifest cannot point anywhere else. */
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

/** What is known of a pull when it ends; its files as paths below the folder of the stream. */
export type SnapshotEnd = Pick<ReferencePull, 'complete' | 'lists' | 'short' | 'templates' | 'largestPage'>;

export function manifestText(end: SnapshotEnd): string {
  return `${JSON.stringify({ version: 1, ...end }, null, 1)}\n`;
}

/** The pull whose folder is `<stream>/<day>/<instant>`; undefined when it never ended. Throws `DamageError`, `StorageError`. */
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

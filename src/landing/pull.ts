/**
 * A pull is one landed unit of a stream: a folder of pages, which hold the service's answers verbatim (JSON, gzip), and
 * its manifest, which is written last and never changed. It is plain data, so loading it requires neither the service
 * nor the ledger.
 */
import { basename, join } from 'node:path';
import { z } from 'zod';
import { isDay, type DayRange } from '../ground/calendar.js';
import { REFERENCE_STREAMS, STREAMS, type Stream } from '../ground/streams.js';
import { pageOf } from './paths.js';

export const wholeNumber = z.number().int().nonnegative();
/** An instant, which is written as an ISO text. */
export const instant = z.iso.datetime().transform((text) => new Date(text));
const day = z.string().refine(isDay, 'not a day');

/** The list name of a stream that has only one list. */
export const SOLE_LIST = '*';

const factsShape = z.object({
  /** True if a person accepts the answers; otherwise one that would delete rows is kept back. */
  accepted: z.boolean().default(false),
  /** False if a campaign or a list is missing: then the days do not count as covered. Lists that were read count. */
  complete: z.boolean().default(true),
  /** E19: the campaign and the window of each page, in the order of the pages. */
  answers: z
    .array(z.object({ campaignId: z.string(), windowStart: instant, windowEnd: instant }))
    .readonly()
    .default([]),
  /** E19: the campaigns whose answer was 404. */
  notFound: z.array(z.string()).readonly().default([]),
  /** E19: the campaigns that are considered deleted at the service; their rows stay. */
  gone: z.array(z.string()).readonly().default([]),
  /**
   * E2, E4, E10, E12: the lists that were read completely, such as the items of a catalog; each has the next `pages`
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
  /** Readings of lists that were rejected because rows were missing, until a later night agrees. */
  short: z
    .array(
      z.object({ list: z.string(), rows: wholeNumber, announced: wholeNumber.nullable(), pulledAt: instant }),
    )
    .readonly()
    .default([]),
  /** E5: the template of each page after those of the lists; `digest` is the SHA-256 of the template in E4 at `readAt`. */
  templates: z
    .array(z.object({ list: z.string(), templateId: z.string(), digest: z.string(), readAt: instant }))
    .readonly()
    .default([]),
  /** E21: the id of the export, and the numbers of the pages that cannot be read. */
  exportId: z.string().optional(),
  unreadable: z.array(wholeNumber).readonly().default([]),
});

/** What is known of a pull besides its pages; a stream has some of it. */
export type Facts = z.output<typeof factsShape>;
export type ShortList = Facts['short'][number];
export type TemplateRead = Facts['templates'][number];

/** A page of this pull, or one of an earlier pull of the stream: the answer to E5 for an unchanged template. */
const NAME = /^(?:\.\.\/\.\.\/\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\/\d{8}T\d{6}\.\d{3}Z\/)?page-\d{5,}\.json\.gz$/;

/**
 * Sequence number and checksum of a line of the journal, and the names of erasures, separated by spaces: the last one up
 * to the line, and those that a doubt says are missing.
 */
export const headShape = z.object({ seq: wholeNumber, sum: z.string(), erase: z.string() });
export type Head = z.output<typeof headShape>;

const manifestShape = z.object({
  stream: z.enum(STREAMS),
  days: z.object({ start: day, end: day }),
  pulledAt: instant,
  /** The end of the journal when the pull ended. */
  head: headShape,
  files: z.array(z.object({ name: z.string().regex(NAME), rows: wholeNumber, bytes: wholeNumber })),
  facts: factsShape,
});

/** A landed page. */
export interface Page {
  /** The absolute path. */
  readonly file: string;
  /** Number of rows that landed. */
  readonly rows: number;
  /** JSON size in bytes: a hint, since an erasure makes it smaller. */
  readonly bytes: number;
}

export interface Pull {
  readonly stream: Stream;
  /** The folder relative to `landing/`. An id is never reused: a pull is loaded only once. */
  readonly id: string;
  /** The requested days, both ends included; for reference data the day of the pull. */
  readonly days: DayRange;
  /** The instant of the service's answer. Of two pulls of the same day, the later one counts. */
  readonly pulledAt: Date;
  readonly files: readonly Page[];
  readonly facts: Facts;
  /** True if an erasure has cut records: only then a pull may hold fewer rows than landed. */
  readonly isCut?: () => boolean;
}

/** A pull whose manifest was read or written. */
export interface LandedPull extends Pull {
  readonly head: Head;
}

/** Facts with their defaults. */
export function factsOf(some: Partial<Facts> = {}): Facts {
  return { ...factsShape.parse({}), ...some };
}

/** Parses the manifest of the pull with this id. */
export function parsePull(landing: string, id: string, text: string): LandedPull {
  const { files, ...rest } = manifestShape.parse(JSON.parse(text));
  return {
    ...rest,
    id,
    files: files.map(({ name, ...page }) => ({ ...page, file: join(landing, id, name) })),
  };
}

/** True if the pull is one of reference data. */
export function isReference({ stream }: Pick<Pull, 'stream'>): boolean {
  return REFERENCE_STREAMS.some((one) => one === stream);
}

/** The pages with what each of them is. */
function labelled<T extends object>(files: readonly Page[], labels: readonly T[]): (T & Page)[] {
  return files.flatMap((page, at) => {
    const label = labels[at];
    return label === undefined ? [] : [{ ...label, ...page }];
  });
}

/** E19: the answers of a pull, each with its page. */
export function answersOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  return labelled(files, facts.answers);
}

/** The lists of a pull of reference data, each with its pages. */
export function listsOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  let next = 0;
  return facts.lists.map((list) => ({ ...list, files: files.slice(next, (next += list.pages)) }));
}

/** E5: the templates of a pull, each with its page. */
export function templatesOf({ files, facts }: Pick<Pull, 'files' | 'facts'>) {
  const first = facts.lists.reduce((sum, { pages }) => sum + pages, 0);
  return labelled(files.slice(first), facts.templates);
}

/**
 * The distance between the number of a page and the number of another answer for it, which is kept beside the first (E21).
 * A service announces fewer pages than this.
 */
export const BESIDE = 1_000_000_000;

/** The pages without those that are kept beside others: together they have the records that are paid for. */
export function firstAnswers<P extends Page>(files: readonly P[]): P[] {
  return files.filter(({ file }) => (pageOf(basename(file)) ?? 0) < BESIDE);
}

export function rowsIn(files: readonly Page[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

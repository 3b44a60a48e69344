/**
 * Loads pulls in groups. One transaction per group writes the tables, the coverage, and the fact that the pulls are loaded.
 * `sql/streams/README.md` lists each stream's statements in order. Pages that DuckDB rejects are read from repaired copies.
 */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { ApartError, DamageError } from '../ground/errors.js';
import type { Field } from '../ground/fields.js';
import { EVENTS, type StreamName } from '../ground/streams.js';
import { rowsIn, type Page, type Pull } from '../landing/landing-zone.js';
import { withMemoryLimit, type MemoryLimit } from './memory-limit.js';
import {
  asPattern,
  largestOf,
  orRepaired,
  whole,
  withSlices,
  type Readable,
  type ReadablePull,
} from './pages.js';
import type { Privacy } from './privacy.js';
import { count, type Session } from './session.js';

const pullId = z.object({ pull: z.string() });

/** The part of a stream's declaration that the loader uses (`src/streams`). */
export interface Loadable {
  /** The names of the stream: of its folders in the landing zone, in the coverage, and in `ops`. */
  readonly lands: readonly StreamName[];
  /** The prefix of these names, if the settings define the rest. */
  readonly landsWith?: string;
  /** `day`: data by day; a missing day can be requested. `snapshot`: today's list, once per night. */
  readonly grain: 'day' | 'snapshot';
  /** True if its pages are lists of records, so that they can be split between any two records. */
  readonly divisible: boolean;
  /**
   * Replaces the rows of the pulls' days in the load's transaction. Resolves with other days that must be loaded again.
   *
   * @throws ApartError when each pull must be loaded by itself
   * @throws DamageError when a page is not what landed
   */
  load(loaded: LoadedPulls, context: LoadContext): Promise<readonly Day[] | undefined>;
}

/** The pulls of a load; all are of one stream. */
export interface LoadedPulls {
  readonly pulls: readonly ReadablePull[];
  /** The pulls with days that no later pull has. */
  readonly current: readonly ReadablePull[];
}

/** True if pulls with this name belong to the stream. */
export const landsAs = (
  { lands, landsWith }: Pick<Loadable, 'lands' | 'landsWith'>,
  name: StreamName,
): boolean => lands.includes(name) || (landsWith !== undefined && name.startsWith(landsWith));

export interface LoadParts {
  readonly session: Session;
  readonly beside: (worker: number) => Promise<Session>;
  readonly limits: MemoryLimit;
  readonly brand: string;
  readonly fields: readonly Field[];
  readonly privacy: Privacy;
  readonly hasColumnRules: boolean;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** The folder for repaired copies of files, which are removed after the load. */
  readonly tempDirectory: string;
}

/** The parameters of a load's statements: its pulls, and the first and last day that change. */
interface LoadGroup {
  readonly stream: StreamName;
  readonly pulls: readonly string[];
  readonly loaded_at: Date;
  readonly complete: boolean;
  readonly first_day: Day;
  readonly last_day: Day;
}

export interface LoadContext extends LoadParts {
  readonly group: LoadGroup;
}

export interface LoadReport {
  readonly pull: string;
  readonly stream: StreamName;
  /** Number of rows that this pull inserted into the stream's main table. */
  readonly rows: number;
  readonly days: readonly Day[];
  readonly finished: readonly { readonly date: Day; readonly rows: number }[];
  /** Number of nonconforming records by kind: `repeated`, `shared_id`, `stray`, `outside_range`, `undated` and so on. */
  readonly notes: Readonly<Record<string, number>>;
  /** Fields that differ from the specification, as `place.field (kind)`. */
  readonly drift: readonly string[];
  /** Days to load again: their records were left out as duplicates of a day that this load replaced. */
  readonly neighbors: readonly Day[];
}

export interface LoadOutcome {
  readonly reports: LoadReport[];
  readonly failures: { readonly pull: Pull; readonly error: DamageError }[];
}

/** Loads pulls into a warehouse and records which pulls it has. Supports one load at a time. */
export class Loader {
  constructor(
    private readonly context: LoadParts,
    private readonly streams: readonly Loadable[],
  ) {}

  async loaded(): Promise<Set<string>> {
    return idsOf(await this.context.session.rows('ops/loaded', pullId));
  }

  /**
   * Unloads the snapshots that are later than a pull that arrived late, because they must be loaded again after it. Resolves with their
   * ids.
   */
  async unloadAfter(late: readonly Pull[]): Promise<Set<string>> {
    if (late.length === 0) return new Set();
    const instants = late.map(({ pulledAt }) => pulledAt.toISOString());
    const pulls = late.map(({ id }) => id);
    return idsOf(await this.context.session.rows('ops/unload_after', pullId, { pulls, instants }));
  }

  /**
   * Loads pulls that were not loaded before, or all of them (`again`), in groups of one stream. Each group is one transaction. A failing
   * group is divided until the failing pull is found; the others are loaded.
   *
   * @param proceed is called before each group, and may throw to stop
   * @throws StorageError when disk or memory do not suffice; any error that `proceed` throws
   */
  async loadAll(
    pulls: readonly Pull[],
    proceed: (next: Pull) => void,
    how: 'new' | 'again' = 'new',
  ): Promise<LoadOutcome> {
    const ids = { pulls: pulls.map(({ id }) => id) };
    const loaded =
      how === 'new' ? idsOf(await this.context.session.rows('ops/loaded_of', pullId, ids)) : new Set();
    const outcome: LoadOutcome = { reports: [], failures: [] };
    for (const group of groupsOf(pulls.filter(({ id }) => !loaded.has(id))))
      await this.#loadOrDivide(group, outcome, proceed);
    return outcome;
  }

  async #loadOrDivide(
    pulls: readonly Pull[],
    outcome: LoadOutcome,
    proceed: (next: Pull) => void,
  ): Promise<void> {
    const [pull] = pulls;
    if (pull === undefined) return;
    proceed(pull);
    try {
      const stream = this.streams.find((one) => landsAs(one, pull.stream));
      if (stream === undefined)
        throw new DamageError(`The pull ${pull.id} belongs to a stream that this version does not support.`, {
          hint: 'Install the version of dawnload that landed it, or move its folder away.',
        });
      return void outcome.reports.push(...(await loadGroup(stream, pulls, this.context)));
    } catch (error) {
      if (!(error instanceof DamageError || error instanceof ApartError)) throw error;
      if (pulls.length === 1) return void outcome.failures.push({ pull, error });
    }
    const half = Math.ceil(pulls.length / 2);
    for (const some of [pulls.slice(0, half), pulls.slice(half)])
      await this.#loadOrDivide(some, outcome, proceed);
  }
}

const idsOf = (rows: readonly { readonly pull: string }[]): Set<string> =>
  new Set(rows.map(({ pull }) => pull));

/**
 * Loads a group of pulls of one stream, for the first time or again.
 *
 * @throws ApartError when each pull must be loaded by itself; the warehouse is unchanged
 * @throws DamageError when a file is incomplete, or not an answer of the service
 * @throws StorageError when disk or memory do not suffice; the warehouse is unchanged
 */
async function loadGroup(
  stream: Loadable,
  pulls: readonly Pull[],
  context: LoadParts,
): Promise<LoadReport[]> {
  const { session, tempDirectory } = context;
  const pages = pulls.flatMap(({ id, files }) => files.map((page) => ({ ...page, pull: id })));
  const subject = { name: pulls[0]?.id ?? '', isSnapshot: stream.grain === 'snapshot' };
  const load = (slices: readonly Readable<(typeof pages)[number]>[]): Promise<LoadReport[]> =>
    orRepaired(session, slices, tempDirectory, subject, (usable, repaired) => {
      const readable = pulls.map((pull) => {
        const read = usable.filter((page) => page.pull === pull.id);
        // Small pages are read in place.
        const files = pull.files.map((page) => {
          const [only, ...others] = read.filter(({ landed }) => landed === page.file);
          return only === undefined || others.length > 0 ? page : { ...page, file: only.file };
        });
        return { ...pull, files, read };
      });
      const mended = repaired.map(({ pull }) => pull);
      return attempt(stream, readable, context, mended);
    });
  // The other streams have small pages, and their loads need to know which page a row is from.
  return stream.divisible ? withSlices(pages, tempDirectory, load) : load(pages.map(whole));
}

function attempt(
  stream: Loadable,
  pulls: readonly ReadablePull[],
  context: LoadParts,
  repaired: readonly string[],
): Promise<LoadReport[]> {
  const { session, effects } = context;
  return withMemoryLimit(session, context.limits, async (limits) => {
    const group = {
      stream: pulls[0]?.stream ?? '',
      pulls: pulls.map(({ id }) => id),
      loaded_at: effects.now(),
      complete: pulls.every(({ facts }) => facts.complete),
    };
    const load = async (): Promise<LoadReport[]> => {
      const changed = await session.rows('shared/begin_end/begin', changing, {
        ...group,
        first_days: pulls.map(({ days }) => days.start),
        last_days: pulls.map(({ days }) => days.end),
        instants: pulls.map(({ pulledAt }) => pulledAt.toISOString()),
      });
      const ids = idsOf(changed);
      const current = pulls.filter(({ id }) => ids.has(id));
      const [first] = changed;
      const neighbors =
        first === undefined
          ? undefined
          : await stream.load({ pulls, current }, { ...context, limits, group: { ...group, ...first } });
      const facts = await session.rows('shared/begin_end/end', fact, { ...group, repaired_pulls: repaired });
      effects.reach('load/before-commit');
      return pulls.map((pull) => reportOf(pull, facts, neighbors ?? []));
    };
    const reports = await session.transaction(load);
    effects.reach('load/after-commit');
    return reports;
  });
}

const changing = pullId.extend({ first_day: z.string(), last_day: z.string() });

const fact = z.object({
  pull: z.string(),
  fact: z.enum(['day', 'rows', 'finished', 'note', 'drift']),
  name: z.string(),
  number: count,
});

type Fact = z.infer<typeof fact>;

function reportOf({ id, stream }: Pull, facts: readonly Fact[], neighbors: readonly Day[]): LoadReport {
  const own = facts.filter((one) => one.pull === id);
  const its = (what: Fact['fact']): Fact[] => own.filter(({ fact }) => fact === what);
  const namesOf = (what: Fact['fact']): string[] => its(what).map(({ name }) => name);
  return {
    pull: id,
    stream,
    rows: its('rows')[0]?.number ?? 0,
    days: namesOf('day'),
    finished: its('finished').map(({ name, number }) => ({ date: name, rows: number })),
    notes: Object.fromEntries(its('note').map(({ name, number }) => [name, number])),
    drift: namesOf('drift'),
    neighbors,
  };
}

const PULLS_AT_ONCE = 400;

/** Maximum number of rows in a group. A larger pull is a group by itself. */
const ROWS_AT_ONCE = 200_000;

/**
 * Divides pulls into groups of one stream each, in the order of the pulls. A group never has two exports of one day, and an incomplete pull
 * is a group by itself. Streams do not depend on each other, so the pulls of a group need not be adjacent.
 */
export function groupsOf(pulls: readonly Pull[]): Pull[][] {
  const groups: Pull[][] = [];
  for (const pull of pulls) {
    const group = groups.findLast(([one]) => one?.stream === pull.stream);
    if (group !== undefined && fits(pull, group)) group.push(pull);
    else groups.push([pull]);
  }
  return groups;
}

function fits(pull: Pull, group: readonly Pull[]): boolean {
  const all = [...group, pull];
  return (
    all.length <= PULLS_AT_ONCE &&
    all.every(({ facts }) => facts.complete) &&
    all.reduce((sum, { files }) => sum + rowsIn(files), 0) <= ROWS_AT_ONCE &&
    (pull.stream !== EVENTS || group.every(({ days }) => days.start !== pull.days.start))
  );
}

const counted = z.object({
  rows: count,
  /** Number of rows whose id already occurred on an earlier page. */
  repeated: count,
  /** Number of rows without an id that equal another row, on any page. */
  equal: count,
});

export type CountedRows = Readonly<z.infer<typeof counted>>;

/**
 * Counts the rows of the pages, and the duplicates among them.
 *
 * @param id a JSON pointer to the id of a row; '' if the whole row identifies it
 */
export async function countRows(session: Session, pages: readonly Page[], id: string): Promise<CountedRows> {
  const files = pages.map(({ file }) => asPattern(file));
  const params = { files, id_pointer: id, largest_object: await largestOf(pages) };
  return session.row('ops/count_rows', counted, params);
}

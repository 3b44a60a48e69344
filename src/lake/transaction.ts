/**
 * The statements of one commit: they replace days of streams, days of models and complete relations, and record the
 * replaced parts.
 */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import { count } from '../warehouse/session.js';
import { commitTogether, type Commit, type Written, type LakeState } from './commits.js';
import {
  type Lake,
  daysList,
  quoted,
  inDays,
  COVERAGE,
  nameOf,
  placeholders,
  sourceOf,
  type Relation,
  CONTENTS,
} from './lake.js';
import { COLUMNS_PART } from './setup.js';
import { type Stream, STREAMS } from '../ground/streams.js';

export interface Pushing {
  readonly lake: Lake;
  readonly state: LakeState;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** The command for the rows of `lake_commits`. */
  readonly command: string;
  readonly version: string;
  /** Called with the name of the next thing to push. */
  readonly progress: (what: string) => void;
  /** True if the rows of erased persons (`prepareErased`) are deleted also on days that only the lake holds. */
  readonly erases?: boolean;
}

/** About 300 MB of events: files of 128 to 512 MB are the most efficient for readers of one day. */
const ROWS_PER_FILE = 4_000_000;

const counted = z.object({ rows: count });
const affectedDay = z.object({ date: z.string() });
const storedExport = z.object({ stored: z.boolean() });

/** The commits of one push. */
export class Transaction {
  /** Days of `marts.event_people` that this push has already written. */
  readonly #people = new Set<Day>();
  #written = { days: 0, rows: 0 };

  /** @param removed days of events that were removed from the file */
  constructor(
    private readonly pushing: Pushing,
    private readonly relations: readonly Relation[],
    private readonly removed: readonly Day[],
  ) {}

  commit(work: () => Promise<boolean>): Promise<Commit | undefined> {
    return commitTogether(this.pushing, async (): Promise<Written | undefined> => {
      const { lake } = this.pushing;
      this.#written = { days: 0, rows: 0 };
      await lake.session.run('lake/begin_notes');
      if (!(await work())) return undefined;
      await lake.session.run('lake/end_coverage', { ...lake.ops, coverage: this.#coverageColumns() });
      await lake.session.run('lake/end_parts', lake.ops);
      return this.#written;
    });
  }

  /**
   * Replaces everything that differs, including the events of the given days, and adapts the columns if they changed.
   *
   * @returns true if anything was different
   */
  async all(
    { streams, models, onlyInLake }: Changes,
    events: readonly Day[],
    columns: string | undefined,
  ): Promise<boolean> {
    let changed = this.pushing.erases === true && (await this.#erase(onlyInLake.get('events') ?? []));
    for (const [stream, days] of streams) {
      if (stream !== 'events') changed = await this.#streamDays(stream, days);
    }
    for (const day of events) changed = await this.eventsOf(day);
    for (const relation of this.relations) {
      const days = (models.get(nameOf(relation)) ?? []).filter(
        (day) => relation.stream === undefined || !this.#people.has(day),
      );
      if (days.length === 0) continue;
      await this.#modelDays(relation, days);
      changed = true;
    }
    for (const relation of this.relations) {
      if (relation.stream !== undefined || relation.incremental || nameOf(relation) === COVERAGE) continue;
      const rows = await replaceStaged(this.pushing.lake, relation, this.removed.length > 0);
      if (rows === undefined) continue;
      this.#written.rows += rows;
      changed = true;
    }
    if (columns !== undefined) {
      await this.#run('note_part', { relation: COLUMNS_PART, version: quoted(columns) });
      changed = true;
    }
    return changed;
  }

  /** Deletes the rows of erased persons on days that the file does not hold; returns false if there are none. */
  async #erase(onlyInLake: readonly Day[]): Promise<boolean> {
    const { session, schemas } = this.pushing.lake;
    const days = [...onlyInLake, ...this.removed];
    const names = { main: schemas.main, which: inDays('export_date', days) };
    if (days.length === 0 || (await session.row('lake/erased_events', counted, names)).rows === 0)
      return false;
    await this.#run('delete_erased_contents', names);
    for (const relation of this.relations) {
      if (relation.stream !== 'events') continue;
      await this.#run('delete_erased', { table: this.pushing.lake.tableOf(relation) });
    }
    return true;
  }

  /** Replaces the days of a stream in each of its tables, and their coverage. */
  async #streamDays(stream: Stream, days: readonly Day[]): Promise<true> {
    for (const relation of this.relations) {
      if (relation.stream === stream) await this.#replaceDays(relation, days);
    }
    return this.#cover(stream, days);
  }

  /**
   * Replaces the export of a day in each of its tables, and the people of its events. If the lake does not hold the
   * export, the tables are not searched for its rows: the search reads all file lists of each table and costs as much as
   * the rest of the push.
   */
  async eventsOf(day: Day): Promise<true> {
    const { session, schemas } = this.pushing.lake;
    const names = { main: schemas.main, days: daysList([day]) };
    const affected = await session.rows('lake/affected_days', affectedDay, names);
    const { stored } = await session.row('lake/holds_export', storedExport, names);
    const dates = affected.map(({ date }) => date);
    for (const relation of this.relations) {
      if (relation.day === 'export_date') await this.#replaceDays(relation, [day], stored);
      else if (relation.stream === 'events' && dates.length > 0) await this.#modelDays(relation, dates);
    }
    for (const date of dates) this.#people.add(date);
    return this.#cover('events', [day]);
  }

  async #cover(stream: Stream, days: readonly Day[]): Promise<true> {
    await this.#run('cover_days', { stream, days: daysList(days) });
    this.#written.days += days.length;
    return true;
  }

  async #modelDays(relation: Relation, days: readonly Day[]): Promise<void> {
    await this.#replaceDays(relation, days);
    await this.#run('note_days', {
      relation: nameOf(relation),
      source: sourceOf(relation),
      days: daysList(days),
    });
  }

  /** @param stored true if the lake may hold rows of these days */
  async #replaceDays(relation: Relation, days: readonly Day[], stored = true): Promise<void> {
    const { lake, effects } = this.pushing;
    const names = { ...placeholders(lake, relation), days: daysList(days) };
    if (stored) await this.#run('clear_days', names);
    effects.reach('lake/after-delete');
    const { rows } = await lake.session.row('lake/count_days', counted, names);
    // Each statement writes one file per day.
    const files = Math.ceil(rows / days.length / ROWS_PER_FILE);
    for (let file = 0; file < files; file += 1) {
      const share = files === 1 ? 'true' : `hash(event_id) % ${files} = ${file}`;
      await this.#run('insert_days', { ...names, share });
    }
    effects.reach('lake/after-insert');
    this.#written.rows += rows;
  }

  async #run(name: string, names: Readonly<Record<string, string>>): Promise<void> {
    await this.pushing.lake.session.run(`lake/${name}`, names);
  }

  #coverageColumns(): string {
    const coverage = this.relations.find((relation) => nameOf(relation) === COVERAGE);
    return (coverage?.columns ?? []).map(({ name }) => `"${name}"`).join(', ');
  }
}

export interface Changes {
  /** Days whose pull differs between file and lake; each day of events is a commit of its own. */
  readonly streams: ReadonlyMap<Stream, readonly Day[]>;
  /** Days of incremental models with different rows, by the name of the model. */
  readonly models: ReadonlyMap<string, readonly Day[]>;
  /** Days that the lake covers and the file does not; they are left unchanged. */
  readonly onlyInLake: ReadonlyMap<Stream, readonly Day[]>;
}

const streamDay = z.object({ stream: z.enum(STREAMS), date: z.string() });
const modelDay = z.object({ relation: z.string(), date: z.string() });

export async function changesOf(lake: Lake): Promise<Changes> {
  const { session, ops } = lake;
  return {
    streams: byKey(await session.rows('lake/stream_days', streamDay, ops), ({ stream }) => stream),
    models: byKey(await session.rows('lake/model_days', modelDay, ops), ({ relation }) => relation),
    onlyInLake: byKey(await session.rows('lake/only_in_lake', streamDay, ops), ({ stream }) => stream),
  };
}

function byKey<K, T extends { readonly date: Day }>(rows: readonly T[], key: (row: T) => K): Map<K, Day[]> {
  const days = new Map<K, Day[]>();
  for (const row of rows) days.set(key(row), [...(days.get(key(row)) ?? []), row.date]);
  return days;
}

const part = z.object({ date: z.string().nullable(), rows: count, changed: z.boolean() });
type Part = z.infer<typeof part>;

/**
 * Replaces the parts of a relation that differ, within a transaction of the catalog.
 *
 * @param removed true if days of events were removed from the file, so that the lake keeps contents that the file lacks
 * @returns the number of written rows; undefined if nothing differs
 */
async function replaceStaged(lake: Lake, relation: Relation, removed: boolean): Promise<number | undefined> {
  const { session } = lake;
  const name = nameOf(relation);
  const names = { ...placeholders(lake, relation), name };
  await session.run('lake/stage_relation', names);
  const parts = await session.rows('lake/staged_parts', part);
  const changed = parts.filter((each) => each.changed);
  if (changed.length === 0) return undefined;
  // If all parts changed, all rows are replaced, including rows that belong to no recorded part.
  const chosen = changed.length === parts.length ? 'true' : inParts(relation.day ?? 'null', changed);
  const isKept = removed && name === CONTENTS;
  const which = isKept ? 'content_id in (select content_id from staged)' : chosen;
  await session.run('lake/replace_staged', { ...names, which, chosen });
  await session.run('lake/note_staged', { name });
  return changed.reduce((sum, { rows }) => sum + rows, 0);
}

/** A SQL condition that selects the rows of these parts. */
function inParts(day: string, parts: readonly Part[]): string {
  const days = parts.flatMap(({ date }) => date ?? []);
  return inDays(day, days) + (days.length < parts.length ? ` or ${day} is null` : '');
}

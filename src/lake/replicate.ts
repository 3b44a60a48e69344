/**
 * Updates the lake from the published file: replaces the days of streams and models that differ, and whole relations without days that
 * differ. Each commit is one transaction over all tables and includes the coverage of its days, so that covered days are always complete. A
 * nightly run makes one commit; a backfill makes one per day of events.
 */
import { z } from 'zod';
import type { Day } from '../ground/calendar.js';
import { ConfigError } from '../ground/errors.js';
import type { StreamName } from '../ground/streams.js';
import type { Journal } from '../journal/journal.js';
import { plural } from '../terminal/text.js';
import { count, type Params, type StatementName, listOf } from '../warehouse/session.js';
import { commitTogether, LakeState, type Commit, type Writing } from './commits.js';
import {
  type Lake,
  type LakeInvocation,
  type LakeSettings,
  daysList,
  quoted,
  inDays,
  COVERAGE,
  placeholders,
  relationsOf,
  removedDays,
  type Relation,
  CONTENTS,
  withLake,
} from './lake.js';
import { COLUMNS_PART, columnsVersion, dropOwn, prepareTables } from './setup.js';

/**
 * Pushes the differences between the file and the lake. Requires the lock.
 *
 * @param command the name for `lake_commits`
 * @param prepareErasure makes the session recognize erased persons. Their rows are then deleted on all days, even those that only the
 *   lake has, in one commit
 * @returns the commits
 * @throws the errors of `withLake` and `commitTogether`; earlier commits stay
 * @throws ConfigError if the lake is not set up, has another writer, or its columns cannot be adapted
 */
export function pushLake(
  settings: LakeSettings,
  invocation: LakeInvocation,
  journal: Journal,
  command: string,
  prepareErasure?: (lake: Lake) => Promise<void>,
): Promise<Commit[]> {
  const { effects, terminal, version } = invocation;
  return withLake(settings, invocation, async (lake) => {
    await prepareErasure?.(lake);
    const state = new LakeState(journal, settings.lake);
    await state.agree(lake);
    const relations = await relationsOf(lake);
    const recorded = await recordedColumns(lake);
    if (recorded === undefined)
      throw new ConfigError('The lake is not set up completely, so nothing is pushed to it.', {
        hint: 'Run `dawnload lake setup` again.',
      });
    const columns = columnsVersion(relations);
    if (recorded !== columns) {
      const { created } = await prepareTables(lake, relations);
      const names = listOf(created.map(({ name }) => name)) || "''";
      await lake.session.run('lake/forget_parts', { relations: names });
    }
    const own = await dropOwn(lake, relations);
    effects.reach('lake/prepared');
    const changes = await changesOf(lake);
    const writing = { lake, state, effects, command, version };
    const transaction = new Transaction(writing, relations, await removedDays(lake));
    const commits: Commit[] = [];
    const commit = async (what: string, work: () => Promise<void>): Promise<void> => {
      terminal.progress(what);
      const done = await transaction.commit(work);
      if (done !== undefined) commits.push(done);
      effects.reach('lake/settled');
    };
    const events = changes.streams.get('events') ?? [];
    const erases = prepareErasure !== undefined;
    const apart = erases ? [] : events.slice(0, -1);
    for (const day of apart)
      await commit(`pushing the events of ${day}`, () => transaction.replaceEvents(day));
    const last = events.at(-1);
    const what = last === undefined ? 'pushing' : `pushing the events of ${last}, and all that changed`;
    await commit(what, async () => {
      if (erases) await transaction.erase(changes.onlyInLake.get('events') ?? []);
      await transaction.replaceAll(changes, events.slice(apart.length));
      if (recorded !== columns) await transaction.noteColumns(columns, own);
    });
    return commits;
  });
}

/** The recorded fingerprint of the lake's columns; undefined if the set-up was interrupted before recording it. */
async function recordedColumns({ session, ops }: Lake): Promise<string | undefined> {
  await session.run('lake/recorded_parts', ops);
  const part = z.object({ version: z.string() });
  const [columns] = await session.rows('lake/recorded_version', part, { relation: COLUMNS_PART });
  return columns?.version;
}

/** A sentence about the rows that a push wrote. */
export function describePushed(commits: readonly Commit[]): string {
  if (commits.length === 0) return 'The lake is up to date with the published file.';
  const rows = commits.reduce((sum, commit) => sum + commit.rows, 0);
  return `Pushed ${plural(rows, 'row')} to the lake in ${plural(commits.length, 'commit')}.`;
}

const counted = z.object({ rows: count });
const affectedDay = z.object({ date: z.string() });
const storedExport = z.object({ stored: z.boolean() });

/** Runs the statements of one push's commits, which replace what differs and record it. */
class Transaction {
  /** Days of `marts.event_people` that this push has written. */
  readonly #people = new Set<Day>();
  #written = { days: 0, rows: 0 };
  /** Number of statements in this commit that changed something. */
  #changes = 0;

  /** @param removed days whose events were removed from the file */
  constructor(
    private readonly writing: Writing,
    private readonly relations: readonly Relation[],
    private readonly removed: readonly Day[],
  ) {}

  /** Commits the work; undefined if nothing changed. */
  commit(work: () => Promise<void>): Promise<Commit | undefined> {
    return commitTogether(this.writing, async () => {
      [this.#written, this.#changes] = [{ days: 0, rows: 0 }, 0];
      await work();
      if (this.#changes === 0) return undefined;
      const { session, ops } = this.writing.lake;
      await session.run('lake/end_coverage', { ...ops, coverage: this.#coverageColumns() });
      return this.#written;
    });
  }

  /** Replaces everything that differs, and the events of the given days. */
  async replaceAll({ streams, models }: Changes, events: readonly Day[]): Promise<void> {
    for (const [stream, days] of streams) {
      if (stream === 'events') continue;
      for (const relation of this.relations)
        if (relation.stream === stream) await this.#replaceDays(relation, days);
      await this.#cover(stream, days);
    }
    for (const day of events) await this.replaceEvents(day);
    for (const relation of this.relations) {
      const { name, stream, incremental } = relation;
      const days = (models.get(name) ?? []).filter((day) => stream === null || !this.#people.has(day));
      if (days.length > 0) await this.#replaceModel(relation, days);
      if (stream === null && !incremental && name !== COVERAGE) await this.#replaceStaged(relation);
    }
  }

  async noteColumns(version: string, own: string): Promise<void> {
    await this.#run('lake/clear_own', { relations: own });
    await this.#run('lake/note_part', { relation: COLUMNS_PART, version: quoted(version) });
  }

  /** Deletes the rows of erased persons on days that the file does not have. */
  async erase(onlyInLake: readonly Day[]): Promise<void> {
    const { session, schemas } = this.writing.lake;
    const days = [...onlyInLake, ...this.removed];
    const names = { main: schemas.main, which: inDays('export_date', days) };
    if (days.length === 0 || (await session.row('lake/erased_events', counted, names)).rows === 0) return;
    await this.#run('lake/delete_erased_contents', names);
    for (const relation of this.relations) {
      if (relation.stream !== 'events') continue;
      await this.#run('lake/delete_erased', { table: this.writing.lake.tableOf(relation) });
    }
  }

  /**
   * Replaces a day's export in each of its tables, and the people of its events. If the lake does not have the export, its tables are not
   * searched for rows: a search reads all file lists of a table, and costs as much as the rest of the push.
   */
  async replaceEvents(day: Day): Promise<void> {
    const { session, schemas } = this.writing.lake;
    const names = { main: schemas.main, days: daysList([day]) };
    const affected = await session.rows('lake/affected_days', affectedDay, names);
    const { stored } = await session.row('lake/holds_export', storedExport, names);
    const dates = affected.map(({ date }) => date);
    for (const relation of this.relations) {
      if (relation.day === 'export_date') await this.#replaceDays(relation, [day], stored);
      else if (relation.stream === 'events' && dates.length > 0) await this.#replaceModel(relation, dates);
    }
    for (const date of dates) this.#people.add(date);
    await this.#cover('events', [day]);
  }

  async #cover(stream: StreamName, days: readonly Day[]): Promise<void> {
    await this.#run('lake/cover_days', { stream, days: daysList(days) });
    this.#written.days += days.length;
  }

  async #replaceModel(relation: Relation, days: readonly Day[]): Promise<void> {
    await this.#replaceDays(relation, days);
    await this.#run('lake/note_days', { relation: relation.name, days: daysList(days) });
  }

  /** @param stored true if the lake may have rows of these days */
  async #replaceDays(relation: Relation, days: readonly Day[], stored = true): Promise<void> {
    const { lake, effects } = this.writing;
    const names = { ...placeholders(lake, relation), days: daysList(days) };
    if (stored) await this.#run('lake/clear_days', names);
    effects.reach('lake/after-delete');
    const { rows } = await lake.session.row('lake/count_days', counted, names);
    // The statement writes one file per day.
    if (rows > 0) await this.#run('lake/insert_days', names);
    effects.reach('lake/after-insert');
    this.#written.rows += rows;
  }

  /** Replaces the parts of a relation that differ: its days, or all of it if it has no days. */
  async #replaceStaged(relation: Relation): Promise<void> {
    const { lake } = this.writing;
    const { name } = relation;
    const names = { ...placeholders(lake, relation), name };
    await lake.session.run('lake/stage_relation', names);
    const parts = await lake.session.rows('lake/staged_parts', part);
    const changed = parts.filter((each) => each.changed);
    if (changed.length === 0) return;
    // If all parts changed, replace all rows, including those that belong to no recorded part.
    const chosen = changed.length === parts.length ? 'true' : inParts(relation.day ?? 'null', changed);
    // If events were removed from the file, the lake keeps texts that the file no longer has.
    const isKept = this.removed.length > 0 && name === CONTENTS;
    const which = isKept ? 'content_id in (select content_id from staged)' : chosen;
    await this.#run('lake/replace_staged', { ...names, which, chosen });
    await this.#run('lake/note_staged', { name });
    this.#written.rows += changed.reduce((sum, { rows }) => sum + rows, 0);
  }

  async #run<N extends StatementName>(name: N, ...params: Params<N>): Promise<void> {
    this.#changes++;
    await this.writing.lake.session.run(name, ...params);
  }

  #coverageColumns(): string {
    const coverage = this.relations.find(({ name }) => name === COVERAGE);
    return (coverage?.columns ?? []).map(({ name }) => `"${name}"`).join(', ');
  }
}

export type Changes = Awaited<ReturnType<typeof changesOf>>;

export async function changesOf({ session, ops }: Lake) {
  const days = async <K>(
    name: 'lake/stream_days' | 'lake/model_days' | 'lake/only_in_lake',
    key: z.ZodType<K>,
  ): Promise<ReadonlyMap<K, readonly Day[]>> => {
    const rows = await session.rows(name, z.object({ key, dates: z.array(z.string()) }), ops);
    return new Map(rows.map((row) => [row.key, row.dates]));
  };
  return {
    /** Days whose pull differs between file and lake. Each day of events becomes a commit of its own. */
    streams: await days('lake/stream_days', z.string()),
    /** Days on which rows of incremental models differ, by model. */
    models: await days('lake/model_days', z.string()),
    /** Days that only the lake covers; they stay unchanged. */
    onlyInLake: await days('lake/only_in_lake', z.string()),
  };
}

const part = z.object({ date: z.string().nullable(), rows: count, changed: z.boolean() });
type Part = z.infer<typeof part>;

function inParts(day: string, parts: readonly Part[]): string {
  const days = parts.flatMap(({ date }) => date ?? []);
  return inDays(day, days) + (days.length < parts.length ? ` or ${day} is null` : '');
}

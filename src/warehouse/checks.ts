/**
 * Data tests: each file of `sql/checks` selects faulty rows; no rows means that the check passes. A run checks the
 * dirty days only; findings of all other days are kept.
 */
import { fieldsOf, selectIn, type Session, listOf, statement, statementsIn } from './session.js';
import { escaped } from '../landing/duckdb.js';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dependenceKey, mentions, models, DirtyDays, dependsOn, lookback } from './model.js';
import { MESSAGE_ROWS } from './messages.js';
import { basename } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { STREAMS } from '../ground/streams.js';
import type { Warehouse } from './warehouse.js';

const version = z.object({ name: z.string(), fingerprint: z.string() });

/**
 * Runs all checks on the days that have changed since the last time, updates `ops.checks`, and returns its contents.
 * The dirty days are cleared in the same transaction, so a run after a kill checks them again.
 */
export async function runChecks(warehouse: Warehouse): Promise<FindingGroup[]> {
  const { effects } = warehouse.options;
  const findings = await warehouse.refining(() => checkAll(warehouse.session, effects));
  effects.reach('check/done');
  return findings;
}

export async function checkAll(
  session: Session,
  effects: Pick<Effects, 'now' | 'reach'>,
): Promise<FindingGroup[]> {
  const checks = statementsIn('checks').map(readCheck);
  await session.set({ checked_at: effects.now() });
  return session.transaction(async () => {
    await session.run('checking/forget_gone', { names: listOf(checks.map(({ name }) => name)) });
    const dirty = await DirtyDays.open(session);
    const versions = await session.rows('checking/versions', version);
    const known = new Map(versions.map(({ name, fingerprint }) => [name, fingerprint]));
    const now = new Map(checks.map((check) => [check.name, fingerprintOf(check)]));
    const changed = checks.filter(({ name }) => known.get(name) !== now.get(name));

    const find = ({ name, severity, stream, meaning, query, scope }: Check): Promise<void> => {
      const whole = String(scope === 'full');
      return session.run('checking/found', {
        name,
        severity,
        stream,
        meaning: escaped(meaning),
        whole,
        check: query,
      });
    };
    const whole = checks.filter(({ scope }) => scope === 'full');
    await session.run('checking/clear_checks', { names: listOf(whole.map(({ name }) => name)) });
    for (const check of whole) await find(check);
    // Checks of the same days follow each other, so that the days are listed once.
    const incremental = checks.filter(({ scope }) => scope === 'incremental');
    for (const check of incremental.sort((a, b) => dependenceKey(a).localeCompare(dependenceKey(b)))) {
      // A check that is new or has changed covers every day.
      const refresh = { ...check, full: changed.includes(check), keepsRows: true };
      if ((await dirty.find(refresh)) === 0) continue;
      await session.run('checking/clear_days', { names: listOf([check.name]) });
      await dirty.forEachBatch(refresh, () => find(check));
    }

    if (changed.length > 0) {
      await session.set({
        given: {
          names: changed.map(({ name }) => name),
          fingerprints: changed.map(({ name }) => now.get(name) ?? ''),
        },
      });
      await session.run('checking/note_versions');
    }
    await session.run('incremental/forget_touched_days');
    const findings = await session.rows('status/findings', findingGroup);
    effects.reach('check/before-commit');
    return findings;
  });
}

/**
 * A fingerprint of the check's text, of the shared statements, and of the models that it reads: its findings depend on
 * these.
 */
function fingerprintOf({ text }: Check): string {
  const looksAt = models().filter(({ relation }) => mentions(text, relation));
  const texts = [
    text,
    statement('checking/found'),
    statement('incremental/for_checks', { tables: MESSAGE_ROWS }),
  ];
  texts.push(...looksAt.map(({ fingerprint }) => fingerprint));
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}

// A check is a file of `sql/checks`: a header, and a select of faulty rows.
// -- severity: stop           (a finding prevents publishing; or: warn, a finding is only reported)
// -- stream: events           (the stream that the check is about, if it is a single one)
// -- scope: incremental       (reads `batch_days`; or: full, reads all rows, which must be few)
// -- depends_on: events       (the streams whose dirty days it reads; without this header: `stream`, or all streams)
// -- lookback: 7 days         (a changed day may cause findings on that many later days)
// -- meaning: What a finding means and what to do, for people.

type Check = ReturnType<typeof readCheck>;

const header = z.strictObject({
  severity: z.enum(['stop', 'warn']),
  stream: z.enum(STREAMS).optional(),
  scope: z.enum(['incremental', 'full']),
  depends_on: dependsOn.optional(),
  lookback,
  meaning: z.string().min(1),
});

/** Reads and parses the check in `sql/<file>.sql`. */
export function readCheck(file: string) {
  const text = statement(file);
  const { stream, depends_on, ...rest } = header.parse(fieldsOf(text));
  return {
    ...rest,
    name: basename(file),
    /** The stream that the check is about; empty if it is not about a single one. */
    stream: stream ?? '',
    streams: depends_on ?? (stream === undefined ? STREAMS : [stream]),
    allLater: false,
    partition: 'day' as const,
    /** The select without its semicolon, so that it can be embedded in another statement. */
    query: selectIn(text),
    text,
  };
}

/** A row of the section `findings` of `sql/status.sql`: all findings of one check. Its keys are those of `--json`. */
export const findingGroup = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  findings: z.number(),
  /** The first and the last day with a finding; null if findings are not about days. */
  first_date: z.string().nullable(),
  last_date: z.string().nullable(),
  /** One of the findings, as a sentence. */
  example: z.string(),
  /** The meaning of a finding, and the remedy. */
  meaning: z.string().nullable(),
});

export type FindingGroup = z.infer<typeof findingGroup>;

/** Runs data tests on the days that changed since the last time, and writes the findings to `ops.checks`. */
import { basename } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../ground/effects.js';
import { escaped } from '../disk/duckdb.js';
import { dependsOn, DirtyDays, lookback, streamRows, type Refresh } from './dirty-days.js';
import { hashOf, mentions, models } from './models.js';
import { fieldsOf, listOf, selectIn, type Session, statement, statementsIn } from './session.js';
import type { Warehouse } from './warehouse.js';

// The headers of `sql/checks`, which CONTRIBUTING.md describes.

const header = z.strictObject({
  severity: z.enum(['stop', 'warn']),
  stream: z.string().optional(),
  scope: z.enum(['incremental', 'full']),
  depends_on: dependsOn.optional(),
  lookback,
  meaning: z.string().min(1),
});

export function readCheck(file: string) {
  const text = statement(file);
  const { stream, depends_on, ...rest } = header.parse(fieldsOf(text));
  const streams: Refresh['streams'] = depends_on ?? (stream === undefined ? 'all' : [stream]);
  return { ...rest, name: basename(file), stream: stream ?? '', streams, text };
}

export const findingGroup = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  findings: z.number(),
  /** The first and the last day with a finding; null if the findings have no days. */
  first_date: z.string().nullable(),
  last_date: z.string().nullable(),
  example: z.string(),
  meaning: z.string().nullable(),
});

export type FindingGroup = z.infer<typeof findingGroup>;

/**
 * Runs all checks on the days that have changed since the last time, updates `ops.checks`, and returns its contents. The same transaction
 * clears the dirty days, so a run after a kill checks them again.
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
  type Check = (typeof checks)[number];
  const shared = ['checking/found', 'incremental/for_checks', 'streams/events/messages/rows'].map((name) =>
    statement(name),
  );
  // Findings depend on the check's text, the shared statements, and the models that the check reads.
  const checks = statementsIn('checks').map((file) => {
    const check = readCheck(file);
    const reads = models().filter(({ relation }) => mentions(check.text, relation));
    const texts = [check.text, ...shared, streamRows(), ...reads.map((model) => model.fingerprint)];
    return { ...check, fingerprint: hashOf(texts) };
  });
  const checked_at = effects.now();
  return session.transaction(async () => {
    await session.run('checking/delete_gone', { names: listOf(checks.map(({ name }) => name)) });
    const dirty = await DirtyDays.open(session);
    const versions = await session.rows(
      'checking/versions',
      z.object({ name: z.string(), fingerprint: z.string() }),
    );
    // A new or changed check covers every day.
    const changed = checks.filter(
      (check) => !versions.some((one) => one.name === check.name && one.fingerprint === check.fingerprint),
    );
    const namesOf = (some: readonly { readonly name: string }[]) => ({
      names: listOf(some.map(({ name }) => name)),
    });
    const find = (some: readonly Check[]): Promise<void> =>
      session.runForEach(
        'checking/found',
        some.map(({ name, severity, stream, meaning, scope, text }) => ({
          name,
          severity,
          stream,
          meaning: escaped(meaning),
          check: selectIn(text),
          whole: String(scope === 'full'),
        })),
        { checked_at },
      );
    const whole = checks.filter(({ scope }) => scope === 'full');
    await session.run('checking/clear_checks', namesOf(whole));
    await find(whole);
    // Checks of the same days run together as one script.
    const groups = new Map<string, { readonly refresh: Refresh; readonly some: Check[] }>();
    for (const check of checks.filter(({ scope }) => scope === 'incremental')) {
      const { streams, lookback } = check;
      const days = { streams, lookback, allLater: false, partition: 'day', keepsRows: true } as const;
      const refresh = { ...days, full: changed.includes(check) };
      const group = groups.get(JSON.stringify(refresh)) ?? { refresh, some: [] };
      groups.set(JSON.stringify(refresh), group);
      group.some.push(check);
    }
    for (const { refresh, some } of groups.values()) {
      if (!(await dirty.find(refresh))) continue;
      await session.run('checking/clear_days', namesOf(some));
      await dirty.forEachBatch(() => find(some));
    }
    if (changed.length > 0) {
      const names = changed.map(({ name }) => name);
      const fingerprints = changed.map(({ fingerprint }) => fingerprint);
      await session.run('checking/note_versions', { names, fingerprints });
    }
    await session.run('incremental/clear_touched_days');
    const findings = await session.rows('status/findings', findingGroup);
    effects.reach('check/before-commit');
    return findings;
  });
}

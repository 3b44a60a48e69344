/**
 * Data tests: each file of `sql/checks` selects what is not as it should be; no rows means sound. A night looks at the
 * days that changed, however old the warehouse is: the findings of all other days stand as they were.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readCheck, type Check } from './check-file.js';
import { mentions, models } from './model-file.js';
import type { Finding } from './rows.js';
import { count, type Session } from './session.js';
import { statement, statementsIn } from './statements.js';

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);

const findingRow: z.ZodType<Finding> = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  stream: text,
  date: text,
  subject: text,
  finding: z.string(),
  expected: text,
  actual: text,
  meaning: z.string(),
});

const version = z.object({ name: z.string(), fingerprint: z.string() });

/** Checks that look at the same days. */
interface Round {
  readonly streams: readonly string[];
  readonly reach: number;
  /** New or changed checks look at every day. */
  readonly everyDay: boolean;
  readonly checks: readonly Check[];
}

/**
 * Runs all checks on what changed since the last time, and brings `ops.checks` up to date. The touched days are dealt
 * with in the same transaction: a run that is killed here checks them again.
 */
export async function runChecks(
  session: Session,
  checkedAt: Date,
  beforeCommit: () => void,
): Promise<Finding[]> {
  const checks = statementsIn('checks').map(readCheck);
  await session.set({
    checked_at: checkedAt,
    check_names: checks.map(({ name }) => name),
    meanings: checks.map(({ meaning }) => meaning),
  });
  return session.transaction(async () => {
    await session.run('checking/forget_gone');
    await session.run('checking/message_rows');
    const versions = await session.rows('checking/versions', version);
    const known = new Map(versions.map(({ name, fingerprint }) => [name, fingerprint]));
    const now = new Map(checks.map((check) => [check.name, fingerprintOf(check)]));
    const changed = checks.filter(({ name }) => known.get(name) !== now.get(name));

    const find = ({ name, severity, stream, query, scope }: Check): Promise<void> => {
      const number = String(1 + checks.findIndex((check) => check.name === name));
      const whole = String(scope === 'whole');
      return session.run('checking/found', { name, severity, stream, number, whole, check: query });
    };
    const whole = checks.filter(({ scope }) => scope === 'whole');
    await session.run('checking/clear_checks', { names: listOf(whole.map(({ name }) => name)) });
    for (const check of whole) await find(check);
    if (changed.some(({ scope }) => scope === 'days')) await session.run('checking/all_days');
    for (const round of roundsOf(checks, changed)) await checkDays(session, round, find);

    for (const check of changed) {
      await session.set({ fingerprint: now.get(check.name) });
      await session.run('checking/note_version', { name: check.name });
    }
    await session.run('checking/clear_touched_days');
    const findings = await session.rows('checking/findings', findingRow);
    beforeCommit();
    return findings;
  });
}

/** Each set of days is worked out once. */
function roundsOf(checks: readonly Check[], changed: readonly Check[]): Round[] {
  const rounds = new Map<string, Round & { checks: Check[] }>();
  for (const check of checks.filter(({ scope }) => scope === 'days')) {
    const everyDay = changed.includes(check);
    const { streams, reach } = check;
    const key = everyDay ? 'every day' : `${streams.join(' ')} ${reach}`;
    const round = rounds.get(key) ?? { streams, reach, everyDay, checks: [] };
    round.checks.push(check);
    rounds.set(key, round);
  }
  return [...rounds.values()];
}

async function checkDays(
  session: Session,
  { streams, reach, everyDay, checks }: Round,
  find: (check: Check) => Promise<void>,
): Promise<void> {
  const names = listOf(checks.map(({ name }) => name));
  if (everyDay) await session.run('checking/every_day', { names });
  else await session.run('checking/changed_days', { names, streams: listOf(streams), reach: String(reach) });
  const { portions } = await session.row('checking/count_portions', z.object({ portions: count }));
  for (let portion = 0; portion < portions; portion += 1) {
    await session.run('checking/portion', { portion: String(portion) });
    for (const check of checks) await find(check);
  }
}

/** Names of this package as SQL. */
function listOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** What a check finds depends on its text, on what all of them stand on, and on the models that it looks at. */
function fingerprintOf({ text }: Check): string {
  const looksAt = models().filter(({ relation }) => mentions(text, relation));
  const texts = [text, statement('checking/found'), statement('checking/message_rows')];
  texts.push(...looksAt.map(({ fingerprint }) => fingerprint));
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}

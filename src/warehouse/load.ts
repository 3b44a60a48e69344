/** Loading pulls: a single transaction, from the landed files to the tables, the coverage and the note that it is done. */
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { daysOf, type Day } from '../calendar.js';
import type { Effects } from '../effects.js';
import type { DamageError } from '../errors.js';
import type { Staging } from './load-events-batch.js';
import { isRefusal, loadError } from './load-error.js';
import { loadCampaigns } from './load-campaigns.js';
import { loadEvents } from './load-events.js';
import { loadReference } from './load-reference.js';
import { loadStatistics } from './load-statistics.js';
import { repairedPulls, type RepairedCopy } from './repaired-pulls.js';
import type { UnknownFields } from './unknown-fields.js';
import { daysAsked, isReference, type Pull } from '../storage/pull.js';
import type { LoadReport } from './rows.js';
import { withMemoryLimit, type MemoryLimit } from './memory-limit.js';
import { count, type Session } from './session.js';

export const LOAD_POINTS = ['load/before-commit', 'load/after-commit'] as const;

export interface LoadContext {
  readonly session: Session;
  /** The connections that prepare exports, by number. */
  readonly staging: (worker: number) => Promise<Staging>;
  readonly unknown: UnknownFields;
  readonly limits: MemoryLimit;
  readonly effects: Pick<Effects, 'now' | 'reach'>;
  /** For repaired copies of files; they are removed afterwards. */
  readonly tempDirectory: string;
}

export interface LoadOutcome {
  readonly reports: LoadReport[];
  readonly failures: { readonly pull: Pull; readonly error: DamageError }[];
}

/**
 * Loads pulls of one stream that were not loaded before, or loads them again: not two exports of one day, and no
 * incomplete pull beside others.
 *
 * @throws DamageError when a file is not an answer of the service, or incomplete
 * @throws StorageError when disk or memory do not suffice; the warehouse is as it was
 */
export async function loadGroup(pulls: readonly Pull[], context: LoadContext): Promise<LoadReport[]> {
  const name = pulls[0]?.id ?? '';
  try {
    return await attempt(pulls, context);
  } catch (error) {
    if (!isRefusal(error)) throw loadError(error, name);
  }
  const { pulls: repaired, copies } = await repairedPulls(pulls, context);
  try {
    return await attempt(repaired, context, copies);
  } catch (error) {
    throw loadError(error, name);
  } finally {
    await Promise.all(copies.map(({ file }) => rm(file, { force: true })));
  }
}

function attempt(
  pulls: readonly Pull[],
  context: LoadContext,
  copies: readonly RepairedCopy[] = [],
): Promise<LoadReport[]> {
  return withMemoryLimit(context.session, context.limits, ({ threads }) =>
    attemptOnce(pulls, { ...context, limits: { ...context.limits, threads } }, copies),
  );
}

async function attemptOnce(
  pulls: readonly Pull[],
  context: LoadContext,
  copies: readonly RepairedCopy[],
): Promise<LoadReport[]> {
  const { session, effects } = context;
  await begin(pulls, context, copies);
  const reports = await session.transaction(async () => {
    const current = await session.rows('load/1_begin', z.object({ pull: z.string() }));
    const neighbours = await loadStream(pulls, new Set(current.map(({ pull }) => pull)), context);
    const facts = await session.rows('load/9_end', fact);
    effects.reach('load/before-commit');
    const byPull = new Map(pulls.map(({ id }) => [id, new Array<Fact>()]));
    for (const one of facts) byPull.get(one.pull)?.push(one);
    return pulls.map((pull) => reportOf(pull, byPull.get(pull.id) ?? [], neighbours));
  });
  effects.reach('load/after-commit');
  return reports;
}

/** @param current the pulls that have days which no later pull has */
async function loadStream(
  pulls: readonly Pull[],
  current: ReadonlySet<string>,
  { session, staging, unknown, limits }: LoadContext,
): Promise<Day[]> {
  if (current.size === 0) return [];
  const statistics = pulls.filter(
    (pull) => pull.stream === 'statistics' || pull.stream === 'statistics_by_subchannel',
  );
  if (statistics.length > 0) await loadStatistics(session, unknown, statistics);
  const campaigns = pulls.filter((pull) => pull.stream === 'campaigns');
  if (campaigns.length > 0) await loadCampaigns(session, unknown, campaigns);
  const reference = pulls.filter(isReference);
  if (reference.length > 0) await loadReference(session, unknown, reference);
  const events = pulls.filter((pull) => pull.stream === 'events').filter(({ id }) => current.has(id));
  return events.length > 0
    ? loadEvents(session, { staging, count: limits.threads, megabytes: limits.megabytes }, events)
    : [];
}

async function begin(
  pulls: readonly Pull[],
  { session, effects }: LoadContext,
  copies: readonly RepairedCopy[],
): Promise<void> {
  const asked = pulls.map(daysAsked);
  await session.set({
    stream: pulls[0]?.stream,
    pulls: pulls.map(({ id }) => id),
    first_days: asked.map(({ start }) => start),
    last_days: asked.map(({ end }) => end),
    instants: pulls.map(({ pulledAt }) => pulledAt.toISOString()),
    loaded_at: effects.now(),
    complete: pulls.every((pull) => !('complete' in pull) || pull.complete),
    repaired_pulls: copies.map(({ pull }) => pull),
  });
}

const fact = z.object({
  pull: z.string(),
  fact: z.enum(['day', 'rows', 'finished', 'held', 'restatements', 'note', 'drift']),
  name: z.string(),
  number: count,
});

type Fact = z.infer<typeof fact>;

function reportOf(pull: Pull, facts: readonly Fact[], neighbours: readonly Day[]): LoadReport {
  const its = (what: Fact['fact']): Fact[] => facts.filter(({ fact }) => fact === what);
  const days = its('day').map(({ name }) => name);
  const held = its('held').map(({ name }) => name);
  return {
    pull: pull.id,
    stream: pull.stream,
    changed: true,
    rows: its('rows')[0]?.number ?? 0,
    days,
    finished: its('finished').map(({ name, number }) => ({ date: name, rows: number })),
    held,
    superseded: daysOf(daysAsked(pull)).filter((day) => !days.includes(day) && !held.includes(day)),
    restatements: its('restatements')[0]?.number ?? 0,
    notes: Object.fromEntries(its('note').map(({ name, number }) => [name, number])),
    drift: its('drift').map(({ name }) => name),
    neighbours,
  };
}

/**
 * Answers to E18 that no longer count, since a later one has replaced their day: each night pulls the last days again,
 * so that in a year most answers are such. A rebuild need not load them one by one to arrive at the same file.
 */
import { z } from 'zod';
import type { Day } from '../calendar.js';
import { InterruptedError } from '../errors.js';
import { eachReplaces, type Size } from './holding.js';
import { asPattern, portionsOf } from './landed-files.js';
import type { SubchannelPull } from './pull.js';
import { count, type Session } from './session.js';

/** Files read by one statement. */
const AT_ONCE = 500;

/** A pull that a later one replaces, and how many rows it would have brought. */
export interface Superseded {
  readonly pull: SubchannelPull;
  readonly rows: number;
}

const weighed = z.object({ file: z.string(), rows: count, messages: count });

/**
 * Of pulls that wait to be loaded, oldest first, those that a later one among them replaces. A day of which an answer may
 * have to be held back, or whose answers cannot all be read, has none: those are loaded one by one.
 *
 * @param covered the days that the warehouse holds already: what is there has a say in what replaces it
 */
export async function supersededAmong(
  session: Session,
  pulls: readonly SubchannelPull[],
  covered: ReadonlyMap<Day, unknown>,
): Promise<Superseded[]> {
  const byDay = new Map<Day, SubchannelPull[]>();
  for (const pull of pulls) {
    if (!covered.has(pull.day)) byDay.set(pull.day, [...(byDay.get(pull.day) ?? []), pull]);
  }
  const several = [...byDay.values()].filter((ofDay) => ofDay.length > 1);
  const sizes = await weigh(session, several.flat());
  return several.flatMap((ofDay) => {
    const known = ofDay.flatMap((pull) => sizes.get(pull.file) ?? []);
    if (known.length < ofDay.length || !eachReplaces(known)) return [];
    return ofDay.slice(0, -1).map((pull, index) => ({ pull, rows: known[index]?.rows ?? 0 }));
  });
}

/** What landed answers hold, by file; of a portion that DuckDB refuses nothing is known. */
async function weigh(session: Session, pulls: readonly SubchannelPull[]): Promise<Map<string, Size>> {
  const sizes = new Map<string, Size>();
  for (let from = 0; from < pulls.length; from += AT_ONCE) {
    const files = pulls.slice(from, from + AT_ONCE).map(({ file }) => file);
    try {
      const [portion] = await portionsOf(files, Number.POSITIVE_INFINITY);
      await session.set({ files: files.map(asPattern), largest_object: portion?.largest });
      const rows = await session.rows('load/subchannels/weigh', weighed);
      for (const { file, ...size } of rows) sizes.set(file, size);
    } catch (error) {
      if (error instanceof InterruptedError) throw error;
    }
  }
  return sizes;
}

/** Notes as loaded those of the pulls whose day a later pull in the warehouse has replaced; the others stay as they are. */
export async function noteSuperseded(
  session: Session,
  superseded: readonly Superseded[],
  now: Date,
): Promise<void> {
  if (superseded.length === 0) return;
  await session.set({
    pulls: superseded.map(({ pull }) => pull.id),
    pull_days: superseded.map(({ pull }) => pull.day),
    pull_instants: superseded.map(({ pull }) => pull.pulledAt.toISOString()),
    pull_rows: superseded.map(({ rows }) => String(rows)),
    loaded_at: now,
  });
  await session.run('load/subchannels/note_superseded');
}

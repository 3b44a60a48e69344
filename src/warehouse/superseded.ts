/**
 * Answers to E18 that no longer count, since a later one has replaced their day: each night pulls the last days again,
 * so that in a year most answers are such. A rebuild need not load them one by one to arrive at the same file.
 */
import { asPattern, portionsOf } from './landed-files.js';
import type { SubchannelPull } from './pull.js';
import type { Session } from './session.js';

/** Files read by one statement. */
const AT_ONCE = 500;

/**
 * Notes as loaded those of the pulls whose day a later pull in the warehouse has replaced; the others are left as they
 * are. With the others, nothing else would remain of them: not a row, not a note, no drift.
 *
 * @throws DamageError, or what DuckDB says, when one cannot be read; then none of its portion is noted
 */
export async function noteSuperseded(
  session: Session,
  pulls: readonly SubchannelPull[],
  now: Date,
): Promise<void> {
  for (let from = 0; from < pulls.length; from += AT_ONCE) {
    const some = pulls.slice(from, from + AT_ONCE);
    const files = some.map(({ file }) => file);
    const [portion] = await portionsOf(files, Number.POSITIVE_INFINITY);
    await session.set({
      pulls: some.map(({ id }) => id),
      paths: files,
      files: files.map(asPattern),
      pull_days: some.map(({ day }) => day),
      pull_instants: some.map(({ pulledAt }) => pulledAt.toISOString()),
      largest_object: portion?.largest,
      loaded_at: now,
    });
    await session.run('load/subchannels/note_superseded');
  }
}

/**
 * Decides whether a new file may replace the published one. Each stream and day must have at least as many rows as
 * before, and so must computed rows of days whose pages were removed. Otherwise the loss needs an explanation, such as
 * an erasure. Rows that only another file of the data folder has are copied first.
 */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { ERASE } from '../erasure/register.js';
import { REMOVED, removedExports } from '../erasure/retention.js';
import { listDays, type Day } from '../ground/calendar.js';
import { messageOf, StorageError } from '../ground/errors.js';
import { isLocked } from '../landing/duckdb.js';
import type { Head } from '../landing/landing-zone.js';
import { asidePath } from '../landing/paths.js';
import { openElsewhere, orStorageError } from '../landing/storage-error.js';
import { plural } from '../terminal/terminal.js';
import type { Loss } from '../warehouse/warehouse.js';
import { partsOf, type Night } from './step.js';

/** Rows of days whose pages were removed cannot be computed again, so they come from another file. */
export async function takeRemovedDays(night: Night): Promise<void> {
  const { warehouse, files, erasures, invocation, journal, ledger } = partsOf(night);
  const known = new Set([...(await warehouse.removedDays()), ...(await warehouse.coverage('events')).keys()]);
  const removed = removedExports(journal, ledger.entries()).map(({ day }) => day);
  let missing = removed.filter((day) => !known.has(day));
  if (missing.length === 0) return;
  const taken: Day[] = [];
  const reasons: string[] = [];
  for (const file of [files.working, files.published]) {
    if (missing.length === 0 || file === warehouse.options.path || !existsSync(file)) continue;
    try {
      const found = await warehouse.takeDays(file, missing);
      taken.push(...found);
      missing = missing.filter((day) => !found.includes(day));
    } catch (error) {
      invocation.signal.throwIfAborted();
      reasons.push(`${file}: ${messageOf(error).split('\n', 1).join('')}`);
    }
  }
  if (taken.length > 0) {
    await erasures.deleteComputed();
    invocation.terminal.note(
      `Retention removed the pages of ${listDays(taken)}. Their events cannot be rebuilt; what was computed from them is kept.`,
    );
  }
  if (missing.length > 0)
    invocation.terminal.warn(
      `Retention removed the pages of ${listDays(missing)}, and no warehouse file has what was computed from them. ${reasons.join(' ')}`.trimEnd(),
    );
}

/**
 * The unexplained losses that publishing would cause. A published file that cannot be read proves nothing, so it is set
 * aside and never overwritten.
 *
 * @throws StorageError when another program has the published file open for writing
 */
export async function lossesOf(night: Night): Promise<Loss[]> {
  const { warehouse, files, invocation, journal, ledger } = partsOf(night);
  const { published } = files;
  if (!existsSync(published)) return [];
  let losses: Loss[];
  let heads: readonly Head[];
  try {
    const gone = removedExports(journal, ledger.entries()).map(({ day }) => day);
    losses = await warehouse.losses(published, gone);
    heads = losses.length === 0 ? [] : await warehouse.headOf(published);
  } catch (error) {
    invocation.signal.throwIfAborted();
    if (isLocked(error)) throw openElsewhere(published, error);
    if (error instanceof StorageError) throw error;
    const aside = asidePath(published, invocation.effects.now());
    await orStorageError('rename', published, () => rename(published, aside));
    invocation.terminal.warn(`${published} cannot be read as a warehouse. It is now ${aside}.`);
    return [];
  }
  // A journal that restarted after a loss has lower numbers than the file's head.
  const known = heads.find((head) => journal.holds(head))?.seq ?? 0;
  const isErased = journal.of(ERASE).some(({ seq }) => seq > known);
  const removed = journal.of(REMOVED).flatMap((line) => (line.event === 'pages' ? [line] : []));
  const abandoned = ledger.entries().filter(({ state }) => state === 'abandoned');
  return losses.filter(({ stream, date, table, after, is_newer }) => {
    // An erasure removes rows, but a day stays covered.
    if (is_newer || (isErased && (after !== null || table !== null))) return false;
    if (stream === 'events') return !abandoned.some(({ day }) => day === date);
    return !removed.some((line) => line.stream === stream && line.day === date);
  });
}

export function lossesInWords(losses: readonly Loss[]): string {
  const places = [...new Set(losses.map(({ stream, table }) => table ?? stream))];
  const words = places.map((place) => {
    const own = losses.filter(({ stream, table }) => (table ?? stream) === place);
    const rows = own.reduce((sum, { before, after }) => sum + before - (after ?? 0), 0);
    return `${place} of ${listDays(own.map(({ date }) => date))} (${plural(rows, 'row')})`;
  });
  return `the new file would lack ${words.join(', ')}, which the published one has`;
}

/** A rebuild: the warehouse is made again from what has landed, and the new file replaces the old one when it is complete. */
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { deleteComputed } from '../erasure/person.js';
import { listDays, type Day } from '../ground/calendar.js';
import { messageOf } from '../ground/errors.js';
import { readEveryBlock } from '../warehouse/opening.js';
import { discardDatabase, replaceDatabase, setAside } from '../warehouse/publish.js';
import { withDataFolder } from './data-folder.js';
import { loadLanded, openWarehouse, removedExports, withWarehouse, type OpenFolder } from './loading.js';
import { RunReport } from './report.js';
import { deliver } from './run.js';

/** Rebuilds the warehouse from the landing zone and the journal, without any request. */
export function rebuild(config: Config, invocation: Invocation): Promise<RunReport> {
  const { effects, terminal } = invocation;
  const report = new RunReport(() => effects.now());
  return withDataFolder(config, invocation, 'rebuild', 'erasures', (base) =>
    withWarehouse(base, config, invocation, report, 'rebuilt', async (folder) => {
      const { rebuilt, working, published } = folder.files;
      const aside = await setAside(published, effects.now());
      if (aside !== undefined) terminal.warn(`The published file was not a DuckDB file. It is now ${aside}.`);
      await takeRemovedDays(folder, invocation);
      await deliver('rebuild', folder, config, invocation, () => loadLanded(folder, invocation));
      if (report.lost.length > 0 && (await holdsDays(working, report.lost, config, invocation))) {
        terminal.warn(
          'The private warehouse holds these events, so it is kept and the rebuilt one is discarded.',
        );
        await discardDatabase(rebuilt);
        return report;
      }
      await replaceDatabase(rebuilt, working, effects);
      return report;
    }),
  );
}

/** True if a warehouse is sound, readable under the settings, and covers the events of the days. */
async function holdsDays(
  path: string,
  days: readonly Day[],
  config: Config,
  invocation: Invocation,
): Promise<boolean> {
  try {
    await readEveryBlock(path);
    const warehouse = await openWarehouse(path, config, invocation);
    try {
      const covered = await warehouse.coverage('events');
      return days.every((day) => covered.has(day));
    } finally {
      await warehouse.close();
    }
  } catch {
    // An interruption is no evidence about the file.
    invocation.signal.throwIfAborted();
    return false;
  }
}

/** Copies the computed rows of days with removed pages from the private file, since they cannot be computed again. */
async function takeRemovedDays(folder: OpenFolder, { terminal }: Invocation): Promise<void> {
  const { warehouse, files, erasures } = folder;
  const days = removedExports(folder).map(({ day }) => day);
  if (days.length === 0) return;
  const removed = `The pages of ${listDays(days)} were removed by retention`;
  try {
    await warehouse.takeDays(files.working, days);
    if (erasures.register.last !== undefined) await deleteComputed(await erasures.session());
    terminal.note(`${removed}: their events cannot be rebuilt; what was computed from them is kept.`);
  } catch (error) {
    terminal.warn(`${removed}, and what was computed from them is lost: ${messageOf(error)}`);
  }
}

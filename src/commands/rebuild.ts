/** `dawnload rebuild`: builds the warehouse anew from everything that has landed, offline. */
import { page } from '../night/after-publishing.js';
import { DataFolder } from '../night/data-folder.js';
import { check, model, note, publish, retaining } from '../night/deliver.js';
import { loadLanded } from '../night/pull.js';
import { RunReport } from '../night/report.js';
import { runSteps, type Night, type Step } from '../night/step.js';
import { assertSamePrivacy, storedPrivacy } from '../warehouse/privacy.js';
import { assertReplaceable, discardDatabase, replaceDatabase, setAside } from '../warehouse/publish.js';
import { coveredDay, readEveryBlock, Reader } from '../warehouse/reader.js';
import type { Command, JsonOptions } from './shared.js';
import { summarise } from './summary.js';

/** The steps of a rebuild. Retention applies to the file only; no landed pages are deleted. */
const REBUILD: readonly Step[] = [loadLanded, note, model, check, retaining('file'), publish, page];

export const rebuildCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const config = invocation.loadConfig();
  const { terminal, effects } = invocation;
  const report = new RunReport(() => effects.now());
  await using folder = await DataFolder.open(config, invocation, { command: 'rebuild', needs: 'erasures' });
  terminal.note('Rebuilding from everything that has landed, oldest first. No request is sent.');
  const { rebuilt, working, published } = folder.files;
  await using warehouse = await folder.warehouse('rebuilt', report);
  const aside = await setAside(published, effects.now());
  if (aside !== undefined) terminal.warn(`The published file was not a DuckDB file. It is now ${aside}.`);
  await assertReplaceable(published);
  const night: Night = { config, invocation, folder, warehouse, job: undefined, report };
  await runSteps(night, REBUILD);
  if (report.lost.length === 0 || !(await hasDays(report.lost, night)))
    await replaceDatabase(rebuilt, working, effects);
  else {
    terminal.warn('The private warehouse has these days, so it is kept and the rebuilt one is discarded.');
    await discardDatabase(rebuilt);
  }
  return summarise('rebuild', report, json, config, invocation);
};

/** True if the private warehouse is intact, readable with these settings, and has the days. */
async function hasDays(days: RunReport['lost'], { folder, warehouse, invocation }: Night): Promise<boolean> {
  const { working } = folder.files;
  const { privacy } = warehouse.file.options;
  try {
    await readEveryBlock(working);
    return await Reader.using(working, async (reader) => {
      assertSamePrivacy(await reader.rows('ops/privacy_stored', storedPrivacy), privacy);
      const covered = await reader.rows('status/coverage', coveredDay);
      return days.every((day) =>
        covered.some(({ stream, date }) => stream === day.stream && date === day.date),
      );
    });
  } catch {
    // If the command was interrupted, the error says nothing about the file.
    invocation.signal.throwIfAborted();
    return false;
  }
}

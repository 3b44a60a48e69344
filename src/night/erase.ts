/**
 * Runs an erasure: finds the persons, removes them from landed pages, reloads and publishes their days, searches every file, and writes a
 * receipt. Resumes a killed erasure.
 */
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { Pending, receiptOf, searchFolder, writeReceipt, type Begun, type Erased } from '../erasure/erase.js';
import { reloadErased } from '../erasure/landed.js';
import { cutPulls } from '../erasure/register.js';
import { DamageError, InterruptedError, messageOf, RefusedError } from '../ground/errors.js';
import { prepareErased } from '../lake/erased.js';
import { pushLake } from '../lake/replicate.js';
import { plural } from '../terminal/terminal.js';
import { assertPublishable, publish as publishFile, rewriteDatabase } from '../warehouse/publish.js';
import { page } from './after-publishing.js';
import { DataFolder } from './data-folder.js';
import { check, model, note, publish, retaining } from './deliver.js';
import { loadWaiting, pulling } from './pull.js';
import { RunReport } from './report.js';
import { partsOf, runSteps, type Night } from './step.js';

/**
 * Erases persons from the whole data folder.
 *
 * @param onlyLooks true to erase nobody; then an unfinished erasure is not resumed either
 * @param begin chooses the persons, after all landed data was loaded; returns undefined to do nothing. Not called when an erasure is
 *   resumed.
 */
export async function erase(
  config: Config,
  invocation: Invocation,
  onlyLooks: boolean,
  begin: (night: Night) => Promise<Begun | undefined>,
): Promise<Erased | undefined> {
  const { dataDir } = config;
  const { effects } = invocation;
  const report = new RunReport(() => effects.now());
  await using folder = await DataFolder.open(config, invocation, { command: 'forget', needs: 'erasures' });
  await using warehouse = await folder.warehouse('working', report);
  const night: Night = { config, invocation, folder, warehouse, job: undefined, report };
  const { files, journal } = folder;
  const { erasures } = warehouse;
  const { register } = erasures;
  // Check this before writing the record, because an erasure that cannot be published would leave plain ids on disk.
  await assertPublishable(files.published);
  const pending = new Pending(dataDir, effects);
  const began = await pending.read();
  if (began !== undefined && onlyLooks)
    throw new RefusedError('An earlier erasure is unfinished, so persons cannot be shown or counted.', {
      hint: 'Run `dawnload forget` to complete it, then this command again.',
    });
  await loadWaiting(night);
  const erasing = began ?? (await begin(night));
  if (erasing === undefined) return undefined;
  // If the record of an unfinished erasure was lost, that erasure is about other persons.
  const open = register.erasures.find((one) => !one.done && one.line === began?.line);
  erasing.line = open?.line ?? journal.head.seq + 1;
  await pending.write(erasing);
  const line = open?.line ?? (await erasures.begin(erasing));
  let cut = { records: 0, pulls: 0 };
  const cutting = pulling(async () => {
    // Record each spelling before its pages are rewritten, so that even after a kill it is searched for.
    const spellings = new Set(erasing.written);
    await erasures.sweep(async (written) => {
      const before = spellings.size;
      for (const id of written) spellings.add(id);
      erasing.written = [...spellings];
      if (spellings.size > before) await pending.write(erasing);
    });
    await erasures.blank(erasing.written);
    effects.reach('erase/landing-swept');
    await reloadErased(partsOf(night), new Set(cutPulls(register.lines, line).keys()));
    effects.reach('erase/loaded');
    cut = await erasures.cutBy(line);
    const rows = Object.values(erasing.rows).reduce((sum, one) => sum + one, 0);
    await register.append({ event: 'cut', of: line, records: cut.records, rows });
  });
  await runSteps(night, [cutting, note, model, check, retaining('file'), publish, page]);
  if (report.publishedBytes === undefined)
    throw new DamageError(
      `${files.published} was not replaced (${report.withheld ?? 'the run failed'}) and still has data of these persons.`,
      { hint: 'Correct the cause, then run `dawnload forget`: it resumes where it stopped.' },
    );
  await rewriteDatabase(files, effects);
  effects.reach('erase/copied');
  await register.append({ event: 'rewritten' });
  await publishFile({ working: files.working, published: files.published, effects });
  const search = await searchFolder(dataDir, [...erasing.written, ...erasing.ids]);
  const lake = await deletedInLake(night);
  const receipt = receiptOf(erasing, cut, search, [...erasures.unread], lake);
  const file = await writeReceipt(dataDir, receipt, effects);
  // The sweep removes everyone in the register, so it also completes erasures whose record was lost.
  const left = register.erasures.filter(({ done }) => !done);
  for (const { line: of } of left) await register.append({ event: 'done', of });
  await pending.remove();
  return { receipt, file, resumed: began?.written };
}

/** A failure is noted in the receipt, and the erasure continues. */
async function deletedInLake({ config, invocation, folder, warehouse }: Night) {
  const { dataDir, lake } = config;
  const { journal } = folder;
  const { key } = warehouse.file.options.privacy;
  const { ids } = warehouse.erasures.register;
  if (lake === undefined) return undefined;
  try {
    const commits = await pushLake({ dataDir, lake }, invocation, journal, 'forget', (opened) =>
      prepareErased(opened, config, { key, ids }),
    );
    return `deleted in ${plural(commits.length, 'commit')}, not yet erased: earlier data files keep the rows until compaction and expiry (docs/scale.md). \`dawnload lake verify --erased\` shows whether any file still has them. A bucket with versioning or object lock keeps deleted files longer; see its settings`;
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    return `not deleted yet (${messageOf(error)}); \`dawnload lake push\` deletes the rows`;
  }
}

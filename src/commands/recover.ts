/** `dawnload recover`: restores journal lines from other files, and allows runs to pay and push again. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { Pending } from '../erasure/erase.js';
import { assertKeyOf, ERASE, erasuresOf } from '../erasure/register.js';
import { EXIT } from '../ground/errors.js';
import { REMOVED, wereRemoved } from '../erasure/retention.js';
import { landedAmong } from '../exports/export.js';
import { untrackedIn } from '../exports/untracked.js';
import type { Doubt } from '../journal/doubt.js';
import { erasureNamed, type Journal } from '../journal/journal.js';
import { DataFolder } from '../night/data-folder.js';
import { headsOf } from '../night/warehouse.js';
import { dataFiles, exportFolder } from '../disk/paths.js';
import { allCalls, enterCalls, lostCalls, pushesOf, recordLost } from '../push/ledger.js';
import { plural } from '../terminal/terminal.js';
import { keyFingerprint, storedKey } from '../warehouse/privacy.js';
import { erasuresKnownBy, exportsKnownBy, removedKnownBy } from '../warehouse/reader.js';
import { type Command, exportColumns, showTable, type Options } from './shared.js';

export const recoverCommand: Command<Options<never, 'yes' | 'json'>> = async ({ yes, json }, invocation) => {
  const { terminal, signal, effects } = invocation;
  const config = invocation.loadConfig();
  const { working, published } = dataFiles(config.dataDir);
  await using folder = await DataFolder.open(config, invocation, { command: 'recover', needs: 'nothing' });
  const { ledger, journal, landing } = folder;
  assertKeyOf(erasuresOf(journal.of(ERASE)), keyFingerprint(await storedKey(config.dataDir)));
  // Compare with all files again, because later runs may read manifests that this one has not read, and your consent has to cover them.
  const again = async (): Promise<Doubt | undefined> =>
    folder.lookAgain(headsOf(await landing.pulls(undefined, () => undefined)));
  const remembered = await allCalls(config.dataDir);
  const lost = lostCalls(journal, remembered, pushesOf(journal));
  if (ledger.doubt === undefined) await recordLost(lost, journal);
  const doubt = await again();
  const untracked = await untrackedIn(config.dataDir, journal, {
    'private warehouse': await exportsKnownBy(working),
    'published warehouse': await exportsKnownBy(published),
  });
  const records = untracked.map((one) => ({ ...exportColumns(one), known_by: one.knownBy }));
  const calls = doubt === undefined ? [] : lost.map(({ target, at, rows }) => ({ target, at, rows }));
  if (json === true)
    terminal.out(JSON.stringify({ doubt: doubt?.why ?? null, exports: records, lost_push_calls: calls }));
  if (doubt === undefined) {
    terminal.note('The journal is complete.');
    return EXIT.done;
  }
  const erasures = await enterErasures(journal, config, effects);
  if (erasures > 0) terminal.note(`Entered ${plural(erasures, 'erasure')} from other files.`);
  const left = erasures === 0 ? doubt : await again();
  if (left?.erase !== undefined) throw left;
  terminal.warn(doubt.why);
  if (json !== true) {
    showTable(terminal, calls);
    showTable(terminal, records, 'key date state records estimated_records export_id known_by');
  }
  if (doubt.of !== 'pushed')
    terminal.note(
      "Other exports may have left no trace in this data folder. Check the service's bills, and enter each missing one: `dawnload exports decide DAY.1 --attach EXPORT_ID`.",
    );
  const exports = untracked.length === 0 ? undefined : plural(untracked.length, 'export');
  const enter = exports === undefined ? 'let' : `enter ${exports}, and let`;
  const question = `${enter.charAt(0).toUpperCase()}${enter.slice(1)} runs pay and push again?`;
  if (yes !== true && !(await terminal.confirm(question, signal))) {
    terminal.note(`Nothing was changed. To ${enter} runs pay and push again: \`dawnload recover --yes\`.`);
    return EXIT.incomplete;
  }
  await ledger.recover(untracked, config.exports.pricePerRecord);
  await enterRemovals(folder);
  // Restore only calls that reach people (E13, E16); others may be repeated.
  const once = remembered.filter(({ target }) => /^(?:events|journey) /.test(target));
  const entered = await enterCalls(journal, once);
  if (entered > 0)
    terminal.note(`Entered ${plural(entered, 'push call')} of unknown outcome: \`dawnload push list\`.`);
  await journal.confirm(
    doubt.newest,
    lost.map(({ seq }) => seq),
  );
  if (lost.length > 0)
    terminal.note(
      `The rows of ${plural(lost.length, 'push call')} are lost. The next push to their targets may send them again.`,
    );
  const done = exports === undefined ? '' : `Entered ${exports} into the journal. `;
  terminal.note(`${done}\`dawnload run\` continues from here.`);
  return EXIT.done;
};

async function enterRemovals({ files, ledger, journal, landing }: DataFolder): Promise<void> {
  const days = [...(await removedKnownBy(files.working)), ...(await removedKnownBy(files.published))];
  for (const entry of landedAmong(ledger.entries())) {
    const { day, key, exportId, state } = entry;
    if (state !== 'loaded' || !days.includes(day) || wereRemoved(journal, entry)) continue;
    if (!existsSync(join(landing.folder, exportFolder(entry))))
      await journal.append(REMOVED, { event: 'pages', stream: 'events', day, key, exportId });
  }
}

/** Restores erasures that another file lists. These must be restored; your consent is not enough to go on without them. */
async function enterErasures(journal: Journal, { dataDir }: Config, effects: Effects): Promise<number> {
  const { working, published } = dataFiles(dataDir);
  const others = journal.others.flatMap((line) => ERASE.shape.safeParse(line).data ?? []);
  const pending = new Pending(dataDir, effects);
  const stopped = await pending.read();
  const inFiles = [...(await erasuresKnownBy(working)), ...(await erasuresKnownBy(published))];
  if (others.length === 0 && stopped === undefined && inFiles.length === 0) return 0;
  // Don't create a key, because a new one would not recognize any erased person.
  const key = keyFingerprint(await storedKey(dataDir));
  assertKeyOf([...erasuresOf(others), ...inFiles], key);
  let entered = 0;
  /** Returns the line number; undefined if the journal has the erasure already. */
  const begin = async (persons: number, ids: readonly string[]): Promise<number | undefined> => {
    if (journal.erasures.includes(erasureNamed(ids))) return undefined;
    entered++;
    const begun = { event: 'begun' as const, key, persons, ids: [...ids], entered: true };
    return (await journal.append(ERASE, begun)).seq;
  };
  if (stopped?.line !== undefined) {
    const line = await begin(stopped.origins.length, stopped.ids);
    if (line !== undefined) await pending.write({ ...stopped, line });
  }
  for (const { persons, ids, records, rows } of [...erasuresOf(others), ...inFiles]) {
    const of = await begin(persons, ids);
    if (of === undefined) continue;
    await journal.append(ERASE, { event: 'cut', of, records, rows });
    await journal.append(ERASE, { event: 'done', of });
  }
  return entered;
}

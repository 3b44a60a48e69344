/** `dawnload recover`: shows what the journal lacks and other files know, enters it, and lets runs pay and push again. */
import type { Config } from '../config/config.js';
import type { Effects } from '../ground/effects.js';
import { Pending } from '../erasure/erase.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { untrackedIn, type Untracked } from '../exports/recovery.js';
import type { Invocation } from '../config/invocation.js';
import { forgottenError, type Doubt } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { headsOf, withDataFolder } from '../job/data-folder.js';
import { dataFiles } from '../landing/paths.js';
import { PushLedger } from '../push/ledger.js';
import { rememberedCalls } from '../landing/pushed-rows.js';
import { plural } from '../terminal/terminal.js';
import { hmacKey, keyFingerprint } from '../warehouse/privacy.js';
import { erasuresKnownBy, exportsKnownBy } from '../warehouse/remembered-exports.js';
import { knownOf, showTable, sizeOf, type JsonOptions } from './shared.js';

export async function recoverCommand(
  { yes, json }: JsonOptions & { readonly yes?: boolean },
  invocation: Invocation,
): Promise<ExitCode> {
  const { terminal, signal, effects } = invocation;
  const config = invocation.loadConfig();
  const { working, published } = dataFiles(config.dataDir);
  return withDataFolder(config, invocation, 'recover', 'nothing', async (folder) => {
    const { ledger, journal, landing } = folder;
    // A later run may read the manifests of pulls that this one does not, so all are agreed to.
    const again = async (): Promise<Doubt | undefined> =>
      folder.lookAgain(headsOf(await landing.pulls(undefined, () => undefined)));
    const doubt = folder.doubt && (await again());
    const untracked = await untrackedIn(config.dataDir, journal, {
      'private warehouse': await exportsKnownBy(working),
      'published warehouse': await exportsKnownBy(published),
    });
    if (json === true)
      terminal.out(JSON.stringify(untracked.map((one) => ({ ...knownOf(one), known_by: one.knownBy }))));
    if (doubt === undefined) {
      terminal.note('The journal holds everything that other files know.');
      return EXIT.done;
    }
    const erasures = await enterErasures(journal, config, effects);
    if (erasures > 0) terminal.note(`Entered ${plural(erasures, 'erasure')} that other files hold.`);
    const left = erasures === 0 ? doubt : await again();
    if (left?.erase !== undefined) throw forgottenError(left);
    terminal.warn(doubt.why);
    if (json !== true && untracked.length > 0) showTable(terminal, untracked.map(asRow), 'records');
    terminal.note(
      'Exports that left no trace in this data folder cannot be shown. Compare with the bills of the service, and enter each one that is missing: `dawnload exports attach DAY.1 EXPORT_ID`.',
    );
    const enter = untracked.length === 0 ? '' : `Enter ${plural(untracked.length, 'export')}, and let`;
    const agreed =
      yes === true || (await terminal.confirm(`${enter || 'Let'} runs pay and push again?`, signal));
    if (!agreed) {
      terminal.note('Nothing was changed. `dawnload recover --yes` does it.');
      return EXIT.incomplete;
    }
    await ledger.recover(untracked);
    // Calls that reach people (E13, E16); any other call may be repeated.
    const remembered = (await rememberedCalls(config.dataDir)).filter(({ target }) =>
      /^(?:events|journey) /.test(target),
    );
    const calls = await new PushLedger(journal, effects).enter(remembered);
    if (calls > 0)
      terminal.note(
        `Entered ${plural(calls, 'call')} of pushes of which it is not known what the service has: \`dawnload push list\`.`,
      );
    await journal.confirm(doubt.forgotten);
    terminal.note(
      `Entered ${plural(untracked.length, 'export')} into the journal. \`dawnload run\` continues from here.`,
    );
    return EXIT.done;
  });
}

/**
 * Enters the erasures that the journal lacks and the warehouse files list, and the one that was stopped, which `forget`
 * ends; agreement cannot replace them.
 */
async function enterErasures(journal: Journal, { dataDir }: Config, effects: Effects): Promise<number> {
  const { working, published } = dataFiles(dataDir);
  let entered = 0;
  /** Returns the number of the line; undefined if the journal holds the erasure. */
  const begin = async (was: number, persons: number, ids: readonly string[]): Promise<number | undefined> => {
    const isEntered = journal
      .of('erase')
      .some((one) => one.event === 'begun' && (one.seq === was || one.was === was));
    if (isEntered) return undefined;
    const key = keyFingerprint(await hmacKey(dataDir, effects));
    entered++;
    return (await journal.append('erase', { event: 'begun', key, persons, ids: [...ids], was })).seq;
  };
  for (const { line, persons, ids, records, rows } of [
    ...(await erasuresKnownBy(working)),
    ...(await erasuresKnownBy(published)),
  ]) {
    const of = await begin(line, persons, ids);
    if (of === undefined) continue;
    await journal.append('erase', { event: 'cut', of, records, rows });
    await journal.append('erase', { event: 'done', of });
  }
  const pending = new Pending(dataDir, effects);
  const stopped = await pending.read();
  if (stopped?.line === undefined) return entered;
  const line = await begin(stopped.line, stopped.origins.length, stopped.ids);
  if (line !== undefined) await pending.write({ ...stopped, line });
  return entered;
}

function asRow({ key, day, state, exportId = '', knownBy, ...size }: Untracked) {
  return { key, day, state, records: sizeOf(size), 'export id': exportId, 'known by': knownBy };
}

/** What waits for a person, as `plan` and `status` tell it: doubt about the ledger first, then single exports. */
import type { DamageError } from '../errors.js';
import { adviceFor } from './advice.js';
import type { LedgerView } from './ledger-view.js';
import { ledgerInDoubt, untrackedIn, type RememberedExport } from './untracked.js';

export interface Attention {
  /** The export, or `ledger`. */
  readonly key: string;
  readonly advice: string;
}

/** Why nothing that is billed may be sent on the word of the ledger, as far as it can be told beside a run. */
export async function doubtAbout(
  dataDir: string,
  ledger: LedgerView,
  published: readonly RememberedExport[],
): Promise<DamageError | undefined> {
  const untracked = await untrackedIn(dataDir, ledger, { 'published warehouse': published });
  return ledgerInDoubt(untracked, ledger.lost.length);
}

export function actionsNeeded(ledger: LedgerView, doubt: DamageError | undefined): Attention[] {
  const advised = ledger.entries().flatMap((entry) => {
    const advice = adviceFor(entry);
    return advice === undefined ? [] : [{ key: entry.key, advice }];
  });
  return doubt === undefined
    ? advised
    : [{ key: 'ledger', advice: `${doubt.message} ${doubt.hint ?? ''}` }, ...advised];
}

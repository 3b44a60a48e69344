/** What needs action, for `run`, `plan` and `status`: doubt about the ledger first, then single exports. */
import type { DamageError } from '../errors.js';
import { adviceFor } from './advice.js';
import type { LedgerView } from './ledger-view.js';
import { ledgerInDoubt, untrackedIn, type RememberedExport } from './untracked.js';

export interface Attention {
  /** The export, or `ledger`. */
  readonly key: string;
  readonly advice: string;
}

/** Why no paid request may be sent, as far as a reader beside a run can know. */
export async function doubtAbout(
  dataDir: string,
  ledger: LedgerView,
  published: readonly RememberedExport[],
): Promise<DamageError | undefined> {
  const untracked = await untrackedIn(dataDir, ledger, () =>
    Promise.resolve({ 'published warehouse': published }),
  );
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

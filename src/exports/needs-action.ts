/** What needs action, for `run` and for commands beside it: doubt about the ledger first, then single exports. */
import type { DamageError } from '../errors.js';
import { lockState, type LockState } from '../storage/run-lock.js';
import { adviceFor } from './advice.js';
import { LedgerView } from './ledger-view.js';
import { ledgerInDoubt, untrackedIn, type RememberedExport } from './untracked.js';

export interface Attention {
  /** The export, or `ledger`. */
  readonly key: string;
  readonly advice: string;
}

/** The ledger as a command beside a run sees it. */
export interface LedgerState {
  readonly ledger: LedgerView;
  /** The run under way, if there is one. */
  readonly lock: LockState;
  /** Why no paid request may be sent, as far as a reader can see. */
  readonly doubt: DamageError | undefined;
  readonly needed: readonly Attention[];
}

/**
 * Reads the ledger, and compares it with the exports that the published file holds.
 *
 * @throws DamageError when it is not what was written, StorageError
 */
export async function ledgerState(
  dataDir: string,
  published: readonly RememberedExport[],
): Promise<LedgerState> {
  const before = await lockState(dataDir);
  const ledger = await LedgerView.read(dataDir);
  // A run that began in between may have written an intent of its own.
  const lock = before.held ? before : await lockState(dataDir);
  const untracked = await untrackedIn(dataDir, ledger, () =>
    Promise.resolve({ 'published warehouse': published }),
  );
  const doubt = ledgerInDoubt(untracked, ledger.lost.length);
  return { ledger, lock, doubt, needed: actionsNeeded(ledger, doubt, lock.held) };
}

export function actionsNeeded(
  ledger: LedgerView,
  doubt: DamageError | undefined,
  isRunning = false,
): Attention[] {
  const advised = ledger.entries().flatMap((entry) => {
    const advice = adviceFor(entry, isRunning);
    return advice === undefined ? [] : [{ key: entry.key, advice }];
  });
  return doubt === undefined
    ? advised
    : [{ key: 'ledger', advice: `${doubt.message} ${doubt.hint ?? ''}` }, ...advised];
}

/** What needs action, for `run` and for commands beside it: doubt about the ledger first, then single exports. */
import { dayCount, lastCompleteDay } from '../calendar.js';
import type { ExportsConfig } from '../config.js';
import type { DamageError } from '../errors.js';
import { lockState, type LockState } from '../storage/run-lock.js';
import { adviceFor } from './advice.js';
import { LedgerView } from './ledger-view.js';
import { adviceOnRestored, restoredIn } from './restored.js';
import { ledgerInDoubt, untrackedIn, type RememberedExport } from './untracked.js';

export interface Attention {
  /** The export, or `ledger`. */
  readonly key: string;
  readonly advice: string;
}

interface Settings {
  readonly dataDir: string;
  readonly exports: ExportsConfig;
}

/** The ledger as a command beside a run sees it. */
export interface LedgerState {
  readonly ledger: LedgerView;
  /** The run under way, if there is one. */
  readonly lock: LockState;
  /** Why no paid request may be sent, as far as a reader can see. */
  readonly doubt: DamageError | undefined;
  /** What to do where the folder was restored from a backup and a run would pay. */
  readonly restored: string | undefined;
  readonly needed: readonly Attention[];
}

/**
 * Reads the ledger, and compares it with the exports that the published file holds.
 *
 * @throws DamageError when it is not what was written, StorageError
 */
export async function ledgerState(
  settings: Settings,
  published: readonly RememberedExport[],
  now: Date,
): Promise<LedgerState> {
  const { dataDir } = settings;
  const before = await lockState(dataDir);
  const ledger = await LedgerView.read(dataDir);
  // A run that began in between may have written an intent of its own.
  const lock = before.held ? before : await lockState(dataDir);
  const untracked = await untrackedIn(dataDir, ledger, () =>
    Promise.resolve({ 'published warehouse': published }),
  );
  const doubt = ledgerInDoubt(untracked, ledger.lost.length);
  const restored = await adviceIfRestored(settings, ledger, now);
  const needed = [
    ...(restored === undefined ? [] : [{ key: 'ledger', advice: restored }]),
    ...actionsNeeded(ledger, doubt, lock.held),
  ];
  return { ledger, lock, doubt, restored, needed };
}

/** What to do in a folder that was restored from a backup, where there are days that runs would pay for. */
export async function adviceIfRestored(
  { dataDir, exports: { budget, startDate } }: Settings,
  ledger: LedgerView,
  now: Date,
): Promise<string | undefined> {
  const range = { start: startDate ?? '', end: lastCompleteDay(now) };
  if (budget === undefined || startDate === undefined || dayCount(range) <= 0) return undefined;
  const days = ledger.missing(range);
  const restored = days.length === 0 ? undefined : await restoredIn(dataDir, ledger);
  return restored === undefined ? undefined : adviceOnRestored(restored, days);
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

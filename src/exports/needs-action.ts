/** What needs action, for `run`, `plan` and `status`: doubt about the ledger first, then single exports. */
import { dayCount, lastCompleteDay } from '../calendar.js';
import type { ExportsConfig } from '../config.js';
import type { DamageError } from '../errors.js';
import { adviceFor } from './advice.js';
import type { LedgerView } from './ledger-view.js';
import { adviceOnRestored, restoredIn } from './restored.js';
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

/** What to do in a folder that was restored from a backup, where there are days that runs would pay for. */
export async function restoredAction(
  { dataDir, exports: { budget, startDate } }: { readonly dataDir: string; readonly exports: ExportsConfig },
  ledger: LedgerView,
  now: Date,
): Promise<Attention[]> {
  const range = { start: startDate ?? '', end: lastCompleteDay(now) };
  if (budget === undefined || startDate === undefined || dayCount(range) <= 0) return [];
  const days = ledger.missing(range);
  const restored = days.length === 0 ? undefined : await restoredIn(dataDir, ledger);
  return restored === undefined ? [] : [{ key: 'ledger', advice: adviceOnRestored(restored, days) }];
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

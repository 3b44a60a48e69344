/** The advice on an export that no run can finish on its own. Pure. */
import { type Day, dayCount, lastCompleteDay } from '../calendar.js';
import { RefusedError, type DamageError } from '../errors.js';
import type { ExportRow } from '../warehouse/rows.js';
import { type Export, isResumable, LedgerView } from './export.js';
import type { ExportsConfig } from '../config.js';
import { lockState, type LockState } from '../storage/run-lock.js';
import { adviceOnRestored, restoredIn, ledgerInDoubt, untrackedIn } from './recovery.js';
/** After this many failed fetches in a row a paid export needs action; runs keep asking, at no cost. */
const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * Whether only a person's decision can finish this export. One that is still intended belongs to the run under way; without
 * one, its run was killed before it recorded the outcome, and the next run records it as ambiguous.
 */
export function needsPerson(entry: Export, isRunning = false): boolean {
  if (entry.state === 'ambiguous') return true;
  if (entry.state === 'intended') return !isRunning;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/** Says what happened and lists the exact commands to choose from; `undefined` when there is nothing to decide. */
export function adviceFor(entry: Export, isRunning = false): string | undefined {
  if (!needsPerson(entry, isRunning)) return undefined;
  const { key, day } = entry;
  const reason = entry.note === undefined ? '' : ` Reason: ${entry.note.replace(/\.?$/, '.')}`;
  if (entry.doubted) {
    return (
      `The service reports no records for the paid export ${key} of ${day}.${reason} ` +
      `Check exports.page_parameter, then: \`dawnload exports resume ${key}\`. ` +
      `If the day had no events: \`dawnload exports resume ${key} --accept-incomplete\`. ` +
      `To give the day up: \`dawnload exports abandon ${key}\`.`
    );
  }
  const what =
    entry.state === 'ambiguous' || entry.state === 'intended'
      ? `Export ${key} of ${day} may have been billed: the outcome of its request is unknown.${entry.state === 'intended' ? ' The run was killed before it recorded the answer.' : reason} ` +
        `Ask the service's operator.`
      : `The service has not delivered the paid export ${key} of ${day} in ${entry.troubles} attempts.${reason}`;
  return (
    `${what} If you have its export id: \`dawnload exports attach ${key} EXPORT_ID\`. ` +
    (entry.state === 'ready'
      ? `To load the pages that were downloaded: \`dawnload exports resume ${key} --accept-incomplete\`. `
      : '') +
    `To give the day up: \`dawnload exports abandon ${key}\`. ` +
    `To request it again, billed again: \`dawnload exports resume ${key} --pay-again\`.`
  );
}

/** Why a day is not requested (again): another export covers it. */
export function coveredBy(other: Export, day: Day): RefusedError {
  return new RefusedError(`${day} is covered by export ${other.key}, which is ${other.state}.`, {
    hint: adviceFor(other) ?? `See \`dawnload exports show ${other.key}\`.`,
  });
}

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
  /** The advice where the folder was restored from a backup and a run would pay. */
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
  published: readonly ExportRow[],
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

/** The advice in a folder that was restored from a backup, where runs would pay for some days. */
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

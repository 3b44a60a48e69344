/** The advice on an export that no run can finish without a decision of the user. Pure. */
import type { Day } from '../ground/calendar.js';
import { RefusedError, type DamageError } from '../ground/errors.js';
import { type Export, isKeptBack, isResumable } from './export.js';
import { plural } from '../terminal/text.js';

/**
 * Number of consecutive failed fetches after which a paid export needs action. Runs keep asking for the export, at no
 * cost.
 */
const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * True if only a user's decision can finish this export. An export in the state `intended` belongs to the active run; if
 * no run is active, its run was killed before recording the outcome, and the next run records the export as ambiguous.
 */
export function needsPerson(entry: Export, isRunning = false): boolean {
  if (entry.state === 'ambiguous') return true;
  if (entry.state === 'intended') return !isRunning;
  if (entry.state === 'loaded')
    return entry.doubted || entry.unreadable !== undefined || entry.short !== undefined;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/**
 * Describes what happened and lists the exact commands to choose from; `undefined` if nothing needs a decision.
 *
 * @param twin the key of another export with the same id
 */
export function adviceFor(entry: Export, isRunning = false, twin?: string): string | undefined {
  if (!needsPerson(entry, isRunning)) return undefined;
  const { key, day, state, note, quotedId, unreadable, short } = entry;
  const reason = note === undefined ? '' : ` Reason: ${note.replace(/\.?$/, '.')}`;
  const command = (what: string): string => `\`dawnload exports ${what}\``;
  const resume = command(`resume ${key}`);
  const accept = command(`resume ${key} --accept-incomplete`);
  const giveUp = `To give the day up: ${command(`abandon ${key}`)}.`;
  const told = (...sentences: readonly string[]): string => sentences.filter((one) => one !== '').join(' ');
  if (isKeptBack(entry))
    return told(
      `Export ${key} of ${day} is kept back and not loaded.${reason}`,
      twin === undefined
        ? 'Its times may have shifted, or its id may belong to another export.'
        : `Its id is that of export ${twin}, too.`,
      `To correct the id: ${command(`attach ${key} EXPORT_ID --yes`)}. To load it as it is: ${accept}. ${giveUp}`,
    );
  if (entry.doubted)
    return told(
      `The service reports no records for the paid export ${key} of ${day}.${reason}`,
      `Check exports.page_parameter, then: ${resume}. If the day had no events: ${accept}. ${giveUp}`,
    );
  if (unreadable !== undefined && state === 'loaded')
    return told(
      `Export ${key} of ${day} is loaded without page ${unreadable.join(', ')}, which cannot be read.`,
      `To download it again at no cost: ${resume}. To do without it: ${accept}.`,
    );
  if (short !== undefined && state === 'loaded')
    return told(
      `Export ${key} of ${day} may ${short === 0 ? 'be incomplete' : `lack ${plural(short, 'record')}`}.${reason}`,
      `Each of the three nights after it landed reads it again at no cost. To read it again now: ${resume}. If it is complete: ${accept}.`,
    );
  const why = state === 'intended' ? ' The run was killed before it recorded the answer.' : reason;
  const what =
    state === 'ambiguous' || state === 'intended'
      ? `Export ${key} of ${day} may have been billed: the outcome of its request is unknown.${why} Ask the service's operator.`
      : `The service has not delivered the paid export ${key} of ${day} in ${entry.troubles} attempts.${reason}`;
  const judged =
    state === 'ambiguous' && entry.answerText !== undefined
      ? `If its answer, ${JSON.stringify(entry.answerText)}, means that nothing was made, add this text to exports.refusals: the next run requests the day again.`
      : '';
  const attach = command(`attach ${key} ${quotedId ?? 'EXPORT_ID'}`);
  return told(
    what,
    ...(quotedId === undefined
      ? [judged, `If you have its export id: ${attach}.`]
      : [`If ${quotedId}, which its answer names, is its export id: ${attach}.`, judged]),
    state === 'ready' ? `To load the pages that were downloaded: ${accept}.` : '',
    `${giveUp} To request it again, billed again: ${command(`resume ${key} --pay-again`)}.`,
  );
}

/** The error for a day that another export covers, so that it is not requested (again). */
export function coveredBy(other: Export, day: Day): RefusedError {
  return new RefusedError(`${day} is covered by export ${other.key}, which is ${other.state}.`, {
    hint: adviceFor(other) ?? `See \`dawnload exports show ${other.key}\`.`,
  });
}

interface Attention {
  /** Key of the export, or `ledger`. */
  readonly key: string;
  readonly advice: string;
}

export function actionsNeeded(
  entries: readonly Export[],
  doubt: DamageError | undefined,
  isRunning = false,
): Attention[] {
  const undecided = entries.filter((entry) => needsPerson(entry, isRunning));
  const advised = undecided.flatMap((entry) => {
    const { key, exportId } = entry;
    const twin = entries.find((other) => other.exportId === exportId && other.key !== key);
    const advice = adviceFor(entry, isRunning, twin?.key);
    return advice === undefined ? [] : [{ key: entry.key, advice }];
  });
  return doubt === undefined ? advised : [{ key: 'ledger', advice: doubt.sentences }, ...advised];
}

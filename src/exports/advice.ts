/** The advice on an export that no run can finish on its own. Pure. */
import type { Day } from '../calendar.js';
import { RefusedError } from '../errors.js';
import type { ExportEntry } from './entry.js';
import { isResumable } from './state.js';

/** After this many failed fetches in a row a paid export needs action; runs keep asking, at no cost. */
export const TROUBLES_BEFORE_A_PERSON = 3;

/**
 * Whether only a person's decision can finish this export. One that is still intended belongs to the run under way; without
 * one, its run was killed before it recorded the outcome, and the next run records it as ambiguous.
 */
export function needsPerson(entry: ExportEntry, isRunning = false): boolean {
  if (entry.state === 'ambiguous') return true;
  if (entry.state === 'intended') return !isRunning;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/** What happened and the exact commands to choose from, or `undefined` when there is nothing to decide. */
export function adviceFor(entry: ExportEntry, isRunning = false): string | undefined {
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
export function coveredBy(other: ExportEntry, day: Day): RefusedError {
  return new RefusedError(`${day} is covered by export ${other.key}, which is ${other.state}.`, {
    hint: adviceFor(other) ?? `See \`dawnload exports show ${other.key}\`.`,
  });
}

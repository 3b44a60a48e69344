/** The advice on an export that no run can finish on its own. Pure. */
import type { Day } from '../calendar.js';
import { RefusedError } from '../errors.js';
import type { ExportEntry } from './entry.js';
import { isResumable } from './state.js';

/** After this many failed fetches in a row a paid export needs action; runs keep asking, at no cost. */
export const TROUBLES_BEFORE_A_PERSON = 3;

/** Whether only a person's decision can finish this export. */
export function needsPerson(entry: ExportEntry): boolean {
  if (entry.state === 'ambiguous') return true;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/** What happened and the exact commands to choose from, or `undefined` when there is nothing to decide. */
export function adviceFor(entry: ExportEntry): string | undefined {
  if (!needsPerson(entry)) return undefined;
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
    entry.state === 'ambiguous'
      ? `Export ${key} of ${day} may have been billed: the outcome of its request is unknown.${reason} ` +
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

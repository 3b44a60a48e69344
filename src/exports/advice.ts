/** What a person is told about an export that no run can bring to an end on its own. Pure. */
import type { Day } from '../calendar.js';
import { RefusedError } from '../errors.js';
import type { ExportEntry } from './entry.js';
import { isResumable } from './state.js';

/** After so many runs in a row without a delivery a paid export is shown to a person; runs go on asking, that is free. */
export const TROUBLES_BEFORE_A_PERSON = 3;

/** Whether nothing but a person's decision can bring this export to an end. */
export function needsPerson(entry: ExportEntry): boolean {
  if (entry.state === 'ambiguous') return true;
  return isResumable(entry.state) && (entry.doubted || entry.troubles >= TROUBLES_BEFORE_A_PERSON);
}

/** What happened and the exact commands to choose from, or `undefined` when there is nothing to decide. */
export function adviceFor(entry: ExportEntry): string | undefined {
  if (!needsPerson(entry)) return undefined;
  const { key, day } = entry;
  const last = entry.note === undefined ? '' : ` (${entry.note})`;
  if (entry.doubted) {
    return (
      `The service says that the paid export ${key} of ${day} holds no record${last}. ` +
      `Check exports.page_parameter, then: \`dawnload exports resume ${key}\`. ` +
      `If the day really had no events: \`dawnload exports resume ${key} --accept-incomplete\`. ` +
      `To do without that day: \`dawnload exports abandon ${key}\`.`
    );
  }
  const what =
    entry.state === 'ambiguous'
      ? `It is not known whether the service received, and bills, the export request ${key} for ${day}${last}. ` +
        `Ask the service's operator.`
      : `The service has not delivered the paid export ${key} of ${day} in ${entry.troubles} attempts${last}.`;
  return (
    `${what} With its export id: \`dawnload exports attach ${key} EXPORT_ID\`. ` +
    (entry.state === 'ready'
      ? `To load the pages that came: \`dawnload exports resume ${key} --accept-incomplete\`. `
      : '') +
    `To do without that day: \`dawnload exports abandon ${key}\`. ` +
    `To request it once more, which is billed once more: \`dawnload exports resume ${key} --pay-again\`.`
  );
}

/** Why a day is not requested (again): another export stands for it. */
export function coveredBy(other: ExportEntry, day: Day): RefusedError {
  return new RefusedError(`${day} is covered by export ${other.key}, which is ${other.state}`, {
    hint: adviceFor(other) ?? `\`dawnload exports show ${other.key}\` tells its story`,
  });
}

/** Which pulls are loaded together, so that each step runs once for many of them. */
import { isReference, type EventsPull, type LandedList, type Pull } from '../storage/pull.js';

/** How many pulls of a free stream are loaded at a time; their answers are small. */
const AT_ONCE = 400;

/** Records of exports, or rows of lists, that are loaded at a time; what is larger is loaded alone. */
const RECORDS_AT_ONCE = 200_000;

/**
 * Groups of one stream each, in the order of the pulls: not two exports of one day in one, and an incomplete pull alone.
 * Streams do not depend on each other, so those of one stream need not stand side by side.
 */
export function groupsOf(pulls: readonly Pull[]): Pull[][] {
  const groups: Pull[][] = [];
  const open = new Map<string, Pull[]>();
  for (const pull of pulls) {
    const group = open.get(pull.stream);
    if (group !== undefined && fits(pull, group)) {
      group.push(pull);
      continue;
    }
    const next = [pull];
    groups.push(next);
    open.set(pull.stream, next);
  }
  return groups;
}

function fits(pull: Pull, group: readonly Pull[]): boolean {
  if (group.length >= AT_ONCE) return false;
  switch (pull.stream) {
    case 'campaigns':
      return pull.complete && group.every((one) => one.stream !== 'campaigns' || one.complete);
    case 'events': {
      const exports = group.filter((one) => one.stream === 'events');
      const records = [pull, ...exports].reduce((sum, one) => sum + recordsOf(one), 0);
      return records <= RECORDS_AT_ONCE && exports.every(({ day }) => day !== pull.day);
    }
    case 'catalogs':
    case 'brand_templates':
    case 'alimtalk_templates':
    case 'opt_outs': {
      const snapshots = [...group.filter(isReference), pull];
      return (
        snapshots.every(({ complete }) => complete) &&
        snapshots.reduce((sum, { lists }) => sum + rowsIn(lists), 0) <= RECORDS_AT_ONCE
      );
    }
    case 'statistics':
    case 'statistics_by_subchannel':
      return true;
  }
}

/** An export that is still arriving is loaded alone. */
function recordsOf({ records }: EventsPull): number {
  return typeof records === 'number' ? records : Number.POSITIVE_INFINITY;
}

function rowsIn(lists: readonly LandedList[]): number {
  return lists.reduce((sum, { rows }) => sum + rows, 0);
}

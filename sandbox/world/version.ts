/** The current version, and its start, of things that change every few days. */
import { type Day, dayOf, windowOf } from '../../src/ground/calendar.js';
import { dayNumber } from './plan.js';
import { pair } from './random.js';

const DAY_MS = 86_400_000;

interface Version {
  readonly number: number;
  readonly since: Date;
}

/** The version of a KST day, for what changes at midnight. */
export function versionOn(day: Day, key: number, everyDays: number): number {
  return Math.floor((dayNumber(day) + (key % everyDays)) / everyDays);
}

/** The version at an instant, for what changes during KST working hours. */
export function versionAt(now: Date, key: number, everyDays: number): Version {
  const number = versionOn(dayOf(now), key, everyDays);
  const current = { number, since: sinceOf(number, key, everyDays) };
  if (current.since <= now) return current;
  return { number: number - 1, since: sinceOf(number - 1, key, everyDays) };
}

function sinceOf(number: number, key: number, everyDays: number): Date {
  const day = number * everyDays - (key % everyDays);
  const midnight = windowOf(new Date(day * DAY_MS).toISOString().slice(0, 10)).start.getTime();
  // Between 10:00 and 18:00, to the second.
  return new Date(midnight + 10 * 3_600_000 + (pair(key, number) % 28_800) * 1000);
}

/** What a printed schedule says of this machine, and how its paths are quoted. Pure. */
import { getTimezoneOffset } from 'date-fns-tz/getTimezoneOffset';
import { NIGHTLY } from '../../../jobs/nightly.js';
import type { TimeOfDay } from '../time-of-day.js';

export interface Installation {
  /** Program and arguments of a run, with absolute paths. */
  readonly command: readonly string[];
  /** The folder of the settings file; absolute. */
  readonly folder: string;
  /** The data folder that the settings name; absolute. */
  readonly dataDir: () => string;
  /** The account that prints. */
  readonly user: string;
  readonly version: string;
  /** The time zone of this machine. */
  readonly zone: string;
  readonly now: Date;
}

/**
 * The time of day on this machine that is never before `at` in Korea. Where clocks change, that is the later of the two
 * candidates: an hour late in one half of the year rather than an hour too early in the other.
 */
export function localTime({ hour, minute }: TimeOfDay, { zone, now }: Installation): TimeOfDay {
  const year = now.getUTCFullYear();
  const ahead = Math.max(
    ...[0, 6].map((month) => {
      const day = new Date(Date.UTC(year, month, 1));
      return getTimezoneOffset(zone, day) - getTimezoneOffset(NIGHTLY.zone, day);
    }),
  );
  const minutes = (((hour * 60 + minute + ahead / 60_000) % 1440) + 1440) % 1440;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

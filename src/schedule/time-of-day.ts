/** `--at` of `schedule`: a time of day in KST at which yesterday is complete. Pure. */
import { NIGHTLY } from '../../jobs/nightly.js';
import { COMPLETE_FROM_HOUR } from '../calendar.js';
import { UsageError } from '../errors.js';

/** A time of day in KST. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** `--at HH:MM`, in KST; before 07:00 yesterday is not complete. */
export function parseTime(text: string | undefined): TimeOfDay {
  if (text === undefined) return NIGHTLY;
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const time = { hour: Number(hour), minute: Number(minute) };
  if (hour === '' || time.hour > 23 || time.minute > 59) {
    throw new UsageError(`--at ${text} is not a time of day.`, {
      hint: 'Write it like 07:10, in Korean time.',
    });
  }
  if (time.hour < COMPLETE_FROM_HOUR) {
    throw new UsageError(`--at ${text} is before yesterday’s data is complete.`, {
      hint: 'Choose 07:00 KST or later.',
    });
  }
  return time;
}

export function clock({ hour, minute }: TimeOfDay): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

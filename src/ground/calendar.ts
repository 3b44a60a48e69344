/**
 * KST days: which of them are complete, and which UTC time they cover. Pure: every function takes its clock.
 *
 * A day is a string `YYYY-MM-DD` and means a day in Korea; an instant is a `Date`.
 */

import { fromZonedTime } from 'date-fns-tz/fromZonedTime';

export const KST = 'Asia/Seoul';

/** The hour in KST at which the previous day's data becomes complete (E17, E19). */
export const COMPLETE_FROM_HOUR = 7;

/** A KST day, `YYYY-MM-DD`. */
export type Day = string;

/** A range of KST days, both ends included. */
export interface DayRange {
  readonly start: Day;
  readonly end: Day;
}

export interface Window {
  readonly start: Date;
  readonly end: Date;
}

/** True if the text is an existing day; `2026-02-29` is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  // For a day that does not exist, Date is invalid or gives a day of the next month.
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2));
}

/**
 * Korea has been nine hours ahead of UTC since 1988. Adding nine hours is much faster than a calendar library, and a list of 29,000 pushes
 * has 58,000 instants.
 */
const AHEAD_MS = 9 * 60 * 60_000;

/** Returns the local time of Korea at an instant, `2026-11-21T07:00:00.000`. */
export function koreanTime(instant: Date): string {
  return new Date(instant.getTime() + AHEAD_MS).toISOString().slice(0, -1);
}

/** The KST day of the instant. */
export function dayOf(instant: Date): Day {
  return koreanTime(instant).slice(0, 'YYYY-MM-DD'.length);
}

/** The KST month of the instant, `YYYY-MM`. */
export function monthOf(instant: Date): string {
  return koreanTime(instant).slice(0, 'YYYY-MM'.length);
}

export function shiftDay(day: Day, n: number): Day {
  // Count days in UTC, where each has 24 hours, so that the machine's time zone does not matter.
  const shifted = new Date(`${day}T12:00:00Z`);
  shifted.setUTCDate(shifted.getUTCDate() + n);
  return shifted.toISOString().slice(0, 10);
}

/** The last KST day whose data is complete at `now`: yesterday, or before 07:00 KST the day before yesterday. */
export function lastCompleteDay(now: Date): Day {
  const hour = Number(koreanTime(now).slice(11, 13));
  return shiftDay(dayOf(now), hour >= COMPLETE_FROM_HOUR ? -1 : -2);
}

/** The instant at which a day's data becomes complete: 07:00 KST on the next day. */
export function completeFrom(day: Day): Date {
  return fromZonedTime(`${shiftDay(day, 1)}T0${COMPLETE_FROM_HOUR}:00:00`, KST);
}

/** The UTC time that a KST day or range covers: from 15:00Z on the previous day to 15:00Z. */
export function windowOf(days: Day | DayRange): Window {
  const { start, end } = typeof days === 'string' ? { start: days, end: days } : days;
  return {
    start: fromZonedTime(`${start}T00:00:00`, KST),
    end: fromZonedTime(`${shiftDay(end, 1)}T00:00:00`, KST),
  };
}

export function daysOf({ start, end }: DayRange): Day[] {
  return Array.from({ length: Math.max(0, dayCount({ start, end })) }, (_, i) => shiftDay(start, i));
}

export function dayCount({ start, end }: DayRange): number {
  return Math.round((Date.parse(`${end}T00:00:00Z`) - Date.parse(`${start}T00:00:00Z`)) / 86_400_000) + 1;
}

/** Merges days into ranges without gaps, oldest first, each of at most `longest` days. */
export function rangesOf(days: Iterable<Day>, longest = Number.POSITIVE_INFINITY): DayRange[] {
  const ranges: { start: Day; end: Day }[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && shiftDay(last.end, 1) === day && dayCount(last) < longest) last.end = day;
    else ranges.push({ start: day, end: day });
  }
  return ranges;
}

export function listDays(days: Iterable<Day>): string {
  return rangesOf(days)
    .map(({ start, end }) => (start === end ? start : `${start}..${end}`))
    .join(', ');
}

export function halvesOf(range: DayRange): [DayRange, DayRange] {
  const middle = shiftDay(range.start, Math.floor(dayCount(range) / 2) - 1);
  return [
    { start: range.start, end: middle },
    { start: shiftDay(middle, 1), end: range.end },
  ];
}

/** Formats an instant in Korean time for people: `2026-11-21 07:00 KST`. */
export function formatKst(instant: Date, to: 'minutes' | 'seconds' = 'minutes'): string {
  return `${dayOf(instant)} ${koreanTime(instant).slice(11, to === 'minutes' ? 16 : 19)} KST`;
}

/** Minimum hours between two nights. The answers of a run around midnight (KST) have two dates, but count as one night. */
const APART = 6;

export function areNightsApart(one: Date, other: Date): boolean {
  const hours = Math.abs(one.getTime() - other.getTime()) / 3_600_000;
  return dayOf(one) !== dayOf(other) && hours >= APART;
}

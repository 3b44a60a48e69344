/** Which days a refresh of a model or a check computes again, and in which batches. Days are numbers, counted since 1970. */
import { sparesArchived, type Dependence } from './dependence.js';

export interface Refresh extends Dependence {
  /** Every day that any row is about, not the dirty ones alone. */
  readonly full: boolean;
  /** Whether the rows of before are there, to stay on days whose events are archived. */
  readonly keepsRows: boolean;
}

/** What loads left behind (sql/incremental.sql). */
export interface Changes {
  readonly touched: readonly { readonly stream: string; readonly day: number }[];
  /** The days of opt-outs that a loaded snapshot tells of. */
  readonly opt_outs_told: readonly number[];
  readonly covered: readonly { readonly day: number; readonly records: number }[];
  readonly archived: readonly number[];
  /** Archived days whose records may count on days near them. */
  readonly strays: readonly number[];
}

/** Lists that are long or slow to make, where a refresh needs them. */
export interface DaysHeld {
  /** The days that hold events, from the first changed one. */
  readonly events: readonly number[];
  /** Every day that any row is about. */
  readonly every: readonly number[];
}

/** How far from the day of its export a record may count. */
const STRAY_DAYS = 31;

/** What one batch takes at most, so that it fits into memory: about a month. */
const MOST = { days: 31, records: 1_000_000 };

/**
 * The days that changes make dirty: those that changed, those that look back at them, and with `allLater` every later one
 * that holds events. No range of days is walked from its first to its last: a single row of the year 9999 would make it
 * endless.
 */
export function dirtyDays(refresh: Refresh, changes: Changes, held: DaysHeld): number[] {
  const found = refresh.full ? held.every : changedBy(refresh, changes, held.events);
  const spared = new Set(sparedDays(refresh, changes));
  const dirty = found.filter((day) => !spared.has(day));
  return unique(refresh.partition === 'week' ? dirty.flatMap(weekOf) : dirty);
}

function changedBy(
  { streams, lookback, allLater }: Refresh,
  changes: Changes,
  events: readonly number[],
): number[] {
  const changed = changes.touched
    .filter(({ stream }) => streams.some((one) => one === stream))
    .map(({ day }) => day);
  if (streams.includes('opt_outs')) changed.push(...changes.opt_outs_told);
  const days = unique(changed);
  const [first = Infinity] = days;
  const last = Math.max(days.at(-1) ?? -Infinity, ...changes.covered.map(({ day }) => day));
  const lookingBack = days.flatMap((day) => from(day + 1, lookback).filter((later) => later <= last));
  const later = allLater && streams.includes('events') ? events.filter((day) => day > first) : [];
  return [...days, ...lookingBack, ...later];
}

/**
 * The days that stay as they were computed: the events are not there to compute them again. So do days that look back at
 * such a day, and in a full refresh days on which its records may have counted too: unless their own events changed.
 */
export function sparedDays(refresh: Refresh, { touched, archived, strays }: Changes): number[] {
  if (!sparesArchived(refresh)) return [];
  const { lookback, full, keepsRows } = refresh;
  const changed = new Set(touched.filter(({ stream }) => stream === 'events').map(({ day }) => day));
  const lookingBack = keepsRows ? archived.flatMap((day) => from(day + 1, lookback)) : [];
  const besides =
    keepsRows && full ? strays.flatMap((day) => from(day - STRAY_DAYS, 2 * STRAY_DAYS + 1)) : [];
  return unique([...archived, ...[...lookingBack, ...besides].filter((day) => !changed.has(day))]);
}

/** The days in batches of so many days or records, in their order; days of one partition stay together. */
export function batchesOf(
  days: readonly number[],
  partition: 'day' | 'week',
  { covered }: Changes,
): number[][] {
  const records = new Map(covered.map(({ day, records }) => [day, records]));
  const recordsOf = (some: readonly number[]): number =>
    some.reduce((sum, day) => sum + (records.get(day) ?? 0), 0);
  const partitions = new Map<number, number[]>();
  for (const day of days) {
    const key = partition === 'week' ? mondayOf(day) : day;
    partitions.set(key, [...(partitions.get(key) ?? []), day]);
  }
  const batches: number[][] = [];
  let open: number[] | undefined;
  for (const some of partitions.values()) {
    const fits =
      open !== undefined &&
      open.length + some.length <= MOST.days &&
      recordsOf(open) + recordsOf(some) <= MOST.records;
    if (open !== undefined && fits) open.push(...some);
    else batches.push((open = [...some]));
  }
  return batches;
}

/** In order, each once. */
function unique(days: readonly number[]): number[] {
  return [...new Set(days)].sort((a, b) => a - b);
}

function from(day: number, howMany: number): number[] {
  return Array.from({ length: howMany }, (_, step) => day + step);
}

function weekOf(day: number): number[] {
  return from(mondayOf(day), 7);
}

/** The Monday of a day's week; 1970 began on a Thursday. */
function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/**
 * The one answer to what is missing: for each stream and wanted day a state, the expected records and their price. `run`
 * pulls the free days that it names, decides on exports by the same `decide` once their statistics are loaded, and publishes
 * it as `ops.days`; `plan`, `status` and agents show it. Pure.
 */
import { completeFrom, dayOf, daysOf, shiftDay, type Day, type DayRange } from '../ground/calendar.js';
import type { ExportsConfig } from '../config/config.js';
import { needsPerson } from '../exports/advice.js';
import { decide, recordsOf, type Decision } from '../exports/budget.js';
import { blocksRuns, type Export } from '../exports/export.js';
import { priceOf } from '../ground/price.js';
import type { DAILY_STREAMS, Job, Stream } from '../ground/streams.js';
import type { knownDays } from '../warehouse/rows.js';

type DailyStream = (typeof DAILY_STREAMS)[number];

/**
 * - `held`: the warehouse holds the day
 * - `restatable`: it holds the day, and the next run pulls it again, since counts may be restated or were in doubt
 * - `missing`: it lacks the day, and the next run pulls it, or requests it when the budget allows
 * - `under_way`: paid for, and not loaded yet
 * - `waits`: an export that a person has to decide about
 * - `given_up`: a person gave the export up
 * - `removed`: the events left the file by `retention`; what was computed from them stays
 * - `not_complete`: the day is not over, or not complete before 07:00 KST
 */
export type DayState =
  | 'held'
  | 'restatable'
  | 'missing'
  | 'under_way'
  | 'waits'
  | 'given_up'
  | 'removed'
  | 'not_complete';

export interface WantedDay {
  readonly stream: DailyStream;
  readonly date: Day;
  readonly state: DayState;
  /** Records of the export; null for free streams, and if nothing is known to estimate from. */
  readonly expectedRecords: number | null;
  /** At `exports.price_per_record`; null if the records are unknown or no price is set. */
  readonly expectedPrice: number | null;
  /** What the budget says of a missing day of events. */
  readonly decision?: Decision;
}

/** The state of a warehouse file and of the journal. */
export interface KnownDays extends Awaited<ReturnType<typeof knownDays>> {
  readonly entries: readonly Export[];
  /** True while the journal may lack lines, so that nothing is paid. */
  readonly unsure: boolean;
  readonly isRunning?: boolean;
  readonly runId?: string | undefined;
}

/** The states of all days that a job wants, oldest first within each stream. */
export function wantedDays(
  job: Job,
  known: KnownDays,
  exports: Pick<ExportsConfig, 'budget' | 'pricePerRecord'>,
  now: Date,
): WantedDay[] {
  const isHeld = setOf(known.coverage);
  const isDoubtful = setOf(known.doubtful);
  const free = (stream: Exclude<DailyStream, 'events'>): WantedDay[] =>
    daysOf(job.days).map((date) => {
      const isAgain = date >= job.again.start && date <= job.again.end;
      const again = isAgain || isDoubtful(stream, date) ? 'restatable' : 'held';
      return freeDay(stream, date, isHeld(stream, date) ? again : 'missing');
    });
  const yesterday = shiftDay(dayOf(now), -1);
  const late = (stream: DailyStream, range: DayRange): WantedDay[] =>
    completeFrom(yesterday) > now && range.end < yesterday
      ? [freeDay(stream, yesterday, 'not_complete')]
      : [];
  const { streams } = job;
  const wanted: WantedDay[] = [];
  if (streams.has('statistics'))
    for (const stream of ['statistics', 'statistics_by_subchannel'] as const)
      wanted.push(...free(stream), ...late(stream, job.days));
  if (streams.has('campaigns')) wanted.push(...free('campaigns'), ...late('campaigns', job.days));
  if (streams.has('events') && exports.budget !== undefined)
    wanted.push(...eventDays(job, known, exports, now), ...late('events', job.eventDays));
  return wanted;
}

function freeDay(stream: DailyStream, date: Day, state: DayState): WantedDay {
  return { stream, date, state, expectedRecords: null, expectedPrice: null };
}

function eventDays(
  job: Job,
  known: KnownDays,
  { budget, pricePerRecord }: Pick<ExportsConfig, 'budget' | 'pricePerRecord'>,
  now: Date,
): WantedDay[] {
  const { entries, messages, unsure, runId } = known;
  const isHeld = setOf(known.coverage);
  const removed = new Set(known.removed);
  const decided = decide(job, { entries, messages, budget, unsure, now, runId });
  const decisions = new Map(decided.map((decision) => [decision.day, decision]));
  const paid = new Map(
    entries.flatMap((entry) =>
      blocksRuns(entry.state) && entry.state !== 'abandoned' ? [[entry.day, entry] as const] : [],
    ),
  );
  const givenUp = new Set(entries.filter(({ state }) => state === 'abandoned').map((entry) => entry.day));
  const day = (date: Day, state: DayState, records?: number, decision?: Decision): WantedDay => ({
    stream: 'events',
    date,
    state,
    expectedRecords: records ?? null,
    expectedPrice:
      records === undefined || pricePerRecord === 0 ? null : priceOf([{ records, pricePerRecord }]),
    ...(decision === undefined ? {} : { decision }),
  });
  return daysOf(job.eventDays).flatMap((date) => {
    if (removed.has(date)) return [day(date, 'removed')];
    if (isHeld('events', date)) return [day(date, 'held')];
    const entry = paid.get(date);
    const decision = decisions.get(date);
    if (entry !== undefined)
      return [day(date, needsPerson(entry, known.isRunning) ? 'waits' : 'under_way', recordsOf(entry))];
    if (givenUp.has(date)) return [day(date, 'given_up')];
    // A day without messages is not wanted, also while only one night has said so.
    return decision === undefined || decision.verdict === 'no_messages'
      ? []
      : [day(date, 'missing', decision.estimate, decision)];
  });
}

function setOf(all: readonly { readonly stream: Stream; readonly date: Day }[]) {
  const keys = new Set(all.map(({ stream, date }) => `${stream} ${date}`));
  return (stream: Stream, date: Day): boolean => keys.has(`${stream} ${date}`);
}

/** The days of a stream in one of the states, oldest first. */
export function daysIn(wanted: readonly WantedDay[], stream: Stream, ...states: readonly DayState[]): Day[] {
  return wanted.flatMap((one) => (one.stream === stream && states.includes(one.state) ? [one.date] : []));
}

/**
 * Decides which days are missing: the state, expected records and price of each stream and day. `run` requests these days and publishes
 * them as `ops.days`; `plan`, `status` and agents show them.
 */
import { z } from 'zod';
import {
  completeFrom,
  dayOf,
  daysOf,
  formatKst,
  lastCompleteDay,
  shiftDay,
  type Day,
  type DayRange,
} from '../ground/calendar.js';
import type { Config } from '../config/config.js';
import { decide, recordsOf, withForecasts, type Decision } from '../exports/budget.js';
import { blocksRuns, needsPerson, type Export } from '../exports/export.js';
import type { LedgerState } from '../exports/ledger.js';
import { removedExports } from '../erasure/retention.js';
import { priceOf } from '../ground/text.js';
import { EVENTS, keptFrom, type Job, type Retention, type StreamName } from '../ground/streams.js';
import { CHOICES, STREAMS } from '../streams/index.js';
import { coveredDay, messagesIn, streamDay, type Rows } from '../warehouse/reader.js';
import type { Night } from './step.js';

/**
 * - `loaded`: the warehouse has the day
 * - `restatable`: the warehouse has the day, and the next run requests it again, because counts may change or were in doubt
 * - `missing`: the next run requests the day, if the budget allows
 * - `under_way`: paid for, and not loaded yet
 * - `waits`: its export needs a decision
 * - `given_up`: you abandoned its export
 * - `removed`: `retention` removed the events; results computed from them stay
 * - `not_complete`: the day is not over, or not complete before 07:00 KST
 */
type DayState =
  | 'loaded'
  | 'restatable'
  | 'missing'
  | 'under_way'
  | 'waits'
  | 'given_up'
  | 'removed'
  | 'not_complete';

interface WantedDay {
  readonly stream: StreamName;
  readonly date: Day;
  readonly state: DayState;
  /** Number of records in the export; null for free streams, or without an estimate. */
  readonly expectedRecords: number | null;
  /** Price at `exports.price_per_record`; null if unknown. */
  readonly expectedPrice: number | null;
  readonly decision?: Decision;
}

/** A day without rows; `asked` is the night on which it was requested. */
const emptyDay = streamDay.extend({ asked: z.string() });

/** Reads which days a warehouse file has, which are empty, and which were removed. */
export async function dayFactsIn(rows: Rows, today: Day) {
  const emptyOnce = await rows('status/empty_once', emptyDay);
  const removed = await rows('status/removed', z.object({ date: z.string() }));
  return {
    coverage: await rows('status/coverage', coveredDay),
    /** Days whose last answer was held back (streams/free.ts), or that were empty on only one night. */
    doubtful: [
      ...(await rows('status/held_back', streamDay)),
      ...emptyOnce.filter(({ asked }) => asked < today),
    ],
    removed: removed.map(({ date }) => date),
    messages: await messagesIn(rows),
  };
}

export interface DayFacts extends Awaited<ReturnType<typeof dayFactsIn>> {
  readonly entries: readonly Export[];
  /** True while the journal may lack lines; then nothing is paid. */
  readonly unsure: boolean;
  readonly isRunning?: boolean;
  readonly runId?: string | undefined;
}

/** Adds the exports of the ledger, and removals that a rebuilt file does not have. */
export function withLedger<K extends { readonly removed: readonly Day[] }>(
  facts: K,
  { ledger, journal }: Pick<LedgerState, 'ledger' | 'journal'>,
) {
  const entries = ledger.entries();
  const removed = [...facts.removed, ...removedExports(journal, entries).map(({ day }) => day)];
  return { ...facts, removed: [...new Set(removed)].sort(), entries, unsure: ledger.doubt !== undefined };
}

type Prices = Pick<Config['exports'], 'budget' | 'pricePerRecord'>;

export function wantedDays(job: Job, facts: DayFacts, exports: Prices, now: Date): WantedDay[] {
  const isLoaded = setOf(facts.coverage);
  const isDoubtful = setOf(facts.doubtful);
  const yesterday = shiftDay(dayOf(now), -1);
  const day = (stream: StreamName, date: Day, state: DayState): WantedDay => ({
    stream,
    date,
    state,
    expectedRecords: null,
    expectedPrice: null,
  });
  const late = (stream: StreamName, range: DayRange): WantedDay[] =>
    completeFrom(yesterday) > now && range.end < yesterday ? [day(stream, yesterday, 'not_complete')] : [];
  const free = (stream: StreamName): WantedDay[] => [
    ...daysOf(job.days).map((date) => {
      const isAgain = (date >= job.again.start && date <= job.again.end) || isDoubtful(stream, date);
      return day(stream, date, isLoaded(stream, date) ? (isAgain ? 'restatable' : 'loaded') : 'missing');
    }),
    ...late(stream, job.days),
  ];
  const wanted = STREAMS.filter(
    ({ grain, choices }) => grain === 'day' && choices.some((one) => job.streams.has(one)),
  );
  return wanted.flatMap(({ paid, lands }) => {
    if (!paid) return lands.flatMap(free);
    return exports.budget === undefined
      ? []
      : [...eventDays(job, facts, exports, now), ...late(EVENTS, job.eventDays)];
  });
}

function eventDays(job: Job, facts: DayFacts, { budget, pricePerRecord }: Prices, now: Date): WantedDay[] {
  const { entries, unsure, runId } = facts;
  // A run that also loads the statistics decides after loading them.
  const pulled = job.streams.has('statistics') ? daysOf(job.days) : [];
  const messages = withForecasts(facts.messages, pulled);
  const loaded = facts.coverage.flatMap(({ stream, date }) => (stream === 'events' ? [date] : []));
  const covered = new Set([...loaded, ...facts.removed]);
  const decided = decide(job, { entries, messages, budget, unsure, covered, now, runId });
  const decisions = new Map(decided.map((decision) => [decision.day, decision]));
  const blocking = entries.filter(({ state }) => blocksRuns(state));
  const paid = new Map(blocking.flatMap((one) => (one.state === 'abandoned' ? [] : [[one.day, one]])));
  const day = (date: Day, state: DayState, records?: number, decision?: Decision): WantedDay => ({
    stream: 'events',
    date,
    state,
    expectedRecords: records ?? null,
    expectedPrice:
      records === undefined || pricePerRecord === 0 ? null : priceOf([{ records, pricePerRecord }]),
    ...(decision && { decision }),
  });
  return daysOf(job.eventDays).flatMap((date) => {
    if (facts.removed.includes(date)) return [day(date, 'removed')];
    if (covered.has(date)) return [day(date, 'loaded')];
    const entry = paid.get(date);
    const decision = decisions.get(date);
    if (entry !== undefined)
      return [day(date, needsPerson(entry, facts.isRunning) ? 'waits' : 'under_way', recordsOf(entry))];
    if (entries.some((one) => one.state === 'abandoned' && one.day === date)) return [day(date, 'given_up')];
    // Don't request a day without messages, even if no second night has confirmed that yet.
    return decision === undefined || decision.verdict === 'no_messages'
      ? []
      : [day(date, 'missing', decision.estimate, decision)];
  });
}

function setOf(all: readonly { readonly stream: StreamName; readonly date: Day }[]) {
  const keys = new Set(all.map(({ stream, date }) => `${stream} ${date}`));
  return (stream: StreamName, date: Day): boolean => keys.has(`${stream} ${date}`);
}

export function daysIn(
  wanted: readonly WantedDay[],
  stream: StreamName,
  ...states: readonly DayState[]
): Day[] {
  return wanted.flatMap((one) => (one.stream === stream && states.includes(one.state) ? [one.date] : []));
}

interface NightSettings {
  readonly startDate: Day;
  readonly lookbackDays: number;
  readonly exports: { readonly startDate: Day | undefined };
  readonly retention: Retention;
}

/** The job of a night: every day that is missing or whose numbers may change, up to the last complete day. */
export function nightJob({ startDate, lookbackDays, exports, retention }: NightSettings, now: Date): Job {
  const end = lastCompleteDay(now);
  return {
    name: 'run',
    streams: new Set(CHOICES),
    days: { start: startDate, end },
    again: { start: shiftDay(end, 1 - lookbackDays), end },
    acceptEmpty: false,
    eventDays: { start: exports.startDate ?? startDate, end },
    keptFrom: keptFrom(retention, now),
    consent: 'budget',
  };
}

/** Says why no day is wanted yet, as a clause; undefined once `start_date` is complete. */
export function notBegun(startDate: Day, now: Date): string | undefined {
  return startDate <= lastCompleteDay(now)
    ? undefined
    : `the start_date ${startDate} is complete from ${formatKst(completeFrom(startDate))}`;
}

export async function wantedNow(job: Job, night: Night): Promise<WantedDay[]> {
  const { warehouse, folder, config, invocation } = night;
  const now = nowBy(night);
  const { session } = warehouse.file;
  const inFile = await dayFactsIn((name, shape) => session.rows(name, shape), dayOf(now));
  const facts = withLedger(inFile, folder);
  return wantedDays(job, { ...facts, runId: invocation.runId }, config.exports, now);
}

/** The days that the nightly job wants, for `ops.days`, also after a backfill. Empty without a first day. */
export async function nightlyDays(night: Night): Promise<{ days?: WantedDay[] }> {
  const { config } = night;
  const { startDate } = config;
  if (startDate === undefined) return {};
  return { days: await wantedNow(nightJob({ ...config, startDate }, nowBy(night)), night) };
}

/** The earlier of this machine's time and the service's, if this run has the service's time. */
function nowBy({ report, invocation: { effects } }: Night): Date {
  return new Date(effects.now().getTime() - report.serviceBehindMs);
}

/**
 * Decides which days are missing, for all commands alike: a state, the expected records and their price for each stream
 * and day. `run` pulls these days and publishes the list as `ops.days`; `plan`, `status` and agents show it.
 */
import { existsSync } from 'node:fs';
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
import type { Effects } from '../ground/effects.js';
import { decide, recordsOf, withForecasts, type Decision } from '../exports/budget.js';
import { blocksRuns, needsPerson, type Export } from '../exports/export.js';
import { ledgerState, type LedgerState } from '../exports/ledger.js';
import { removedExports } from '../erasure/retention.js';
import type { KnownHead } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import { dataFiles } from '../landing/paths.js';
import { priceOf } from '../ground/text.js';
import { EVENTS, keptFrom, type Job, type StreamName } from '../ground/streams.js';
import { CHOICES, STREAMS } from '../streams/index.js';
import { findingGroup } from '../warehouse/checks.js';
import { storedPrivacy } from '../warehouse/privacy.js';
import {
  coveredDay,
  headIn,
  knownBy,
  messagesIn,
  Reader,
  streamDay,
  type Rows,
} from '../warehouse/reader.js';
import { assertSameProject } from './data-folder.js';
import type { Night } from './step.js';

/**
 * - `loaded`: the warehouse has the day
 * - `restatable`: it has the day, and the next run pulls it again, because counts may be restated or were in doubt
 * - `missing`: it lacks the day, and the next run pulls it, or requests it when the budget allows
 * - `under_way`: paid for, and not loaded yet
 * - `waits`: its export needs a decision
 * - `given_up`: its export was given up by decision
 * - `removed`: the events left the file by `retention`; what was computed from them stays
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
  /** Records of the export; null for free streams, and if nothing is known to estimate from. */
  readonly expectedRecords: number | null;
  /** At `exports.price_per_record`; null if the records are unknown or no price is set. */
  readonly expectedPrice: number | null;
  readonly decision?: Decision;
}

/** `asked`: the night on which the service returned no rows. */
const emptyDay = streamDay.extend({ asked: z.string() });

export async function knownDays(rows: Rows, today: Day) {
  const emptyOnce = await rows('status/empty_once', emptyDay);
  const removed = await rows('status/removed', z.object({ date: z.string() }));
  return {
    coverage: await rows('status/coverage', coveredDay),
    /** Days whose last answer was not applied (see streams/free.ts), or that were empty on one earlier night only. */
    doubtful: [
      ...(await rows('status/held_back', streamDay)),
      ...emptyOnce.filter(({ asked }) => asked < today),
    ],
    removed: removed.map(({ date }) => date),
    messages: await messagesIn(rows),
  };
}

export interface KnownDays extends Awaited<ReturnType<typeof knownDays>> {
  readonly entries: readonly Export[];
  /** True while the journal may lack lines, so that nothing is paid. */
  readonly unsure: boolean;
  readonly isRunning?: boolean;
  readonly runId?: string | undefined;
}

/** A file that was rebuilt after its pages were removed lacks the removals. */
export function withLedger<K extends { readonly removed: readonly Day[] }>(
  known: K,
  { ledger, journal }: Pick<LedgerState, 'ledger' | 'journal'>,
) {
  const entries = ledger.entries();
  const removed = [...known.removed, ...removedExports(journal, entries).map(({ day }) => day)];
  return { ...known, removed: [...new Set(removed)].sort(), entries, unsure: ledger.doubt !== undefined };
}

type Prices = Pick<Config['exports'], 'budget' | 'pricePerRecord'>;

export function wantedDays(job: Job, known: KnownDays, exports: Prices, now: Date): WantedDay[] {
  const isHeld = setOf(known.coverage);
  const isDoubtful = setOf(known.doubtful);
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
      return day(stream, date, isHeld(stream, date) ? (isAgain ? 'restatable' : 'loaded') : 'missing');
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
      : [...eventDays(job, known, exports, now), ...late(EVENTS, job.eventDays)];
  });
}

function eventDays(job: Job, known: KnownDays, { budget, pricePerRecord }: Prices, now: Date): WantedDay[] {
  const { entries, unsure, runId } = known;
  // A run that pulls the statistics first decides by them.
  const pulled = job.streams.has('statistics') ? daysOf(job.days) : [];
  const messages = withForecasts(known.messages, pulled);
  const covered = known.coverage.flatMap(({ stream, date }) => (stream === 'events' ? [date] : []));
  const held = new Set([...covered, ...known.removed]);
  const decided = decide(job, { entries, messages, budget, unsure, held, now, runId });
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
    if (known.removed.includes(date)) return [day(date, 'removed')];
    if (held.has(date)) return [day(date, 'loaded')];
    const entry = paid.get(date);
    const decision = decisions.get(date);
    if (entry !== undefined)
      return [day(date, needsPerson(entry, known.isRunning) ? 'waits' : 'under_way', recordsOf(entry))];
    if (entries.some((one) => one.state === 'abandoned' && one.day === date)) return [day(date, 'given_up')];
    // A day without messages is not wanted, even before a second night confirms it.
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

// The days that the nightly job wants.

interface Wanted {
  readonly startDate: Day;
  readonly lookbackDays: number;
  readonly exports: { readonly startDate: Day | undefined };
  readonly retention: { readonly events?: number | undefined };
}

/** The job of a night: every day that is missing or may have been restated, up to the last complete one. */
export function nightly({ startDate, lookbackDays, exports, retention }: Wanted, now: Date): Job {
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

/** The reason, as a clause, why no day is wanted yet; undefined once `start_date` is complete. */
export function notBegun(startDate: Day, now: Date): string | undefined {
  return startDate <= lastCompleteDay(now)
    ? undefined
    : `the start_date ${startDate} is complete from ${formatKst(completeFrom(startDate))}`;
}

export async function wantedNow(job: Job, night: Night): Promise<WantedDay[]> {
  const { warehouse, folder, config, invocation } = night;
  const now = nowBy(night);
  const { session } = warehouse.file;
  const ofFile = await knownDays((name, shape) => session.rows(name, shape), dayOf(now));
  const known = withLedger(ofFile, folder);
  return wantedDays(job, { ...known, runId: invocation.runId }, config.exports, now);
}

/** The wanted days of the nightly job, for `ops.days`, also after a backfill; none without a first day. */
export async function nightlyDays(night: Night): Promise<{ days?: WantedDay[] }> {
  const { config } = night;
  const { startDate } = config;
  if (startDate === undefined) return {};
  return { days: await wantedNow(nightly({ ...config, startDate }, nowBy(night)), night) };
}

/** The earlier of this machine's and the service's time, if the run has the service's. */
function nowBy({ report, invocation: { effects } }: Night): Date {
  return new Date(effects.now().getTime() - report.serviceBehindMs);
}

// The wanted days for `plan` and `status`, which may run beside another run: from the published file.

const instant = z.number().transform((ms) => new Date(ms));
/** Staff and test people who are not counted; no row without such a setting. */
const exclusions = z.object({ listed: z.number(), people: z.number(), events: z.number() });

const runRow = z
  .object({
    run_id: z.string(),
    command: z.string(),
    started_at_ms: instant,
    finished_at_ms: instant.nullable(),
    exit_code: z.number().nullable(),
    outcome: z.string().nullable(),
  })
  .transform((row) => ({
    begun: { runId: row.run_id, command: row.command, at: row.started_at_ms },
    over: { at: row.finished_at_ms, exitCode: row.exit_code, outcome: row.outcome },
  }));
export type PublishedRun = z.output<typeof runRow>;

/**
 * Reads the ledger on disk beside a run, and lists what needs your decision.
 *
 * @param head the journal's head in the published file, if the caller has it open
 * @throws ConfigError when the data folder belongs to another project
 * @throws DamageError, StorageError if the journal cannot be read
 */
export async function ledgerNow(
  config: Config,
  effects: Effects,
  head?: readonly KnownHead[],
  journal?: Journal,
): Promise<LedgerState> {
  const known = head ?? (await knownBy(dataFiles(config.dataDir).published));
  const state = await ledgerState(config, known, effects, journal);
  assertSameProject(state.journal, config);
  return state;
}

/** The wanted days of a job, from the published file and the ledger, with the facts they were derived from. */
type DaysNow = Awaited<ReturnType<typeof daysNow>>;

/**
 * Reads the wanted days beside a run, for `plan`, `status` and `doctor`.
 *
 * @param jobFrom returns the job; its argument is the first day that the file covers. Without a job no days are wanted
 * @param journal the journal, if it was read already
 * @throws ConfigError when the data folder belongs to another project
 * @throws CorruptDatabaseError, DamageError if the file or the journal cannot be read
 */
export async function daysNow(
  config: Config,
  effects: Effects,
  jobFrom: (first: Day | undefined) => Job | undefined,
  journal?: Journal,
) {
  const { published: file } = dataFiles(config.dataDir);
  const now = effects.now();
  const read = async (rows: Rows, reader?: Reader) => ({
    known: await knownDays(rows, dayOf(now)),
    runs: await rows('status/runs', runRow),
    findings: await rows('status/findings', findingGroup),
    exclusions: (await reader?.rowsIfAny('status/exclusions', exclusions)) ?? [],
    privacy: (await reader?.rowsIfAny('ops/privacy_stored', storedPrivacy)) ?? [],
    head: reader === undefined ? [] : await headIn(reader, file),
  });
  // Without a published file, rows are unknown.
  const {
    head,
    known: ofFile,
    ...published
  } = existsSync(file)
    ? await Reader.using(file, (reader) => read((name, shape) => reader.rows(name, shape), reader))
    : await read(() => Promise.resolve([]));
  const state = await ledgerNow(config, effects, head, journal);
  const known = withLedger(ofFile, state);
  const { coverage, removed, messages: counted } = known;
  const job = jobFrom(coverage.map(({ date }) => date).sort()[0]);
  const isRunning = state.lock.taken;
  const wanted = job ? wantedDays(job, { ...known, isRunning }, config.exports, now) : [];
  return { wanted, state, coverage, removed, counted, ...published };
}

export function newestOf(coverage: DaysNow['coverage'], stream: StreamName): Day | undefined {
  const days = coverage.flatMap((row) => (row.stream === stream ? [row.date] : []));
  return days.sort().at(-1);
}

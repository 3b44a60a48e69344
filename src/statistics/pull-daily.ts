/**
 * The stage of the daily statistics: requests E17 in ranges and E18 day by day, lands the answers, and then loads them
 * together.
 */
import { daysOf, rangesOf, type Day, dayCount, halvesOf, type DayRange } from '../ground/calendar.js';
import type { Effects } from '../ground/effects.js';
import type { LandingZone } from '../landing/landing-zone.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { Gap, Job } from '../ground/streams.js';
import type { Pull } from '../landing/pull.js';
import { type ServiceAnswer, type ServiceClient, settleAll, unanswered } from '../service/client.js';
import { dailyStatistics, subchannelStatistics } from '../service/endpoints.js';
import { z } from 'zod';
import { CredentialsError, ServiceError } from '../ground/errors.js';
import { repairedJson } from '../landing/repair-json.js';
import type { MessageTotals } from '../warehouse/rows.js';
import type { Stream } from '../ground/streams.js';

/** Maximum number of days per E17 request; a month of a busy project is already a large answer. */
export const LONGEST_RANGE_DAYS = 31;

/** The days to pull of a stream: missing ones, and those that may have been restated or were in doubt. */
export type DaysOf = (stream: Stream) => readonly Day[];

/** What the statistics work with. */
export interface StatisticsContext {
  readonly service: ServiceClient;
  readonly landing: LandingZone;
  readonly warehouse: Warehouse;
  readonly report: { readonly gaps: Gap[] };
  readonly effects: Pick<Effects, 'now'>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** The instant to record for an answer; later than that of every earlier answer. */
  pullInstant(): Date;
  /** Loads landed pulls; those that cannot be loaded are reported. */
  loadPulls(pulls: readonly Pull[]): Promise<boolean>;
}

/** @param wanted the days to pull of a stream */
export async function pullStatistics(job: Job, wanted: DaysOf, context: StatisticsContext): Promise<void> {
  const { signal, terminal, report } = context;
  const rounds = [
    { stream: 'statistics', what: 'daily statistics', extract: extractStatistics },
    {
      stream: 'statistics_by_subchannel',
      what: 'statistics by sub-channel',
      extract: extractSubchannelStatistics,
    },
  ] as const;
  const asked = new Map<Stream, readonly Day[]>();

  for (const round of rounds) {
    const days = wanted(round.stream);
    asked.set(round.stream, days);
    await pull(round, days);
  }
  // Days whose answer was held back are requested once more later, because the service may have recovered.
  for (const round of rounds) {
    const days = asked.get(round.stream) ?? [];
    const doubtful = await doubtfulAmong(days, context, round.stream);
    if (doubtful.length === 0) continue;
    await pull(round, doubtful);
    report.gaps.push(...gapsOf(await heldBackAmong(days, context, round.stream), round.stream));
  }

  async function pull(
    { stream, what, extract }: (typeof rounds)[number],
    days: readonly Day[],
  ): Promise<void> {
    for (const range of rangesOf(days, LONGEST_RANGE_DAYS)) {
      signal.throwIfAborted();
      terminal.progress(`${what} ${range.start} to ${range.end}`);
      const landed: Pull[] = [];
      try {
        const sink = sinkFor(stream, what, job, context, landed);
        report.gaps.push(...(await extract(context.service, range, sink)));
      } finally {
        // All days are loaded together, because a load costs the same for a day as for a month. Days that landed before a
        // failure are loaded too.
        await context.loadPulls(landed);
      }
    }
  }
}

/** Creates the sink that lands each answer and records its pull. */
function sinkFor(
  stream: 'statistics' | 'statistics_by_subchannel',
  what: string,
  { acceptEmpty: accepted }: Job,
  context: StatisticsContext,
  landed: Pull[],
): StatisticsSink {
  const { landing } = context;
  return {
    async accept(range, body, rows) {
      const pull = landing.begin(stream, range, context.pullInstant());
      landed.push(await pull.finish([await pull.land(body, rows)], { accepted }));
    },
    async reject(endpoint, range, body) {
      await landing.reject(endpoint, `${what} ${range.start}`, body);
    },
  };
}

/** The days that were held back; if there are any, also the days that were empty among the given days. */
async function doubtfulAmong(
  days: readonly Day[],
  context: StatisticsContext,
  stream: 'statistics' | 'statistics_by_subchannel',
): Promise<Day[]> {
  const heldBack = new Set(await heldBackAmong(days, context, stream));
  if (heldBack.size === 0) return [];
  const covered = await context.warehouse.coverage(stream);
  return days.filter((day) => heldBack.has(day) || covered.get(day)?.rows === 0);
}

/** Receives the answers and writes them to disk before they are read. */
export interface StatisticsSink {
  accept(range: DayRange, body: Buffer, rows: number): Promise<void>;
  /** Keeps an answer of a shape that the specification does not define, for inspection by the user. */
  reject(endpoint: string, range: DayRange, body: Buffer): Promise<void>;
}

/** Number of retries after a `Timeout` for a single day, which cannot be halved. */
const PATIENCE = 2;

/**
 * Requests E17 for a range, which is halved while the service answers `Timeout`.
 *
 * @returns the days that failed
 */
export async function extractStatistics(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
): Promise<Gap[]> {
  return extract(service, range, sink, 'statistics');
}

/**
 * Requests E18 for each day of a range.
 *
 * @returns the days that failed
 */
export async function extractSubchannelStatistics(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
): Promise<Gap[]> {
  const days = daysOf(range).map((day) =>
    extract(service, { start: day, end: day }, sink, 'statistics_by_subchannel'),
  );
  return (await settleAll(days)).flat();
}

async function extract(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
  stream: 'statistics' | 'statistics_by_subchannel',
): Promise<Gap[]> {
  const ask = stream === 'statistics' ? dailyStatistics : subchannelStatistics;
  const question = ask(service.projectId, range);
  let answer: ServiceAnswer;
  let asked = 0;
  do {
    answer = await service.ask(question);
    asked++;
  } while (answer.verdict.kind === 'timeout' && dayCount(range) === 1 && asked <= PATIENCE);

  const { verdict, body } = answer;
  if (verdict.kind === 'ok') {
    if (verdict.envelope.kind === 'array') {
      await sink.accept(range, body, verdict.envelope.elements);
      return [];
    }
    await sink.reject(question.endpoint, range, body);
    return [
      { stream, days: range, reason: `${question.endpoint} answered with an object instead of a list.` },
    ];
  }
  // An answer that is too large has the same remedy as a timeout: a smaller range.
  if ((verdict.kind === 'timeout' || verdict.kind === 'oversized') && dayCount(range) > 1) {
    const [first, second] = halvesOf(range);
    return [
      ...(await extract(service, first, sink, stream)),
      ...(await extract(service, second, sink, stream)),
    ];
  }
  return [{ stream, days: range, reason: `${question.endpoint} failed (${verdict.reason}).` }];
}

/** Parses a counter as the load does (`macros.counter`): any value that is not a counter is 0. */
const counter = z.coerce.number().int().min(0).max(1e15).catch(0);
const NOTHING = { message_sent: 0, message_failed: 0, delivered: 0, click: 0 };
const rows = z.array(
  z
    .object({ message_sent: counter, message_failed: counter, delivered: counter, click: counter })
    .catch(NOTHING),
);

/**
 * The sums over all channels for one day.
 *
 * @throws CredentialsError if the service refuses the project or the keys
 * @throws ServiceError if the service returns no usable answer
 */
export async function dayTotals(service: ServiceClient, baseUrl: string, day: Day): Promise<MessageTotals> {
  const { verdict, body, status } = await service.ask(
    dailyStatistics(service.projectId, { start: day, end: day }),
  );
  if (verdict.kind === 'refused') {
    throw new CredentialsError(
      `The service refuses project ${service.projectId} (${verdict.reason}).`,
      status === 404
        ? { hint: 'Check project_id: the service does not know it, or not for these keys.' }
        : { hint: 'Check project_id, and this machine’s clock.' },
    );
  }
  if (verdict.kind !== 'ok') throw unanswered('E17 (daily statistics)', baseUrl, verdict);
  const parsed = rows.safeParse(parse(body));
  if (!parsed.success) {
    throw new ServiceError(
      'The service answers E17 (daily statistics) with something else than statistics.',
      {
        hint: 'Check base_url. If it is right, the service has changed: see the notes of newer versions of dawnload.',
      },
    );
  }
  const sum = (name: 'message_sent' | 'message_failed' | 'delivered' | 'click'): number =>
    parsed.data.reduce((total, row) => total + row[name], 0);
  return {
    rows: parsed.data.length,
    sent: sum('message_sent'),
    failed: sum('message_failed'),
    delivered: sum('delivered'),
    click: sum('click'),
    nights: 1,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(repairedJson(body.toString('utf8')) ?? '');
  } catch {
    return undefined;
  }
}

/** The given days whose last answer was held back. */
export async function heldBackAmong(
  days: readonly Day[],
  { warehouse }: Pick<StatisticsContext, 'warehouse'>,
  stream: Stream,
): Promise<Day[]> {
  const heldBack = new Set(await warehouse.heldBack(stream));
  return days.filter((day) => heldBack.has(day));
}

/** The gaps that the run reports for held-back days. */
export function gapsOf(heldBack: readonly Day[], stream: Stream): Gap[] {
  return rangesOf(heldBack).map((days) => ({
    stream,
    days,
    reason:
      'The service answered with nothing, or with less than half of its earlier answer, so the warehouse keeps what it ' +
      'holds. The next run asks again and accepts what two nights agree on. To accept it now: ' +
      `\`dawnload backfill --start ${days.start} --end ${days.end} --accept-empty\`.`,
  }));
}

/** The stage of the daily statistics: E17 in ranges, E18 day by day, landed and then loaded together. */
import { dayOf, daysOf, rangesOf, type Day, dayCount, halvesOf, type DayRange } from '../calendar.js';
import type { RunContext } from '../run/context.js';
import type { Job } from '../run/invocation.js';
import type { DayPull, Stream } from '../storage/pull.js';
import { loadOrReport } from '../run/load-landed.js';
import { type ServiceAnswer, type ServiceClient, settleAll, unanswered } from '../api/client.js';
import { dailyStatistics, subchannelStatistics } from '../api/endpoints.js';
import type { Gap } from '../run/report.js';
import { z } from 'zod';
import { CredentialsError, ServiceError } from '../errors.js';
import { repairedJson } from '../storage/repair-json.js';
import type { MessageTotals } from '../warehouse/rows.js';

/** The most days that E17 is asked for at once; a month of a busy project is a large answer already. */
export const LONGEST_RANGE_DAYS = 31;

export async function pullStatistics(job: Job, context: RunContext): Promise<void> {
  const { signal, terminal, report } = context;
  const rounds = [
    { stream: 'statistics', what: 'daily statistics', extract: extractStatistics },
    {
      stream: 'statistics_by_subchannel',
      what: 'statistics by sub-channel',
      extract: extractSubchannelStatistics,
    },
  ] as const;
  const asked = new Map<Stream, Day[]>();

  for (const round of rounds) {
    const days = await daysToPull(job, context, round.stream);
    asked.set(round.stream, days);
    await pull(round, days);
  }
  // An answer that was held back is asked for once more, later: the service may have recovered by then.
  for (const round of rounds) {
    const days = asked.get(round.stream) ?? [];
    const doubtful = await doubtfulAmong(days, context, round.stream);
    if (doubtful.length === 0) continue;
    await pull(round, doubtful);
    report.gap(...gapsOf(await heldAmong(days, context, round.stream), round.stream));
  }

  async function pull(
    { stream, what, extract }: (typeof rounds)[number],
    days: readonly Day[],
  ): Promise<void> {
    for (const range of rangesOf(days, LONGEST_RANGE_DAYS)) {
      signal.throwIfAborted();
      terminal.progress(`${what} ${range.start} to ${range.end}`);
      const landed: DayPull[] = [];
      try {
        report.gap(...(await extract(context.service, range, sinkFor(stream, what, job, context, landed))));
      } finally {
        // Together, since a load costs the same for one day as for a month. What landed before a failure is loaded, too.
        await loadOrReport(context, landed);
      }
    }
  }
}

/** Lands each answer and notes its pull. */
function sinkFor(
  stream: 'statistics' | 'statistics_by_subchannel',
  what: string,
  { acceptEmpty: accepted }: Job,
  context: RunContext,
  landed: DayPull[],
): StatisticsSink {
  const { landing, effects } = context;
  return {
    async accept(range, body) {
      const pulledAt = context.pullInstant();
      if (stream === 'statistics') {
        const { id, file } = await landing.land({ stream, range, pulledAt, accepted }, body);
        landed.push({ stream, id, range, pulledAt, accepted, file });
      } else {
        const day = range.start;
        const { id, file } = await landing.land({ stream, day, pulledAt, accepted }, body);
        landed.push({ stream, id, day, pulledAt, accepted, file });
      }
    },
    async reject(endpoint, range, body) {
      await landing.land(
        { stream: 'rejected', endpoint, what: `${what} ${range.start}`, at: effects.now() },
        body,
      );
    },
  };
}

/** The days that were held back and, where there are any, those that came empty beside them for the first time. */
async function doubtfulAmong(
  days: readonly Day[],
  context: RunContext,
  stream: 'statistics' | 'statistics_by_subchannel',
): Promise<Day[]> {
  const held = new Set(await heldAmong(days, context, stream));
  if (held.size === 0) return [];
  const covered = await context.warehouse.coverage(stream);
  return days.filter((day) => held.has(day) || covered.get(day)?.rows === 0);
}

/**
 * The days of a job that a free stream lacks, that it is to pull again, whose last answer was held back, or that came empty
 * on one earlier night alone.
 */
export async function daysToPull(
  job: Job,
  { warehouse, effects }: RunContext,
  stream: Stream,
): Promise<Day[]> {
  const covered = await warehouse.coverage(stream);
  const doubtful = new Set([
    ...(await warehouse.heldBack(stream)),
    ...(await warehouse.emptyOnce(stream, dayOf(effects.now()))),
  ]);
  return daysOf(job.days).filter(
    (day) => !covered.has(day) || doubtful.has(day) || (day >= job.again.start && day <= job.again.end),
  );
}

/** Where an answer goes: to disk, before anything reads it. */
export interface StatisticsSink {
  accept(range: DayRange, body: Buffer): Promise<void>;
  /** An answer of a shape that the specification does not know, kept for a person to look at. */
  reject(endpoint: string, range: DayRange, body: Buffer): Promise<void>;
}

/** How often one day, which cannot be halved, is asked for again after a `Timeout`. */
const PATIENCE = 2;

/** E17 for a range; halved as long as the service says `Timeout`. Returns the days that failed. */
export async function extractStatistics(
  service: ServiceClient,
  range: DayRange,
  sink: StatisticsSink,
): Promise<Gap[]> {
  return extract(service, range, sink, 'statistics');
}

/** E18 for each day of a range. Returns the days that failed. */
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
      await sink.accept(range, body);
      return [];
    }
    await sink.reject(question.endpoint, range, body);
    return [
      { stream, days: range, reason: `${question.endpoint} answered with an object instead of a list.` },
    ];
  }
  // An answer too large to take has the same remedy as one too slow to make.
  if ((verdict.kind === 'timeout' || verdict.kind === 'oversized') && dayCount(range) > 1) {
    const [first, second] = halvesOf(range);
    return [
      ...(await extract(service, first, sink, stream)),
      ...(await extract(service, second, sink, stream)),
    ];
  }
  return [{ stream, days: range, reason: `${question.endpoint} failed (${verdict.reason}).` }];
}

/** As the load takes counters (`macros.counter`): what is none counts nothing. */
const counter = z.coerce.number().int().min(0).max(1e15).catch(0);
const NOTHING = { message_sent: 0, message_failed: 0, delivered: 0, click: 0 };
const rows = z.array(
  z
    .object({ message_sent: counter, message_failed: counter, delivered: counter, click: counter })
    .catch(NOTHING),
);

/**
 * The sums over all channels.
 *
 * @throws CredentialsError when the service refuses the project or the keys
 * @throws ServiceError when it gives no usable answer
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

type FreeStream = DayPull['stream'];

/** The days, among these, whose last answer was held back. */
export async function heldAmong(
  days: readonly Day[],
  { warehouse }: Pick<RunContext, 'warehouse'>,
  stream: FreeStream,
): Promise<Day[]> {
  const held = new Set(await warehouse.heldBack(stream));
  return days.filter((day) => held.has(day));
}

/** The gaps that the run reports for them. */
export function gapsOf(held: readonly Day[], stream: FreeStream): Gap[] {
  return rangesOf(held).map((days) => ({
    stream,
    days,
    reason:
      'The service answered with nothing, or with less than half of its earlier answer, so the warehouse keeps what it ' +
      'holds. The next run asks again and accepts what two nights agree on. To accept it now: ' +
      `\`dawnload backfill --start ${days.start} --end ${days.end} --accept-empty\`.`,
  }));
}

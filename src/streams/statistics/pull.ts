/** Requests E17 in ranges and E18 day by day, lands the answers, and loads them together. */
import { daysOf, rangesOf, type Day, dayCount, type DayRange } from '../../ground/calendar.js';
import type { Pull } from '../../landing/landing-zone.js';
import type { Gap, Job } from '../../ground/streams.js';
import { settleAll } from '../../ground/promises.js';
import type { ServiceAnswer, ServiceClient } from '../../service/client.js';
import { dailyStatistics, subchannelStatistics, type FreeRequest } from '../../service/endpoints.js';
import { z } from 'zod';
import { CredentialsError, ServiceError } from '../../ground/errors.js';
import { jsonOf, repairedJson, type Body } from '../../ground/envelope.js';
import type { MessageTotals } from '../../warehouse/reader.js';
import { answersIn, LONGEST_RANGE_DAYS, gapsOf, heldBackAmong } from '../free.js';
import type { Order, PullParts } from '../stream.js';

const QUESTIONS = {
  statistics: { what: 'daily statistics', ask: dailyStatistics },
  statistics_by_subchannel: { what: 'statistics by sub-channel', ask: subchannelStatistics },
} as const;
type Daily = keyof typeof QUESTIONS;

export async function pullStatistics({ job, service, wanted }: Order, parts: PullParts): Promise<void> {
  const streams = ['statistics', 'statistics_by_subchannel'] as const;
  const orders = streams.map((stream) => [stream, wanted(stream)] as const);
  for (const [stream, days] of orders)
    await pullDays(stream, days, job, service, parts).catch((error: unknown) => {
      // The keys may be valid for E17 but not for E18.
      if (!(error instanceof CredentialsError) || stream === 'statistics') throw error;
      for (const range of rangesOf(days))
        parts.report.gaps.push({
          stream,
          days: range,
          reason: `${error.message} The other streams continue.`,
        });
    });
  // Request days that were held back a second time; the service may have recovered by now.
  for (const [stream, days] of orders) {
    const doubtful = await doubtfulAmong(days, parts, stream);
    if (doubtful.length === 0) continue;
    await pullDays(stream, doubtful, job, service, parts);
    parts.report.gaps.push(...gapsOf(await heldBackAmong(days, parts, stream), stream));
  }
}

async function pullDays(
  stream: Daily,
  days: readonly Day[],
  { acceptEmpty: accepted }: Job,
  service: ServiceClient,
  { landing, report, load, config, invocation: { terminal, signal } }: PullParts,
): Promise<void> {
  const { what } = QUESTIONS[stream];
  for (const range of rangesOf(days, LONGEST_RANGE_DAYS)) {
    signal.throwIfAborted();
    terminal.progress(`${what} ${range.start} to ${range.end}`);
    const landed: Pull[] = [];
    try {
      const gaps = await extractDaily(service, stream, range, config.statisticsTags, {
        async accept(part, body, rows) {
          const writer = landing.begin(stream, part, landing.instant(service.clocks.landingTime()));
          landed.push(await writer.finish([await writer.land(body, rows)], { accepted }));
        },
        reject: (endpoint, part, body) => landing.reject(endpoint, `${what} ${part.start}`, body),
      });
      report.gaps.push(...gaps);
    } finally {
      // Load all days together, because a load takes as long for a day as for a month. Include days that landed before a failure.
      await load(landed);
    }
  }
}

async function doubtfulAmong(days: readonly Day[], parts: PullParts, stream: Daily): Promise<Day[]> {
  const heldBack = new Set(await heldBackAmong(days, parts, stream));
  if (heldBack.size === 0) return [];
  const covered = await parts.warehouse.coverage(stream);
  return days.filter((day) => heldBack.has(day) || covered.get(day) === 0);
}

export interface DailySink {
  accept(range: DayRange, body: Body, rows: number): Promise<void>;
  /** Stores an answer of unknown shape for inspection. */
  reject(endpoint: string, range: DayRange, body: Body): Promise<unknown>;
}

/**
 * Requests E17 for a range, or E18 for each day of it. A range that fails is split.
 *
 * @param tags only campaigns with one of these tags; without tags, all campaigns
 * @returns the days that failed
 */
export async function extractDaily(
  service: ServiceClient,
  stream: Daily,
  range: DayRange,
  tags: readonly string[],
  sink: DailySink,
): Promise<Gap[]> {
  const parts = stream === 'statistics' ? [range] : rangesOf(daysOf(range), 1);
  return (await settleAll(parts.map((part) => extract(service, stream, part, tags, sink)))).flat();
}

async function extract(
  service: ServiceClient,
  stream: Daily,
  range: DayRange,
  tags: readonly string[],
  sink: DailySink,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const question = (part: DayRange): FreeRequest => QUESTIONS[stream].ask(service.projectId, part, tags);
  const { endpoint } = question(range);
  const ask = (part: DayRange): Promise<ServiceAnswer<Body>> => service.askLarge(question(part));
  for await (const { days, verdict, body } of answersIn(range, ask)) {
    if (verdict.kind === 'broken' && dayCount(days) > 1) {
      // Request the days one by one, so that one bad day does not block the others.
      const parts = rangesOf(daysOf(days), 1).map((day) => extract(service, stream, day, tags, sink));
      gaps.push(...(await settleAll(parts)).flat());
    } else if (verdict.kind !== 'ok')
      gaps.push({ stream, days, reason: `${endpoint} failed (${verdict.reason}).` });
    else if (verdict.envelope.kind === 'array') await sink.accept(days, body, verdict.envelope.elements);
    else {
      await sink.reject(endpoint, days, body);
      gaps.push({ stream, days, reason: `${endpoint} answered with an object instead of a list.` });
    }
    await service.discard(body);
  }
  return gaps;
}

/** Parses a counter as the load does (`macros.counter`): anything else becomes 0. */
const counter = z.coerce.number().int().min(0).max(1e15).catch(0);
const row = z.record(z.string(), z.unknown()).catch({});

/**
 * Requests one day, and sums it over all channels.
 *
 * @throws CredentialsError if the service refuses the project or the keys
 * @throws ServiceError if the service returns no usable answer
 */
export async function dayTotals(service: ServiceClient, day: Day): Promise<MessageTotals> {
  const { verdict, body, status } = await service.ask(
    dailyStatistics(service.projectId, { start: day, end: day }),
  );
  if (verdict.kind === 'refused') {
    throw new CredentialsError(
      `The service refuses project ${service.projectId} (${verdict.reason}).`,
      status === 404
        ? { hint: 'Check project_id: the service does not have it, or not for these keys.' }
        : { hint: 'Check project_id, and this machine’s clock.' },
    );
  }
  if (verdict.kind !== 'ok') throw service.unanswered('E17 (daily statistics)', verdict);
  const parsed = z.array(row).safeParse(jsonOf(repairedJson(body.toString('utf8')) ?? ''));
  if (!parsed.success) {
    throw new ServiceError(
      'The service answers E17 (daily statistics) with something other than statistics.',
      {
        hint: 'Check base_url. If it is right, the service has changed: see the notes of newer versions of dawnload.',
      },
    );
  }
  const sum = (name: string): number =>
    parsed.data.reduce((total, one) => total + counter.parse(one[name]), 0);
  return {
    rows: parsed.data.length,
    sent: sum('message_sent'),
    failed: sum('message_failed'),
    delivered: sum('delivered'),
    click: sum('click'),
    nights: 1,
  };
}

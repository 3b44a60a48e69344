/** E17 and E18: the daily statistics, as records and as rows of a CSV file. */
import { z } from 'zod';
import { type Day, dayCount, dayOf, type DayRange, daysOf, isDay } from '../src/ground/calendar.js';
import { type Reply, jsonAnswer } from './answer.js';
import { refuse } from './family.js';
import type { Settings } from './options.js';
import { channelName, CHANNELS } from './world/channels.js';
import type { Conversion } from './world/conversion.js';
import { messageSummary } from './world/messages/index.js';
import { countIn, shared, viewOf, type StreamDay, type View, type World } from './world/plan.js';
import type { Stream } from './world/stream.js';
import type { Role } from './world/segment.js';

const day = z.string().refine(isDay, 'must be a day, YYYY-MM-DD');
const StatisticsRequest = z.object({ start: day, end: day, tags: z.array(z.string()).optional() });

/** The label of a conversion's type in E18: localised, where E17 has a name. */
const LABELS = { total_count_conversion: '전체 전환 수', direct_count_conversion: '직접 전환 수' } as const;

type ConversionType = keyof typeof LABELS;

/** The source of one record: a stream's day, or the days of the sub-channels that it sums. */
interface Row {
  readonly day: Day;
  readonly stream: Stream;
  counters: Counters;
  readonly conversions: Map<string, { total: number; direct: number }>;
}

interface Statistics {
  /** E17. */
  json(body: unknown): Reply;
  /** E18. */
  csv(body: unknown): Reply;
}

export function createStatistics(settings: Settings, world: World): Statistics {
  /** The requested range and tags, or why they are refused. */
  function ask(
    family: 'statistics' | 'statistics-csv',
    body: unknown,
  ): Reply | [DayRange, readonly string[]] {
    const parsed = StatisticsRequest.safeParse(body);
    if (!parsed.success) return refuse(family, 'invalid', z.prettifyError(parsed.error));
    const { start, end, tags = [] } = parsed.data;
    if (end < start) return refuse(family, 'invalid', 'end must not be before start');
    if (end >= dayOf(settings.now())) {
      return refuse(family, 'invalid', 'the range must end before today (KST)');
    }
    if (dayCount({ start, end }) > settings.longestRangeDays) {
      return refuse(family, 'timeout', 'the range is too long', settings.timeoutStatus);
    }
    return [{ start, end }, tags];
  }

  /** One row for each day and key; the streams of one key are added up. */
  function rowsOf(range: DayRange, tags: readonly string[], keyOf: (stream: Stream) => string): Row[] {
    const now = settings.now();
    return daysOf(range).flatMap((date) => {
      const rows = new Map<string, Row>();
      const view = viewOf(date, now, settings.restates);
      for (const part of world.planOf(date).streams) {
        // Tags choose campaigns; journeys have none.
        if (tags.length > 0 && !part.stream.tags.some((tag) => tags.includes(tag))) continue;
        add(rows, keyOf(part.stream), date, part, view);
      }
      return [...rows.values()].filter((row) => !isNothing(row.counters));
    });
  }

  function json(body: unknown): Reply {
    const asked = ask('statistics', body);
    if (!Array.isArray(asked)) return asked;
    const rows = rowsOf(...asked, (stream) => `${partOf(stream)}/${stream.channel}`);
    return jsonAnswer(
      rows.map(({ day: date, stream, counters, conversions }) => ({
        date,
        resource_type: stream.resourceType,
        message: messageSummary(stream),
        ...campaignFields(stream),
        tags: stream.tags,
        ...journeyFields(stream),
        channel: channelName(stream.channel, settings),
        ...counters,
        conversion: conversionItems(conversions, (type) => type),
      })),
    );
  }

  function csv(body: unknown): Reply {
    const asked = ask('statistics-csv', body);
    if (!Array.isArray(asked)) return asked;
    const rows = rowsOf(...asked, (stream) =>
      [partOf(stream), stream.channel, stream.sub, stream.target].join('/'),
    );
    return jsonAnswer(
      rows.map(({ day: date, stream, counters, conversions }) => ({
        date,
        resource_type: stream.resourceType,
        resource_id: stream.resourceId,
        resource_name: stream.resourceName,
        node_id: stream.node?.id ?? null,
        // Spelled exactly so in the specification.
        node_mane: stream.node?.name ?? null,
        variant_id: stream.variant?.id ?? null,
        variant_name: stream.variant?.name ?? null,
        channel: channelName(stream.channel, settings),
        channel_sub: stream.sub,
        brand_message_target: stream.target,
        tags: stream.tags,
        ...counters,
        conversion: conversionItems(conversions, (type) => LABELS[type]),
      })),
    );
  }

  return { json, csv };
}

/** The resource, and its arm or step. */
function partOf(stream: Stream): string {
  return [stream.resourceId, stream.variant?.id, stream.node?.id].join('/');
}

function add(rows: Map<string, Row>, key: string, date: Day, part: StreamDay, view: View): void {
  const { share } = view;
  const counters = countersOf(part, view);
  const row = rows.get(key);
  if (row === undefined) {
    const conversions = new Map<string, { total: number; direct: number }>();
    addConversions(conversions, part.conversions, share);
    rows.set(key, { day: date, stream: part.stream, counters, conversions });
  } else {
    row.counters = addCounters(row.counters, counters);
    addConversions(row.conversions, part.conversions, share);
  }
}

function addConversions(
  sums: Map<string, { total: number; direct: number }>,
  conversions: readonly Conversion[],
  share: number,
): void {
  for (const { name, total, direct } of conversions) {
    const sum = sums.get(name) ?? { total: 0, direct: 0 };
    sums.set(name, {
      total: sum.total + shared(total, share),
      direct: sum.direct + shared(direct, share),
    });
  }
}

function conversionItems(
  conversions: Map<string, { total: number; direct: number }>,
  wordFor: (type: ConversionType) => string,
) {
  return [...conversions].flatMap(([name, { total, direct }]) => [
    { name, type: wordFor('total_count_conversion'), count: total },
    { name, type: wordFor('direct_count_conversion'), count: direct },
  ]);
}

function campaignFields(stream: Stream) {
  const isCampaign = stream.resourceType === 'campaign';
  return {
    campaign_id: isCampaign ? stream.resourceId : null,
    campaign_name: isCampaign ? stream.resourceName : null,
    variant_id: stream.variant?.id ?? null,
    variant_name: stream.variant?.name ?? null,
  };
}

function journeyFields(stream: Stream) {
  const isJourney = stream.resourceType === 'user-journey';
  return {
    user_journey_id: isJourney ? stream.resourceId : null,
    user_journey_name: isJourney ? stream.resourceName : null,
    user_journey_node_id: stream.node?.id ?? null,
    user_journey_node_name: stream.node?.name ?? null,
  };
}

interface Counters {
  readonly message_sent: number;
  readonly message_failed: number;
  readonly delivered: number | null;
  readonly click: number | null;
}

function countRole(part: StreamDay, role: Role, view: View): number {
  let count = 0;
  for (const segment of part.segments) if (segment.role === role) count += countIn(segment, view);
  return count;
}

function countersOf(part: StreamDay, view: View): Counters {
  const rules = CHANNELS[part.stream.channel];
  const failed = countRole(part, 'failure', view);
  return {
    message_sent: countRole(part, 'success', view) + failed,
    message_failed: failed,
    delivered: rules.delivered === null ? null : countRole(part, 'delivered', view),
    click: rules.click === null ? null : countRole(part, 'click', view),
  };
}

function plus(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

function addCounters(a: Counters, b: Counters): Counters {
  return {
    message_sent: a.message_sent + b.message_sent,
    message_failed: a.message_failed + b.message_failed,
    delivered: plus(a.delivered, b.delivered),
    click: plus(a.click, b.click),
  };
}

function isNothing(counters: Counters): boolean {
  return counters.message_sent + (counters.delivered ?? 0) + (counters.click ?? 0) === 0;
}

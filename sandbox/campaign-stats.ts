/** E19: one campaign's metrics by day, with their dimensions. */
import { z } from 'zod';
import { type Day, dayOf, isDay, koreanTime, windowOf } from '../src/ground/calendar.js';
import { type Reply, jsonAnswer } from './answer.js';
import { refuse } from './family.js';
import type { Settings } from './options.js';
import {
  countIn,
  knownIn,
  daysTouched,
  shared,
  viewOf,
  type StreamDay,
  type View,
  type World,
  type DayPlan,
} from './world/plan.js';
import { isCampaign } from './world/stream.js';
import { channelName } from './world/channels.js';
import type { Segment } from './world/segment.js';
import { eventMicros, messageChance, sendingOf } from './world/sending.js';

/** `conversionType` exists from this day on (E19). */
const CONVERSION_TYPE_SINCE = '2025-07-06';

const hour = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):00:00\.000Z$/, 'must be yyyy-MM-ddTHH:00:00.000Z')
  .refine((text) => isDay(text.slice(0, 10)), 'is on no day that exists');
const StatsQuery = z.object({ start: hour, end: hour });

interface Sums {
  readonly standard: Map<string, Map<Day, Dimensions>>;
  /** By name, then type. */
  readonly conversions: Map<string, Map<string, Map<Day, Dimensions>>>;
}

/** @throws never: a bad request is an answer too */
export function campaignStats(
  settings: Settings,
  world: World,
  campaignId: string,
  query: URLSearchParams,
): Reply {
  const parsed = StatsQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) return refuse('campaign', 'invalid', z.prettifyError(parsed.error));
  const start = new Date(parsed.data.start);
  const end = new Date(parsed.data.end);
  if (end <= start) return refuse('campaign', 'invalid', 'end must be after start');
  if (!isCampaign(campaignId)) return refuse('campaign', 'invalid', 'Campaign not found', 404);

  const now = settings.now();
  const sums: Sums = { standard: new Map(), conversions: new Map() };
  for (const day of daysTouched(start, end)) {
    const view = viewOf(day, now, settings.restates);
    if (view.share === 0) continue;
    const plan = world.planOf(day);
    for (const part of plan.streams) {
      if (part.stream.resourceId !== campaignId) continue;
      const share = (count: number): number => withinDay(shared(count, view.share), day, start, end);
      addPart(sums, settings, day, part, share, (segment) =>
        countWithin(segment, plan, world.scale, view, start, end < now ? end : now),
      );
    }
  }
  return jsonAnswer({
    data: { lastCollectedAt: lastCollectedAt(now), stats: statsOf(sums, parsed.data.end) },
    error: null,
  });
}

type CountOf = (segment: StreamDay['segments'][number]) => { count: number; byReason: Map<string, number> };

function addPart(
  { standard, conversions }: Sums,
  settings: Settings,
  day: Day,
  part: StreamDay,
  shareOf: (count: number) => number,
  countOf: CountOf,
): void {
  const own: [string, string][] = [['channel', channelName(part.stream.channel, settings)]];
  if (part.stream.variant !== null) own.push(['experiment_group_name', part.stream.variant.name]);
  for (const segment of part.segments) {
    const { count, byReason } = countOf(segment);
    if (count === 0) continue;
    const sum = daySum(entry(standard, segment.event), day);
    sum.add(count, own);
    for (const [reason, times] of byReason) sum.addDimension('failure_reason', reason, times);
  }
  for (const { name, total, direct, sales } of part.conversions) {
    const types = entry(conversions, name);
    daySum(entry(types, 'total_count_conversion'), day).add(shareOf(total), own);
    daySum(entry(types, 'direct_count_conversion'), day).add(shareOf(direct), own);
    if (sales > 0) daySum(entry(types, 'sales_conversion'), day).add(shareOf(sales), own);
  }
}

/** The part of a day's conversions in a window: they are spread evenly, so that the windows of a day add up. */
function withinDay(count: number, day: Day, start: Date, end: Date): number {
  const whole = windowOf(day);
  const until = (instant: Date): number => {
    const part = (instant.getTime() - whole.start.getTime()) / (whole.end.getTime() - whole.start.getTime());
    return Math.floor(count * Math.min(Math.max(part, 0), 1));
  };
  return until(end) - until(start);
}

/** The map under a key; created if missing. */
function entry<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}

function daySum(days: Map<Day, Dimensions>, day: Day): Dimensions {
  const found = days.get(day) ?? new Dimensions();
  days.set(day, found);
  return found;
}

function statsOf({ standard, conversions }: Sums, end: string): unknown[] {
  const counts = [...standard].map(([metricName, days]) => ({
    metricType: 'standard',
    metricName,
    totalCount: totalOf(days),
    dailyCounts: [...days].map(([date, sum]) => ({
      date,
      count: sum.total,
      dimensionCounts: sum
        .entries()
        .map(([dimensionKey, dimensionValue, count]) => ({ dimensionKey, dimensionValue, count })),
    })),
  }));
  // Before conversions had types, each was counted once.
  const hasTypes = end > CONVERSION_TYPE_SINCE;
  const sums = [...conversions].flatMap(([metricName, types]) =>
    [...types]
      .filter(([type]) => hasTypes || type === 'total_count_conversion')
      .map(([conversionType, days]) => ({
        metricType: 'conversion',
        metricName,
        ...(hasTypes ? { conversionType } : {}),
        totalSum: totalOf(days),
        dailySums: [...days].map(([date, sum]) => ({
          date,
          sum: sum.total,
          dimensionSums: sum
            .entries()
            .map(([dimensionKey, dimensionValue, value]) => ({ dimensionKey, dimensionValue, sum: value })),
        })),
      })),
  );
  return [...counts, ...sums];
}

function totalOf(days: Map<Day, Dimensions>): number {
  return [...days.values()].reduce((total, sum) => total + sum.total, 0);
}

/** Collection runs at the full hour. */
function lastCollectedAt(now: Date): string {
  return `${dayOf(now)} ${koreanTime(now).slice(11, 13)}:00:00`;
}

/** A number with its dimensions; each dimension's values add up to it (E19). */
class Dimensions {
  total = 0;
  private readonly parts = new Map<string, Map<string, number>>();

  /** Adds to the total, and to one value of each dimension given. */
  add(amount: number, dimensions: readonly (readonly [key: string, value: string])[]): void {
    this.total += amount;
    for (const [key, value] of dimensions) this.addDimension(key, value, amount);
  }

  addDimension(key: string, value: string, amount: number): void {
    const values = this.parts.get(key) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + amount);
    this.parts.set(key, values);
  }

  entries(): [key: string, value: string, amount: number][] {
    return [...this.parts].flatMap(([key, values]) =>
      [...values].map(([value, amount]): [string, string, number] => [key, value, amount]),
    );
  }
}

interface Count {
  count: number;
  /** By failure reason; empty for events that are not failures. */
  byReason: Map<string, number>;
}

function countWithin(
  segment: Segment,
  plan: DayPlan,
  scale: number,
  view: View,
  start: Date,
  end: Date,
): Count {
  const day = windowOf(plan.day);
  if (segment.reasons.length === 0 && start <= day.start && end >= day.end) {
    return { count: countIn(segment, view), byReason: new Map() };
  }
  const from = start.getTime() * 1000;
  const to = end.getTime() * 1000;
  const sending = sendingOf(segment.stream, segment.sentOn, scale);
  const found: Count = { count: 0, byReason: new Map() };
  for (let send = segment.first; send < segment.first + knownIn(segment, view); send += 1) {
    const micros =
      segment.times?.[send] ?? plan.startMicros + eventMicros(segment, sending, messageChance(sending, send));
    if (micros < from || micros >= to || segment.gone?.includes(send) === true) continue;
    found.count += 1;
    const reason = segment.reasons[send % segment.reasons.length];
    if (reason !== undefined) found.byReason.set(reason, (found.byReason.get(reason) ?? 0) + 1);
  }
  return found;
}

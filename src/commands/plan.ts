/** `dawnload plan`: shows the missing days, the requests of the next run and their cost. Sends nothing. */
import { nightly } from '../../jobs/nightly.js';
import {
  completeFrom,
  dayCount,
  dayOf,
  formatKst,
  listDays,
  monthOf,
  shiftDay,
  type Day,
} from '../ground/calendar.js';
import { requirePlan, streamsOn, type Config } from '../config/config.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { relative } from 'node:path';
import { foldersOf } from '../landing/paths.js';
import { foldersDue } from '../erasure/retention.js';
import type { Invocation } from '../config/invocation.js';
import { isResumable, type Export } from '../exports/export.js';
import { explainLimit, REASONS, spendOf, type Decision } from '../exports/budget.js';
import { formatPrice, priceOf } from '../ground/price.js';
import { formatCount, plural, type Terminal } from '../terminal/terminal.js';
import { daysIn, type DayState } from '../job/wanted-days.js';
import { daysNow, newestOf, type CoveredDay } from '../job/published.js';
import type { Job, Stream } from '../ground/streams.js';
import type { JsonOptions } from './shared.js';

export type Plan = Awaited<ReturnType<typeof makePlan>>;
type Planned = Plan['events']['to_request'][number];

export async function planCommand({ json }: JsonOptions, invocation: Invocation): Promise<ExitCode> {
  const config = invocation.loadConfig();
  const job = nightly(requirePlan(config), invocation.effects.now());
  const plan = await makePlan(job, config, invocation);
  printPlan(plan, json, invocation.terminal);
  return plan.events.needs_attention.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** Makes the plan of a job from the published file and the ledger only. */
export async function makePlan(job: Job, config: Config, { effects }: Invocation) {
  const now = effects.now();
  const { wanted, state, ...published } = await daysNow(config, effects, () => job);
  const { ledger, needed } = state;
  const entries = ledger.entries();
  const { pricePerRecord, currency, budget } = config.exports;
  /** Days that the warehouse lacks, and days that are pulled again because their counts may be restated. */
  const free = (...streams: readonly Stream[]): { missing: Day[]; again: Day[] } => {
    const of = (state: DayState): Day[] => streams.flatMap((stream) => daysIn(wanted, stream, state));
    const missing = new Set(of('missing').sort());
    const again = new Set(of('restatable').sort());
    return { missing: [...missing], again: [...again].filter((day) => !missing.has(day)) };
  };
  const decisions = wanted.flatMap(({ decision }) => decision ?? []).reverse();
  const toRequest = decisions.filter(({ verdict }) => verdict === 'request');
  const records = toRequest.reduce((sum, { estimate }) => sum + (estimate ?? 0), 0);
  const yesterday = shiftDay(dayOf(now), -1);
  const month = spendOf(entries).find((spend) => spend.month === monthOf(now));
  const { expectedRecordsPerDay } = config.exports;
  const unestimated = decisions.filter(({ verdict }) => verdict === 'no_estimate').length;
  const expected =
    expectedRecordsPerDay === undefined || unestimated === 0 ? null : unestimated * expectedRecordsPerDay;
  const none = { missing: [], again: [] };
  return {
    command: job.name,
    days: dayCount(job.days) > 0 ? job.days : null,
    /** Yesterday, with the instant at which it becomes complete; null if it is complete already. */
    not_yet:
      completeFrom(yesterday) > now
        ? { day: yesterday, complete_from: formatKst(completeFrom(yesterday)) }
        : null,
    statistics: job.streams.has('statistics') ? free('statistics', 'statistics_by_subchannel') : none,
    campaigns: job.streams.has('campaigns') ? free('campaigns') : none,
    /** The reference data of which the run takes a snapshot, with the day of the last snapshot. */
    reference: streamsOn(config.reference)
      .filter((stream) => job.streams.has(stream))
      .map((stream) => ({ stream, last: newestOf(published.coverage, stream) ?? null })),
    retention: await retentionOf(config, entries, published, now),
    events: {
      budget:
        budget === undefined
          ? null
          : { records_per_run: budget.recordsPerRun, records_per_month: budget.recordsPerMonth },
      to_request: toRequest.map(planned),
      not_requested: decisions.flatMap((decision) =>
        decision.verdict === 'request' ? [] : [{ ...planned(decision), reason: decision.verdict }],
      ),
      /** Paid exports that are not downloaded yet; resuming them is free. */
      under_way: entries.filter(({ state }) => isResumable(state)).map(({ key }) => key),
      needs_attention: needed,
      estimated_records: records,
      estimated_price: priceOf([{ records, pricePerRecord }]),
      /** Records of the days without an estimate, from `exports.expected_records_per_day`; null without that setting. */
      expected_records: expected,
      expected_price: expected === null ? null : priceOf([{ records: expected, pricePerRecord }]),
      currency: currency ?? null,
      month: { month: monthOf(now), records: month?.records ?? 0, price: month?.price ?? 0 },
    },
  };
}

/** The data that the next run removes according to `retention`; null without that setting. */
async function retentionOf(
  { dataDir, retention }: Config,
  entries: readonly Export[],
  { coverage, removed }: { readonly coverage: readonly CoveredDay[]; readonly removed: readonly Day[] },
  now: Date,
): Promise<{ events: Day[]; landing: string[] } | null> {
  if (Object.keys(retention).length === 0) return null;
  const before = retention.events === undefined ? '' : shiftDay(dayOf(now), -retention.events);
  const events = coverage
    .filter(({ stream, day }) => stream === 'events' && day < before && !removed.includes(day))
    .map(({ day }) => day);
  const left = new Set([...removed, ...events]);
  const folders = await foldersDue(dataDir, retention, { entries, left, now });
  const { landing } = foldersOf(dataDir);
  return { events: events.sort(), landing: folders.map(({ path }) => relative(landing, path)) };
}

const planned = ({ day, estimate }: Decision) => ({ date: day, estimated_records: estimate ?? null });

export function printPlan(plan: Plan, json: boolean | undefined, terminal: Terminal): void {
  if (json === true) {
    terminal.out(JSON.stringify(plan));
    return;
  }
  const { days, not_yet, events, retention } = plan;
  const range = days === null ? 'no complete day yet' : `${days.start} to ${days.end} (KST days)`;
  terminal.out(`${plan.command}: ${range}`);
  if (not_yet !== null) terminal.out(`  ${not_yet.day} is complete from ${not_yet.complete_from}`);
  for (const stream of ['statistics', 'campaigns'] as const) {
    const { missing, again } = plan[stream];
    terminal.out(`  ${stream.padEnd(10)}  missing ${inWords(missing)}; again ${inWords(again)}`);
  }
  for (const { stream, last } of plan.reference) {
    const newest = last === null ? 'yet to come' : `of ${last}`;
    terminal.out(`  ${stream.padEnd(18)}  a snapshot; the last is ${newest}`);
  }
  for (const line of eventLines(events)) terminal.out(`  ${line}`);
  if (retention !== null) {
    const folders = plural(retention.landing.length, 'landed folder');
    terminal.out(`  retention   removes events of ${inWords(retention.events)}; ${folders}`);
  }
  for (const { advice } of events.needs_attention) terminal.warn(advice);
}

function eventLines({ budget, to_request, not_requested, under_way, ...events }: Plan['events']): string[] {
  if (budget === null) return ['events      off: exports.budget is not set, so no paid request is sent'];
  const priced = (price: number | null, words: string): string =>
    price === null || price === 0
      ? ''
      : `, price ${words}${formatPrice(price, events.currency ?? undefined)}`;
  const about = (records: number): string => `about ${formatCount(records)} records`;
  const unestimated = not_requested.filter(({ reason }) => reason === 'no_estimate');
  const head =
    to_request.length > 0
      ? `request ${plural(to_request.length, 'day')}, ${about(events.estimated_records)}${priced(events.estimated_price, 'about ')}`
      : events.expected_records !== null
        ? `${plural(unestimated.length, 'day')} without statistics, ${about(events.expected_records)} if all are like the night that init saw${priced(events.expected_price, 'about ')}`
        : unestimated.length > 0
          ? 'nothing can be estimated yet'
          : 'nothing to request';
  const reasons = [...new Set(not_requested.map(({ reason }) => reason))];
  return [
    `events      ${head}`,
    ...daysLine(to_request),
    ...reasons.flatMap((reason) => {
      const days = not_requested.filter((day) => day.reason === reason);
      return daysLine(days, `  not requested: ${whyNot(reason, days, budget)}`);
    }),
    ...(under_way.length === 0 ? [] : [`            under way, at no further cost: ${under_way.join(', ')}`]),
    `            budget ${formatCount(budget.records_per_run)} records a run, ${formatCount(budget.records_per_month)} a month`,
    `            ${events.month.month} so far ${formatCount(events.month.records)} records${priced(events.month.price, '')}`,
  ];
}

function daysLine(days: readonly Planned[], reason = ''): string[] {
  if (days.length === 0) return [];
  const estimates = days.flatMap(({ estimated_records }) => estimated_records ?? []);
  const records = estimates.reduce((sum, estimate) => sum + estimate, 0);
  const size = estimates.length === 0 ? 'no estimate yet' : `~${formatCount(records)} records`;
  return [`              ${listDays(days.map(({ date }) => date))}  ${size}${reason}`];
}

function whyNot(
  reason: keyof typeof REASONS,
  days: readonly Planned[],
  budget: NonNullable<Plan['events']['budget']>,
): string {
  // A run pulls the statistics before it decides on exports.
  if (reason === 'no_estimate') return '`run` pulls the statistics first, then decides within the budget';
  const limits = { recordsPerRun: budget.records_per_run, recordsPerMonth: budget.records_per_month };
  const estimates = days.flatMap(({ estimated_records }) => estimated_records ?? []);
  const limit = explainLimit(reason, estimates, limits);
  return limit === undefined ? REASONS[reason] : `${REASONS[reason]}. ${limit}`;
}

function inWords(days: readonly Day[]): string {
  return days.length === 0 ? 'nothing' : listDays(days);
}

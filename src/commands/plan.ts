/** `dawnload plan`: shows missing days, the requests of the next run, and their cost. Sends nothing. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireSettings, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { explainLimit, REASONS, spendOf, spentIn, type Budget, type Decision } from '../exports/budget.js';
import { keysUnderWay } from '../exports/export.js';
import { completeFrom, dayCount, dayOf, formatKst, listDays, monthOf, shiftDay } from '../ground/calendar.js';
import type { Day } from '../ground/calendar.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { priceOf, pricePart } from '../ground/text.js';
import type { Job, StreamName } from '../ground/streams.js';
import { OWN } from '../ground/streams.js';
import { FREE_DAY_STREAMS, snapshotsOn } from '../streams/index.js';
import { daysNow, newestOf } from '../night/days-now.js';
import { daysIn, nightJob } from '../night/wanted-days.js';
import type { RunReport } from '../night/report.js';
import { dataFiles } from '../disk/paths.js';
import { formatCount, plural, type Terminal } from '../terminal/terminal.js';
import { assertSamePrivacy, storedKey } from '../warehouse/privacy.js';
import { warnAll, type Command, type JsonOptions } from './shared.js';

export type Plan = Awaited<ReturnType<typeof makePlan>>;

export const planCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const config = invocation.loadConfig();
  requireSettings(config, 'startDate');
  const job = nightJob(config, invocation.effects.now());
  return printPlan(await makePlan(job, config, invocation), json, invocation.terminal);
};

/** Plans a job from the published file and the ledger. Throws ConfigError if the run would. */
export async function makePlan(job: Job, config: Config, { effects }: Invocation) {
  const now = effects.now();
  const { wanted, state, counted, ...published } = await daysNow(config, effects, () => job);
  if (existsSync(dataFiles(config.dataDir).working))
    assertSamePrivacy(published.privacy, { ...config.privacy, key: await storedKey(config.dataDir) });
  const entries = state.ledger.entries();
  const { pricePerRecord, currency = null, budget } = config.exports;
  const priceOfAll = (records: number): number => priceOf([{ records, pricePerRecord }]);
  const free = (stream: StreamName): { missing: Day[]; again: Day[] } => ({
    missing: daysIn(wanted, stream, 'missing'),
    again: daysIn(wanted, stream, 'restatable'),
  });
  const decisions = wanted.flatMap(({ decision }) => decision ?? []).reverse();
  const planned = ({ day, estimate }: Decision) => ({
    date: day,
    estimated_records: estimate ?? null,
    /** True if the estimate is a forecast, because the run has not pulled the day's statistics yet. */
    is_forecast: estimate !== undefined && !counted.has(day),
    /** True if the run pulls the day's statistics before it decides about the day. */
    statistics_first: job.streams.has('statistics') && !counted.has(day),
  });
  const toRequest = decisions.filter(({ verdict }) => verdict === 'request');
  const sized = toRequest.flatMap(({ estimate }) => estimate ?? []);
  const records = sized.length === toRequest.length ? sumOf(sized) : null;
  const yesterday = shiftDay(dayOf(now), -1);
  const complete = completeFrom(yesterday);
  const month = monthOf(now);
  const { events } = config.retention;
  const before = events === undefined ? null : shiftDay(dayOf(now), -events);
  const loaded = published.coverage.flatMap(({ stream, date }) => (stream === 'events' ? [date] : []));
  const old = loaded.filter((day) => !published.removed.includes(day));
  return {
    command: job.name,
    /** The data folder if it is new. If the old data is in another folder, everything would be loaded and paid for again. */
    new_folder: state.journal.head.seq === 0 && state.doubt === undefined ? resolve(config.dataDir) : null,
    days: dayCount(job.days) > 0 ? job.days : null,
    /** Yesterday, with the instant at which it will be complete; null if it is complete already. */
    not_yet: complete > now ? { day: yesterday, complete_from: formatKst(complete) } : null,
    /** Days that the warehouse lacks, and days to request again because their counts may still change. */
    free: Object.fromEntries(FREE_DAY_STREAMS.map((stream) => [stream, free(stream)])),
    /** The reference data of which the run takes a snapshot, with the day of the previous snapshot. */
    reference: snapshotsOn(config)
      .filter((stream) => dayCount(job.days) > 0 && job.streams.has(stream.startsWith(OWN) ? 'own' : stream))
      .map((stream) => ({ stream, last: newestOf(published.coverage, stream) ?? null })),
    /** The days whose events the next run removes; null without `retention.events`. */
    retention: before === null ? null : { events: old.filter((day) => day < before).sort() },
    events: {
      budget: budget
        ? { records_per_run: budget.recordsPerRun, records_per_month: budget.recordsPerMonth }
        : null,
      to_request: toRequest.map(planned),
      not_requested: decisions.flatMap((decision) =>
        decision.verdict === 'request' ? [] : [{ ...planned(decision), reason: decision.verdict }],
      ),
      /** Paid exports that are not loaded yet; resuming them is free. */
      under_way: keysUnderWay(entries),
      needs_attention: state.needed,
      /** Null if the size of a requested day is unknown. */
      estimated_records: records,
      estimated_price: records === null ? null : priceOfAll(records),
      currency,
      month: spendOf(entries).find((spend) => spend.month === month) ?? spentIn(month, []),
    },
  };
}

export function printPlan(plan: Plan, json: boolean | undefined, terminal: Terminal): ExitCode {
  const { days, new_folder, not_yet, events, retention } = plan;
  const line = (label: string, text: string): void => {
    terminal.out(`  ${label.padEnd(24)}  ${text}`);
  };
  if (json === true) {
    const { command, days: range, free, ...rest } = plan;
    terminal.out(JSON.stringify({ command, days: range, ...free, ...rest }));
    return events.needs_attention.length > 0 ? EXIT.incomplete : EXIT.done;
  }
  const range = days === null ? 'start_date is not complete yet' : `${days.start} to ${days.end} (KST days)`;
  terminal.out(`${plan.command}: ${range}`);
  const again = `are ${events.budget === null ? 'loaded' : 'paid for'} again`;
  if (new_folder !== null) terminal.out(`  ${new_folder} is new: days in another data folder ${again}`);
  if (not_yet !== null) terminal.out(`  ${not_yet.day} is complete from ${not_yet.complete_from}`);
  for (const [stream, { missing, again }] of Object.entries(plan.free)) {
    if (missing.length + again.length > 0)
      line(
        stream,
        (missing.length === 0 ? 'no day is missing' : `missing ${listDays(missing)}`) +
          (again.length === 0 ? '' : `; refresh ${listDays(again)}`),
      );
  }
  for (const { stream, last } of plan.reference)
    line(stream, `new snapshot; ${last === null ? 'none yet' : `latest ${last}`}`);
  for (const [n, text] of eventLines(events, plan.command).entries()) line(n === 0 ? 'events' : '', text);
  if (retention !== null && retention.events.length > 0)
    line('retention', `removes events of ${listDays(retention.events)}`);
  return warnAll(terminal, events.needs_attention);
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function eventLines(
  { budget, to_request, not_requested, under_way, month, ...events }: Plan['events'],
  command: string,
) {
  if (budget === null) return ['off: exports.budget is not set, so no paid request is sent'];
  const { currency } = events;
  const size = (records: number): string => `${formatCount(records)} records`;
  const price = (amount: number | null): string => pricePart(amount, currency, 'about ');
  const list = (days: readonly { readonly date: Day }[]): string => listDays(days.map(({ date }) => date));
  const named = (what: string, days: string): string => (days === '' ? '' : `${what}: ${days}`);
  const unknown = not_requested.filter(({ reason }) => reason === 'no_estimate').map(({ date }) => date);
  const sized = to_request.flatMap(({ estimated_records }) => estimated_records ?? []);
  const unsized = to_request.length - sized.length;
  const also = unsized === 0 ? '' : `, and ${plural(unsized, 'day')} of unknown size`;
  const sizes = sized.length === 0 ? 'of unknown size' : `about ${size(sumOf(sized))}${also}`;
  const head =
    to_request.length > 0
      ? `request ${plural(to_request.length, 'day')} (${list(to_request)}), ${sizes}${price(events.estimated_price)}`
      : unknown.length > 0
        ? 'nothing can be estimated yet'
        : 'nothing to request';
  const forecast = [...to_request, ...not_requested].filter((day) => day.is_forecast);
  const undecided = not_requested.filter((day) => day.reason === 'no_estimate' && day.statistics_first);
  const others = not_requested.filter((day) => !undecided.includes(day));
  const limits = { recordsPerRun: budget.records_per_run, recordsPerMonth: budget.records_per_month };
  const who = command === 'run' ? '`run`' : '`backfill --yes-paid`';
  const once = `requested within the budget once ${who} has the statistics`;
  return [
    head,
    named('forecast until the run has pulled their statistics', list(forecast)),
    named(once, list(undecided)),
    ...notRequestedLines(others, REASONS, limits),
    named('to learn the size and the price first, at no cost', freeFirst(unknown)),
    named('in progress, at no further cost', under_way.join(', ')),
    `budget ${size(budget.records_per_run)} a run, ${formatCount(budget.records_per_month)} a month`,
    `${month.month} so far ${spentInWords(month, currency)}`,
  ].filter((line) => line !== '');
}

function freeFirst(days: readonly Day[]): string {
  const [first, ...more] = [...days].sort();
  if (first === undefined) return '';
  return `dawnload backfill --start ${first} --end ${more.at(-1) ?? first} --streams statistics`;
}

export function spentInWords(spent: Plan['events']['month'], currency: string | null): string {
  const { exports, records, price, estimated_records: estimated, exports_of_unknown_size: unknown } = spent;
  const expected = estimated === 0 ? '' : ` (${formatCount(estimated)} of them expected)`;
  const unsized = unknown === 0 ? '' : ` (${formatCount(unknown)} of unknown size)`;
  const priced = pricePart(price, currency, expected + unsized && 'about ');
  return `${plural(exports, 'export')}${unsized}, ${formatCount(records)} records${expected}${priced}`;
}

export function notRequestedLines(
  unpaid: readonly (Omit<RunReport['notRequested'][number], 'reason'> & { readonly reason: string })[],
  reasons: Readonly<Record<string, string>>,
  budget: Budget | undefined,
): string[] {
  return [...new Set(unpaid.map(({ reason }) => reason))].map((reason) => {
    const days = unpaid.filter((day) => day.reason === reason);
    const estimates = days.flatMap(({ estimated_records }) => estimated_records ?? []);
    const records = sumOf(estimates);
    const about = records === 0 ? '' : `, about ${formatCount(records)} records`;
    const list = listDays(days.map(({ date }) => date));
    const line = `not requested, ${reasons[reason] ?? reason}: ${list}${about}.`;
    return `${line} ${explainLimit(reason, estimates, budget) ?? ''}`.trimEnd();
  });
}

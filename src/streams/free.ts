/**
 * Shared by the free statistics (E17, E18, E19). Ranges are split if the service needs smaller ones. An answer that would empty
 * most of a loaded day is held back until two nights agree or you accept it.
 */
import { z } from 'zod';
import { areNightsApart, rangesOf, type Day, dayCount, halvesOf, type DayRange } from '../ground/calendar.js';
import { ApartError } from '../ground/errors.js';
import type { Gap, StreamName } from '../ground/streams.js';
import type { Pull } from '../landing/landing-zone.js';
import type { LoadContext } from '../warehouse/load.js';
import { count } from '../warehouse/session.js';
import type { PullParts } from './stream.js';
import type { Body } from '../ground/envelope.js';
import type { ServiceAnswer } from '../service/client.js';

export async function heldBackAmong(
  days: readonly Day[],
  { warehouse }: Pick<PullParts, 'warehouse'>,
  stream: StreamName,
): Promise<Day[]> {
  const heldBack = new Set(await warehouse.heldBack(stream));
  return days.filter((day) => heldBack.has(day));
}

export function gapsOf(heldBack: readonly Day[], stream: StreamName): Gap[] {
  return rangesOf(heldBack).map((days) => ({
    stream,
    days,
    reason:
      'The answer was empty, or less than half of the earlier one, so the warehouse keeps the earlier one. ' +
      'The next run requests it again and accepts it if both nights agree. To accept it now: ' +
      `\`dawnload backfill --start ${days.start} --end ${days.end} --accept-empty\`.`,
  }));
}

export async function replaceDays(
  { session, group }: LoadContext,
  tables: { readonly table: string; readonly parts: string },
  replace: () => Promise<void>,
): Promise<void> {
  await session.run('shared/begin_end/contents', { ...group, ...tables });
  await session.run('shared/begin_end/clear_notes', group);
  await replace();
  await session.run('shared/begin_end/drift', group);
  await session.run('shared/begin_end/cover', { ...group, table: tables.table, day: 'date' });
  await session.run('shared/begin_end/contents', { ...group, ...tables });
}

const size = z.object({ rows: count, messages: count });

const change = z.object({
  key: z.string(),
  before: size,
  after: size,
  heldBack: z.array(size.extend({ pulledAt: z.date() })),
});

/**
 * Excludes days that the pull must not replace, and records them in `ops.held_back`. Requires the load's transaction and its table `sizes`.
 *
 * @throws ApartError when several pulls are given and a day may have to be held back: an earlier one may decide whether a later one is
 *   accepted
 */
export async function holdBack({ session, group }: LoadContext, pulls: readonly Pull[]): Promise<void> {
  const losses = (await session.rows('shared/losses/found', change, group)).filter(({ before, after }) =>
    isLoss(before, after),
  );
  const [pull, ...others] = pulls;
  if (pull === undefined || losses.length === 0) return;
  if (others.length > 0) throw new ApartError('The pulls must be loaded one by one.');
  if (pull.facts.accepted) return;
  const heldBack = losses.filter(
    ({ before, after, heldBack: earlier }) =>
      !replaces(before, { ...after, pulledAt: pull.pulledAt }, earlier),
  );
  await session.run('shared/losses/hold_back', { ...group, held_back_keys: heldBack.map(({ key }) => key) });
}

// The following functions decide whether an answer may replace a loaded day. Pure: the same answers in the same order give the same rows,
// also in a rebuild.

/** The size of a day in the warehouse, or in an answer. */
export interface Size {
  readonly rows: number;
  /** The sum of `message_sent`; 0 if the stream counts no messages. */
  readonly messages: number;
}

/** An answer, and the instant at which it arrived. */
export interface Candidate extends Size {
  readonly pulledAt: Date;
}

/**
 * True if the candidate replaces the rows of the day.
 *
 * @param before the day in the warehouse; undefined if it is not loaded
 * @param heldBack the answers held back since the day was last replaced
 */
export function replaces(
  before: Size | undefined,
  candidate: Candidate,
  heldBack: readonly Candidate[],
): boolean {
  if (before === undefined || !isLoss(before, candidate)) return true;
  return heldBack.some(
    (other) =>
      areNightsApart(other.pulledAt, candidate.pulledAt) &&
      !isLoss(other, candidate) &&
      !isLoss(candidate, other),
  );
}

/** True if the new answer is empty although there were rows, or has less than half of the messages. */
export function isLoss(before: Size, after: Size): boolean {
  return before.rows > 0 && (after.rows === 0 || after.messages * 2 < before.messages);
}

/** Maximum number of days per request, because a month of a busy project is already a large answer. */
export const LONGEST_RANGE_DAYS = 31;

/** Number of retries after a `Timeout` for a single day, which cannot be halved. */
const PATIENCE = 2;

/** Yields the answers for a range. If the service answers `Timeout` or too many bytes, the range is halved, repeatedly if needed. */
export async function* answersIn<B extends Body>(
  range: DayRange,
  ask: (part: DayRange) => Promise<ServiceAnswer<B>>,
): AsyncGenerator<ServiceAnswer<B> & { readonly days: DayRange }> {
  const isDay = dayCount(range) === 1;
  let answer = await ask(range);
  for (let nth = 0; isDay && answer.verdict.kind === 'timeout' && nth < PATIENCE; nth++)
    answer = await ask(range);
  if (isDay || (answer.verdict.kind !== 'timeout' && answer.verdict.kind !== 'oversized'))
    yield { ...answer, days: range };
  else for (const half of halvesOf(range)) yield* answersIn(half, ask);
}

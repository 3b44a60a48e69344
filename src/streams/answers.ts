/** The answers of free statistics (E17, E18, E19) for a range of days, in parts where the service needs smaller ones. */
import { dayCount, halvesOf, type DayRange } from '../ground/calendar.js';
import type { Body } from '../ground/envelope.js';
import type { ServiceAnswer } from '../service/client.js';

/** Maximum number of days per request; a month of a busy project is already a large answer. */
export const LONGEST_RANGE_DAYS = 31;

/** Number of retries after a `Timeout` for a single day, which cannot be halved. */
const PATIENCE = 2;

/**
 * Yields the answers for a range. If the service answers `Timeout` or too many bytes, the range is halved until it
 * succeeds.
 */
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

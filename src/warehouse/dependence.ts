/** What the headers of models and checks say of the streams that they are made of. */
import { z } from 'zod';
import { STREAMS, type Stream } from '../storage/pull.js';

export interface Dependence {
  /** The streams whose changes make days dirty. */
  readonly streams: readonly Stream[];
  /** How many days a day looks back at, and so how many days later a changed day still matters. */
  readonly lookback: number;
  /** A changed day matters on every later day that holds events, however few of them it looks back at. */
  readonly allLater: boolean;
  /** Rows are replaced by the day, or by the week. */
  readonly partition: 'day' | 'week';
}

/** `events, statistics`. */
export const dependsOn = z
  .string()
  .transform((list) => list.split(', '))
  .pipe(z.array(z.enum(STREAMS)).min(1));

/** `27 days`. */
export const lookback = z
  .string()
  .regex(/^\d+ days$/)
  .transform((text) => Number.parseInt(text, 10))
  .default(0);

/** `all later days`, or no such header. */
export const dirties = z
  .literal('all later days')
  .optional()
  .transform((text) => text !== undefined);

/**
 * Whether days whose events are archived are left as they are: where something is computed of events. What looks at all
 * streams takes each as it is.
 */
export function sparesArchived({ streams }: Dependence): boolean {
  return streams.includes('events') && streams.length < STREAMS.length;
}

/** What depends on the same days in the same way. */
export function keyOf({ streams, lookback, allLater, partition }: Dependence): string {
  return JSON.stringify([streams, lookback, allLater, partition]);
}

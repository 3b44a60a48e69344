/** Values that several sections of the settings have; the message of each rule describes the valid ones. */
import { z } from 'zod';
import { isDay } from '../ground/calendar.js';

/** A text that is not empty. */
export const text = (what: string): z.ZodString => z.string(what).min(1, what);

export const day = z
  .string('must be a day such as 2026-11-01')
  .refine(isDay, 'must be a day that exists, such as 2026-11-01');

/** The name of something that becomes part of the warehouse, such as a table or a holdout. */
export const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,40}$/, 'must be a name of small letters, digits and _');

/** Accepts an empty text: the value of a section whose lines are all commented out. */
export const orEmpty = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given) => (given === '' ? {} : given), schema);

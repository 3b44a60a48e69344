/** The kinds of values in settings. Every scalar arrives as text (see `readSettings`); each message describes the valid values. */
import { z } from 'zod';
import { isDay } from '../ground/calendar.js';
import { bytesIn } from '../ground/text.js';
import { formatCount } from '../terminal/text.js';

export const day = z
  .string('must be a day such as 2026-11-01')
  .refine(isDay, 'must be a day that exists, such as 2026-11-01');

export function number(
  low: number,
  high: number,
  what: string,
  form = /^\d+(\.\d+)?$/,
): z.ZodType<number, string> {
  return z
    .string(what)
    .refine((text) => form.test(text), what)
    .transform(Number)
    .refine((value) => value >= low && value <= high, what);
}

export function whole(low: number, high: number): z.ZodType<number, string> {
  return number(
    low,
    high,
    `must be a whole number from ${formatCount(low)} to ${formatCount(high)}`,
    /^\d+$/,
  );
}

export const matching = (form: RegExp, what: string): z.ZodString => z.string(what).regex(form, what);

/** Also accepts empty text, which is the value of a section whose lines are all commented out. */
const orEmpty = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? {} : value), schema);

/** The message if there is a text or a list where a section is expected. */
const insteadOf = (what = 'must have "key: value" lines') => ({
  error: ({ code }: { code: string }) => (code === 'invalid_type' ? what : undefined),
});

export const section = <T extends z.core.$ZodLooseShape>(shape: T, what?: string) =>
  orEmpty(z.strictObject(shape, insteadOf(what)));

/**
 * An object whose keys the user chooses.
 *
 * @param what the message if the value is something else
 */
export const byName = <T extends z.ZodType>(value: T, name: z.ZodString = z.string(), what?: string) =>
  orEmpty(z.record(name, value, what ?? insteadOf()));

export const yesOrNo = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true');

/** Any text that is not empty and has no NUL, because paths and commands cannot have it. */
export const text = (what: string): z.ZodString => z.string(what).regex(/^[^\0]+$/, what);

export const currency = matching(/^[^\p{C}\p{Z}]{1,12}$/u, 'must be a currency such as KRW');

/** A size in bytes of at least 1 MiB. */
export function size(mostGiB: number): z.ZodType<number, string> {
  const what = `must be a size from 1MiB to ${mostGiB}GiB, such as 500MB`;
  return z
    .string(what)
    .transform((text) => bytesIn(text) ?? 0)
    .refine((bytes) => bytes >= 2 ** 20 && bytes <= mostGiB * 2 ** 30, what);
}

export const parameter = (what = 'parameter'): z.ZodString =>
  matching(/^[A-Za-z0-9_.[\]-]+$/, `must be the name of a ${what}`);

export const answerText = text('must be the text of an answer').refine(
  (answer) => answer.trim() !== '',
  'must not be blank',
);

export function ids(what: string): z.ZodType<readonly string[]> {
  return z.array(z.string(what).min(1, what), what).transform((all) => [...new Set(all)]);
}

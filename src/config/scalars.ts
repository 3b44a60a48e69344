/** The scalars of the settings. Each arrives as text; each rule names what it accepts. */
import { z } from 'zod';
import { isDay } from '../calendar.js';

export const day = z
  .string('must be a day such as 2026-11-01')
  .refine(isDay, 'must be a day that exists, such as 2026-11-01');

export function number(low: number, high: number, what: string): z.ZodType<number, string> {
  return z
    .string(what)
    .refine((text) => /^\d+(\.\d+)?$/.test(text), what)
    .transform(Number)
    .refine((value) => value >= low && value <= high, what);
}

export function whole(low: number, high: number): z.ZodType<number, string> {
  const what = `must be a whole number from ${low} to ${high}`;
  return z
    .string(what)
    .refine((text) => /^\d+$/.test(text), what)
    .transform(Number)
    .refine((value) => value >= low && value <= high, what);
}

/** A word of the service's vocabulary: it becomes part of field names and channel names. */
export const word = z
  .string('must be one word')
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be one word of letters, digits, - and _');

/** The message for a text or a list where `key: value` lines belong. */
export const NO_SECTION = {
  error: (issue: { code: string }) =>
    issue.code === 'invalid_type' ? 'must hold "key: value" lines' : undefined,
};

export const yesOrNo = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true');

/** The name of a parameter of the service. */
export function parameter(what: string): z.ZodString {
  return z.string(what).regex(/^[A-Za-z0-9_.[\]-]+$/, what);
}

/** Whether requests to the address would carry secrets unencrypted beyond this machine. */
export function isUnencrypted(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
}

/** Whether the address is this machine. */
export function isLoopback(baseUrl: string): boolean {
  // Numeric addresses come out of URL in their normal form, so that nothing else looks like one.
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

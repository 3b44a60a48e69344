/** The `Retry-After` header. Pure. */

/** `Retry-After`, seconds or an HTTP date, as milliseconds from `now`; undefined when absent or not understood. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

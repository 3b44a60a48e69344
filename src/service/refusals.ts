/**
 * The answers that mean that a request that must not be repeated (E13, E16, E20) did nothing: a list, so that every other
 * answer is unknown, and waits for a person. A wrong class of `judge` costs a request; here it would cost money, or reach
 * people twice.
 */
import { partValue, type Envelope, type Part } from '../ground/envelope.js';
import { errorWords } from './client.js';

/**
 * The status, and the whole value of `error` or `status`, in any case. They are the errors of the caller in the
 * specification (Errors; Authentication; States and transitions), and the reason phrases of statuses that are given before
 * a request is processed.
 */
const REFUSALS: readonly (readonly [status: number, value: string])[] = [
  [400, 'InvalidRequest'],
  [401, 'Unauthorized'],
  [401, 'Invalid Authorization Token'],
  [404, 'not_found'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [429, 'Too Many Requests'],
];

/** The keys of a refusal. An answer with another key may tell of work that was done, so a person judges it. */
const ERROR_KEYS: ReadonlySet<string> = new Set([
  ...['error', 'message', 'status', 'statusCode', 'code', 'data'],
  ...['path', 'timestamp', 'projectId', 'durationMs'],
]);

/** The values of `status` beside an error; any other one is about an export (E21). */
const ERROR_STATUSES: readonly unknown[] = ['error', 'not_found'];

/**
 * The meaning of an answer: a refusal is an entry of the list in a body that is JSON alone and holds neither data nor an
 * export id. An `error` has such a body too, with another text, which a person may judge.
 */
export function readError(
  status: number,
  envelope: Envelope,
  body: Buffer,
): { kind: 'refused' } | { kind: 'error'; text: string } | { kind: 'unknown' } {
  if (envelope.kind !== 'object') return { kind: 'unknown' };
  const { parts } = envelope;
  const text = errorWords(envelope, body);
  if (text === undefined || envelope.twice.size > 0 || !isErrorAlone(parts, body)) return { kind: 'unknown' };
  const values = ['error', 'status']
    .map((key) => partValue(body, parts.get(key)))
    .filter((value) => typeof value === 'string');
  const isRefusal = (value: string): boolean =>
    REFUSALS.some(([code, known]) => code === status && isSame(value, known));
  const isPlain = [...parts].every(
    ([key, part]) => ERROR_KEYS.has(key) || (key === 'success' && partValue(body, part) === false),
  );
  return isPlain && values.length > 0 && values.every(isRefusal)
    ? { kind: 'refused' }
    : { kind: 'error', text };
}

/** True if a body is valid JSON and holds no data, no state of an export and, at any depth, no export id. */
function isErrorAlone(parts: ReadonlyMap<string, Part>, body: Buffer): boolean {
  const keys: string[] = [];
  try {
    JSON.parse(body.toString('utf8'), (key, value: unknown) => {
      keys.push(key);
      return value;
    });
  } catch {
    return false;
  }
  const hasId = keys.some((key) => /^export_?id$/i.test(key));
  const [data, status] = ['data', 'status'].map((key) => partValue(body, parts.get(key)));
  return !hasId && (data ?? null) === null && (typeof status !== 'string' || ERROR_STATUSES.includes(status));
}

/** True if a person has listed the text as a refusal: compared whole, without case. */
export function isJudged(text: string, refusals: readonly string[]): boolean {
  return refusals.some((judged) => isSame(judged, text));
}

/** True if two texts differ in case and spaces alone. */
export function isSame(a: string, b: string): boolean {
  const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  return folded(a) === folded(b);
}

/**
 * Classifies an answer. The body decides; the status counts only if the body is inconclusive, since the specification
 * does not define statuses and errors arrive with status 200 too (specification, Errors).
 */
import { Secrets, withoutPeople } from '../ground/redaction.js';
import { cut } from '../ground/text.js';
import { partValue, readEnvelope, type Envelope } from '../ground/envelope.js';

/** An HTTP answer with its body decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** The header `Date`, which shows the service's clock. */
  readonly date: string | undefined;
  readonly body: Buffer;
}

/** The class of an answer, or of a missing answer. */
export type AnswerClass =
  /** A JSON body without a sign of an error. */
  | { readonly kind: 'ok'; readonly envelope: Envelope }
  /** The service rejects the token (401, `Unauthorized`, `Invalid Authorization Token`). */
  | { readonly kind: 'unauthorized'; readonly reason: string }
  /** The keys have no access to the project (403). */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The service ran out of time (`{error: Timeout}`, 408); a smaller request may succeed. */
  | { readonly kind: 'timeout'; readonly reason: string }
  /** The service refused the request, and would refuse the same request again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Too many requests (429). */
  | { readonly kind: 'busy'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** The service, or a proxy before it, failed (5xx, `InternalServerError`, a truncated body or one that is not JSON). */
  | { readonly kind: 'broken'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** A redirect (3xx). It is never followed, since the token would be sent along. */
  | { readonly kind: 'redirected'; readonly reason: string }
  /** No answer arrived. `sent` is false only if the request provably never left this machine. */
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly sent: boolean;
      readonly retryAfterMs?: undefined;
      readonly cause: unknown;
    }
  /** The body is larger than any valid answer. */
  | { readonly kind: 'oversized'; readonly reason: string };

const UNAUTHORIZED = /unauthori[sz]ed|invalid authorization token|jwt (expired|malformed)/i;
const TIMEOUT = /time[d]?[\s-]?out|shorter date range/i;
const SERVER_ERROR = /internal\s?server\s?error|internal error|service unavailable|bad gateway/i;

/**
 * Classifies an answer.
 *
 * @param telling the key whose presence alone makes the body a valid answer, whatever its status: `status` of E21's
 *   results, `export_id` of E20
 * @param secrets texts that are hidden in every reason
 */
export function judge(
  answer: RawAnswer,
  now: Date,
  telling?: string,
  secrets: Secrets = new Secrets(),
): AnswerClass {
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  const envelope = readEnvelope(answer.body);
  if (telling !== undefined && envelope !== undefined) {
    const told = textOf(envelope, answer.body, telling);
    const message = textOf(envelope, answer.body, 'message') ?? '';
    // The result of an export has one shape for every error, including an expired token.
    if (told === 'error' && (answer.status === 401 || UNAUTHORIZED.test(message))) {
      return { kind: 'unauthorized', reason: clean(`HTTP ${answer.status}: ${message}`, secrets) };
    }
    if (told !== undefined) return { kind: 'ok', envelope };
  }
  const said = envelope === undefined ? plainText(answer) : errorWords(envelope, answer.body);
  const words = said === undefined ? undefined : clean(said, secrets);
  const status = `HTTP ${answer.status}`;

  if (words !== undefined) {
    const reason = `${status}: ${words}`;
    if (UNAUTHORIZED.test(words)) return { kind: 'unauthorized', reason };
    if (TIMEOUT.test(words)) return { kind: 'timeout', reason };
    if (SERVER_ERROR.test(words)) return { kind: 'broken', reason, retryAfterMs };
  }
  const { status: code } = answer;
  const reason = words === undefined ? status : `${status}: ${words}`;
  if (code === 401) return { kind: 'unauthorized', reason };
  if (code === 403) return { kind: 'forbidden', reason };
  if (code === 408) return { kind: 'timeout', reason };
  if (code === 429) return { kind: 'busy', reason, retryAfterMs };
  if (code >= 300 && code < 400) {
    return { kind: 'redirected', reason: clean(`${status} to ${originOf(answer.location)}`, secrets) };
  }
  if (code >= 500) return { kind: 'broken', reason, retryAfterMs };
  if (code >= 400 || (words !== undefined && envelope !== undefined)) return { kind: 'refused', reason };
  if (envelope === undefined) {
    const what = words === HTML ? HTML : 'a body that is not complete JSON';
    return { kind: 'broken', reason: `${status} with ${what}`, retryAfterMs };
  }
  return { kind: 'ok', envelope };
}

/**
 * Returns the error texts of a body unchanged, in any of the known shapes: `{data: null, error: string}`, `{error,
 * message}`, `{data: null, error: {code, message}}`, `{status: error | not_found, message}`, and a `resultCode` other
 * than 0 with its `resultMessage` (E10). Returns undefined if the body reports no error.
 */
export function errorWords(envelope: Envelope, body: Buffer): string | undefined {
  if (envelope.kind === 'array') return undefined;
  const error = partValue(body, envelope.parts.get('error'));
  const message = partValue(body, envelope.parts.get('message'));
  const told = /^(error|not_found)$/.test(textOf(envelope, body, 'status') ?? '');
  const isError = told || (error !== undefined && error !== null);
  const words = [
    ...(told ? ['error'] : []),
    ...wordsOf(error),
    ...(isError ? wordsOf(message) : []),
    ...resultWords(envelope, body),
  ];
  return words.length === 0 ? undefined : words.join(': ');
}

function resultWords({ parts }: Envelope & { kind: 'object' }, body: Buffer): string[] {
  const code = partValue(body, parts.get('resultCode'));
  if ((typeof code !== 'number' && typeof code !== 'string') || Number(code) === 0) return [];
  return [`resultCode ${code}`, ...wordsOf(partValue(body, parts.get('resultMessage')))];
}

/** Returns the text of one of the outermost keys; undefined if the key is absent or its value is not text. */
export function textOf(envelope: Envelope, body: Buffer, key: string): string | undefined {
  const value = envelope.kind === 'object' ? partValue(body, envelope.parts.get(key)) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'code' || key === 'message') && typeof inner === 'string' ? [inner] : [],
  );
}

const HTML = 'an HTML page, as a proxy would send it';

/** Returns a body that is plain text: E18 is known to refuse in this way, whatever its content type. */
function plainText({ body, contentType }: RawAnswer): string | undefined {
  // Longer than any shown text: a truncated secret would not be recognised.
  const text = body.toString('utf8', 0, 1024 * 1024).trim();
  if (text === '') return undefined;
  if (text.startsWith('<')) return HTML;
  if (text.startsWith('{') || text.startsWith('[') || contentType.startsWith('image/')) return undefined;
  return text;
}

/**
 * Shortens a text of the service to one line for a message, without secrets, persons, long numbers and control
 * characters.
 */
export function clean(text: string, secrets: Secrets = new Secrets()): string {
  const line = withoutPeople(secrets.hide(text), 1_000)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}]/gu, '')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '…')
    .replace(/\+?\d[\d -]{8,}\d/g, '…');
  return cut(line, 200);
}

function originOf(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  return URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** Parses `Retry-After`, in seconds or as an HTTP date, into milliseconds from `now`; undefined if absent or malformed. */
function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

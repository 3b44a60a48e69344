/**
 * Classifies answers by status and body, for every error shape in the specification. Also lists the refusals that prove that a request
 * which must not be repeated (E13, E16, E20) did nothing.
 */
import {
  bytesOf,
  partValue,
  readEnvelope,
  textOf,
  type Envelope,
  type Part,
  type Body,
} from '../ground/envelope.js';
import { ServiceError } from '../ground/errors.js';
import { withoutPeople } from '../documents/contacts.js';
import { Secrets } from '../ground/redaction.js';
import { cut } from '../ground/text.js';

/** An HTTP answer with its body decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly body: Body;
}

export type AnswerClass =
  | { readonly kind: 'ok'; readonly envelope: Envelope }
  /** The service rejects the token (401, `Unauthorized`, `Invalid Authorization Token`). */
  | { readonly kind: 'unauthorized'; readonly reason: string }
  /** The keys have no access to the project (403). */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The service ran out of time (`{error: Timeout}`, 408); a smaller request may succeed. */
  | { readonly kind: 'timeout'; readonly reason: string }
  /** The service refused the request, and would refuse the same request again. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'busy'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** The service, or a proxy in front of it, failed (5xx, `InternalServerError`, a body that is cut off or not JSON). */
  | {
      readonly kind: 'broken';
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      /** True if the body cannot be from the messaging service: an HTML page, or another text that is not JSON. */
      readonly isForeign?: boolean;
    }
  /** A redirect (3xx). It is never followed, because the token would be sent to the other address. */
  | { readonly kind: 'redirected'; readonly reason: string }
  /** No answer arrived. `sent` is false only if the request certainly never left this machine. */
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly sent: boolean;
      readonly retryAfterMs?: undefined;
      readonly cause: unknown;
      /** The part of the body that arrived before the connection broke. */
      readonly received: Buffer;
    }
  /** The decoded body exceeds the limit; `reason` names the limit and the setting that raises it. */
  | { readonly kind: 'oversized'; readonly reason: string };

const UNAUTHORIZED = /unauthori[sz]ed|invalid authorization token|jwt (expired|malformed)/i;
const TIMEOUT = /time[d]?[\s-]?out|shorter date range/i;
const SERVER_ERROR = /internal\s?server\s?error|internal error|service unavailable|bad gateway/i;

/**
 * Classifies an answer.
 *
 * @param discriminator the key that makes a body a valid answer, whatever its status: `status` of E21's results, `export_id` of E20
 * @param secrets texts to hide in reasons
 */
export function judge(
  answer: RawAnswer,
  now: Date,
  discriminator?: string,
  secrets: Secrets = new Secrets(),
): AnswerClass {
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  const envelope = readEnvelope(answer.body);
  if (discriminator !== undefined && envelope !== undefined) {
    const value = textOf(envelope, answer.body, discriminator);
    const message = textOf(envelope, answer.body, 'message') ?? '';
    // The result of an export (E21) has the same shape for every error, even for an expired token.
    if (value === 'error' && (answer.status === 401 || UNAUTHORIZED.test(message))) {
      return { kind: 'unauthorized', reason: clean(`HTTP ${answer.status}: ${message}`, secrets) };
    }
    if (value !== undefined) return { kind: 'ok', envelope };
  }
  const text = envelope === undefined ? plainText(answer) : errorWords(envelope, bytesOf(answer.body));
  const words = text === undefined ? undefined : clean(text, secrets);
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
    return { kind: 'broken', reason: `${status} with ${what}`, retryAfterMs, isForeign: true };
  }
  return { kind: 'ok', envelope };
}

/**
 * Returns the error texts of a body unchanged, for all known shapes: `{data: null, error: string}`, `{error, message}`, `{data: null,
 * error: {code, message}}`, `{status: error | not_found, message}`, and a `resultCode` other than 0 with its `resultMessage` (E10).
 * Undefined if the body reports no error.
 */
function errorWords(envelope: Envelope, body: Buffer): string | undefined {
  if (envelope.kind === 'array') return undefined;
  const error = partValue(body, envelope.parts.get('error'));
  const message = partValue(body, envelope.parts.get('message'));
  const hasErrorStatus = /^(error|not_found)$/.test(textOf(envelope, body, 'status') ?? '');
  const isError = hasErrorStatus || (error !== undefined && error !== null);
  const words = [
    ...(hasErrorStatus ? ['error'] : []),
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

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'code' || key === 'message') && typeof inner === 'string' ? [inner] : [],
  );
}

const HTML = 'an HTML page, as a proxy would send it';

/** Returns a body that is plain text, because E18 is known to refuse in this way, whatever its content type. */
function plainText({ body, contentType }: RawAnswer): string | undefined {
  // Keep more than is shown, because a secret that was cut off would not be recognized.
  const text = bytesOf(body)
    .toString('utf8', 0, 1024 * 1024)
    .trim();
  if (text === '') return undefined;
  if (text.startsWith('<')) return HTML;
  if (text.startsWith('{') || text.startsWith('[') || contentType.startsWith('image/')) return undefined;
  return text;
}

/** Returns the text on one line, without secrets, persons, long numbers and control characters. */
export function clean(text: string, secrets: Secrets = new Secrets()): string {
  const line = withoutPeople(secrets.hide(text), 1_000)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}]/gu, '')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '…')
    .replace(/\+?\d[\d -]{8,}\d/g, '…');
  return cut(line, 200);
}

/**
 * A text of the service, for you to judge. Removes words that occur in the call's values; words of one or two characters only if they are a
 * whole word of a value. The call's number of rows stays.
 */
export function withoutValuesOf(text: string, items: readonly string[]): string {
  const WORD = /[\p{L}\p{N}@._-]+/gu;
  const all = items.map((item) => item.replaceAll(/"(?:[^"\\]|\\.)*":/g, ' ')).join(' ');
  const values = ` ${all.toLowerCase().match(WORD)?.join('  ')} `;
  return withoutPeople(text, 500).replaceAll(WORD, (shown) => {
    const word = shown.toLowerCase();
    const isValue = values.includes(word.length < 3 ? ` ${word} ` : word);
    return isValue && word !== String(items.length) ? '…' : shown;
  });
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

// Answers proving that a request which must not be repeated (E13, E16, E20) did nothing. Any other answer is unknown and needs your
// decision, because a mistake here costs money or reaches people twice.

/**
 * The refusals: the status, and the whole value of `error` or `status`, in upper or lower case. They are the caller's errors in the
 * specification (Errors; Authentication; States and transitions), and the standard texts of statuses that are sent before any processing.
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

/** The keys that a refusal may have. Any other key may report completed work, so such an answer needs your decision. */
const ERROR_KEYS: ReadonlySet<string> = new Set([
  ...['error', 'message', 'status', 'statusCode', 'code', 'data'],
  ...['path', 'timestamp', 'projectId', 'durationMs'],
]);

/** Values of `status` that may accompany an error. Any other value is about an export (E21). */
const ERROR_STATUSES: readonly unknown[] = ['error', 'not_found'];

/**
 * Reads an error. It is a refusal if it is on the list and its JSON body has no data and no export id. You may judge any other text
 * yourself.
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
    REFUSALS.some(([code, refusal]) => code === status && isSame(value, refusal));
  const isPlain = [...parts].every(
    ([key, part]) => ERROR_KEYS.has(key) || (key === 'success' && partValue(body, part) === false),
  );
  return isPlain && values.length > 0 && values.every(isRefusal)
    ? { kind: 'refused' }
    : { kind: 'error', text };
}

/** True if a body is valid JSON without data, without the state of an export and, at any depth, without an export id. */
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

/** True if the settings list the text as a refusal. The whole text must match; case does not matter. */
export function isListedRefusal(text: string, refusals: readonly string[]): boolean {
  return refusals.some((judged) => isSame(judged, text));
}

export function isSame(a: string, b: string): boolean {
  const folded = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  return folded(a) === folded(b);
}

/** Returns the error, with a remedy, for a request without a usable answer. */
export function unanswered(
  baseUrl: string,
  what: string,
  verdict: Exclude<AnswerClass, { kind: 'ok' }>,
): ServiceError {
  const { host } = new URL(baseUrl);
  const { kind, reason } = verdict;
  const cause = kind === 'unreachable' ? verdict.cause : undefined;
  const error = (message: string, hint: string): ServiceError => new ServiceError(message, { hint, cause });
  if (kind === 'unreachable' && !verdict.sent)
    return isOfCertificate(reason)
      ? error(`The certificate of ${host} is not accepted (${reason}).`, CERTIFICATE)
      : error(
          `The service at ${host} cannot be reached (${reason}).`,
          HINTS[reason] ?? 'Check base_url and the network.',
        );
  if (kind === 'redirected')
    return error(
      `The service at ${host} redirects ${what} (${reason}), and redirects are not followed.`,
      'Set base_url to the address that answers without a redirect.',
    );
  // The messaging service never rejects E1 this way. HTML comes from a proxy or another server.
  const isForeign = kind === 'refused' || (kind === 'broken' && verdict.isForeign === true);
  return error(
    `The service at ${host} gave no usable answer to ${what} (${reason}).`,
    isForeign
      ? 'If this happens again, check base_url: it does not look like the service.'
      : 'Try again later. If it happens again, ask the operator of the service.',
  );
}

const HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No address is known for that name. Check base_url and the network.',
  EAI_AGAIN: 'The name lookup failed. Check the network and its name servers.',
  ECONNREFUSED: 'Nothing listens at that port. Check base_url, and HTTPS_PROXY or HTTP_PROXY where set.',
};

const CERTIFICATE =
  'Check base_url and this machine’s clock. If the issuer is your own, name its certificate in NODE_EXTRA_CA_CERTS. If not, ask your network team what is between this machine and the service.';

/** Error codes of a failed TLS handshake: no part of the request was sent. */
const OF_CERTIFICATE = new Set([
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

export const isOfCertificate = (code: string): boolean => OF_CERTIFICATE.has(code);

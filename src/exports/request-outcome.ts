/** E20, the only request that costs money: sends it once and classifies its outcome. */
import type { Window } from '../calendar.js';
import { ServiceError } from '../errors.js';
import { withoutPeople, type Secrets } from '../redaction.js';
import { errorWords, textOf } from '../api/answer.js';
import { partValue, readEnvelope, type Part } from '../envelope.js';
import type { Permit, ServiceAnswer } from '../api/client.js';
import { exportRequest } from '../api/endpoints.js';

export type RequestOutcome =
  /** The export exists; `rawAnswer` is the answer without secrets and personal data. */
  | { readonly kind: 'accepted'; readonly exportId: string; readonly rawAnswer: string }
  /** The request provably never left this machine: nothing is billed, and it may be sent again. */
  | { readonly kind: 'never_sent'; readonly reason: string; readonly cause: unknown }
  /** The service clearly refused: nothing is billed. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The outcome is unknown: the export may be billed, so the request is never repeated automatically. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly body: Buffer };

/** The HTTP statuses of a request that was refused before it was processed. */
const REFUSING_STATUSES = new Set([400, 401, 403, 404, 405, 422, 429]);

/**
 * Maximum size of a refusal in bytes. The specified errors are far smaller; a larger body contains more than a refusal.
 */
const LONGEST_REFUSAL = 16 * 1024;

/**
 * The error codes that the specification defines for errors of the caller (Errors; States and transitions: `not_found`).
 */
const REFUSING_CODES: ReadonlySet<unknown> = new Set([
  'InvalidRequest',
  'Unauthorized',
  'INVALID_ARGUMENT',
  'UNAUTHORIZED',
  'not_found',
]);

/**
 * Texts of a refusal without such a code: the request rate is too high, or the caller lacks a right. The specification
 * has texts of the second kind (E18, E19, Authentication). The service answers in two languages.
 */
const RATE_OR_RIGHT =
  /^((request was )?throttled|too many (concurrent )?(requests|calls|attempts)|(the |your |api )*(rate|request) limit(ed|ing)?( \w+){0,2}|\d+ requests per \w+|slow down|unauthori[sz]ed|unauthenticated|(access )?forbidden|not found|unprocessable (entity|content))$|(요청|호출).*너무 많|너무 많은 (요청|호출)|(요청|호출).*(한도|제한|횟수).*초과|한도.*초과/i;

/** Texts of a refusal that name a part of the request and its fault: "Invalid project id", "end must be after start". */
const PART =
  'requests?|body|json|input|param(?:eter)?s?|fields?|arguments?|values?|start|end|dates?|time(?:stamp)?s?|range|window|period|format|validation|is message data included|project|token|jwt|key|access|authori[sz]ation|authentication|permissions?|method|path|post';
const FAULT =
  'invalid|malformed|bad|missing|required|unknown|unexpected|unsupported|denied|expired|not|cannot|must|should|too|wrong|incorrect|insufficient|no|failed|error|exceeds?';
const SHAPE = [
  new RegExp(`^(?:you have )?(?:${FAULT})(?: \\w+){0,2} (?:${PART})(?: \\w+){0,4}$`, 'i'),
  new RegExp(`^(?:the |a |your |this )*(?:[\\w]+ )?(?:${PART})(?: \\S+){0,4}? (?:${FAULT})(?: \\S+)*$`, 'i'),
];
const KOREAN_PART =
  /요청|본문|파라미터|매개변수|형식|필드|값|날짜|시간|기간|시작|종료|프로젝트|키|접근|인증|토큰|권한/;
const KOREAN_FAULT = /잘못|유효하지|올바르지|없습|누락|필수|필요|아닙니다|여야|해야|거부|만료|실패/;

/** Accompanying texts that do not describe the cause: advice, an id, a number, a path, the name of a part. */
const NEUTRAL =
  /^(please )?(try|retry|contact)\b|^(잠시|나중|다시)|^\S*[\d/@]\S*$|^[^\p{L}]*$|^(error|start|end)$/iu;

/** The positions in a text at which a new clause may begin. */
const CLAUSES =
  /(?:[;:,!?()\n]|\\[nrt])+\s*|\.(?:\s+|$)|\s[-–—]+\s|\s(?:but|while|although|however|whereas)\s/i;

/**
 * Signs that an export was started or that a proxy answered, regardless of status and code. The whole body is searched,
 * because duplicate keys or nested objects may hide the signs.
 */
const SIGNS_OF_WORK =
  /time[d]?[\s-]?out|internal|unavailable|gateway|upstream|disconnect|already|duplicate|conflict|exists\b|progress|processing|pending|being \w+ed|running|job|queue|scheduled|submitted|started|begun|created|generat(ed|ing)|completed|accepted|(been|was) received|charged|billed|deducted|warning|partial|(were|was|been|is|are) (\w+ )?(exported|written|made|stored|saved|delivered|mailed|skipped|left|ignored|omitted|removed|dropped|cut|shortened|adjusted|replaced)|export_?id|이미|중복|(진행|처리|생성|실행|작업|대기|접수) ?중|(진행|처리|생성|실행|접수|등록|시작|예약|완료|추가|저장|전송|발송)(되(?!지)|됐|된|됨|했)|대기열|과금|청구|차감|제외|만들|만든/i;

/** The allowed values of `status` in a refusal; any other value means that the answer is about an export (E21). */
const REFUSING_WORDS = [undefined, 'error', 'not_found'];

/**
 * Requests one paid export. The caller must record the intent before the call and the outcome after it.
 *
 * @param window `start` is included, `end` is excluded
 */
export async function requestExport(
  permit: Permit,
  window: Window,
  messageData: boolean,
): Promise<RequestOutcome> {
  const answer = await permit.sendOnce(exportRequest(permit.projectId, window, messageData));
  return outcomeOf(answer, permit.secrets);
}

function outcomeOf({ verdict, body, status }: ServiceAnswer, secrets: Secrets): RequestOutcome {
  if (verdict.kind === 'unreachable') {
    return verdict.sent
      ? { kind: 'unknown', reason: verdict.reason, body }
      : {
          kind: 'never_sent',
          reason: verdict.reason,
          cause: new ServiceError(`The service cannot be reached (${verdict.reason}).`, {
            hint: 'Check base_url and the network. Nothing was billed.',
            cause: verdict.cause,
          }),
        };
  }
  const told = readAnswer(status ?? 0, body);
  const reason = verdict.kind === 'ok' ? `HTTP ${status ?? '?'} without an export_id` : verdict.reason;
  if (told.kind === 'accepted') {
    // The id is written to the ledger, to URLs and to the warehouse, none of which may contain a secret.
    if (secrets.holds(told.exportId))
      return { kind: 'unknown', reason: 'the export_id repeats a key or the token', body };
    return { ...told, rawAnswer: withoutPeople(secrets.hide(body.toString('utf8'))) };
  }
  return told.kind === 'refused' ? { kind: 'refused', reason } : { kind: 'unknown', reason, body };
}

/**
 * Determines from an answer to E20 whether the export is billed. An export id means billed, whatever the status. A
 * refusal requires one of a few statuses and an error of the service itself: either with a code of the specification, or
 * with texts that are all about the request rate, the caller's rights, or the shape of the request. After any other
 * answer the export may have been made and billed. Pure; the table is in docs/money.md.
 */
export function readAnswer(
  status: number,
  body: Buffer,
): { kind: 'accepted'; exportId: string } | { kind: 'refused' } | { kind: 'unknown' } {
  const envelope = readEnvelope(body);
  if (envelope?.kind !== 'object') return { kind: 'unknown' };
  const exportId = exportIdIn(envelope.parts, body);
  if (exportId !== undefined) return { kind: 'accepted', exportId };
  const isRefusal =
    REFUSING_STATUSES.has(status) &&
    body.length <= LONGEST_REFUSAL &&
    errorWords(envelope, body) !== undefined &&
    !hasData(envelope.parts, body) &&
    REFUSING_WORDS.includes(textOf(envelope, body, 'status')) &&
    !SIGNS_OF_WORK.test([body.toString('utf8'), ...textsIn(body)].join('\n')) &&
    (hasRefusingCode(envelope.parts, body) || areOfARefusal(textsIn(body)));
  return { kind: isRefusal ? 'refused' : 'unknown' };
}

function hasRefusingCode(parts: ReadonlyMap<string, Part>, body: Buffer): boolean {
  const [error, status] = ['error', 'status'].map((key) => partValue(body, parts.get(key)));
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : error;
  return REFUSING_CODES.has(code) || REFUSING_CODES.has(status);
}

/** All texts in a body except its keys, including the values of duplicate keys. */
function textsIn(body: Buffer): string[] {
  const strings = body.toString('utf8').matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g);
  return [...strings].flatMap(([, text = '', colon]) =>
    colon === undefined
      ? [
          text.replaceAll(/\\u([\da-f]{4})/gi, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          ),
        ]
      : [],
  );
}

/** True if at least one text gives the reason of a refusal and every other text is neutral. */
function areOfARefusal(texts: readonly string[]): boolean {
  const clauses = texts
    .flatMap((text) => text.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ').split(CLAUSES))
    .map((clause) => clause.replaceAll(/["'`\\]/g, '').trim())
    .filter((clause) => !NEUTRAL.test(clause));
  return (
    clauses.length > 0 &&
    clauses.every(
      (clause) =>
        RATE_OR_RIGHT.test(clause) ||
        SHAPE.some((shape) => shape.test(clause)) ||
        (KOREAN_PART.test(clause) && KOREAN_FAULT.test(clause)),
    )
  );
}

/** True if an answer carries data besides its error, so that it is not a plain refusal. */
function hasData(parts: ReadonlyMap<string, Part>, body: Buffer): boolean {
  return (partValue(body, parts.get('data')) ?? null) !== null;
}

/** The id as text. The digits of a number are taken from the body, because JavaScript rounds numbers above 2^53. */
function exportIdIn(parts: ReadonlyMap<string, Part>, body: Buffer): string | undefined {
  const part = parts.get('export_id');
  const id = partValue(body, part);
  if (typeof id === 'string' && id.trim() !== '') return id;
  return typeof id === 'number' && part !== undefined
    ? body.toString('latin1', part.start, part.end)
    : undefined;
}

/** True if the service clearly refused a call that is sent once, so that none of its rows was taken. */
export function isRefusal({ verdict, status, body }: ServiceAnswer): boolean {
  return (
    /^(refused|forbidden|unauthorized|busy)$/.test(verdict.kind) &&
    REFUSING_STATUSES.has(status ?? 0) &&
    /^\s*\{.*"(error|message)"/s.test(body.toString('utf8', 0, 4_096)) &&
    !SIGNS_OF_WORK.test(body.toString('utf8'))
  );
}

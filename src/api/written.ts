/** Reads from the answer to a request that writes (E2, E12, E13, E14, E16) which rows were taken. Pure. */
import { z } from 'zod';
import { CredentialsError } from '../errors.js';
import type { ServiceAnswer } from './client.js';

const ANSWERS = {
  E2: z.object({ error: z.null() }),
  E12: z.object({ success: z.literal(true) }),
  E16: z.object({ success: z.literal(true), code: z.literal(200).optional() }),
  E14: z.object({ data: z.int().nonnegative() }),
  E13: z.object({ message: z.string() }),
};

const ENDPOINTS = ['E2', 'E12', 'E13', 'E14', 'E16'] as const;

/** The number of rows that an answer says were taken; undefined if it does not say so, or says an impossible number. */
export function takenBy(
  endpoint: string,
  { verdict, body }: ServiceAnswer,
  rows: number,
): number | undefined {
  if (verdict.kind !== 'ok') return undefined;
  const written = ENDPOINTS.find((one) => one === endpoint);
  const answer = written && ANSWERS[written].safeParse(jsonOf(body));
  if (answer?.success !== true) return undefined;
  const taken =
    'data' in answer.data
      ? answer.data.data
      : 'message' in answer.data
        ? countIn(answer.data.message, rows)
        : rows;
  return taken === undefined || taken > rows ? undefined : taken;
}

/** The number in the text that E13 answers. If it holds several numbers, the lowest one counts as what was tracked. */
function countIn(message: string, rows: number): number | undefined {
  const numbers = (message.match(/\d+/g) ?? []).map(Number);
  if (numbers.length === 0 || /fail|error|\bnot\b|reject|ignor|skip|실패|거부|무시|못/i.test(message))
    return undefined;
  const lowest = Math.min(...numbers);
  return lowest < rows || numbers.every((one) => one === rows) ? lowest : undefined;
}

const rejection = z.object({
  error: z.object({
    code: z.string().optional().catch(undefined),
    details: z
      .array(z.object({ path: z.array(z.union([z.string(), z.number()])), code: z.string() }))
      .optional()
      .catch(undefined),
  }),
});

/** The rows of a call that E2 names in the details of its error, by position, each with its reason; messages are not read. */
export function namedIn({ body }: ServiceAnswer, rows: number): Map<number, string> {
  const found = new Map<number, string>();
  const error = rejection.safeParse(jsonOf(body));
  for (const { path, code } of error.success ? (error.data.error.details ?? []) : []) {
    const [list, position = '', field] = path;
    // A path holds strings or integers.
    const nth = /^\d+$/.test(String(position)) ? Number(position) : rows;
    if (list !== 'items' || nth >= rows || found.has(nth)) continue;
    found.set(nth, `${typeof field === 'string' ? `${field}: ` : ''}${word(code)}`);
  }
  return found;
}

/** The reason of a refusal without the service's sentences, which may repeat a value: `HTTP 400, INVALID_ARGUMENT`. */
export function refusalOf({ status, body }: ServiceAnswer): string {
  const error = rejection.safeParse(jsonOf(body));
  const code = error.success ? error.data.error.code : undefined;
  return `HTTP ${status ?? '?'}${code === undefined ? '' : `, ${word(code)}`}`;
}

/** A code of the service; anything else may hold a value. */
const word = (code: string): string => (/^[A-Za-z][A-Za-z_-]{0,39}$/.test(code) ? code : 'refused');

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The service's words about a refusal, unless they repeat a value of the items. */
export function wordsOf(answer: ServiceAnswer, items: readonly unknown[]): string {
  const { verdict } = answer;
  if (verdict.kind === 'ok') return 'the answer does not state what was taken';
  return valuesIn(items).some((value) => verdict.reason.includes(value)) ? refusalOf(answer) : verdict.reason;
}

/** The texts and numbers of a value that are long enough to be recognised. */
function valuesIn(item: unknown): string[] {
  if (typeof item === 'object' && item !== null) return Object.values(item).flatMap(valuesIn);
  const value = typeof item === 'string' || typeof item === 'number' ? String(item) : '';
  return value.length > 2 ? [value] : [];
}

/** Throws the error without the service's words, which may repeat a value of what was sent. */
export function withoutWords(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw new CredentialsError('The service denies what was pushed.', {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

/** The HTTP statuses of a request that was refused before it was processed. */
const REFUSING_STATUSES = new Set([400, 401, 403, 404, 405, 422, 429]);

/**
 * Signs that rows were taken or that a proxy answered, regardless of status and code. The whole body is searched,
 * because duplicate keys or nested objects may hide the signs.
 */
const SIGNS_OF_WORK =
  /time[d]?[\s-]?out|internal|unavailable|gateway|upstream|disconnect|already|duplicate|conflict|exists\b|progress|processing|pending|being \w+ed|running|job|queue|scheduled|submitted|started|begun|created|generat(ed|ing)|completed|accepted|(been|was) received|charged|billed|deducted|warning|partial|(were|was|been|is|are) (\w+ )?(exported|written|made|stored|saved|delivered|mailed|skipped|left|ignored|omitted|removed|dropped|cut|shortened|adjusted|replaced)|export_?id|이미|중복|(진행|처리|생성|실행|작업|대기|접수) ?중|(진행|처리|생성|실행|접수|등록|시작|예약|완료|추가|저장|전송|발송)(되(?!지)|됐|된|됨|했)|대기열|과금|청구|차감|제외|만들|만든/i;

/** True if the service clearly refused a call that is sent once, so that none of its rows was taken. */
export function isRefusal({ verdict, status, body }: ServiceAnswer): boolean {
  return (
    /^(refused|forbidden|unauthorized|busy)$/.test(verdict.kind) &&
    REFUSING_STATUSES.has(status ?? 0) &&
    /^\s*\{.*"(error|message)"/s.test(body.toString('utf8', 0, 4_096)) &&
    !SIGNS_OF_WORK.test(body.toString('utf8'))
  );
}

/** E20, the only request that costs money: sends it once and classifies its outcome. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Window } from '../ground/calendar.js';
import { ServiceError } from '../ground/errors.js';
import { withoutPeople, type Secrets } from '../ground/redaction.js';
import { isJudged, readError } from '../service/refusals.js';
import { partValue, readEnvelope, type Part } from '../ground/envelope.js';
import type { Permit, ServiceAnswer } from '../service/client.js';
import { exportRequest } from '../service/endpoints.js';
import { foldersOf } from '../landing/paths.js';
import { readWhole } from '../landing/repair-json.js';
import type { Export } from './export.js';

export type RequestOutcome =
  | { readonly kind: 'accepted'; readonly exportId: string }
  /** The request provably never left this machine: nothing is billed, and it may be sent again. */
  | { readonly kind: 'never_sent'; readonly reason: string; readonly cause: unknown }
  /** The service clearly refused: nothing is billed. `note` is the reason without texts of the service. */
  | { readonly kind: 'refused'; readonly reason: string; readonly note: string }
  /**
   * The outcome is unknown: the export may be billed, so the request is never repeated automatically. `body` is the
   * answer without secrets and personal data; of an answer that is no more than an error (`isError`) it is the text that
   * a person may judge to be a refusal (`exports.refusals`). After a lost connection `isError` is undefined.
   */
  | { readonly kind: 'unknown'; readonly note: string; readonly body: string; readonly isError?: boolean };

/** The longest text that is offered to a person to judge, in characters. */
const LONGEST_TEXT = 500;

/**
 * Requests one paid export. The caller must record the intent before the call and the outcome after it.
 *
 * @param window `start` is included, `end` is excluded
 * @param refusals texts that a person has judged to be refusals (`exports.refusals`)
 */
export async function requestExport(
  permit: Permit,
  window: Window,
  messageData: boolean,
  refusals: readonly string[] = [],
): Promise<RequestOutcome> {
  const answer = await permit.sendOnce(exportRequest(permit.projectId, window, messageData));
  return outcomeOf(answer, permit.secrets, refusals);
}

function outcomeOf(
  { verdict, body, status }: ServiceAnswer,
  secrets: Secrets,
  refusals: readonly string[],
): RequestOutcome {
  const redacted = withoutPeople(secrets.hide(body.toString('utf8')));
  if (verdict.kind === 'unreachable') {
    return verdict.sent
      ? { kind: 'unknown', note: verdict.reason, body: redacted }
      : {
          kind: 'never_sent',
          reason: verdict.reason,
          cause: new ServiceError(`The service cannot be reached (${verdict.reason}).`, {
            hint: 'Check base_url and the network. Nothing was billed.',
            cause: verdict.cause,
          }),
        };
  }
  const unknown = { kind: 'unknown', body: redacted, isError: false } as const;
  const told = readAnswer(status ?? 0, body);
  const note = `HTTP ${status ?? '?'}`;
  const reason = verdict.kind === 'ok' ? `${note} without an export_id` : verdict.reason;
  switch (told.kind) {
    case 'accepted':
      // The id is written to the journal, to URLs and to the warehouse, none of which may contain a secret.
      if (secrets.holds(told.exportId))
        return { ...unknown, note: 'the export_id repeats a key or the token' };
      return told;
    case 'refused':
      return { kind: 'refused', reason, note };
    case 'error': {
      // The text is kept alone, so that what a person lists is what is compared.
      const text = judgedText(secrets.hide(told.text));
      if (text === undefined) return { ...unknown, note };
      return isJudged(text, refusals)
        ? { kind: 'refused', reason, note }
        : { kind: 'unknown', note, body: text, isError: true };
    }
    case 'unknown':
      return { ...unknown, note };
  }
}

/**
 * The meaning of an answer to E20. An export id means billed, whatever the status; `readError` tells refusals and
 * errors. After any other answer the export may have been made and billed. Pure; the table is in docs/money.md.
 */
export function readAnswer(
  status: number,
  body: Buffer,
):
  | { kind: 'accepted'; exportId: string }
  | { kind: 'refused' }
  | { kind: 'error'; text: string }
  | { kind: 'unknown' } {
  const envelope = readEnvelope(body);
  if (envelope?.kind !== 'object') return { kind: 'unknown' };
  const exportId = exportIdIn(envelope.parts, body);
  return exportId === undefined ? readError(status, envelope, body) : { kind: 'accepted', exportId };
}

/** The text of an error on one line without personal data; undefined if it is too long to be judged whole. */
function judgedText(text: string): string | undefined {
  const line = withoutPeople(text, 10 * LONGEST_TEXT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_TEXT ? undefined : line;
}

/**
 * A word of letters and digits, or a long number, after the word for an export; no date, no code of an error, and not the id
 * of a project.
 */
const QUOTED_ID =
  /(?:export|내보내기).*?(?<![\w-])(?<!(?:project|error|code|코드|오류)\W+)(?!\d{4}-\d\d)(?=[a-z_-]*\d)(?=\d*[a-z]|\d{9})([a-z\d][\w-]{3,199})/is;

/**
 * Reads a kept answer (`landing/rejected`): the text for a person to judge, and a word that may be an export id. Undefined
 * if the answer is gone or was changed, or the export is no longer ambiguous.
 */
export async function readKept(
  dataDir: string,
  { answer, state }: Pick<Export, 'answer' | 'state'>,
): Promise<Pick<Export, 'answerText' | 'quotedId'> | undefined> {
  if (answer === undefined || state !== 'ambiguous') return undefined;
  const body = await readWhole(join(foldersOf(dataDir).landing, answer.file)).catch(() => undefined);
  if (body === undefined || createHash('sha256').update(body).digest('hex') !== answer.sha256)
    return undefined;
  const text = body.toString('utf8');
  return { answerText: answer.isError ? judgedText(text) : undefined, quotedId: QUOTED_ID.exec(text)?.[1] };
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

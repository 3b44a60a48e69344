/** The targets of a push: their columns and limits, their requests, and the rows that an answer says were taken. Pure. */
import { z } from 'zod';
import { jsonOf, readEnvelope } from '../ground/envelope.js';
import { withoutPeople } from '../ground/redaction.js';
import type { ServiceAnswer } from '../service/client.js';
import { isJudged, isSame, readError } from '../service/refusals.js';
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../service/endpoints.js';
import type { Config } from '../config/config.js';
import { MODES } from '../config/schema.js';
import { CredentialsError, UsageError } from '../ground/errors.js';
import { didYouMean } from '../ground/text.js';

/** @param most maximum number of rows of a call (specification, Limits) */
function traits(identity: string, most: number, needs = '', none = '', form = /^$/) {
  return { identity, most, needs, none, form };
}

/** The targets: the column that every query needs, the rows of a call, and the word after the kind. */
const KINDS = {
  'catalog-items': traits('id', 50, 'the name of a catalog', 'catalog has the name', /^[\w-]{1,250}$/),
  'user-properties': traits('user_id', 1_000),
  'opt-outs': traits('recipient_no', 1_000, 'an 080 number', '080 number is', /^080-?\d{3,4}-?\d{4}$/),
  events: traits('user_id', 500, 'the name of an event', 'event has the name', /\S/),
  // An id of dots would be another path of the service.
  journey: traits(
    'user_id',
    1_000,
    'the id of a user journey',
    'user journey has the id',
    /^(?!\.{1,2}$).*\S/s,
  ),
};
type Kind = keyof typeof KINDS;
export const ALL: readonly Kind[] = ['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey'];

export type Target = ReturnType<typeof parseTarget>;

/**
 * Reads the words that name a target.
 *
 * @param pushes the names of pushes in the settings, for the hint
 * @throws UsageError for a target that does not exist, or a name or mode that does not fit it
 */
export function parseTarget(
  [kindText, name = '']: readonly [string, (string | undefined)?],
  mode: string | undefined,
  pushes: readonly string[] = [],
) {
  const kind = ALL.find((one) => one === kindText);
  if (kind === undefined)
    throw new UsageError(`There is no target and no push ${kindText}.`, {
      hint: `${didYouMean(kindText, [...ALL, ...pushes])}Choose one of ${[...ALL, ...pushes].join(', ')}.`,
    });
  const { identity, most, needs, none, form } = KINDS[kind];
  const known = MODES.find((one) => one === mode);
  const isOfItems = kind === 'catalog-items';
  const faults: readonly (readonly [isFault: boolean, what: string])[] = [
    [
      (needs === '') !== (name === ''),
      `The target ${kind} ${needs === '' ? 'takes no name' : `needs ${needs}`}.`,
    ],
    [!form.test(name), `No ${none} ${name}.`],
    [isOfItems && known === undefined, `The target ${kind} needs --mode ${MODES.join(', ')}.`],
    [!isOfItems && mode !== undefined, `The target ${kind} has no --mode; it belongs to catalog-items.`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new UsageError(fault[1], { hint: 'See `dawnload push --help`.' });
  const takesAway = known === 'delete';
  return {
    kind,
    /** The catalog, the 080 number, the event or the journey; empty for user properties. */
    name,
    mode: known,
    text: `${kind} ${name}`.trim(),
    identity,
    most,
    /** True if a call is sent once: a repetition would reach people again. An unknown outcome needs a person. */
    once: kind === 'events' || kind === 'journey',
    /** True if the rows are taken away: nothing is remembered of them but that they are gone. */
    takesAway,
    /** True if a row is its identity alone, and other columns of the query do not count. */
    isBare: takesAway || kind === 'opt-outs',
    /** True if a column that is null sets a value to null: a patch and a property change what is given. */
    sendsNull: kind === 'user-properties' || known === 'patch',
  };
}

const METHODS = { replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** The call that carries these items, each as JSON text. */
export function requestOf(target: Target, projectId: string, items: readonly string[]): ServiceRequest {
  const list = `[${items.join(',')}]`;
  switch (target.kind) {
    case 'catalog-items':
      return writeItems(projectId, target.name, METHODS[target.mode ?? 'replace'], list);
    case 'user-properties':
      return setUserProperties(list);
    case 'opt-outs':
      return writeOptOuts(projectId, target.name, list);
    case 'events':
      return trackEvents(list);
    case 'journey':
      return enterJourney(projectId, target.name, list);
  }
}

const ANSWERS = {
  E2: z.object({ error: z.null() }),
  E12: z.object({ success: z.literal(true) }),
  E14: z.object({ data: z.int().nonnegative() }),
};

/**
 * The number of rows that an answer to a request that may be repeated says were taken; undefined if it does not say so,
 * or says an impossible number.
 */
export function takenBy(
  endpoint: string,
  { verdict, body }: ServiceAnswer,
  rows: number,
): number | undefined {
  if (verdict.kind !== 'ok' || !(endpoint === 'E2' || endpoint === 'E12' || endpoint === 'E14'))
    return undefined;
  const answer = ANSWERS[endpoint].safeParse(jsonOf(body));
  if (!answer.success) return undefined;
  const taken = 'data' in answer.data ? answer.data.data : rows;
  return taken > rows ? undefined : taken;
}

/** The answers of E13 and E16 that the specification gives. */
const tracked = z.strictObject({
  message: z.string(),
  error: z.null().optional(),
  data: z.null().optional(),
});
const entered = z.strictObject({ code: z.literal(200), success: z.literal(true), error: z.null() });

/** Texts of E13 that state that all events were tracked. */
const TRACKED = ['event', 'events', 'event(s)'].flatMap((events) => [
  `Tracked {count} ${events}`,
  ...['tracked', 'was tracked', 'were tracked'].map((said) => `{count} ${events} ${said}`),
]);

const bare = (text: string): string => text.replace(/\.$/, '');

/**
 * The outcome of a call that is sent once (E13, E16). Only an answer that the specification gives, or that a person has
 * judged, is believed; all others are ambiguous. `text` is what a person may judge.
 */
export function onceOutcome(
  endpoint: 'E13' | 'E16',
  { verdict, status, body }: ServiceAnswer,
  rows: number,
  judged: Pick<Config['push'], 'acknowledgements' | 'refusals'>,
): { outcome: 'acknowledged' | 'refused' | 'ambiguous'; text?: string } {
  if (verdict.kind === 'unreachable') return { outcome: verdict.sent ? 'ambiguous' : 'refused' };
  const envelope = readEnvelope(body);
  if (envelope?.kind !== 'object' || envelope.twice.size > 0) return { outcome: 'ambiguous' };
  const json = jsonOf(body);
  const isOk = status === 200;
  if (isOk && endpoint === 'E16' && entered.safeParse(json).success) return { outcome: 'acknowledged' };
  const message = isOk && endpoint === 'E13' ? tracked.safeParse(json).data?.message : undefined;
  const isAll = [...TRACKED, ...judged.acknowledgements].some((known) =>
    isSame(bare(known.replaceAll('{count}', String(rows))), bare(message ?? '')),
  );
  if (message !== undefined && isAll) return { outcome: 'acknowledged' };
  const told =
    message === undefined
      ? readError(status ?? 0, envelope, body)
      : ({ kind: 'error', text: message } as const);
  if (told.kind !== 'error') return { outcome: told.kind === 'refused' ? 'refused' : 'ambiguous' };
  return isJudged(told.text, judged.refusals)
    ? { outcome: 'refused' }
    : { outcome: 'ambiguous', text: told.text };
}

const rejection = z.object({ error: z.object({ code: z.string().optional().catch(undefined) }) });

/** The shape of a catalog's error (specification, Catalog API error). */
const catalogError = z.strictObject({
  data: z.null(),
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.array(z.unknown()).optional() }),
});

/** True if a catalog says that an item, or the catalog itself, is not there; a proxy's 404 has another shape. */
export function isMissing({ status, body }: ServiceAnswer): boolean {
  return status === 404 && catalogError.safeParse(jsonOf(body)).success;
}

/** True if the answer is a JSON object, as all answers of the service are; a proxy answers otherwise. */
export function isOfService({ body }: ServiceAnswer): boolean {
  return readEnvelope(body)?.kind === 'object';
}

/** The reason of a refusal without the service's sentences, which may repeat a value: `HTTP 400, INVALID_ARGUMENT`. */
export function refusalOf({ status, body }: ServiceAnswer): string {
  const error = rejection.safeParse(jsonOf(body));
  const code = error.success ? error.data.error.code : undefined;
  if (status === undefined) return 'no answer';
  // Anything but a word may hold a value.
  const word = code !== undefined && /^[A-Za-z][A-Za-z_-]{0,39}$/.test(code) ? `, ${code}` : '';
  return `HTTP ${status}${word}`;
}

const LONGEST_TEXT = 500;

const WORD = /[\p{L}\p{N}@._-]+/gu;

/**
 * A text of the service for a person to judge; each word that occurs among the values of the call is hidden, but for the
 * number of its rows. A word of one or two characters is hidden if it is a whole word of a value.
 */
export function shownText(text: string, items: readonly string[]): string {
  const values = items
    .join(' ')
    .replaceAll(/"(?:[^"\\]|\\.)*":/g, ' ')
    .toLowerCase();
  const words = new Set(values.match(WORD));
  const isValue = (word: string): boolean =>
    word !== String(items.length) && (word.length < 3 ? words.has(word) : values.includes(word));
  return withoutPeople(text, LONGEST_TEXT).replaceAll(WORD, (found) =>
    isValue(found.toLowerCase()) ? '…' : found,
  );
}

/** Throws the error without the service's words, which may repeat a value of what was sent. */
export function withoutWords(error: unknown): never {
  if (!(error instanceof CredentialsError)) throw error;
  throw new CredentialsError('The service denies what was pushed.', {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

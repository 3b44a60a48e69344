/** The targets of a push: their columns and limits, their requests, and what an answer says of the rows. Pure. */
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { MODES } from '../config/schema.js';
import { jsonOf, readEnvelope } from '../ground/envelope.js';
import { UsageError } from '../ground/errors.js';
import { withoutPeople } from '../ground/redaction.js';
import { didYouMean } from '../ground/text.js';
import { isJudged, isSame, readError, type ServiceAnswer } from '../service/client.js';
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../service/endpoints.js';

/**
 * The targets: the column that every query needs, the most rows of a call (specification, Limits), and the word after the kind.
 * An event and a journey are sent once: a repetition would reach people again.
 */
const KINDS = {
  'catalog-items': { identity: 'id', most: 50, needs: 'the name of a catalog', form: /^[\w-]{1,250}$/ },
  'user-properties': { identity: 'user_id', most: 1_000, needs: '', form: /^$/ },
  'opt-outs': {
    identity: 'recipient_no',
    most: 1_000,
    needs: 'an 080 number',
    form: /^080-?\d{3,4}-?\d{4}$/,
  },
  events: { identity: 'user_id', most: 500, needs: 'the name of an event', form: /\S/ },
  // An id of dots would be another path of the service.
  journey: {
    identity: 'user_id',
    most: 1_000,
    needs: 'the id of a user journey',
    form: /^(?!\.{1,2}$).*\S/s,
  },
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
export function parseTarget(kindText: string, name = '', modeText?: string, pushes: readonly string[] = []) {
  const kind = ALL.find((one) => one === kindText);
  if (kind === undefined)
    throw new UsageError(`There is no target and no push ${kindText}.`, {
      hint: `${didYouMean(kindText, [...ALL, ...pushes])}Choose one of ${[...ALL, ...pushes].join(', ')}.`,
    });
  const { needs, form, ...traits } = KINDS[kind];
  const mode = MODES.find((one) => one === modeText);
  const isOfItems = kind === 'catalog-items';
  const faults: readonly (readonly [isFault: boolean, what: string])[] = [
    [name !== '' && needs === '', 'takes no name'],
    [!form.test(name), `needs ${needs}${name === '' ? '' : `, and ${name} is none`}`],
    [isOfItems && mode === undefined, `needs --mode ${MODES.join(', ')}`],
    [!isOfItems && modeText !== undefined, 'has no --mode; it belongs to catalog-items'],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined)
    throw new UsageError(`The target ${kind} ${fault[1]}.`, { hint: 'See `dawnload push --help`.' });
  const takesAway = mode === 'delete';
  return {
    ...traits,
    kind,
    /** The catalog, the 080 number, the event or the journey; empty for user properties. */
    name,
    mode,
    text: `${kind} ${name}`.trim(),
    /** True if a call is sent once: a repetition would reach people again. An unknown outcome needs a person. */
    once: kind === 'events' || kind === 'journey',
    /** True if the rows are taken away: nothing is remembered of them but that they are gone. */
    takesAway,
    /** True if a row is its identity alone, and other columns of the query do not count. */
    isBare: takesAway || kind === 'opt-outs',
    /** True if a column that is null sets a value to null: a patch and a property change what is given. */
    sendsNull: kind === 'user-properties' || mode === 'patch',
  };
}

const METHODS = { replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** The call that carries these items, each as JSON text. */
export function requestOf(
  { kind, name, mode }: Target,
  projectId: string,
  items: readonly string[],
): ServiceRequest {
  const list = `[${items.join(',')}]`;
  switch (kind) {
    case 'catalog-items':
      return writeItems(projectId, name, METHODS[mode ?? 'replace'], list);
    case 'user-properties':
      return setUserProperties(list);
    case 'opt-outs':
      return writeOptOuts(projectId, name, list);
    case 'events':
      return trackEvents(list);
    case 'journey':
      return enterJourney(projectId, name, list);
  }
}

/** The answers that the specification gives. Those of E13 and E16 are believed only without any other key. */
const ANSWERS = {
  'catalog-items': z.object({ error: z.null() }),
  'user-properties': z.object({ data: z.int().nonnegative() }),
  'opt-outs': z.object({ success: z.literal(true) }),
  events: z.strictObject({
    message: z.string(),
    error: z.null().optional(),
    data: z.null().optional(),
  }),
  journey: z.strictObject({ code: z.literal(200), success: z.literal(true), error: z.null() }),
};

/** Texts of E13 that state that all events were tracked. */
const TRACKED = ['event', 'events', 'event(s)'].flatMap((events) => [
  `Tracked {count} ${events}`,
  ...['tracked', 'was tracked', 'were tracked'].map((said) => `{count} ${events} ${said}`),
]);

const bare = (text: string): string => text.replace(/\.$/, '');

/** The number of rows that an answer says were taken; undefined if it does not say so, or says an impossible number. */
function takenBy(kind: Kind, json: unknown, rows: number, judged: readonly string[]): number | undefined {
  const told = ANSWERS[kind].safeParse(json).data;
  if (told === undefined) return undefined;
  if ('message' in told) {
    const texts = [...TRACKED, ...judged].map((known) => known.replaceAll('{count}', String(rows)));
    return texts.some((known) => isSame(bare(known), bare(told.message))) ? rows : undefined;
  }
  if (!('data' in told)) return rows;
  return told.data > rows ? undefined : told.data;
}

/**
 * The meaning of an answer for the rows of a call. `taken` may be fewer than were sent (E14); `rejected` is for what a row holds, and
 * `refused` for what the call is, where no row was taken. `unknown` needs a person, who may judge `text`.
 */
export type Outcome =
  | { readonly is: 'taken'; readonly rows: number; readonly isGone?: boolean }
  | { readonly is: 'rejected'; readonly reason: string }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'unknown'; readonly reason: string; readonly text?: string | undefined };

/** Statuses of a call that is refused for what one of its rows holds. */
const OF_ROWS: readonly (number | undefined)[] = [200, 400, 409, 413, 422];

export function outcomeOf(
  { kind, mode, once, takesAway }: Target,
  { verdict, status, body }: ServiceAnswer,
  rows: number,
  { acknowledgements, refusals }: Pick<Config['push'], 'acknowledgements' | 'refusals'>,
): Outcome {
  const envelope = readEnvelope(body);
  const isObject = envelope?.kind === 'object';
  const json = isObject && envelope.twice.size === 0 ? jsonOf(body) : undefined;
  const isOk = once ? status === 200 : verdict.kind === 'ok';
  const taken = isOk ? takenBy(kind, json, rows, acknowledgements) : undefined;
  if (taken !== undefined) return { is: 'taken', rows: taken };
  // A replaced item need not be there, so a 404 says that the catalog is missing.
  const isNoItem = (mode === 'patch' || takesAway) && isMissing(status, json);
  // An item that a repeated call does not find is taken away already.
  if (isNoItem && takesAway && rows === 1) return { is: 'taken', rows, isGone: true };
  const unclear = verdict.kind === 'ok' && !once ? ', which does not say what was taken' : '';
  const reason = `${reasonOf(status, json)}${unclear}`;
  if (once && (verdict.kind !== 'unreachable' || verdict.sent)) {
    const message = isOk && kind === 'events' ? ANSWERS.events.safeParse(json).data?.message : undefined;
    const told =
      !isObject || json === undefined
        ? undefined
        : message === undefined
          ? readError(status ?? 0, envelope, body)
          : { kind: 'error' as const, text: message };
    const text = told?.kind === 'error' ? told.text : undefined;
    if (told?.kind !== 'refused' && !(text !== undefined && isJudged(text, refusals)))
      return { is: 'unknown', reason, text };
  }
  const isOfRow = isNoItem || (verdict.kind === 'refused' && OF_ROWS.includes(status) && isObject);
  return { is: isOfRow ? 'rejected' : 'refused', reason };
}

/** The shape of a catalog's error (specification, Catalog API error); a proxy's 404 has another one. */
const catalogError = z.strictObject({
  data: z.null(),
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.array(z.unknown()).optional() }),
});

const isMissing = (status: number | undefined, json: unknown): boolean =>
  status === 404 && catalogError.safeParse(json).success;

const coded = z.object({ error: z.object({ code: z.string().regex(/^[A-Za-z][A-Za-z_-]{0,39}$/) }) });

/** The reason of a refusal without the service's sentences, which may repeat a value: `HTTP 400, INVALID_ARGUMENT`. */
function reasonOf(status: number | undefined, json: unknown): string {
  const code = coded.safeParse(json).data?.error.code;
  return status === undefined ? 'no answer' : `HTTP ${status}${code === undefined ? '' : `, ${code}`}`;
}

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
  return withoutPeople(text, 500).replaceAll(WORD, (found) => (isValue(found.toLowerCase()) ? '…' : found));
}

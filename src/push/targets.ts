/** Defines the targets of pushes: their columns, limits and requests, and the meaning of answers. Pure. */
import { z } from 'zod';
import type { Config } from '../config/config.js';
import { MODES, type PushSettings } from '../config/schema.js';
import { jsonOf, readEnvelope } from '../ground/envelope.js';
import { UsageError } from '../ground/errors.js';
import { didYouMean, listed } from '../ground/text.js';
import type { Asking } from '../readers/queries/catalogue.js';
import { type ServiceAnswer } from '../service/client.js';
import { isListedRefusal, isSame, readError } from '../service/verdict.js';
import * as endpoints from '../service/endpoints.js';

/**
 * The targets: the column that every query needs, the maximum rows per call (specification, Limits), and the word after the target's kind.
 */
const KINDS = {
  'catalog-items': { identity: 'id', most: 50, needs: 'the name of a catalog', form: /^[\w-]{1,250}$/ },
  'user-properties': { identity: 'user_id', most: 1000, needs: 'no name', form: /^$/ },
  'opt-outs': { identity: 'recipient_no', most: 1000, needs: 'an 080 number', form: /^080-?\d{3,4}-?\d{4}$/ },
  events: { identity: 'user_id', most: 500, needs: 'the name of an event', form: /\S/ },
  // An id of one or two dots would address another path of the service.
  journey: { identity: 'user_id', most: 1000, needs: 'the id of a user journey', form: /^(?!\.\.?$).*\S/s },
};
type Kind = keyof typeof KINDS;
export const ALL: readonly Kind[] = ['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey'];

/** A push as written in the settings or on the command line; `key` lists the columns of the key, separated by commas. */
type Wish = Pick<PushSettings, 'target' | 'key' | 'query' | 'sql' | 'file'> &
  Pick<Asking, 'param'> & { name?: string; mode?: string | undefined; delete_missing?: boolean | undefined };

export type Wanted = ReturnType<typeof wantedOf>;

/**
 * @param pushes the names of pushes in the settings, for the hint
 * @throws UsageError for an unknown target, or options that do not fit it
 */
export function wantedOf(wish: Wish, pushes: readonly string[] = []) {
  const { name, query, sql, file, param, delete_missing = false } = wish;
  const [kindText = '', ...words] = wish.target.split(' ');
  const kind = ALL.find((one) => one === kindText);
  const configured = `a push of dawnload.yaml (${pushes.length === 0 ? 'it has none' : listed(pushes)})`;
  if (kind === undefined)
    throw new UsageError(
      kindText === ''
        ? 'The target of the push is missing.'
        : `${kindText} is neither a target nor a push of dawnload.yaml.`,
      { hint: `${didYouMean(kindText, [...ALL, ...pushes])}Choose ${ALL.join(', ')}, or ${configured}.` },
    );
  const { needs, form, ...traits } = KINDS[kind];
  const word = words.join(' ');
  const mode = MODES.find((one) => one === wish.mode);
  const isOfItems = kind === 'catalog-items';
  const named = (wish.key ?? traits.identity).split(',').map((column) => column.trim());
  // The order of columns does not matter.
  const keys = [...new Set(named)].sort();
  const key = keys.join(', ');
  const isDeletable = mode === 'replace' && key === traits.identity;
  const faults: readonly (readonly [isFault: boolean, what: string])[] = [
    [!form.test(word), `needs ${needs}${word === '' ? '' : `, not "${word}"`}`],
    [isOfItems && mode === undefined, `needs --mode ${MODES.join(', ')}`],
    [!isOfItems && wish.mode !== undefined, 'has no --mode; it belongs to catalog-items'],
    [
      delete_missing && !isDeletable,
      'deletes missing items only with --mode replace, and with id as the only key',
    ],
    // A user has many events, so the user id is not enough.
    [kind === 'events' && wish.key === undefined, 'needs --key: the columns that make events distinct'],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined)
    throw new UsageError(`The target ${kind} ${fault[1]}.`, { hint: 'See `dawnload push --help`.' });
  return {
    ...traits,
    name,
    target: `${kind} ${word}`.trim(),
    kind,
    word,
    mode,
    keys,
    key,
    delete_missing,
    source: { name: query, sql, file, param },
    /** True if a call is sent only once, because a repetition would reach people again. You decide about an unknown outcome. */
    once: kind === 'events' || kind === 'journey',
    /** True if a row consists of its identity; other columns of the query are not sent. */
    is_bare: mode === 'delete' || kind === 'opt-outs',
  };
}

/** The push configured by an entry under `pushes`. Throws the errors of `wantedOf`. */
export function configuredPush({ params, ...push }: PushSettings): Wanted {
  return wantedOf({ ...push, param: Object.entries(params).map(([name, value]) => `${name}=${value}`) });
}

/**
 * The first part of a row's JSON, up to its id, and the name of the object that has the other columns (N13, N14, N16); without a name, the
 * row itself has them.
 */
export function frameOf({ kind, word: eventName }: Wanted, { projectId, push }: Config) {
  const frames: Record<Kind, readonly [first: object, field?: string | undefined]> = {
    'catalog-items': [{ id: 0 }],
    'user-properties': [{ projectId, userId: 0 }, push.propertiesField],
    // An opt-out row has nothing but its id.
    'opt-outs': [{}],
    events: [{ projectId, eventName, userId: 0 }, push.eventField],
    journey: [{ userId: 0 }, push.journeyField],
  };
  const [first, field] = frames[kind];
  return {
    head: JSON.stringify(first).slice(0, -2),
    field: field === undefined ? '' : JSON.stringify(field),
  };
}

const METHODS = { replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

export function requestOf({ kind, word, mode }: Wanted, project: string, items: readonly string[]) {
  const list = `[${items.join(',')}]`;
  const requests: Record<Kind, () => endpoints.ServiceRequest> = {
    'catalog-items': () => endpoints.writeItems(project, word, METHODS[mode ?? 'replace'], list),
    'user-properties': () => endpoints.setUserProperties(list),
    'opt-outs': () => endpoints.writeOptOuts(project, word, list),
    events: () => endpoints.trackEvents(list),
    journey: () => endpoints.enterJourney(project, word, list),
  };
  return requests[kind]();
}

const none = z.null().optional();
/** The answers in the specification. An answer to E13 or E16 is accepted only if it has no other keys. */
const ANSWERS = {
  'catalog-items': z.object({ error: z.null() }),
  'user-properties': z.object({ data: z.int().nonnegative() }),
  'opt-outs': z.object({ success: z.literal(true) }),
  events: z.strictObject({ message: z.string(), error: none, data: none }),
  journey: z.strictObject({ code: z.literal(200), success: z.literal(true), error: z.null() }),
};

const NO_ITEM =
  /^(?:catalog_)?items?_not_found$|^(?:(?:an?|the|this) )?items?\b.*not (?:found|exist)|^no such items?\b/is;

/** The error for a missing item. The error for a missing catalog has the same shape and status; an error of a proxy has another shape. */
const missingItem = z.strictObject({
  data: z.null(),
  error: z
    .strictObject({ code: z.string(), message: z.string(), details: z.array(z.unknown()).optional() })
    .refine(({ code, message }) => NO_ITEM.test(code) || NO_ITEM.test(message)),
});

/** The code of an error. All other text from the service may repeat a value, so it is not used. */
const coded = z.object({ error: z.object({ code: z.string().regex(/^[A-Za-z][A-Za-z_-]{0,39}$/) }) });

/** Texts of E13 that state that all events were tracked. */
const TRACKED = ['event', 'events', 'event(s)'].flatMap((events) => [
  `Tracked {count} ${events}`,
  ...['tracked', 'was tracked', 'were tracked'].map((verb) => `{count} ${events} ${verb}`),
]);

/** Statuses that mean a call was refused because of one of its rows. */
const OF_ROWS: readonly (number | undefined)[] = [200, 400, 409, 413, 422];

/**
 * The meaning of an answer for the rows of a call. `acknowledged`: the service took `taken` rows, perhaps not all (E14). `refused`: it took
 * none; `isOfRow` is true if a row is the cause. `ambiguous`: you decide, after reading `text`. A reason has only the status and the code:
 * `HTTP 400, INVALID_ARGUMENT`.
 */
export interface Outcome {
  readonly outcome: 'acknowledged' | 'refused' | 'ambiguous';
  readonly taken: number;
  readonly reason: string;
  readonly isGone?: boolean;
  readonly isOfRow?: boolean;
  readonly text?: string | undefined;
}

export function outcomeOf(
  { kind, mode, once }: Pick<Wanted, 'kind' | 'mode' | 'once'>,
  { verdict, status, body }: ServiceAnswer,
  rows: number,
  { acknowledgements, refusals }: Pick<Config['push'], 'acknowledgements' | 'refusals'>,
): Outcome {
  const envelope = readEnvelope(body);
  const isObject = envelope?.kind === 'object';
  const json = isObject && envelope.twice.size === 0 ? jsonOf(body) : undefined;
  const code = coded.safeParse(json).data?.error.code;
  const what = status === undefined ? 'no answer' : `HTTP ${status}${code === undefined ? '' : `, ${code}`}`;
  const reason = verdict.kind === 'ok' && !once ? `${what}, which does not say what was taken` : what;
  const isOk = once ? status === 200 : verdict.kind === 'ok';
  const answer = isOk ? ANSWERS[kind].safeParse(json).data : undefined;
  const message = answer && 'message' in answer ? answer.message : undefined;
  const bare = (text: string): string => text.replaceAll('{count}', String(rows)).replace(/\.$/, '');
  const isTracked = [...TRACKED, ...acknowledgements].some((text) => isSame(bare(text), bare(message ?? '')));
  const taken = answer && 'data' in answer ? (answer.data ?? rows) : rows;
  if (answer && taken <= rows && (message === undefined || isTracked))
    return { outcome: 'acknowledged', taken, reason };
  // Replacing an item that is missing works, so a 404 means that the catalog is missing.
  const isNoItem =
    status === 404 && (mode === 'patch' || mode === 'delete') && missingItem.safeParse(json).success;
  // If a repeated call does not find the item, the first call deleted it.
  if (isNoItem && mode === 'delete' && rows === 1)
    return { outcome: 'acknowledged', taken: 1, reason, isGone: true };
  if (once && (verdict.kind !== 'unreachable' || verdict.sent)) {
    const error = isObject ? readError(status ?? 0, envelope, body) : undefined;
    const text = message ?? (error?.kind === 'error' ? error.text : undefined);
    if (error?.kind !== 'refused' && !(text !== undefined && isListedRefusal(text, refusals)))
      return { outcome: 'ambiguous', taken: 0, reason, text };
  }
  const isOfRow = isNoItem || (verdict.kind === 'refused' && OF_ROWS.includes(status) && isObject);
  return { outcome: 'refused', taken: 0, reason, isOfRow };
}

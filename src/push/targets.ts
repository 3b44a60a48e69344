/** The targets of a push: their columns and limits, the SQL of what a call carries of a row, and their requests. Pure. */
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../service/endpoints.js';
import { closest } from 'fastest-levenshtein';
import { MODES } from '../config/schema.js';
import { UsageError } from '../ground/errors.js';
import type { Found, FoundColumn } from '../readers/queries/rows.js';
import { escaped } from '../landing/duckdb.js';

/** @param most maximum number of rows of a call (specification, Limits) */
function traits(identity: string, most: number, needs = '', none = '', form = /^$/) {
  return { identity, most, needs, none, form };
}

/** The targets: the column that every query needs, the rows of a call, and the word after the kind. */
const KINDS = {
  'catalog-items': traits('id', 50, 'the name of a catalog', 'catalog has the name', /^[\w-]{1,250}$/),
  'user-properties': traits('user_id', 1_000),
  'opt-outs': traits('recipient_no', 1_000, 'an 080 number', '080 number is', /^080-?\d{3,4}-?\d{4}$/),
  events: traits('user_id', 500, 'the name of an event', 'event has the name', /./s),
  // A name of dots would be another path of the service.
  journey: traits('user_id', 1_000, 'the id of a user journey', 'user journey has the id', /^(?!\.{1,2}$)./s),
};
type Kind = keyof typeof KINDS;
export const ALL: readonly Kind[] = ['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey'];

/** The largest body of a call, with room for its frame; that of catalogs, and no family shows a larger one. */
export const BODY_BYTES = 4 * 1024 * 1024 - 4_096;
const ITEM_BYTES = 1024 * 1024;

export interface Target {
  readonly kind: Kind;
  /** The catalog, the 080 number, the event or the journey; empty for user properties. */
  readonly name: string;
  readonly mode: (typeof MODES)[number] | undefined;
  /** True if opt-outs are removed. */
  readonly removes: boolean;
}

/**
 * @param pushes the names of pushes in the settings, for the hint
 * @throws UsageError for a target that does not exist, or a name or mode that does not fit it
 */
export function parseTarget(
  [kindText, name = '']: readonly [string, (string | undefined)?],
  { mode, remove = false }: { readonly mode?: string | undefined; readonly remove?: boolean | undefined },
  pushes: readonly string[] = [],
): Target {
  const kind = ALL.find((one) => one === kindText);
  if (kind === undefined)
    throw new UsageError(`There is no target and no push ${kindText}.`, {
      hint: `Did you mean ${closest(kindText, [...ALL, ...pushes])}? Choose one of ${[...ALL, ...pushes].join(', ')}.`,
    });
  const { needs, none, form } = KINDS[kind];
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
    [remove && kind !== 'opt-outs', `The target ${kind} has no --remove; it belongs to opt-outs.`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new UsageError(fault[1], { hint: 'See `dawnload push --help`.' });
  return { kind, name, mode: known, removes: remove };
}

/** The names of fields that the specification does not show (N13, N14, N16); undefined puts fields beside the user's id. */
export interface FieldNames {
  readonly propertiesField: string;
  readonly eventField: string | undefined;
  readonly journeyField: string | undefined;
}

export const traitsOf = ({ kind }: Target) => KINDS[kind];
export const mostBytes = ({ kind }: Target): number => (kind === 'catalog-items' ? ITEM_BYTES : BODY_BYTES);
/** True if a call is sent once: a repetition would reach people again. An unknown outcome needs a person. */
export const isOnce = ({ kind }: Target): boolean => kind === 'events' || kind === 'journey';
export const targetText = ({ kind, name }: Target): string => `${kind} ${name}`.trim();

/** True if the rows of the target are taken away: nothing is remembered of them but that they are gone. */
export const takesAway = ({ mode, removes }: Target): boolean => mode === 'delete' || removes;
/** True if a row is its identity alone, and other columns of the query do not count. */
export const isBare = (target: Target): boolean => takesAway(target) || target.kind === 'opt-outs';
/** True if a column that is null sets a value to null: a patch and a property change what is given. */
export const sendsNull = ({ kind, mode }: Target): boolean => kind === 'user-properties' || mode === 'patch';

/** The declared types of a catalog's fields by name; undefined if the service does not show them. */
export type Fields = ReadonlyMap<string, string> | undefined;

/** @throws UsageError if the columns of a query do not fit the target */
export function checkColumns(
  target: Target,
  found: Pick<Found, 'columns'>,
  key: readonly string[],
  fields: Fields,
): void {
  const { identity } = traitsOf(target);
  const columns = found.columns.map(({ name }) => name);
  const missing = [identity, ...key].find((one) => !columns.includes(one));
  if (missing !== undefined) {
    throw new UsageError(`The query has no column ${missing}, which ${targetText(target)} needs.`, {
      hint: `Its columns are ${columns.join(', ')}. Name one \`as ${missing}\`.`,
    });
  }
  const reserved = ['__proto__', ...(isOnce(target) ? ['userId', ...Object.keys(fixedIn(target, ''))] : [])];
  const taken = columns.find((one) => reserved.includes(one));
  if (taken !== undefined) {
    throw new UsageError(`The column ${taken} would replace a part of the request.`, {
      hint: 'Give it another name.',
    });
  }
  if (takesAway(target)) return;
  const unknown = fields && columns.find((one) => one !== identity && !fields.has(one));
  if (unknown !== undefined) {
    throw new UsageError(`The catalog ${target.name} has no field ${unknown}.`, {
      hint: `Its fields are ${[...(fields?.keys() ?? [])].join(', ')}.`,
    });
  }
  if (/^catalog|^user/.test(target.kind) && columns.length < 2)
    throw new UsageError(`The query has no column but ${identity}: nothing would be set.`);
}

const literal = (text: string): string => `'${escaped(text)}'`;
const object = (members: readonly string[]): string =>
  `'{' || concat_ws(',', ${['null', ...members].join(', ')}) || '}'`;

/** What every row of a target carries beside its columns. */
const fixedIn = ({ kind, name }: Target, projectId: string): Readonly<Record<string, string>> =>
  kind === 'events' ? { projectId, eventName: name } : kind === 'user-properties' ? { projectId } : {};

/**
 * The SQL of what a call carries of a row, as JSON text.
 *
 * @param members the SQL of `"name":value` for each column but the identity; null is left out
 */
export function itemSql(
  target: Target,
  projectId: string,
  { propertiesField, eventField, journeyField }: FieldNames,
  members: readonly string[],
): string {
  const { kind } = target;
  const id = 'to_json(id)::varchar';
  if (kind === 'opt-outs') return id;
  const fields = { events: eventField, journey: journeyField, 'user-properties': propertiesField };
  const field = kind === 'catalog-items' ? undefined : fields[kind];
  return object([
    ...Object.entries(fixedIn(target, projectId)).map(([key, value]) =>
      literal(`"${key}":${JSON.stringify(value)}`),
    ),
    `'"${kind === 'catalog-items' ? 'id' : 'userId'}":' || ${id}`,
    ...(field === undefined ? members : [`${literal(`${JSON.stringify(field)}:`)} || ${object(members)}`]),
  ]);
}

/** The SQL of the reason why the id of a row does not fit: `user_id: is empty`; null if it fits. */
export function wrongIdSql({ kind }: Target, { isText }: Pick<FoundColumn, 'isText'>): string {
  const { identity } = KINDS[kind];
  const form =
    kind === 'catalog-items'
      ? `when not regexp_full_match(id, '[A-Za-z0-9_-]{1,250}') then 'id: must have 1 to 250 letters, digits, _ and -'`
      : kind === 'opt-outs'
        ? `when not ${isText} or not regexp_full_match(id, '[+0-9][0-9 -]{5,24}') then 'recipient_no: must be a telephone number of at most 25 characters'`
        : '';
  return `case when trim(id) = '' then '${identity}: is empty' ${form} end`;
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
      return writeOptOuts(projectId, target.name, list, target.removes);
    case 'events':
      return trackEvents(list);
    case 'journey':
      return enterJourney(projectId, target.name, list);
  }
}

/** The targets of a push: their columns and limits, their requests, and how an answer states what was done. Pure. */
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../api/endpoints.js';
import { BODY_BYTES, ITEM_BYTES, isRecord, patchValue, wrongValue } from '../api/limits.js';
import { UsageError } from '../errors.js';

export const MODES = ['replace', 'patch', 'delete'] as const;
type Mode = (typeof MODES)[number];

/** @param most maximum number of rows of a call (specification, Limits) */
function traits(identity: string, most: number, named = '', ...reserved: readonly string[]) {
  return { identity, most, named, reserved };
}

/** The targets: the column that every query needs, the rows of a call, the word after the kind, names of the request. */
export const KINDS = {
  'catalog-items': traits('id', 50, 'the name of a catalog'),
  'user-properties': traits('user_id', 1_000),
  'opt-outs': traits('recipient_no', 1_000, 'an 080 number'),
  events: traits('user_id', 500, 'the name of an event', 'projectId', 'eventName', 'userId'),
  journey: traits('user_id', 1_000, 'the id of a user journey', 'userId'),
};
type Kind = keyof typeof KINDS;
export const ALL: readonly Kind[] = ['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey'];

export interface Target {
  readonly kind: Kind;
  /** The catalog, the 080 number, the event or the journey; empty for user properties. */
  readonly name: string;
  readonly mode: Mode | undefined;
  /** True if opt-outs are removed. */
  readonly removes: boolean;
}

/** The names of fields that the specification does not show (N13, N14, N16); undefined puts fields beside the user's id. */
export interface FieldNames {
  readonly propertiesField: string;
  readonly eventField: string | undefined;
  readonly journeyField: string | undefined;
}

export const traitsOf = ({ kind }: Target) => KINDS[kind];
/** True if a call is sent once: a repetition would reach people again. An unknown outcome needs a person. */
export const isOnce = ({ kind }: Target): boolean => kind === 'events' || kind === 'journey';
export const targetText = ({ kind, name }: Target): string => `${kind} ${name}`.trim();

/** True if the rows of the target are taken away: nothing is remembered of them but that they are gone. */
export const takesAway = ({ mode, removes }: Target): boolean => mode === 'delete' || removes;

export const NAME = /^[A-Za-z0-9_-]{1,250}$/;

export type Values = Readonly<Record<string, unknown>>;

/** The declared types of a catalog's fields by name; undefined if the service does not show them. */
export type Fields = ReadonlyMap<string, string> | undefined;

/** @throws UsageError if the columns of a query do not fit the target */
export function checkColumns(
  target: Target,
  columns: readonly string[],
  key: string | undefined,
  fields: Fields,
): void {
  const { identity, reserved } = KINDS[target.kind];
  const missing = [identity, key].find((one) => one !== undefined && !columns.includes(one));
  if (missing !== undefined) {
    throw new UsageError(`The query has no column ${missing}, which ${targetText(target)} needs.`, {
      hint: `Its columns are ${columns.join(', ')}. Name one \`as ${missing}\`.`,
    });
  }
  const taken = columns.find((one) => reserved.includes(one) || one === '__proto__');
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

/** The id of a row as text; empty if it has none. A whole number is an id too. */
export function idOf(value: unknown): string {
  if (typeof value === 'string') return value.trim() === '' ? '' : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : '';
}

/** What a call carries for a row. */
export function itemOf(
  target: Target,
  values: Values,
  { projectId, names }: { readonly projectId: string; readonly names: FieldNames },
): unknown {
  const { identity } = traitsOf(target);
  const id = idOf(values[identity]);
  const rest = Object.entries(values).filter(([column]) => column !== identity);
  const given = Object.fromEntries(rest.filter(([, value]) => value !== null));
  const patched = Object.fromEntries(rest.map(([column, value]) => [column, patchValue(value)]));
  const within = (field: string | undefined): object => (field === undefined ? given : { [field]: given });
  switch (target.kind) {
    case 'catalog-items':
      if (target.mode === 'delete') return { id };
      // A patch and a property change what is given, so null is a value; a replaced item has no other values.
      return { id, ...(target.mode === 'patch' ? patched : given) };
    case 'user-properties':
      return { projectId, userId: id, [names.propertiesField]: Object.fromEntries(rest) };
    case 'opt-outs':
      return id;
    case 'events':
      return { projectId, eventName: target.name, userId: id, ...within(names.eventField) };
    case 'journey':
      return { userId: id, ...within(names.journeyField) };
  }
}

/**
 * The reason why the service would refuse a row, without its values: `price: must be a number`; undefined if it fits.
 *
 * @param hashesIds true if the warehouse stores hashes of user ids (privacy.columns)
 */
export function problemOf(
  target: Target,
  values: Values,
  { fields, hashesIds }: { readonly fields: Fields; readonly hashesIds: boolean },
  bytes: number,
): string | undefined {
  const { identity } = traitsOf(target);
  const id = idOf(values[identity]);
  if (id === '') return `${identity}: is empty`;
  if (target.kind === 'catalog-items' && !NAME.test(id))
    return 'id: must have 1 to 250 letters, digits, _ and -';
  if (
    target.kind === 'opt-outs' &&
    (typeof values[identity] !== 'string' || !/^[+0-9][0-9 -]{5,24}$/.test(id))
  )
    return 'recipient_no: must be a telephone number of at most 25 characters';
  if (identity === 'user_id' && hashesIds && /^[0-9a-f]{64}$/.test(id))
    return 'user_id: is a hash (privacy.columns), which the service does not know';
  if (takesAway(target)) return undefined;
  if (bytes > (target.kind === 'catalog-items' ? ITEM_BYTES : BODY_BYTES))
    return `the row: must have at most ${target.kind === 'catalog-items' ? '1' : '4'} MiB`;
  return wrongValue(
    Object.entries(values).filter(([column]) => column !== identity),
    fields,
    target.mode === 'patch',
  );
}

/** The call that carries these items. */
export function requestOf(target: Target, projectId: string, items: readonly unknown[]): ServiceRequest {
  const objects = items.filter(isRecord);
  switch (target.kind) {
    case 'catalog-items': {
      const method = { replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
      return writeItems(projectId, target.name, method[target.mode ?? 'replace'], objects);
    }
    case 'user-properties':
      return setUserProperties(objects);
    case 'opt-outs':
      return writeOptOuts(projectId, target.name, items.map(String), target.removes);
    case 'events':
      return trackEvents(objects);
    case 'journey':
      return enterJourney(projectId, target.name, objects);
  }
}

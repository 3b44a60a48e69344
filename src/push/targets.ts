/** The targets of a push: their columns and limits, their requests, and how an answer states what was done. Pure. */
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../api/endpoints.js';
import { BODY_BYTES, ITEM_BYTES, isRecord, wrongOperators, wrongSize, wrongType } from '../api/limits.js';
import { UsageError } from '../errors.js';

export const MODES = ['replace', 'patch', 'delete'] as const;
export type Mode = (typeof MODES)[number];

interface Traits {
  /** The column that every query of the target must have. */
  readonly identity: string;
  /** Maximum number of rows of a call (specification, Limits). */
  readonly most: number;
  /** True if a call may be sent again; otherwise it is sent once, and an unknown outcome needs a person. */
  readonly repeatable: boolean;
  /** The word after the kind; undefined if there is none. */
  readonly named: string | undefined;
  /** The names that the request itself uses. */
  readonly reserved: readonly string[];
}

export const KINDS = {
  'catalog-items': {
    ...{ identity: 'id', most: 50, repeatable: true, named: 'the name of a catalog' },
    reserved: [],
  },
  'user-properties': {
    ...{ identity: 'user_id', most: 1_000, repeatable: true, named: undefined },
    reserved: [],
  },
  'opt-outs': {
    ...{ identity: 'recipient_no', most: 1_000, repeatable: true, named: 'an 080 number' },
    reserved: [],
  },
  events: {
    ...{ identity: 'user_id', most: 500, repeatable: false, named: 'the name of an event' },
    reserved: ['projectId', 'eventName', 'userId'],
  },
  journey: {
    ...{ identity: 'user_id', most: 1_000, repeatable: false, named: 'the id of a user journey' },
    reserved: ['userId'],
  },
} as const satisfies Record<string, Traits>;
export type Kind = keyof typeof KINDS;
const ALL = [
  'catalog-items',
  'user-properties',
  'opt-outs',
  'events',
  'journey',
] as const satisfies readonly Kind[];

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

export const traitsOf = ({ kind }: Target): Traits => KINDS[kind];
export const targetText = ({ kind, name }: Target): string => `${kind} ${name}`.trim();

/** True if the rows of the target are taken away: nothing is remembered of them but that they are gone. */
export const takesAway = ({ mode, removes }: Target): boolean => mode === 'delete' || removes;

const NAME = /^[A-Za-z0-9_-]{1,250}$/;

/** @throws UsageError for a target that does not exist, or a name or mode that does not fit it */
export function parseTarget(
  [kindText, name = '']: readonly [string, (string | undefined)?],
  { mode, remove = false }: { readonly mode?: string | undefined; readonly remove?: boolean | undefined },
): Target {
  const kind = ALL.find((one) => one === kindText);
  const wrong = (what: string, hint: string): UsageError => new UsageError(what, { hint });
  if (kind === undefined) {
    throw wrong(`There is no target ${kindText}.`, `Choose one of ${ALL.join(', ')}.`);
  }
  const { named } = KINDS[kind];
  if ((named === undefined) !== (name === '')) {
    const what = named === undefined ? 'takes no name' : `needs ${named}`;
    throw wrong(
      `The target ${kind} ${what}.`,
      `Write \`dawnload push ${kind}${named === undefined ? '' : ' NAME'}\`.`,
    );
  }
  const known = MODES.find((one) => one === mode);
  if ((kind === 'catalog-items') !== (mode !== undefined) || (mode !== undefined && known === undefined)) {
    throw wrong(
      kind === 'catalog-items' ? 'The target catalog-items needs a mode.' : `The target ${kind} has no mode.`,
      `--mode ${MODES.join('|')} belongs to catalog-items.`,
    );
  }
  if (remove && kind !== 'opt-outs')
    throw wrong(`The target ${kind} has no --remove.`, 'It belongs to opt-outs.');
  if (kind === 'catalog-items' && !NAME.test(name))
    throw wrong(`No catalog has the name ${name}.`, 'Names have letters, digits, _ and -.');
  if (kind === 'opt-outs' && !/^080-?\d{3,4}-?\d{4}$/.test(name))
    throw wrong(`${name} is not an 080 number.`, 'Give the number that recipients opt out of.');
  return { kind, name, mode: known, removes: remove };
}

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
  const { identity, reserved }: Traits = KINDS[target.kind];
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
  if (target.kind !== 'opt-outs' && target.kind !== 'events' && target.kind !== 'journey') {
    if (columns.length < 2) throw new UsageError(`The query has no column but ${identity}: nothing is set.`);
  }
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
  const within = (field: string | undefined): object => (field === undefined ? given : { [field]: given });
  switch (target.kind) {
    case 'catalog-items':
      if (target.mode === 'delete') return { id };
      // A patch and a property change what is given, so null is a value; a replaced item has no other values.
      return { id, ...(target.mode === 'patch' ? Object.fromEntries(rest) : given) };
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

/** The reason why the service would refuse a row, without its values: `price: must be a number`; undefined if it fits. */
export function problemOf(target: Target, values: Values, fields: Fields, bytes: number): string | undefined {
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
  if (takesAway(target)) return undefined;
  if (bytes > (target.kind === 'catalog-items' ? ITEM_BYTES : BODY_BYTES))
    return `the row: must have at most ${target.kind === 'catalog-items' ? '1' : '4'} MiB`;
  for (const [column, value] of Object.entries(values)) {
    if (column === identity || value === null) continue;
    const wrong =
      wrongSize(value) ??
      (isRecord(value) && target.mode === 'patch' && fields?.get(column) === 'array'
        ? wrongOperators(value)
        : wrongType(value, fields?.get(column)));
    if (wrong !== undefined) return `${column}: ${wrong}`;
  }
  return undefined;
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

/** An item with every value masked, for people to look at its shape. */
export function masked(item: unknown): unknown {
  if (Array.isArray(item)) return item.map(masked);
  if (!isRecord(item)) return item === null ? null : '…';
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, key === 'eventName' ? value : masked(value)]),
  );
}

/** The limits of values that the service takes: the Limits table and the rules of catalog items. Pure. */
import { z } from 'zod';
import { isDay } from '../calendar.js';

/** The largest body of a call, with room for its frame; that of catalogs, and no family shows a larger one. */
export const BODY_BYTES = 4 * 1024 * 1024 - 4_096;
export const ITEM_BYTES = 1024 * 1024;
const STRING = 5_000;
const ELEMENTS = 100;
const NESTING = 50;

/**
 * The rule that one of the values breaks, without the value: `price: must be a number`; undefined if all fit.
 *
 * @param fields the declared types of a catalog's fields
 * @param isPatch true if arrays may be changed by `$add` and `$remove`
 */
export function wrongValue(
  values: readonly (readonly [name: string, value: unknown])[],
  fields: ReadonlyMap<string, string> | undefined,
  isPatch: boolean,
): string | undefined {
  for (const [name, value] of values) {
    if (value === null) continue;
    const type = fields?.get(name);
    const isChange = isPatch && type === 'array' && isRecord(value);
    const wrong = wrongSize(value) ?? (isChange ? wrongOperators(value) : wrongType(value, type));
    if (wrong !== undefined) return `${name}: ${wrong}`;
  }
  return undefined;
}

function wrongSize(value: unknown): string | undefined {
  if (isLong(value)) return `must have at most ${STRING} characters`;
  if (Array.isArray(value)) {
    if (value.length > ELEMENTS) return `must have at most ${ELEMENTS} elements`;
    if (value.some(isLong)) return `must have elements of at most ${STRING} characters`;
  }
  return isDeeper(value, NESTING - 1) ? `must have at most ${NESTING} levels` : undefined;
}

/** Characters are code points, as the service counts them. */
const isLong = (value: unknown): boolean =>
  typeof value === 'string' && value.length > STRING && Array.from(value).length > STRING;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of a patch: operators without a list are left out, since a column of a query gives all rows the same keys. */
export function patchValue(value: unknown): unknown {
  if (!isRecord(value) || !Object.keys(value).every((key) => /^\$(add|remove)$/.test(key))) return value;
  return Object.fromEntries(Object.entries(value).filter(([, list]) => list !== null));
}

/** The rule of a patch of an array that a value breaks (`$add`, `$remove`). */
function wrongOperators(value: Readonly<Record<string, unknown>>): string | undefined {
  const given = Object.entries(value).filter(([, list]) => list !== null);
  const fits = given.every(([key, list]) => /^\$(add|remove)$/.test(key) && isStrings(list));
  if (!fits || given.length === 0) return 'must be an array of strings, or $add and $remove with such arrays';
  return given.map(([, list]) => wrongSize(list)).find((wrong) => wrong !== undefined);
}

const TIME =
  /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The rule of a declared type that a value breaks (specification, Catalog item). */
function wrongType(value: unknown, type: string | undefined): string | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : 'must be a text';
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array':
      return isStrings(value) ? undefined : 'must be an array of strings';
    case 'time':
      if (typeof value === 'number') return undefined;
      return typeof value === 'string' && isDay(TIME.exec(value)?.[1] ?? '')
        ? undefined
        : 'must be an ISO 8601 time or Unix seconds';
    case 'geo':
      return isPlace(value) ? undefined : 'must be [longitude, latitude]';
    case 'object':
      if (!isRecord(value)) return 'must be an object';
      return hasBadKey(value) ? 'must have keys without . and $' : undefined;
    default:
      return undefined;
  }
}

function isPlace(value: unknown): boolean {
  const place = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]);
  return place.safeParse(value).success;
}

const hasBadKey = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, one]) => (!Array.isArray(value) && /[.$]/.test(key)) || hasBadKey(one));

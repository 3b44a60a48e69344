/** Reading the items in a request: `items`, each checked against the fields of its catalog. */
import type { Field } from '../world/catalogs/index.js';
import type { Json } from '../world/messages/json.js';
import { isDeeperThan, isList, isRecord, type JsonRecord } from '../json.js';
import {
  ARRAY_LENGTH,
  BULK_ITEMS,
  checkName,
  NESTING,
  type Path,
  type Problems,
  STRING_LENGTH,
} from './problems.js';
import { isDay } from '../../src/ground/calendar.js';

/** The effect of a patch on an array. */
export class ArrayPatch {
  constructor(
    readonly add: readonly string[],
    readonly remove: readonly string[],
  ) {}
}

/** One item of a request. */
export interface Given {
  readonly id: string;
  /** Its place in the request. */
  readonly path: Path;
  readonly values: ReadonlyMap<string, Json | ArrayPatch>;
}

interface Wanted {
  /** The id in the path, for exactly one item; null for up to 50, each with its own id. */
  readonly id: string | null;
  /** Whether arrays may be changed by `$add` and `$remove`. */
  readonly isPatch: boolean;
}

/** Reads the items of a body; their errors go to the problems. */
export function itemsGiven(
  body: unknown,
  fields: readonly Field[],
  { id, isPatch }: Wanted,
  problems: Problems,
): Given[] {
  const list = listOf(body, id === null ? BULK_ITEMS : 1, problems);
  const seen = new Set<string>();
  return list.flatMap((item, place) => {
    const path = ['items', place];
    if (!isRecord(item)) {
      problems.add(path, 'invalid-type', 'An object is wanted here.');
      return [];
    }
    if (isDeeperThan(item, NESTING)) {
      problems.add(path, 'too-deep', `At most ${NESTING} levels of nesting are allowed.`);
      return [];
    }
    const own = ownId(item, id, [...path, 'id'], problems);
    if (own === null) return [];
    if (seen.has(own)) problems.add([...path, 'id'], 'not-unique', 'The id occurs twice in the request.');
    seen.add(own);
    return [{ id: own, path, values: valuesGiven(item, fields, path, isPatch, problems) }];
  });
}

function listOf(body: unknown, most: number, problems: Problems): readonly Json[] {
  const list = isRecord(body) ? body['items'] : undefined;
  if (!isList(list)) {
    problems.add(['items'], list === undefined ? 'required' : 'invalid-type', 'An array is wanted here.');
    return [];
  }
  if (list.length === 0) problems.add(['items'], 'too-few', 'At least one item is wanted.');
  if (list.length > most) {
    problems.add(['items'], 'too-many', most === 1 ? 'One item is wanted.' : `At most ${most} are allowed.`);
    return [];
  }
  return list;
}

function ownId(item: JsonRecord, wanted: string | null, path: Path, problems: Problems): string | null {
  const own = Object.hasOwn(item, 'id') ? item['id'] : undefined;
  if (wanted === null) return checkName(own, path, problems) ? own : null;
  if (own !== undefined && own !== wanted) {
    problems.add(path, 'mismatch', 'The id is another one than in the path.');
  }
  return wanted;
}

function valuesGiven(
  item: JsonRecord,
  fields: readonly Field[],
  path: Path,
  isPatch: boolean,
  problems: Problems,
): Map<string, Json | ArrayPatch> {
  const values = new Map<string, Json | ArrayPatch>();
  for (const [name, value] of Object.entries(item)) {
    if (name === 'id') continue;
    const at = [...path, name];
    const field = fields.find((one) => one.name === name);
    if (field === undefined) {
      problems.add(at, 'invalid-fields', 'The catalog has no such field.');
      continue;
    }
    const stored =
      isPatch && field.type === 'array' && isRecord(value)
        ? arrayPatch(value, at, problems)
        : storedValue(field, value, at, problems);
    if (stored !== undefined) values.set(name, stored);
  }
  return values;
}

function arrayPatch(value: JsonRecord, path: Path, problems: Problems): ArrayPatch | undefined {
  const keys = Object.keys(value);
  for (const key of keys) {
    if (key === '$add' || key === '$remove') continue;
    problems.add([...path, key], 'invalid-operator', 'Only $add and $remove are allowed.');
  }
  if (keys.length === 0) problems.add(path, 'required', '$add or $remove is wanted here.');
  const { $add = [], $remove = [] } = value;
  const add = stringsValue($add, [...path, '$add'], problems);
  const remove = stringsValue($remove, [...path, '$remove'], problems);
  return add === undefined || remove === undefined ? undefined : new ArrayPatch(add, remove);
}

/** The value to store; undefined when it does not fit. Null means no value, and fits every type. */
function storedValue(field: Field, value: unknown, path: Path, problems: Problems): Json | undefined {
  if (value === null) return null;
  switch (field.type) {
    case 'string':
      return stringValue(value, path, problems);
    case 'number':
      // 1e999 is valid JSON, but not a finite number.
      if (Number.isFinite(value) && typeof value === 'number') return value;
      wrongType(path, problems, 'A number is wanted here.');
      return undefined;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      wrongType(path, problems, 'True or false is wanted here.');
      return undefined;
    case 'time':
      return timeValue(value, path, problems);
    case 'array':
      return stringsValue(value, path, problems);
    case 'geo':
      return geoValue(value, path, problems);
    case 'object':
      if (!isRecord(value)) {
        wrongType(path, problems, 'An object is wanted here.');
        return undefined;
      }
      return checkKeys(value, path, problems) ? value : undefined;
  }
}

function wrongType(path: Path, problems: Problems, message: string): void {
  problems.add(path, 'invalid-type', message);
}

function stringValue(value: unknown, path: Path, problems: Problems): string | undefined {
  if (typeof value !== 'string') {
    wrongType(path, problems, 'A string is wanted here.');
    return undefined;
  }
  // Counts a surrogate pair as one character.
  if (value.length > STRING_LENGTH && Array.from(value).length > STRING_LENGTH) {
    problems.add(path, 'too-long', `At most ${STRING_LENGTH} characters are allowed.`);
    return undefined;
  }
  return value;
}

/** An array of strings; also the value of `$add` and `$remove`. */
function stringsValue(value: unknown, path: Path, problems: Problems): string[] | undefined {
  if (!isList(value)) {
    wrongType(path, problems, 'An array of strings is wanted here.');
    return undefined;
  }
  if (value.length > ARRAY_LENGTH) {
    problems.add(path, 'too-many', `At most ${ARRAY_LENGTH} elements are allowed.`);
    return undefined;
  }
  const strings = value.map((one: unknown, place) => stringValue(one, [...path, place], problems));
  const found = strings.filter((one) => one !== undefined);
  return found.length === strings.length ? found : undefined;
}

/** Longitude first. */
function geoValue(value: unknown, path: Path, problems: Problems): number[] | undefined {
  if (!isList(value) || value.length !== 2) {
    wrongType(path, problems, 'Longitude and latitude are wanted here.');
    return undefined;
  }
  const [longitude, latitude] = value;
  if (typeof longitude !== 'number' || typeof latitude !== 'number') {
    wrongType(path, problems, 'Longitude and latitude are wanted here, as numbers.');
    return undefined;
  }
  if (Math.abs(longitude) > 180) problems.add([...path, 0], 'out-of-range', 'Longitudes are -180 to 180.');
  if (Math.abs(latitude) > 90) problems.add([...path, 1], 'out-of-range', 'Latitudes are -90 to 90.');
  return [longitude, latitude];
}

const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** An ISO 8601 string (without a zone: UTC) or Unix seconds, as a UTC ISO 8601 string. */
function timeValue(value: unknown, path: Path, problems: Problems): string | undefined {
  let instant = new Date(Number.NaN);
  if (typeof value === 'number') instant = new Date(Math.round(value * 1000));
  if (typeof value === 'string') {
    const [, day = '', hour = '00', minute = '00', second = '00', part = '', zone = 'Z'] =
      ISO_TIME.exec(value) ?? [];
    const millis = part.slice(0, 3).padEnd(3, '0');
    if (isDay(day)) instant = new Date(`${day}T${hour}:${minute}:${second}.${millis}${withColon(zone)}`);
  }
  const year = instant.getUTCFullYear();
  if (year >= 0 && year <= 9999) return instant.toISOString();
  problems.add(path, 'invalid-time', 'An ISO 8601 time or Unix seconds are wanted here.');
  return undefined;
}

/** `+0900` and `+09` as `+09:00`. */
function withColon(zone: string): string {
  if (zone === 'Z' || zone.includes(':')) return zone;
  return `${zone.slice(0, 3)}:${zone.slice(3) || '00'}`;
}

/** Keys at any depth must not contain `.` or `$`. The nesting was checked before. */
function checkKeys(value: JsonRecord | readonly Json[], path: Path, problems: Problems): boolean {
  let fine = true;
  const entries: [string | number, Json][] = isList(value)
    ? value.map((one: Json, place): [number, Json] => [place, one])
    : Object.entries(value);
  for (const [key, child] of entries) {
    const at = [...path, key];
    if (typeof key === 'string' && /[.$]/.test(key)) {
      problems.add(at, 'invalid-key', 'Keys must not contain "." or "$".');
      fine = false;
    }
    if (isList(child) || isRecord(child)) fine = checkKeys(child, at, problems) && fine;
  }
  return fine;
}

/** Reading the items in a request: `items`, each checked against the fields of its catalog. */
import type { Field } from '../world/catalogs/index.js';
import type { Json } from '../world/messages/json.js';
import { isDeeperThan, isList, isRecord, type JsonRecord } from '../json.js';
import { BULK_ITEMS, NESTING } from './limits.js';
import { checkName } from './names.js';
import type { Path, Problems } from './problems.js';
import { storedValue, stringsValue } from './values.js';

/** What a patch does to an array. */
export class ArrayPatch {
  constructor(
    readonly add: readonly string[],
    readonly remove: readonly string[],
  ) {}
}

/** What a request says of one item. */
export interface Given {
  readonly id: string;
  /** Where it stands in the request. */
  readonly path: Path;
  readonly values: ReadonlyMap<string, Json | ArrayPatch>;
}

export interface Wanted {
  /** The id in the path, for exactly one item; null for up to 50, each with its own id. */
  readonly id: string | null;
  /** Whether arrays may be changed by `$add` and `$remove`. */
  readonly isPatch: boolean;
}

/** What the items of a body say; what is wrong with them goes to the problems. */
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

/** Reading the fields in a request. */
import { type Field, FIELD_TYPES } from '../world/catalogs/index.js';
import { isList, isRecord } from '../json.js';
import { checkName } from './names.js';
import type { Path, Problems } from './problems.js';

export interface WantedFields {
  readonly least: number;
  readonly most: number;
  /** Whether the first is `id`, or none is. */
  readonly withId: boolean;
}

/** The fields of a list; what is wrong with them goes to the problems. */
export function fieldsGiven(
  list: unknown,
  { least, most, withId }: WantedFields,
  problems: Problems,
): Field[] {
  if (!isList(list)) {
    problems.add(['fields'], list === undefined ? 'required' : 'invalid-type', 'An array is wanted here.');
    return [];
  }
  if (list.length < least) problems.add(['fields'], 'too-few', `At least ${least} is wanted.`);
  if (list.length > most) {
    problems.add(['fields'], 'too-many', `At most ${most} are allowed.`);
    return [];
  }
  const names = new Set<string>();
  return list.flatMap((one: unknown, place) => {
    const path = ['fields', place];
    const field = fieldGiven(one, path, problems);
    if (field === null) return [];
    checkIdField(field, place, withId, path, problems);
    if (names.has(field.name)) problems.add([...path, 'name'], 'not-unique', 'The name occurs twice.');
    names.add(field.name);
    return [field];
  });
}

function fieldGiven(value: unknown, path: Path, problems: Problems): Field | null {
  if (!isRecord(value)) {
    problems.add(path, 'invalid-type', 'An object is wanted here.');
    return null;
  }
  for (const key of Object.keys(value)) {
    if (key === 'name' || key === 'type') continue;
    problems.add([...path, key], 'unknown-property', 'A field has a name and a type only.');
  }
  const { name, type } = value;
  const found = FIELD_TYPES.find((one) => one === type);
  if (found === undefined) {
    const code = type === undefined ? 'required' : 'invalid-type';
    problems.add([...path, 'type'], code, `One of ${FIELD_TYPES.join(', ')} is wanted here.`);
  }
  if (!checkName(name, [...path, 'name'], problems)) return null;
  if (name === '__proto__') problems.add([...path, 'name'], 'reserved', 'A field cannot be called so.');
  return found === undefined ? null : { name, type: found };
}

function checkIdField(field: Field, place: number, withId: boolean, path: Path, problems: Problems): void {
  if (!withId && field.name === 'id') {
    problems.add([...path, 'name'], 'reserved', 'The field id is there already.');
  }
  if (withId && place === 0 && (field.name !== 'id' || field.type !== 'string')) {
    problems.add(path, 'invalid-fields', 'The first field must be id, of type string.');
  }
}

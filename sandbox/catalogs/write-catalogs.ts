/** Creating and deleting catalogs and their fields (E2). */
import { type Reply, jsonAnswer } from '../answer.js';
import { refuse } from '../family.js';
import type { Catalog, Catalogs } from './catalog.js';
import { isRecord, isList } from '../json.js';
import { ADDED_FIELDS, CATALOG_FIELDS, checkName, problem, Problems, type Path } from './problems.js';
import { type Field, FIELD_TYPES } from '../world/catalogs/index.js';

const DONE = { data: null, error: null };

export function createCatalog(catalogs: Catalogs, body: unknown): Reply {
  if (!isRecord(body)) return problem([], 'invalid-type', 'An object is wanted here.');
  const problems = new Problems();
  const { name, description = '', data_classification: classification } = body;
  if (typeof description !== 'string') {
    problems.add(['description'], 'invalid-type', 'A string is wanted here.');
  }
  if (classification !== 'non_personal') {
    const code = classification === undefined ? 'required' : 'invalid-value';
    problems.add(['data_classification'], code, 'Only non_personal is allowed.');
  }
  const wanted = { least: 1, most: CATALOG_FIELDS, withId: true };
  const fields = fieldsGiven(body['fields'], wanted, problems);
  if (!checkName(name, ['name'], problems) || typeof description !== 'string' || problems.found()) {
    return problems.answer();
  }
  if (catalogs.get(name) !== undefined) {
    return refuse('catalog', 'conflict', 'A catalog of this name exists.');
  }
  return jsonAnswer({ data: catalogs.create(name, description, fields).summary(), error: null }, 201);
}

export function deleteCatalog(catalogs: Catalogs, catalog: Catalog): Reply {
  catalogs.delete(catalog.name);
  return jsonAnswer(DONE);
}

export function addFields(catalog: Catalog, body: unknown): Reply {
  if (!isRecord(body)) return problem([], 'invalid-type', 'An object is wanted here.');
  const problems = new Problems();
  for (const key of Object.keys(body)) {
    if (key !== 'fields') problems.add([key], 'unknown-property', 'Only fields is allowed here.');
  }
  const fields = fieldsGiven(body['fields'], { least: 1, most: ADDED_FIELDS, withId: false }, problems);
  const before = catalog.fields();
  if (before.length + fields.length > CATALOG_FIELDS) {
    problems.add(['fields'], 'too-many', `A catalog has at most ${CATALOG_FIELDS} fields.`);
  }
  if (problems.found()) return problems.answer();
  if (fields.some(({ name }) => before.some((field) => field.name === name))) {
    return refuse('catalog', 'conflict', 'A field of this name exists.');
  }
  catalog.addFields(fields);
  catalog.recompute();
  return jsonAnswer(DONE);
}

export function deleteField(catalog: Catalog, name: string): Reply {
  if (name === 'id') return problem(['fieldName'], 'reserved', 'The field id cannot be deleted.');
  if (!catalog.fields().some((field) => field.name === name)) {
    return refuse('catalog', 'not-found', 'The field does not exist.');
  }
  catalog.deleteField(name);
  catalog.recompute();
  return jsonAnswer(DONE);
}

interface WantedFields {
  readonly least: number;
  readonly most: number;
  /** Whether the first is `id`, or none is. */
  readonly withId: boolean;
}

/** The fields of a list; errors go to `problems`. */
function fieldsGiven(list: unknown, { least, most, withId }: WantedFields, problems: Problems): Field[] {
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

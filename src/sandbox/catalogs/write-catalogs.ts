/** Creating and deleting catalogs and their fields (E2). */
import { type Reply, jsonAnswer } from '../answer.js';
import { refuse } from '../family.js';
import type { Catalog } from './catalog.js';
import type { Catalogs } from './catalogs.js';
import { fieldsGiven } from './field-bodies.js';
import { isRecord } from '../json.js';
import { ADDED_FIELDS, CATALOG_FIELDS } from './limits.js';
import { checkName } from './names.js';
import { problem, Problems } from './problems.js';

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

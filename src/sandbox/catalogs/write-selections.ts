/** Creating and deleting selections (E2). */
import { type Reply, jsonAnswer } from '../answer.js';
import { refuse } from '../family.js';
import type { Json } from '../world/messages/json.js';
import type { Catalog } from './catalog.js';
import { isDeeperThan, isList, isRecord, type JsonRecord } from '../json.js';
import { NESTING } from './limits.js';
import { checkName } from './names.js';
import { type Path, problem, Problems } from './problems.js';
import { type Definition, type Filter, isOperator } from './selection.js';

const DONE = { data: null, error: null };

const PROPERTIES = ['name', 'description', 'filters', 'results_limit', 'sort_field', 'sort_order'];

export function createSelection(catalog: Catalog, body: unknown): Reply {
  const selection = isRecord(body) ? body['selection'] : undefined;
  if (!isRecord(selection)) {
    const code = selection === undefined ? 'required' : 'invalid-type';
    return problem(['selection'], code, 'An object is wanted here.');
  }
  if (isDeeperThan(selection, NESTING)) {
    return problem(['selection'], 'too-deep', `At most ${NESTING} levels of nesting are allowed.`);
  }
  const problems = new Problems();
  const definition = definitionOf(selection, catalog, problems);
  if (definition === null || problems.found()) return problems.answer();
  if (catalog.selections.has(definition.name)) {
    return refuse('catalog', 'conflict', 'A selection of this name exists.');
  }
  catalog.selections.set(definition.name, { definition, results: [] });
  catalog.recompute();
  return jsonAnswer(DONE);
}

export function deleteSelection(catalog: Catalog, name: string): Reply {
  if (!catalog.selections.delete(name)) {
    return refuse('catalog', 'not-found', 'The selection does not exist.');
  }
  return jsonAnswer(DONE);
}

function definitionOf(selection: JsonRecord, catalog: Catalog, problems: Problems): Definition | null {
  for (const key of Object.keys(selection)) {
    // `external_id` and `source` are what the specification names.
    if (!PROPERTIES.includes(key)) problems.add(['selection', key], 'unknown-property', 'Not accepted.');
  }
  const names = catalog.fields().map((field) => field.name);
  const { name, description = '', filters = [], results_limit: limit, sort_field: sortField } = selection;
  const order = selection['sort_order'];
  if (typeof description !== 'string') {
    problems.add(['selection', 'description'], 'invalid-type', 'A string is wanted here.');
  }
  if (limit !== undefined && !(typeof limit === 'number' && Number.isInteger(limit) && limit >= 1)) {
    problems.add(['selection', 'results_limit'], 'invalid-value', 'A whole number from 1 on is wanted here.');
  }
  if (sortField !== undefined && !names.some((one) => one === sortField)) {
    problems.add(['selection', 'sort_field'], 'invalid-fields', 'The catalog has no such field.');
  }
  if (order !== undefined && order !== 'asc' && order !== 'desc') {
    problems.add(['selection', 'sort_order'], 'invalid-value', 'asc or desc is wanted here.');
  }
  const found = filtersOf(filters, names, problems);
  if (!checkName(name, ['selection', 'name'], problems)) return null;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    filters: found,
    limit: typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY,
    sort: typeof sortField === 'string' ? { field: sortField, descending: order === 'desc' } : null,
  };
}

function filtersOf(filters: Json, names: readonly string[], problems: Problems): Filter[] {
  if (!isList(filters)) {
    problems.add(['selection', 'filters'], 'invalid-type', 'An array is wanted here.');
    return [];
  }
  return filters.flatMap((filter: Json, place) => {
    const path: Path = ['selection', 'filters', place];
    if (!isRecord(filter)) {
      problems.add(path, 'invalid-type', 'An object is wanted here.');
      return [];
    }
    const { field, operator, value } = filter;
    if (typeof field !== 'string' || !names.includes(field)) {
      problems.add([...path, 'field'], 'invalid-fields', 'The catalog has no such field.');
      return [];
    }
    if (typeof operator !== 'string' || !isOperator(operator)) {
      problems.add([...path, 'operator'], 'invalid-value', 'There is no such operator.');
      return [];
    }
    if (value === undefined || value === null) {
      problems.add([...path, 'value'], 'required', 'A value that is not null is wanted here.');
      return [];
    }
    return [{ field, operator, value }];
  });
}

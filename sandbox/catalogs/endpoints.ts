/** E2: the operations on catalogs, each with its method and the rest of its path. */
import { type Reply, jsonAnswer } from '../answer.js';
import { type Call, decoded, type Endpoint, endpoint } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import type { Catalog, Catalogs } from './catalog.js';
import {
  ARRAY_LENGTH,
  BODY_BYTES,
  checkName,
  ITEM_BYTES,
  NESTING,
  PAGE_ITEMS,
  type Path,
  problem,
  Problems,
} from './problems.js';
import { addFields, createCatalog, deleteCatalog, deleteField } from './write-catalogs.js';
import { createHash } from 'node:crypto';
import type { Values } from '../world/catalogs/index.js';
import type { Json } from '../world/messages/json.js';
import { ArrayPatch, type Given, itemsGiven } from './item-bodies.js';
import { isList, isDeeperThan, isRecord, type JsonRecord } from '../json.js';
import { type Definition, type Filter, isOperator } from './selection.js';

/** The names of the values in the paths, for errors, in their order. */
const VALUES = { items: 'itemId', fields: 'fieldName', selections: 'selectionName' } as const;

type Operation = (catalog: Catalog, call: Call, second: string) => Reply;

export function catalogEndpoints(settings: Settings, catalogs: Catalogs): Endpoint[] {
  /** An operation on one catalog, whose name and the value after it are decoded and checked first. */
  function on(
    method: Endpoint['method'],
    part: keyof typeof VALUES | '',
    hasSecond: boolean,
    hasBody: boolean,
    operate: Operation,
  ): Endpoint {
    const rest = `${part === '' ? '' : `/${part}`}${hasSecond ? '/([^/]+)' : ''}`;
    return operation(method, `/([^/]+)${rest}`, hasBody, (call) => {
      const problems = new Problems();
      const [name = '', second = ''] = call.values.map(decoded);
      checkName(name, ['catalogName'], problems);
      if (part !== '' && hasSecond) checkName(second, [VALUES[part]], problems);
      if (problems.found()) return problems.answer();
      const catalog = catalogs.get(name);
      if (catalog === undefined) return refuse('catalog', 'not-found', 'The catalog does not exist.');
      return operate(catalog, call, second);
    });
  }

  return [
    operation('GET', '', false, () => listCatalogs(catalogs, settings)),
    operation('POST', '', true, ({ body }) => createCatalog(catalogs, body)),
    on('DELETE', '', false, false, (catalog) => deleteCatalog(catalogs, catalog)),
    on('GET', 'items', false, false, (catalog, call) => listItems(catalog, call, settings)),
    on('GET', 'items', true, false, (catalog, _, id) => getItem(catalog, id)),
    on('POST', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'create', id, body)),
    on('PUT', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'replace', id, body)),
    on('PATCH', 'items', true, true, (catalog, { body }, id) => writeItems(catalog, 'patch', id, body)),
    on('DELETE', 'items', true, false, (catalog, _, id) => deleteItem(catalog, id)),
    on('POST', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'create', null, body)),
    on('PUT', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'replace', null, body)),
    on('PATCH', 'items', false, true, (catalog, { body }) => writeItems(catalog, 'patch', null, body)),
    on('DELETE', 'items', false, true, (catalog, { body }) => deleteItems(catalog, body)),
    on('POST', 'fields', false, true, (catalog, { body }) => addFields(catalog, body)),
    on('DELETE', 'fields', true, false, (catalog, _, name) => deleteField(catalog, name)),
    on('POST', 'selections', false, true, (catalog, { body }) => createSelection(catalog, body)),
    on('DELETE', 'selections', true, false, (catalog, _, name) => deleteSelection(catalog, name)),
  ];
}

function operation(
  method: Endpoint['method'],
  rest: string,
  hasBody: boolean,
  answer: Endpoint['answer'],
): Endpoint {
  const more = { hasBody, bodyBytes: BODY_BYTES, pageParameter: 'cursor' };
  return endpoint('E2', 'catalog', `${method} /v1/projects/([^/]+)/catalogs${rest}`, answer, more);
}

function listCatalogs(catalogs: Catalogs, settings: Settings): Reply {
  const list = [...catalogs.all()].map((catalog) => catalog.summary());
  return jsonAnswer({ data: settings.catalogList === 'wrapped' ? { catalogs: list } : list, error: null });
}

function listItems(catalog: Catalog, { query }: Call, settings: Settings): Reply {
  const cursor = query.get('cursor');
  const after = cursor === null ? null : idOfCursor(catalog.name, cursor);
  if (cursor !== null && after === null) {
    return problem(['cursor'], 'invalid-cursor', 'The cursor belongs to another catalog.');
  }
  const ids: string[] = [];
  let more = false;
  for (const id of catalog.items.idsAfter(after)) {
    more = ids.length === PAGE_ITEMS;
    if (more) break;
    ids.push(id);
  }
  const items = ids.map((id) => catalog.shown(id, catalog.items.get(id) ?? new Map()));
  const last = ids.at(-1);
  const next = more && last !== undefined ? cursorAfter(catalog.name, last) : null;
  const path = `/v1/projects/${settings.projectId}/catalogs/${catalog.name}/items`;
  const link = next === null ? null : `${path}?cursor=${encodeURIComponent(next)}`;
  const answer = jsonAnswer({ data: { items, next_cursor: next, links: { next: link } }, error: null });
  if (link === null) return answer;
  return { ...answer, headers: { ...answer.headers, link: `<${link}>; rel="next"` } };
}

function getItem(catalog: Catalog, id: string): Reply {
  const values = catalog.items.get(id);
  if (values === undefined) return refuse('catalog', 'not-found', 'The item does not exist.');
  return jsonAnswer({ data: catalog.shown(id, values), error: null });
}

function signatureOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, 6);
}

/** Opaque to clients, and tied to its catalog. */
function cursorAfter(catalog: string, id: string): string {
  const text = `${catalog}\n${id}`;
  return Buffer.concat([signatureOf(text), Buffer.from(text)]).toString('base64url');
}

/** The id in a cursor; null for a cursor of another catalog. */
function idOfCursor(catalog: string, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(6).toString();
  const [name, id, ...more] = text.split('\n');
  if (name !== catalog || id === undefined || more.length > 0) return null;
  return cursor === cursorAfter(name, id) ? id : null;
}

type Write = 'create' | 'replace' | 'patch';

const DONE = { data: null, error: null };

/** @param id the id in the path, for one item; null for many */
export function writeItems(catalog: Catalog, write: Write, id: string | null, body: unknown): Reply {
  const problems = new Problems();
  const given = itemsGiven(body, catalog.fields(), { id, isPatch: write === 'patch' }, problems);
  if (problems.found()) return problems.answer();
  const refusal = refusalOf(catalog, write, given);
  if (refusal !== null) return refusal;
  const items = given.map((one) => [one.id, changed(catalog, write, one, problems)] as const);
  if (problems.found()) return problems.answer();
  for (const [itemId, values] of items) catalog.items.put(itemId, values);
  catalog.recompute();
  const [first] = items;
  if (id === null || first === undefined) return jsonAnswer(DONE);
  return jsonAnswer({ data: catalog.shown(...first), error: null }, write === 'create' ? 201 : 200);
}

function refusalOf(catalog: Catalog, write: Write, given: readonly Given[]): Reply | null {
  if (write === 'replace') return null;
  const isThere = ({ id }: Given) => catalog.items.get(id) !== undefined;
  if (write === 'create') {
    return given.some(isThere) ? refuse('catalog', 'conflict', 'An item of this id exists.') : null;
  }
  return given.every(isThere) ? null : refuse('catalog', 'not-found', 'An item does not exist.');
}

/** The item's values after the request. */
function changed(catalog: Catalog, write: Write, given: Given, problems: Problems): Values {
  const before: Values = (write === 'patch' ? catalog.items.get(given.id) : undefined) ?? new Map();
  const after = new Map<string, Json>(before);
  for (const [name, value] of given.values) {
    const stored = value instanceof ArrayPatch ? patched(before.get(name), value) : value;
    if (value instanceof ArrayPatch && isList(stored) && stored.length > ARRAY_LENGTH) {
      const message = `The array would have more than ${ARRAY_LENGTH} elements.`;
      problems.add([...given.path, name], 'too-many', message);
    }
    after.set(name, stored);
  }
  if (Buffer.byteLength(JSON.stringify(catalog.shown(given.id, after))) > ITEM_BYTES) {
    problems.add(given.path, 'too-large', `An item has at most ${ITEM_BYTES} bytes.`);
  }
  return after;
}

/** Adds what is not there yet, then removes. */
function patched(before: Json | undefined, { add, remove }: ArrayPatch): Json {
  const all = new Set([...(isList(before) ? before : []), ...add]);
  return [...all].filter((one) => typeof one !== 'string' || !remove.includes(one));
}

function deleteItem(catalog: Catalog, id: string): Reply {
  if (catalog.items.get(id) === undefined) return refuse('catalog', 'not-found', 'The item does not exist.');
  catalog.items.delete(id);
  catalog.recompute();
  return jsonAnswer(DONE);
}

export function deleteItems(catalog: Catalog, body: unknown): Reply {
  const problems = new Problems();
  const given = itemsGiven(body, catalog.fields(), { id: null, isPatch: false }, problems);
  if (problems.found()) return problems.answer();
  if (given.some(({ id }) => catalog.items.get(id) === undefined)) {
    return refuse('catalog', 'not-found', 'An item does not exist.');
  }
  for (const { id } of given) catalog.items.delete(id);
  catalog.recompute();
  return jsonAnswer(DONE);
}

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

function deleteSelection(catalog: Catalog, name: string): Reply {
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
      problems.add([...path, 'operator'], 'invalid-value', 'The operator is unknown.');
      return [];
    }
    if (value === undefined || value === null) {
      problems.add([...path, 'value'], 'required', 'A value that is not null is wanted here.');
      return [];
    }
    return [{ field, operator, value }];
  });
}

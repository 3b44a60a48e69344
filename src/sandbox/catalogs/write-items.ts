/** Creating, replacing, patching and deleting items: all that a request says, or nothing of it. */
import { type Reply, jsonAnswer } from '../answer.js';
import { refuse } from '../family.js';
import type { Values } from '../world/catalogs/index.js';
import type { Json } from '../world/messages/json.js';
import type { Catalog } from './catalog.js';
import { ArrayPatch, type Given, itemsGiven } from './item-bodies.js';
import { isList } from '../json.js';
import { ARRAY_LENGTH, ITEM_BYTES } from './limits.js';
import { Problems } from './problems.js';

export type Write = 'create' | 'replace' | 'patch';

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

export function deleteItem(catalog: Catalog, id: string): Reply {
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
